//! Explanations: a condition as a tree with the values that it met.

use smol_str::SmolStr;

use super::guard::Trial;
use super::outcome::{Firing, IdleAction};
use super::state::RuleState;
use crate::check::{Condition, Guard, Operand, Reading, Relation, Rule, Test, spoken};
use crate::condition::{read, test, tokens};
use crate::fact::Facts;
use crate::quantity::{Decimal, Type, Unit, Value, share_of};

/// How one rule came out at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The rule.
    pub rule: SmolStr,
    /// Its condition.
    pub condition: Finding,
    /// The ends of its `until` and `once until`, in the order of the guards.
    pub ends: Vec<Finding>,
    /// Each guard that holds the rule back, and why.
    pub held: Vec<String>,
    /// Why there was nothing to do, action by action.
    pub idle: Vec<IdleAction>,
    /// How many edits it made, and how many tokens they took out of the context.
    pub edits: (usize, i128),
    /// Why its summary failed, if it did.
    pub failure: Option<String>,
    /// What came of it: `not due`, `held`, `idle`, `fired`, `failed`, `not tried`.
    pub result: Explained,
}

/// What came of trying a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explained {
    /// Its condition does not hold.
    NotDue,
    /// Its condition holds, and a guard does not let it fire.
    Held,
    /// It was due, and there was nothing to do.
    Idle,
    /// It fired.
    Fired,
    /// Its summary failed.
    Failed,
}

impl Explained {
    /// The words in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NotDue => "not due",
            Self::Held => "held",
            Self::Idle => "idle",
            Self::Fired => "fired",
            Self::Failed => "failed",
        }
    }
}

/// A part of a condition and how it came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The part as an author would write it; `all of`, `any of` and `not` for the inner ones.
    pub text: String,
    /// What was read, with its unit; none for inner parts.
    pub value: Option<String>,
    /// How it came out; none when that cannot be known.
    pub truth: Option<bool>,
    /// Its parts.
    pub parts: Vec<Finding>,
}

/// Which try of a rule it is.
#[derive(Clone, Copy)]
pub(super) struct When<'a> {
    /// Model calls of this run before.
    pub(super) iteration: u64,
    /// What the rule remembers.
    pub(super) memory: &'a RuleState,
}

impl Explanation {
    /// Notes what came of a rule that was due.
    pub(super) fn end(&mut self, firing: &Firing, fired: bool, failure: Option<&String>) {
        let saved = firing.receipts.iter().map(|receipt| i128::from(receipt.before) - i128::from(receipt.after));
        self.edits = (firing.receipts.len(), saved.sum());
        self.idle.clone_from(&firing.idle);
        self.failure = failure.cloned();
        self.result = match (failure, fired) {
            (Some(_), _) => Explained::Failed,
            (None, true) => Explained::Fired,
            (None, false) => Explained::Idle,
        };
    }
}

pub(super) fn explain(rule: &Rule, trial: &Trial, facts: &dyn Facts, when: When<'_>) -> Explanation {
    let result = if trial.is_due() {
        Explained::Idle
    } else if trial.latched || trial.condition == Some(true) {
        Explained::Held
    } else {
        Explained::NotDue
    };
    let unless = trial.barred.then(|| "unless: its condition holds".to_owned());
    let guards = trial.held.iter().map(|&at| why(&rule.guards[at].node, trial, when));
    let held = unless.into_iter().chain(guards).collect();
    let ends = rule.ends().map(|end| finding(end, facts)).collect();
    Explanation {
        rule: rule.name.clone(),
        condition: finding(&rule.condition, facts),
        ends,
        held,
        idle: Vec::new(),
        edits: (0, 0),
        failure: None,
        result,
    }
}

fn finding(condition: &Condition, facts: &dyn Facts) -> Finding {
    let truth = crate::condition::holds(condition, facts);
    let inner = |text: &str, parts: &[Condition]| Finding {
        text: text.to_owned(),
        value: None,
        truth,
        parts: parts.iter().map(|part| finding(part, facts)).collect(),
    };
    match condition {
        Condition::Constant(constant) => {
            Finding { text: if *constant { "always" } else { "never" }.into(), value: None, truth, parts: Vec::new() }
        }
        Condition::All(parts) => inner("all of", parts),
        Condition::Any(parts) => inner("any of", parts),
        Condition::Not(part) => inner("not", std::slice::from_ref(part)),
        Condition::Test(one) => leaf(one, facts),
    }
}

