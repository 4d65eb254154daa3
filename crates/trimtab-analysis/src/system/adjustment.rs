//! Adjustments: values of a system's options to try against large contexts.

use serde_json::{Value as Json, json};
use trimtab_base::quantity::Decimal;

use super::kind::Kind;
use super::setting::Setting;

/// Options of a system that may make contexts smaller or cheaper.
#[derive(Debug)]
pub struct Adjustment {
    /// Its name in output.
    pub name: &'static str,
    /// What it does, as a sentence.
    pub summary: &'static str,
    /// The values to try, each with the other options that it needs. Only one of the alternatives is set.
    pub alternatives: &'static [&'static [(&'static Setting, Amount)]],
}

/// A value of an option.
#[derive(Clone, Copy, Debug)]
pub enum Amount {
    /// `true` or `false`.
    Flag(bool),
    /// A number.
    Whole(u64),
    /// A percentage, written as a fraction.
    Share(u32),
    /// A word or a text.
    Word(&'static str),
    /// A size of the context in tokens. It is tried only if the window is larger.
    ContextTokens(u64),
}

impl Amount {
    /// The value as JSON.
    pub(super) fn json(self) -> Json {
        match self {
            Self::Flag(flag) => json!(flag),
            Self::Whole(number) | Self::ContextTokens(number) => json!(number),
            Self::Share(percent) => {
                let share = Decimal::new(percent.into(), 2).normalize().to_string();
                serde_json::from_str(&share).unwrap_or_default()
            }
            Self::Word(word) => json!(word),
        }
    }

    /// Whether the option can have the value, in a window of this many tokens.
    pub(super) fn fits(self, setting: &Setting, window: Option<u64>) -> bool {
        match self {
            Self::ContextTokens(tokens) => window.is_none_or(|window| tokens < window) && takes(&setting.kind, tokens),
            Self::Whole(number) => takes(&setting.kind, number),
            _ => true,
        }
    }
}

/// Whether an option of this kind takes a number.
fn takes(kind: &Kind, number: u64) -> bool {
    match kind {
        Kind::Whole(_, least, most) => (*least..=*most).contains(&number),
        Kind::AnyOf(kinds) => kinds.iter().any(|kind| takes(kind, number)),
        Kind::Signed(_) | Kind::Number => true,
        _ => false,
    }
}
