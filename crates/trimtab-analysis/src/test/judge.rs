//! Verdicts on expectations, from a trace.

use std::sync::Arc;

use trimtab_base::conversation::{Message, shorten};
use trimtab_base::quantity::{Decimal, Type, Unit, Value, share_of};
use trimtab_language::check::{
    ContextSelector, ExpectationKind, FactSample, Frequency, Operand, Reading, Relation, RuleOutcome, Test, TextPattern,
};
use trimtab_language::condition;
use trimtab_language::fact::{Fact, Facts};
use trimtab_run::run::{Explanation, RuleResult};
use trimtab_simulate::simulate::Trace;

use super::observer::{Context, ContextWatch, ExpectationResult, Observer, SHOWN, text};
use super::total;

/// The most characters of a message in a report.
const MAX_WIDTH: usize = 60;

impl Observer<'_> {
    /// The verdict on each expectation, in order.
    pub fn judge(&self, trace: &Trace) -> Vec<ExpectationResult> {
        let all = self.expected.iter().enumerate();
        all.map(|(at, expectation)| judge((at, &expectation.claim), trace, self)).collect()
    }
}

/// The verdict on a claim, which is that of the expectation at an index.
fn judge((at, claim): (usize, &ExpectationKind), trace: &Trace, observer: &Observer<'_>) -> ExpectationResult {
    let verdict = judge_claim((at, claim), trace, observer);
    // A claim about a call that does not exist is not met.
    let beyond = claim.calls().iter().find(|call| usize::try_from(**call).is_ok_and(|call| call >= trace.calls.len()));
    match beyond {
        Some(call) if verdict.is_met => call_not_made(*call, trace),
        _ => verdict,
    }
}

fn judge_claim((at, claim): (usize, &ExpectationKind), trace: &Trace, observer: &Observer<'_>) -> ExpectationResult {
    match claim {
        ExpectationKind::Rule(rule, outcome, times) => {
            compare_calls(times, &occasions(trace, rule, *outcome), trace.calls.len(), verb(*outcome))
        }
        ExpectationKind::Stops(times) => stops(times, trace),
        ExpectationKind::Context(which, pattern) => match observer.contexts(at) {
            Some(watch) => contexts(which, pattern, trace, watch),
            None => no_context(),
        },
        ExpectationKind::Fact(part, test) => fact(part, test, trace, observer),
        ExpectationKind::Total(claim) => total::verdict(claim, total::value(claim, trace)),
        ExpectationKind::Invariants => {
            let broken = trace.invariants.broken.first();
            let actual = broken.map_or_else(
                || format!("{} edits checked, no invariant broken", trace.invariants.checked),
                |(call, violation)| format!("at call {call}: {}", violation.message.0),
            );
            ExpectationResult { is_met: broken.is_none(), actual, at: broken.map(|(call, _)| *call) }
        }
    }
}

/// The explanation of the rule of a claim at a call, phase by phase.
pub(super) fn explain(claim: &ExpectationKind, trace: &Trace, at: usize) -> Vec<(&'static str, Explanation)> {
    let ExpectationKind::Rule(rule, ..) = claim else { return Vec::new() };
    let phases = trace.all_explained.get(at).map_or(&[][..], |call| call.phases.as_slice());
    let rules = phases.iter().flat_map(|(phase, rules)| rules.iter().map(move |rule| (*phase, rule)));
    rules
        .filter(|(_, explanation)| explanation.rule == *rule)
        .map(|(phase, explanation)| (phase, explanation.clone()))
        .collect()
}

