//! `stall_detect`: a message about results that are alike, then the end of the run.

use trimtab::conversation::{Body, Message, Role};
use trimtab::phase::Phase;

use super::{Scene, assistant, call, err, ok, user};

fn detect(params: &str) -> Scene {
    Scene::of(&format!("kind: stall_detect, params: {{{params}}}"))
}

const SMALL: &str = "window: 4, similarity_threshold: 0.5";

/// The same call with the same result, several times.
fn again(times: usize) -> Vec<Message> {
    (0..times).flat_map(|_| [call("c", "fs_read", "{}"), ok("c", "content")]).collect()
}

/// `SkipsAfterComplete`
#[test]
fn stalls_are_not_looked_for_on_a_reply() {
    detect(SMALL).messages(again(4)).assert_idle_on_reply();
}

/// `SkipsIteration0`
#[test]
fn stalls_are_not_looked_for_at_the_first_call_of_a_run() {
    detect(SMALL).iteration(0).messages(again(4)).assert_idle_on_request();
}

/// `SkipsBelowWindowSize`
#[test]
fn fewer_results_than_the_window_are_no_stall() {
    let mut scene = detect("").messages([user("go")]).messages(again(3));
    scene.assert_idle_on_request();
    assert_eq!(scene.len(), 7);
}

/// `NoStallWithDiverseResults`
#[test]
fn different_results_are_no_stall() {
    let result = |at: usize| [call("c", "fs_read", "{}"), ok("c", &format!("content {at}"))];
    detect(SMALL).messages((0..4).flat_map(result)).assert_idle_on_request();
}

/// `InjectsNudge`
#[test]
fn four_identical_results_in_a_window_of_four_are_a_stall() {
    let mut scene = detect(SMALL).messages(again(4));
    scene.request();
    assert_eq!((scene.len(), scene.roles()[8]), (9, Role::User));
    assert!(scene.last().contains("stalled") && scene.last().contains('4'), "{}", scene.last());
}

/// `NudgeOnlyOnce`
#[test]
fn a_stall_is_reported_once() {
    let mut scene = detect(SMALL).iteration(5).messages(again(4));
    assert!(scene.request().edited());
    assert!(!scene.next().edited());
}

/// `EscalatesToError`
#[test]
fn a_stall_that_lasts_as_many_iterations_stops_the_run() {
    let mut scene = detect(SMALL).iteration(5).messages(again(4));
    scene.request();
    for _ in 6..9 {
        assert!(scene.next().stop().is_none());
    }
    assert!(scene.next().stop().is_some_and(|stop| stop.text.contains("stall detected")));
}

/// `recovery does not re-arm the message`
#[test]
fn a_stall_after_a_recovery_stops_without_another_message() {
    let mut scene = detect(SMALL).iteration(5).messages(again(4));
    scene.request();
    scene.push((0..4).flat_map(|at| [call("d", "fs_read", "{}"), ok("d", &format!("other {at}"))]));
    scene.state.run.iteration = 20;
    assert!(scene.request().due.is_empty());
    scene.push(again(4));
    let outcome = scene.next();
    assert!(!outcome.edited() && outcome.stop().is_some());
}

/// `Reset`
#[test]
fn a_new_run_forgets_a_stall() {
    let mut scene = detect(SMALL).iteration(5).messages(again(4));
    assert!(scene.request().edited());
    scene.begin_run_with(again(4));
    assert!(scene.request().edited());
}

/// `DefaultConfig`
#[test]
fn six_results_of_which_all_are_identical_are_a_stall_by_default() {
    for params in ["", "window: 0, similarity_threshold: 0", "window: -2"] {
        assert!(!detect(params).messages(again(5)).request().edited(), "{params}");
        assert!(detect(params).messages(again(6)).request().edited(), "{params}");
    }
}

/// `InvalidThreshold`
#[test]
fn a_similarity_outside_its_range_is_the_default() {
    for threshold in ["1.5", "-0.5"] {
        let params = format!("window: 5, similarity_threshold: {threshold}");
        assert!(detect(&params).messages(again(5)).request().edited(), "{threshold}");
        let mut scene = detect(&params).messages(again(4));
        scene.push([call("c", "fs_read", "{}"), ok("c", "other")]);
        assert!(!scene.request().edited(), "{threshold}");
    }
}

