//! Findings that a lint proves without an assumption are true for every recording and host.

use proptest::prelude::*;
use trimtab::condition::LEAST_WINDOW;
use trimtab::diagnostic::Diagnostic;
use trimtab::lint::{Settings, apply_fixes};
use trimtab::simulate::{FailingSummariser, Options, Trace, replay};
use trimtab::source::SourceId;
use trimtab::transcript::{Tool, Transcript};

use crate::guards::edited;
use crate::laws::plan;
use crate::{generated, lint};

fn found(text: &str) -> Vec<Diagnostic> {
    let mut settings = Settings::default();
    settings.extend("all").unwrap();
    lint::found(text, &settings)
}

fn one_of(all: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(all)
}

/// Tests of facts that an `agent` block restricts.
fn test() -> impl Strategy<Value = &'static str> {
    one_of(&[
        "has_tool(\"bash\")",
        "not has_tool(\"edit\")",
        "has_tool(\"edit\")",
        "context.ratio >= 0%",
        "context.ratio >= 40%",
        "context.ratio < 20%",
        "context.tokens >= 1500 tokens",
        "context.tokens < 4000 tokens",
        "context.free < 2000 tokens",
        "context.free >= 100 tokens",
        "iteration >= 1",
    ])
}

fn policy() -> impl Strategy<Value = String> {
    let agent = one_of(&[
        "",
        "agent { tools [edit] }",
        "agent { tools [bash] window 3k tokens }",
        "agent { window 3k tokens }",
        "agent { window 5k tokens reserve 1k tokens }",
        "agent { reserve 2k tokens }",
    ]);
    let condition = (test(), one_of(&["and", "or", "unless"]), test());
    let guard = one_of(&[
        "",
        "once",
        "once until context.tokens < 1500 tokens",
        "every 2 iterations",
        "until context.tokens < 900 tokens",
        "until iteration >= 3",
        "until context.ratio >= 50% once until iteration >= 2",
        "once limit 2",
        "cooldown 1 iteration",
        "every 2 iterations cooldown 2 iterations",
        "once per iteration",
        "once per budget.calls",
        "once per session.calls",
        "once per budget.tokens",
        "once per budget.time ?? 0s",
        "once per reported.tokens ?? 0 tokens",
        "once per since(r0) ?? 0 iterations",
        "once per context.tokens",
        "once per context.ratio",
        "once per context.free",
        "once per context.messages",
    ]);
    // Sizes and counts fall after it.
    let reduction = one_of(&[
        "",
        "rule m { do mask results keep 0 results }",
        "rule m { when iteration >= 2 do drop older keep 1 message cooldown 3 iterations }",
    ]);
    let rule = (condition, guard);
    (agent, reduction, prop::collection::vec(rule, 1..4)).prop_map(|(agent, reduction, rules)| {
        let mut text = format!("edition 2026\n{agent}\npolicy p \"p\" {{\n{reduction}\n");
        for (at, ((first, joined, second), guard)) in rules.iter().enumerate() {
            text += &format!("  rule r{at} {{ when {first} {joined} {second} do notify \"x\" {guard} }}\n");
        }
        text + "}\n"
    })
}

/// A transcript as different hosts would record it.
fn recorded(events: &[generated::Event], tools: &[&str], window: Option<u64>) -> Transcript {
    let tools = tools.iter().map(|name| Tool { name: (*name).into(), description: None, schema: None }).collect();
    Transcript { tools, window, ..generated::transcript(events) }
}

fn replayed(text: &str, transcript: &Transcript, window: Option<u64>) -> Trace {
    let options = Options { window, ..Options::default() };
    replay(&plan(text), transcript, &options, &mut FailingSummariser, &mut |_| {})
}

proptest! {
    #![proptest_config(generated::cases(96))]

    #[test]
    fn proved_findings_hold_on_every_host(
        events in generated::events(),
        policy in policy(),
        tools in prop::sample::select(vec![vec![], vec!["bash"], vec!["edit", "grep"]]),
        // Smaller windows are not considered.
        (recording, flag) in (
            prop::option::of(LEAST_WINDOW..9000),
            prop::option::of(prop_oneof![1 => Just(0), 20 => LEAST_WINDOW..9000]),
        ),
    ) {
        let transcript = recorded(&events, &tools, recording);
        let trace = replayed(&policy, &transcript, flag);
        for one in found(&policy).iter().filter(|finding| finding.code.id == "never-true" && finding.notes.is_empty()) {
            let rule = trace.rules.iter().find(|rule| one.message.contains(&format!("`{}`", rule.name))).unwrap();
            prop_assert_eq!(rule.due, 0, "{}\n{}", policy, one.message);
        }
        let fired = |trace: &Trace| trace.rules.iter().map(|rule| rule.calls.clone()).collect::<Vec<_>>();
        for one in found(&policy).iter().filter(|finding| finding.message.contains("has no effect")) {
            for fix in &one.fixes {
                let without = edited(&policy, fix);
                let after = replayed(&without, &transcript, flag);
                prop_assert_eq!(fired(&trace), fired(&after), "{}\n{}", policy, one.message);
            }
        }
        let fixed = apply_fixes(&policy, SourceId(0), false, &mut |text| found(text)).text;
        prop_assert_eq!(fired(&trace), fired(&replayed(&fixed, &transcript, flag)), "{}\n{}", policy, fixed);
    }
}

#[test]
fn tools_of_the_recording_take_precedence_over_those_of_the_agent_block() {
    let text = |agent: &str| {
        format!("edition 2026\n{agent}\npolicy p {{ rule a {{ when has_tool(\"bash\") do notify \"x\" }} }}\n")
    };
    let events = [generated::Event::person("go"), generated::Event::call("bash")];
    for (agent, recording, fired, source) in [
        ("agent { tools [edit] }", &["bash"][..], 1, Some("recording")),
        ("agent { tools [bash] }", &["edit"], 0, Some("recording")),
        ("agent { tools [bash] }", &[], 1, Some("policy")),
        ("", &["bash"], 1, Some("recording")),
        // A call of bash in the recording does not declare it.
        ("", &[], 0, None),
    ] {
        let trace = replayed(&text(agent), &recorded(&events, recording, None), None);
        let from = trace.tools_source.map(trimtab::simulate::ToolsSource::word);
        assert_eq!((trace.rules[0].fired, from), (fired, source), "{agent} {recording:?}");
        let is_never = found(&text(agent)).iter().any(|finding| finding.code.id == "never-true");
        assert!(!is_never, "{agent}");
    }
}
