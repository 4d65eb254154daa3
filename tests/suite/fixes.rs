//! Properties of fixes over generated policies and conversations.

use proptest::prelude::*;
use trimtab::diagnostic::{Code, Diagnostic, Severity};
use trimtab::format::format_source;
use trimtab::lint::{FixResult, Settings, apply_fixes};
use trimtab::source::{Source, SourceId, Span};

use crate::laws::{contexts, plan};
use crate::{generated, lint};

/// The findings of all lints in a text.
fn found(text: &str) -> Vec<Diagnostic> {
    let mut settings = Settings::default();
    settings.extend("all").unwrap();
    lint::found(text, &settings)
}

/// A text after its fixes.
fn fixed(text: &str, unsafe_too: bool) -> String {
    apply_fixes(text, SourceId(0), unsafe_too, &mut |text| found(text)).text
}

fn one_of(all: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(all)
}

/// A policy with many findings.
fn faulty() -> impl Strategy<Value = String> {
    let condition = one_of(&[
        "",
        "when (failures >= 1)",
        "when 10% <= context.ratio",
        "when context.ratio >= 10% and not (iteration < 2)",
        "when not (failures >= 2 or repeats >= 2)",
        "when not not failures >= 1",
        "when (call.name ?? \"\") == \"bash\" or (call.name ?? \"\") == \"read_file\"",
        "when (call.name ?? \"\") in [bash]",
        "unless not used_tool(bash)",
        "unless not (iteration < 3 and context.messages > 1 message)",
        "when ((iteration > 0) and (context.tokens >= 1000 tokens))",
        "when context.messages >= limit_of_messages",
    ]);
    let effect = one_of(&[
        "mask thinking keep 2 messages except [bash]",
        "mask results keep 2 message placeholder \"[{tool}]\" preview 9 chars",
        "mask results keep 1 results only [bash] except [read_file]",
        "mask results keep 10 messages preview 80 chars",
        "mask results keep 2 messages except [bash, bash]",
        "mask calls keep 2 messages including errors",
        "trim results to 500 chars from tail keep 4 results",
        "summarise older keep 3 messages",
        "slide recent 2 messages medium 2 messages trim 200 chars",
        "inject \"at {iteration}\" as user",
        "notify \"{context.messages}\"",
    ]);
    let guard = one_of(&[
        "",
        "once limit 2",
        "cooldown 3 iterations once",
        "every 2 iterations cooldown 2 iterations",
        "until (context.ratio < 5%)",
        "limit 4",
        "once limit 2 until context.ratio < 5%",
        "once cooldown 2 iterations limit 3 until context.messages > 6 messages",
        "every 2 iterations once until context.ratio < 5%",
    ]);
    let phase = one_of(&["", "on request", "on reply"]);
    prop::collection::vec((phase, condition, effect, guard), 1..6).prop_map(|rules| {
        let mut text = "edition 2026\nlet limit_of_messages = 6 messages\npolicy made {\n".to_owned();
        for (at, (phase, condition, effect, guard)) in rules.iter().enumerate() {
            text += &format!("  rule r{at} {{\n    {phase}\n    {condition}\n    do {effect}\n    {guard}\n  }}\n");
        }
        text + "}\n"
    })
}

fn errors(text: &str) -> usize {
    found(text).iter().filter(|finding| finding.code.id.starts_with('E') && finding.severity == Severity::Error).count()
}

proptest! {
    #![proptest_config(generated::cases(24))]

    #[test]
    fn a_safe_fix_changes_nothing_that_is_sent(events in generated::events(), policy in prop_oneof![faulty(), generated::policy()], fails in any::<bool>()) {
        let fixed = fixed(&policy, false);
        let transcript = generated::transcript(&events);
        let [before, after] = [&policy, &fixed].map(|text| contexts(&plan(text), &transcript, fails));
        prop_assert_eq!(before.1, after.1, "{}\n{}", policy, fixed);
        let fired = |trace: &trimtab::simulate::Trace| {
            let rules = trace.rules.iter().map(|rule| (rule.name.clone(), rule.calls.clone())).collect::<Vec<_>>();
            (trace.calls.iter().map(|call| call.after).collect::<Vec<_>>(), rules)
        };
        prop_assert_eq!(fired(&before.0), fired(&after.0), "{}\n{}", policy, fixed);
    }

    #[test]
    fn no_fix_adds_an_error_and_fixing_terminates(policy in faulty()) {
        let once = fixed(&policy, true);
        prop_assert_eq!(errors(&once), 0, "{}\n{}", policy, once);
        prop_assert_eq!(&fixed(&once, true), &once, "{}", policy);
    }
}