/// The call of each occasion on which a rule has an outcome. A rule can fire several times at one call, once for each miss.
fn occasions(trace: &Trace, rule: &str, outcome: RuleOutcome) -> Vec<usize> {
    if outcome == RuleOutcome::Fires {
        // A rule whose summary failed has fired if another effect replaced it.
        let rule = trace.rules.iter().find(|result| result.name == rule);
        return rule.map(|rule| rule.calls.clone()).unwrap_or_default();
    }
    let is_it = |result: RuleResult| match outcome {
        RuleOutcome::Fires => result == RuleResult::Fired,
        RuleOutcome::Due => {
            matches!(result, RuleResult::Fired | RuleResult::Idle | RuleResult::Failed | RuleResult::Declined)
        }
        RuleOutcome::Idle => result == RuleResult::Idle,
        RuleOutcome::Blocked => result == RuleResult::Blocked,
        RuleOutcome::Fails => result == RuleResult::Failed,
        RuleOutcome::Declined => result == RuleResult::Declined,
    };
    let of = |call: &trimtab_simulate::simulate::CallExplanation| {
        let rules = call.phases.iter().flat_map(|(_, rules)| rules);
        let count = rules.filter(|explanation| explanation.rule == rule && is_it(explanation.result)).count();
        std::iter::repeat_n(call.call, count)
    };
    trace.all_explained.iter().flat_map(of).collect()
}

/// An outcome inside a sentence: `it … fires`, `it … is due`.
const fn verb(outcome: RuleOutcome) -> &'static str {
    match outcome {
        RuleOutcome::Fires => "fires",
        RuleOutcome::Due => "is due",
        RuleOutcome::Idle => "is idle",
        RuleOutcome::Blocked => "is blocked",
        RuleOutcome::Fails => "fails",
        RuleOutcome::Declined => "is declined",
    }
}

/// The calls of the occasions on which something happened against when it should have.
fn compare_calls(times: &Frequency, actual: &[usize], calls: usize, verb: &str) -> ExpectationResult {
    let has = |call: &u64| usize::try_from(*call).is_ok_and(|call| actual.contains(&call));
    let narrow = |call: u64| usize::try_from(call).unwrap_or(usize::MAX);
    let listed = |at: &[u64], call: usize| at.iter().any(|number| narrow(*number) == call);
    // The first call that contradicts the claim, if any does.
    let (is_met, at) = match times {
        Frequency::Ever => (!actual.is_empty(), calls.checked_sub(1)),
        Frequency::Never => (actual.is_empty(), actual.first().copied()),
        Frequency::At(at) => contradicted_at(at.iter().find(|call| !has(call)).map(|call| narrow(*call))),
        Frequency::NotAt(at) => contradicted_at(at.iter().find(|call| has(call)).map(|call| narrow(*call))),
        Frequency::OnlyAt(at) => {
            let missing = at.iter().find(|call| !has(call)).map(|call| narrow(*call));
            contradicted_at(missing.or_else(|| actual.iter().copied().find(|call| !listed(at, *call))))
        }
        Frequency::FirstAt(at) => {
            let first = actual.first().copied();
            contradicted_at(
                (first != Some(narrow(*at))).then(|| first.map_or(narrow(*at), |first| first.min(narrow(*at)))),
            )
        }
        Frequency::LastAt(at) => {
            let last = actual.last().copied();
            contradicted_at((last != Some(narrow(*at))).then(|| last.map_or(narrow(*at), |last| last.max(narrow(*at)))))
        }
        Frequency::Count(comparison, count) => {
            let number = u64::try_from(actual.len()).unwrap_or(u64::MAX);
            (comparison.holds(number.cmp(count)), actual.last().copied().or(calls.checked_sub(1)))
        }
    };
    let is_beyond = !is_met && at.is_some_and(|at| at >= calls);
    let mut text = match actual {
        [] => format!("it never {verb}"),
        some => {
            let mut distinct = some.to_vec();
            distinct.dedup();
            let times = if distinct.len() < some.len() { format!(" {} times,", some.len()) } else { String::new() };
            format!("it {verb}{times} at {}", list(&distinct))
        }
    };
    if is_beyond {
        text += &format!("; {}", last_call(calls));
    }
    ExpectationResult { is_met, actual: text, at: at.filter(|at| *at < calls) }
}

fn contradicted_at(at: Option<usize>) -> (bool, Option<usize>) {
    (at.is_none(), at)
}

