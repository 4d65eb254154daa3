//! Explanations of rules: why a rule fired or not, with its condition as a tree of parts and values.

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, Type, Unit, Value, share_of};
use trimtab_language::check::{Condition, Guard, Operand, Reading, Relation, Rule, RuleGuard, Test, format_reading};
use trimtab_language::condition::{read, test, tokens};
use trimtab_language::fact::{Facts, Scope};

use super::firing::{Firing, IdleAction};
use super::guard::Evaluation;
use super::rule_state::{Position, RuleState, ScopedState};

/// Why a rule did or did not fire at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The rule.
    pub rule: SmolStr,
    /// Its `when`.
    pub when: ConditionTrace,
    /// Its `unless`.
    pub unless: Option<ConditionTrace>,
    /// The conditions of its `until` and `once until`, in the order of the guards.
    pub ends: Vec<ConditionTrace>,
    /// Each guard that prevents the rule from firing, and why.
    pub blocked_by: Vec<String>,
    /// The actions that did nothing.
    pub idle: Vec<IdleAction>,
    /// The number of its edits, and the tokens that they removed from the context.
    pub edits: (usize, i128),
    /// Why its summary failed, if it did.
    pub failure: Option<String>,
    /// The result.
    pub result: RuleResult,
}

/// The result of trying a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleResult {
    /// Its condition is false or unknown.
    NotDue,
    /// It is triggered, but a guard or `unless` prevents it from firing.
    Blocked,
    /// It was due, but there was nothing to do.
    Idle,
    /// It fired.
    Fired,
    /// Its summary failed.
    Failed,
    /// A person declined it.
    Declined,
}

impl RuleResult {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::NotDue, Self::Blocked, Self::Idle, Self::Fired, Self::Failed, Self::Declined];

    /// The words in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NotDue => "not due",
            Self::Blocked => "blocked",
            Self::Idle => "idle",
            Self::Fired => "fired",
            Self::Failed => "failed",
            Self::Declined => "declined",
        }
    }
}

/// A part of a condition and its value at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionTrace {
    /// The part as an author would write it; `all of`, `any of` or `not` for a part with parts.
    pub text: String,
    /// The value of the fact with its unit, or `None` for a part with parts.
    pub value: Option<String>,
    /// Whether it is true, or `None` if that is unknown.
    pub truth: Option<bool>,
    /// Its parts.
    pub parts: Vec<ConditionTrace>,
}

/// When a rule was tried, and its state at that time.
#[derive(Clone, Copy)]
pub(super) struct When<'a> {
    /// The number of earlier model calls.
    pub(super) position: Position,
    /// The state of the rule.
    pub(super) state: &'a RuleState,
}

impl Explanation {
    /// Records what the actions of a rule that was due did.
    pub(super) fn record_firing(&mut self, firing: &Firing, fired: bool, failure: Option<&String>) {
        let saved = firing.receipts.iter().map(|receipt| i128::from(receipt.before) - i128::from(receipt.after));
        self.edits = (firing.receipts.len(), saved.sum());
        self.idle.clone_from(&firing.idle);
        self.failure = failure.cloned();
        self.result = match (failure, fired) {
            (Some(_), _) => RuleResult::Failed,
            (None, true) => RuleResult::Fired,
            (None, false) => RuleResult::Idle,
        };
    }
}

impl Explanation {
    /// Records that a person declined the rule, which was due.
    pub(super) fn record_decline(&mut self) {
        self.result = RuleResult::Declined;
    }
}

