//! The directions in which a rule of written settings differs from the wanted rule.

use serde_json::Value as Json;
use trimtab_base::quantity::Decimal;
use trimtab_language::effect::{self, EffectKind, LabelRole};

use super::loss::{RuleDifference, RulePart};

/// The parts in which two rules differ.
pub(super) fn differences(wanted: &Json, other: &Json) -> Vec<RuleDifference> {
    let mut found = Vec::new();
    let mut add = |part, direction| found.push(RuleDifference { part, direction });
    if wanted["phase"] != other["phase"] {
        add(RulePart::Phase, None);
    }
    if wanted["condition"] != other["condition"] {
        add(RulePart::Condition, timing(&wanted["condition"], &other["condition"]));
    }
    match (wanted.get("unless"), other.get("unless")) {
        (first, second) if first == second => {}
        (Some(_), None) => add(RulePart::Unless, Some("acts more often")),
        (None, Some(_)) => add(RulePart::Unless, Some("acts less often")),
        _ => add(RulePart::Unless, None),
    }
    if wanted.get("confirm") != other.get("confirm") {
        add(RulePart::Confirm, None);
    }
    if wanted["guards"] != other["guards"] {
        add(RulePart::Guards, presence_of_guards(&wanted["guards"], &other["guards"]));
    }
    let actions = |rule: &Json| rule["do"].as_array().cloned().unwrap_or_default();
    let (first, second) = (actions(wanted), actions(other));
    let names = |actions: &[Json]| actions.iter().map(|action| action["effect"].clone()).collect::<Vec<_>>();
    if names(&first) == names(&second) {
        for (index, (before, after)) in first.iter().zip(&second).enumerate() {
            if before.get("target") != after.get("target") {
                add(RulePart::Target(index), None);
            }
            if before.get("text") != after.get("text") {
                add(RulePart::Text(index), None);
            }
            for (label, direction) in labels(before, after) {
                add(RulePart::Label(index, label), direction);
            }
        }
    } else {
        add(RulePart::Effects, None);
    }
    if wanted["on_failure"] != other["on_failure"] || wanted["retries"] != other["retries"] {
        add(RulePart::OnFailure, None);
    }
    found
}

/// What the other rule does if only one of the two has guards, as a verb phrase.
fn presence_of_guards(wanted: &Json, other: &Json) -> Option<&'static str> {
    let is_empty = |guards: &Json| guards.as_array().is_none_or(Vec::is_empty);
    match (is_empty(wanted), is_empty(other)) {
        (false, true) => Some("acts more often"),
        (true, false) => Some("acts less often"),
        _ => None,
    }
}

/// The consequence if the written settings lack a wanted rule, or have a rule that was not wanted, as a clause.
pub(super) fn consequence(rule: &Json, is_missing: bool) -> &'static str {
    let name = rule.pointer("/do/0/effect").and_then(Json::as_str).unwrap_or_default();
    match (effect::find(name).map(|effect| effect.kind), is_missing) {
        (Some(EffectKind::Stop), true) => "runs go on longer",
        (Some(EffectKind::Stop), false) => "runs end earlier",
        (Some(EffectKind::Summarise | EffectKind::Remove), true) => "it keeps more",
        (Some(EffectKind::Summarise | EffectKind::Remove), false) => "it keeps less",
        (Some(kind), true) if kind.edits_content() => "it keeps more",
        (Some(kind), false) if kind.edits_content() => "it keeps less",
        (_, true) => "it is left out",
        (_, false) => "it does more",
    }
}

/// A comparison of a fact with a number.
struct Limit<'j> {
    fact: &'j Json,
    /// Whether the comparison holds for larger values of the fact.
    holds_above: bool,
    number: Decimal,
}

/// When the other rule acts, as a verb phrase.
fn timing(wanted: &Json, other: &Json) -> Option<&'static str> {
    match (wanted == &Json::Bool(true), other == &Json::Bool(true)) {
        (true, true) => return None,
        (false, true) => return Some("acts earlier"),
        (true, false) => return Some("acts later"),
        (false, false) => {}
    }
    let (mut first, mut second) = (Vec::new(), Vec::new());
    limits(wanted, &mut first);
    limits(other, &mut second);
    let mut is_earlier = [false; 2];
    for limit in &first {
        let same = second.iter().find(|other| other.fact == limit.fact && other.holds_above == limit.holds_above);
        let Some(same) = same else { continue };
        match limit.number.cmp(&same.number) {
            std::cmp::Ordering::Equal => {}
            order if order.is_gt() == limit.holds_above => is_earlier[0] = true,
            _ => is_earlier[1] = true,
        }
    }
    match is_earlier {
        [true, false] => Some("acts earlier"),
        [false, true] => Some("acts later"),
        _ => Some("acts earlier or later"),
    }
}

