//! `observation_mask`: old tool results are replaced by placeholders.

use super::{Scene, assistant, call, calls, err, long, ok, system, user};

fn mask(params: &str) -> Scene {
    Scene::of(&format!("kind: observation_mask, params: {{{params}}}")).reported(700)
}

/// Two reads: an old result and a recent one, with two messages kept.
fn two_reads(old: &str) -> Scene {
    let mut scene = mask("recent_window: 2");
    scene.push([user("Read."), call("a", "read_file", "{}"), ok("a", old)]);
    scene.push([call("b", "read_file", "{}"), ok("b", "recent result preserved")]);
    scene
}

/// `SkipsAfterComplete`
#[test]
fn mask_does_nothing_on_a_reply() {
    two_reads(&long("old", 300)).assert_idle_on_reply();
}

/// `SkipsIteration0WithoutEstimate`
#[test]
fn mask_does_nothing_at_the_first_call_of_a_run() {
    two_reads(&long("old", 300)).iteration(0).assert_idle_on_request();
}

/// `BelowThreshold`
#[test]
fn mask_does_nothing_below_its_threshold() {
    two_reads(&long("old", 300)).reported(400).assert_idle_on_request();
}

/// `MasksOldResults`
#[test]
fn mask_leaves_a_preview_of_old_results() {
    let mut scene = two_reads(&format!("{} {}", long("old", 80), long("and the rest", 80)));
    scene.request();
    assert_eq!(scene.text(2), format!("[tool result for read_file: {}…]", long("old", 80)));
    assert_eq!(scene.text(1), "read_file({})");
    assert_eq!(scene.text(4), "recent result preserved");
}

/// `PreservesErrors`
#[test]
fn mask_leaves_errors_alone() {
    let mut scene = mask("recent_window: 1");
    scene.push([user("Read."), call("a", "read_file", "{}"), err("a", &long("no such file", 300)), user("Go on.")]);
    scene.assert_idle_on_request();
}

/// `SkipsAlreadyMasked`
#[test]
fn mask_does_not_mask_twice() {
    let mut scene = two_reads(&long("old", 300));
    assert!(scene.request().edited());
    scene.assert_idle_on_request();
}

/// `TruncatesLongPreview`
#[test]
fn mask_marks_a_preview_that_was_cut() {
    let mut scene = two_reads(&"é".repeat(300));
    scene.request();
    assert_eq!(scene.text(2), format!("[tool result for read_file: {}…]", "é".repeat(80)));
}

/// `DisabledByZeroWindow`
#[test]
fn mask_does_nothing_in_a_window_of_zero() {
    two_reads(&long("old", 300)).window(Some(0)).assert_idle_on_request();
}

/// `Defaults`
#[test]
fn mask_takes_its_defaults_for_zero_and_less() {
    for params in ["", "threshold: 0, recent_window: 0", "threshold: -1, recent_window: -1"] {
        let of = |reported: u64, after: usize| {
            let mut scene = mask(params).reported(reported);
            scene.push([call("a", "ls", "{}"), ok("a", &long("old", 300))]);
            scene.push((0..after).map(|_| assistant("b")));
            scene.request().edited()
        };
        assert!(of(600, 10) && !of(600, 9) && !of(599, 10), "{params}");
    }
}

/// `EmptyChat`
#[test]
fn mask_does_nothing_without_messages() {
    mask("").assert_idle_on_request();
}

/// `AllMessagesWithinRecentWindow`
#[test]
fn mask_does_nothing_while_all_messages_are_recent() {
    mask("recent_window: 10")
        .messages([user("Read."), call("a", "read_file", "{}"), ok("a", &long("old", 300))])
        .assert_idle_on_request();
}

#[test]
fn mask_counts_messages_of_every_role_and_is_exact_to_the_message() {
    let mut scene = mask("recent_window: 3");
    scene.push([system("You are a coder."), calls(&[("a", "ls", "1"), ("b", "ls", "2")])]);
    scene.push([ok("a", &long("a", 300)), ok("b", &long("b", 300)), assistant("c"), user("d")]);
    scene.request();
    assert!(scene.text(2).starts_with("[tool result for ls: a "), "{}", scene.text(2));
    assert_eq!(scene.text(3), long("b", 300));
}

#[test]
fn mask_replaces_only_what_gets_shorter() {
    // `[tool result for f: …]` with 80 characters and the ellipsis has 102.
    for (chars, masked) in [(0, false), (2, false), (80, false), (81, false), (102, false), (103, true)] {
        let mut scene = mask("recent_window: 1");
        scene.push([call("a", "f", "{}"), ok("a", &"x".repeat(chars)), user("Go on.")]);
        assert_eq!(scene.request().edited(), masked, "{chars}");
        assert_eq!(scene.text(1).chars().count(), if masked { 102 } else { chars });
    }
}

#[test]
fn mask_calls_a_tool_unknown_when_no_call_is_there() {
    let mut scene = mask("recent_window: 1");
    scene.push([user("Hello."), ok("nobody", &long("old", 300)), ok("nobody", "ok"), user("Go on.")]);
    scene.request();
    assert!(scene.text(1).starts_with("[tool result for unknown: old x"), "{}", scene.text(1));
    assert_eq!(scene.text(2), "ok");
}

#[test]
fn mask_names_the_nearest_earlier_call_of_an_id() {
    let mut scene = mask("recent_window: 1");
    scene.push([call("same", "first", "{}"), ok("same", "a"), call("same", "second", "{}")]);
    scene.push([ok("same", &long("old", 300)), user("Go on.")]);
    scene.request();
    assert!(scene.text(3).starts_with("[tool result for second: "), "{}", scene.text(3));
}

#[test]
fn mask_takes_results_that_were_trimmed() {
    let trim = "kind: trim_tool_results, params: {preserve_recent: 1}";
    let mut scene = Scene::effects(&["kind: observation_mask, params: {recent_window: 2}", trim]).reported(700);
    scene.push([call("a", "ls", "{}"), ok("a", &long("old", 1000)), call("b", "ls", "{}"), ok("b", "new")]);
    scene.reply();
    assert!(scene.text(1).ends_with("… [trimmed]"));
    scene.request();
    assert_eq!(scene.text(1), format!("[tool result for ls: {}…]", long("old", 80)));
    scene.assert_idle_on_reply();
}
