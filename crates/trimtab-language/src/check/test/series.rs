//! Series of a fact: values, ranges, repeats.

use trimtab_base::quantity::{Decimal, Type, Unit, Value};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Term, TermKind};

use super::run::{self, Run};
use super::{Checker, TestInput};
use crate::check::checker::Reference;
use crate::check::constant::Constant;
use crate::check::error::{self, Wanted};
use crate::check::list::unit_word;
use crate::check::policy::Reading;
use crate::check::scope::Named;
use crate::check::test_case::Series;
use crate::fact::Fact;

/// The most values of a series.
const MAX_VALUES: usize = 10_000;

const TOO_LONG: &str = "the series is too long";

impl<'a> Checker<'_, 'a> {
    /// `context.ratio 40%, 55% x3, 60%..90% by 5%`
    pub(super) fn series(&mut self, run: &mut Run<'a>, given: &mut TestInput) {
        let start = run.place();
        let Some(reading) = self.fact_in(run) else { return };
        let fact = reading.fact;
        if fact.is_counted_by_tests() {
            self.report(error::test::counted(reading.span, fact));
            return;
        }
        for other in &given.series {
            let message = if other.reading == reading {
                format!("`{}` is given twice", reading.name())
            } else if fact.follows_from(other.reading.fact) {
                format!("`{}` follows from `{}`", reading.name(), other.reading.name())
            } else {
                continue;
            };
            self.report(error::test::duplicate(start, other.reading.span, message));
            break;
        }
        let mut values = Vec::new();
        if run.peek().is_none() {
            let takes = format!("one value for each iteration, such as `{}`", sample(fact));
            self.report(error::test::takes(reading.span, &reading.name(), &takes, "no value"));
        }
        let mut goes_on = true;
        while goes_on && run.peek().is_some() {
            let is_value = matches!(run.peek().map(|term| &term.kind), Some(TermKind::Number(_) | TermKind::Text(_)));
            let found = self.findings.len();
            let place = run.place();
            self.values(run, &reading, &mut values);
            goes_on = is_value || self.findings.len() == found;
            if values.len() > MAX_VALUES {
                if self.findings.len() == found {
                    self.report(error::test::series(place, TOO_LONG, "a series has at most 10,000 values"));
                }
                goes_on = false;
            }
        }
        if !values.is_empty() {
            given.series.push(Series { span: run.whole(), reading, values });
        }
    }

    /// The fact that a run begins with.
    pub(super) fn fact_in(&mut self, run: &mut Run<'a>) -> Option<Reading> {
        let term = run.bump()?;
        match &term.kind {
            TermKind::Word(word) => match self.resolve(word, term.span)? {
                Reference::Fact(fact) => self.bare(fact, term.span),
                Reference::Host(reading) => Some(reading),
                Reference::Let(_) => None,
            },
            TermKind::Call(call) => self.reading(call),
            _ => None,
        }
    }

    /// One value, a range, or a repeat of the last value.
    fn values(&mut self, run: &mut Run<'a>, reading: &Reading, values: &mut Vec<Option<Value>>) {
        let (fact, place) = (reading.fact, run.place());
        if let Some(times) = run.times() {
            self.repeat(times, place, values);
        } else if run.word() == Some("unknown") {
            run.bump();
            if !fact.is_optional() {
                self.report(error::test::never_unknown(place, reading));
            }
            values.push(None);
        } else if let Some(TermKind::Range(from, to, step)) = run.peek().map(|term| &term.kind) {
            run.bump();
            let (first, found) = (values.len(), self.findings.len());
            self.range(run, reading, (from, to, step.as_deref()), values);
            for value in values[first..].iter().flatten() {
                if self.findings.len() == found {
                    self.is_possible(reading, value, place);
                }
            }
        } else {
            // An invalid value keeps its position.
            let value = self.value_in(run, reading);
            if let Some(value) = &value {
                self.is_possible(reading, value, place);
            }
            values.push(value);
        }
    }

    /// `x5`: repeats the last value, up to one more than there may be.
    pub(super) fn repeat<T: Clone>(&mut self, times: u64, place: Span, values: &mut Vec<T>) {
        let times = usize::try_from(times).unwrap_or(usize::MAX);
        match values.last().cloned() {
            None => self.report(error::test::series(place, "there is no value to repeat", "write a value before it")),
            Some(last) if (1..=MAX_VALUES).contains(&times) => {
                let room = (MAX_VALUES + 1).saturating_sub(values.len());
                values.extend(std::iter::repeat_n(last, room.min(times - 1)));
                if (1..times).contains(&room) {
                    self.report(error::test::series(place, TOO_LONG, "a series has at most 10,000 values"));
                }
            }
            Some(_) => {
                let why = "a value can be repeated 1 to 10,000 times";
                self.report(error::test::series(place, why, "write `x2` or more"));
            }
        }
    }

    /// One value of a fact; a bare word is a text.
    fn value_in(&mut self, run: &mut Run<'a>, reading: &Reading) -> Option<Value> {
        if let Some(word) = run.word()
            && matches!(reading.fact.ty, Type::Text | Type::Name)
            && !self.scope.has_let(word)
        {
            run.bump();
            return Some(Value::Text(word.into()));
        }
        let (constant, span) = self.constant_in(run)?;
        self.value_at(reading, constant, span, None)
    }

    /// A constant in a run: a number with its unit, a text, a truth, a let.
    pub(super) fn constant_in(&mut self, run: &mut Run<'a>) -> Option<(Constant<'a>, Span)> {
        let term = run.bump()?;
        let constant = match &term.kind {
            TermKind::Number(number) => {
                let is_unit = |word: &str| word.strip_prefix('x').is_none_or(|rest| rest.parse::<u64>().is_err());
                let unit = unit_word(*number, run.peek(), is_unit);
                let span = unit.as_ref().map_or(term.span, |unit| term.span.to(unit.span));
                if unit.is_some() {
                    run.bump();
                }
                return self.number(*number, unit.as_ref(), span).map(|constant| (constant, span));
            }
            TermKind::Text(text) => Some(Constant::Text(text)),
            TermKind::Word(word) if word == "true" || word == "false" => Some(Constant::Bool(word == "true")),
            TermKind::Word(word) if !matches!(self.scope.constant(word), Named::Undefined) => {
                self.scope.constant(word).defined()
            }
            TermKind::Word(word) => {
                let suggestion = self.scope.let_names();
                let suggestion =
                    trimtab_base::diagnostic::nearest(word, suggestion.chain(["true", "false", "unknown"]));
                self.fail(error::name::unknown_value(term.span, word, suggestion))
            }
            _ => self.fail(error::test::series(term.span, "this is not a value", "write a number, a text, or `true`")),
        };
        constant.map(|constant| (constant, term.span))
    }

    /// `40%..95% by 5%`, both ends included where a step hits them; a unit after it applies to all its numbers.
    fn range(
        &mut self,
        run: &mut Run<'a>,
        reading: &Reading,
        (from, to, step): (&'a Term, &'a Term, Option<&'a Term>),
        values: &mut Vec<Option<Value>>,
    ) {
        let unit = run.peek().filter(|term| run::word(term).is_some_and(|word| Unit::from_word(word).is_some()));
        if unit.is_some() {
            run.bump();
        }
        let Type::Number(kind) = reading.fact.ty else {
            return self.report(error::test::series(
                from.span,
                format!("`{}` is {}, which has no range", reading.name(), reading.fact.ty),
                "write the values one by one",
            ));
        };
        let Some(from) = self.bound(reading, from, unit) else { return };
        let Some(end) = self.bound(reading, to, unit) else { return };
        let step = match step {
            Some(step) => {
                let who = format!("the step of `{}`", reading.name());
                let Some(amount) = self.amount_of(step, unit, kind, &who) else { return };
                if amount <= Decimal::ZERO {
                    return self.report(error::test::series(
                        step.span,
                        "the step must be above 0",
                        format!("write a step such as `by {}`", if kind == Unit::Share { "5%" } else { kind.sample() }),
                    ));
                }
                amount
            }
            None if kind.is_counted() => Decimal::ONE,
            None => {
                return self.report(error::test::series(
                    to.span,
                    "this range has no step",
                    "write the step after it: `by …`",
                ));
            }
        };
        let mut now = from;
        // The caller reports a series that is too long.
        while values.len() <= MAX_VALUES && ((from <= end && now <= end) || (from > end && now >= end)) {
            values.push(Some(Value::Number(now)));
            let next = if from <= end { now.checked_add(step) } else { now.checked_sub(step) };
            let Some(next) = next else { return };
            now = next;
        }
    }

    /// An end of a range as a value of the fact.
    fn bound(&mut self, reading: &Reading, term: &'a Term, unit: Option<&'a Term>) -> Option<Decimal> {
        let constant = self.with_unit(term, unit)?;
        match self.value_at(reading, constant, term.span, None)? {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    fn amount_of(&mut self, term: &'a Term, unit: Option<&'a Term>, kind: Unit, who: &str) -> Option<Decimal> {
        let constant = self.with_unit(term, unit)?;
        self.fit(constant, &[kind], &Wanted::new(&who), term.span, None).map(|quantity| quantity.amount)
    }

    fn with_unit(&mut self, term: &'a Term, unit: Option<&'a Term>) -> Option<Constant<'a>> {
        let TermKind::Number(number) = &term.kind else { return None };
        let unit = unit_word(*number, unit, |_| true);
        self.number(*number, unit.as_ref(), term.span)
    }
}

/// A value of a fact as an author writes it.
fn sample(fact: &Fact) -> &'static str {
    match fact.ty {
        Type::Number(unit) => unit.sample(),
        Type::Bool => "true",
        _ => "\"a\"",
    }
}