fn leaf(one: &Test, facts: &dyn Facts) -> Finding {
    let reading = with_fallback(&one.reading);
    let (text, value) = match &one.relation {
        Relation::Holds => (reading, read(&one.reading, facts)),
        Relation::Known => {
            (format!("known({})", spoken(&one.reading)), facts.value(one.reading.fact, &one.reading.arguments))
        }
        Relation::Contains(part) => (format!("{reading} contains {part:?}"), read(&one.reading, facts)),
        Relation::OneOf(values) => {
            let list: Vec<String> = values.iter().map(|value| value.display(one.reading.fact.ty)).collect();
            (format!("{reading} in [{}]", list.join(", ")), read(&one.reading, facts))
        }
        Relation::Compare(sign, Operand::Value(constant)) => {
            let constant = constant.display(one.reading.fact.ty);
            (format!("{reading} {} {constant}", sign.symbol()), read(&one.reading, facts))
        }
        Relation::Compare(sign, Operand::ShareOfWindow(share)) => {
            let constant = Value::Number(*share).display(Type::Number(Unit::Share));
            (format!("{reading} {} {constant}", sign.symbol()), read(&one.reading, facts))
        }
    };
    let is_known = || facts.value(one.reading.fact, &one.reading.arguments).is_some();
    let unknown = if one.reading.fallback.is_none() || is_known() { "" } else { "unknown, so " };
    let shown = value.map(|value| format!("{unknown}{}", value.display(one.reading.fact.ty)));
    let value = match &one.relation {
        Relation::Compare(_, Operand::ShareOfWindow(share)) => Some(in_tokens(&one.reading, *share, facts)),
        _ => Some(shown.unwrap_or_else(|| "unknown".to_owned())),
    };
    Finding { text, value, truth: test(one, facts), parts: Vec::new() }
}

/// A reading as it is written, with what it is where it is unknown: `(budget.cost ?? $0)`.
fn with_fallback(reading: &Reading) -> String {
    let fact = spoken(reading);
    match &reading.fallback {
        Some(Value::Text(text)) => format!("({fact} ?? {text:?})"),
        Some(value) => format!("({fact} ?? {})", value.display(reading.fact.ty)),
        None => fact,
    }
}

/// A comparison with a share of the window, as it is really made: `61,200 of 120,000 tokens`.
fn in_tokens(reading: &Reading, share: Decimal, facts: &dyn Facts) -> String {
    let Some(window) = facts.window() else { return "the window is unknown".to_owned() };
    let limit = Value::Number(Decimal::from(share_of(window, share))).display(Type::Number(Unit::Tokens));
    let Some(tokens) = tokens(reading, facts) else { return "unknown".to_owned() };
    let now = Value::Number(tokens).display(Type::Number(Unit::Tokens));
    let ratio = Value::Number(tokens / Decimal::from(window)).display(Type::Number(Unit::Share));
    format!("{ratio}: {now} against {limit}")
}

/// Why a guard holds a rule back.
fn why(guard: &Guard, trial: &Trial, when: When<'_>) -> String {
    let iteration = when.iteration;
    let at = |last: Option<u64>| last.map_or_else(|| "before".to_owned(), |at| format!("at iteration {at}"));
    let (memory, last) = (when.memory, at(when.memory.last));
    match guard {
        Guard::Once => format!("once: it fired {last}"),
        Guard::OncePer(reading) => {
            let value = trial.value.map(|value| Value::Number(value).display(reading.fact.ty));
            let value = value.unwrap_or_else(|| "unknown".to_owned());
            format!("once per {}: {value} is not above its value when it fired {last}", reading.fact.name)
        }
        Guard::OnceUntil(_) => format!("once until: it fired {last}, and the end has not come since"),
        Guard::Until(_) => "until: the end holds".to_owned(),
        Guard::Every(each) => format!("every {each} iterations: this is iteration {iteration}"),
        Guard::Cooldown(pause) => {
            let did = if memory.last_attempt == memory.last { "it fired" } else { "its summary failed" };
            let last = at(memory.last_attempt);
            format!("cooldown {pause} iterations: {did} {last}, this is iteration {iteration}")
        }
        Guard::Limit(times) => format!("limit {times}: {}", counted(memory)),
    }
}

/// What `limit` has counted in this run.
fn counted(memory: &RuleState) -> String {
    let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    match (memory.fired, memory.attempts.saturating_sub(memory.fired)) {
        (fired, 0) => format!("it has fired {}", times(fired)),
        (0, failed) => format!("its summary has failed {}", times(failed)),
        (fired, failed) => format!("it has fired {} and its summary has failed {}", times(fired), times(failed)),
    }
}
