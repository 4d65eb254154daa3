//! Sentences and lists in what the agent writes, in any script.

use super::quote::lines;

/// English words of sentences that state a decision. A text without them is treated by its structure alone.
const DECISION_WORDS: &[&str] =
    &["because", "instead", "decided", "rather than", "so that", "ruled out", "chose", "will use", "i'll use"];

/// The sentences of a text without the code in it. Headings and list items are sentences of their own.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in prose(text) {
        let line = line.trim();
        let line = list_item(line).map_or(line, |item| item.text);
        let mut start = 0;
        let mut previous = None;
        for (at, c) in line.char_indices() {
            // `.` and its like end a sentence only before a space: versions and paths contain them.
            let is_end = matches!(previous, Some('.' | '!' | '?' | '؟' | '।' | '۔' | '…')) && c.is_whitespace();
            if is_end || matches!(previous, Some('。' | '！' | '？' | '｡')) {
                found.push(trimtab_base::source::slice(line, start..at).trim());
                start = at;
            }
            previous = Some(c);
        }
        found.push(trimtab_base::source::starting_at(line, start).trim());
    }
    found.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    found
}

/// The shortest sentence that can state a decision, in bytes, because scripts with more bytes per character say more with
/// each. Shorter ones say that the agent goes on.
const MIN_DECISION: usize = 40;

/// The sentence that most likely states a decision: the last one with a word for it, or else the longest one, which is
/// the one that gives reasons. A sentence that ends with a colon only announces what follows.
pub(super) fn decision(text: &str) -> Option<&str> {
    let mut candidates = sentences(text);
    candidates.retain(|sentence| sentence.len() >= MIN_DECISION && !announces(sentence));
    let states_one = |sentence: &&&str| {
        let lower = sentence.to_ascii_lowercase();
        DECISION_WORDS.iter().any(|word| lower.contains(word))
    };
    let stated = candidates.iter().rev().find(states_one);
    stated.or_else(|| candidates.iter().max_by_key(|sentence| sentence.len())).copied()
}

/// Whether a sentence announces what follows it.
pub(super) fn announces(sentence: &str) -> bool {
    sentence.trim_end_matches(['*', '_']).ends_with([':', '：'])
}

/// The items of the last numbered list of at least two items in a text.
pub(super) fn numbered_list(text: &str) -> Vec<&str> {
    let (mut list, mut current) = (Vec::new(), Vec::new());
    for line in prose(text) {
        let is_nested = line.starts_with(char::is_whitespace);
        match list_item(line.trim()) {
            Some(item) if is_nested && !current.is_empty() && item.number.is_none_or(|number| number == 1) => {}
            Some(ListItem { number: Some(number), text }) => {
                if number == 1 {
                    let ended = std::mem::take(&mut current);
                    list = if ended.len() > 1 { ended } else { list };
                }
                current.push(text);
            }
            _ => {}
        }
    }
    if current.len() > 1 { current } else { list }
}

/// Whether a text ends with a question.
pub(super) fn asks(text: &str) -> bool {
    let marks = |c: char| c.is_whitespace() || "*_)]）」』\"'”’".contains(c);
    text.trim_end_matches(marks).ends_with(['?', '？', '؟', '\u{37e}'])
}

/// An item of a list.
struct ListItem<'a> {
    number: Option<u32>,
    text: &'a str,
}

fn list_item(line: &str) -> Option<ListItem<'_>> {
    if let Some(text) = ["- ", "* ", "+ ", "• ", "– "].iter().find_map(|mark| line.strip_prefix(mark)) {
        return Some(ListItem { number: None, text: text.trim_start() });
    }
    let rest = line.trim_start_matches(char::is_numeric);
    let (digits, rest) = line.split_at(line.len() - rest.len());
    let text = rest.strip_prefix(['.', ')', '、', '．', '）'])?;
    let is_item = !digits.is_empty() && digits.len() <= 6 && !text.starts_with(char::is_numeric);
    // The digits of other scripts count as some number that is not the first.
    is_item.then(|| ListItem { number: Some(digits.parse().unwrap_or(u32::MAX)), text: text.trim_start() })
}

/// The lines of a text without fenced code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    lines(text).filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_as_their_script_ends_them() {
        let text =
            "It is v1.2 of a.rs. Done!\n```\nlet x = 1. ok\n```\n## Next\n- 修复解析器。然后测试！好\nهل تم؟ نعم";
        assert_eq!(
            sentences(text),
            ["It is v1.2 of a.rs.", "Done!", "## Next", "修复解析器。", "然后测试！", "好", "هل تم؟", "نعم"]
        );
        assert!(sentences("---\n...\n🦀").is_empty());
    }

    #[test]
    fn a_decision_is_the_sentence_that_says_so_or_the_longest_one() {
        let text = "A map would do as well here, it seems to me. I use a list because order matters here. Now I edit.";
        assert_eq!(decision(text), Some("I use a list because order matters here."));
        assert_eq!(
            decision("我看了。为了保持顺序改用有序映射而不用列表。好。"),
            Some("为了保持顺序改用有序映射而不用列表。")
        );
        assert_eq!(decision("Let me fix that. Now I remove the import, which nothing uses:"), None);
    }

    #[test]
    fn the_last_numbered_list_is_found() {
        let text = "1. a\n2. b\nThen:\n1) 读\n   - detail\n   1. inner\n2) 写\n\nGo. 2024. x\n";
        assert_eq!(numbered_list(text), ["读", "写"]);
        assert!(numbered_list("1. only\n- a\n- b\n3.14 is pi").is_empty());
    }

    #[test]
    fn questions_end_with_a_question_mark_of_any_script() {
        assert!(["Shall I?", "**Shall I?** ", "要吗？", "هل؟"].into_iter().all(asks));
        assert!(!["Done.", "a ? b : c;", ""].into_iter().any(asks));
    }
}
