//! What the loop of the third system caps: repeated outputs, repeated calls, and calls of one tool.

use std::sync::Arc;

use serde_json::json;
use trimtab::conversation::{Message, Usage};
use trimtab::simulate::{FailingSummariser, Options, Trace, replay};
use trimtab::transcript::{Tool, Transcript};

use super::{assistant, call, calls, err, ok, user};
use crate::laws;

const TOOLS: [&str; 3] = ["ask", "ls", "search"];

fn recording(messages: impl IntoIterator<Item = Message>) -> Transcript {
    let tools = TOOLS.map(|name| Tool { name: name.into(), description: None, schema: None }).to_vec();
    let messages = [user("go")].into_iter().chain(messages).map(Arc::new).collect();
    Transcript { tools, messages, ..Transcript::default() }
}

/// Calls of `ls`, each with its arguments and its result.
fn listed(calls: &[(&str, &str)]) -> Transcript {
    let calls = calls.iter().enumerate();
    recording(calls.flat_map(|(at, (path, result))| {
        let id = format!("c{at}");
        [call(&id, "ls", &json!({ "path": path }).to_string()), ok(&id, result)]
    }))
}

/// The trace of a replay, and the tools that each request offers.
fn traced(rules: &str, transcript: &Transcript) -> (Trace, Vec<Vec<&'static str>>) {
    let plan = laws::plan(&format!("edition 2026 policy p {{ {rules} }}"));
    let mut offered = Vec::new();
    let trace = replay(&plan, transcript, &Options::default(), &mut FailingSummariser, &mut |sent| {
        offered.push(TOOLS.into_iter().filter(|name| sent.views.offers_tool(name)).collect());
    });
    (trace, offered)
}

/// The number of calls that are made.
fn made(rules: &str, transcript: &Transcript) -> usize {
    traced(rules, transcript).0.calls.iter().filter(|call| call.made).count()
}

const STUCK: &str = "rule stuck { when repeats(in: run) >= 3 do stop \"stuck repeating\" }";

/// `loop with 10 iterations and constant output`
#[test]
fn a_run_of_ten_equal_calls_is_stopped_after_three() {
    let (trace, _) = traced(STUCK, &listed(&[("a", "x"); 10]));
    assert_eq!(trace.calls.iter().filter(|call| call.made).count(), 3);
    let stops: Vec<_> = trace.stops().map(|(call, rule, reason)| (call, rule.as_str(), reason)).collect();
    assert_eq!(stops, [(3, "stuck", "stuck repeating")]);
}

