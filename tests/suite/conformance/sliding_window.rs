//! `sliding_window`: three zones, the oldest folded into one running summary.

use trimtab::conversation::Role;
use trimtab::effect::DEFAULT_PROMPT;
use trimtab::run::Answer;

use super::{Scene, assistant, call, calls, err, failed, long, ok, summary, system, user};

fn slide(params: &str) -> Scene {
    Scene::of(&format!("kind: sliding_window, params: {{threshold: 0.8, {params}}}")).reported(900)
}

/// A system prompt and these long messages of user and assistant in turn.
fn talk(numbers: std::ops::Range<usize>) -> Vec<trimtab::conversation::Message> {
    let message = |number: usize| {
        let text = long(&format!("m{number}"), 200);
        if number.is_multiple_of(2) { user(&text) } else { assistant(&text) }
    };
    numbers.map(message).collect()
}

/// The first word of each message, or the words of a running summary.
fn marks(scene: &Scene) -> Vec<String> {
    let mark = |at: usize| {
        let text = scene.text(at);
        if text.starts_with("[Context summary") { text.split("\n\n").nth(1) } else { text.split(' ').next() }
            .unwrap_or_default()
            .to_owned()
    };
    (0..scene.len()).map(mark).collect()
}

/// Recent 2, medium 2, after a first pass over eight messages.
fn after_one_pass(answers: impl IntoIterator<Item = Answer>) -> Scene {
    let mut scene = slide("recent_zone: 2, medium_zone: 2").answers(answers).messages([system("sys prompt")]);
    scene.push(talk(0..8));
    scene.request();
    assert_eq!(marks(&scene), ["sys", "S1", "m4", "m5", "m6", "m7"]);
    scene
}

/// `SkipsAfterComplete`
#[test]
fn slide_does_nothing_on_a_reply() {
    slide("recent_zone: 2").messages(talk(0..8)).assert_idle_on_reply();
}

/// `SkipsIteration0WithoutEstimate`
#[test]
fn slide_does_nothing_at_the_first_call_of_a_run() {
    slide("recent_zone: 2, medium_zone: 2").iteration(0).messages(talk(0..8)).assert_idle_on_request();
}

/// `BelowThreshold`
#[test]
fn slide_does_nothing_below_its_threshold() {
    slide("recent_zone: 2, medium_zone: 2").reported(500).messages(talk(0..8)).assert_idle_on_request();
}

/// `TrimsMediumZone`
#[test]
fn slide_folds_old_messages_and_cuts_the_results_behind_them() {
    let mut scene = slide("recent_zone: 2, medium_zone: 2, trim_length: 10").answers([summary("S1")]);
    scene.push([system("You are a coder.")]);
    scene.push(talk(0..2));
    scene.push([
        call("c", "read_file", "{}"),
        ok("c", &long("content", 100)),
        user("recent one"),
        assistant("recent two"),
    ]);
    scene.request();
    assert_eq!(scene.roles(), [Role::System, Role::User, Role::Assistant, Role::Tool, Role::User, Role::Assistant]);
    assert!(scene.text(1).starts_with("[Context summary") && scene.text(1).ends_with("]\n\nS1"), "{}", scene.text(1));
    assert_eq!(scene.text(3), "content xx… [trimmed]");
    assert_eq!((scene.text(4).as_str(), scene.last().as_str()), ("recent one", "recent two"));
}

/// `NotEnoughMessages`
#[test]
fn slide_does_nothing_while_all_messages_are_recent() {
    slide("recent_zone: 10").messages([system("You are a coder."), user("a"), assistant("b")]).assert_idle_on_request();
}

/// Ten messages are all recent; of eleven, the first one is in the medium zone.
#[test]
fn slide_cuts_nothing_in_as_many_messages_as_are_recent() {
    let with = |others: usize| {
        let mut scene = slide("recent_zone: 10").messages([system("sys prompt"), ok("c", &long("content", 300))]);
        scene.push(talk(0..others));
        scene
    };
    with(9).assert_idle_on_request();
    let mut eleven = with(10);
    assert!(eleven.request().edited());
    assert_eq!((eleven.len(), eleven.text(1).chars().count(), eleven.requests.len()), (12, 211, 0));
}

