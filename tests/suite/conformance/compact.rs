//! `compact`: the whole conversation is replaced by a summary.

use std::collections::BTreeMap;

use trimtab::conversation::{Body, Level, Message, Part, Role};
use trimtab::effect::DEFAULT_PROMPT;
use trimtab::run::Answer;
use trimtab::simulate::{FailingSummariser, Options, replay};
use trimtab::transcript::Transcript;

use super::{Scene, assistant, call, err, failed, long, ok, plan, summary, system, user};

fn compact() -> Scene {
    Scene::of("kind: compact").reported(900).messages([
        system("You are a coder."),
        user(&long("Fix the bug.", 300)),
        assistant(&long("I found it.", 300)),
    ])
}

/// `SkipsAfterComplete`
#[test]
fn compact_does_nothing_on_a_reply() {
    compact().assert_idle_on_reply();
}

/// `SkipsIteration0WithoutEstimate`
#[test]
fn compact_does_nothing_at_the_first_call_of_a_run() {
    let mut unreported = compact().iteration(0);
    unreported.reported = None;
    unreported.assert_idle_on_request();
    compact().iteration(0).assert_idle_on_request();
}

/// `BelowThreshold`
#[test]
fn compact_does_nothing_below_its_threshold() {
    let mut scene = Scene::of("kind: compact, params: {threshold: 0.8}").window(Some(100_000)).reported(50_000);
    scene.push([user(&long("Hello.", 300)), assistant(&long("Hi.", 300))]);
    scene.assert_idle_on_request();
}

/// `DisabledByZeroWindow`
#[test]
fn compact_does_nothing_in_a_window_of_zero() {
    compact().window(Some(0)).assert_idle_on_request();
}

/// `Success`
#[test]
fn compact_leaves_the_system_prompt_and_a_summary() {
    let mut scene = compact().answers([summary("The bug is in the parser.")]);
    let outcome = scene.request();
    assert_eq!(scene.roles(), [Role::System, Role::User]);
    assert_eq!(scene.text(0), "You are a coder.");
    let text = scene.text(1);
    let paragraphs: Vec<&str> = text.split("\n\n").collect();
    assert!(paragraphs[0].starts_with("[Conversation compacted") && paragraphs[0].ends_with(']'), "{text}");
    assert_eq!(paragraphs[1], "The bug is in the parser.");
    assert!(paragraphs[2].starts_with("[Go on with the next steps") && paragraphs[2].ends_with(']'), "{text}");
    assert_eq!(outcome.due[0].firing.as_ref().unwrap().summaries, 1);
    assert!(outcome.signals.is_empty(), "the trace tells of it, and a rule may `notify`");
}

#[test]
fn compact_sends_the_newest_messages_too_and_no_system_message() {
    let mut scene = compact().answers([summary("Done.")]);
    scene.push([user("And the tests?")]);
    scene.request();
    let transcript = &scene.requests[0].transcript;
    assert!(transcript.starts_with("[user] Fix the bug. xxx") && transcript.ends_with("[user] And the tests?\n"));
    assert!(!transcript.contains("You are a coder."));
    assert_eq!((&scene.requests[0].previous, scene.requests[0].at_most), (&None, None));
}

#[test]
fn compact_asks_for_seven_headings_in_order() {
    let headings = [
        "Goal:",
        "Completed work:",
        "Files touched:",
        "Key decisions:",
        "Errors and blockers:",
        "Current state:",
        "Next steps:",
    ];
    let places: Vec<usize> = headings.iter().map(|heading| DEFAULT_PROMPT.find(heading).unwrap()).collect();
    assert!(places.is_sorted());
    let mut scene = compact().answers([summary("Done.")]);
    scene.request();
    assert_eq!(scene.requests[0].instructions, DEFAULT_PROMPT);
}

#[test]
fn compact_takes_calls_images_and_levels_with_it() {
    let picture = Part::new(Body::Image { media_type: "image/png".into(), bytes: 9000, size: None });
    let mut scene = compact().answers([summary("Done.")]);
    scene.push([call("c1", "ls", "{}"), ok("c1", "a b c"), Message::new(Role::User, vec![picture])]);
    scene.request();
    let parts: Vec<&Part> = scene.conversation().entries()[1].message().parts.iter().collect();
    assert_eq!((scene.len(), parts.len(), scene.conversation().results()), (2, 1, 0));
    assert!(matches!(parts[0].body, Body::Text(_)) && parts[0].level == Level::Whole);
}

#[test]
fn compact_puts_in_no_system_message_where_there_was_none() {
    let mut scene = Scene::of("kind: compact").reported(900).answers([summary("Done.")]);
    scene.push([user(&long("Hello.", 300)), assistant(&long("Hi.", 300))]);
    scene.request();
    assert_eq!(scene.roles(), [Role::User]);
}

