//! The values that options take.

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, grouped};
use trimtab_syntax::syntax::yaml;
use trimtab_syntax::syntax::yaml::node::{Node, Value};

/// The largest number that any option takes: larger ones are mistakes, and could not be written in a policy.
const MOST: u64 = 1_000_000_000_000;

/// The kind of values that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number: its unit, the minimum and the maximum.
    Whole(&'static str, u64, u64),
    /// A whole number with this unit; a number below 0 has a special meaning.
    Signed(&'static str),
    /// A fraction from 0 to 1.
    Share,
    /// A percentage from 1 to 100.
    Percent,
    /// A number of at least 0, with a fraction.
    Number,
    /// A text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of names.
    Names,
    /// One of several kinds.
    AnyOf(&'static [Self]),
    /// Anything: it only matters whether the option is written.
    Anything,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Datum {
    Flag(bool),
    Number(Decimal),
    Text(SmolStr),
    Names(Vec<SmolStr>),
    Anything,
}

/// Why an option does not take a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mismatch {
    Type,
    Range,
}

impl Kind {
    /// What it takes, as a noun.
    pub fn noun(&self) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Whole(unit, least, most) => {
                let (least, most) = (Decimal::from(*least), Decimal::from(*most));
                let range = if most == Decimal::from(u64::MAX) {
                    format!("of at least {}", grouped(least))
                } else {
                    format!("from {} to {}", grouped(least), grouped(most))
                };
                format!("a whole number of {unit} {range}")
            }
            Self::Signed(unit) => format!("a whole number of {unit}"),
            Self::Share => "a fraction from 0 to 1".to_owned(),
            Self::Percent => "a percentage from 1 to 100".to_owned(),
            Self::Number => "a number of at least 0".to_owned(),
            Self::Text => "a string".to_owned(),
            Self::Word(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                words.join(" or ")
            }
            Self::Names => "a list of strings".to_owned(),
            Self::AnyOf(kinds) => kinds.iter().map(Self::noun).collect::<Vec<_>>().join(", or "),
            Self::Anything => "any value".to_owned(),
        }
    }

    /// The value in a node. `as_string`: numbers and truth values may be written as strings.
    pub(super) fn read(&self, node: &Node, as_string: bool) -> Result<Datum, Mismatch> {
        let unquoted = node.text().filter(|_| as_string).map(|text| unquoted(text));
        let value = unquoted.as_ref().unwrap_or(&node.value);
        match self {
            Self::Flag => flag(value, as_string).map(Datum::Flag).ok_or(Mismatch::Type),
            Self::Whole(_, least, most) => {
                let number = number(value).filter(Decimal::is_integer);
                let range = Decimal::from(*least)..=Decimal::from(MOST.min(*most));
                within(number, |number| range.contains(number))
            }
            Self::Signed(_) => {
                within(number(value).filter(Decimal::is_integer), |number| number.abs() <= Decimal::from(MOST))
            }
            Self::Share => within(number(value), |number| (Decimal::ZERO..=Decimal::ONE).contains(number)),
            Self::Percent => within(number(value), |number| (Decimal::ONE..=Decimal::ONE_HUNDRED).contains(number)),
            Self::Number => within(number(value), |number| (Decimal::ZERO..=Decimal::from(MOST)).contains(number)),
            Self::Text => node.text().cloned().map(Datum::Text).ok_or(Mismatch::Type),
            Self::Word(words) => {
                let text = node.text().ok_or(Mismatch::Type)?;
                words.contains(&text.as_str()).then(|| Datum::Text(text.clone())).ok_or(Mismatch::Range)
            }
            Self::Names => names(&node.value).map(Datum::Names).ok_or(Mismatch::Type),
            Self::AnyOf(kinds) => any_of(kinds, node, as_string),
            Self::Anything => Ok(Datum::Anything),
        }
    }
}

/// The value by the first kind that takes a node; if none does, a wrong range is reported rather than a wrong type.
fn any_of(kinds: &[Kind], node: &Node, as_string: bool) -> Result<Datum, Mismatch> {
    let mut worst = Mismatch::Type;
    for kind in kinds {
        match kind.read(node, as_string) {
            Err(Mismatch::Range) => worst = Mismatch::Range,
            Err(Mismatch::Type) => {}
            found => return found,
        }
    }
    Err(worst)
}

fn within(number: Option<Decimal>, fits: impl Fn(&Decimal) -> bool) -> Result<Datum, Mismatch> {
    let number = number.ok_or(Mismatch::Type)?;
    if fits(&number) { Ok(Datum::Number(number.normalize())) } else { Err(Mismatch::Range) }
}

/// The value of a string in an environment, which may be a number.
fn unquoted(text: &str) -> Value {
    yaml::number(text).unwrap_or_else(|| Value::Text(text.into()))
}

/// A truth value. In an environment `1`, `true`, `yes` and `on` are true.
fn flag(value: &Value, as_string: bool) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) if as_string => Some(!number.is_zero()),
        Value::Text(text) if as_string => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" | "" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn number(value: &Value) -> Option<Decimal> {
    match value {
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

fn names(value: &Value) -> Option<Vec<SmolStr>> {
    match value {
        Value::List(nodes) => nodes.iter().map(|node| node.text().cloned()).collect(),
        _ => None,
    }
}