#[test]
fn fixes_that_must_be_tried_one_by_one_are_all_made() {
    let text = "edition 2026\nlet limit_of_messages = 6 messages\npolicy made {\n  \
                rule r0 { when 10% <= context.ratio do slide recent 2 messages medium 2 messages trim 200 chars }\n  \
                rule r1 { when not not failures >= 1 do mask thinking keep 2 messages except [bash] }\n  \
                rule r2 { unless not used_tool(bash) do summarise older keep 3 messages until (context.ratio < 5%) }\n}\n";
    let once = fixed(text, true);
    assert_eq!(fixed(&once, true), once);
}

/// A text after the fixes of the default lints, with the rejected fixes.
fn settled(text: &str, unsafe_too: bool) -> FixResult {
    apply_fixes(text, SourceId(0), unsafe_too, &mut |text| lint::found(text, &Settings::default()))
}

fn rule(clauses: &str) -> String {
    format!("edition 2026\n\npolicy p \"p\" {{\n  rule i {{\n    {clauses}\n  }}\n}}\n")
}

#[test]
fn fixes_that_touch_each_other_are_tried_in_turn() {
    for text in [r#"in ["a"] or (call.name ?? "") == "a""#, r#"== "a" or (call.name ?? "") == "a""#] {
        let fixed = settled(&rule(&format!("when (call.name ?? \"\") {text}\n    do notify \"i\"\n    once")), false);
        assert_eq!(fixed.text, rule("when (call.name ?? \"\") == \"a\"\n    do notify \"i\"\n    once"));
        assert!(fixed.remaining.is_empty() && fixed.rejected.is_empty(), "{fixed:?}");
    }
}

#[test]
fn the_number_of_attempts_to_apply_fixes_is_limited() {
    static ODD: Code = Code { id: "odd", severity: Severity::Warning, title: "", why: "", wrong: "", right: "" };
    let mut looks = 0;
    let at = |start: usize| Span::new(SourceId(0), start, start + 1);
    // Each fix replaces an odd character with another one.
    let mut look = |text: &str| -> Vec<Diagnostic> {
        looks += 1;
        let odd_chars = text.char_indices().filter(|(_, char)| "ab".contains(*char));
        let odd = |(start, char): (usize, char)| {
            let other = if char == 'a' { "b" } else { "a" };
            Diagnostic::new(&ODD, at(start), format!("`{char}` is odd"), "here").fix("turn it", true, at(start), other)
        };
        odd_chars.map(odd).collect()
    };
    let text = "a ".repeat(400);
    let fixed = apply_fixes(&text, SourceId(0), false, &mut look);
    assert_eq!((fixed.text, fixed.remaining.len(), fixed.rejected.len()), (text, 400, 400));
    assert!(looks < 300, "{looks} looks");
}

#[test]
fn a_fix_of_an_overridden_rule_is_unsafe() {
    let base = "edition 2026\n\npolicy base \"b\" {\n  rule c {\n    when context.ratio >= 80%\n    unless context.ratio < 70%\n    \
                do notify \"c\"\n    once\n  }\n}\n";
    let mine = "\npolicy mine \"m\" extends base {\n  override rule c { when context.ratio >= 50% }\n}\n";
    assert!(!settled(base, false).text.contains("unless"));
    let both = format!("{base}{mine}");
    assert_eq!(settled(&both, false).text, both);
    assert!(!settled(&both, true).text.contains("unless"));
}

#[test]
fn a_part_that_sets_the_parameters_of_a_bare_fact_is_not_redundant() {
    let text = rule(
        "when failures >= 1 and repeats(within: 4 calls) >= 0\n    do notify \"{repeats} in a row\"\n    once per repeats",
    );
    assert_eq!(settled(&text, true).text, text);
    let text = rule("when failures >= 1 and repeats(within: 4 calls) >= 0\n    do notify \"x\"\n    once");
    assert!(!settled(&text, false).text.contains("within"));
}

#[test]
fn fixes_are_applied_until_no_fix_is_left() {
    let text = "edition 2026\nagnt { windw 200k tokens }\npolcy p {\n  rul a { wen context.ratio >= 80% do notify \"x\" once }\n}\n";
    let right = "edition 2026\nagent { window 200k tokens }\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" once }\n}\n";
    let fixed = settled(text, true);
    assert_eq!((fixed.text.as_str(), fixed.applied.len()), (right, 5));
}

