//! Constraints: what is certain about the values of two sources at every moment.

use super::source::Source;
use crate::fact::Relation;
use crate::quantity::{Decimal, Value};

/// What is certain about the values of two sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constraint {
    /// Where both are known, the first is at most the second.
    AtMost,
    /// The first is known exactly where the second is.
    KnownTogether,
    /// The first is zero exactly where the second is unknown.
    ZeroWhileUnknown,
    /// Both are shares, and their sum is at most 1.
    Disjoint,
    /// The first is true while the second is zero.
    TrueWhileZero,
    /// The first is true exactly while the second is zero.
    TrueExactlyWhileZero,
    /// Where the first is true, so is the second: a text that contains the first part contains the second.
    Implies,
}

impl Constraint {
    /// What is certain about two sources; none when nothing is.
    pub(super) fn between(first: &Source<'_>, second: &Source<'_>) -> Option<Self> {
        match (first, second) {
            (Source::Part(long, a), Source::Part(short, b)) => {
                (a == b && long.contains(short.as_str())).then_some(Self::Implies)
            }
            (Source::Fact(first, reading), Source::Fact(two, other)) => {
                if first.compares_facts() && std::ptr::eq(*first, *two) {
                    let is_part = reading.compared.iter().all(|fact| other.compared.contains(fact));
                    return (is_part && reading.own_rule() == other.own_rule()).then_some(Self::Implies);
                }
                let relation = first.relations.iter().find(|relation| std::ptr::eq(relation.other(), *two))?;
                let is_same = reading.arguments.iter().zip(&other.arguments).all(|(argument, other)| argument == other);
                let compares_nothing = reading.compared.is_empty();
                Self::of(relation, compares_nothing).filter(|_| is_same)
            }
            _ => None,
        }
    }

    const fn of(relation: &Relation, compares_nothing: bool) -> Option<Self> {
        match relation {
            Relation::AtMost(_) => Some(Self::AtMost),
            Relation::KnownWith(_) => Some(Self::KnownTogether),
            Relation::ZeroWhileUnknown(_) => Some(Self::ZeroWhileUnknown),
            Relation::TrueWhileZero(_) if compares_nothing => Some(Self::TrueExactlyWhileZero),
            Relation::TrueWhileZero(_) => Some(Self::TrueWhileZero),
            Relation::Disjoint(_) => Some(Self::Disjoint),
            Relation::TotalledBy(_) => None,
        }
    }

    /// Whether the sources can have these two values at once.
    pub(super) fn allows(self, first: Option<&Value>, second: Option<&Value>) -> bool {
        match self {
            Self::AtMost => match (first, second) {
                (Some(Value::Number(first)), Some(Value::Number(second))) => first <= second,
                _ => true,
            },
            Self::Disjoint => match (first, second) {
                (Some(Value::Number(first)), Some(Value::Number(second))) => {
                    first.checked_add(*second).is_some_and(|sum| sum <= Decimal::ONE)
                }
                _ => true,
            },
            Self::TrueWhileZero => first == Some(&Value::Bool(true)) || second != Some(&Value::Number(Decimal::ZERO)),
            Self::TrueExactlyWhileZero => {
                (first == Some(&Value::Bool(true))) == (second == Some(&Value::Number(Decimal::ZERO)))
            }
            Self::KnownTogether => first.is_some() == second.is_some(),
            Self::ZeroWhileUnknown => (first == Some(&Value::Number(Decimal::ZERO))) == second.is_none(),
            Self::Implies => match (first, second) {
                (Some(first), Some(second)) => *first == Value::Bool(false) || *second == Value::Bool(true),
                (None, None) => true,
                _ => false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_value_is_neither_more_nor_less() {
        let [small, large] = [1, 2].map(|number| Some(Value::whole(number)));
        let allows =
            |first: &Option<Value>, second: &Option<Value>| Constraint::AtMost.allows(first.as_ref(), second.as_ref());
        assert!(allows(&small, &large) && !allows(&large, &small));
        assert!(allows(&None, &small) && allows(&large, &None));
    }
}
