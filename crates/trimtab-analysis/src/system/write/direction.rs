//! In which direction a rule of a system differs from the rule that was wanted.

use serde_json::Value as Json;
use trimtab_base::quantity::Decimal;
use trimtab_language::effect::{self, EffectKind, LabelRole};

/// What the other rule does, each as a verb phrase.
pub(super) fn directions(wanted: &Json, other: &Json) -> Vec<&'static str> {
    let mut found = timing(&wanted["condition"], &other["condition"]);
    if wanted["phase"] != other["phase"] {
        found.push("acts in another phase");
    }
    if let (Some(first), Some(second)) = (wanted.pointer("/do/0"), other.pointer("/do/0")) {
        found.extend(labels(first, second));
    }
    if wanted["on_failure"] != other["on_failure"] {
        found.push("does something else if no summary can be written");
    }
    found
}

/// What it means that a system does not have a rule, or that it has one that was not wanted.
pub(super) fn consequence(rule: &Json, is_missing: bool) -> &'static str {
    let name = rule.pointer("/do/0/effect").and_then(Json::as_str).unwrap_or_default();
    match (effect::find(name).map(|effect| effect.kind), is_missing) {
        (Some(EffectKind::Stop), true) => "runs go on longer",
        (Some(EffectKind::Stop), false) => "runs end earlier",
        (Some(EffectKind::Summarise | EffectKind::Remove), true) => "it keeps more",
        (Some(EffectKind::Summarise | EffectKind::Remove), false) => "it keeps less",
        (Some(kind), true) if kind.edits_content() => "it keeps more",
        (Some(kind), false) if kind.edits_content() => "it keeps less",
        (_, true) => "it leaves this out",
        (_, false) => "it does more",
    }
}

/// A comparison of a fact with a number.
struct Limit<'j> {
    fact: &'j Json,
    is_upper: bool,
    number: Decimal,
}

fn timing(wanted: &Json, other: &Json) -> Vec<&'static str> {
    match (wanted == &Json::Bool(true), other == &Json::Bool(true)) {
        (true, true) => return Vec::new(),
        (false, true) => return vec!["acts earlier, without a condition"],
        (true, false) => return vec!["acts later, under a condition"],
        (false, false) => {}
    }
    let (mut first, mut second) = (Vec::new(), Vec::new());
    limits(wanted, &mut first);
    limits(other, &mut second);
    let mut found = Vec::new();
    let mut is_known = false;
    for limit in &first {
        let same = second.iter().find(|other| other.fact == limit.fact && other.is_upper == limit.is_upper);
        let Some(same) = same else { continue };
        is_known = true;
        match limit.number.cmp(&same.number) {
            std::cmp::Ordering::Equal => {}
            order if order.is_gt() == limit.is_upper => found.push("acts earlier"),
            _ => found.push("acts later"),
        }
    }
    if !is_known && wanted != other {
        found.push("acts earlier or later, under another condition");
    }
    found.dedup();
    found
}

/// The comparisons in a condition. An upper limit is reached from below.
fn limits<'j>(json: &'j Json, found: &mut Vec<Limit<'j>>) {
    match json {
        Json::Object(map) => {
            for (operator, is_upper) in [(">", true), (">=", true), ("<", false), ("<=", false)] {
                if let (Some(fact), Some(number)) = (map.get("fact"), map.get(operator).and_then(number)) {
                    found.push(Limit { fact, is_upper, number });
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

/// What another amount of a label means: more, and less.
const fn amounts(role: LabelRole) -> Option<(&'static str, &'static str)> {
    Some(match role {
        LabelRole::Keep | LabelRole::Goal => ("keeps more", "keeps less"),
        LabelRole::MinimumSaving => ("acts less often", "acts more often"),
        LabelRole::MinimumLength => ("changes fewer results", "changes more results"),
        LabelRole::ResultLimit => ("keeps more of each result", "keeps less of each result"),
        LabelRole::SummaryLimit => ("writes longer summaries", "writes shorter summaries"),
        _ => return None,
    })
}

/// What it means that only the other rule has a label, and that it has not.
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

/// What it means that a label has another value.
const fn otherwise(role: LabelRole) -> Option<&'static str> {
    Some(match role {
        LabelRole::Keep => "keeps more or less, counted otherwise",
        LabelRole::Pin => "keeps other messages",
        LabelRole::Placeholder | LabelRole::Preview => "leaves another text",
        LabelRole::MinimumLength | LabelRole::ResultLimit => "counts the length of results otherwise",
        LabelRole::OnlyTools | LabelRole::ExceptTools => "changes results of other tools",
        _ => return None,
    })
}

/// How the labels of two actions with the same effect differ.
fn labels(wanted: &Json, other: &Json) -> Vec<&'static str> {
    let effect = wanted.get("effect").and_then(Json::as_str).and_then(effect::find);
    let known = effect.into_iter().flat_map(|effect| effect.labels).filter_map(|label| Some((label.name, label.role?)));
    let mut found: Vec<&'static str> = Vec::new();
    for (name, role) in known {
        let phrase = match (wanted["labels"].get(name), other["labels"].get(name)) {
            (Some(first), Some(second)) if first != second => {
                let numbers = |json: &Json| json.get("amount").and_then(number);
                match (numbers(first), numbers(second), amounts(role)) {
                    (Some(before), Some(after), Some((more, less))) if first.get("unit") == second.get("unit") => {
                        Some(if after > before { more } else { less })
                    }
                    _ => otherwise(role),
                }
            }
            (None, Some(_)) => presence(role).map(|(present, _)| present),
            (Some(_), None) => presence(role).map(|(_, absent)| absent),
            _ => None,
        };
        found.extend(phrase.filter(|phrase| !found.contains(phrase)).into_iter().collect::<Vec<_>>());
    }
    found
}
