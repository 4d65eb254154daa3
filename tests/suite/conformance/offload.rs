//! `offload`: large old results move to a store, from where the agent can recall them.

use super::{Scene, call, err, long, ok};

/// A full window, and three results of which the newest is kept.
fn scene(text: &str) -> Scene {
    let offload = "kind: offload, params: {threshold: 0.5, min_result_len: 50, recent_window: 1}";
    let mut scene = Scene::of(offload).reported(600);
    scene.push([call("a", "ls", "1"), ok("a", text), call("b", "ls", "2"), err("b", text)]);
    scene.push([call("k", "ls", "3"), ok("k", text)]);
    scene
}

/// `OffloadsLargeResult`
#[test]
fn offload_leaves_a_placeholder_and_recall_returns_the_result() {
    let text = long("old", 400);
    let mut scene = scene(&text);
    assert!(scene.reply().edited());
    let placeholder = scene.text(1);
    let id = placeholder.split('"').nth(1).expect("an id").to_owned();
    assert!(placeholder.starts_with(&format!("[offloaded: use recall(\"{id}\") to retrieve. Summary: old x")));
    assert_eq!(placeholder.chars().filter(|char| *char == 'x').count(), 196);
    assert_eq!(scene.conversation.recall(&id), Ok(text.as_str()));
    assert_eq!(scene.text(5), text);
}

/// `SkipsSmallResults`
#[test]
fn offload_leaves_short_results_alone() {
    scene(&long("old", 50)).assert_idle_on_reply();
}

/// `PreservesErrors`
#[test]
fn offload_leaves_errors_alone() {
    let text = long("old", 400);
    let mut scene = scene(&text);
    scene.reply();
    assert_eq!(scene.text(3), text);
}

/// `SkipsWhenBelowThreshold`
#[test]
fn offload_does_nothing_below_its_threshold() {
    scene(&long("old", 400)).reported(499).assert_idle_on_reply();
}

/// `ResetCleansUp`
#[test]
fn offloaded_content_stays_when_a_run_begins_and_when_its_message_is_gone() {
    let text = long("old", 400);
    let mut scene = scene(&text);
    scene.reply();
    let id = scene.text(1).split('"').nth(1).expect("an id").to_owned();
    scene.state.begin_run();
    scene.conversation.reset();
    assert_eq!(scene.conversation.recall(&id), Ok(text.as_str()));
    let error = scene.conversation.recall("nothing").expect_err("an unknown id");
    assert_eq!(error.to_string(), "no offloaded content for id \"nothing\"");
}

/// `ProvidedToolsReturnsRecall`
#[test]
fn a_plan_that_offloads_gives_the_agent_the_tool() {
    assert!(Scene::of("kind: offload").plan.offloads());
}

/// `ProvidedToolsNilWithoutStorageDir`
#[test]
fn a_plan_without_offload_gives_the_agent_no_tool() {
    assert!(!Scene::of("kind: observation_mask").plan.offloads());
}
