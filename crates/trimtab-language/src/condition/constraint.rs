//! Constraints: what is certain about the values of two sources at every moment.

use std::cmp::Ordering;

use trimtab_base::conversation::covers;
use trimtab_base::quantity::{Decimal, Type, Value};

use super::source::Source;
use crate::check::Reading;
use crate::fact::{Parameter, ParameterKind, Recent, Relation, argument_texts, tool_names};

/// What is certain about the values of two sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constraint {
    /// Where both are known, the first is at most the second.
    AtMost,
    /// Where both are known, the first is at least the second.
    AtLeast,
    /// The first is the second, or one more.
    SameOrOneMore,
    /// The first is zero or false while the second is zero.
    NothingWhileZero,
    /// The first is known exactly where the second is.
    KnownTogether,
    /// The first is zero exactly where the second is unknown.
    ZeroWhileUnknown,
    /// The first is zero where the second is unknown.
    ZeroIfUnknown,
    /// The second is unknown where the first is zero.
    UnknownIfZero,
    /// Where the first is known, the second is the same.
    SameWhereKnown,
    /// Both are shares, and their sum is at most 1.
    Disjoint,
    /// The first is true while the second is zero.
    TrueWhileZero,
    /// The first is true only while the second is zero.
    TrueOnlyWhileZero,
    /// The first is true exactly while the second is zero.
    TrueExactlyWhileZero,
    /// Where the first is true, so is the second: a text that contains the first part contains the second.
    Implies,
}

