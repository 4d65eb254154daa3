//! Makes a case smaller in which both sides differ.

use super::compare::{Case, difference};
use super::condition::Condition;
use super::rule::{Effect, OnFailure, Piece, Rule};

/// Whether both sides differ. A case that the checker rejects is none.
fn differs(case: &Case) -> bool {
    let result = std::panic::catch_unwind(|| case.compare().is_some_and(|compared| difference(&compared).is_some()));
    result.unwrap_or(false)
}

/// A smaller case in which both sides still differ.
pub(super) fn shrink(case: &Case) -> Case {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut case = case.clone();
    loop {
        let found = candidates(&case).find(differs);
        let Some(smaller) = found else { break };
        case = smaller;
    }
    std::panic::set_hook(hook);
    case
}

fn candidates(case: &Case) -> impl Iterator<Item = Case> {
    let lines = case.recording.lines.len();
    let without = [lines / 2, lines / 4, 1].into_iter().filter(|size| *size > 0).flat_map(move |size| {
        (0..lines).step_by(size).map(move |at| {
            let mut smaller = case.clone();
            smaller.recording.lines.drain(at..(at + size).min(lines));
            smaller
        })
    });
    // Rules keep their numbers, so one that others name is not removed while they do.
    let rules = (0..case.policy.rules.len()).map(move |at| {
        let mut smaller = case.clone();
        smaller.policy.rules.remove(at);
        for (number, rule) in smaller.policy.rules.iter_mut().enumerate() {
            rule.number = number;
        }
        smaller
    });
    let parts = (0..case.policy.rules.len()).flat_map(move |at| {
        smaller_rules(&case.policy.rules[at]).into_iter().map(move |rule| {
            let mut smaller = case.clone();
            smaller.policy.rules[at] = rule;
            smaller
        })
    });
    let keys = ["model", "window", "tools"].into_iter().map(move |key| {
        let mut smaller = case.clone();
        smaller.recording.header.as_object_mut().expect("an object").remove(key);
        smaller
    });
    let keys = keys.filter(move |smaller| smaller.recording.header != case.recording.header);
    let fields = (0..lines).flat_map(move |at| {
        ["usage", "at", "run", "name"].into_iter().map(move |key| {
            let mut smaller = case.clone();
            smaller.recording.lines[at].as_object_mut().expect("an object").remove(key);
            smaller
        })
    });
    let fields = fields.filter(move |smaller| smaller.recording.lines != case.recording.lines);
    let contents = (0..lines).flat_map(move |at| {
        let parts = case.recording.lines[at]["content"].as_array().map_or(0, Vec::len);
        (0..parts).filter(move |_| parts > 1).map(move |part| {
            let mut smaller = case.clone();
            smaller.recording.lines[at]["content"].as_array_mut().expect("parts").remove(part);
            smaller
        })
    });
    rules.chain(without).chain(parts).chain(keys).chain(fields).chain(contents)
}

fn smaller_rules(rule: &Rule) -> Vec<Rule> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut Rule)| {
        let mut smaller = rule.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    let others = if let OnFailure::Then(other) = &rule.on_failure { Some(&**other) } else { None };
    let texts = rule.effects.iter().chain(others).filter_map(Effect::text).chain(&rule.confirm).flatten();
    // A bare name in a text means the instance in the condition, which must stay.
    let needs_condition = texts.into_iter().any(|piece| matches!(piece, Piece::Fact(.., true)));
    if let Some(when) = rule.when.as_ref().filter(|_| !needs_condition) {
        add(&|smaller| smaller.when = None);
        for part in smaller_conditions(when) {
            add(&|smaller| smaller.when = Some(part.clone()));
        }
    }
    if rule.unless.is_some() && !needs_condition {
        add(&|smaller| smaller.unless = None);
    }
    if rule.confirm.is_some() {
        add(&|smaller| smaller.confirm = None);
    }
    for at in 0..rule.guards.len() {
        add(&|smaller| drop(smaller.guards.remove(at)));
    }
    for at in (0..rule.effects.len()).filter(|_| rule.effects.len() > 1) {
        add(&|smaller| drop(smaller.effects.remove(at)));
    }
    if rule.retries.is_some() {
        add(&|smaller| smaller.retries = None);
    }
    if rule.on_failure != OnFailure::Keep {
        add(&|smaller| smaller.on_failure = OnFailure::Keep);
    }
    all
}

fn smaller_conditions(condition: &Condition) -> Vec<Condition> {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.clone(),
        Condition::Not(inner) => vec![(**inner).clone()],
        _ => Vec::new(),
    }
}