/// Collects the comparisons in a condition.
fn limits<'j>(json: &'j Json, found: &mut Vec<Limit<'j>>) {
    match json {
        Json::Object(map) => {
            for (operator, holds_above) in [(">", true), (">=", true), ("<", false), ("<=", false)] {
                if let (Some(fact), Some(number)) = (map.get("fact"), map.get(operator).and_then(number)) {
                    found.push(Limit { fact, holds_above, number });
                }
            }
            map.values().for_each(|value| limits(value, found));
        }
        Json::Array(items) => items.iter().for_each(|item| limits(item, found)),
        _ => {}
    }
}

fn number(json: &Json) -> Option<Decimal> {
    match json {
        Json::String(text) => text.parse().ok(),
        Json::Object(map) if map.len() == 1 => map.values().next().and_then(number),
        _ => None,
    }
}

/// What the other rule does if its amount of a label is larger, and if it is smaller.
const fn amounts(role: LabelRole) -> Option<(&'static str, &'static str)> {
    Some(match role {
        LabelRole::Keep | LabelRole::DownTo => ("keeps more", "keeps less"),
        LabelRole::MinimumSaving => ("acts less often", "acts more often"),
        LabelRole::MinimumLength => ("changes fewer results", "changes more results"),
        LabelRole::ResultLimit => ("keeps more of each result", "keeps less of each result"),
        LabelRole::SummaryLimit => ("writes longer summaries", "writes shorter summaries"),
        _ => return None,
    })
}

/// What the other rule does if only it has a label, and if only it lacks the label.
const fn presence(role: LabelRole) -> Option<(&'static str, &'static str)> {
    Some(match role {
        LabelRole::OnlyTools | LabelRole::ExceptTools => {
            ("changes results of fewer tools", "changes results of more tools")
        }
        LabelRole::Errors => ("changes error results too", "keeps error results"),
        LabelRole::Keep => ("keeps more", "keeps less"),
        LabelRole::MinimumSaving => ("acts less often", "acts more often"),
        _ => return None,
    })
}

/// What the other rule does if its value of a label is neither larger nor smaller.
const fn other_value(role: LabelRole) -> Option<&'static str> {
    Some(match role {
        LabelRole::Keep => "keeps more or less",
        LabelRole::OnlyTools | LabelRole::ExceptTools => "changes results of other tools",
        _ => return None,
    })
}

/// The labels in which two actions with the same effect differ, each with the direction of the difference.
fn labels(wanted: &Json, other: &Json) -> Vec<(&'static str, Option<&'static str>)> {
    let effect = wanted.get("effect").and_then(Json::as_str).and_then(effect::find);
    let labels = effect.into_iter().flat_map(|effect| effect.labels);
    let differing = labels.filter(|label| wanted["labels"].get(label.name) != other["labels"].get(label.name));
    differing
        .map(|label| {
            let values = (wanted["labels"].get(label.name), other["labels"].get(label.name));
            (label.name, label.role.and_then(|role| direction(role, values)))
        })
        .collect()
}

/// What the other rule does because a label has these values in the wanted and in the other rule.
fn direction(role: LabelRole, values: (Option<&Json>, Option<&Json>)) -> Option<&'static str> {
    match values {
        (Some(first), Some(second)) => {
            let number = |json: &Json| json.get("amount").and_then(number);
            match (number(first), number(second), amounts(role)) {
                (Some(before), Some(after), Some((more, less))) if first.get("unit") == second.get("unit") => {
                    Some(if after > before { more } else { less })
                }
                // 0 is the same in any unit.
                (Some(before), Some(after), Some((_, less))) if after.is_zero() && !before.is_zero() => Some(less),
                (Some(before), Some(after), Some((more, _))) if before.is_zero() && !after.is_zero() => Some(more),
                _ => other_value(role),
            }
        }
        (None, Some(_)) => presence(role).map(|(present, _)| present),
        (Some(_), None) => presence(role).map(|(_, absent)| absent),
        (None, None) => None,
    }
}
