use super::*;
use crate::check::check;
use crate::plan::lower;
use crate::source::{Source, SourceId};
use crate::syntax::parse;

fn plan(rules: &str) -> Plan {
    let text = format!("edition 2026\npolicy p {{\n{rules}\n}}\n");
    let (file, found) = parse(&Source::new(SourceId(0), "p.trim", text.as_str()));
    assert!(found.is_empty(), "{text}: {found:?}");
    let (checked, found) = check(&file);
    lower(&checked.unwrap_or_else(|| unreachable!("{text}: {found:?}")), None).expect("a plan")
}

/// How rule `a` fires with the second clauses against the first.
fn fires(before: &str, after: &str) -> (&'static str, Fires) {
    let rule = |clauses: &str| plan(&format!("rule a {{ {clauses} do notify \"x\" }}"));
    let difference = compare(&rule(before), &rule(after));
    match &difference.rules[0].change {
        Change::Kept { fires, .. } => (fires.word(), fires.clone()),
        other => unreachable!("{other:?}"),
    }
}

fn word(before: &str, after: &str) -> &'static str {
    fires(before, after).0
}

#[test]
fn conditions_are_compared_by_what_they_mean() {
    assert_eq!(word("when context.ratio >= 80%", "when not context.ratio < 80%"), "same");
    assert_eq!(
        word("when context.ratio >= 80% and iteration > 0", "when iteration >= 1 and context.ratio >= 80%"),
        "same"
    );
    assert_eq!(word("when context.ratio >= 80%", "when context.ratio >= 70%"), "fires more");
    assert_eq!(word("when context.ratio >= 70%", "when context.ratio >= 70% and iteration > 3"), "fires less");
    assert_eq!(word("when context.ratio >= 70%", "when iteration > 3"), "incomparable");
    assert_eq!(
        word("when context.ratio >= 80% unless iteration < 2", "when context.ratio >= 80% and iteration >= 2"),
        "same"
    );
}

#[test]
fn a_witness_shows_the_difference() {
    let Fires::More(here) = fires("when context.ratio >= 80%", "when context.ratio >= 70%").1 else { unreachable!() };
    assert!(here.contains("context.ratio = 7"), "{here}");
}

#[test]
fn guards_are_compared_with_those_of_their_kind() {
    assert_eq!(word("", "once"), "fires less");
    assert_eq!(word("cooldown 5 iterations", "cooldown 3 iterations"), "fires more");
    assert_eq!(word("every 5 iterations", "every 10 iterations"), "fires less");
    assert_eq!(word("every 4 iterations", "every 6 iterations"), "incomparable");
    assert_eq!(word("limit 2", "limit 3"), "fires more");
    assert_eq!(word("once", "once per failures"), "fires more");
    assert_eq!(word("once", "once limit 3"), "same");
    assert_eq!(word("once", "once until run < 0"), "same");
    assert_eq!(word("once until run > 1", "once until run > 2"), "fires less");
    assert_eq!(word("when run > 0 until run > 1", "when run > 0 until run > 2"), "fires more");
    assert_eq!(word("cooldown 5 iterations limit 3", "limit 3 cooldown 5 iterations"), "same");
}

#[test]
fn a_wider_condition_and_a_tighter_guard_are_incomparable() {
    assert_eq!(word("when context.ratio >= 80%", "when context.ratio >= 70% once"), "incomparable");
}

#[test]
fn rules_that_come_go_move_and_do_something_else_are_told_apart() {
    let before = plan("rule a { do notify \"x\" } rule b { do notify \"y\" } rule c { on reply do notify \"z\" }");
    let after = plan(
        "rule b { do notify \"y\" } rule a { do notify \"n\" } rule c { do notify \"z\" } rule d { do notify \"w\" }",
    );
    let difference = compare(&before, &after);
    let told: Vec<String> = difference.rules.iter().map(|one| format!("{} {:?}", one.name, one.change)).collect();
    assert_eq!(
        told,
        [
            "b Kept { phase: None, fires: Same, effects: false, order: Some(\"a\") }",
            "a Kept { phase: None, fires: Same, effects: true, order: None }",
            "c Kept { phase: Some(Reply), fires: Same, effects: false, order: None }",
            "d Added",
        ]
    );
    assert!(compare(&after, &before).rules.iter().any(|one| matches!(one.change, Change::Removed) && one.name == "d"));
}

#[test]
fn a_plan_is_the_same_as_itself_and_layout_is_no_difference() {
    let one = plan("rule a { when context.ratio >= 80% do trim results to 500 chars }");
    let other = plan("rule a {\n when (context.ratio >= 80%)\n do trim results to 500 chars from tail\n}");
    assert!(compare(&one, &one).is_none());
    assert!(compare(&one, &other).is_none(), "{:?}", compare(&one, &other));
}
