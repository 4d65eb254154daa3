//! The quotable strings of the calls of a recording. Other texts are searched for these only.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use serde_json::Value as Json;
use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Body, Message, Role};

use super::quotable::{self, lines, names};

/// The longest value in bytes whose names count. Longer ones are rather written than quoted.
const LONGEST_VALUE: usize = 400;

/// Keys of text that an edit replaces, in lower case without separators.
const OLD_KEYS: &[&str] = &["before", "find", "old", "oldstr", "oldstring", "oldtext", "original", "search"];

/// Keys of text that the model writes.
const NEW_KEYS: &[&str] = &[
    "after",
    "answer",
    "body",
    "content",
    "contents",
    "description",
    "explanation",
    "filetext",
    "inserttext",
    "message",
    "new",
    "newstr",
    "newstring",
    "newtext",
    "note",
    "notes",
    "plan",
    "prompt",
    "reason",
    "replace",
    "replacement",
    "summary",
    "text",
    "thought",
    "thoughts",
    "todos",
];

/// A number of a quotable string.
pub(super) type Word = u32;

/// The quotable strings of the calls of a recording, by their hashes.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    words: HashMap<u64, Word>,
    /// The filters of the words, of the beginnings of names, and of the beginnings of lines.
    word_filter: Filter,
    name_filter: Filter,
    line_filter: Filter,
    /// How its lines begin: hashes of two lengths.
    line_starts: HashSet<u64>,
    /// The quotable strings of each call, each once, by the address of its arguments.
    calls: HashMap<usize, Vec<(SmolStr, Word)>>,
}

/// A bit for some bits of each of some hashes, to pass over most others without a closer look.
#[derive(Debug, Default)]
struct Filter(Vec<u64>);

impl Filter {
    fn of(hashes: impl ExactSizeIterator<Item = u64>) -> Self {
        let mut bits = vec![0; (hashes.len() / 4).next_power_of_two()];
        for hash in hashes {
            let (at, bit) = place(hash, bits.len());
            bits[at] |= bit;
        }
        Self(bits)
    }

    fn may_have(&self, hash: u64) -> bool {
        let (at, bit) = place(hash, self.0.len());
        self.0.get(at).is_some_and(|bits| bits & bit != 0)
    }
}

/// Where the bit of a hash is in a filter of this length, a power of two.
const fn place(hash: u64, length: usize) -> (usize, u64) {
    let at = (hash >> 6) as usize & length.wrapping_sub(1);
    (at, 1 << (hash & 63))
}