impl Constraint {
    /// What is certain about two sources.
    pub(super) fn between(first: &Source<'_>, second: &Source<'_>) -> Vec<Self> {
        match (first, second) {
            (Source::Part(long, a), Source::Part(short, b)) if a == b && long.contains(short.as_str()) => {
                vec![Self::Implies]
            }
            (Source::Fact(fact, reading), Source::Fact(two, other)) => {
                if fact.compares_facts() && std::ptr::eq(*fact, *two) {
                    let is_part = reading.compared.iter().all(|fact| other.compared.contains(fact));
                    let implies = is_part && reading.own_rule() == other.own_rule() && reading.scope() >= other.scope();
                    return implies.then_some(Self::Implies).into_iter().collect();
                }
                let about = fact.relations.iter().filter(|relation| std::ptr::eq(relation.other(), *two));
                about.filter_map(|relation| Self::of(relation, reading, other)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns what a relation says about two readings, or `None` if it does not hold for their arguments.
    fn of(relation: &Relation, reading: &Reading, other: &Reading) -> Option<Self> {
        // What a fact counts in the run, it also counts over the session.
        let scopes = || reading.scope().cmp(&other.scope());
        let is_comparable = || has_same_arguments(reading, other) && scopes().is_eq();
        let is_within = || has_same_arguments(reading, other) && scopes().is_le();
        match relation {
            Relation::AtMost(_) => is_within().then_some(Self::AtMost),
            Relation::AtLeast(_) => (has_same_arguments(other, reading) && scopes().is_ge()).then_some(Self::AtLeast),
            Relation::SameOrOneMore(_) => is_comparable().then_some(Self::SameOrOneMore),
            Relation::NothingWhileZero(_) => {
                (is_within() && !looks_for_blank_text(reading)).then_some(Self::NothingWhileZero)
            }
            Relation::GrowsWithArguments(fact) if includes_arguments(other, reading) => {
                Some(if fact.ty == Type::Bool { Self::Implies } else { Self::AtMost })
            }
            Relation::SameOverSession(_) => includes_arguments(other, reading).then_some(Self::SameWhereKnown),
            Relation::KnownWith(_) => is_comparable().then_some(Self::KnownTogether),
            Relation::ZeroWhileUnknown(_) | Relation::TrueWhileZero(_) if !has_same_arguments(reading, other) => None,
            Relation::ZeroWhileUnknown(_) => Some(match scopes() {
                Ordering::Less => Self::ZeroIfUnknown,
                Ordering::Equal => Self::ZeroWhileUnknown,
                Ordering::Greater => Self::UnknownIfZero,
            }),
            Relation::TrueWhileZero(_) => match (scopes(), reading.compared.is_empty()) {
                (Ordering::Equal, true) => Some(Self::TrueExactlyWhileZero),
                (Ordering::Equal, false) | (Ordering::Less, _) => Some(Self::TrueWhileZero),
                (Ordering::Greater, true) => Some(Self::TrueOnlyWhileZero),
                (Ordering::Greater, false) => None,
            },
            Relation::Disjoint(_) => is_comparable().then_some(Self::Disjoint),
            // What holds for three facts is decided where all three have a value.
            Relation::GrowsWithArguments(_) | Relation::Completes(_) | Relation::TotalledBy(_) => None,
        }
    }

    /// Whether it compares the numbers of the two.
    pub(super) const fn compares_numbers(self) -> bool {
        matches!(self, Self::AtMost | Self::AtLeast | Self::SameOrOneMore | Self::SameWhereKnown | Self::Disjoint)
    }

    /// Whether the sources can have these two values at once.
    pub(super) fn allows(self, first: Option<&Value>, second: Option<&Value>) -> bool {
        match self {
            Self::AtMost => match (first, second) {
                (Some(Value::Number(first)), Some(Value::Number(second))) => first <= second,
                _ => true,
            },
            Self::AtLeast => match (first, second) {
                (Some(Value::Number(first)), Some(Value::Number(second))) => first >= second,
                _ => true,
            },
            Self::SameOrOneMore => match (first, second) {
                (Some(Value::Number(first)), Some(Value::Number(second))) => {
                    second <= first && second.checked_add(Decimal::ONE).is_some_and(|more| *first <= more)
                }
                _ => true,
            },
            Self::NothingWhileZero => {
                let zero = Value::Number(Decimal::ZERO);
                second != Some(&zero) || first == Some(&zero) || first == Some(&Value::Bool(false))
            }
            Self::Disjoint => match (first, second) {
                (Some(Value::Number(first)), Some(Value::Number(second))) => {
                    first.checked_add(*second).is_some_and(|sum| sum <= Decimal::ONE)
                }
                _ => true,
            },
            Self::TrueWhileZero => first == Some(&Value::Bool(true)) || second != Some(&Value::Number(Decimal::ZERO)),
            Self::TrueOnlyWhileZero => {
                first != Some(&Value::Bool(true)) || second == Some(&Value::Number(Decimal::ZERO))
            }
            Self::TrueExactlyWhileZero => {
                (first == Some(&Value::Bool(true))) == (second == Some(&Value::Number(Decimal::ZERO)))
            }
            Self::KnownTogether => first.is_some() == second.is_some(),
            Self::ZeroWhileUnknown => (first == Some(&Value::Number(Decimal::ZERO))) == second.is_none(),
            Self::ZeroIfUnknown => second.is_some() || first == Some(&Value::Number(Decimal::ZERO)),
            Self::UnknownIfZero => first != Some(&Value::Number(Decimal::ZERO)) || second.is_none(),
            Self::SameWhereKnown => first.is_none() || first == second,
            Self::Implies => match (first, second) {
                (Some(first), Some(second)) => *first == Value::Bool(false) || *second == Value::Bool(true),
                (None, None) => true,
                _ => false,
            },
        }
    }
}

/// Whether the arguments of two readings of different facts agree, apart from how far back they remember: those that both have
/// are equal, and those that only the second has are omitted.
fn has_same_arguments(reading: &Reading, other: &Reading) -> bool {
    let own = |name: &str| {
        let named = |(parameter, _): &(&&Parameter, &Value)| parameter.name == name;
        reading.fact.parameters.iter().zip(&reading.arguments).find(named).map(|(_, argument)| argument)
    };
    let others = other.fact.parameters.iter().zip(&other.arguments);
    others.into_iter().all(|(parameter, argument)| match (parameter.kind, own(parameter.name)) {
        (ParameterKind::Scope(_), _) => true,
        (_, Some(own)) => own == argument,
        (_, None) => parameter.is_omitted(argument),
    })
}

/// Whether a reading looks for a text that a request without words may contain.
fn looks_for_blank_text(reading: &Reading) -> bool {
    names(reading).any(|(kind, text)| {
        kind == ParameterKind::Texts && argument_texts(text).iter().any(|text| text.trim().is_empty())
    })
}

/// The arguments of a reading that are lists of names or texts.
fn names(reading: &Reading) -> impl Iterator<Item = (ParameterKind, &str)> {
    let all = reading.fact.parameters.iter().zip(&reading.arguments);
    all.filter_map(|(parameter, argument): (&&Parameter, &Value)| match (parameter.kind, argument) {
        (kind @ (ParameterKind::Tools | ParameterKind::Texts), Value::Text(text)) => Some((kind, text.as_str())),
        _ => None,
    })
}

/// Whether the lists of the first reading include those of the second, it looks back at least as far and begins to count no later,
/// its scope is at least as wide, and their other arguments are equal.
fn includes_arguments(wide: &Reading, narrow: &Reading) -> bool {
    let parameters = wide.fact.parameters.iter().zip(wide.arguments.iter().zip(&narrow.arguments));
    parameters.into_iter().all(|(parameter, (wide, narrow))| match (parameter.kind, wide, narrow) {
        (ParameterKind::Tools, Value::Text(wide), Value::Text(narrow)) => includes_tools(wide, narrow),
        (ParameterKind::AfterTools, Value::Text(wide), Value::Text(narrow)) => begins_earlier(wide, narrow),
        (ParameterKind::Texts, Value::Text(wide), Value::Text(narrow)) => includes_texts(wide, narrow),
        (ParameterKind::Scope(_), ..) => true,
        (ParameterKind::Recent(..), wide, narrow) => includes_recent(wide, narrow),
        (_, wide, narrow) => wide == narrow,
    }) && wide.scope() >= narrow.scope()
}

/// Whether one look back includes another; without a limit it includes all.
fn includes_recent(wide: &Value, narrow: &Value) -> bool {
    match (Recent::read(wide), Recent::read(narrow)) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(wide), Some(narrow)) => wide.includes(narrow),
    }
}

/// Whether one list of tools includes another; without names it includes all tools.
fn includes_tools(wide: &str, narrow: &str) -> bool {
    let includes = |name: &str| tool_names(wide).any(|pattern| covers(pattern, name));
    wide.is_empty() || !narrow.is_empty() && tool_names(narrow).all(includes)
}

/// Whether what begins after the newest call of the wide list begins no later than what begins after one of the narrow list: the
/// narrow list has all tools of the wide one.
fn begins_earlier(wide: &str, narrow: &str) -> bool {
    wide.is_empty() || !narrow.is_empty() && includes_tools(narrow, wide)
}

/// Whether every text that contains one of the narrow list contains one of the wide list, whatever its case.
fn includes_texts(wide: &str, narrow: &str) -> bool {
    let lower = |list: &str| -> Vec<String> { argument_texts(list).iter().map(|text| text.to_lowercase()).collect() };
    let wide = lower(wide);
    lower(narrow).iter().all(|text| wide.iter().any(|part| text.contains(part.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_tools_end_what_counts_later() {
        assert!(begins_earlier("", "") && begins_earlier("", "check") && begins_earlier("check", "check,run_*"));
        assert!(begins_earlier("run_tests", "run_*"));
        assert!(
            !begins_earlier("check", "")
                && !begins_earlier("check,run_*", "check")
                && !begins_earlier("run_*", "run_a")
        );
    }

    #[test]
    fn an_unknown_value_is_neither_more_nor_less() {
        let [small, large] = [1, 2].map(|number| Some(Value::whole(number)));
        let allows =
            |first: &Option<Value>, second: &Option<Value>| Constraint::AtMost.allows(first.as_ref(), second.as_ref());
        assert!(allows(&small, &large) && !allows(&large, &small));
        assert!(allows(&None, &small) && allows(&large, &None));
    }
}
