//! Replaces what identifies people and machines in a recording by meaningless characters of the same number.
//!
//! The input is Trimtab JSONL. The structure stays, and so do ids, names of tools and keys except for what identifies
//! somebody in them. Equal secrets get equal replacements in one file, so that repeated calls stay recognisable.

mod assignment;
mod block;
mod command;
mod generic_name;
mod home;
mod json_text;
mod list;
mod markup;
mod number;
mod personal_number;
mod place;
mod private_key;
mod replacement;
mod secret;
mod secret_name;
mod token;
mod user_name;
mod value;

use std::ops::Range;

use serde_json::{Map, Value as Json};
use trimtab_model::model;

use self::place::{Treatment, ValueRole};
use self::replacement::Replacements;
use self::secret_name::{SecretName, secret_name};
use self::user_name::UserNames;

/// Shorter numbers of secret names stay.
const MIN_SECRET_DIGITS: usize = 4;

/// What is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedactedText {
    /// Names of users, e-mail addresses, IP addresses, credentials, keys and other random strings.
    Secrets,
    /// These, and numbers of telephones, bank accounts, social security and network cards.
    PersonalNumbers,
    /// These, every word and every long number.
    All,
}

/// Redacts transcripts in Trimtab JSONL. The result has the same number of characters in each text.
pub fn redact(jsonl: &str, what: RedactedText) -> String {
    let lines: Vec<Json> = jsonl.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut names = UserNames::default();
    for line in &lines {
        collect_names(line, &mut names);
    }
    let mut redactor = Redactor { names, what, replacements: Replacements::default() };
    let redacted = lines.into_iter().map(|mut line| {
        redactor.value(&mut line, ValueRole::Line);
        format!("{line}\n")
    });
    redacted.collect()
}

/// Adds the names of users in every text of a value.
fn collect_names(json: &Json, names: &mut UserNames) {
    match json {
        Json::String(text) => names.collect(text),
        Json::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        Json::Object(map) => {
            for (key, value) in map {
                names.collect(key);
                names.collect_variable(key, value.as_str().unwrap_or_default());
                collect_names(value, names);
            }
        }
        _ => {}
    }
}

struct Redactor {
    names: UserNames,
    what: RedactedText,
    replacements: Replacements,
}

impl Redactor {
    fn value(&mut self, json: &mut Json, place: ValueRole) {
        match json {
            Json::String(text) if place == ValueRole::Secret => *text = self.replacements.all(text),
            // The list of tools has names of some.
            Json::String(text) if place == ValueRole::Tools => *text = self.identifier(text),
            Json::String(text) => *text = self.text(text),
            Json::Number(number) if matches!(place, ValueRole::Content | ValueRole::Secret) => {
                let text = self.number(&number.to_string(), place == ValueRole::Secret);
                *json = serde_json::from_str(&text).unwrap_or_default();
            }
            Json::Array(items) if matches!(place, ValueRole::Parts | ValueRole::Content) => self.list(items, place),
            Json::Array(items) => items.iter_mut().for_each(|item| self.value(item, place)),
            Json::Object(map) => self.object(map, place),
            _ => {}
        }
    }

    fn object(&mut self, map: &mut Map<String, Json>, place: ValueRole) {
        let treatments: Vec<Treatment> = map.keys().map(|key| place.treatment(map, key)).collect();
        let secret: Vec<Option<SecretName>> = map.keys().map(|key| secret_of(map, key)).collect();
        let foreign: Vec<bool> = map.keys().map(|key| place.has_foreign_key(map, key)).collect();
        let mut redacted = Map::new();
        let members = std::mem::take(map).into_iter().zip(treatments).zip(secret).zip(foreign);
        for ((((key, mut value), treatment), secret), is_foreign) in members {
            let is_secret = secret.is_some_and(|secret| is_secret_value(secret, &value));
            match treatment {
                Treatment::In(ValueRole::Content) if is_secret => self.value(&mut value, ValueRole::Secret),
                Treatment::In(place) => self.value(&mut value, place),
                Treatment::Keep => {}
                Treatment::Identifier if key == "model" => strings(&mut value, &mut |text| self.model(text)),
                Treatment::Identifier => strings(&mut value, &mut |text| self.identifier(text)),
                Treatment::Key => strings(&mut value, &mut |text| self.key(text)),
                Treatment::All => strings(&mut value, &mut |text| self.replacements.all(text)),
            }
            let key = if !is_foreign {
                key
            } else if place == ValueRole::ToolNames {
                self.identifier(&key)
            } else {
                self.key(&key)
            };
            let key = self.unused(key, &redacted);
            redacted.insert(key, value);
        }
        *map = redacted;
    }

