//! `progress`: a request for a progress note at an interval of iterations.

use std::sync::Arc;

use trimtab::simulate::{FailingSummariser, Options, replay};
use trimtab::transcript::{Tool, Transcript};

use super::{Scene, call, ok, plan, user};

fn progress(params: &str, iteration: u64) -> Scene {
    let scene = Scene::of(&format!("kind: progress, params: {{{params}}}"));
    scene.tools(&["bash", "write_note"]).iteration(iteration).messages([user("Go on.")])
}

/// `SkipsAfterComplete`
#[test]
fn notes_are_not_asked_for_on_a_reply() {
    progress("interval: 5", 5).assert_idle_on_reply();
}

/// `SkipsIteration0`
#[test]
fn notes_are_not_asked_for_at_the_first_call_of_a_run() {
    progress("interval: 5", 0).assert_idle_on_request();
}

/// `SkipsWithoutNotesTool`
#[test]
fn notes_are_asked_for_only_where_the_tool_is_declared() {
    progress("interval: 5", 5).tools(&["bash"]).assert_idle_on_request();
    progress("interval: 5", 5).tools(&[]).assert_idle_on_request();
}

/// `InjectsAtInterval`
#[test]
fn a_note_is_asked_for_at_the_interval() {
    let mut scene = progress("interval: 5", 5);
    scene.request();
    assert_eq!(scene.len(), 2);
    for part in ["5 iterations", "write_note", "done", "left", "in the way"] {
        assert!(scene.last().contains(part), "{}", scene.last());
    }
}

/// `InjectsAtMultipleIntervals`
#[test]
fn a_note_is_asked_for_at_each_multiple() {
    let mut scene = progress("interval: 3", 0);
    for _ in 0..7 {
        scene.next();
    }
    assert_eq!(scene.len(), 3);
    assert!(scene.text(1).contains("3 iterations") && scene.text(2).contains("6 iterations"));
}

/// `SkipsNonInterval`
#[test]
fn no_note_is_asked_for_between_the_multiples() {
    progress("interval: 5", 3).assert_idle_on_request();
    progress("interval: 5", 6).assert_idle_on_request();
}

/// `Defaults`
#[test]
fn every_fifth_iteration_is_the_default() {
    for params in ["", "interval: 0", "interval: -2"] {
        let requested: Vec<u64> = (0..=11).filter(|&at| progress(params, at).request().edited()).collect();
        assert_eq!(requested, [5, 10], "{params}");
    }
}

/// The calls of a replay of six at which a note is requested.
fn requested(policy: &str, tools: &[&str]) -> Vec<usize> {
    let calls = (0..6).flat_map(|_| [call("c", "ls", "{}"), ok("c", "a")]);
    let messages = std::iter::once(user("Go.")).chain(calls).map(Arc::new).collect();
    let tools = tools.iter().map(|&name| Tool { name: name.into(), description: None, schema: None }).collect();
    let transcript = Transcript { messages, tools, ..Transcript::default() };
    replay(&plan("policy.yaml", policy), &transcript, &Options::default(), &mut FailingSummariser, &mut |_| {}).rules[0]
        .calls
        .clone()
}

#[test]
fn file_and_recording_may_declare_the_tool_for_notes() {
    let every_two = "effects: [{kind: progress, params: {interval: 2}}]\n";
    assert_eq!(requested(every_two, &[]), [0; 0]);
    assert_eq!(requested(every_two, &["write_note"]), [2, 4]);
    let declared = format!("tools: [bash, write_note]\n{every_two}");
    assert_eq!(requested(&declared, &[]), [2, 4]);
    assert_eq!(requested(&declared, &["bash"]), [0; 0], "what the recording declares is what its agent had");
}
