//! `summarise results` in live sessions and in simulations: one summary for each result.

use serde_json::{Value as Json, json};
use trimtab::effect::SummaryRequest;
use trimtab::simulate::{Extract, FailingSummariser, Options, Summariser, replay};
use trimtab::transcript;
use trimtab::{Dialect, Host, Next, Plan, Session};

use crate::laws;

fn plan(rest: &str) -> Plan {
    let policy = format!("edition 2026\npolicy p {{ rule r {{ do summarise results over 100 chars {rest} }} }}\n");
    trimtab::compile("made.trim", &policy).plan(None).unwrap_or_else(|_| panic!("{rest}"))
}

fn text(number: usize) -> String {
    format!("number {number}\n{}", "a line of the result\n".repeat(20))
}

/// One reply with four calls; the third has failed, and the result of the last one is short.
fn request() -> String {
    let call = |at: usize| json!({ "type": "tool_use", "id": format!("c{at}"), "name": "read", "input": { "at": at } });
    let calls: Vec<Json> = (0..4).map(call).collect();
    let results = (0..4).map(|at| {
        let text = if at == 3 { "short".to_owned() } else { text(at) };
        json!({ "type": "tool_result", "tool_use_id": format!("c{at}"), "content": text, "is_error": at == 2 })
    });
    let results: Vec<Json> = results.collect();
    let messages = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": calls },
        { "role": "user", "content": results },
    ]);
    json!({ "model": "m", "max_tokens": 9, "messages": messages }).to_string()
}

/// What is sent if the summariser gives these answers, and the requests that it gets.
fn sent(rest: &str, answers: &[Result<&str, &str>]) -> (Json, Vec<String>) {
    let mut session = Session::new(&plan(rest), Host::new());
    let mut next = session.before_request(Dialect::Anthropic, request(), None).expect("a request");
    let (mut answers, mut asked) = (answers.iter(), Vec::new());
    loop {
        next = match next {
            Next::Summarise(question, summary) => {
                asked.push(summary.transcript.clone());
                let answer = answers.next().expect("an answer").map(str::to_owned).map_err(str::to_owned);
                session.answer(question, answer)
            }
            Next::Send(prepared) => {
                let json: Json = serde_json::from_str(&prepared.json).expect("JSON");
                return (json["messages"][2]["content"].clone(), asked);
            }
            other => panic!("{other:?}"),
        };
    }
}

fn summary(text: &str) -> String {
    format!("[summary of the tool result for read]\n{text}")
}

#[test]
fn each_long_result_gets_a_summary_of_its_own() {
    let (content, asked) = sent("keep 0 results", &[Ok("one"), Ok(" two\n")]);
    let contents: Vec<&str> = (0..4).map(|at| content[at]["content"].as_str().expect("a text")).collect();
    assert_eq!(contents, [summary("one"), summary("two"), text(2), "short".to_owned()]);
    let transcript = |at: usize| format!("[assistant] Called tool read({{\"at\":{at}}})\n[tool result] {}\n", text(at));
    assert_eq!(asked, [transcript(0), transcript(1)]);
    let (content, asked) = sent("keep 0 results errors only", &[Ok("it failed")]);
    assert_eq!(content[2]["content"], summary("it failed"));
    assert!(content[2]["is_error"] == true && asked[0].contains("[tool error] number 2"));
    let (content, _) = sent("keep 3 results", &[Ok("one")]);
    assert_eq!(content[1]["content"], text(1));
}

#[test]
fn a_result_whose_summary_fails_stays_whole() {
    let long = "much too long ".repeat(90);
    for bad in [Err("busy"), Ok(" "), Ok(long.as_str())] {
        let (content, asked) = sent("keep 0 results on_failure keep", &[bad, Ok("two")]);
        assert_eq!((&content[0]["content"], &content[1]["content"]), (&json!(text(0)), &json!(summary("two"))));
        assert_eq!(asked.len(), 2, "{bad:?}");
    }
    let (content, asked) =
        sent("keep 0 results on_failure then trim results to 50 chars keep 0 results", &[Err("busy")]);
    assert_eq!(asked.len(), 1, "what follows is not summarised");
    assert!(content[0]["content"].as_str().is_some_and(|text| text.ends_with("… [trimmed]")));
}

