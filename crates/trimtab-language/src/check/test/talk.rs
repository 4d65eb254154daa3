//! Checks the lines of a scripted conversation.

use trimtab_base::quantity::{Quantity, Unit};
use trimtab_syntax::syntax::tree::{ExprKind, TermKind};

use super::Checker;
use super::run::{self, Run};
use crate::check::error::{self, Wanted};
use crate::check::scope::Named;
use crate::check::test_case::{ScriptLine, ScriptLineKind, ScriptedCall, TextSpec};

/// The most characters of all repeats of a line.
const MAX_CHARS: u64 = 50_000_000;
/// The error result of a line without a text.
const FAILURE: &str = "Error: it failed";
/// The summary of a compaction without a text.
const COMPACTION: &str = "Summary of the conversation so far.";
/// The units of the length of a generated text.
const LENGTH: &str = "a text in quotes, or its length, such as `2k chars` or `500 tokens`";

impl<'a> Checker<'_, 'a> {
    /// One line of a conversation, after its first word.
    pub(super) fn line(&mut self, word: &str, run: &mut Run<'a>) -> Option<ScriptLine> {
        let kind = match word {
            "system" => ScriptLineKind::System(self.filling(word, run)?),
            "user" => ScriptLineKind::User(self.filling(word, run)?),
            "assistant" => ScriptLineKind::Assistant(self.filling(word, run)?),
            "thinking" => ScriptLineKind::Thinking(self.filling(word, run)?),
            "compaction" => ScriptLineKind::Compaction(self.filling_or(word, run, COMPACTION)?),
            "call" => ScriptLineKind::Calls(self.calls(run)?),
            _ => self.result(word, run)?,
        };
        let place = run.place();
        let times = run.times().unwrap_or(1);
        let long = match &kind {
            ScriptLineKind::System(filling)
            | ScriptLineKind::User(filling)
            | ScriptLineKind::Assistant(filling)
            | ScriptLineKind::Thinking(filling)
            | ScriptLineKind::Compaction(filling)
            | ScriptLineKind::Result { filling, .. } => length(filling),
            ScriptLineKind::Calls(_) => 100,
        };
        if times == 0 || times.saturating_mul(long.max(100)) > MAX_CHARS {
            let why = if times == 0 { "a line cannot be repeated 0 times" } else { "this is more than 50M characters" };
            return self.fail(error::test::series(place, why, "write a smaller number, or `x2` or more"));
        }
        Some(ScriptLine { kind, times })
    }

    fn filling(&mut self, who: &str, run: &mut Run<'a>) -> Option<TextSpec> {
        if let Some(text) = run.text() {
            return Some(TextSpec::Text(text.value.clone()));
        }
        match run.peek().map(|term| &term.kind) {
            Some(TermKind::Number(_)) => {}
            Some(TermKind::Word(word)) if !matches!(self.scope.constant(word), Named::Undefined) => {}
            _ => return self.wants(run, who, LENGTH),
        }
        let (constant, span) = self.constant_in(run)?;
        if let crate::check::constant::Constant::Text(text) = constant {
            return Some(TextSpec::Text(text.value.clone()));
        }
        let who = format!("`{who}`");
        let quantity = self.fit(constant, &[Unit::Chars, Unit::Tokens], &Wanted::new(&who), span, None)?;
        Some(match quantity.unit {
            Unit::Chars => TextSpec::Chars(Quantity::to_u64(quantity)),
            _ => TextSpec::Tokens(Quantity::to_u64(quantity)),
        })
    }

    /// A text that may be left out.
    fn filling_or(&mut self, who: &str, run: &mut Run<'a>, default: &str) -> Option<TextSpec> {
        if run.peek().is_none() || is_times(run) {
            return Some(TextSpec::Text(default.to_owned()));
        }
        self.filling(who, run)
    }

    /// `bash "ls", edit_file` or `bash("ls")`: the calls of one reply.
    fn calls(&mut self, run: &mut Run<'a>) -> Option<Vec<ScriptedCall>> {
        let mut calls = Vec::new();
        while calls.is_empty() || (run.peek().is_some() && !is_times(run)) {
            if let Some(before) = calls.last()
                && !run.is_behind_comma()
            {
                return self.fail(error::test::no_comma(run.place(), before));
            }
            calls.push(self.called(run)?);
        }
        Some(calls)
    }

    fn called(&mut self, run: &mut Run<'a>) -> Option<ScriptedCall> {
        const TAKES: &str = "a tool and its arguments in quotes, such as `bash \"ls\"`";
        if let Some((tool, expr)) = run.peek().and_then(run::call) {
            let ExprKind::Call(_, arguments) = &expr.kind else { return None };
            let [argument] = arguments.as_slice() else { return self.wants(run, "call", TAKES) };
            let ExprKind::Text(text) = &argument.value.kind else { return self.wants(run, "call", TAKES) };
            run.bump();
            return Some(ScriptedCall { tool: tool.into(), arguments: Some(text.value.clone()) });
        }
        let Some(tool) = run.name() else { return self.wants(run, "call", TAKES) };
        let arguments = run.text().map(|text| text.value.clone());
        Some(ScriptedCall { tool: tool.into(), arguments })
    }

    /// `result of bash 40k chars`, `result "text"`, `failure of edit`, `failure of edit "message"`
    fn result(&mut self, word: &str, run: &mut Run<'a>) -> Option<ScriptLineKind> {
        let is_error = word == "failure";
        let of = if run.take("of") { Some(self.tool_of(run)?) } else { None };
        let filling = if is_error { self.filling_or(word, run, FAILURE)? } else { self.filling(word, run)? };
        Some(ScriptLineKind::Result { of, filling, is_error })
    }

    /// A tool, and in parentheses its arguments.
    fn tool_of(&mut self, run: &mut Run<'a>) -> Option<ScriptedCall> {
        if run.peek().and_then(run::call).is_some() {
            return self.called(run);
        }
        match run.name() {
            Some(tool) => Some(ScriptedCall { tool: tool.into(), arguments: None }),
            None => self.wants(run, "of", "a tool, such as `bash` or `bash(\"ls\")`"),
        }
    }
}

/// Whether `x5` comes next.
fn is_times(run: &Run<'_>) -> bool {
    let mut ahead = *run;
    ahead.times().is_some()
}

/// Characters of a text, roughly.
fn length(filling: &TextSpec) -> u64 {
    match filling {
        TextSpec::Text(text) => u64::try_from(text.len()).unwrap_or(u64::MAX),
        TextSpec::Chars(chars) => *chars,
        TextSpec::Tokens(tokens) => tokens.saturating_mul(5),
    }
}
