//! The sizes of the context that the conditions of a policy compare with.

use trimtab_base::quantity::{Value, whole};
use trimtab_language::check::{Operand, Relation, Rule, Test};
use trimtab_language::plan::Plan;

use super::{Limit, LimitKind};

/// Most thresholds that are drawn.
const MAX: usize = 6;

/// The thresholds in tokens, each once with the rules that have it, in the order of the policy. Reported sizes count too.
pub(super) fn thresholds(plan: &Plan, window: Option<u64>) -> Vec<Limit> {
    let mut found: Vec<(u64, String, Vec<&str>)> = Vec::new();
    for rule in &plan.rules {
        for (level, text) in of_rule(rule, window, plan.agent.reserve.unwrap_or(0)) {
            match found.iter_mut().find(|(other, ..)| *other == level) {
                Some((.., rules)) if rules.contains(&rule.name.as_str()) => {}
                Some((.., rules)) => rules.push(&rule.name),
                None => found.push((level, text, vec![&rule.name])),
            }
        }
    }
    let limit = |(level, text, rules): (u64, String, Vec<&str>)| {
        let rules = match rules.as_slice() {
            [rule] => (*rule).to_owned(),
            several => crate::report::number::plural(several.len(), "rule"),
        };
        Limit { level, name: format!("{text} {rules}"), kind: LimitKind::Threshold }
    };
    found.into_iter().take(MAX).map(limit).collect()
}

fn of_rule(rule: &Rule, window: Option<u64>, reserve: u64) -> impl Iterator<Item = (u64, String)> {
    rule.tests().filter(|test| test.reading.fact.is_size()).filter_map(move |test| level(test, window, reserve))
}

fn level(test: &Test, window: Option<u64>, reserve: u64) -> Option<(u64, String)> {
    let fact = test.reading.fact;
    let Relation::Compare(_, operand) = &test.relation else { return None };
    let (number, ty) = match operand {
        Operand::ShareOfWindow(share) => {
            return Some((share_level(*share, window)?, trimtab_base::quantity::percent(*share)));
        }
        Operand::Value(value @ Value::Number(number)) => (*number, value.display(fact.ty)),
        Operand::Value(_) => return None,
    };
    Some((whole(fact.source_value(number, window, reserve)?), ty))
}

fn share_level(share: trimtab_base::quantity::Decimal, window: Option<u64>) -> Option<u64> {
    Some(trimtab_base::quantity::share_of(window?, share))
}