/// `MixedToolsDifferentErrors`
#[test]
fn the_same_error_of_different_tools_is_no_stall() {
    let result = |tool: &str| [call("c", tool, "{}"), err("c", "no such file")];
    detect(SMALL).messages(["a", "b", "c", "d"].into_iter().flat_map(result)).assert_idle_on_request();
}

/// `SameToolSameError`
#[test]
fn the_same_error_with_different_arguments_is_a_stall() {
    let result = |at: usize| [call("c", "fs_read", &format!("{{\"path\":{at}}}")), err("c", "no such file")];
    assert!(detect(SMALL).messages((0..4).flat_map(result)).request().edited());
}

/// `fingerprint of the first 200 bytes`
#[test]
fn results_are_alike_if_their_first_200_characters_are() {
    let alike = |chars: usize| {
        let result = |at: usize| [call("c", "ls", "{}"), ok("c", &format!("{}{at}", "ü".repeat(chars)))];
        detect(SMALL).messages((0..4).flat_map(result)).request().edited()
    };
    assert_eq!((alike(200), alike(199)), (true, false));
}

/// The tool, the error flag and the attachments count too.
#[test]
fn results_of_another_tool_or_outcome_or_with_another_image_are_not_alike() {
    let picture = |bytes: u64| {
        let mut message = ok("c", "content");
        if let Body::ToolResult(result) = &mut message.parts[0].body {
            result.attachments.push(Body::Image { media_type: "image/png".into(), bytes, size: None });
        }
        message
    };
    let stalls = |results: [(&str, Message); 4]| {
        let messages = results.into_iter().flat_map(|(tool, result)| [call("c", tool, "{}"), result]);
        Scene::of("kind: stall_detect, params: {window: 4, similarity_threshold: 0.75}")
            .messages(messages)
            .request()
            .edited()
    };
    assert!(stalls([(); 4].map(|()| ("ls", ok("c", "content")))));
    assert!(!stalls([
        ("ls", ok("c", "content")),
        ("ls", ok("c", "content")),
        ("ls", ok("c", "content")),
        ("ll", ok("c", "content"))
    ]));
    assert!(!stalls([
        ("ls", err("c", "content")),
        ("ls", ok("c", "content")),
        ("ls", ok("c", "content")),
        ("ls", ok("c", "content"))
    ]));
    assert!(!stalls([("ls", picture(1)), ("ls", picture(2)), ("ls", picture(2)), ("ls", picture(2))]));
}

/// `windows 1-4` with the default threshold: at most three of four results repeat another one.
#[test]
fn a_window_of_four_never_reaches_the_default_similarity() {
    for (window, is_stall) in [(1, false), (2, false), (3, false), (4, false), (5, true), (6, true)] {
        let mut scene = detect(&format!("window: {window}")).messages(again(8));
        assert_eq!(scene.request().edited(), is_stall, "{window}");
    }
}

#[test]
fn windows_of_five_to_seven_are_a_stall_only_if_all_results_are_identical() {
    for window in [5, 6, 7] {
        let stalls = |different: usize| {
            let mut scene = detect(&format!("window: {window}")).messages(again(window - different));
            scene.push((0..different).flat_map(|at| [call("d", "fs_read", "{}"), ok("d", &format!("other {at}"))]));
            scene.request().edited()
        };
        assert_eq!([stalls(0), stalls(1)], [true, false], "{window}");
    }
}

/// `masks change fingerprints`
#[test]
fn an_edit_of_a_result_does_not_hide_a_stall() {
    let policy = "effects:\n  - {kind: trim_tool_results, params: {max_result_length: 10, preserve_recent: 1}}\n  \
                  - {kind: stall_detect, params: {window: 4, similarity_threshold: 0.5}}\n";
    let mut scene = Scene::policy("policy.yaml", policy);
    scene.push((0..4).flat_map(|_| [call("c", "ls", "{}"), ok("c", &super::long("same", 100))]));
    assert!(scene.run(Phase::Reply).edited());
    assert!(scene.run(Phase::Request).edited());
}

/// `results of unknown calls`
#[test]
fn results_without_a_call_are_not_compared() {
    let mut scene = detect(SMALL).messages(again(3)).messages([assistant("so"), ok("nobody", "content")]);
    scene.assert_idle_on_request();
}