/// `5 different outputs`
#[test]
fn five_different_calls_are_all_made() {
    assert_eq!(made(STUCK, &listed(&[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4"), ("e", "5")])), 5);
}

/// `a then b`
#[test]
fn another_call_ends_a_repetition() {
    assert_eq!(made(STUCK, &listed(&[("a", "1"), ("a", "1"), ("b", "2"), ("a", "1"), ("a", "1"), ("c", "3")])), 6);
}

/// `first output; empty output`
#[test]
fn one_call_is_no_repetition_and_replies_without_calls_are_none() {
    assert_eq!(made(STUCK, &listed(&[("a", "1")])), 1);
    assert_eq!(made(STUCK, &recording(["", "", "", "same", "same", "same"].map(assistant))), 6);
}

/// The hash of an output says nothing about its calls; here the results can count too.
#[test]
fn equal_calls_with_new_results_can_be_told_from_equal_calls_with_equal_results() {
    let rule = "rule stuck { when cycles >= 3 do stop \"nothing new\" }";
    let (waiting, stuck) = ([("a", "1%"), ("a", "2%"), ("a", "3%"), ("a", "4%")], [("a", "1%"); 4]);
    assert_eq!((made(rule, &listed(&waiting)), made(rule, &listed(&stuck))), (4, 3));
}

/// `iterations 3`
#[test]
fn a_rule_limits_the_iterations_of_a_run() {
    let next_run = [assistant("Done."), user("more")].into_iter().chain((0..4).flat_map(|at| {
        let id = format!("n{at}");
        [call(&id, "ls", &at.to_string()), ok(&id, "x")]
    }));
    let transcript = recording(next_run);
    assert_eq!(
        made("rule end { when iteration >= 3 do stop \"enough\" }", &transcript),
        4,
        "one, and three of the next"
    );
}

/// A review that halts the run.
#[test]
fn a_review_of_the_host_can_end_the_run() {
    let recording = "{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"go\"}\n{\"role\":\"assistant\",\"content\":\"1\"}\n\
                     {\"fact\":\"proceed\",\"value\":false}\n{\"role\":\"assistant\",\"content\":\"2\"}\n";
    let transcript = trimtab::transcript::read(recording.as_bytes(), None).unwrap().transcripts.remove(0);
    let policy = "edition 2026 agent { fact proceed bool default true } policy p {
                  rule halt { when not host.proceed do stop \"halted by the review\" } }";
    let trace = replay(&laws::plan(policy), &transcript, &Options::default(), &mut FailingSummariser, &mut |_| {});
    assert_eq!(trace.calls.iter().map(|call| call.made).collect::<Vec<_>>(), [true, false]);
}

/// `usage 150`
#[test]
fn the_tokens_of_all_calls_are_the_used_budget() {
    let with = |message: Message, usage: Usage| Message { usage: Some(usage), ..message };
    let first = with(call("a", "ls", "{}"), Usage { input: 100, output: 50, ..Usage::default() });
    let second = with(assistant("Done."), Usage { input: 200, output: 10, ..Usage::default() });
    let rules = "rule b { on reply do notify \"{budget.tokens}\" }";
    let (trace, _) = traced(rules, &recording([first, ok("a", "x"), second]));
    assert_eq!(trace.notices().map(|(_, _, text)| text).collect::<Vec<_>>(), ["150", "360"]);
}

/// A budget of calls of one tool: `tool budget 3 with 3 calls`
#[test]
fn a_tool_is_not_offered_once_its_budget_of_calls_is_used() {
    let rules = "rule budget { when tools.calls(of: search) >= 3 do tools hide [search] }
                 rule asked { when tools.calls(of: ask) >= 1 do tools hide [ask] }";
    let tools = ["search", "ls", "search", "ask", "search", "ls"];
    let messages = tools.iter().enumerate().flat_map(|(at, tool)| {
        let id = format!("c{at}");
        [call(&id, tool, &at.to_string()), ok(&id, "x")]
    });
    let (_, offered) = traced(rules, &recording(messages));
    let expected: [&[&str]; 6] = [&TOOLS, &TOOLS, &TOOLS, &TOOLS, &["ls", "search"], &["ls"]];
    assert_eq!(offered, expected);
    // Parallel calls count each, and a run begins with its whole budget.
    let three = calls(&[("a", "search", "1"), ("b", "search", "2"), ("c", "search", "3")]);
    let results = ["a", "b", "c"].map(|id| ok(id, "x"));
    let rest = [assistant("Done."), user("more"), assistant("Done.")];
    let (_, offered) = traced(rules, &recording([three].into_iter().chain(results).chain(rest)));
    assert_eq!(offered, [&TOOLS[..], &["ask", "ls"], &TOOLS]);
}

/// `exhausted list a(3/3), b(5/2)`
#[test]
fn a_message_names_each_used_budget_of_calls() {
    let rules = "rule ls { when tools.calls(of: ls) >= 3
                      do inject \"Used up: ls ({tools.calls(of: ls)}/3).\" for step }
                 rule search { when tools.calls(of: search) >= 2
                      do inject \"Used up: search ({tools.calls(of: search)}/2).\" for step }";
    let tools = ["search", "ls", "search", "ls", "ls", "search", "search", "search"];
    let messages = tools.iter().enumerate().flat_map(|(at, tool)| {
        let id = format!("c{at}");
        [call(&id, tool, &at.to_string()), ok(&id, "x")]
    });
    let transcript = recording(messages.chain([assistant("Done.")]));
    let plan = laws::plan(&format!("edition 2026 policy p {{ {rules} }}"));
    let mut told = Vec::new();
    replay(&plan, &transcript, &Options::default(), &mut FailingSummariser, &mut |sent| {
        let texts = sent.messages().into_iter().map(|message| message.plain_text());
        told.push(texts.filter(|text| text.starts_with("Used up")).collect::<Vec<_>>());
    });
    assert_eq!(told[2], [""; 0]);
    assert_eq!(told[3], ["Used up: search (2/2)."]);
    assert_eq!(told[8], ["Used up: ls (3/3).", "Used up: search (5/2)."]);
}

/// An identical call: there, the second of ten calls is blocked. A policy can tell the agent, or end the run before the tool
/// runs.
#[test]
fn a_second_identical_call_among_ten_is_found() {
    let again = |others: usize| {
        let others: Vec<String> = (0..others).map(|at| format!("other {at}")).collect();
        let paths = ["a"].into_iter().chain(others.iter().map(String::as_str)).chain(["a"]);
        listed(&paths.map(|path| (path, "x")).chain([("next", "x")]).collect::<Vec<_>>())
    };
    let tell = "rule tell { when occurrences(within: 10 calls) >= 2 do inject \"You have made this call before.\" }";
    let told = |others| traced(tell, &again(others)).0.injections;
    assert_eq!((told(0), told(8), told(9)), (1, 1, 0));
    let end = "rule end { on reply when occurrences(within: 10 calls) >= 2 do stop \"again\" }";
    let (trace, _) = traced(end, &again(1));
    assert_eq!(trace.calls.iter().map(|call| call.made).collect::<Vec<_>>(), [true, true, true, false]);
    let exempt = "rule tell { when occurrences(within: 10 calls) >= 2 and not ((call.name ?? \"\") in [\"note\", \"ls\"]) \
                  do inject \"You have made this call before.\" }";
    assert_eq!(traced(exempt, &again(1)).0.injections, 0);
}

/// There, exempt tools are patterns such as a name with an asterisk at its end, which texts compare as a character.
#[test]
fn tools_can_be_exempt_by_a_part_of_their_names() {
    let twice = ["a", "b"].map(|id| [call(id, "memory_get", "{}"), ok(id, "x")]).concat();
    let transcript = recording(twice.into_iter().chain([assistant("Done.")]));
    let told = |exempt: &str| {
        let condition = format!("occurrences(within: 10 calls) >= 2{exempt}");
        traced(&format!("rule tell {{ when {condition} do inject \"again\" }}"), &transcript).0.injections
    };
    assert_eq!(told(""), 1);
    assert_eq!(told(" and not ((call.name ?? \"\") contains \"memory_\")"), 0);
    assert_eq!(told(" and not ((call.name ?? \"\") in [\"memory_*\"])"), 1);
}

/// `same tool 4 times`: whatever the arguments.
#[test]
fn calls_of_nothing_but_one_tool_are_counted_in_iterations() {
    let rules = "rule other { on reply when (call.name ?? \"\") != \"search\" do emit other }
                 rule only { when iteration >= 4 and (since(other) ?? 5) >= 5 do tools hide [search] }";
    let hidden = |tools: &[&str]| {
        let messages = tools.iter().enumerate().flat_map(|(at, tool)| {
            let id = format!("c{at}");
            [call(&id, tool, &at.to_string()), ok(&id, "x")]
        });
        let (_, offered) = traced(rules, &recording(messages.chain([assistant("Done.")])));
        offered.iter().map(|tools| !tools.contains(&"search")).collect::<Vec<_>>()
    };
    assert_eq!(hidden(&["search"; 4]), [false, false, false, false, true]);
    assert_eq!(hidden(&["ls", "search", "search", "search", "search"]), [false, false, false, false, false, true]);
    assert_eq!(hidden(&["search", "search", "ls", "search", "search"]), [false; 6]);
}

/// `three failures of one tool`
#[test]
fn a_tool_is_not_offered_after_three_failures_in_a_row() {
    let rules = "rule failing { when failures(of: search) >= 3 do tools hide [search] }";
    let step = |at: usize, fails: bool| {
        let id = format!("c{at}");
        let other = format!("o{at}");
        let both = calls(&[(&id, "search", &at.to_string()), (&other, "ls", &at.to_string())]);
        let result = if fails { err(&id, "timeout") } else { ok(&id, "found") };
        [both, result, ok(&other, "x")]
    };
    let hidden = |fails: &[bool]| {
        let messages = fails.iter().enumerate().flat_map(|(at, fails)| step(at, *fails));
        let (_, offered) = traced(rules, &recording(messages.chain([assistant("Done.")])));
        !offered.last().unwrap().contains(&"search")
    };
    assert!(hidden(&[true, true, true]));
    assert!(!hidden(&[true, true]) && !hidden(&[true, true, false, true]));
}

/// `three empty retrieval results`
#[test]
fn three_empty_results_of_a_tool_are_found() {
    let rule = "rule empty { when stall(last: 3 results) >= 66% and (result.text ?? \"-\") == \"\" do stop \"nothing found\" }";
    assert_eq!(made(rule, &listed(&[("a", ""), ("b", ""), ("c", ""), ("d", "")])), 3);
    assert_eq!(made(rule, &listed(&[("a", ""), ("b", "x"), ("c", ""), ("d", "")])), 4);
}
