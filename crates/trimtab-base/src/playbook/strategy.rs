//! Strategies, their ids and their counts.

use std::fmt;

use rust_decimal::prelude::ToPrimitive;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use smol_str::SmolStr;

use crate::quantity::Decimal;

/// The maximum length of an id in characters.
const MAX_ID_CHARS: usize = 64;

/// The maximum length of a category in characters.
const MAX_CATEGORY_CHARS: usize = 60;

/// The maximum length of a strategy's content in characters.
const MAX_CONTENT_CHARS: usize = 1000;

/// The prefix of ids in a category without letters and digits.
const DEFAULT_PREFIX: &str = "str";

/// The id of a strategy, such as `err-00001`: letters, digits, `-` and `_`, with a letter or digit at both ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "SmolStr")]
pub struct StrategyId(SmolStr);

impl StrategyId {
    /// The first three letters or digits of the category, and a number of at least five digits.
    pub(super) fn new(category: &str, number: u64) -> Self {
        let prefix: String = category.chars().filter(|c| c.is_alphanumeric()).take(3).collect();
        let prefix = if prefix.is_empty() { DEFAULT_PREFIX } else { &prefix };
        Self(format!("{prefix}-{number:05}").into())
    }

    /// Returns the id in this text, or `None` if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let is_id = text.chars().count() <= MAX_ID_CHARS
            && text.chars().all(is_id_char)
            && text.starts_with(char::is_alphanumeric)
            && text.ends_with(char::is_alphanumeric);
        is_id.then(|| Self(text.into()))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number that it ends with.
    pub(super) fn number(&self) -> Option<u64> {
        self.0.rsplit_once('-')?.1.parse().ok()
    }
}

/// Whether an id may contain a character.
pub(super) fn is_id_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

impl TryFrom<SmolStr> for StrategyId {
    type Error = String;

    fn try_from(text: SmolStr) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("`{}` is not an id", text.escape_debug()))
    }
}

impl fmt::Display for StrategyId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// When something happened to a strategy, as the caller states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Timestamp {
    /// After this many model calls of the session.
    Call(u64),
    /// At this time, as RFC 3339.
    Time(String),
}

/// How a strategy turned out when it was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// It helped.
    Helpful,
    /// It did harm.
    Harmful,
    /// Neither, or nobody knows.
    Neutral,
}

impl Tag {
    /// All tags.
    const ALL: [Self; 3] = [Self::Helpful, Self::Harmful, Self::Neutral];

    /// The tag with this name.
    pub fn find(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tag| tag.word() == word)
    }

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Helpful => "helpful",
            Self::Harmful => "harmful",
            Self::Neutral => "neutral",
        }
    }
}

/// A strategy of a playbook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strategy {
    /// Its id.
    pub id: StrategyId,
    /// Its category in snake case, such as `error_handling`.
    pub category: String,
    /// What to do, on one line.
    pub content: String,
    /// How often it helped.
    #[serde(default)]
    pub helpful: u64,
    /// How often it did harm.
    #[serde(default)]
    pub harmful: u64,
    /// How often it was used without helping or doing harm.
    #[serde(default)]
    pub neutral: u64,
    /// How often it was distilled. It has no influence on the effectiveness: a strategy that could have been followed is
    /// not one that was.
    #[serde(default = "once")]
    pub observed: u64,
    /// When it was added, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// When it was last tagged, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<Timestamp>,
    /// Unknown keys of the file that it was read from.
    #[serde(flatten)]
    pub extra: Map<String, Json>,
}

const fn once() -> u64 {
    1
}

impl Strategy {
    /// A strategy that was distilled once and not used yet.
    pub(super) fn new(id: StrategyId, category: String, content: String, created: Timestamp) -> Self {
        Self {
            id,
            category,
            content,
            helpful: 0,
            harmful: 0,
            neutral: 0,
            observed: once(),
            created: Some(created),
            last_used: None,
            extra: Map::new(),
        }
    }

    /// From -1, always harmful, to 1, always helpful; 0 if it was never tagged.
    pub fn effectiveness(&self) -> f64 {
        self.rate().to_f64().unwrap_or_default()
    }

    /// The effectiveness.
    pub(super) fn rate(&self) -> Decimal {
        let [helpful, harmful, neutral] = [self.helpful, self.harmful, self.neutral].map(Decimal::from);
        (helpful - harmful).checked_div(helpful + harmful + neutral).unwrap_or_default()
    }

    /// Counts one use.
    pub(super) fn tag(&mut self, tag: Tag, at: &Timestamp) {
        let count = match tag {
            Tag::Helpful => &mut self.helpful,
            Tag::Harmful => &mut self.harmful,
            Tag::Neutral => &mut self.neutral,
        };
        *count = count.saturating_add(1);
        self.last_used = Some(at.clone());
    }
}

/// Why a text cannot be the category or the content of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InvalidText {
    /// It is empty.
    Empty,
    /// It is too long.
    TooLong,
}

/// A category in snake case.
pub(super) fn normal_category(text: &str) -> Result<String, InvalidText> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| c.is_whitespace() || matches!(c, '-' | '_')).filter(|word| !word.is_empty());
    let category: String = words.collect::<Vec<_>>().join("_");
    check_length(category, MAX_CATEGORY_CHARS)
}

/// A content on one line: each strategy is a list item in the system prompt.
pub(super) fn normal_content(text: &str) -> Result<String, InvalidText> {
    check_length(text.split_whitespace().collect::<Vec<_>>().join(" "), MAX_CONTENT_CHARS)
}

fn check_length(text: String, most: usize) -> Result<String, InvalidText> {
    match text.chars().count() {
        0 => Err(InvalidText::Empty),
        count if count > most => Err(InvalidText::TooLong),
        _ => Ok(text),
    }
}