/// A hash of the first bytes of a name and of its length.
fn hash_of_beginning(name: &[u8]) -> u64 {
    let first = name.first_chunk().map_or(0, |first| u32::from_le_bytes(*first));
    // For a short name the last four bytes, which may be among the first.
    let next = name.get(4..8).unwrap_or(name).last_chunk().map_or(0, |next| u32::from_le_bytes(*next));
    let beginning = u64::from(first) << 32 | u64::from(next);
    let hash = (beginning ^ name.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 32
}

impl Vocabulary {
    /// The strings of all calls of these messages.
    pub(super) fn of(messages: &[Arc<Message>]) -> Self {
        let (mut words, mut beginnings, mut line_starts) = (HashMap::new(), HashSet::new(), HashSet::new());
        let (mut calls, mut seen) = (HashMap::new(), HashSet::new());
        for message in messages.iter().filter(|message| message.role == Role::Assistant) {
            for (.., arguments) in message.calls() {
                let mut of_call = Vec::new();
                seen.clear();
                quotes(arguments, &mut |hash, text, is_line| {
                    let next = u32::try_from(words.len()).unwrap_or(u32::MAX);
                    let word = *words.entry(hash).or_insert(next);
                    if seen.insert(word) {
                        of_call.push((text.into(), word));
                    }
                    if is_line {
                        line_starts.extend(quotable::line_starts(text).into_iter().flatten());
                    } else {
                        beginnings.insert(hash_of_beginning(text.as_bytes()));
                    }
                });
                calls.insert(address(arguments), of_call);
            }
        }
        let word_filter = Filter::of(words.keys().copied());
        let name_filter = Filter::of(beginnings.iter().copied());
        let line_filter = Filter::of(line_starts.iter().copied());
        Self { words, word_filter, name_filter, line_filter, line_starts, calls }
    }

    /// The quotable strings of a call of these messages, each once. They are needed only once.
    pub(super) fn take_words(&mut self, arguments: &Arguments) -> Vec<(SmolStr, Word)> {
        self.calls.remove(&address(arguments)).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The strings of a content, each once, ascending.
    pub(super) fn words(&self, body: &Body) -> Box<[Word]> {
        let mut found = Vec::new();
        if !self.words.is_empty() {
            self.search(body, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found.into()
    }

    /// The number of a string.
    fn word(&self, hash: u64) -> Option<Word> {
        if self.word_filter.may_have(hash) { self.words.get(&hash).copied() } else { None }
    }

    /// Returns whether a quotable line begins with this hash.
    fn has_line_start(&self, hash: u64) -> bool {
        self.line_filter.may_have(hash) && self.line_starts.contains(&hash)
    }

    fn search(&self, body: &Body, found: &mut Vec<Word>) {
        match body {
            Body::Text(text) | Body::Thinking { text, .. } => self.search_text(text, found),
            Body::ToolCall { name, arguments, .. } => {
                self.search_text(name, found);
                match arguments {
                    Arguments::Text(text) => self.search_text(text, found),
                    Arguments::Json(json) => self.search_json(json, found),
                }
            }
            Body::ToolResult(result) => {
                self.search_text(&result.text, found);
                result.attachments.iter().for_each(|body| self.search(body, found));
            }
            Body::Other(json) => self.search_json(json, found),
            Body::Image { .. } => {}
        }
    }

    fn search_text(&self, text: &str, found: &mut Vec<Word>) {
        names(text, |name| self.name_filter.may_have(hash_of_beginning(name)), |hash, _| found.extend(self.word(hash)));
        if !self.line_starts.is_empty() {
            lines(text, |start| self.has_line_start(start), |hash, _| found.extend(self.word(hash)));
        }
    }

    fn search_json(&self, json: &Json, found: &mut Vec<Word>) {
        match json {
            Json::String(text) => self.search_text(text, found),
            Json::Number(number) => self.search_text(&number.to_string(), found),
            Json::Array(items) => items.iter().for_each(|item| self.search_json(item, found)),
            Json::Object(fields) => {
                for (key, value) in fields {
                    self.search_text(key, found);
                    self.search_json(value, found);
                }
            }
            Json::Null | Json::Bool(_) => {}
        }
    }
}

fn address(arguments: &Arguments) -> usize {
    std::ptr::from_ref(arguments).addr()
}

/// Reports the quotable strings of a call's arguments: their hashes, their texts, and whether each is a line.
fn quotes(arguments: &Arguments, found: &mut dyn FnMut(u64, &str, bool)) {
    match arguments.parsed() {
        Some(json) => quotes_in("", json, found),
        None => quotes_of("", &arguments.text(), found),
    }
}

fn quotes_in(key: &str, json: &Json, found: &mut dyn FnMut(u64, &str, bool)) {
    match json {
        Json::String(text) => quotes_of(key, text, found),
        Json::Number(number) => quotes_of(key, &number.to_string(), found),
        Json::Array(items) => items.iter().for_each(|item| quotes_in(key, item, found)),
        Json::Object(fields) => fields.iter().for_each(|(key, value)| quotes_in(key, value, found)),
        Json::Null | Json::Bool(_) => {}
    }
}

/// The quotes of a value: the names of a short one, the lines of old text of an edit, and those that a patch removes or
/// repeats.
fn quotes_of(key: &str, text: &str, found: &mut dyn FnMut(u64, &str, bool)) {
    let key: SmolStr = key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    if NEW_KEYS.contains(&key.as_str()) {
        return;
    }
    if OLD_KEYS.contains(&key.as_str()) {
        lines(text, |_| true, |hash, line| found(hash, line, true));
    } else if text.contains("*** Begin Patch") || text.contains("\n@@") {
        let old = text.split('\n').filter(|line| line.starts_with([' ', '-']) && !line.starts_with("---"));
        old.for_each(|line| lines(line, |_| true, |hash, line| found(hash, line, true)));
        return;
    }
    if text.len() <= LONGEST_VALUE {
        names(text, |_| true, |hash, place| found(hash, text.get(place).unwrap_or_default(), false));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trimtab_base::conversation::Part;

    use super::*;

    fn found(arguments: &Json) -> Vec<String> {
        let mut all = Vec::new();
        quotes(&Arguments::from(arguments.clone()), &mut |_, text, _| all.push(text.to_owned()));
        all
    }

    #[test]
    fn short_values_quote_names_and_old_texts_quote_lines() {
        let edit = serde_json::json!({
            "path": "src/ledger.rs", "old_string": "  let balance_now = open(account);", "new_string": "let total_now = 1;",
        });
        assert_eq!(found(&edit), ["ledger.rs", "let balance_now = open(account);", "balance_now"]);
        assert_eq!(found(&serde_json::json!({ "command": "x ".repeat(200) + "balance_now" })), [""; 0]);
    }

    #[test]
    fn a_patch_quotes_what_it_removes_and_repeats() {
        let patch = "*** Begin Patch\n@@\n let one = first_thing(here);\n-let two = second_thing(here);\n+let three = third_thing(here);\n";
        assert_eq!(
            found(&serde_json::json!({ "input": patch })),
            ["let one = first_thing(here);", "let two = second_thing(here);"]
        );
    }

    /// The strings of a text without any filter.
    fn words_of_all(vocabulary: &Vocabulary, text: &str) -> Vec<Word> {
        let mut found = Vec::new();
        names(text, |_| true, |hash, _| found.extend(vocabulary.words.get(&hash)));
        lines(text, |_| true, |hash, _| found.extend(vocabulary.words.get(&hash)));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Names and lines of a few characters, so that many of them are equal or begin alike.
    const TEXT: &str =
        r"([ab]{1,2}[_.@1-][ab1]{3,9}|[a-c]{2}[A-C][a-c]{4,5}|1{4,7}|let [ab]_x = [ab1]{8,14};|\\n|[ \n+>]){1,12}";

    proptest! {
        #[test]
        fn the_filters_pass_over_nothing_that_is_quoted(quoted in TEXT, old in TEXT, text in TEXT) {
            let arguments = Arguments::from(serde_json::json!({ "path": quoted, "old_string": old }));
            let reply = Message::new(Role::Assistant, vec![Part::call("c", "edit", arguments)]);
            let vocabulary = Vocabulary::of(&[Arc::new(reply)]);
            for text in [&quoted, &old, &text] {
                let words = vocabulary.words(&Body::Text(text.as_str().into()));
                prop_assert_eq!(&*words, words_of_all(&vocabulary, text));
            }
        }
    }
}
