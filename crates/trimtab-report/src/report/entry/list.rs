//! Entries by name, and lists of entries.

use trimtab_language::effect::{EFFECTS, Effect};

use super::{Entry, KINDS};
use crate::report::style::TerminalStyle;
use crate::report::table::display_width;
use crate::report::topic::TOPICS;

/// The minimum width of a summary beside the id; otherwise it is on its own line.
const MIN_WIDTH: usize = 24;

/// The entries with this id, then one entry for all parts with this name; if there are none, the facts whose last word it is, such as
/// `share.persona` for `persona`.
pub fn find(id: &str, entries: &[Entry]) -> Vec<Entry> {
    let topic = TOPICS.iter().find(|topic| topic.is_about(id)).map(|topic| topic.name);
    let named = |entry: &&Entry| match entry.kind {
        "topic" => Some(entry.id.as_str()) == topic,
        _ => entry.id.eq_ignore_ascii_case(id),
    };
    let (topics, mut found): (Vec<Entry>, Vec<Entry>) =
        entries.iter().filter(named).cloned().partition(|entry| entry.kind == "topic");
    found.extend(topics);
    // The options of lints and systems and the terms of a topic are not part of the language.
    let language_entries = entries.iter().filter(|entry| !["lint", "system", "topic"].contains(&entry.kind));
    let part_named =
        |entry: &Entry| entry.parts.iter().find(|(name, _)| name == id).map(|part| (entry.id.clone(), part.1.clone()));
    let of_effect = |effect: &&Effect| {
        let target = effect.targets().iter().find(|target| target.name == id)?;
        Some((effect.name.to_owned(), target.summary.to_owned()))
    };
    let targets: Vec<(String, String)> = EFFECTS.iter().filter_map(of_effect).collect();
    let is_target = |entry: &&Entry| targets.iter().any(|(effect, _)| *effect == entry.id);
    let labels = language_entries.filter(|entry| !is_target(entry)).filter_map(part_named).collect();
    found.extend(part("label", id, labels));
    found.extend(part("target", id, targets));
    if found.is_empty() {
        let last_word = |entry: &&Entry| {
            entry.kind == "fact" && entry.id.rsplit_once('.').is_some_and(|(_, word)| word.eq_ignore_ascii_case(id))
        };
        found.extend(entries.iter().filter(last_word).cloned());
    }
    found
}

/// The entry for the parts of this name, each with the word it is used with and its meaning there. `None` if there are none.
fn part(kind: &'static str, id: &str, uses: Vec<(String, String)>) -> Option<Entry> {
    if uses.is_empty() {
        return None;
    }
    let words: Vec<&str> = uses.iter().map(|(word, _)| word.as_str()).collect();
    let form = format!("used with {}", words.join(", "));
    let (common, parts) = common_sentences(uses);
    let summary = common.unwrap_or_else(|| "Its meaning depends on the word it is used with.".to_owned());
    Some(Entry { kind, id: id.to_owned(), form, summary, parts, examples: Vec::new(), links: Vec::new() })
}

/// The sentences that all these texts begin with, if they have one in common, and what is left of each text.
fn common_sentences(mut texts: Vec<(String, String)>) -> (Option<String>, Vec<(String, String)>) {
    let Some((_, first)) = texts.first() else { return (None, texts) };
    let mut common = first.clone();
    let begins = |text: &str, common: &str| {
        text.strip_prefix(common).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    while !common.is_empty() && !texts.iter().all(|(_, text)| begins(text, &common)) {
        let end = common.trim_end_matches('.').rfind(". ").map_or(0, |end| end + 1);
        common.truncate(end);
    }
    if common.is_empty() {
        return (None, texts);
    }
    for (_, text) in &mut texts {
        *text = text.strip_prefix(&common).unwrap_or_default().trim_start().to_owned();
    }
    texts.retain(|(_, text)| !text.is_empty());
    (Some(common), texts)
}

/// Returns the entries of a kind, named in the singular or the plural, or `None` if there is no such kind.
pub fn kind<'e>(word: &str, entries: &'e [Entry]) -> Option<Vec<&'e Entry>> {
    let named = |(kind, title): &&(&str, &str)| kind.eq_ignore_ascii_case(word) || title.eq_ignore_ascii_case(word);
    let (kind, _) = KINDS.iter().find(named)?;
    Some(entries.iter().filter(|entry| entry.kind == *kind).collect())
}

/// The names of the kinds.
pub fn kinds() -> impl Iterator<Item = String> {
    KINDS.iter().map(|(_, title)| title.to_lowercase())
}

/// The ids of entries whose texts contain a word, in the order of the reference.
pub fn mentions(word: &str, entries: &[Entry]) -> Vec<String> {
    let word = word.to_lowercase();
    let mentions = |entry: &&Entry| {
        let parts = entry.parts.iter().flat_map(|(name, meaning)| [name, meaning]);
        let mut texts = [&entry.id, &entry.form, &entry.summary].into_iter().chain(parts);
        word.len() > 2 && texts.any(|text| text.to_lowercase().contains(&word))
    };
    entries.iter().filter(mentions).map(|entry| entry.id.clone()).collect()
}

/// Entries as a list: the id and the first sentence of the summary.
pub fn listing(entries: &[&Entry], style: TerminalStyle) -> String {
    let width = entries.iter().map(|entry| display_width(&entry.id)).max().unwrap_or(0);
    let line = |entry: &&Entry| {
        let (head, brief) = (format!("{:width$}  ", entry.id), brief(entry));
        if style.width < width + 2 + MIN_WIDTH {
            return format!("{}\n{}", style.emphasis(&entry.id), style.wrap(&brief, 4));
        }
        format!("{}{}", style.emphasis(&head), style.wrap(&brief, width + 2).trim_start())
    };
    entries.iter().map(line).collect()
}

/// The first sentence of the summary.
fn brief(entry: &Entry) -> String {
    match entry.kind {
        "code" | "lint" => entry.form.split(": ").next().unwrap_or_default().to_owned(),
        _ => match entry.summary.split_once(". ") {
            Some((first, _)) => format!("{first}."),
            None => entry.summary.clone(),
        },
    }
}