/// Numbers separated by commas, consecutive ones as a range.
fn list(calls: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &call in calls {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == call => *last = call,
            _ => runs.push((call, call)),
        }
    }
    let run = |(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

fn last_call(calls: usize) -> String {
    match calls.checked_sub(1) {
        None => "there is no call".to_owned(),
        Some(last) => format!("the last call is {last}"),
    }
}

fn stops(times: &Frequency, trace: &Trace) -> ExpectationResult {
    let calls: Vec<usize> = trace.stops().map(|(call, ..)| call).collect();
    let verdict = compare_calls(times, &calls, trace.calls.len(), "stops");
    let why = trace.stops().next().map(|(_, rule, reason)| format!(" (`{rule}`: {reason})"));
    ExpectationResult { actual: format!("{}{}", verdict.actual, why.unwrap_or_default()), ..verdict }
}

fn contexts(
    which: &ContextSelector,
    pattern: &TextPattern,
    trace: &Trace,
    watch: &ContextWatch<'_>,
) -> ExpectationResult {
    let is_good = |context: &&Context| context.contains == pattern.present;
    let (deciding, is_met) = match which {
        ContextSelector::At(calls) => {
            let mut contexts = Vec::new();
            for call in calls {
                let Some(context) = usize::try_from(*call).ok().and_then(|call| watch.named.get(&call)) else {
                    return call_not_made(*call, trace);
                };
                contexts.push(context);
            }
            let bad = contexts.iter().find(|context| !is_good(context)).copied();
            (bad.or(contexts.last().copied()), bad.is_none())
        }
        ContextSelector::Final => (watch.last.as_ref(), watch.last.as_ref().is_some_and(|last| is_good(&last))),
        ContextSelector::Every => (watch.decisive.as_ref().or(watch.last.as_ref()), watch.decisive.is_none()),
        ContextSelector::Any => (watch.decisive.as_ref().or(watch.last.as_ref()), watch.decisive.is_some()),
    };
    let Some(context) = deciding else { return no_context() };
    let is = if context.contains { "it is" } else { "it is not" };
    let actual = format!("{is} in the context of call {}:\n{}", context.call, excerpt(context));
    ExpectationResult { is_met, actual, at: Some(context.call) }
}

fn no_context() -> ExpectationResult {
    ExpectationResult { is_met: false, actual: "no context was sent".to_owned(), at: None }
}

/// The first and the last messages of a context, a line each.
fn excerpt(context: &Context) -> String {
    let line = |message: &Arc<Message>| {
        let flat = text(message).split_whitespace().collect::<Vec<_>>().join(" ");
        shorten(&flat, MAX_WIDTH)
    };
    let mut lines: Vec<String> = context.shown.iter().map(line).collect();
    if context.skipped > 0 {
        let plural = if context.skipped == 1 { "" } else { "s" };
        lines.insert(SHOWN.0, format!("({} more message{plural})", context.skipped));
    }
    lines.join("\n")
}

fn call_not_made(call: u64, trace: &Trace) -> ExpectationResult {
    let exists = usize::try_from(call).is_ok_and(|call| call < trace.calls.len());
    let actual =
        if exists { format!("call {call} was not made: the run was stopped") } else { last_call(trace.calls.len()) };
    ExpectationResult { is_met: false, actual, at: None }
}

/// A source of facts with one value.
struct SingleValue<'a> {
    value: Option<&'a Value>,
    window: Option<u64>,
}

impl Facts for SingleValue<'_> {
    fn value(&self, _: &'static Fact, _: &[Value]) -> Option<Value> {
        self.value.cloned()
    }

    fn window(&self) -> Option<u64> {
        self.window
    }
}