/// `DefaultConfig`
#[test]
fn slide_takes_its_defaults_for_zero_and_less() {
    let zones = ["", ", params: {recent_zone: 0, medium_zone: -1, trim_length: 0}"];
    for params in zones {
        let mut scene = Scene::of(&format!("kind: sliding_window{params}")).reported(700).answers([summary("S1")]);
        scene.push(talk(0..2));
        scene.push([call("c", "ls", "{}"), ok("c", &long("content", 300))]);
        scene.push(talk(2..20));
        scene.request();
        // 22 messages: 2 old ones, 10 in the medium zone, 10 recent ones.
        assert_eq!((scene.len(), scene.text(2).chars().count()), (21, 211), "{params}");
    }
}

/// `PreservesErrorToolResults`
#[test]
fn slide_leaves_errors_alone() {
    let mut scene = slide("recent_zone: 1, medium_zone: 2, trim_length: 10").answers([summary("S1")]);
    let error = long("not found", 84);
    scene.push([
        system("sys prompt"),
        user(&long("m0", 200)),
        call("c", "ls", "{}"),
        err("c", &error),
        assistant("End."),
    ]);
    scene.request();
    assert_eq!((scene.len(), scene.requests.len()), (5, 1));
    assert_eq!(scene.text(3), error);
}

/// `ResetClearsState`
#[test]
fn a_new_run_goes_on_with_the_running_summary() {
    let mut scene = after_one_pass([summary("S1"), summary("S2")]);
    scene.state.begin_run();
    scene = scene.iteration(1);
    scene.push(talk(8..10));
    scene.request();
    assert_eq!(scene.requests[1].previous.as_deref(), Some("S1"));
    assert_eq!(marks(&scene), ["sys", "S2", "m6", "m7", "m8", "m9"]);
}

/// `AllSystemMessagesNoPanic`
#[test]
fn slide_does_nothing_with_system_messages_only() {
    slide("recent_zone: 1, medium_zone: 1").messages([system("one"), system("two")]).assert_idle_on_request();
    slide("recent_zone: 1, medium_zone: 1").assert_idle_on_request();
}

#[test]
fn there_is_one_running_summary_and_each_pass_replaces_it() {
    let mut scene = after_one_pass([summary("S1"), summary("S2"), summary("S3")]);
    scene.push(talk(8..10));
    scene.next();
    assert_eq!(marks(&scene), ["sys", "S2", "m6", "m7", "m8", "m9"]);
    scene.push(talk(10..12));
    scene.next();
    assert_eq!(marks(&scene), ["sys", "S3", "m8", "m9", "m10", "m11"]);
    let previous: Vec<Option<&str>> = scene.requests.iter().map(|request| request.previous.as_deref()).collect();
    assert_eq!(previous, [None, Some("S1"), Some("S2")]);
}

#[test]
fn a_pass_sends_the_old_zone_only() {
    let mut scene = after_one_pass([summary("S1"), summary("S2")]);
    scene.push(talk(8..10));
    scene.next();
    let lines = |at: usize| -> Vec<String> {
        let words = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
        scene.requests[at].transcript.lines().map(words).collect()
    };
    assert_eq!(lines(0), ["[user] m0", "[assistant] m1", "[user] m2", "[assistant] m3"]);
    assert_eq!(lines(1), ["[user] m4", "[assistant] m5"]);
    assert_eq!(scene.requests[0].instructions, DEFAULT_PROMPT);
}

#[test]
fn a_running_summary_alone_in_the_old_zone_is_left_as_it_is() {
    let mut scene = after_one_pass([summary("S1")]);
    scene.assert_idle_on_request();
    scene.assert_idle_on_request();
}

#[test]
fn when_the_summary_fails_everything_stays_and_the_medium_zone_too() {
    for answer in [failed("down"), summary(""), summary(&long("S1", 900))] {
        let mut scene = slide("recent_zone: 1, medium_zone: 2, trim_length: 10").answers([answer]);
        scene.push(talk(0..2));
        scene.push([call("c", "ls", "{}"), ok("c", &long("content", 100)), user("recent")]);
        let before = scene.lines();
        let outcome = scene.request();
        assert_eq!(scene.lines(), before);
        assert!(outcome.due[0].failure.is_some() && outcome.stop().is_none());
        assert!(scene.questions.is_empty(), "the user is not asked");
    }
}