#[test]
fn a_fix_that_replaces_an_error_with_another_is_rejected_with_a_reason() {
    let text = "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do mask results keep 4 messages kep 5 messages }\n  \
                rule b { if context.ratio >= 80% do summarize older }\n}\n";
    let fixed = settled(text, true);
    assert!(fixed.text.contains("keep 4 messages kep 5 messages"), "{}", fixed.text);
    assert!(fixed.text.contains("rule b { when context.ratio >= 80% do summarise older }"), "{}", fixed.text);
    let [refused] = fixed.rejected.as_slice() else { panic!("{:?}\n{}", fixed.rejected, fixed.text) };
    assert_eq!((refused.code, refused.title.as_str()), ("E406", "write `keep`"));
    assert!(refused.reason.contains("E407"), "{}", refused.reason);
    assert_eq!(&fixed.text[refused.span.range()], "kep");
    assert_eq!(
        fixed.remaining.iter().filter(|finding| finding.severity == Severity::Error).count(),
        1,
        "{:?}",
        fixed.remaining
    );
}

#[test]
fn no_fix_separates_a_comment_from_its_subject() {
    let text = "edition 2026\n\nlet unused = 3 calls # agreed with the team\n\npolicy p \"p\" {\n  rule x {\n    \
                when context.ratio >= 60%\n    unless context.ratio < 10%                          # never\n    \
                do mask results keep 10 messages at_least 2k tokens # cheap\n    once                     # one\n    \
                limit 3                                             # two\n    # three\n    cooldown 2 iterations\n  }\n}\n";
    let fixed = settled(text, true);
    assert_eq!((fixed.text.as_str(), fixed.applied.len()), (text, 0));
    assert!(fixed.remaining.len() >= 4, "the findings stay: {:?}", fixed.remaining);
    let bare = text.replace(" # never", "").replace(" # two", "").replace("    # three\n", "");
    let fixed = settled(&bare, true).text;
    assert!(!fixed.contains("unless") && !fixed.contains("limit") && !fixed.contains("cooldown"), "{fixed}");
    assert!(fixed.contains("# agreed") && fixed.contains("# cheap") && fixed.contains("# one"), "{fixed}");
}

#[test]
fn a_new_clause_is_inserted_after_the_comment_of_the_last_clause() {
    let text = rule(
        "when context.ratio >= 80%\n    do summarise older keep 8 messages at_most 4k tokens pin first_user # word for word",
    );
    let fixed = settled(&text, true).text;
    assert!(fixed.contains("first_user # word for word\n    on_failure keep\n    cooldown"), "{fixed}");
}

/// The layout of a text.
fn laid(text: &str) -> String {
    format_source(&Source::new(SourceId(0), "case.trim", text)).unwrap()
}

#[test]
fn only_formatted_files_are_formatted_after_their_fixes() {
    let text =
        laid(&rule("when repeats >= 3 and repeats >= 2 # loops\n    do notify \"again!\" # say it once\n    once"));
    let fixed = settled(&text, false).text;
    assert!(fixed.contains("when repeats >= 3  # loops\n    do notify \"again!\" # say it once\n"), "{fixed}");
    assert_eq!(laid(&fixed), fixed);
    let other = text.replace("  rule i", " rule i");
    let fixed = settled(&other, false).text;
    assert!(
        fixed.contains("\n rule i") && fixed.contains("when repeats >= 3 # loops\n    do notify \"again!\"  "),
        "{fixed}"
    );
}

#[test]
fn a_long_clause_written_by_a_fix_is_wrapped() {
    let text = rule(
        "when context.ratio >= 70%\n    do mask results keep 20 messages only [bash, read_file, search_in_files] placeholder \"x\" down_to 75%",
    );
    let text = laid(&text);
    let fixed = settled(&text, true);
    assert!(!fixed.applied.is_empty());
    assert_eq!(laid(&fixed.text), fixed.text);
}

#[test]
fn the_fixes_in_the_linting_page_leave_no_finding() {
    let text = std::fs::read_to_string("docs/linting/coder.trim").unwrap();
    let before = lint::found(&text, &Settings::default());
    let fixable = before.iter().filter(|finding| !finding.fixes.is_empty()).count();
    let fixed = settled(&text, true);
    assert_eq!((before.len(), fixable, fixed.applied.len(), fixed.remaining.len()), (5, 5, 5, 0), "{}", fixed.text);
    assert!(fixed.text.contains("when context.ratio > 60%\n"), "{}", fixed.text);
    assert!(fixed.text.contains("down_to 50%"), "what nobody found fault with stays: {}", fixed.text);
}
