//! `trim_tool_results`: long old results are cut after every reply.

use trimtab::transcript;

use super::{Scene, assistant, call, calls, err, long, ok, system, user};

fn trim(params: &str) -> Scene {
    Scene::of(&format!("kind: trim_tool_results, params: {{{params}}}")).iteration(0).window(None)
}

/// One result with this text, and four results after it that are kept.
fn old(text: &str) -> Scene {
    let mut scene = trim("").messages([call("c", "ls", "{}"), ok("c", text)]);
    for id in ["k1", "k2", "k3", "k4"] {
        scene.push([call(id, "ls", "{}"), ok(id, "kept")]);
    }
    scene
}

/// `SkipsBeforeComplete`
#[test]
fn trim_does_nothing_on_a_request() {
    let mut scene = old(&long("a", 1000));
    scene.assert_idle_on_request();
}

/// `PreservesRecentAtIteration0`
#[test]
fn trim_keeps_the_newest_four_results_by_default() {
    trim("").messages([call("c", "ls", "{}"), ok("c", &long("a", 1000))]).assert_idle_on_reply();
}

/// `TrimsLongResults`
#[test]
fn trim_cuts_a_long_result_and_marks_the_cut() {
    let mut scene = trim("max_result_length: 10, preserve_recent: 1");
    scene.push([
        call("a", "ls", "{}"),
        ok("a", "this is a very long tool result"),
        call("b", "ls", "{}"),
        ok("b", "short"),
    ]);
    scene.reply();
    assert_eq!((scene.text(1).as_str(), scene.text(3).as_str()), ("this is a … [trimmed]", "short"));
}

#[test]
fn trim_runs_on_every_reply_at_any_fill_and_without_a_window() {
    for iteration in [0, 1, 7] {
        assert!(old(&long("a", 1000)).iteration(iteration).reply().edited());
        assert!(old(&long("a", 1000)).iteration(iteration).window(Some(1_000_000)).reported(1).reply().edited());
    }
}

/// `PreservesRecentMessages`
#[test]
fn trim_keeps_as_many_results_as_it_is_told() {
    let mut scene = trim("max_result_length: 10, preserve_recent: 2");
    let hundred = long("a", 100);
    scene.push([ok("a", &hundred), assistant("one"), ok("b", &hundred), assistant("two"), ok("c", &hundred)]);
    scene.reply();
    let lengths = [0, 2, 4].map(|at| scene.text(at).chars().count());
    assert_eq!(lengths, [21, 100, 100]);
}

#[test]
fn trim_counts_each_result_of_a_batch() {
    let mut scene = trim("max_result_length: 10, preserve_recent: 2");
    let hundred = long("a", 100);
    scene.push([calls(&[("a", "ls", "1"), ("b", "ls", "2"), ("c", "ls", "3")])]);
    scene.push([ok("a", &hundred), ok("b", &hundred), ok("c", &hundred)]);
    scene.reply();
    assert_eq!([1, 2, 3].map(|at| scene.text(at).chars().count()), [21, 100, 100]);
}

/// `DoesNotTrimErrors`
#[test]
fn trim_leaves_errors_alone() {
    let mut scene = trim("max_result_length: 10, preserve_recent: 1");
    scene.push([call("a", "ls", "{}"), err("a", &long("no", 100)), call("b", "ls", "{}"), ok("b", "short")]);
    scene.assert_idle_on_reply();
}

/// What the effect never takes does not use up what it keeps.
#[test]
fn an_error_among_the_newest_results_is_not_counted() {
    let hundred = long("a", 100);
    let mut scene = trim("max_result_length: 10, preserve_recent: 1");
    scene.push([ok("a", &hundred), assistant("one"), ok("b", &hundred), assistant("two"), err("c", &hundred)]);
    scene.reply();
    assert_eq!([0, 2, 4].map(|at| scene.text(at).chars().count()), [21, 100, 100]);
}

/// `DoesNotTrimShortResults`
#[test]
fn trim_leaves_short_results_alone() {
    let mut scene = trim("max_result_length: 100, preserve_recent: 1");
    scene.push([call("a", "ls", "{}"), ok("a", "ok"), call("b", "ls", "{}"), ok("b", "ok")]);
    scene.assert_idle_on_reply();
}

/// `MetadataPreventsDuplicateTrimming`
#[test]
fn trim_does_not_cut_a_result_twice() {
    let mut scene = old(&long("a", 1000));
    assert!(scene.reply().edited());
    assert_eq!(scene.text(1).chars().count(), 511);
    scene.assert_idle_on_reply();
}

/// `DefaultConfig`, `ZeroPreserveRecentGetsDefault`
#[test]
fn trim_takes_its_defaults_for_zero_and_less() {
    for params in ["max_result_length: -1, preserve_recent: -1", "max_result_length: 0, preserve_recent: 0"] {
        let mut scene = trim(params);
        for id in ["a", "b", "c", "d", "e"] {
            scene.push([call(id, "ls", "{}"), ok(id, &long(id, 600))]);
        }
        scene.reply();
        let lengths = [1, 3, 5, 7, 9].map(|at| scene.text(at).chars().count());
        assert_eq!(lengths, [511, 600, 600, 600, 600], "{params}");
    }
}

/// `MixedParts`
#[test]
fn trim_cuts_only_the_long_successes_of_a_message() {
    let (success, failure) = (long("good", 100), long("bad", 100));
    let text = format!(
        r#"{{"trimtab":1}}
{{"role":"assistant","content":[{{"type":"tool_call","id":"a","name":"ls","arguments":{{}}}},{{"type":"tool_call","id":"b","name":"ls","arguments":{{}}}},{{"type":"tool_call","id":"c","name":"ls","arguments":{{}}}}]}}
{{"role":"tool","content":[{{"type":"tool_result","id":"a","content":"{success}"}},{{"type":"tool_result","id":"b","content":"short"}},{{"type":"tool_result","id":"c","content":"{failure}","is_error":true}}]}}"#
    );
    let reading = transcript::read(text.as_bytes(), None).unwrap();
    let messages = &reading.transcripts[0].messages;
    assert_eq!(messages.len(), 4, "a message of three results is three messages here");
    let mut scene = trim("max_result_length: 10, preserve_recent: 1");
    scene.push(messages.iter().map(|message| message.as_ref().clone()));
    scene.push([call("d", "ls", "{}"), ok("d", "kept")]);
    scene.reply();
    assert_eq!([1, 2, 3].map(|at| scene.text(at)), ["good xxxxx… [trimmed]".to_owned(), "short".to_owned(), failure]);
}

/// `NoToolMessages`
#[test]
fn trim_leaves_a_conversation_without_results_alone() {
    trim("")
        .messages([system("You are a coder."), user(&long("a", 900)), assistant(&long("b", 900))])
        .assert_idle_on_reply();
}

#[test]
fn trim_counts_characters_and_cuts_only_what_gets_shorter() {
    for (chars, left) in [(500, 500), (501, 501), (511, 511), (512, 511), (5000, 511)] {
        let mut scene = old(&"é".repeat(chars));
        scene.reply();
        assert_eq!(scene.text(1).chars().count(), left, "{chars}");
    }
}
