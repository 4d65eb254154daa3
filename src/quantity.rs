//! Numbers with units, the types of the language, and the values that facts have.
//!
//! In: exact decimals and unit words. Out: quantities that know their unit and print as an author writes them.
//! It does not know which fact or effect wants which unit.

mod meant;

use std::fmt;

pub use meant::meant;
pub use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// The greatest share of the window that a threshold may name, ends included: a context above it is a mistake in the
/// window, and a number above it mostly a percentage written as a share.
pub const GREATEST_THRESHOLD: Decimal = Decimal::from_parts(15, 0, 0, false, 1);

/// What a counted number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Messages of the canonical conversation.
    Messages,
    /// Tool results.
    Results,
    /// Tool calls.
    Calls,
    /// Spans of conversation that a person's message opens.
    Interactions,
    /// Model calls of a run.
    Iterations,
    /// Strategies of a playbook.
    Strategies,
    /// Anything else that is counted.
    Count,
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A share; one is the whole.
    Share,
    /// Tokens of a model.
    Tokens,
    /// Unicode scalar values.
    Chars,
    /// Something counted.
    Counted(Counted),
    /// Seconds.
    Duration,
    /// US dollars.
    Money,
}

/// Every unit word an author may write behind a number, plural first, and the unit it names.
const WORDS: [(&str, &str, Unit); 8] = [
    ("tokens", "token", Unit::Tokens),
    ("chars", "char", Unit::Chars),
    ("messages", "message", Unit::Counted(Counted::Messages)),
    ("results", "result", Unit::Counted(Counted::Results)),
    ("calls", "call", Unit::Counted(Counted::Calls)),
    ("interactions", "interaction", Unit::Counted(Counted::Interactions)),
    ("iterations", "iteration", Unit::Counted(Counted::Iterations)),
    ("strategies", "strategy", Unit::Counted(Counted::Strategies)),
];

impl Unit {
    /// The unit that a word names; singular and plural are both understood.
    pub fn from_word(word: &str) -> Option<Self> {
        WORDS.iter().find(|(many, one, _)| *many == word || *one == word).map(|(_, _, unit)| *unit)
    }

    /// Whether amounts of the unit are whole numbers.
    pub const fn is_whole(self) -> bool {
        matches!(self, Self::Tokens | Self::Chars | Self::Counted(_))
    }

    /// All unit words in the plural, for suggestions.
    pub fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().map(|(many, _, _)| *many)
    }

    /// The word written behind a number of this unit; none for `%`, `$`, `s` and bare counts.
    pub fn word(self) -> Option<&'static str> {
        WORDS.iter().find(|(_, _, unit)| *unit == self).map(|(many, _, _)| *many)
    }

    /// The word written behind this number of it: `1 message`, `2 messages`.
    pub fn word_behind(self, amount: Decimal) -> Option<&'static str> {
        let is_one = amount == Decimal::ONE;
        WORDS.iter().find(|(_, _, unit)| *unit == self).map(|(many, one, _)| if is_one { *one } else { *many })
    }

    /// Whether a bare number may stand for it.
    pub const fn is_counted(self) -> bool {
        matches!(self, Self::Counted(_))
    }

    /// The unit as a noun for messages: `a share`, `tokens`, `money`.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Share => "a share",
            Self::Duration => "a duration",
            Self::Money => "money",
            Self::Counted(Counted::Count) => "a count",
            _ => self.word().unwrap_or("a number"),
        }
    }

    /// A number of this unit as an author would write it, for help texts: `80%`, `2k tokens`.
    pub fn sample(self) -> &'static str {
        match self {
            Self::Share => "80%",
            Self::Tokens => "2k tokens",
            Self::Chars => "500 chars",
            Self::Counted(Counted::Messages) => "10 messages",
            Self::Counted(Counted::Results) => "4 results",
            Self::Counted(Counted::Calls) => "3 calls",
            Self::Counted(Counted::Interactions) => "5 interactions",
            Self::Counted(Counted::Iterations) => "5 iterations",
            Self::Counted(Counted::Strategies) => "30 strategies",
            Self::Counted(Counted::Count) => "3",
            Self::Duration => "30s",
            Self::Money => "$1.50",
        }
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A number with its unit.
    Number(Unit),
    /// Text.
    Text,
    /// True or false.
    Bool,
    /// A name: of a tool, a rule, a prompt.
    Name,
    /// A list of names.
    Names,
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Number(unit) => unit.noun(),
            Self::Text => "text",
            Self::Bool => "true or false",
            Self::Name => "a name",
            Self::Names => "a list of names",
        })
    }
}

/// An exact number and its unit. Shares are kept as fractions of one, durations in seconds, money in dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Quantity {
    /// How much, exactly.
    pub amount: Decimal,
    /// Of what.
    pub unit: Unit,
}

impl Quantity {
    /// Pairs an amount with its unit.
    pub const fn new(amount: Decimal, unit: Unit) -> Self {
        Self { amount, unit }
    }

    /// A whole number of a unit.
    pub fn whole(amount: u64, unit: Unit) -> Self {
        Self { amount: Decimal::from(amount), unit }
    }

    /// The amount as a whole number, cut towards zero; negative gives 0, too large the largest.
    pub fn to_u64(self) -> u64 {
        whole(self.amount)
    }
}

/// A decimal as a whole number, cut towards zero; negative gives 0, too large the largest.
pub fn whole(amount: Decimal) -> u64 {
    if amount.is_sign_negative() { 0 } else { amount.trunc().to_u64().unwrap_or(u64::MAX) }
}