pub(super) fn explain(rule: &Rule, evaluation: &Evaluation, facts: &dyn Facts, when: When<'_>) -> Explanation {
    let result = if evaluation.is_due() {
        RuleResult::Idle
    } else if evaluation.is_triggered() {
        RuleResult::Blocked
    } else {
        RuleResult::NotDue
    };
    let unless = rule.unless.as_ref().map(|unless| trace(unless, facts));
    let unless_reason = unless.as_ref().filter(|_| evaluation.blocked_by_unless).map(|unless| {
        let truth = if unless.truth == Some(true) { "true" } else { "unknown" };
        format!("unless: its condition is {truth}")
    });
    let guards = evaluation.blocked_by.iter().map(|&at| why(&rule.guards[at], evaluation, when));
    let blocked_by = unless_reason.into_iter().chain(guards).collect();
    let ends = rule.end_conditions().map(|end| trace(end, facts)).collect();
    Explanation {
        rule: rule.name.clone(),
        when: trace(&rule.when, facts),
        unless,
        ends,
        blocked_by,
        idle: Vec::new(),
        edits: (0, 0),
        failure: None,
        result,
    }
}

fn trace(condition: &Condition, facts: &dyn Facts) -> ConditionTrace {
    let truth = trimtab_language::condition::holds(condition, facts);
    let inner = |text: &str, parts: &[Condition]| ConditionTrace {
        text: text.to_owned(),
        value: None,
        truth,
        parts: parts.iter().map(|part| trace(part, facts)).collect(),
    };
    match condition {
        Condition::Constant(constant) => ConditionTrace {
            text: if *constant { "always" } else { "never" }.into(),
            value: None,
            truth,
            parts: Vec::new(),
        },
        Condition::All(parts) => inner("all of", parts),
        Condition::Any(parts) => inner("any of", parts),
        Condition::Not(part) => inner("not", std::slice::from_ref(part)),
        Condition::Test(one) => leaf(one, facts),
    }
}

fn leaf(one: &Test, facts: &dyn Facts) -> ConditionTrace {
    let reading = with_fallback(&one.reading);
    let (text, value) = match &one.relation {
        Relation::Holds if one.reading.fact.compares_facts() => {
            let value = Some(changes(&one.reading, facts));
            return ConditionTrace { text: reading, value, truth: test(one, facts), parts: Vec::new() };
        }
        Relation::Holds => (reading, read(&one.reading, facts)),
        Relation::Known => {
            (format!("known({})", format_reading(&one.reading)), facts.value(one.reading.fact, &one.reading.arguments))
        }
        Relation::Contains(part) => (format!("{reading} contains {part:?}"), read(&one.reading, facts)),
        Relation::OneOf(values) => {
            let list: Vec<String> = values.iter().map(|value| value.display(one.reading.fact.ty)).collect();
            (format!("{reading} in [{}]", list.join(", ")), read(&one.reading, facts))
        }
        Relation::Compare(comparison, Operand::Value(constant)) => {
            let constant = constant.display(one.reading.fact.ty);
            (format!("{reading} {} {constant}", comparison.symbol()), read(&one.reading, facts))
        }
        Relation::Compare(comparison, Operand::ShareOfWindow(share)) => {
            let constant = Value::Number(*share).display(Type::Number(Unit::Share));
            (format!("{reading} {} {constant}", comparison.symbol()), read(&one.reading, facts))
        }
    };
    let is_known = || facts.value(one.reading.fact, &one.reading.arguments).is_some();
    let unknown = if one.reading.fallback.is_none() || is_known() { "" } else { "unknown, so " };
    let shown = value.map(|value| format!("{unknown}{}", value.display(one.reading.fact.ty)));
    let value = match &one.relation {
        Relation::Compare(_, Operand::ShareOfWindow(share)) => Some(in_tokens(&one.reading, *share, facts)),
        _ => Some(shown.unwrap_or_else(|| "unknown".to_owned())),
    };
    ConditionTrace { text, value, truth: test(one, facts), parts: Vec::new() }
}

/// What has changed since the rule fired: `true: failures was 1, is 2`.
fn changes(reading: &Reading, facts: &dyn Facts) -> String {
    let Some(seen) = reading.own_rule().and_then(|rule| facts.seen(rule, reading.scope())) else {
        return "true: it has not fired".to_owned();
    };
    let show = |value: Option<&Value>, ty| value.map_or_else(|| "unknown".to_owned(), |value| value.display(ty));
    let change = |one: &Reading| {
        let (name, ty) = (format_reading(one), one.fact.ty);
        let (was, is) = (seen.value(&name), facts.value(one.fact, &one.arguments));
        format!("{name} was {}, is {}", show(was, ty), show(is.as_ref(), ty))
    };
    let changed = reading.compared.iter().filter(|one| trimtab_language::condition::changed(one, seen, facts));
    let changes: Vec<String> = changed.map(change).collect();
    if changes.is_empty() { "false".to_owned() } else { format!("true: {}", changes.join("; ")) }
}

