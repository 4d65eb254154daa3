//! Regression tests: a short recording and a policy, with the contexts that are sent and the rules that fire.

use trimtab::hook::Event;
use trimtab::simulate::{ConstantSummariser, FailingSummariser, Options, Summariser, Trace, replay};
use trimtab::transcript::{self, Transcript, message_json};

use crate::laws::plan;

/// A recording in Trimtab JSONL.
fn recording(lines: &[&str]) -> Transcript {
    let text = format!("{{\"trimtab\":1,\"window\":1000}}\n{}\n", lines.join("\n"));
    transcript::read(text.as_bytes(), None).unwrap().transcripts.remove(0)
}

fn person(text: &str) -> String {
    format!(r#"{{"role":"user","content":"{text}"}}"#)
}

/// A reply that calls `ls` with an argument, and the result.
fn call(id: usize, argument: &str, result: &str, is_error: bool) -> String {
    format!(
        "{{\"role\":\"assistant\",\"content\":[{{\"type\":\"tool_call\",\"id\":\"c{id}\",\"name\":\"ls\",\"arguments\":{{\"path\":\"{argument}\"}}}}]}}\n\
         {{\"role\":\"tool\",\"content\":[{{\"type\":\"tool_result\",\"id\":\"c{id}\",\"content\":\"{result}\",\"is_error\":{is_error}}}]}}"
    )
}

fn answer(text: &str) -> String {
    format!(r#"{{"role":"assistant","content":"{text}"}}"#)
}

fn rules(rules: &str) -> String {
    format!("edition 2026\npolicy p {{\n{rules}\n}}\n")
}

/// The trace, and the messages of each call as JSON.
fn run(policy: &str, transcript: &Transcript, summariser: &mut dyn Summariser) -> (Trace, Vec<Vec<String>>) {
    let mut sent = Vec::new();
    let trace = replay(&plan(&rules(policy)), transcript, &Options::default(), summariser, &mut |context| {
        let messages = context.messages();
        sent.push(messages.iter().map(|message| message_json(message)["content"].to_string()).collect());
    });
    assert!(trace.invariants.broken.is_empty(), "{:?}", trace.invariants.broken);
    (trace, sent)
}

fn lines(lines: &[String]) -> Transcript {
    recording(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn masking_thinking_leaves_texts_and_calls_of_a_reply_with_several_thinking_parts() {
    let reply = r#"{"role":"assistant","content":[{"type":"thinking","text":"A thought"},{"type":"text","text":"Some text"},{"type":"thinking","text":"B thought"},{"type":"tool_call","id":"c1","name":"ls","arguments":{}}]}"#;
    let result = r#"{"role":"tool","content":[{"type":"tool_result","id":"c1","content":"files"}]}"#;
    let transcript =
        lines(&[person("go"), reply.to_owned(), result.to_owned(), answer("done"), person("more"), answer("ok")]);
    let (trace, sent) = run("rule a { do mask thinking keep 1 message }", &transcript, &mut FailingSummariser);
    assert_eq!(trace.rules[0].edits, 2);
    let reply = &sent[2][1];
    assert!(reply.contains("Some text") && reply.contains("\"c1\"") && !reply.contains("thought"), "{reply}");
}

#[test]
fn until_and_once_until_have_separate_state() {
    // `until` keeps the rule triggered up to the end of the run; the end of `once until` must not end that.
    let transcript = lines(&(0..8).map(|id| call(id, "x", "files", false)).collect::<Vec<_>>());
    let policy = "rule a { when iteration == 1 do notify \"x\" until iteration >= 7 once until iteration >= 3 }";
    let (trace, _) = run(policy, &transcript, &mut FailingSummariser);
    assert_eq!(trace.rules[0].calls, [1, 3, 4, 5, 6]);
}

#[test]
fn a_conversation_has_one_running_summary_for_all_rules() {
    let long = |word: &str| format!("{word} {}", "long text ".repeat(60));
    let mut messages = vec![person(&long("first"))];
    for id in 0..12 {
        messages.push(call(id, &id.to_string(), &long(&format!("r{id}")), false));
    }
    let policy = "rule narrow { do slide recent 2 messages medium 2 messages pin first_user }
                  rule wide { do slide recent 3 messages medium 3 messages }";
    let mut summariser = RecordingSummariser::default();
    let (_, sent) = run(policy, &lines(&messages), &mut summariser);
    for context in &sent {
        let running = context.iter().filter(|context| context.contains("Context summary")).count();
        assert!(running <= 1, "{context:#?}");
    }
    // Each request contains the previous summary, so none is lost.
    assert!(summariser.previous.len() > 3);
    for (number, previous) in summariser.previous.iter().enumerate().skip(1) {
        assert_eq!(previous.as_deref(), Some(format!("S{number}").as_str()));
    }
}

/// Records the previous summary of each request.
#[derive(Default)]
struct RecordingSummariser {
    previous: Vec<Option<String>>,
}

impl Summariser for RecordingSummariser {
    fn summarise(&mut self, request: &trimtab::effect::SummaryRequest, number: u64) -> Result<String, String> {
        self.previous.push(request.previous.clone());
        Ok(format!("S{number}"))
    }
}

#[test]
fn repeats_compares_recorded_arguments_even_if_they_were_masked() {
    let long = "a very long argument that is masked ".repeat(4);
    let others = ["x", "y", "z"].map(|end| format!("{long}{end}"));
    let masks = "rule m { do mask calls keep 0 messages preview 10 chars }";
    let counts = "rule r { when repeats >= 2 do notify \"{repeats}\" }";
    // Masked arguments would be equal.
    let different: Vec<String> =
        others.iter().enumerate().map(|(id, argument)| call(id, argument, "files", false)).collect();
    let (trace, _) = run(&format!("{masks}\n{counts}"), &lines(&different), &mut FailingSummariser);
    assert!(trace.rules[0].edits > 0 && trace.rules[1].fired == 0, "{:?}", trace.rules);
    let same: Vec<String> = (0..4).map(|id| call(id, &long, "files", false)).collect();
    let (trace, _) = run(&format!("{masks}\n{counts}"), &lines(&same), &mut FailingSummariser);
    assert_eq!(trace.rules[1].calls, [2, 3]);
}

#[test]
fn a_sent_message_counts_as_a_firing_even_if_the_summary_fails() {
    let transcript = lines(&(0..6).map(|id| call(id, "x", "files", false)).collect::<Vec<_>>());
    for effects in [
        "inject \"hold on\" then summarise all on_failure keep",
        "inject \"hold on\" for step then summarise all on_failure keep",
        "notify \"hold on\" then summarise all on_failure keep",
        "summarise all on_failure then notify \"hold on\"",
        "summarise all on_failure then inject \"hold on\"",
    ] {
        let (trace, sent) =
            run(&format!("rule a {{ when iteration >= 1 do {effects} once }}"), &transcript, &mut FailingSummariser);
        assert_eq!((trace.rules[0].fired, trace.failures.len()), (1, 1), "{effects}");
        let copies: usize = sent.last().into_iter().flatten().filter(|context| context.contains("hold on")).count();
        assert!(copies <= 1 && trace.notices().count() <= 1, "{effects}");
    }
}

#[test]
fn at_least_and_down_to_count_only_actual_savings() {
    let thinking =
        format!(r#"{{"role":"assistant","content":[{{"type":"thinking","text":"{}"}}]}}"#, "thought ".repeat(80));
    let transcript = lines(&[person("a"), thinking.clone(), person("b"), thinking, person("c"), answer("ok")]);
    let (trace, _) =
        run("rule a { do mask thinking keep 0 messages at_least 50 tokens }", &transcript, &mut FailingSummariser);
    assert_eq!((trace.rules[0].fired, trace.rules[0].edits), (0, 0));
    let (trace, _) = run("rule a { do mask thinking keep 0 messages down_to 1% }", &transcript, &mut FailingSummariser);
    assert_eq!(trace.rules[0].fired, 0);
}

/// A search below the minimum continues at the next call where it ended.
#[test]
fn a_search_that_continues_takes_what_a_search_from_the_start_takes() {
    // The context passes each goal slowly, so that the first searches that reach it save little.
    let sizes: Vec<usize> = (0..30).map(|id| 20 + id * 37 % 90).collect();
    let results = sizes.iter().enumerate().map(|(id, words)| call(id, "x", &"word ".repeat(*words), false));
    let transcript = lines(&results.collect::<Vec<_>>());
    let mut firings = Vec::new();
    for (least, goal) in [50, 150, 400, 900].into_iter().flat_map(|least| [300, 700, 1_200].map(|goal| (least, goal))) {
        let effect = format!("do mask results keep 1 messages down_to {goal} tokens at_least {least} tokens");
        let fired = |condition: &str| {
            let (trace, _) =
                run(&format!("rule a {{ {condition} {effect} once }}"), &transcript, &mut FailingSummariser);
            (trace.rules[0].calls.first().copied(), trace.rules[0].edits)
        };
        let from_the_start = (0..sizes.len()).map(|call| fired(&format!("when iteration == {call}")));
        let first = from_the_start.into_iter().find(|(call, _)| call.is_some()).unwrap_or_default();
        assert_eq!(fired(""), first, "at_least {least} down_to {goal}");
        firings.push(first);
    }
    firings.sort_unstable();
    firings.dedup();
    assert!(firings.len() >= 5, "{firings:?}");
}

#[test]
fn an_iteration_ends_before_the_harness_compacts() {
    let compacted = r#"{"role":"user","content":"[summary]","harness":true,"resets":true}"#;
    let mut messages: Vec<String> = (0..3).map(|id| call(id, "x", "files", true)).collect();
    messages.push(compacted.to_owned());
    messages.push(answer("ok"));
    let policy = "rule a { on iteration_end do notify \"{context.messages} {failures}\" }";
    let (trace, _) = run(policy, &lines(&messages), &mut FailingSummariser);
    let notices: Vec<&str> = trace.notices().map(|(_, _, text)| text).collect();
    assert_eq!(notices, ["2 1", "4 2", "6 3", "2 0"]);
}

#[test]
fn unless_holds_back_a_rule_that_until_keeps_due() {
    let transcript = lines(&(0..6).map(|id| call(id, "x", "files", id == 2)).collect::<Vec<_>>());
    let policy = "rule a { when iteration == 1 unless failures >= 1 do notify \"x\" until iteration >= 5 }";
    let (trace, _) = run(policy, &transcript, &mut FailingSummariser);
    // The failure of call 2 is visible from call 3.
    assert_eq!(trace.rules[0].calls, [1, 2, 4]);
}

#[test]
fn the_next_run_does_not_contain_the_rest_of_a_stopped_run() {
    let mut messages = vec![person("first")];
    messages.extend((0..3).map(|id| call(id, "x", &format!("r{id}"), false)));
    messages.extend([answer("done"), person("second"), answer("ok")]);
    let (trace, sent) =
        run("rule a { when iteration == 1 do stop \"enough\" }", &lines(&messages), &mut FailingSummariser);
    assert_eq!((trace.stops().count(), trace.after_stop, sent.len()), (1, 3, 2));
    let next = &sent[1];
    assert_eq!(next.len(), 4, "{next:#?}");
    assert!(next[2].contains("r0") && next[3].contains("second"), "{next:#?}");
    assert_eq!(trace.first_divergence, Some(4));
    assert_eq!(trace.saved(), trace.rules[0].saved);
}

#[test]
fn messages_of_the_harness_do_not_change_where_a_run_begins() {
    let harness = r#"{"role":"user","content":"[notice]","harness":true}"#.to_owned();
    let system = r#"{"role":"system","content":"A reminder."}"#.to_owned();
    let runs = |between: &[String], before: String| {
        let mut messages = vec![person("one"), before];
        messages.extend_from_slice(between);
        messages.extend([person("two"), answer("ok")]);
        run("rule a { do notify \"x\" }", &lines(&messages), &mut FailingSummariser).0.runs
    };
    assert_eq!(runs(&[], answer("done")), 2);
    assert_eq!(runs(&[harness.clone(), system.clone()], answer("done")), 2);
    // No run begins inside an open tool loop, whatever messages it contains.
    assert_eq!(runs(&[], call(0, "x", "files", false)), 1);
    assert_eq!(runs(&[harness, system], call(0, "x", "files", false)), 1);
}

#[test]
fn images_in_results_are_masked_and_their_texts_stay() {
    let result = r#"{"role":"tool","content":[{"type":"tool_result","id":"c0","content":[{"type":"text","text":"a picture of the page, described in many words"},{"type":"image","media_type":"image/png","bytes":40000}]}]}"#;
    let mut messages = vec![call(0, "x", "files", false)];
    messages[0] = messages[0].lines().next().unwrap().to_owned();
    messages.extend([result.to_owned(), answer("seen"), person("next"), answer("ok"), person("last"), answer("ok")]);
    let policy = "rule a { do mask images keep 1 message } rule b { when iteration == 0 and run >= 2 do mask results keep 1 message preview 3 chars }";
    let (trace, sent) = run(policy, &lines(&messages), &mut FailingSummariser);
    assert_eq!((trace.rules[0].edits, trace.rules[1].edits), (1, 1));
    assert!(
        sent[2][1].contains("described in many words") && sent[2][1].contains("[image: image/png]"),
        "{}",
        sent[2][1]
    );
    assert!(sent[3][1].contains("[tool result for ls: a p…]"), "{}", sent[3][1]);
}

#[test]
fn a_later_system_message_stays_after_the_summary() {
    let long = "many words ".repeat(40);
    let system = r#"{"role":"system","content":"Answer in French."}"#.to_owned();
    let messages = [person(&long), answer(&long), system, person(&long), answer(&long), person("last"), answer("ok")];
    for effect in ["summarise all", "summarise older keep 1 message", "slide recent 1 message medium 1 message"] {
        let policy = format!("rule a {{ when context.messages >= 5 do {effect} once }}");
        let (_, sent) = run(&policy, &lines(&messages), &mut ConstantSummariser("short".to_owned()));
        let last = sent.last().unwrap();
        assert!(last[0].contains("short") && last[1].contains("Answer in French."), "{effect} {last:#?}");
    }
}

/// The kept text was measured again, with the marker in it, so that each request cut it a little more.
#[test]
fn a_result_that_is_trimmed_to_tokens_is_trimmed_once() {
    // A character at the end has more tokens than one at the beginning.
    let text = "plain words ".repeat(60) + &"漢字".repeat(200);
    for from in ["head", "middle", "tail"] {
        let mut all = vec![person("go"), call(1, "a", &text, false)];
        all.extend((2..7).map(|id| call(id, "b", "files", false)));
        let marker = r#"[{context.tokens} {call.arguments ?? ""} and a marker that is longer than it should be]"#;
        let marker = marker.replace('"', "\\\"");
        let rule =
            format!("rule a {{ do trim results to 40 tokens from {from} keep 1 result placeholder \"{marker}\" }}");
        let (trace, sent) = run(&rule, &lines(&all), &mut FailingSummariser);
        assert_eq!(trace.rules[0].edits, 1, "{from}");
        let results: Vec<&String> = sent[2..].iter().map(|context| &context[2]).collect();
        assert!(results.windows(2).all(|pair| pair[0] == pair[1]) && results[0].len() < 400, "{from}: {results:?}");
    }
}

/// An event of the host can come before the first call, so there is no call yet at which a rule on its phase fires.
#[test]
fn a_rule_fires_on_an_event_of_the_host_before_the_first_call() {
    let event = r#"{"event":"dry_run","planned_steps":2,"tools_used":[],"estimated_cost":"$0.10"}"#;
    let transcript = recording(&[&person("go"), event, &answer("Done.")]);
    let (trace, _) = run("rule r { on dry_run do notify \"tried\" }", &transcript, &mut FailingSummariser);
    assert_eq!((trace.rules[0].fired, trace.notices().count(), trace.calls[0].fired.len()), (1, 1, 0));
}

/// A call that reads `a`, an edit of its result, the same call again, and two more calls.
fn missed(edit: &str, second: &str) -> (Trace, Vec<Vec<String>>) {
    let long = "line ".repeat(60);
    let lines = [
        person(&"go ".repeat(120)),
        call(1, "a", &long, false),
        call(2, "b", "b", false),
        call(3, "a", "again", false),
        call(4, "c", "c", false),
        answer("Done."),
    ];
    let lines: Vec<&str> = lines.iter().flat_map(|lines| lines.split('\n')).collect();
    let policy = format!(
        "rule mask {{ when iteration == 2 do {edit} }}
         rule restore {{ on compaction_miss do restore result }}
         rule second {{ when iteration >= 3 do {second} }}"
    );
    run(&policy, &recording(&lines), &mut ConstantSummariser("short".to_owned()))
}

/// What a rule has brought back stays, also where messages are removed or summarised.
#[test]
fn a_restored_result_is_neither_summarised_nor_dropped() {
    let edit = "mask results keep 1 results";
    for second in ["summarise all", "slide recent 1 messages medium 0 messages", "drop older keep 0 messages"] {
        let second = &format!("{second} pin none");
        let (trace, sent) = missed(edit, second);
        assert!(trace.rules[1].fired == 1 && trace.rules[2].fired > 0, "{second}");
        let whole = |messages: &[String]| messages.iter().filter(|message| message.contains("line line line")).count();
        assert!(whole(&sent[3]) == 1 && whole(&sent[4]) == 1, "{second}: {:?}", sent[4]);
        assert!(trace.invariants.broken.is_empty(), "{second}: {:?}", trace.invariants.broken);
    }
}

/// A summary of a summary holds nothing new and costs a call.
#[test]
fn a_running_summary_alone_is_not_summarised() {
    let lines = [person(&"go ".repeat(80)), answer("A."), person("and"), answer("B."), person("then"), answer("C.")];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let policy = "rule slide { when iteration == 0 and run == 1 do slide recent 1 messages medium 0 messages }
                  rule older { do summarise older keep 1 messages once until run == 1 }";
    let (trace, _) = run(policy, &recording(&lines), &mut ConstantSummariser("short".to_owned()));
    assert_eq!((trace.rules[0].fired, trace.rules[1].due > 0, trace.rules[1].fired), (1, true, 0));
}

/// Images are a part of a result, as everywhere else.
#[test]
fn the_size_of_a_result_includes_its_images() {
    let result = r#"{"role":"tool","content":[{"type":"tool_result","id":"c1","is_error":false,"content":[{"type":"text","text":"A page."},{"type":"image","media_type":"image/png","bytes":9}]}]}"#;
    let call = call(1, "a", "", false);
    let call = call.lines().next().unwrap();
    let transcript = recording(&[&person("go"), call, result, &answer("Done.")]);
    let policy = "rule r { when (result.tokens ?? 0 tokens) > 1000 tokens do notify \"large\" }";
    assert_eq!(run(policy, &transcript, &mut FailingSummariser).0.rules[0].calls, [1]);
}

/// The replies after a stop would not have been made, so `idle` is the time since the last one before it.
#[test]
fn replies_after_a_stop_do_not_end_the_idle_time() {
    let at = |line: String, time: &str| line.replacen('{', &format!("{{\"at\":\"2026-01-01T10:{time}:00Z\","), 1);
    let lines = [
        at(person("go"), "00"),
        at(answer("One."), "01"),
        at(person("and"), "02"),
        at(answer("Two."), "20"),
        at(person("then"), "21"),
        at(answer("Three."), "22"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let policy = "rule stop { when run == 1 do stop \"enough\" }
                  rule late { when run == 2 and (idle ?? 0s) >= 10m do notify \"late\" }";
    let (trace, _) = run(policy, &recording(&lines), &mut FailingSummariser);
    assert_eq!((trace.rules[0].fired, trace.rules[1].calls.as_slice()), (1, &[2][..]));
}

/// What a view left out is gone with the rest of the context, and is not subtracted once more before the next call.
#[test]
fn what_a_view_left_out_is_not_missing_again_after_a_reset() {
    let reset = r#"{"role":"user","harness":true,"resets":true,"content":"Continue from these notes."}"#;
    let event = r#"{"event":"reflection","iteration":0,"monologue":"Good.","should_proceed":true}"#;
    let system = r#"{"role":"system","content":"You are a careful agent."}"#;
    let lines = [person(&"go ".repeat(80)), answer("One."), person("more"), answer("Two.")];
    let lines: Vec<&str> = [system].into_iter().chain(lines.iter().map(String::as_str)).chain([reset, event]).collect();
    let measured = |view: &str| {
        let policy = format!(
            "{view} rule size {{ on reflection do emit size [tokens: context.tokens, persona: share.persona] }}"
        );
        let options = Options { events: true, ..Options::default() };
        let trace = replay(&plan(&rules(&policy)), &recording(&lines), &options, &mut FailingSummariser, &mut |_| {});
        let emitted = trace.events.into_iter().find_map(|traced| match traced.event {
            Event::Emit(emitted) => Some(emitted.fields),
            _ => None,
        });
        emitted.unwrap()
    };
    assert_eq!(measured("rule window { on reply do retain last 1 interactions }"), measured(""));
}

/// Recordings and replies often hold reasoning encrypted, without its text.
#[test]
fn reasoning_without_text_is_dropped() {
    let reply = r#"{"role":"assistant","content":[{"type":"thinking","text":"","signature":"ZW5jcnlwdGVkIHJlYXNvbmluZw=="},{"type":"text","text":"ok"}]}"#;
    let transcript = recording(&[&person("go"), reply, &person("more"), &answer("ok")]);
    for rule in ["drop thinking keep 0 messages", "mask thinking keep 0 messages"] {
        let (trace, sent) = run(&format!("rule r {{ do {rule} }}"), &transcript, &mut FailingSummariser);
        assert!(!sent[1][1].contains("thinking"), "{rule}: {}", sent[1][1]);
        assert!(trace.rules[0].saved > 0, "{rule}: {:?}", trace.rules[0]);
    }
}

/// Providers reject reasoning that is not followed by what the model wrote after it.
#[test]
fn an_image_that_alone_follows_reasoning_is_not_dropped() {
    let image = r#"{"type":"image","media_type":"image/png","bytes":3000}"#;
    let thinking = r#"{"type":"thinking","text":"A thought"}"#;
    let encrypted = r#"{"type":"thinking","text":"","signature":"abc"}"#;
    let text = r#"{"type":"text","text":"Some text"}"#;
    for (parts, kept) in [
        (vec![text, thinking, image], 1),
        (vec![text, encrypted, image], 1),
        (vec![text, thinking, image, image], 2),
        (vec![thinking, image, text], 0),
        (vec![thinking, text, image], 0),
        (vec![image, thinking, text], 0),
        (vec![text, image, thinking], 0),
        (vec![image, image], 2),
        (vec![image, text], 0),
    ] {
        let reply = format!(r#"{{"role":"assistant","content":[{}]}}"#, parts.join(","));
        let transcript = recording(&[&person("go"), &reply, &person("more"), &answer("ok")]);
        let (_, sent) = run("rule r { do drop images keep 0 messages }", &transcript, &mut FailingSummariser);
        assert_eq!(sent[1][1].matches("\"image\"").count(), kept, "{parts:?}: {}", sent[1][1]);
    }
}

/// A run that has ended and one that goes on, whose request is in the middle.
fn second_run(calls: usize) -> Vec<String> {
    let long = "a long result ".repeat(40);
    let mut messages = vec![person("the first task")];
    messages.extend((0..4).map(|id| call(id, "old", &long, false)));
    messages.extend([answer("The first task is done."), person("the second task: only drafts")]);
    messages.extend((10..10 + calls).map(|id| call(id, "new", &long, false)));
    messages
}

#[test]
fn the_request_of_the_run_stays_in_every_effect_that_removes_messages() {
    let transcript = lines(&second_run(8));
    for effect in [
        "summarise all",
        "summarise older keep 2 messages",
        "slide recent 2 messages medium 2 messages",
        "drop older keep 2 messages",
        "drop older keep 0 messages pin first_user",
        "retain last 1 interaction",
    ] {
        let policy = |pin: &str| format!("rule r {{ when run == 1 and iteration > 4 do {effect}{pin} }}");
        let (trace, sent) = run(&policy(""), &transcript, &mut ConstantSummariser("S".to_owned()));
        let last = sent.last().unwrap();
        assert!(last.iter().any(|message| message.contains("the second task: only drafts")), "{effect}: {last:#?}");
        assert!(!trace.rules[0].calls.is_empty() || effect.starts_with("retain"), "{effect}");
        if effect.contains("pin") {
            continue;
        }
        let (_, unpinned) = run(&policy(" pin none"), &transcript, &mut ConstantSummariser("S".to_owned()));
        let is_kept = unpinned.last().unwrap().iter().any(|message| message.contains("the second task"));
        assert_eq!(is_kept, effect.starts_with("drop") || effect.starts_with("retain"), "{effect} pin none");
    }
}

#[test]
fn a_call_whose_result_comes_late_stays_with_it() {
    let asked = r#"{"role":"assistant","content":[{"type":"tool_call","id":"ask","name":"confirm","arguments":{}}]}"#;
    let answered = r#"{"role":"tool","content":[{"type":"tool_result","id":"ask","content":"yes"}]}"#;
    let mut messages = vec![person("Delete the drafts after asking me."), asked.to_owned()];
    for number in 0..9 {
        messages.extend([person(&format!("What is in draft {number}?")), answer(&"a long draft ".repeat(30))]);
    }
    messages.extend([answered.to_owned(), answer("Deleted.")]);
    for rule in [
        "when run > 3 do summarise older keep 2 messages",
        "when run > 3 do slide recent 2 messages medium 2 messages",
        "when run > 3 do drop older keep 2 messages",
        // The view is chosen before the result arrives.
        "on reply do retain last 1 interaction",
    ] {
        let policy = format!("rule r {{ {rule} }}");
        let (trace, sent) = run(&policy, &lines(&messages), &mut ConstantSummariser("S".to_owned()));
        assert!(!trace.rules[0].calls.is_empty(), "{rule}");
        let last = sent.last().unwrap();
        let at = |part: &str| last.iter().position(|message| message.contains(part));
        assert!(at("tool_call").is_some() && at("tool_call") < at("tool_result"), "{rule}: {last:#?}");
    }
}

#[test]
fn what_a_rule_adds_waits_for_results_behind_what_a_person_has_queued() {
    let reply = r#"{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"ls","arguments":{}}]}"#;
    let result = r#"{"role":"tool","content":[{"type":"tool_result","id":"c","content":"files"}]}"#;
    let messages = [person("go"), reply.to_owned(), person("and this"), result.to_owned(), answer("done")];
    let policy = "rule r { on reply when iteration == 0 do inject \"added\" }";
    let (_, sent) = run(policy, &lines(&messages), &mut FailingSummariser);
    let last = sent.last().unwrap();
    assert!(last.last().unwrap().contains("added"), "{last:#?}");
    // Also what is queued after the results.
    let messages = [person("go"), reply.to_owned(), result.to_owned(), person("and this"), answer("done")];
    let (_, sent) = run(policy, &lines(&messages), &mut FailingSummariser);
    let last = sent.last().unwrap();
    assert!(last.last().unwrap().contains("added"), "{last:#?}");
}

#[test]
fn a_view_never_leaves_out_what_has_just_arrived() {
    let reply = r#"{"role":"assistant","content":[{"type":"tool_call","id":"c","name":"ls","arguments":{}}]}"#;
    let result = r#"{"role":"tool","content":[{"type":"tool_result","id":"c","content":"files"}]}"#;
    let messages =
        [person("go"), reply.to_owned(), result.to_owned(), person("and this"), answer("more"), person("last")];
    let messages = messages.into_iter().chain([answer("done")]).collect::<Vec<_>>();
    for pin in ["", " pin none"] {
        let policy = format!("rule r {{ do retain last 1 interactions{pin} }}");
        let (_, sent) = run(&policy, &lines(&messages), &mut FailingSummariser);
        assert!(sent[1].iter().any(|message| message.contains("files")), "{:#?}", sent[1]);
        assert!(!sent[2].iter().any(|message| message.contains("files")), "{:#?}", sent[2]);
    }
}

#[test]
fn messages_of_the_harness_do_not_end_a_tool_loop() {
    let reply = r#"{"role":"assistant","content":[{"type":"thinking","text":"a plan"},{"type":"tool_call","id":"c","name":"ls","arguments":{}}]}"#;
    let result = r#"{"role":"tool","content":[{"type":"tool_result","id":"c","content":"files"}]}"#;
    let reminder = r#"{"role":"user","content":"no tasks are open","harness":true}"#;
    let messages = [
        person("go"),
        reply.to_owned(),
        result.to_owned(),
        reminder.to_owned(),
        answer("ok"),
        person("more"),
        answer("done"),
    ];
    let (_, sent) = run("rule r { do drop thinking keep 0 messages }", &lines(&messages), &mut FailingSummariser);
    let thinks = |call: usize| sent[call].iter().any(|message| message.contains("a plan"));
    assert!(thinks(1) && !thinks(2), "{sent:#?}");
}

#[test]
fn copies_that_the_harness_kept_are_in_the_open_tool_loop() {
    let reply = |id: &str, rest: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"thinking","text":"plan {id}"}},{{"type":"tool_call","id":"{id}","name":"ls","arguments":{{}}}}]{rest}}}"#
        )
    };
    let result = |id: &str, rest: &str| {
        format!(r#"{{"role":"tool","content":[{{"type":"tool_result","id":"{id}","content":"files"}}]{rest}}}"#)
    };
    let kept = r#","kept":true,"harness":true"#;
    let summary = r#"{"role":"user","content":"Summary.","harness":true,"resets":true}"#.to_owned();
    let messages = [person("go"), reply("a", ""), result("a", ""), reply("b", ""), summary, reply("b", kept)];
    let messages = messages.into_iter().chain([result("b", ""), answer("done")]).collect::<Vec<_>>();
    let (trace, sent) = run("rule r { do drop thinking keep 0 messages }", &lines(&messages), &mut FailingSummariser);
    assert!(trace.rules[0].calls.is_empty(), "{:?}", trace.rules[0].calls);
    assert!(sent[2].iter().any(|message| message.contains("plan b")), "{:#?}", sent[2]);
}

#[test]
fn a_recorded_window_is_that_of_the_first_model() {
    let by = |model: &str| format!(r#"{{"role":"assistant","content":"x","model":"{model}"}}"#);
    let first =
        [person("go"), by("claude-opus-5"), person("on"), by("claude-haiku-4-5"), person("on"), by("claude-haiku-4-5")];
    let (trace, _) = run("rule r { do notify \"x\" }", &lines(&first), &mut FailingSummariser);
    let windows: Vec<_> = trace.calls.iter().map(|call| call.window).collect();
    assert_eq!(windows, [Some(1000), Some(200_000), Some(200_000)]);
}

#[test]
fn unless_holds_back_and_is_no_part_of_the_condition() {
    let transcript = lines(&(0..6).map(|id| call(id, "x", "files", false)).collect::<Vec<_>>());
    let calls = |rule: &str| run(rule, &transcript, &mut FailingSummariser).0.rules[0].calls.clone();
    assert_eq!(calls("rule r { unless iteration == 2 do notify \"x\" once per run }"), [0]);
    assert_eq!(calls("rule r { when not iteration == 2 do notify \"x\" once per run }"), [0, 3]);
    let held = "rule r { when iteration == 1 unless iteration < 3 do notify \"x\" until iteration >= 5 }";
    assert_eq!(calls(held), [3, 4]);
}

#[test]
fn a_stub_supersedes_no_read() {
    let content = "a line of the file ".repeat(20);
    for (id, stub) in ["File unchanged since last read.", "ok"].into_iter().enumerate() {
        let read = |id: usize, result: &str| call(id, "a.rs", result, false).replace("\"ls\"", "\"read_file\"");
        let messages = [person("go"), read(1, &content), read(2, stub), read(3 + id, stub), answer("done")];
        let (trace, _) =
            run("rule r { do mask superseded_reads keep 0 messages }", &lines(&messages), &mut FailingSummariser);
        assert!(trace.rules[0].calls.is_empty(), "{stub}");
    }
}

/// The summary with which a conversation begins is sent in any case, so the newest result of a tool does not need it a second time.
#[test]
fn a_summary_before_the_newest_result_of_a_tool_is_sent_once() {
    let policy =
        "rule a { when run == 0 and iteration == 2 do summarise older keep 2 messages pin none on_failure keep }
                  rule b { do retain last 1 interactions keep_latest [ls] }";
    let lines = [
        person("Go."),
        call(0, "a", &"one ".repeat(40), false),
        call(1, "b", "two", false),
        answer("Done."),
        person("On."),
        answer("Yes."),
        person("And?"),
        answer("Yes."),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (_, sent) = run(policy, &recording(&lines), &mut ConstantSummariser("short".to_owned()));
    let last = sent.last().unwrap();
    assert_eq!(last.len(), 4, "{last:?}");
    assert!(last[0].contains("short") && last[3].contains("And?"), "{last:?}");
}
