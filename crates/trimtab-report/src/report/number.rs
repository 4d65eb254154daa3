//! Numbers, nouns and lists as every report prints them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use trimtab_base::quantity::{Decimal, grouped, percent_of};

/// `1 file`, `2 files`, `1,200 policies`.
pub fn plural(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {}", whole(number), plural_of(noun)) }
}

/// The same for a count that results write.
pub(super) fn plural_count(number: u64, noun: &str) -> String {
    plural(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

/// The plural of a noun.
fn plural_of(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Skipped records by kind, the most frequent first: `2 broken lines, 1 record without messages`.
pub(super) fn skipped_kinds(kinds: &BTreeMap<String, u64>) -> String {
    let mut kinds: Vec<_> = kinds.iter().collect();
    kinds.sort_by_key(|(_, number)| Reverse(**number));
    let text = |(kind, number): &(&String, &u64)| match **number {
        1 => format!("1 {kind}"),
        number => format!("{} {}", count(number), plural_kind(kind)),
    };
    kinds.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// The plural of a kind of records, whose noun is before the first preposition. A type that another system recorded stays.
fn plural_kind(kind: &str) -> String {
    const PREPOSITIONS: [&str; 8] = ["of", "without", "outside", "with", "in", "before", "to", "from"];
    let words: Vec<&str> = kind.split(' ').collect();
    let end = words.iter().position(|word| PREPOSITIONS.contains(word)).unwrap_or(words.len());
    if words.len() < 2 || end == 0 {
        return kind.to_owned();
    }
    let noun = plural_of(&words[..end].join(" "));
    std::iter::once(noun.as_str()).chain(words[end..].iter().copied()).collect::<Vec<_>>().join(" ")
}

/// `once`, `twice`, `3 times`.
pub(super) fn times(number: usize) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        number => format!("{} times", whole(number)),
    }
}

/// A number of tokens with thousands separators.
pub(super) fn count(tokens: u64) -> String {
    grouped(Decimal::from(tokens))
}

/// A count with thousands separators.
pub fn whole(number: usize) -> String {
    grouped(Decimal::from(number))
}

/// A sum of tokens with thousands separators, possibly negative.
pub(super) fn signed(sum: i128) -> String {
    Decimal::try_from_i128_with_scale(sum, 0).map_or_else(|_| sum.to_string(), grouped)
}

/// A sum of tokens with thousands separators.
pub(super) fn sum(tokens: u128) -> String {
    i128::try_from(tokens).map_or_else(|_| tokens.to_string(), signed)
}

/// A part of a total with its share: `1,234 (5.6%)`.
pub(super) fn part_of(part: u128, all: u128) -> String {
    format!("{} ({})", sum(part), percent_of(part, all))
}

/// `a, b, c and 4 more`: the first `most` items, and how many are left out.
pub fn list<T: ToString>(items: impl IntoIterator<Item = T>, most: usize) -> String {
    let mut items = items.into_iter();
    let first: Vec<String> = items.by_ref().take(most).map(|item| item.to_string()).collect();
    match items.count() {
        0 => first.join(", "),
        more => format!("{} and {} more", first.join(", "), whole(more)),
    }
}

/// A text with its first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_follow_english_spelling() {
        let nouns = ["file", "policy", "replay", "fix", "branch"].map(|noun| plural(2, noun));
        assert_eq!(nouns, ["2 files", "2 policies", "2 replays", "2 fixes", "2 branches"]);
        assert_eq!([plural(1, "policy"), plural(0, "file")], ["1 policy", "0 files"]);
        assert_eq!(plural(12_345, "record"), "12,345 records");
    }

    #[test]
    fn skipped_records_are_counted_by_kind() {
        let kinds = [
            ("broken line", 2),
            ("record without messages", 3),
            ("implausible number of tokens", 2),
            ("non-object record", 2),
            ("API error", 1),
            ("progress", 4),
        ];
        let kinds = kinds.into_iter().map(|(kind, number)| (kind.to_owned(), number)).collect();
        let expected = "4 progress, 3 records without messages, 2 broken lines, 2 implausible numbers of tokens, \
             2 non-object records, 1 API error";
        assert_eq!(skipped_kinds(&kinds), expected);
    }

    #[test]
    fn a_list_is_complete_or_names_how_many_are_left_out() {
        assert_eq!(list(["a", "b"], 2), "a, b");
        assert_eq!(list(["a", "b", "c", "d"], 2), "a, b and 2 more");
        assert_eq!(list(Vec::<&str>::new(), 2), "");
    }

    #[test]
    fn amounts_have_separators_and_a_sign() {
        assert_eq!([signed(-1_234_567), sum(1_000)], ["-1,234,567", "1,000"]);
        assert_eq!(part_of(1_500, 10_000), "1,500 (15%)");
    }
}