/// A fact as an author would write it, with its default: `(budget.cost ?? $0)`.
fn with_fallback(reading: &Reading) -> String {
    let fact = format_reading(reading);
    match &reading.fallback {
        Some(Value::Text(text)) => format!("({fact} ?? {text:?})"),
        Some(value) => format!("({fact} ?? {})", value.display(reading.fact.ty)),
        None => fact,
    }
}

/// The value of a comparison with a share of the window, in tokens: `51%: 61,200 tokens, threshold 96,000 tokens`.
fn in_tokens(reading: &Reading, share: Decimal, facts: &dyn Facts) -> String {
    let Some(window) = facts.window() else { return "the window is unknown".to_owned() };
    let limit = Value::Number(Decimal::from(share_of(window, share))).display(Type::Number(Unit::Tokens));
    let Some(tokens) = tokens(reading, facts) else { return "unknown".to_owned() };
    let now = Value::Number(tokens).display(Type::Number(Unit::Tokens));
    let ratio = Value::Number(tokens / Decimal::from(window)).display(Type::Number(Unit::Share));
    format!("{ratio}: {now}, threshold {limit}")
}

/// Why a guard prevents a rule from firing.
fn why(guard: &RuleGuard, evaluation: &Evaluation, when: When<'_>) -> String {
    let (state, iteration) = (when.state.of(guard.scope), when.position.of(guard.scope));
    match guard.scope {
        Scope::Run => why_in(&guard.node, evaluation, state, iteration),
        Scope::Session => format!("in session: {}", why_in(&guard.node, evaluation, state, iteration)),
    }
}

/// Why a guard prevents a rule from firing, in a run or in the session.
fn why_in(guard: &Guard, evaluation: &Evaluation, state: &ScopedState, iteration: u64) -> String {
    let at = |last: Option<u64>| last.map_or_else(|| "before".to_owned(), |at| format!("at iteration {at}"));
    let did = match (state.fired, state.declined) {
        (0, 1..) => format!("was declined {}", at(state.last_attempt)),
        _ => format!("fired {}", at(state.last)),
    };
    match guard {
        Guard::Once => format!("once: it {did}"),
        Guard::OncePer(reading) => {
            let Some(value) = evaluation.value else {
                return format!("once per {}: its value is unknown", reading.name());
            };
            let value = Value::Number(value).display(reading.fact.ty);
            format!("once per {}: {value} is not above the value when the rule {did}", reading.name())
        }
        Guard::OnceUntil(_) => {
            format!("once until: it {did}, and the `until` condition has not been true since")
        }
        Guard::Until(_) => "until: its condition is true".to_owned(),
        Guard::Every(each) => format!("every {each} iterations: this is iteration {iteration}"),
        Guard::Cooldown(pause) => {
            let did = if state.last_attempt == state.last {
                "it fired"
            } else if state.declined == 0 {
                "its summary failed"
            } else if state.attempts == state.fired + state.declined {
                "it was declined"
            } else {
                "it was declined or its summary failed"
            };
            let last = at(state.last_attempt);
            format!("cooldown {pause} iterations: {did} {last}, this is iteration {iteration}")
        }
        Guard::Limit(times) => format!("limit {times}: {}", counted(state)),
    }
}

/// The firings, failures and declined firings that `limit` has counted.
fn counted(state: &ScopedState) -> String {
    let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let failed = state.attempts.saturating_sub(state.fired + state.declined);
    let counts =
        [("it has fired", state.fired), ("its summary has failed", failed), ("it was declined", state.declined)];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts.map(|(what, count)| format!("{what} {}", times(count))).collect();
    counts.join(" and ")
}
