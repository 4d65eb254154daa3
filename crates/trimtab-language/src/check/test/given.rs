//! Checks `given` statements. The modules `series` and `talk` check facts and conversations.

use smol_str::SmolStr;
use trimtab_base::quantity::Unit;
use trimtab_base::source::Spanned;
use trimtab_syntax::syntax::tree::{Statement, TermKind};

use super::run::{self, Run};
use super::{Checker, Places, TestInput};
use crate::check::error::{self, Wanted};
use crate::check::test_case::Summary;

/// Words of a setting, each at most once in a test.
const SETTINGS: [&str; 8] = ["policy", "iterations", "window", "model", "tools", "summary", "declined", "transcript"];
/// Words of a conversation.
pub(super) const LINES: [&str; 8] =
    ["system", "user", "assistant", "thinking", "call", "result", "failure", "compaction"];
/// The maximum number of iterations of a test.
const MAX_ITERATIONS: u64 = 10_000;

impl<'a> Checker<'_, 'a> {
    /// Checks one `given`.
    pub(super) fn given(&mut self, statement: &'a Statement, given: &mut TestInput, places: &mut Places) {
        let mut run = Run::of(statement);
        let Some(first) = run.peek() else { return };
        let word = run::word(first).or_else(|| run::call(first).map(|(name, _)| name));
        let Some(word) = word else {
            self.report(error::test::takes(
                first.span,
                "given",
                "a fact, or a keyword such as `user` or `window`",
                "neither",
            ));
            return;
        };
        if let Some(setting) = SETTINGS.iter().find(|setting| **setting == word) {
            run.bump();
            if let Some(first) = places.find(setting) {
                self.report(error::test::duplicate(statement.span, first, format!("`{setting}` is given twice")));
            }
            places.given.push((setting, statement.span));
            self.setting(setting, &mut run, given);
            if let Some(term) = run.peek().filter(|_| run.is_behind_comma() && !self.has_finding_in(&run)) {
                self.report(error::test::one_value(term.span, setting));
            }
        } else if LINES.contains(&word) {
            run.bump();
            places.given.push(("conversation", statement.span));
            given.lines.extend(self.line(word, &mut run));
        } else if crate::fact::is_fact_name(word) {
            self.series(&mut run, given);
        } else {
            let words = [&SETTINGS[..], &LINES].concat();
            self.report(error::test::unknown_given(first.span, word, &words));
            return;
        }
        self.end(&run);
    }

    /// Reports the remaining terms of a statement, unless it already has an error.
    pub(super) fn end(&mut self, run: &Run<'a>) {
        if let Some(term) = run.peek().filter(|_| !self.has_finding_in(run)) {
            self.report(error::test::left_over(term.span));
        }
    }

    fn has_finding_in(&self, run: &Run<'a>) -> bool {
        let is_inside = |at: trimtab_base::source::Span| run.whole().start <= at.start && at.end <= run.whole().end;
        self.findings.iter().any(|finding| is_inside(finding.primary.span))
    }

    fn setting(&mut self, setting: &str, run: &mut Run<'a>, given: &mut TestInput) {
        match setting {
            "policy" => drop(self.name_after_keyword(setting, run)),
            "iterations" => given.iterations = self.iterations(run),
            "window" => given.window = self.window(run),
            "model" => given.model = self.name_after_keyword(setting, run),
            "tools" => given.tools = self.tools_after_keyword(run),
            "declined" => given.declined = self.declined(run),
            "summary" => given.summaries = self.summaries(run),
            _ => {
                let text = run.text().map(|text| Spanned::new(text.value.clone(), text.span));
                given.transcript = text.or_else(|| self.wants(run, setting, "the path of a recording in quotes"));
            }
        }
    }

    /// Reports a missing term.
    pub(super) fn wants<T>(&mut self, run: &Run<'a>, who: &str, takes: &str) -> Option<T> {
        let here = if run.peek().is_some() { "something else" } else { "nothing after it" };
        self.fail(error::test::takes(run.place(), who, takes, here))
    }

    fn name_after_keyword(&mut self, who: &str, run: &mut Run<'a>) -> Option<SmolStr> {
        run.name().map(SmolStr::new).or_else(|| self.wants(run, who, "a name"))
    }

    fn iterations(&mut self, run: &mut Run<'a>) -> Option<u64> {
        const TAKES: &str = "a whole number from 1 to 10,000";
        let place = *run;
        match run.count() {
            Some(count) if (1..=MAX_ITERATIONS).contains(&count) => Some(count),
            _ => self.wants(&place, "iterations", TAKES),
        }
    }

    /// `fails x2, "TEXT"`: one answer of the summariser for each request.
    fn summaries(&mut self, run: &mut Run<'a>) -> Vec<Summary> {
        let mut all = Vec::new();
        loop {
            let place = run.place();
            if run.take("fails") {
                all.push(Summary::Fails);
            } else if let Some(text) = run.text() {
                all.push(Summary::Text(text.value.as_str().into()));
            } else if let Some(times) = run.times() {
                self.repeat(times, place, &mut all);
            } else {
                if run.peek().is_some() || all.is_empty() {
                    let _: Option<()> = self.wants(run, "summary", "a text in quotes, or `fails`");
                }
                return all;
            }
        }
    }

    /// Nothing or `x2`: how many questions are declined.
    fn declined(&mut self, run: &mut Run<'a>) -> u64 {
        let place = run.place();
        match run.times() {
            Some(0) => {
                let why = "a question cannot be declined 0 times";
                self.report(error::test::series(place, why, "write `x1` or more, or leave out `given declined`"));
                0
            }
            times => times.unwrap_or(u64::MAX),
        }
    }

    fn window(&mut self, run: &mut Run<'a>) -> Option<u64> {
        if run.peek().is_none() {
            return self.wants(run, "window", "a number of tokens, such as `200k tokens`");
        }
        let (constant, span) = self.constant_in(run)?;
        let window = self.fit(constant, &[Unit::Tokens], &Wanted::new(&"`window`"), span, None)?.to_u64();
        if window == 0 { self.fail(error::unit::too_small(span, "`window`", Unit::Tokens)) } else { Some(window) }
    }

    fn tools_after_keyword(&mut self, run: &mut Run<'a>) -> Option<Vec<SmolStr>> {
        let Some(TermKind::List(terms)) = run.peek().map(|term| &term.kind) else {
            return self.wants(run, "tools", "a list, such as `[bash, read_file]`");
        };
        run.bump();
        self.names(terms)
    }

    /// Reports inputs that contradict each other.
    pub(super) fn check_contradictions(&mut self, given: &TestInput, places: &Places) {
        let talk = places.find("conversation").or_else(|| places.find("transcript"));
        if let (Some(first_span), Some(other)) = (places.find("conversation"), places.find("transcript")) {
            let message = "a test cannot have both a recording and a conversation";
            let (first, second) =
                if first_span.start < other.start { (first_span, other) } else { (other, first_span) };
            self.report(error::test::duplicate(second, first, message));
        }
        if let (Some(talk), Some(iterations)) = (talk, places.find("iterations")) {
            let message = "the conversation determines the number of iterations";
            self.report(error::test::duplicate(iterations, talk, message));
        }
        if let (Some(count), Some(place)) = (given.iterations, places.find("iterations")) {
            for series in &given.series {
                if series.values.len() > usize::try_from(count).unwrap_or(usize::MAX) {
                    self.report(error::test::too_long(series.span, series.values.len(), count, place));
                }
            }
        }
    }
}
