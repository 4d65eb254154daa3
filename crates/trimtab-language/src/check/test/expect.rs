//! `expect`: rules, contexts, facts, totals, stops, invariants.

use smol_str::SmolStr;
use trimtab_base::quantity::{Type, Value};
use trimtab_syntax::syntax::tree::{Statement, TermKind};

use super::Checker;
use super::run::{self, Run};
use crate::check::error::{self, Wanted};
use crate::check::policy::{Comparison, Test};
use crate::check::test_case::{
    ContextSelector, ExpectationKind, FactSample, Frequency, RuleOutcome, TOTALS, TextPattern, Total, TotalClaim,
};

/// The verbs for the outcomes of a rule.
const OUTCOMES: [&str; 12] =
    ["fires", "due", "idle", "blocked", OLD_BLOCKED, "fails", "declined", "never", "first", "last", "only", "not"];
/// An older spelling of `blocked`, which stays valid.
const OLD_BLOCKED: &str = "held";
/// Words that an expectation can begin with, beside rules, facts and totals.
const SUBJECTS: [&str; 11] =
    ["peak", "mean", "least", "final", "context", "request", "every", "any", "stops", "invariants", OVER_ALL];
/// The word before a total that is the sum over all recordings.
const OVER_ALL: &str = "total";
/// The terms after `context`, for messages.
const CONTAINS: &str = "`contains \"text\"`, `not contains \"text\"` or `contains \"a\" before \"b\"`";