#[test]
fn the_requests_that_follow_are_known_before() {
    let mut session = Session::new(&plan("keep 0 results errors include"), Host::new());
    let mut next = session.before_request(Dialect::Anthropic, request(), None).expect("a request");
    let mut upcoming = Vec::new();
    for left in (0..3).rev() {
        let Next::Summarise(question, summary) = next else { panic!("{next:?}") };
        assert!(upcoming.first().is_none_or(|expected| *expected == summary));
        upcoming = session.upcoming_summaries();
        assert_eq!(upcoming.len(), left);
        next = session.answer(question, Ok("a summary".to_owned()));
    }
    assert!(matches!(next, Next::Send(_)) && session.upcoming_summaries().is_empty());
}

#[test]
fn a_simulation_quotes_the_ends_of_a_result() {
    let lines = [
        json!({ "role": "user", "content": "go" }),
        json!({ "role": "assistant", "content": [{ "type": "tool_call", "id": "c", "name": "read", "arguments": {} }] }),
        json!({ "role": "tool", "content": [{ "type": "tool_result", "id": "c", "content": text(0), "is_error": false }] }),
        json!({ "role": "assistant", "content": "done" }),
    ];
    let text = lines.map(|line| line.to_string()).join("\n");
    let recording = transcript::read(text.as_bytes(), Some("trimtab")).expect("a recording").transcripts.remove(0);
    let policy =
        "edition 2026\npolicy p { rule r { do summarise results over 100 chars at_most 20 tokens keep 0 results } }";
    let plan = laws::plan(policy);
    let mut sent = Vec::new();
    let trace = replay(&plan, &recording, &Options::default(), &mut Extract, &mut |request| {
        sent.extend(request.messages().iter().map(|sent| sent.plain_text()));
        sent.extend(request.messages().iter().flat_map(|sent| sent.results().map(|one| one.text.to_string())));
    });
    let short = sent.iter().find(|text| text.starts_with("[summary of the tool result for read]")).expect("a summary");
    assert!(short.contains("number 0") && short.ends_with("of the result"), "{short}");
    assert_eq!((trace.rules[0].fired, trace.failures.len(), trace.invariants.broken.len()), (1, 0, 0));
    let trace = replay(&plan, &recording, &Options::default(), &mut FailingSummariser, &mut |_| ());
    assert_eq!((trace.rules[0].fired, trace.failures.len()), (0, 1));
}

/// Counts the requests that it gets, and answers none.
struct Refusing(Vec<String>);

impl Summariser for Refusing {
    fn summarise(&mut self, request: &SummaryRequest, _: u64) -> Result<String, String> {
        self.0.push(request.transcript.clone());
        Err("busy".to_owned())
    }
}

#[test]
fn a_result_whose_summary_always_fails_is_asked_for_three_times() {
    let step = |at: usize| {
        let call = json!({ "type": "tool_call", "id": format!("c{at}"), "name": "read", "arguments": { "at": at } });
        let result = json!({ "type": "tool_result", "id": format!("c{at}"), "content": text(at) });
        [json!({ "role": "assistant", "content": [call] }), json!({ "role": "tool", "content": [result] })]
    };
    let lines = [json!({ "role": "user", "content": "go" })].into_iter().chain((0..9).flat_map(step));
    let lines: String = lines.map(|line| format!("{line}\n")).collect();
    let recording = transcript::read(lines.as_bytes(), Some("trimtab")).expect("a recording").transcripts.remove(0);
    let asked = |on_failure: &str, of: usize| {
        let rule = format!("rule r {{ do summarise results over 100 chars keep 1 result {on_failure} }}");
        let mut summariser = Refusing(Vec::new());
        let plan = laws::plan(&format!("edition 2026\npolicy p {{ {rule} }}"));
        replay(&plan, &recording, &Options::default(), &mut summariser, &mut |_| ());
        summariser.0.iter().filter(|text| text.contains(&format!("number {of}\n"))).count()
    };
    // The first result is before the tail at seven calls, the seventh at one.
    assert_eq!([0, 4, 5, 6, 7].map(|of| asked("", of)), [3, 3, 2, 1, 0]);
    assert_eq!(asked("on_failure retry 2", 0), 9);
    assert_eq!(asked("on_failure then trim results to 900 chars keep 0 results", 0), 3);
}
