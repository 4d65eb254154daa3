//! Laws of fixes, over policies and conversations made by chance.

use proptest::prelude::*;
use trimtab::diagnostic::{Code, Diagnostic, Severity};
use trimtab::format::format_source;
use trimtab::lint::{FixResult, Settings, apply_fixes};
use trimtab::source::{Source, SourceId, Span};

use crate::laws::{contexts, plan};
use crate::{lint, made};

/// What all lints say of a text.
fn found(text: &str) -> Vec<Diagnostic> {
    let mut settings = Settings::default();
    settings.extend("all").unwrap();
    lint::found(text, &settings)
}

/// A text after its fixes.
fn mended(text: &str, unsafe_too: bool) -> String {
    apply_fixes(text, SourceId(0), unsafe_too, &mut |text| found(text)).text
}

fn one_of(all: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(all)
}

/// A policy with much that lints speak of.
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
    found(text).iter().filter(|one| one.code.id.starts_with('E') && one.severity == Severity::Error).count()
}

proptest! {
    #![proptest_config(made::cases(24))]

    #[test]
    fn a_safe_fix_changes_nothing_that_is_sent(beats in made::beats(), policy in prop_oneof![faulty(), made::policy()], fails in any::<bool>()) {
        let mended = mended(&policy, false);
        let transcript = made::transcript(&beats);
        let [before, after] = [&policy, &mended].map(|text| contexts(&plan(text), &transcript, fails));
        prop_assert_eq!(before.1, after.1, "{}\n{}", policy, mended);
        let fired = |trace: &trimtab::simulate::Trace| {
            let rules = trace.rules.iter().map(|rule| (rule.name.clone(), rule.calls.clone())).collect::<Vec<_>>();
            (trace.calls.iter().map(|call| call.after).collect::<Vec<_>>(), rules)
        };
        prop_assert_eq!(fired(&before.0), fired(&after.0), "{}\n{}", policy, mended);
    }

    #[test]
    fn no_fix_brings_an_error_and_mending_ends(policy in faulty()) {
        let once = mended(&policy, true);
        prop_assert_eq!(errors(&once), 0, "{}\n{}", policy, once);
        prop_assert_eq!(&mended(&once, true), &once, "{}", policy);
    }
}

#[test]
fn fixes_that_must_be_tried_one_by_one_are_all_made() {
    let text = "edition 2026\nlet limit_of_messages = 6 messages\npolicy made {\n  \
                rule r0 { when 10% <= context.ratio do slide recent 2 messages medium 2 messages trim 200 chars }\n  \
                rule r1 { when not not failures >= 1 do mask thinking keep 2 messages except [bash] }\n  \
                rule r2 { unless not used_tool(bash) do summarise older keep 3 messages until (context.ratio < 5%) }\n}\n";
    let once = mended(text, true);
    assert_eq!(mended(&once, true), once);
}

/// A text after its fixes under the lints that are on by themselves, with what was left out.
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
        assert!(fixed.left.is_empty() && fixed.refused.is_empty(), "{fixed:?}");
    }
}

#[test]
fn many_fixes_that_do_not_help_are_not_tried_for_ever() {
    static ODD: Code = Code { id: "odd", severity: Severity::Warning, title: "", why: "", wrong: "", right: "" };
    let mut looks = 0;
    let at = |start: usize| Span::new(SourceId(0), start, start + 1);
    // Each fix puts one odd sign for another.
    let mut look = |text: &str| -> Vec<Diagnostic> {
        looks += 1;
        let signs = text.char_indices().filter(|(_, sign)| "ab".contains(*sign));
        let odd = |(start, sign): (usize, char)| {
            let other = if sign == 'a' { "b" } else { "a" };
            Diagnostic::new(&ODD, at(start), format!("`{sign}` is odd"), "here").fix("turn it", true, at(start), other)
        };
        signs.map(odd).collect()
    };
    let text = "a ".repeat(400);
    let fixed = apply_fixes(&text, SourceId(0), false, &mut look);
    assert_eq!((fixed.text, fixed.left.len(), fixed.refused.len()), (text, 400, 400));
    assert!(looks < 300, "{looks} looks");
}

#[test]
fn what_another_policy_overrides_is_not_safe_to_mend() {
    let base = "edition 2026\n\npolicy base \"b\" {\n  rule c {\n    when context.ratio >= 80%\n    unless context.ratio < 70%\n    \
                do notify \"c\"\n    once\n  }\n}\n";
    let mine = "\npolicy mine \"m\" extends base {\n  override rule c { when context.ratio >= 50% }\n}\n";
    assert!(!settled(base, false).text.contains("unless"));
    let both = format!("{base}{mine}");
    assert_eq!(settled(&both, false).text, both);
    assert!(!settled(&both, true).text.contains("unless"));
}