impl<'a> Checker<'_, 'a> {
    /// Checks one `expect`. Rules are none when they are not known.
    pub(super) fn expectation(
        &mut self,
        statement: &'a Statement,
        rules: Option<&[SmolStr]>,
    ) -> Option<ExpectationKind> {
        let mut run = Run::of(statement);
        let claim = self.claim(&mut run, rules);
        if claim.is_some() {
            self.end(&run);
        }
        claim
    }

    fn claim(&mut self, run: &mut Run<'a>, rules: Option<&[SmolStr]>) -> Option<ExpectationKind> {
        let first = run.peek()?;
        let Some(word) = run::word(first) else {
            return if run::call(first).is_some() {
                self.fact_claim(None, run, rules)
            } else {
                self.fail(error::test::takes(first.span, "expect", "a rule, a fact or a total", "none of them"))
            };
        };
        let total = run.second().and_then(run::word).and_then(find_total);
        if let (OVER_ALL, Some(total)) = (word, total) {
            run.bump();
            run.bump();
            return self.total(total, true, run);
        }
        let is_rule = rules.is_some_and(|rules| rules.iter().any(|rule| rule == word));
        let is_outcome = run.second().and_then(run::word).is_some_and(|word| OUTCOMES.contains(&word));
        if is_rule || (rules.is_none() && is_outcome && word != "never") {
            run.bump();
            return self.outcome(word, run).map(|(came, times)| ExpectationKind::Rule(word.into(), came, times));
        }
        match word {
            "peak" => self.part(FactSample::Peak, run, rules),
            "least" => self.part(FactSample::Least, run, rules),
            "mean" => self.part(FactSample::Mean, run, rules),
            "final" => self.part(FactSample::Final, run, rules),
            "context" | "request" => self.contexts(ContextSelector::Final, run),
            "every" | "any" => {
                run.bump();
                let which = if word == "every" { ContextSelector::Every } else { ContextSelector::Any };
                if matches!(run.word(), Some("context" | "request")) {
                    self.contexts(which, run)
                } else {
                    self.wants(run, word, "`context` after it")
                }
            }
            "stops" => self.stops(false, run),
            "never" if run.second().and_then(run::word) == Some("stops") => {
                run.bump();
                self.stops(true, run)
            }
            "invariants" => {
                run.bump();
                if run.take("hold") {
                    Some(ExpectationKind::Invariants)
                } else {
                    self.wants(run, word, "`hold` after it")
                }
            }
            OVER_ALL => {
                run.bump();
                self.wants(run, word, "a total after it, such as `tokens_saved > 0 tokens`")
            }
            _ => self.total_or_fact(word, run, rules),
        }
    }

    /// A total, a fact, or a name that is neither.
    fn total_or_fact(
        &mut self,
        word: &'a str,
        run: &mut Run<'a>,
        rules: Option<&[SmolStr]>,
    ) -> Option<ExpectationKind> {
        let place = run.place();
        if let Some(total) = find_total(word) {
            run.bump();
            return self.total(total, false, run);
        }
        if crate::fact::is_fact_name(word) {
            return self.fact_claim(None, run, rules);
        }
        let names = || rules.unwrap_or_default().iter().map(SmolStr::as_str);
        if run.has_any(&OUTCOMES) {
            return self.fail(error::name::unknown_rule(place, word, names()));
        }
        self.fail(error::test::unknown_expect(place, word, &SUBJECTS, names()))
    }

    /// `first fires at 2`, `never fires`, `fires at least 3 times`, `due at 3`
    fn outcome(&mut self, rule: &str, run: &mut Run<'a>) -> Option<(RuleOutcome, Frequency)> {
        let how = run.word().filter(|word| matches!(*word, "never" | "first" | "last" | "only" | "not"));
        if how.is_some() {
            run.bump();
        }
        let place = run.place();
        let words: Vec<&str> = RuleOutcome::ALL.iter().map(|(_, word)| *word).collect();
        let Some(word) = run.word() else {
            return self.wants(run, rule, "`fires`, `due`, `idle`, `blocked`, `fails` or `declined`");
        };
        let spelling = if word == OLD_BLOCKED { "blocked" } else { word };
        let Some((came, _)) = RuleOutcome::ALL.into_iter().find(|(_, other)| *other == spelling) else {
            return self.fail(error::test::unknown_outcome(place, word, rule, &words));
        };
        run.bump();
        Some((came, self.how_often(how, word, run)?))
    }

    /// The calls or the frequency after a verb; `how` is the word before it.
    fn how_often(&mut self, how: Option<&str>, verb: &str, run: &mut Run<'a>) -> Option<Frequency> {
        let how = if how.is_none() && run.take("only") { Some("only") } else { how };
        let bound = match (run.word(), run.second().and_then(run::word)) {
            (Some("at"), Some("least")) => Some(Comparison::AtLeast),
            (Some("at"), Some("most")) => Some(Comparison::AtMost),
            _ => None,
        };
        if let Some(bound) = bound {
            run.bump();
            run.bump();
            return self.counted(bound, verb, run);
        }
        if how == Some("never") {
            return Some(Frequency::Never);
        }
        if run.word() == Some("at") {
            return self.at(how, verb, run);
        }
        match (how, run.peek()) {
            (None, None) => Some(Frequency::Ever),
            (Some("not"), None) => Some(Frequency::Never),
            (None, Some(term)) if matches!(term.kind, TermKind::Number(_)) => {
                self.counted(Comparison::Equal, verb, run)
            }
            (Some(_), _) => self.wants(run, verb, "`at` and a number, such as `at 2`"),
            (None, _) => self.wants(run, verb, "`at 2`, `3 times`, or nothing after it"),
        }
    }

    fn at(&mut self, how: Option<&str>, verb: &str, run: &mut Run<'a>) -> Option<Frequency> {
        let at = self.places(verb, run)?;
        Some(match (how, at.as_slice()) {
            (Some("first"), [call]) => Frequency::FirstAt(*call),
            (Some("last"), [call]) => Frequency::LastAt(*call),
            (Some("first" | "last"), _) => {
                return self.fail(error::test::takes(run.last(), "at", "one number", "several"));
            }
            (Some("only"), _) => Frequency::OnlyAt(at),
            (Some("not"), _) => Frequency::NotAt(at),
            _ => Frequency::At(at),
        })
    }

    /// `at 2, 5`
    fn places(&mut self, who: &str, run: &mut Run<'a>) -> Option<Vec<u64>> {
        run.bump();
        let mut at = Vec::new();
        while let Some(call) = run.count() {
            at.push(call);
        }
        if at.is_empty() {
            return self.wants(run, who, "the number of a call after `at`, counted from 0");
        }
        at.sort_unstable();
        at.dedup();
        Some(at)
    }

    /// `3 times`
    fn counted(&mut self, bound: Comparison, verb: &str, run: &mut Run<'a>) -> Option<Frequency> {
        match run.count() {
            Some(count) if run.take("times") || (count == 1 && run.take("time")) => {
                Some(Frequency::Count(bound, count))
            }
            _ => self.wants(run, verb, "a whole number and `times`, such as `3 times`"),
        }
    }

    fn stops(&mut self, never: bool, run: &mut Run<'a>) -> Option<ExpectationKind> {
        run.bump();
        self.how_often(never.then_some("never"), "stops", run).map(ExpectationKind::Stops)
    }

    /// A prefix such as `peak`, before a fact or, for `final`, a context.
    fn part(&mut self, part: FactSample, run: &mut Run<'a>, rules: Option<&[SmolStr]>) -> Option<ExpectationKind> {
        run.bump();
        match run.word() {
            Some("context" | "request") if part == FactSample::Final => self.contexts(ContextSelector::Final, run),
            _ => self.fact_claim(Some(part), run, rules),
        }
    }

    /// `context at 4 contains "a" before "b"`
    fn contexts(&mut self, which: ContextSelector, run: &mut Run<'a>) -> Option<ExpectationKind> {
        run.bump();
        let which = match which {
            ContextSelector::Final if run.word() == Some("at") => ContextSelector::At(self.places("context", run)?),
            which => which,
        };
        let present = !run.take("not");
        if !run.take("contains") {
            return self.wants(run, "context", CONTAINS);
        }
        let mut texts = Vec::new();
        loop {
            let Some(text) = run.text().filter(|text| !text.value.is_empty()) else {
                return self.wants(run, "contains", "a text in quotes");
            };
            texts.push(text.value.clone());
            if !run.take("before") {
                return Some(ExpectationKind::Context(which, TextPattern { texts, present }));
            }
        }
    }

    fn total(&mut self, total: &'static Total, is_over_all: bool, run: &mut Run<'a>) -> Option<ExpectationKind> {
        let comparison = self.comparison_operator(total.word, run)?;
        let (constant, span) = self.constant_in(run)?;
        let who = format!("`{}`", total.word);
        let amount = self.fit(constant, &[total.unit], &Wanted::new(&who), span, None)?.amount;
        Some(ExpectationKind::Total(TotalClaim { total, comparison, amount, is_over_all }))
    }

    fn comparison_operator(&mut self, who: &str, run: &mut Run<'a>) -> Option<Comparison> {
        if let Some(TermKind::Comparison(comparison)) = run.peek().map(|term| &term.kind)
            && run.second().is_some()
        {
            run.bump();
            return Some(*comparison);
        }
        self.wants(run, who, &format!("a comparison, such as `{}`", sample(who)))
    }

    /// A fact, which of its values, and what it is compared with.
    fn fact_claim(
        &mut self,
        part: Option<FactSample>,
        run: &mut Run<'a>,
        rules: Option<&[SmolStr]>,
    ) -> Option<ExpectationKind> {
        let place = run.place();
        let is_fact = run.peek().is_some_and(|term| {
            let name = run::word(term).or_else(|| run::call(term).map(|(name, _)| name));
            name.is_some_and(crate::fact::is_fact_name)
        });
        if !is_fact {
            let word = run.word().unwrap_or_default();
            let suggestion = crate::fact::nearest(word).map(|fact| fact.name);
            return self.fail(error::name::unknown_value(place, word, suggestion));
        }
        let reading = self.fact_in(run)?;
        for (parameter, value) in reading.fact.parameters.iter().zip(&reading.arguments) {
            if let (crate::fact::ParameterKind::Rule, Value::Text(name), Some(rules)) = (parameter.kind, value, rules)
                && !rules.contains(name)
            {
                let names = rules.iter().map(SmolStr::as_str);
                return self.fail(error::name::unknown_rule(place, name, names));
            }
        }
        let fact = reading.fact;
        let part = match part {
            None if run.word() == Some("at") => FactSample::At(self.places(&reading.name(), run)?),
            None => return self.fail(error::test::which_value(place, &reading.name())),
            Some(part) => part,
        };
        let operator_place = run.place();
        let comparison = self.comparison_operator(&reading.name(), run)?;
        let is_number = matches!(fact.ty, Type::Number(_));
        let needs_order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
        if !is_number && (needs_order || !matches!(part, FactSample::Final | FactSample::At(_))) {
            return self.fail(error::test::no_order(if needs_order { operator_place } else { place }, &reading));
        }
        let (constant, span) = self.constant_in(run)?;
        let before = self.findings.len();
        let related = self.compared(&reading, comparison, constant, span, None);
        error::describe(&mut self.findings[before..], &reading, place);
        let (reading, relation) = related?;
        Some(ExpectationKind::Fact(part, Test { reading, relation, span: run.whole() }))
    }
}

fn find_total(word: &str) -> Option<&'static Total> {
    TOTALS.iter().find(|total| total.word == word)
}

/// A comparison that fits what is compared.
fn sample(who: &str) -> &'static str {
    match who {
        "summaries" | "injections" | "edits" | "notices" | "calls" | "runs" => "== 2",
        "tokens_saved" => ">= 20k tokens",
        "cost_saved" => "> $0",
        _ => "<= 90%",
    }
}