    /// The key, or a replacement if the object has it already.
    fn unused(&mut self, mut key: String, object: &Map<String, Json>) -> String {
        for _ in 0..=object.len() {
            if !object.contains_key(&key) {
                break;
            }
            key = self.replacements.all(&key);
        }
        key
    }

    /// Redacts a key. A plain name stays, unless it is secret; other keys are texts.
    fn key(&mut self, key: &str) -> String {
        let is_name = key.chars().all(|char| char.is_alphanumeric() || "_-$".contains(char));
        if is_name { self.replace(key, secret::secrets(key)) } else { self.plain_text(key) }
    }

    /// Redacts what identifies somebody in an id or a name, and no random strings.
    fn identifier(&mut self, text: &str) -> String {
        self.replace(text, secret::identifying(text))
    }

    /// Redacts the id of a model, which stays that of a known model.
    fn model(&mut self, id: &str) -> String {
        let redacted = self.identifier(id);
        let name = |id: &str| model::find(id).map(|model| model.id);
        if name(id) == name(&redacted) { redacted } else { id.to_owned() }
    }

    /// Redacts a text.
    fn text(&mut self, text: &str) -> String {
        if is_json(text) { self.json_text(text) } else { self.plain_text(text) }
    }

    fn plain_text(&mut self, text: &str) -> String {
        let ranges = self.secrets(text);
        self.replace(text, ranges)
    }

    /// The ranges of a text that are replaced, without the names of users.
    fn secrets(&self, text: &str) -> Vec<Range<usize>> {
        let mut ranges = secret::secrets(text);
        if self.what != RedactedText::Secrets {
            ranges.extend(personal_number::numbers(text));
        }
        if self.what == RedactedText::All {
            ranges.extend(replacement::words(text));
        }
        ranges
    }

    /// Replaces these ranges and the names of users.
    fn replace(&mut self, text: &str, mut ranges: Vec<Range<usize>>) -> String {
        ranges.extend(self.names.occurrences(text));
        if ranges.is_empty() {
            return text.to_owned();
        }
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for range in merged(ranges) {
            out.push_str(text.get(done..range.start).unwrap_or_default());
            out.push_str(&self.replacements.all(text.get(range.clone()).unwrap_or_default()));
            done = range.end;
        }
        out + text.get(done..).unwrap_or_default()
    }
}

/// How surely the value of a key is secret, by the key or by another member of the object.
fn secret_of(object: &Map<String, Json>, key: &str) -> Option<SecretName> {
    secret_name(key).or_else(|| json_text::is_named_secret(object, key).then_some(SecretName::Sure))
}

/// Whether a value is secret under a name: for a name with many meanings, only a random text.
fn is_secret_value(secret: SecretName, value: &Json) -> bool {
    match value {
        Json::String(text) => value::is_secret_text(secret, text),
        _ => secret > SecretName::Possible,
    }
}

/// Whether a text is a list or an object in JSON.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Changes a string, or the strings of a list.
fn strings(json: &mut Json, change: &mut dyn FnMut(&str) -> String) {
    match json {
        Json::String(text) => *text = change(text),
        Json::Array(items) => items.iter_mut().for_each(|item| strings(item, change)),
        _ => {}
    }
}

/// The ranges in order, those that overlap joined to one.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests;
