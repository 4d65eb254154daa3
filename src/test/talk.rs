//! Lines of a test into a transcript.
//!
//! A call that nothing answers gets the result `ok`, and a conversation that does not end with a reply gets one, so
//! that the rules see how it ended.

use std::collections::VecDeque;
use std::sync::Arc;

use smol_str::SmolStr;

use super::filler::{filler, of_tokens};
use crate::check::{ScriptLine, ScriptLineKind, ScriptedCall, TextSpec};
use crate::conversation::{Arguments, Body, Message, Part, Role};
use crate::transcript::Transcript;

/// The result of a call whose result is not told.
const ANSWER: &str = "ok";
/// The reply at the end of a conversation that has none.
const END: &str = "Done.";

/// The transcript that lines make.
pub(super) fn transcript(lines: &[ScriptLine]) -> Transcript {
    let mut talk = Talk::default();
    for line in lines {
        for _ in 0..line.times {
            talk.line(&line.kind);
        }
    }
    talk.finish();
    Transcript { id: "test".to_owned(), format: "test", messages: talk.messages, ..Transcript::default() }
}

#[derive(Default)]
struct Talk {
    messages: Vec<Arc<Message>>,
    /// Thinking for the next reply.
    thinking: Vec<Part>,
    /// Calls of the last reply that have no result.
    open: VecDeque<SmolStr>,
    /// Calls so far.
    calls: u64,
    /// Texts so far.
    texts: u64,
}

impl Talk {
    fn line(&mut self, kind: &ScriptLineKind) {
        match kind {
            ScriptLineKind::System(filling) => self.say(Role::System, filling),
            ScriptLineKind::User(filling) => self.say(Role::User, filling),
            ScriptLineKind::Assistant(filling) => {
                let text = self.text(filling);
                self.reply(vec![Part::text(text)]);
            }
            ScriptLineKind::Thinking(filling) => {
                let text = self.text(filling).into();
                self.thinking.push(Part::new(Body::Thinking { text, signature: None }));
            }
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

    fn say(&mut self, role: Role, filling: &TextSpec) {
        self.answer();
        let text = self.text(filling);
        self.messages.push(Arc::new(Message::text(role, text)));
    }

    /// A reply with these parts, behind the thinking that was told.
    fn reply(&mut self, mut parts: Vec<Part>) {
        self.answer();
        parts.splice(0..0, self.thinking.drain(..));
        self.messages.push(Arc::new(Message::new(Role::Assistant, parts)));
    }

    fn call(&mut self, calls: &[ScriptedCall]) {
        self.answer();
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

    /// A result of the first call that has none; one without a call stands alone.
    fn result(&mut self, text: String, is_error: bool) {
        let id = self.open.pop_front().unwrap_or_default();
        self.messages.push(Arc::new(Message::new(Role::Tool, vec![Part::result(id, text, is_error)])));
    }

    fn answer(&mut self) {
        while !self.open.is_empty() {
            self.result(ANSWER.to_owned(), false);
        }
    }

    fn finish(&mut self) {
        self.answer();
        let ends = self.messages.last().is_some_and(|message| message.role == Role::Assistant);
        if !ends || !self.thinking.is_empty() {
            self.reply(vec![Part::text(END)]);
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

    fn spoken(lines: &[ScriptLine]) -> Vec<String> {
        let part = |part: &Part| match &part.body {
            Body::Text(text) => text.to_string(),
            Body::Thinking { text, .. } => format!("<{text}>"),
            Body::ToolCall { name, arguments, .. } => format!("{name}({})", arguments.text()),
            Body::ToolResult(result) => {
                format!("{} = {}{}", result.id, result.text, if result.is_error { "!" } else { "" })
            }
            other => unreachable!("{other:?}"),
        };
        let say = |message: &Arc<Message>| {
            let parts: Vec<String> = message.parts.iter().map(part).collect();
            format!("{}: {}", message.role.word(), parts.join(" "))
        };
        transcript(lines).messages.iter().map(say).collect()
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
            spoken(&lines),
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
    fn a_conversation_that_ends_with_a_reply_is_left_as_it_is() {
        let text = |text: &str| TextSpec::Text(text.to_owned());
        let lines = [line(ScriptLineKind::User(text("hi")), 1), line(ScriptLineKind::Assistant(text("ho")), 1)];
        assert_eq!(spoken(&lines), ["user: hi", "assistant: ho"]);
    }

    #[test]
    fn the_checker_counts_the_calls_that_lines_make() {
        let text = || TextSpec::Text("a".to_owned());
        let kinds = [
            ScriptLineKind::System(text()),
            ScriptLineKind::User(text()),
            ScriptLineKind::Assistant(text()),
            ScriptLineKind::Thinking(text()),
            ScriptLineKind::Calls(vec![called("bash", None), called("look", None)]),
            ScriptLineKind::Result { of: None, filling: text(), is_error: false },
            ScriptLineKind::Result { of: Some(called("edit", None)), filling: text(), is_error: true },
        ];
        let all = || kinds.iter().flat_map(|kind| [1, 2].map(|times| line(kind.clone(), times)));
        for first in all() {
            for second in all() {
                for lines in [vec![first.clone()], vec![first.clone(), second.clone()]] {
                    let replies = transcript(&lines).messages.iter().filter(|one| one.role == Role::Assistant).count();
                    let given = crate::check::TestInput { lines, ..crate::check::TestInput::default() };
                    assert_eq!(given.calls(), u64::try_from(replies).ok(), "{:?}", given.lines);
                }
            }
        }
    }
}
