//! Units, quantities (exact numbers with a unit), the types of the language, and the values of facts.
//!
//! Quantities print as an author would write them. Which fact or effect takes which unit is defined elsewhere.

mod alias;

use std::fmt;

pub use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

pub use alias::from_alias;

/// The largest allowed threshold as a share of the window, inclusive. A context above it means that the configured
/// window is wrong; a number above it is usually a percentage written without `%`.
pub const MAX_THRESHOLD: Decimal = Decimal::from_parts(15, 0, 0, false, 1);

/// What a count counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Messages of the conversation.
    Messages,
    /// Tool results.
    Results,
    /// Images.
    Images,
    /// Tool calls.
    Calls,
    /// Parts of the conversation that each begin with a user message.
    Interactions,
    /// Model calls in a run.
    Iterations,
    /// Strategies of a playbook.
    Strategies,
    /// Anything else.
    Count,
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A share of a whole, where 1 is all of it.
    Share,
    /// Model tokens.
    Tokens,
    /// Unicode scalar values.
    Chars,
    /// A count.
    Counted(Counted),
    /// Seconds.
    Duration,
    /// US dollars.
    Money,
}

/// The words for units after a number: plural, singular, unit.
const UNIT_WORDS: [(&str, &str, Unit); 9] = [
    ("tokens", "token", Unit::Tokens),
    ("chars", "char", Unit::Chars),
    ("messages", "message", Unit::Counted(Counted::Messages)),
    ("results", "result", Unit::Counted(Counted::Results)),
    ("images", "image", Unit::Counted(Counted::Images)),
    ("calls", "call", Unit::Counted(Counted::Calls)),
    ("interactions", "interaction", Unit::Counted(Counted::Interactions)),
    ("iterations", "iteration", Unit::Counted(Counted::Iterations)),
    ("strategies", "strategy", Unit::Counted(Counted::Strategies)),
];

impl Unit {
    /// The unit with this name, singular or plural.
    pub fn from_word(word: &str) -> Option<Self> {
        UNIT_WORDS.iter().find(|(plural, singular, _)| *plural == word || *singular == word).map(|(_, _, unit)| *unit)
    }

    /// Whether amounts of the unit are whole numbers.
    pub const fn is_whole(self) -> bool {
        matches!(self, Self::Tokens | Self::Chars | Self::Counted(_))
    }

    /// The plural names of all units, for suggestions.
    pub fn words() -> impl Iterator<Item = &'static str> {
        UNIT_WORDS.iter().map(|(many, _, _)| *many)
    }

    /// The plural name of this unit; `None` for units without a name: shares, durations, money and other counts.
    pub fn word(self) -> Option<&'static str> {
        UNIT_WORDS.iter().find(|(_, _, unit)| *unit == self).map(|(many, _, _)| *many)
    }

    /// The name of this unit after an amount: `message` after 1, `messages` after 2.
    pub fn word_for(self, amount: Decimal) -> Option<&'static str> {
        let is_one = amount == Decimal::ONE;
        UNIT_WORDS.iter().find(|(_, _, unit)| *unit == self).map(|(many, one, _)| if is_one { *one } else { *many })
    }

    /// Whether this is a count, so that the unit may be left out after a number.
    pub const fn is_counted(self) -> bool {
        matches!(self, Self::Counted(_))
    }

    /// A noun for messages: `a share`, `tokens`, `money`.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Share => "a share",
            Self::Duration => "a duration",
            Self::Money => "money",
            Self::Counted(Counted::Count) => "a count",
            _ => self.word().unwrap_or("a number"),
        }
    }

    /// An example quantity for help texts: `80%`, `2k tokens`.
    pub fn sample(self) -> &'static str {
        match self {
            Self::Share => "80%",
            Self::Tokens => "2k tokens",
            Self::Chars => "500 chars",
            Self::Counted(Counted::Messages) => "10 messages",
            Self::Counted(Counted::Results) => "4 results",
            Self::Counted(Counted::Images) => "2 images",
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
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Number(unit) => unit.noun(),
            Self::Text => "text",
            Self::Bool => "true or false",
            Self::Name => "a name",
        })
    }
}

/// An exact number with its unit. Shares are stored as fractions of 1, durations in seconds, money in US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Quantity {
    /// The amount.
    pub amount: Decimal,
    /// The unit.
    pub unit: Unit,
}

impl Quantity {
    /// Creates a quantity.
    pub const fn new(amount: Decimal, unit: Unit) -> Self {
        Self { amount, unit }
    }

    /// Creates a quantity from a whole number.
    pub fn whole(amount: u64, unit: Unit) -> Self {
        Self { amount: Decimal::from(amount), unit }
    }

    /// The amount truncated to a whole number; negative amounts become 0, large ones saturate.
    pub fn to_u64(self) -> u64 {
        whole(self.amount)
    }
}

