//! Playbooks as JSON.

use std::collections::HashSet;
use std::error::Error;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::strategy::{InvalidText, Strategy, normal_category, normal_content};
use super::{MAX_STRATEGIES, Playbook};

/// The version of the form.
const VERSION: u64 = 1;

/// Why a text is not a playbook.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlaybookError {
    /// It is not valid JSON, for this reason.
    Json(String),
    /// It is not a JSON object.
    NotAnObject,
    /// This is missing in it.
    Missing(&'static str),
    /// It is in a form of another version.
    Version(u64),
}

impl fmt::Display for PlaybookError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(reason) => write!(out, "the playbook is not valid JSON: {reason}"),
            Self::NotAnObject => out.write_str("the playbook is not a JSON object"),
            Self::Missing(expected) => write!(out, "the playbook has no {expected}"),
            Self::Version(version) => write!(out, "the playbook has version {version}, not {VERSION}"),
        }
    }
}

impl Error for PlaybookError {}

/// A strategy of a file that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedStrategy {
    /// Its index in the file, from 0.
    pub index: usize,
    /// Why.
    pub reason: String,
}

impl fmt::Display for SkippedStrategy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "strategy {} was skipped: {}", self.index, self.reason)
    }
}

impl Playbook {
    /// Reads a playbook and reports the strategies that it skips because they are malformed. Unknown keys are kept.
    ///
    /// # Errors
    /// The text is not a playbook of this version.
    pub fn read(text: &str) -> Result<(Self, Vec<SkippedStrategy>), PlaybookError> {
        let json = serde_json::from_str(text).map_err(|error| PlaybookError::Json(error.to_string()))?;
        Self::from_json(json)
    }

    /// The playbook as JSON text, indented, with a line break at the end.
    pub fn write(&self) -> String {
        format!("{:#}\n", self.json())
    }

    fn from_json(json: Json) -> Result<(Self, Vec<SkippedStrategy>), PlaybookError> {
        let Json::Object(mut extra) = json else { return Err(PlaybookError::NotAnObject) };
        match extra.shift_remove("schema_version").as_ref().map(Json::as_u64) {
            Some(Some(VERSION)) => {}
            Some(Some(version)) => return Err(PlaybookError::Version(version)),
            Some(None) | None => return Err(PlaybookError::Missing("number `schema_version`")),
        }
        let Some(Json::Array(listed)) = extra.shift_remove("strategies") else {
            return Err(PlaybookError::Missing("list `strategies`"));
        };
        let (strategies, skipped) = read_strategies(listed);
        let after = |strategy: &Strategy| strategy.id.number().map(|number| number.wrapping_add(1));
        let next = extra.shift_remove("next").as_ref().and_then(Json::as_u64);
        let next = next.or_else(|| strategies.iter().filter_map(after).max()).unwrap_or(0);
        Ok((Self { strategies, next, extra }, skipped))
    }

    fn json(&self) -> Json {
        let Self { strategies, next, extra } = self;
        let own = [("schema_version", VERSION.into()), ("next", (*next).into()), ("strategies", json!(strategies))];
        let own = own.into_iter().map(|(key, value)| (key.to_owned(), value));
        own.chain(extra.clone()).collect()
    }
}

fn read_strategies(listed: Vec<Json>) -> (Vec<Strategy>, Vec<SkippedStrategy>) {
    let (mut strategies, mut skipped, mut ids) = (Vec::new(), Vec::new(), HashSet::new());
    for (index, json) in listed.into_iter().enumerate() {
        let read = read_strategy(json).and_then(|strategy| {
            if strategies.len() >= MAX_STRATEGIES {
                return Err(format!("a playbook holds {MAX_STRATEGIES} strategies at most"));
            }
            if !ids.insert(strategy.id.clone()) {
                return Err(format!("another one has the id `{}`", strategy.id));
            }
            Ok(strategy)
        });
        match read {
            Ok(strategy) => strategies.push(strategy),
            Err(reason) => skipped.push(SkippedStrategy { index, reason }),
        }
    }
    (strategies, skipped)
}

fn read_strategy(json: Json) -> Result<Strategy, String> {
    let strategy: Strategy = serde_json::from_value(json).map_err(|error| error.to_string())?;
    let wrong = |key: &'static str| {
        move |invalid| match invalid {
            InvalidText::Empty => format!("its `{key}` is empty"),
            InvalidText::TooLong => format!("its `{key}` is too long"),
        }
    };
    let category = normal_category(&strategy.category).map_err(wrong("category"))?;
    let content = normal_content(&strategy.content).map_err(wrong("content"))?;
    Ok(Strategy { category, content, ..strategy })
}

impl Serialize for Playbook {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

/// Reads what was written with [`Serialize`], which has no malformed strategies.
impl<'de> Deserialize<'de> for Playbook {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (playbook, skipped) = Self::from_json(Json::deserialize(deserializer)?).map_err(D::Error::custom)?;
        skipped.first().map_or(Ok(playbook), |skipped| Err(D::Error::custom(skipped)))
    }
}
