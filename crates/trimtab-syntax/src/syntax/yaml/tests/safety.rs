//! Aliases, exponential expansion, depth, and arbitrary texts.

use proptest::prelude::*;
use trimtab_base::source::{Source, SourceId};

use super::{clean, only, parse};

#[test]
fn aliases_and_merge_keys_work() {
    let text = "base: &base {threshold: 0.9, recent_window: 3}\nlist: &list\n  - {kind: observation_mask, params: {<<: *base, \
                recent_window: 5}}\nagents:\n  - {name: a, effects: *list}\n  - {name: b, effects: [{kind: compact, params: \
                {threshold: &t 0.5}}, {kind: observation_mask, params: {threshold: *t}}]}\n";
    let tree = clean(text);
    assert_eq!(tree.matches(">= 90%").count(), 1, "{tree}");
    assert_eq!(tree.matches("keep 5 messages").count(), 1, "{tree}");
    assert_eq!(tree.matches(">= 50%").count(), 2, "{tree}");
    let several = "a: &a {interval: 2}\nb: &b {interval: 3}\neffects: [{kind: progress, params: {<<: [*b, *a]}}]";
    assert!(clean(several).contains("every 3 iterations"));
    let key = "k: &k interval\neffects: [{kind: progress, params: {*k : 7}}]";
    assert!(clean(key).contains("every 7 iterations"));
}

#[test]
fn an_alias_inside_its_own_anchor_is_an_error() {
    assert_eq!(only("effects: &a [{kind: compact}, *a]").0, "E602");
    assert_eq!(only("effects: [&a {kind: compact, params: *a}]").0, "E602");
}

#[test]
fn exponential_aliases_are_rejected_quickly() {
    let mut text = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..30 {
        let below = vec![format!("*a{}", level - 1); 10].join(", ");
        text += &format!("a{level}: &a{level} [{below}]\n");
    }
    text += "effects: *a29\n";
    let codes = super::findings(&text);
    assert!(!codes.is_empty() && codes.iter().all(|(code, ..)| matches!(*code, "E602" | "E606")), "{codes:#?}");
}

#[test]
fn deeply_nested_aliases_are_rejected_before_the_stack_overflows() {
    let mut text = String::from("a0: &a0 [x]\n");
    for level in 1..200 {
        text += &format!("a{level}: &a{level} {}*a{}{}\n", "[".repeat(100), level - 1, "]".repeat(100));
    }
    text += "effects: [{kind: compact}]\n";
    assert!(super::findings(&text).iter().all(|(code, ..)| *code == "E602"));
    assert!(super::errors(&text) > 0);
}

#[test]
fn deep_nesting_is_rejected_by_the_yaml_parser() {
    for text in ["[".repeat(100_000), "- ".repeat(100_000), "{a: ".repeat(50_000)] {
        assert_eq!(only(&text).0, "E601");
    }
}

#[test]
fn long_words_are_shortened_in_messages() {
    let (code, _, message) = only(&format!("effects: [{{kind: {}}}]", "x".repeat(100_000)));
    assert!(code == "E608" && message.len() < 200, "{message}");
}

#[test]
fn twenty_thousand_effects_are_parsed() {
    let text = format!("effects:\n{}", "  - {kind: progress, params: {interval: 7}}\n".repeat(20_000));
    assert!(clean(&text).contains("rule progress_20000\n"));
}

const WHOLE: &str = "providers: &p\n  - {name: main, kind: anthropic, context_window: 200000}\nagents:\n  - name: coder\n    \
                     provider: main\n    tools: [a, b]\n    options: {context_threshold: 0.8}\n    effects:\n      - kind: \
                     sliding_window\n        params: {threshold: 0.7, recent_zone: 10}\n      - kind: loop_detect\n  - <<: {name: \
                     x}\n    effects: [&e {kind: compact}, *e]\n";

/// Reads the text; every span must lie in it, on the borders of characters.
fn check_spans(text: &str) {
    let source = Source::new(SourceId(0), "", text);
    let (_, findings) = parse(&source);
    for finding in &findings {
        assert!(text.get(finding.primary.span.range()).is_some(), "{finding:?}");
        assert!(finding.labels.iter().all(|label| text.get(label.span.range()).is_some()), "{finding:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_parsed_without_panics(text in "\\PC{0,200}|[-\\[\\]{}:,&*!|>'\"%@`#? \\n\\tae01.<~]{0,200}") {
        check_spans(&text);
    }

    #[test]
    fn any_change_of_a_valid_file_is_parsed_without_panics(
        changes in prop::collection::vec((0..WHOLE.len(), 0..30usize, "[-\\[\\]{}:,&*!|>'\"é#? \\n\\ta0.<]{0,4}"), 1..5),
    ) {
        let mut text = WHOLE.to_owned();
        for (at, cut, new) in changes {
            let start = text.floor_char_boundary(at.min(text.len()));
            let end = text.floor_char_boundary((start + cut).min(text.len()));
            text.replace_range(start..end, &new);
        }
        check_spans(&text);
    }

    #[test]
    fn any_prefix_of_a_valid_file_is_parsed_without_panics(end in 0..WHOLE.len()) {
        check_spans(WHOLE.get(..end).expect("the text is ASCII"));
    }
}