#[test]
fn without_old_messages_only_the_medium_zone_is_cut() {
    let mut scene = slide("recent_zone: 1, medium_zone: 5, trim_length: 10");
    scene.push([user("a"), call("c", "ls", "{}"), ok("c", &long("content", 100)), user("recent")]);
    scene.request();
    assert_eq!((scene.len(), scene.requests.len()), (4, 0));
    assert_eq!(scene.text(2), "content xx… [trimmed]");
    scene.assert_idle_on_request();
}

#[test]
fn the_old_zone_ends_before_a_batch_that_it_would_split() {
    let mut scene = slide("recent_zone: 1, medium_zone: 2, trim_length: 10").answers([summary("S1")]);
    scene.push([user(&long("m0", 200)), calls(&[("a", "ls", "1"), ("b", "ls", "2"), ("c", "ls", "3")])]);
    scene.push(["a", "b", "c"].map(|id| ok(id, &long(id, 100))));
    scene.push([assistant("End.")]);
    scene.request();
    // The medium zone of two messages would begin at the second result.
    assert_eq!(scene.roles()[..3], [Role::User, Role::Assistant, Role::Tool]);
    assert_eq!([2, 3, 4].map(|at| scene.text(at).chars().count()), [21, 21, 21]);
}

#[test]
fn the_recent_zone_begins_at_the_very_message() {
    let mut scene = slide("recent_zone: 1, medium_zone: 9, trim_length: 10");
    scene.push([user("a"), calls(&[("a", "ls", "1"), ("b", "ls", "2")])]);
    scene.push(["a", "b"].map(|id| ok(id, &long(id, 100))));
    scene.request();
    assert_eq!([2, 3].map(|at| scene.text(at).chars().count()), [21, 100]);
}

#[test]
fn a_trimmed_result_is_cut_again_by_a_smaller_limit_only() {
    for (limit, left) in [(200, 211), (499, 510), (500, 511), (505, 511)] {
        let slide = format!("kind: sliding_window, params: {{recent_zone: 1, medium_zone: 20, trim_length: {limit}}}");
        let mut scene =
            Scene::effects(&["kind: trim_tool_results, params: {preserve_recent: 1}", &slide]).reported(900);
        scene.push([user("a"), call("c", "ls", "{}"), ok("c", &long("content", 1000))]);
        scene.push([call("d", "ls", "{}"), ok("d", "kept")]);
        scene.reply();
        assert_eq!(scene.text(2).chars().count(), 511);
        scene.request();
        assert_eq!(scene.text(2).chars().count(), left, "{limit}");
    }
}

#[test]
fn later_system_messages_count_and_stay_behind_the_summary() {
    let mut scene = slide("recent_zone: 2, medium_zone: 1").answers([summary("S1")]).messages([system("sys prompt")]);
    scene.push(talk(0..1));
    scene.push([system("later")]);
    scene.push(talk(1..4));
    scene.request();
    assert_eq!(marks(&scene), ["sys", "S1", "later", "m1", "m2", "m3"]);
    assert!(!scene.requests[0].transcript.contains("later"));
}

#[test]
fn a_message_that_only_looks_like_a_summary_is_folded_like_others() {
    let mut scene = slide("recent_zone: 1, medium_zone: 1").answers([summary("S1")]);
    scene.push([user(&long("[Context summary: quoted]", 200))]);
    scene.push(talk(1..4));
    scene.request();
    assert!(scene.requests[0].transcript.starts_with("[user] [Context summary: quoted]"));
    assert_eq!((marks(&scene), &scene.requests[0].previous), (["S1", "m2", "m3"].map(str::to_owned).to_vec(), &None));
}

#[test]
fn a_compaction_takes_the_running_summary_with_it() {
    let slide = "kind: sliding_window, params: {recent_zone: 2, medium_zone: 2}";
    let mut scene = Scene::effects(&["kind: compact", slide]).messages(talk(0..8)).reported(700);
    scene = scene.answers([summary("S1"), summary("C1"), summary("S2")]);
    scene.request();
    assert_eq!(marks(&scene), ["S1", "m4", "m5", "m6", "m7"]);
    scene = scene.reported(900);
    scene.next();
    assert_eq!(scene.len(), 1);
    scene.push(talk(8..13));
    scene = scene.reported(700);
    scene.next();
    assert_eq!(marks(&scene), ["S2", "m9", "m10", "m11", "m12"]);
    assert_eq!(scene.requests[2].previous, None);
    assert!(scene.requests[2].transcript.starts_with("[user] [Conversation compacted"));
}
