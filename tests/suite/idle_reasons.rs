//! The reasons why due rules were idle.

use std::fmt::Write;

use proptest::prelude::*;
use trimtab::effect::IdleReason;
use trimtab::run::RuleResult;
use trimtab::simulate::{CallExplanation, ConstantSummariser, Options, Trace, replay};
use trimtab::transcript::{self, Transcript};

use crate::{generated, laws};

fn followed(text: &str, transcript: &Transcript) -> Trace {
    let options = Options { explain_all: true, ..Options::default() };
    replay(&laws::plan(text), transcript, &options, &mut ConstantSummariser("short".to_owned()), &mut |_| {})
}

proptest! {
    #![proptest_config(generated::cases(200))]

    #[test]
    fn an_idle_rule_has_a_reason(events in generated::events(), policy in generated::policy()) {
        let trace = followed(&policy, &generated::transcript(&events));
        let mut idle = vec![0usize; trace.rules.len()];
        for one in trace.all_explained.iter().flat_map(|call| &call.phases).flat_map(|(_, rules)| rules) {
            let says_why = one.failure.is_none() && !one.idle.is_empty() && one.result != RuleResult::Fired;
            prop_assert_eq!(one.result == RuleResult::Idle, says_why, "{}\n{:?}", policy, one);
            let at = trace.rules.iter().position(|rule| rule.name == one.rule).unwrap();
            idle[at] += usize::from(one.result == RuleResult::Idle);
        }
        for (rule, idle) in trace.rules.iter().zip(idle) {
            let failed = trace.failures.iter().filter(|(_, name, _)| *name == rule.name).count();
            prop_assert!(idle <= rule.idle.iter().map(|idle| idle.times).sum(), "{}\n{:?}", policy, rule);
            prop_assert!(rule.due <= rule.fired + rule.declined + failed + idle, "{}\n{:?}", policy, rule);
            // After a failed summary, the fallback effect may be idle.
            prop_assert!(!rule.idle.is_empty() || idle == 0, "{}\n{:?}", policy, rule);
        }
    }
}

/// Six calls to `bash` with results of 400 characters, of which the second is an error, and a last reply.
fn recording(window: Option<u32>) -> Transcript {
    let window = window.map(|window| format!(",\"window\":{window}")).unwrap_or_default();
    let mut text = format!("{{\"trimtab\":1{window}}}\n{{\"role\":\"user\",\"content\":\"go\"}}\n");
    for at in 0..6 {
        let call = format!("{{\"type\":\"tool_call\",\"id\":\"c{at}\",\"name\":\"bash\",\"arguments\":\"{at}\"}}");
        let words = "word ".repeat(80);
        writeln!(text, "{{\"role\":\"assistant\",\"content\":[{call}]}}").unwrap();
        let result =
            format!("\"type\":\"tool_result\",\"id\":\"c{at}\",\"content\":\"{words}\",\"is_error\":{}", at == 1);
        writeln!(text, "{{\"role\":\"tool\",\"content\":[{{{result}}}]}}").unwrap();
    }
    text += "{\"role\":\"assistant\",\"content\":\"done\"}\n";
    transcript::read(text.as_bytes(), None).unwrap().transcripts.remove(0)
}

/// The reason why one action was idle at the last call.
fn last(action: &str, window: Option<u32>) -> Option<IdleReason> {
    let text = format!("edition 2026\npolicy p {{ rule r {{ when iteration == 6 do {action} }} }}\n");
    let trace = followed(&text, &recording(window));
    trace.rules[0].idle.first().map(|idle| idle.reason)
}

#[test]
fn each_idle_reason_occurs() {
    assert_eq!(last("mask results keep 99 messages", Some(9000)), Some(IdleReason::AllKept));
    assert_eq!(last("slide recent 99 messages", Some(9000)), Some(IdleReason::AllKept));
    assert_eq!(last("summarise older keep 99 messages", Some(9000)), Some(IdleReason::AllKept));
    assert_eq!(last("mask arrivals", Some(9000)), None);
    let on_reply = "edition 2026\npolicy p { rule r { on reply when iteration == 6 do mask arrivals } }\n";
    let trace = followed(on_reply, &recording(None));
    assert_eq!(trace.rules[0].idle.first().map(|idle| idle.reason), Some(IdleReason::NoArrivals));
    assert!(matches!(
        last("mask results keep 0 messages at_least 90k tokens", Some(9000)),
        Some(IdleReason::TooLittle { saved: 100..900, wanted: 90_000 })
    ));
    assert!(matches!(
        last("mask results keep 0 messages down_to 90%", Some(9000)),
        Some(IdleReason::AtGoal { tokens: 100..2000, goal: 8100 })
    ));
    assert_eq!(last("mask results keep 0 messages down_to 1%", None), Some(IdleReason::NoWindow));
    assert_eq!(last("mask results keep 0 messages down_to 10 tokens", None), None);
    assert_eq!(last("mask results keep 0 messages", None), None);
}