/// The number of tokens that a share of a window stands for: the product cut towards zero.
pub fn share_of(window: u64, share: Decimal) -> u64 {
    Decimal::from(window).checked_mul(share).map_or(u64::MAX, whole)
}

impl fmt::Display for Quantity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Unit::Share => write!(out, "{}%", (self.amount * Decimal::ONE_HUNDRED).normalize()),
            Unit::Money => write!(out, "${}", self.amount),
            Unit::Duration => out.write_str(&duration(self.amount)),
            Unit::Counted(Counted::Count) => write!(out, "{}", self.amount.normalize()),
            unit => write!(out, "{} {}", magnitude(self.amount), unit.word_behind(self.amount).unwrap_or_default()),
        }
    }
}

/// A decimal with the suffix `k` or `M` where that makes it shorter and stays exact: `200k`, `1.5M`.
pub fn magnitude(amount: Decimal) -> String {
    let plain = amount.normalize();
    for (factor, suffix) in [(1_000_000, "M"), (1_000, "k")] {
        let factor = Decimal::from(factor);
        if plain.abs() >= factor {
            let scaled = (plain / factor).normalize();
            if scaled * factor == plain && scaled.scale() <= 2 {
                return format!("{scaled}{suffix}");
            }
        }
    }
    plain.to_string()
}

/// A number of seconds as `1h2m3s`, parts that are zero left out.
fn duration(seconds: Decimal) -> String {
    let all = whole(seconds);
    let fraction = (seconds - Decimal::from(all)).normalize();
    let mut text = String::new();
    for (size, suffix) in [(3600, "h"), (60, "m")] {
        let count = match size {
            3600 => all / 3600,
            _ => all % 3600 / 60,
        };
        if count > 0 {
            text += &format!("{count}{suffix}");
        }
    }
    let rest = Decimal::from(all % 60) + fraction;
    if !rest.is_zero() || text.is_empty() {
        text += &format!("{}s", rest.normalize());
    }
    text
}

/// What a fact is at one moment. Numbers carry no unit here: the fact's type gives it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number in the base of its unit.
    Number(Decimal),
    /// Text.
    Text(SmolStr),
    /// True or false.
    Bool(bool),
}

impl Value {
    /// A whole number.
    pub fn whole(number: usize) -> Self {
        Self::Number(Decimal::from(number))
    }

    /// The value inside a sentence that names the unit itself: numbers bare but for `%`, `$` and times, text as it is.
    pub fn spoken(&self, ty: Type) -> String {
        match (self, ty) {
            (Self::Text(text), _) => text.to_string(),
            (Self::Number(number), Type::Number(unit)) if unit.word().is_some() => number.normalize().to_string(),
            _ => self.display(ty),
        }
    }

    /// The value as people read it, with the unit of its type; token counts get digit groups.
    pub fn display(&self, ty: Type) -> String {
        match (self, ty) {
            (Self::Number(number), Type::Number(Unit::Share)) => percent(*number),
            (Self::Number(number), Type::Number(unit @ (Unit::Tokens | Unit::Chars))) => {
                format!("{} {}", grouped(*number), unit.word().unwrap_or_default())
            }
            (Self::Number(number), Type::Number(unit @ Unit::Money)) => {
                Quantity::new(number.round_dp(4), unit).to_string()
            }
            (Self::Number(number), Type::Number(unit)) => Quantity::new(*number, unit).to_string(),
            (Self::Number(number), _) => number.normalize().to_string(),
            (Self::Text(text), _) => format!("{text:?}"),
            (Self::Bool(truth), _) => truth.to_string(),
        }
    }
}

/// A share in percent, with one digit behind the point at the most: `87.5%`.
pub fn percent(share: Decimal) -> String {
    format!("{}%", (share * Decimal::ONE_HUNDRED).round_dp(1).normalize())
}

/// A number with a comma between groups of three digits: `1,234,567`.
pub fn grouped(number: Decimal) -> String {
    let text = number.round().abs().to_string();
    let mut out = String::from(if number.is_sign_negative() && !number.is_zero() { "-" } else { "" });
    for (at, digit) in text.chars().enumerate() {
        if at > 0 && (text.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().expect("a decimal")
    }

    #[test]
    fn quantities_print_as_an_author_writes_them() {
        let cases = [
            (Quantity::new(decimal("0.8"), Unit::Share), "80%"),
            (Quantity::new(decimal("0.125"), Unit::Share), "12.5%"),
            (Quantity::whole(200_000, Unit::Tokens), "200k tokens"),
            (Quantity::whole(1_500_000, Unit::Tokens), "1.5M tokens"),
            (Quantity::whole(1_234, Unit::Chars), "1234 chars"),
            (Quantity::whole(510, Unit::Duration), "8m30s"),
            (Quantity::new(decimal("1.50"), Unit::Money), "$1.50"),
            (Quantity::whole(3, Unit::Counted(Counted::Count)), "3"),
        ];
        for (quantity, text) in cases {
            assert_eq!(quantity.to_string(), text);
        }
    }

    #[test]
    fn a_share_of_a_window_is_cut_not_rounded() {
        assert_eq!(share_of(1, decimal("0.8")), 0);
        assert_eq!(share_of(999, decimal("0.5")), 499);
        assert_eq!(share_of(200_000, decimal("0.6")), 120_000);
    }

    #[test]
    fn digit_groups_are_three_wide() {
        assert_eq!(grouped(decimal("1234567")), "1,234,567");
        assert_eq!(grouped(decimal("-999")), "-999");
    }
}
