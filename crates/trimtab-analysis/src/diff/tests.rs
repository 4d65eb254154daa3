use trimtab_base::source::{Source, SourceId};
use trimtab_language::check::check;
use trimtab_language::plan::lower;
use trimtab_syntax::syntax::parse;

use super::*;

fn plan(rules: &str) -> Plan {
    let text = format!("edition 2026\npolicy p {{\n{rules}\n}}\n");
    let (file, found) = parse(&Source::new(SourceId(0), "p.trim", text.as_str()));
    assert!(found.is_empty(), "{text}: {found:?}");
    let (checked, found) = check(&file);
    lower(&checked.unwrap_or_else(|| unreachable!("{text}: {found:?}")), None).expect("a plan")
}

/// When rule `a` fires with the second clauses, compared with the first.
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

/// Where it fires more or less.
fn witness(before: &str, after: &str) -> String {
    match fires(before, after).1 {
        Fires::More(here) | Fires::Less(here) => here,
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn conditions_are_compared_by_meaning() {
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
fn guards_limit_nothing_in_a_run_that_ends_before() {
    let first = "when context.tokens >= 150k tokens and iteration == 0";
    for guard in ["cooldown 3 iterations", "once", "limit 1", "once per failures", "once until failures > 3"] {
        assert_eq!(word(first, &format!("{first} {guard}")), "same", "{guard}");
    }
    assert_eq!(word("when budget.calls < 1", "when budget.calls < 1 cooldown 2 iterations"), "same");
    assert_eq!(
        word(
            "when failures >= 1 and iteration < 3 cooldown 3 iterations",
            "when failures >= 1 and iteration < 3 limit 1"
        ),
        "same"
    );
    assert_eq!(word("when failures >= 1 and iteration < 3", "when failures >= 1 and iteration < 3 limit 3"), "same");
    assert_eq!(
        word("when failures >= 1 and iteration < 3", "when failures >= 1 and iteration < 3 limit 2"),
        "fires less"
    );
    assert_eq!(
        word("when failures >= 1 and iteration < 3", "when failures >= 1 and iteration < 3 cooldown 2 iterations"),
        "fires less"
    );
    assert_eq!(word("when iteration < 2 every 3 iterations", "when iteration < 2 every 4 iterations"), "same");
}

#[test]
fn no_witness_is_impossible() {
    let same = |before: &str, after: &str| assert_eq!(word(before, after), "same", "{before} {after}");
    same("when iteration >= 5", "when iteration >= 5 and budget.calls >= 5");
    same("when tools.calls == 0", "when tools.calls == 0 and tools.used == 0");
    same("when tools.calls(of: bash) >= 2", "when tools.calls(of: bash) >= 2 and tools.used >= 1");
    same("when request.mentions([plan])", "when request.mentions([plan]) and request.mentions([test, Plan])");
    same("when request.words == 0", "when request.words == 0 and not request.mentions([plan])");
    same("when stall(last: 4 results) > 50%", "when stall(last: 4 results) >= 75%");
    same(
        "when share.persona < 20% and share.tools < 20% and share.history < 50%",
        "when share.persona < 20% and share.tools < 20% and share.history == 0%",
    );
    assert_eq!(
        witness("when budget.calls >= 50", "when budget.calls >= 50 and iteration >= 52"),
        "budget.calls = 50, iteration = 49"
    );
    let phase = "on compaction_miss every 2 iterations";
    assert_eq!(witness(phase, &format!("{phase} cooldown 2 iterations")), "it has fired at this iteration before");
    assert_eq!(witness("", "cooldown 3 iterations"), "it fired one iteration before");
    assert_eq!(
        witness("every 3 iterations", "every 3 iterations cooldown 4 iterations"),
        "it fired 3 iterations before"
    );
    same(&format!("{phase} cooldown 1 iteration"), &format!("{phase} cooldown 2 iterations"));
    let here = witness("when stall >= 30%", "when stall >= 60%");
    assert!(["stall(last: 6 results) = 50%", "stall(last: 6 results) = 33.3%"].contains(&here.as_str()), "{here}");
}

#[test]
fn guards_of_one_kind_are_compared() {
    assert_eq!(word("", "once"), "fires less");
    assert_eq!(word("cooldown 5 iterations", "cooldown 3 iterations"), "fires more");
    assert_eq!(word("every 5 iterations", "every 10 iterations"), "fires less");
    assert_eq!(
        word("when iteration == 4 or iteration == 8", "when iteration == 4 or iteration == 8 every 4 iterations"),
        "same"
    );
    assert_eq!(word("when iteration == 4", "when iteration == 4 every 3 iterations"), "fires less");
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
fn only_the_iterations_that_every_allows_count() {
    assert_eq!(
        word("when iteration == 12 or iteration == 15 every 2 iterations", "when iteration == 12 every 4 iterations"),
        "same"
    );
    let small = "when iteration <= 3 every";
    assert_eq!(witness(&format!("{small} 4 iterations"), &format!("{small} 2 iterations")), "iteration = 2");
    assert_eq!(word("when iteration == 10 every 2 iterations", "when iteration >= 8 every 5 iterations"), "fires more");
    assert_eq!(word("when iteration >= 6 every 5 iterations", "when iteration >= 7 every 5 iterations"), "same");
    assert_eq!(
        word("when iteration >= 5 every 5 iterations", "when iteration >= 500 every 5 iterations"),
        "fires less"
    );
    let ratio = witness("when context.ratio >= 70% every 5 iterations", "when context.ratio >= 60% every 5 iterations");
    assert!(ratio.ends_with("iteration = 5"), "{ratio}");
    for (before, after, expected) in [
        ("when iteration < 15 every 2 iterations", "every 2 iterations", "fires more"),
        ("when iteration <= 30 every 4 iterations", "when iteration <= 40 every 4 iterations", "fires more"),
        ("when iteration <= 16", "when iteration < 16 every 2 iterations", "fires less"),
        (
            "when iteration <= 24 every 4 iterations",
            "when iteration <= 24 every 4 iterations cooldown 4 iterations",
            "same",
        ),
        ("every 2 iterations", "when iteration != 67 every 2 iterations", "same"),
        ("every 2 iterations", "when iteration != 68 every 2 iterations", "fires less"),
        ("when iteration >= 40 every 4 iterations", "when iteration != 150 every 4 iterations", "fires more"),
        (
            "when iteration == 60 or iteration <= 6 every 50 iterations",
            "when iteration == 24 every 10 iterations",
            "same",
        ),
        (
            "when iteration <= 24 every 4 iterations cooldown 5 iterations",
            "when iteration <= 24 every 4 iterations cooldown 8 iterations",
            "same",
        ),
    ] {
        assert_eq!(word(before, after), expected, "{before} -> {after}");
    }
    assert_eq!(
        witness("when iteration > 8 every 4 iterations", "when iteration < 3 every 4 iterations"),
        "iteration = 12"
    );
    assert_eq!(witness("when iteration >= 40 every 7 iterations", "when iteration >= 40"), "iteration = 40");
    assert_eq!(word("every 1000000000 iterations", "every 999999999 iterations"), "incomparable");
}

#[test]
fn equivalent_guards_are_equal() {
    for (before, after) in [
        ("once", "limit 1"),
        ("limit 1", "once cooldown 3 iterations"),
        ("once", "once per failures limit 1"),
        ("once", "limit 1 once until failures == 0"),
        ("cooldown 1 iteration", ""),
        ("every 4 iterations cooldown 4 iterations", "every 4 iterations"),
        ("every 4 iterations cooldown 5 iterations", "cooldown 8 iterations every 4 iterations"),
        ("every 1 iteration", "when iteration > 0"),
        ("when iteration > 2 every 4 iterations", "when iteration > 3 every 4 iterations"),
        ("until iteration > 3", ""),
        ("when failures >= 1 until failures >= 0", "when failures >= 1"),
        ("when failures >= 1 once until failures >= 1", "when failures >= 1"),
        ("once per failures until run > 3", "until run > 3 once per failures"),
        ("when failures >= 1 until run > 1 once", "when failures >= 1 once"),
    ] {
        assert_eq!((word(before, after), word(after, before)), ("same", "same"), "{before} | {after}");
    }
}

#[test]
fn guards_of_a_rule_that_may_fail_count_failures() {
    let word = |before: &str, after: &str| {
        let rule = |clauses: &str| plan(&format!("rule a {{ {clauses} do summarise older }}"));
        match &compare(&rule(before), &rule(after)).rules[0].change {
            Change::Kept { fires, .. } => fires.word(),
            other => unreachable!("{other:?}"),
        }
    };
    assert_eq!(word("once", "limit 1"), "fires less");
    assert_eq!(word("limit 1", "limit 1 once"), "same");
    assert_eq!(word("once", "once cooldown 3 iterations"), "fires later");
    assert_eq!(word("every 4 iterations cooldown 4 iterations", "every 4 iterations"), "same");
}

#[test]
fn more_states_with_limited_firings_mean_earlier_firings() {
    let (word, fires) = fires("when context.ratio >= 70% once", "when context.ratio >= 60% once");
    let Fires::Earlier(here, FiringLimit { times: 1, .. }) = fires else { unreachable!("{fires:?}") };
    assert!(word == "fires earlier" && here.contains("context.ratio = 6"), "{here}");
    assert_eq!(self::word("when failures >= 1 limit 3", "when failures >= 2 limit 3"), "fires later");
    assert_eq!(self::word("when failures >= 2 limit 2", "when failures >= 1 limit 3"), "fires more");
    assert_eq!(self::word("limit 1", "once until failures == 0"), "fires more");
}

#[test]
fn different_ends_are_compared_separately() {
    let both = |until: &str, once: &str| format!("when failures >= 1 until {until} once until {once}");
    let (a, b) = ("context.messages < 3", "context.results < 2");
    assert_eq!(word(&both(a, b), &both(a, b)), "same");
    assert_eq!(word(&both(a, b), &both(b, a)), "incomparable");
    assert_eq!(word(&both(a, b), &format!("when failures >= 1 once until {b}")), "fires less");
}

#[test]
fn unless_blocks_a_rule_that_until_keeps_due() {
    let (when, end) = ("when failures >= 1", "until failures == 0");
    assert_eq!(
        word(&format!("{when} and iteration >= 2 {end}"), &format!("{when} unless iteration < 2 {end}")),
        "incomparable",
        "`until` also remembers that the condition held while `unless` blocked the rule"
    );
    assert_eq!(word(&format!("{when} and iteration >= 2"), &format!("{when} unless iteration < 2")), "same");
}

#[test]
fn a_wider_condition_with_a_value_to_exceed_is_incomparable() {
    assert_eq!(word("when failures >= 2 once per failures", "when failures >= 1 once per failures"), "incomparable");
    assert_eq!(word("when failures >= 2 once per failures", "when failures >= 1"), "fires more");
    assert_eq!(word("once per failures limit 2", "once per failures limit 3"), "fires more");
}

#[test]
fn the_order_of_lists_does_not_matter() {
    let effect = |effect: &str| plan(&format!("rule a {{ do {effect} }}"));
    for (before, after) in [
        ("mask results only [bash, grep]", "mask results only [grep, bash, bash]"),
        ("mask results except [mcp__*, mcp__git]", "mask results except [mcp__*]"),
    ] {
        let (before, after) = (effect(before), effect(after));
        assert!(compare(&before, &after).is_none() && before.hash == after.hash);
    }
    let tools = |tools: &str| plan(&format!("rule a {{ when (call.name ?? \"\") in [{tools}] do notify \"x\" }}"));
    assert_eq!(tools("a, b").hash, tools("b, a, b").hash);
}

#[test]
fn a_wider_condition_and_a_tighter_guard_are_incomparable() {
    assert_eq!(word("when context.ratio >= 80%", "when context.ratio >= 70% once"), "incomparable");
}

#[test]
fn added_removed_moved_and_changed_rules_are_reported() {
    let before = plan("rule a { do notify \"x\" } rule b { do notify \"y\" } rule c { on reply do notify \"z\" }");
    let after = plan(
        "rule b { do notify \"y\" } rule a { do notify \"n\" } rule c { do notify \"z\" } rule d { do notify \"w\" }",
    );
    let difference = compare(&before, &after);
    let changes: Vec<String> = difference.rules.iter().map(|rule| format!("{} {:?}", rule.name, rule.change)).collect();
    assert_eq!(
        changes,
        [
            "b Kept { phase: None, fires: Same, effects: false, order: Some(\"a\") }",
            "a Kept { phase: None, fires: Same, effects: true, order: None }",
            "c Kept { phase: Some(Reply), fires: Same, effects: false, order: None }",
            "d Added",
        ]
    );
    assert!(
        compare(&after, &before).rules.iter().any(|rule| matches!(rule.change, Change::Removed) && rule.name == "d")
    );
}

#[test]
fn a_plan_equals_itself_in_any_layout() {
    let plan_in_share = plan("rule a { when context.ratio >= 80% do trim results to 500 chars }");
    let other = plan("rule a {\n when (context.ratio >= 80%)\n do trim results to 500 chars from tail\n}");
    assert!(compare(&plan_in_share, &plan_in_share).is_none());
    assert!(compare(&plan_in_share, &other).is_none(), "{:?}", compare(&plan_in_share, &other));
}

#[test]
fn a_guard_of_the_session_is_compared_with_that_of_the_run() {
    let first = "when failures >= 1";
    let cases = [
        ("once", "fires less"),
        ("once per failures", "fires less"),
        ("once until iteration > 3", "fires less"),
        ("limit 3", "fires less"),
        ("cooldown 3 iterations", "fires less"),
        ("until iteration > 3", "fires more"),
        ("every 3 iterations", "incomparable"),
    ];
    for (guard, expected) in cases {
        let [run, session] = [guard.to_owned(), format!("{guard} in session")].map(|guard| format!("{first} {guard}"));
        assert_eq!(word(&run, &session), expected, "{guard}");
        assert_eq!(word(&session, &session), "same", "{guard}");
        let reversed = match expected {
            "fires less" => "fires more",
            "fires more" => "fires less",
            other => other,
        };
        assert_eq!(word(&session, &run), reversed, "{guard}");
    }
}

#[test]
fn guards_of_the_session_are_compared_with_each_other() {
    assert_eq!(word("limit 3 in session", "limit 2 in session"), "fires less");
    assert_eq!(word("once in session", "limit 2 in session"), "fires more");
    assert_eq!(word("when failures > 1", "when failures > 1 once in session"), "fires less");
    assert_eq!(word("every 6 iterations in session", "every 3 iterations in session"), "fires more");
    assert_eq!(word("when failures > 2 once in session", "when failures > 1 once in session"), "fires earlier");
    // Within one run it could be due once only, but not within a session.
    assert_eq!(word("when iteration == 0", "when iteration == 0 once in session"), "fires less");
    assert_eq!(word("when iteration == 0 every 2 iterations in session", "when iteration == 0"), "fires more");
}

#[test]
fn rules_that_mix_scopes_are_compared_only_if_nothing_else_differs() {
    let rule = |when: &str, once: &str| format!("when failures > {when} {once} cooldown 2 iterations");
    assert_eq!(word(&rule("1", "once"), &rule("1", "once in session")), "fires less");
    assert_eq!(word(&rule("1", "once"), &rule("2", "once in session")), "undecided");
    assert_eq!(word("limit 3", "limit 5 in session"), "undecided");
    assert_eq!(word("limit 3 once per failures", "limit 3 in session once per failures"), "undecided");
}
