//! Transcripts from the lines of a test.
//!
//! A call without a result gets the result `ok`. A conversation that does not end with a reply gets one, so that rules
//! are tried after its last message.

use std::collections::VecDeque;
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Body, Message, Part, Role};
use trimtab_language::check::{ScriptLine, ScriptLineKind, ScriptedCall, TextSpec};
use trimtab_recordings::transcript::Transcript;

use super::filler::{filler, of_tokens};

/// The result of a call without a given result.
const DEFAULT_RESULT: &str = "ok";
/// The reply at the end of a conversation without one.
const LAST_REPLY: &str = "Done.";

/// The transcript of the lines of a test.
pub(super) fn from_lines(lines: &[ScriptLine]) -> Transcript {
    let mut builder = Builder::default();
    for line in lines {
        for _ in 0..line.times {
            builder.line(&line.kind);
        }
    }
    builder.finish();
    Transcript { id: "test".to_owned(), format: "test", messages: builder.messages, ..Transcript::default() }
}

#[derive(Default)]
struct Builder {
    messages: Vec<Arc<Message>>,
    /// Thinking for the next reply.
    thinking: Vec<Part>,
    /// Calls of the last reply without a result.
    open: VecDeque<SmolStr>,
    /// The number of calls so far.
    calls: u64,
    /// The number of texts so far.
    texts: u64,
}

impl Builder {
    fn line(&mut self, kind: &ScriptLineKind) {
        match kind {
            ScriptLineKind::System(filling) => self.input(Role::System, filling),
            ScriptLineKind::User(filling) => self.input(Role::User, filling),
            ScriptLineKind::Assistant(filling) => {
                let text = self.text(filling);
                self.reply(vec![Part::text(text)]);
            }
            ScriptLineKind::Thinking(filling) => {
                let text = self.text(filling).into();
                self.thinking.push(Part::new(Body::Thinking { text, signature: None }));
            }
            ScriptLineKind::Compaction(filling) => self.compact(filling),
            ScriptLineKind::Calls(calls) => self.call(calls),
            ScriptLineKind::Result { of, filling, is_error } => {
                if let Some(called) = of {
                    self.call(std::slice::from_ref(called));
                }
                let text = self.text(filling);
                self.result(text, *is_error);
            }
        }
    }

    fn text(&mut self, filling: &TextSpec) -> String {
        self.texts += 1;
        match filling {
            TextSpec::Text(text) => text.clone(),
            TextSpec::Chars(chars) => filler(self.texts, *chars),
            TextSpec::Tokens(tokens) => of_tokens(self.texts, *tokens),
        }
    }

    fn input(&mut self, role: Role, filling: &TextSpec) {
        self.answer_open_calls();
        let text = self.text(filling);
        self.messages.push(Arc::new(Message::text(role, text)));
    }

    fn compact(&mut self, filling: &TextSpec) {
        self.answer_open_calls();
        let summary = Message::text(Role::User, self.text(filling));
        self.messages.push(Arc::new(Message { harness: true, resets: true, ..summary }));
    }

    /// Adds a reply with these parts, after the thinking of earlier lines.
    fn reply(&mut self, mut parts: Vec<Part>) {
        self.answer_open_calls();
        parts.splice(0..0, self.thinking.drain(..));
        self.messages.push(Arc::new(Message::new(Role::Assistant, parts)));
    }

    fn call(&mut self, calls: &[ScriptedCall]) {
        self.answer_open_calls();
        let mut parts = Vec::with_capacity(calls.len());
        for called in calls {
            self.calls += 1;
            let id = SmolStr::from(format!("call_{}", self.calls));
            let arguments = match &called.arguments {
                Some(text) => text.clone(),
                None => format!("{{\"n\":{}}}", self.calls),
            };
            self.open.push_back(id.clone());
            parts.push(Part::call(id, called.tool.clone(), Arguments::Text(arguments.into())));
        }
        let open = std::mem::take(&mut self.open);
        self.reply(parts);
        self.open = open;
    }

    /// Adds a result of the first call without one, or a result without a call.
    fn result(&mut self, text: String, is_error: bool) {
        let id = self.open.pop_front().unwrap_or_default();
        self.messages.push(Arc::new(Message::new(Role::Tool, vec![Part::result(id, text, is_error)])));
    }