fn fact(part: &FactSample, test: &Test, trace: &Trace, observer: &Observer<'_>) -> ExpectationResult {
    let is_number = matches!(test.reading.fact.ty, Type::Number(_));
    if trace.calls.is_empty() && is_number && !matches!(part, FactSample::At(_)) {
        return fact_without_calls(test, trace);
    }
    let window = trace.window.map(|(window, _)| window).filter(|&window| window > 0);
    let values = observer.values(&test.reading, trace);
    let holds = |value: Option<&Value>| condition::test(test, &SingleValue { value, window }) == Some(true);
    let failed_context = |value: Option<&Value>| format_value(test, value, window);
    if let FactSample::At(calls) = part {
        let mut last = None;
        for &call in calls {
            let found = values.iter().find(|(number, _)| u64::try_from(*number) == Ok(call));
            let Some((number, value)) = found else { return call_not_made(call, trace) };
            let actual = format!("it is {} at call {number}", failed_context(*value));
            if !holds(*value) {
                return ExpectationResult { is_met: false, actual, at: Some(*number) };
            }
            last = Some((*number, actual));
        }
        let (number, actual) = last.unwrap_or_default();
        return ExpectationResult { is_met: true, actual, at: Some(number) };
    }
    let numbers: Vec<(usize, Decimal)> =
        values.iter().filter_map(|(call, value)| Some((*call, number((*value)?)?))).collect();
    let chosen = match part {
        FactSample::Peak => numbers.iter().copied().rev().max_by_key(|(_, number)| *number),
        FactSample::Least => numbers.iter().copied().min_by_key(|(_, number)| *number),
        FactSample::Mean => mean(&numbers).map(|mean| (usize::MAX, mean)),
        FactSample::Final | FactSample::At(_) => None,
    };
    let (at, value) = match (part, chosen) {
        (FactSample::Final, _) => match values.last() {
            Some((call, value)) => (Some(*call), value.cloned()),
            None => (None, None),
        },
        (_, Some((call, number))) => (Some(call).filter(|call| *call != usize::MAX), Some(Value::Number(number))),
        (_, None) => (None, None),
    };
    let place = at.map(|at| format!(", at call {at}")).unwrap_or_default();
    let actual = format!("it is {}{place}", failed_context(value.as_ref()));
    ExpectationResult { is_met: holds(value.as_ref()), actual, at }
}

/// The verdict on a number of a session without calls: nothing is sent, so it is zero, also as a share of an unknown window.
fn fact_without_calls(test: &Test, trace: &Trace) -> ExpectationResult {
    const ANY_WINDOW: u64 = 1_000_000;
    let window = trace.window.map_or(ANY_WINDOW, |(window, _)| window.max(1));
    let facts = SingleValue { value: Some(&Value::Number(Decimal::ZERO)), window: Some(window) };
    ExpectationResult { is_met: condition::test(test, &facts) == Some(true), actual: last_call(0), at: None }
}

fn number(value: &Value) -> Option<Decimal> {
    match value {
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

fn mean(numbers: &[(usize, Decimal)]) -> Option<Decimal> {
    let sum = numbers.iter().try_fold(Decimal::ZERO, |sum, (_, number)| sum.checked_add(*number))?;
    sum.checked_div(Decimal::from(numbers.len()))
}

/// A value in the unit of its fact. A share of the window is followed by the tokens in which it is compared.
fn format_value(test: &Test, value: Option<&Value>, window: Option<u64>) -> String {
    let Some(value) = value else { return "unknown".to_owned() };
    let Reading { fact, .. } = test.reading;
    let tokens = Type::Number(Unit::Tokens);
    match (fact.share_of(), &test.relation, value, window) {
        (Some(_), Relation::Compare(_, Operand::ShareOfWindow(share)), Value::Number(number), Some(window)) => {
            let ratio = Value::Number(number / Decimal::from(window)).display(fact.ty);
            let limit = Value::Number(Decimal::from(share_of(window, *share))).display(tokens);
            format!("{ratio} ({}, threshold {limit})", value.display(tokens))
        }
        (Some(_), ..) => format!("{}, of an unknown window", value.display(tokens)),
        _ => value.display(fact.ty),
    }
}