#[test]
fn skipped_parts_are_counted_by_idle_reason() {
    let skipped = |action: &str| match last(action, Some(9000)) {
        Some(IdleReason::NothingToReduce(Some(one))) => (one.reduced, one.not_over, one.short, one.tools, one.errors),
        other => panic!("{action}: {other:?}"),
    };
    assert_eq!(last("mask results keep 4 results only [edit]", Some(9000)), Some(IdleReason::AllKept));
    assert_eq!(skipped("mask results keep 0 results only [edit]"), (0, 0, 0, 6, 0));
    assert_eq!(skipped("trim results to 900 chars keep 0 results"), (0, 0, 5, 0, 1));
    assert_eq!(skipped("mask results over 9k chars keep 0 results"), (0, 5, 0, 0, 1));
    assert_eq!(skipped("mask thinking keep 0 results"), (0, 0, 0, 0, 0));
    let rule = |name: &str| format!("rule {name} {{ when iteration == 6 do mask results keep 3 results }}");
    let trace = followed(&format!("edition 2026\npolicy p {{ {} {} }}\n", rule("a"), rule("b")), &recording(None));
    assert_eq!((trace.rules[0].fired, trace.rules[1].fired), (1, 0));
    let IdleReason::NothingToReduce(Some(skipped)) = trace.rules[1].idle[0].reason else {
        panic!("{:?}", trace.rules[1])
    };
    assert_eq!((skipped.reduced, skipped.errors), (2, 1));
}

/// A rule below its minimum reports what a search of the whole context saves, although its search continues where the last
/// one ended. The context becomes smaller when a tool is hidden: the goal is nearer than what was found before.
#[test]
fn a_continued_search_reports_what_a_search_from_the_start_saves() {
    let tool = format!("{{\"name\":\"deploy\",\"description\":\"{}\"}}", "It deploys. ".repeat(120));
    let mut text = format!("{{\"trimtab\":1,\"tools\":[{tool}]}}\n{{\"role\":\"user\",\"content\":\"go\"}}\n");
    for at in 0..14 {
        let call = format!("{{\"type\":\"tool_call\",\"id\":\"c{at}\",\"name\":\"ls\",\"arguments\":\"{at}\"}}");
        writeln!(text, "{{\"role\":\"assistant\",\"content\":[{call}]}}").unwrap();
        let words = "page ".repeat(40 + at * 37 % 60);
        let result = format!("{{\"type\":\"tool_result\",\"id\":\"c{at}\",\"content\":\"{words}\"}}");
        writeln!(text, "{{\"role\":\"tool\",\"content\":[{result}]}}").unwrap();
    }
    let transcript = transcript::read(text.as_bytes(), None).unwrap().transcripts.remove(0);
    let reported = |condition: &str, goal: u64| -> Vec<Vec<IdleReason>> {
        let hide = "rule hide { when iteration == 9 do tools hide [deploy] for run }";
        let effect = format!("do mask results keep 1 message preview 0 chars down_to {goal} tokens at_least 5k tokens");
        let text = format!("edition 2026\npolicy p {{ {hide} rule search {{ {condition} {effect} }} }}\n");
        let trace = followed(&text, &transcript);
        let searched = |call: &CallExplanation| {
            let mut rules = call.phases.iter().flat_map(|(_, rules)| rules);
            rules
                .find(|one| one.rule == "search")
                .map(|one| one.idle.iter().map(|idle| idle.reason).collect())
                .unwrap_or_default()
        };
        trace.all_explained.iter().map(searched).collect()
    };
    let mut shrunk = 0;
    for goal in [800, 900, 1_000] {
        let continued = reported("", goal);
        for (call, reason) in continued.iter().enumerate() {
            let from_the_start = reported(&format!("when iteration == {call}"), goal);
            assert_eq!(*reason, from_the_start[call], "call {call}, down_to {goal}");
        }
        let saving = |call: usize| match continued[call].as_slice() {
            [IdleReason::TooLittle { saved, .. }] => *saved,
            _ => 0,
        };
        shrunk += usize::from((1..continued.len()).any(|call| 0 < saving(call) && saving(call) < saving(call - 1)));
    }
    assert!(shrunk >= 2, "{shrunk}");
}
