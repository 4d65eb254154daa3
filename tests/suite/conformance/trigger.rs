//! When `compact`, `sliding_window` and `observation_mask` trigger: the reported tokens compared with a share of the window.

use trimtab::conversation::{Counter, Usage};
use trimtab::model::TokenCounter;
use trimtab::pipeline;
use trimtab::run::Answer;
use trimtab::simulate::{ConstantSummariser, Options, replay};
use trimtab::transcript;

use super::live::live;
use super::{Scene, assistant, call, failed, long, ok, plan, summary, system, user};

/// The three effects with a threshold.
fn three(threshold: &str) -> [String; 3] {
    [
        format!("kind: compact, params: {{threshold: {threshold}}}"),
        format!("kind: sliding_window, params: {{threshold: {threshold}, recent_zone: 2, medium_zone: 1}}"),
        format!("kind: observation_mask, params: {{threshold: {threshold}, recent_window: 2}}"),
    ]
}

/// A conversation in which each of them has something to do.
fn full(effect: &str) -> Scene {
    Scene::of(effect).answers([failed("down"), Answer::Continue]).messages([
        system("You are a coder."),
        user(&long("first", 300)),
        call("c1", "read_file", "{}"),
        ok("c1", &long("content", 300)),
        assistant("It is read."),
        user("Go on."),
    ])
}

/// Which of the three are due.
fn due(threshold: &str, window: Option<u64>, reported: Option<u64>, iteration: u64) -> [bool; 3] {
    three(threshold).map(|effect| {
        let mut scene = full(&effect).window(window).iteration(iteration);
        scene.reported = reported;
        !scene.request().due.is_empty()
    })
}

const ALL: [bool; 3] = [true; 3];
const NONE: [bool; 3] = [false; 3];

#[test]
fn the_limit_itself_triggers_and_less_does_not() {
    assert_eq!(due("0.8", Some(1000), Some(900), 1), ALL);
    assert_eq!(due("0.8", Some(1000), Some(800), 1), ALL);
    assert_eq!(due("0.8", Some(1000), Some(799), 1), NONE);
    assert_eq!(due("0.8", Some(1000), Some(500), 1), NONE);
}

#[test]
fn the_limit_is_cut_to_a_whole_number() {
    // 999 × 0.8 = 799.2
    assert_eq!(due("0.8", Some(999), Some(799), 1), ALL);
    assert_eq!(due("0.8", Some(999), Some(798), 1), NONE);
}

#[test]
fn the_limit_is_reckoned_in_decimals() {
    // In binary floating point 100 × 0.29 is a little less than 29.
    assert_eq!(due("0.29", Some(100), Some(29), 1), ALL);
    assert_eq!(due("0.29", Some(100), Some(28), 1), NONE);
}

#[test]
fn nothing_triggers_without_a_window() {
    assert_eq!(due("0.8", None, Some(900), 1), NONE);
    assert_eq!(due("0.8", Some(0), Some(900), 1), NONE);
}

#[test]
fn nothing_triggers_before_usage_was_reported() {
    assert_eq!(due("0.8", Some(1000), None, 1), NONE);
}

#[test]
fn nothing_triggers_at_the_first_call_of_a_run() {
    assert_eq!(due("0.8", Some(1000), Some(900), 0), NONE);
}

#[test]
fn a_limit_of_zero_is_reached_by_any_report() {
    assert_eq!(due("0.8", Some(1), Some(0), 1), ALL);
    assert_eq!(due("0.8", Some(1), None, 1), NONE);
}

#[test]
fn a_threshold_may_lie_above_the_window_but_not_by_more_than_half() {
    assert_eq!(due("1.5", Some(1000), Some(1500), 1), ALL);
    assert_eq!(due("1.5", Some(1000), Some(1499), 1), NONE);
    for effect in three("1.6") {
        let compiled = pipeline::compile("policy.yaml", &format!("effects:\n  - {{{effect}}}\n"));
        assert!(compiled.has_errors() && compiled.checked.is_none(), "{effect}");
    }
}

#[test]
fn a_threshold_of_zero_turns_off_all_but_the_mask() {
    for threshold in ["0", "-0.5"] {
        let [compact, slide, mask] = three(threshold);
        let mut off = Scene::effects(&[&compact, &slide, "kind: progress"]).reported(999);
        off.push([user(&long("first", 600)), assistant("a"), user("b"), assistant("c")]);
        off.assert_idle_on_request();
        assert!(full(&mask).reported(600).request().edited(), "a mask falls back to 60 %");
        assert!(!full(&mask).reported(599).request().edited());
    }
}