    fn answer_open_calls(&mut self) {
        while !self.open.is_empty() {
            self.result(DEFAULT_RESULT.to_owned(), false);
        }
    }

    fn finish(&mut self) {
        self.answer_open_calls();
        let ends = self.messages.last().is_some_and(|message| message.role == Role::Assistant);
        if !ends || !self.thinking.is_empty() {
            self.reply(vec![Part::text(LAST_REPLY)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: ScriptLineKind, times: u64) -> ScriptLine {
        ScriptLine { kind, times }
    }

    fn called(tool: &str, arguments: Option<&str>) -> ScriptedCall {
        ScriptedCall { tool: tool.into(), arguments: arguments.map(str::to_owned) }
    }

    fn messages(lines: &[ScriptLine]) -> Vec<String> {
        let part = |part: &Part| match &part.body {
            Body::Text(text) => text.to_string(),
            Body::Thinking { text, .. } => format!("<{text}>"),
            Body::ToolCall { name, arguments, .. } => format!("{name}({})", arguments.text()),
            Body::ToolResult(result) => {
                format!("{} = {}{}", result.id, result.text, if result.is_error { "!" } else { "" })
            }
            other => unreachable!("{other:?}"),
        };
        let format = |message: &Arc<Message>| {
            let parts: Vec<String> = message.parts.iter().map(part).collect();
            format!("{}: {}", message.role.word(), parts.join(" "))
        };
        from_lines(lines).messages.iter().map(format).collect()
    }

    #[test]
    fn calls_get_results_and_the_end_gets_a_reply() {
        let text = |text: &str| TextSpec::Text(text.to_owned());
        let of = Some(called("edit", None));
        let lines = [
            line(ScriptLineKind::User(text("go")), 1),
            line(ScriptLineKind::Calls(vec![called("bash", Some("ls")), called("look", None)]), 1),
            line(ScriptLineKind::Result { of: None, filling: text("a b"), is_error: false }, 1),
            line(ScriptLineKind::Thinking(text("hm")), 1),
            line(ScriptLineKind::Result { of, filling: text("no"), is_error: true }, 2),
        ];
        assert_eq!(
            messages(&lines),
            [
                "user: go",
                "assistant: bash(ls) look({\"n\":2})",
                "tool: call_1 = a b",
                "tool: call_2 = ok",
                "assistant: <hm> edit({\"n\":3})",
                "tool: call_3 = no!",
                "assistant: edit({\"n\":4})",
                "tool: call_4 = no!",
                "assistant: Done.",
            ]
        );
    }

    #[test]
    fn a_conversation_that_ends_with_a_reply_is_unchanged() {
        let text = |text: &str| TextSpec::Text(text.to_owned());
        let lines = [line(ScriptLineKind::User(text("hi")), 1), line(ScriptLineKind::Assistant(text("ho")), 1)];
        assert_eq!(messages(&lines), ["user: hi", "assistant: ho"]);
    }

    #[test]
    fn the_checker_counts_the_model_calls_of_lines() {
        let text = || TextSpec::Text("a".to_owned());
        let kinds = [
            ScriptLineKind::System(text()),
            ScriptLineKind::User(text()),
            ScriptLineKind::Assistant(text()),
            ScriptLineKind::Thinking(text()),
            ScriptLineKind::Compaction(text()),
            ScriptLineKind::Calls(vec![called("bash", None), called("look", None)]),
            ScriptLineKind::Result { of: None, filling: text(), is_error: false },
            ScriptLineKind::Result { of: Some(called("edit", None)), filling: text(), is_error: true },
        ];
        let all = || kinds.iter().flat_map(|kind| [1, 2].map(|times| line(kind.clone(), times)));
        for first in all() {
            for second in all() {
                for lines in [vec![first.clone()], vec![first.clone(), second.clone()]] {
                    let replies =
                        from_lines(&lines).messages.iter().filter(|message| message.role == Role::Assistant).count();
                    let given =
                        trimtab_language::check::TestInput { lines, ..trimtab_language::check::TestInput::default() };
                    assert_eq!(given.calls(), u64::try_from(replies).ok(), "{:?}", given.lines);
                }
            }
        }
    }
}
