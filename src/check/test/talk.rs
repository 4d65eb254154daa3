//! Lines of a conversation: who says what, how long, how often.

use super::Checker;
use super::run::{self, Run};
use crate::check::case::{Called, Filling, Line, LineKind};
use crate::check::error::{self, Wanted};
use crate::check::scope::Named;
use crate::quantity::{Quantity, Unit};
use crate::syntax::tree::{ExprKind, TermKind};

/// The most characters of all repeats of a line.
const MOST: u64 = 50_000_000;
/// How long a text may be, in words.
const LENGTH: &str = "a text in quotes, or its length, such as `2k chars` or `500 tokens`";

impl<'a> Checker<'_, 'a> {
    /// One line of a conversation, behind its first word.
    pub(super) fn line(&mut self, word: &str, run: &mut Run<'a>) -> Option<Line> {
        let kind = match word {
            "system" => LineKind::System(self.filling(word, run)?),
            "user" => LineKind::User(self.filling(word, run)?),
            "assistant" => LineKind::Assistant(self.filling(word, run)?),
            "thinking" => LineKind::Thinking(self.filling(word, run)?),
            "call" => LineKind::Calls(self.calls(run)?),
            _ => self.result(word, run)?,
        };
        let place = run.place();
        let times = run.times().unwrap_or(1);
        let long = match &kind {
            LineKind::System(filling)
            | LineKind::User(filling)
            | LineKind::Assistant(filling)
            | LineKind::Thinking(filling)
            | LineKind::Result { filling, .. } => length(filling),
            LineKind::Calls(_) => 100,
        };
        if times == 0 || times.saturating_mul(long.max(100)) > MOST {
            let why = if times == 0 { "a line stands once at least" } else { "this is more than 50M characters" };
            return self.fail(error::test::series(place, why, "write a smaller number, or `x2` or more"));
        }
        Some(Line { kind, times, span: run.whole() })
    }

    fn filling(&mut self, who: &str, run: &mut Run<'a>) -> Option<Filling> {
        if let Some(text) = run.text() {
            return Some(Filling::Text(text.value.clone()));
        }
        match run.peek().map(|term| &term.kind) {
            Some(TermKind::Number(_)) => {}
            Some(TermKind::Word(word)) if !matches!(self.scope.constant(word), Named::Undefined) => {}
            _ => return self.wants(run, who, LENGTH),
        }
        let (constant, span) = self.constant_in(run)?;
        if let crate::check::constant::Constant::Text(text) = constant {
            return Some(Filling::Text(text.value.clone()));
        }
        let who = format!("`{who}`");
        let quantity = self.fit(constant, &[Unit::Chars, Unit::Tokens], &Wanted::new(&who), span, None)?;
        Some(match quantity.unit {
            Unit::Chars => Filling::Chars(Quantity::to_u64(quantity)),
            _ => Filling::Tokens(Quantity::to_u64(quantity)),
        })
    }

    /// `bash "ls", edit_file` or `bash("ls")`: the calls of one reply.
    fn calls(&mut self, run: &mut Run<'a>) -> Option<Vec<Called>> {
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

    fn called(&mut self, run: &mut Run<'a>) -> Option<Called> {
        const TAKES: &str = "a tool and its arguments in quotes, such as `bash \"ls\"`";
        if let Some((tool, expr)) = run.peek().and_then(run::call) {
            let ExprKind::Call(_, arguments) = &expr.kind else { return None };
            let [one] = arguments.as_slice() else { return self.wants(run, "call", TAKES) };
            let ExprKind::Text(text) = &one.value.kind else { return self.wants(run, "call", TAKES) };
            run.bump();
            return Some(Called { tool: tool.into(), arguments: Some(text.value.clone()) });
        }
        let Some(tool) = run.name() else { return self.wants(run, "call", TAKES) };
        let arguments = run.text().map(|text| text.value.clone());
        Some(Called { tool: tool.into(), arguments })
    }

    /// `result of bash 40k chars`, `result "text"`, `failure of edit`, `failure of edit "message"`
    fn result(&mut self, word: &str, run: &mut Run<'a>) -> Option<LineKind> {
        let is_error = word == "failure";
        let of = if run.take("of") { Some(self.tool_of(run)?) } else { None };
        let filling = match run.peek() {
            Some(_) if !is_times(run) => self.filling(word, run)?,
            _ if is_error => Filling::Text("Error: it failed".to_owned()),
            _ => return self.wants(run, word, LENGTH),
        };
        Some(LineKind::Result { of, filling, is_error })
    }

    /// A tool, and in parentheses its arguments.
    fn tool_of(&mut self, run: &mut Run<'a>) -> Option<Called> {
        if run.peek().and_then(run::call).is_some() {
            return self.called(run);
        }
        match run.name() {
            Some(tool) => Some(Called { tool: tool.into(), arguments: None }),
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
fn length(filling: &Filling) -> u64 {
    match filling {
        Filling::Text(text) => u64::try_from(text.len()).unwrap_or(u64::MAX),
        Filling::Chars(chars) => *chars,
        Filling::Tokens(tokens) => tokens.saturating_mul(5),
    }
}