#[test]
fn a_part_that_says_which_calls_a_bare_fact_counts_stays() {
    let text = rule(
        "when failures >= 1 and repeats(within: 4 calls) >= 0\n    do notify \"{repeats} in a row\"\n    once per repeats",
    );
    assert_eq!(settled(&text, true).text, text);
    let text = rule("when failures >= 1 and repeats(within: 4 calls) >= 0\n    do notify \"x\"\n    once");
    assert!(!settled(&text, false).text.contains("within"));
}

#[test]
fn a_fix_is_followed_to_what_it_makes_possible() {
    let text = "edition 2026\nagnt { windw 200k tokens }\npolcy p {\n  rul a { wen context.ratio >= 80% do notify \"x\" once }\n}\n";
    let right = "edition 2026\nagent { window 200k tokens }\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" once }\n}\n";
    let fixed = settled(text, true);
    assert_eq!((fixed.text.as_str(), fixed.applied.len()), (right, 5));
}

#[test]
fn a_fix_that_puts_one_error_for_another_is_left_out_and_says_so() {
    let text = "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do mask results keep 4 messages kep 5 messages }\n  \
                rule b { if context.ratio >= 80% do summarize older }\n}\n";
    let fixed = settled(text, true);
    assert!(fixed.text.contains("keep 4 messages kep 5 messages"), "{}", fixed.text);
    assert!(fixed.text.contains("rule b { when context.ratio >= 80% do summarise older }"), "{}", fixed.text);
    let [refused] = fixed.refused.as_slice() else { panic!("{:?}\n{}", fixed.refused, fixed.text) };
    assert_eq!((refused.code, refused.title.as_str()), ("E406", "write `keep`"));
    assert!(refused.why.contains("E407"), "{}", refused.why);
    assert_eq!(&fixed.text[refused.span.range()], "kep");
    assert_eq!(fixed.left.iter().filter(|one| one.severity == Severity::Error).count(), 1, "{:?}", fixed.left);
}

#[test]
fn no_fix_leaves_a_comment_without_what_it_speaks_of() {
    let text = "edition 2026\n\nlet unused = 3 calls # agreed with the team\n\npolicy p \"p\" {\n  rule x {\n    \
                when context.ratio >= 60%\n    unless context.ratio < 10%                          # never\n    \
                do mask results keep 10 messages at_least 2k tokens # cheap\n    once                     # one\n    \
                limit 3                                             # two\n    # three\n    cooldown 2 iterations\n  }\n}\n";
    let fixed = settled(text, true);
    assert_eq!((fixed.text.as_str(), fixed.applied.len()), (text, 0));
    assert!(fixed.left.len() >= 4, "the findings stay: {:?}", fixed.left);
    let bare = text.replace(" # never", "").replace(" # two", "").replace("    # three\n", "");
    let fixed = settled(&bare, true).text;
    assert!(!fixed.contains("unless") && !fixed.contains("limit") && !fixed.contains("cooldown"), "{fixed}");
    assert!(fixed.contains("# agreed") && fixed.contains("# cheap") && fixed.contains("# one"), "{fixed}");
}

#[test]
fn a_new_clause_goes_behind_the_comment_of_the_last_one() {
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
fn a_file_that_was_laid_out_is_laid_out_after_its_fixes_and_another_is_not() {
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
fn a_long_clause_that_a_fix_makes_is_broken() {
    let text = rule(
        "when context.ratio >= 70%\n    do mask results keep 20 messages only [bash, read_file, search_in_files] placeholder \"x\" down_to 75%",
    );
    let text = laid(&text);
    let fixed = settled(&text, true);
    assert!(!fixed.applied.is_empty());
    assert_eq!(laid(&fixed.text), fixed.text);
}

#[test]
fn the_fixes_of_the_page_on_advice_leave_nothing() {
    let text = std::fs::read_to_string("docs/advice.trim").unwrap();
    let before = lint::found(&text, &Settings::default());
    let fixable = before.iter().filter(|one| !one.fixes.is_empty()).count();
    let fixed = settled(&text, true);
    assert_eq!((before.len(), fixable, fixed.applied.len(), fixed.left.len()), (5, 5, 5, 0), "{}", fixed.text);
    assert!(fixed.text.contains("when context.ratio > 60%\n"), "{}", fixed.text);
    assert!(fixed.text.contains("down_to 50%"), "what nobody found fault with stays: {}", fixed.text);
}