#[test]
fn compact_keeps_all_system_messages_wherever_they_stand() {
    let mut scene = Scene::of("kind: compact").reported(900).answers([summary("Done.")]);
    let later = [user(&long("Hello.", 300)), system("A reminder."), assistant(&long("Hi.", 300))];
    scene.push([system("You are a coder."), system("Be brief.")].into_iter().chain(later));
    scene.request();
    assert_eq!(scene.roles(), [Role::System, Role::System, Role::User, Role::System]);
    assert_eq!(scene.text(3), "A reminder.");
    assert!(!scene.requests[0].transcript.contains("A reminder."));
}

#[test]
fn compact_leaves_a_lone_summary_alone_and_compacts_again_when_more_has_come() {
    let mut scene = compact().answers([summary("One."), summary("Two.")]);
    scene.request();
    scene.assert_idle_on_request();
    scene.push([assistant(&long("More.", 300)), user("Go on.")]);
    scene.next();
    assert_eq!((scene.len(), scene.requests.len()), (2, 2));
    assert!(scene.requests[1].transcript.starts_with("[user] [Conversation compacted"));
    assert!(scene.text(1).contains("Two.") && !scene.text(1).contains("One."));
}

/// `Error_NoAskFunc`
#[test]
fn a_failed_compaction_with_nobody_to_ask_changes_nothing() {
    let texts = [user(&long("Hello.", 900)), call("c1", "ls", "{}"), ok("c1", &long("a", 900)), assistant("Done.")];
    let messages = texts.into_iter().map(std::sync::Arc::new).collect();
    let transcript = Transcript { messages, window: Some(100), ..Transcript::default() };
    let plan = plan("policy.yaml", "effects: [{kind: compact}]");
    let mut lengths = BTreeMap::new();
    let options = Options { assumes_usage: true, ..Options::default() };
    let trace = replay(&plan, &transcript, &options, &mut FailingSummariser, &mut |sent| {
        lengths.insert(sent.call, sent.conversation.entries().len());
    });
    assert_eq!(trace.failures.len(), 1);
    assert_eq!((lengths[&0], lengths[&1], trace.stops().count()), (1, 3, 0));
}

/// `Error_AskUser_Continue`
#[test]
fn a_person_may_go_on_without_compaction() {
    let mut scene = compact().answers([failed("no route to host"), Answer::Continue]);
    let before = scene.lines();
    let outcome = scene.request();
    assert_eq!(scene.lines(), before);
    assert_eq!(scene.questions, ["no route to host"]);
    assert_eq!(outcome.due[0].failure.as_deref(), Some("no route to host"));
    assert!(outcome.stop().is_none());
}

/// `Error_AskUser_Retry`
#[test]
fn a_person_may_have_the_compaction_tried_again() {
    let mut scene = compact().answers([failed("busy"), Answer::Retry, summary("Done.")]);
    let outcome = scene.request();
    assert_eq!((scene.requests.len(), scene.questions.len(), scene.len()), (2, 1, 2));
    assert_eq!(scene.requests[0], scene.requests[1]);
    assert!(outcome.due[0].failure.is_none());
}

#[test]
fn a_person_may_have_it_tried_as_often_as_it_fails() {
    let again = [failed("busy"), Answer::Retry];
    let mut scene =
        compact().answers([again.clone(), again.clone(), again, [failed("busy"), Answer::Continue]].concat());
    let before = scene.lines();
    scene.request();
    assert_eq!((scene.requests.len(), scene.questions.len()), (4, 4));
    assert_eq!(scene.lines(), before);
}

#[test]
fn an_empty_summary_is_a_failure() {
    let mut scene = compact().answers([summary(" \n"), Answer::Continue]);
    let before = scene.lines();
    scene.request();
    assert_eq!(scene.lines(), before);
    assert_eq!(scene.questions, ["the summary is empty"]);
}

#[test]
fn a_summary_that_is_not_shorter_is_a_failure() {
    let mut scene = compact().answers([summary(&long("Long.", 600)), Answer::Continue]);
    let before = scene.lines();
    scene.request();
    assert_eq!(scene.lines(), before);
    assert!(scene.questions[0].starts_with("the summary has "), "{}", scene.questions[0]);
}

#[test]
fn compact_takes_calls_and_failures_out_of_sight_of_other_rules() {
    let loops = "kind: loop_detect, params: {threshold: 2}";
    let stalls = "kind: stall_detect, params: {window: 2, similarity_threshold: 0.5}";
    for other in [loops, "kind: reflection", stalls] {
        let with = |effects: &[&str]| {
            let mut scene = Scene::effects(effects).reported(900).answers([summary("Stuck.")]);
            scene.push([user(&long("Hello.", 400))]);
            scene.push([call("a", "ls", "{}"), err("a", "no"), call("b", "ls", "{}"), err("b", "no")]);
            scene.request();
            scene.len()
        };
        assert_eq!((with(&[other]), with(&["kind: compact", other])), (6, 1), "{other}");
    }
}