#[test]
fn a_mask_does_not_lower_the_number_that_compact_looks_at() {
    let mut scene = Scene::effects(&["kind: compact", "kind: observation_mask, params: {recent_window: 2}"])
        .reported(800)
        .answers([summary("All is read.")])
        .messages([
            user(&long("first", 300)),
            call("c1", "read_file", "{}"),
            ok("c1", &long("content", 300)),
            assistant("It is read."),
            user("Go on."),
        ]);
    assert_eq!(scene.request().due.len(), 2);
    // The mask runs first, so the summarised messages are masked.
    assert!(scene.requests[0].transcript.contains("[tool result] [tool result for read_file: content xxx"));
    assert_eq!(scene.len(), 1);
}

/// A run whose context grows to 900 of 1000 tokens, most of it read from the cache.
fn cached() -> String {
    let text = long("word", 3000);
    let usage = r#"{"input":100,"cache_read":700,"cache_write":100,"output":5}"#;
    [
        r#"{"trimtab":1,"window":1000}"#.to_owned(),
        format!(r#"{{"role":"user","content":"{text}"}}"#),
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_call","id":"a","name":"ls","arguments":{{}}}}],"usage":{usage}}}"#
        ),
        format!(r#"{{"role":"tool","content":[{{"type":"tool_result","id":"a","content":"{text}"}}]}}"#),
        r#"{"role":"assistant","content":[{"type":"tool_call","id":"b","name":"ls","arguments":{}}]}"#.to_owned(),
        r#"{"role":"tool","content":[{"type":"tool_result","id":"b","content":"few"}]}"#.to_owned(),
        r#"{"role":"assistant","content":"Done."}"#.to_owned(),
    ]
    .join("\n")
}

#[test]
fn cached_input_is_input() {
    let usage = Usage { input: 100, cache_read: 700, cache_write: 100, output: 5, ..Usage::default() };
    assert_eq!(usage.context(), 900);
    let reading = transcript::read(cached().as_bytes(), None).unwrap();
    let plan = plan("policy.yaml", "effects: [{kind: compact}]");
    let mut fixed = ConstantSummariser("Listed.".to_owned());
    let trace = replay(&plan, &reading.transcripts[0], &Options::default(), &mut fixed, &mut |_| {});
    assert_eq!(trace.rules[0].calls, [1]);
}

#[test]
fn after_a_summary_the_reported_count_is_the_conversations_own() {
    let reading = transcript::read(cached().as_bytes(), None).unwrap();
    let plan = plan("policy.yaml", "effects: [{kind: compact}]");
    let mut fixed = ConstantSummariser("Listed.".to_owned());
    let trace = replay(&plan, &reading.transcripts[0], &Options::default(), &mut fixed, &mut |_| {});
    assert_eq!((trace.calls.len(), trace.summaries, trace.rules[0].due), (3, 1, 1));
    assert!(trace.calls[2].after < 800, "{}", trace.calls[2].after);
}

/// The calls at which a compaction is due if the replies have these inputs, and the size of the first summariser's request.
fn due_calls(usages: &[u64]) -> (Vec<usize>, u64) {
    let run = live(&plan("policy.yaml", "effects: [{kind: compact}]"), 1700, usages, &summary("Listed."));
    let transcript = run.requests.first().map_or(0, |request| TokenCounter::default().text(&request.transcript));
    (run.calls("compact"), transcript)
}

/// The first system takes the summariser's call for the last one, so that the next call is above the limit again.
#[test]
fn the_input_of_a_summariser_is_not_the_reported_context() {
    let (calls, transcript) = due_calls(&[900, 300]);
    assert!(transcript > 800, "above the limit itself: {transcript}");
    assert_eq!(calls, [1]);
    assert_eq!(due_calls(&[900, 900]).0, [1, 2]);
}

#[test]
fn the_newest_reported_usage_counts() {
    assert_eq!(
        [due_calls(&[900, 300]).0, due_calls(&[300, 900]).0, due_calls(&[300, 300]).0],
        [vec![1], vec![2], vec![]]
    );
}

#[test]
fn offload_triggers_at_its_share_of_the_window() {
    let edited = |window: Option<u64>, reported: Option<u64>| {
        let mut scene = Scene::of("kind: offload, params: {threshold: 0.5, min_result_len: 50, recent_window: 1}");
        scene.push([call("a", "ls", "1"), ok("a", &long("old", 400)), call("b", "ls", "2"), ok("b", "new")]);
        scene = scene.window(window);
        scene.reported = reported;
        scene.reply().edited()
    };
    assert_eq!([edited(Some(1000), Some(500)), edited(Some(1000), Some(499))], [true, false]);
    assert_eq!([edited(None, Some(900)), edited(Some(0), Some(900)), edited(Some(1000), None)], [false; 3]);
}