/// Truncates a decimal to a whole number; negative numbers become 0, large ones saturate.
pub fn whole(amount: Decimal) -> u64 {
    if amount.is_sign_negative() { 0 } else { amount.trunc().to_u64().unwrap_or(u64::MAX) }
}

/// The tokens in a share of a window, rounded down.
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
            unit => write!(out, "{} {}", abbreviated(self.amount), unit.word_for(self.amount).unwrap_or_default()),
        }
    }
}

/// Formats a number with the suffix `k` or `M` if that is exact and takes at most two decimals: `200k`, `1.5M`.
pub fn abbreviated(amount: Decimal) -> String {
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

/// Formats seconds as `1h2m3s`, without the parts that are zero.
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

/// The value of a fact at one moment. The type of the fact determines the unit of a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number in the base unit.
    Number(Decimal),
    /// Text.
    Text(SmolStr),
    /// True or false.
    Bool(bool),
}

impl Value {
    /// Creates a value from a whole number.
    pub fn whole(number: usize) -> Self {
        Self::Number(Decimal::from(number))
    }

    /// Formats the value without quotes, separators and a unit word, for sentences that name the unit themselves. A share has at most
    /// one decimal.
    pub fn format_bare(&self, ty: Type) -> String {
        match (self, ty) {
            (Self::Text(text), _) => text.to_string(),
            (Self::Number(share), Type::Number(Unit::Share)) => with_one_decimal(share * Decimal::ONE_HUNDRED),
            (Self::Number(number), Type::Number(unit)) if unit.word().is_some() => number.normalize().to_string(),
            _ => self.display(ty),
        }
    }

    /// Formats the value with the unit of its type and with thousands separators for tokens and characters.
    pub fn display(&self, ty: Type) -> String {
        match (self, ty) {
            (Self::Number(number), Type::Number(Unit::Share)) => percent(*number),
            (Self::Number(number), Type::Number(unit @ (Unit::Tokens | Unit::Chars))) => {
                format!("{} {}", grouped(*number), unit.word().unwrap_or_default())
            }
            (Self::Number(number), Type::Number(unit @ Unit::Money)) => {
                let rounded = number.round_dp(4);
                let amount = Quantity::new(rounded.abs(), unit);
                if rounded < Decimal::ZERO { format!("-{amount}") } else { amount.to_string() }
            }
            (Self::Number(number), Type::Number(unit)) => Quantity::new(*number, unit).to_string(),
            (Self::Number(number), _) => number.normalize().to_string(),
            (Self::Text(text), _) => format!("{text:?}"),
            (Self::Bool(truth), _) => truth.to_string(),
        }
    }
}

/// Formats percent with at most one decimal and without separators.
fn with_one_decimal(percent: Decimal) -> String {
    format!("{}%", percent.round_dp(1).normalize())
}

/// Formats a share in percent, rounded to one decimal, or from 1,000% on to an integer: `87.5%`, `24,502%`.
pub fn percent(share: Decimal) -> String {
    let percent = share * Decimal::ONE_HUNDRED;
    if percent.abs() < Decimal::ONE_THOUSAND { with_one_decimal(percent) } else { format!("{}%", grouped(percent)) }
}

/// Formats a change as a share of what was there before, in percent with its sign: `+12%`, `-6.1%`, `0%`.
pub fn signed_percent(share: Decimal) -> String {
    let text = percent(share);
    let is_shown_as_zero = text == "0%" || text == "-0%";
    match () {
        () if is_shown_as_zero => "0%".to_owned(),
        () if share.is_sign_negative() => text,
        () => format!("+{text}"),
    }
}

/// Formats a part of a whole in percent, rounded to one decimal: `12.3%`. Nothing has no parts.
pub fn percent_of(part: u128, whole: u128) -> String {
    // Both halved until they fit, which changes the share by less than is shown.
    let shift = u128::BITS.saturating_sub(part.max(whole).leading_zeros()).saturating_sub(90);
    let [part, whole] = [part, whole].map(|number| Decimal::from(number >> shift));
    percent(part.checked_div(whole).unwrap_or_default())
}

/// Formats a number, rounded to a whole one, with thousands separators: `1,234,567`.
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
    fn a_share_of_a_window_is_rounded_down() {
        assert_eq!(share_of(1, decimal("0.8")), 0);
        assert_eq!(share_of(999, decimal("0.5")), 499);
        assert_eq!(share_of(200_000, decimal("0.6")), 120_000);
    }

    #[test]
    fn thousands_are_separated_by_commas() {
        assert_eq!(grouped(decimal("1234567")), "1,234,567");
        assert_eq!(grouped(decimal("-999")), "-999");
    }

    #[test]
    fn a_text_has_shares_without_separators() {
        let bare = |share| Value::Number(decimal(share)).format_bare(Type::Number(Unit::Share));
        assert_eq!([bare("10.194"), bare("0.8751"), bare("245")], ["1019.4%", "87.5%", "24500%"]);
    }
}
