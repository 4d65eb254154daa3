//! `token_budget` and `time_budget`: a message when most of a budget is used, then the end of the run.

use std::sync::Arc;

use trimtab::conversation::{Message, Role};
use trimtab::model::TokenCounter;
use trimtab::quantity::Decimal;
use trimtab::run::{Answer, Outcome, State};
use trimtab::simulate::{FailingSummariser, Options, replay};
use trimtab::transcript::Transcript;

use super::live::live;
use super::{Scene, assistant, call, ok, user};
use crate::laws;

fn tokens(params: &str) -> Scene {
    Scene::of(&format!("kind: token_budget, params: {{{params}}}")).messages([user("go"), assistant("so")])
}

fn time(params: &str) -> Scene {
    Scene::of(&format!("kind: time_budget, params: {{{params}}}")).messages([user("go"), assistant("so")])
}

/// A reply after which the run has used this many tokens.
fn used(scene: &mut Scene, tokens: u64) -> Outcome {
    scene.state.run.spent.tokens = tokens;
    scene.reply()
}

/// A reply after this many seconds of the run.
fn passed(scene: &mut Scene, seconds: u64) -> Outcome {
    scene.state.run.spent.time = Some(Decimal::from(seconds));
    scene.reply()
}

/// `token_budget SkipsBeforeComplete`
#[test]
fn token_budgets_are_checked_on_replies_only() {
    let mut scene = tokens("max_tokens: 1000");
    scene.state.run.spent.tokens = 5000;
    scene.assert_idle_on_request();
}

/// `SkipsWhenMaxTokensZero`
#[test]
fn a_budget_of_no_tokens_is_off() {
    for params in ["max_tokens: 0", "max_tokens: -5", ""] {
        let compiled = trimtab::pipeline::compile(
            "p.yaml",
            &format!("effects:\n  - {{kind: token_budget, params: {{{params}}}}}\n  - kind: progress\n"),
        );
        assert_eq!(compiled.diagnostics.iter().map(|found| found.code.id).collect::<Vec<_>>(), ["E613"], "{params}");
        assert_eq!(compiled.checked.expect("a policy").policies[0].rules.len(), 1);
    }
}

/// `InjectsWarnMessage`
#[test]
fn most_of_a_token_budget_gives_a_message() {
    let mut scene = tokens("max_tokens: 1000");
    assert!(used(&mut scene, 850).edited());
    assert_eq!(scene.roles()[2], Role::User);
    for part in ["80%", "token budget", "850", "1k tokens"] {
        assert!(scene.last().contains(part), "{}", scene.last());
    }
}

/// `token_budget WarnOnlyOnce`
#[test]
fn most_of_a_token_budget_is_reported_once() {
    let mut scene = tokens("max_tokens: 1000");
    assert!(used(&mut scene, 850).edited() && !used(&mut scene, 900).edited());
}

/// `ReturnsErrorAtBudget`
#[test]
fn a_used_token_budget_stops_the_run() {
    let outcome = used(&mut tokens("max_tokens: 1000"), 1100);
    assert!(outcome.stop().is_some_and(|stop| stop.text.contains("token budget exhausted")));
    assert!(used(&mut tokens("max_tokens: 1000"), 1000).stop().is_some());
    assert!(used(&mut tokens("max_tokens: 1000"), 999).stop().is_none());
}

/// `token_budget NoWarnBelowThreshold`
#[test]
fn less_of_a_token_budget_gives_no_message() {
    assert!(!used(&mut tokens("max_tokens: 1000"), 400).edited());
    assert!(!used(&mut tokens("max_tokens: 1000"), 799).edited());
}

/// `token_budget ResetBaselineAcrossRuns`
#[test]
fn a_new_run_has_the_whole_token_budget() {
    let mut scene = tokens("max_tokens: 1000");
    assert!(!used(&mut scene, 500).edited());
    scene.begin_run_with([user("go"), assistant("so")]);
    assert_eq!(scene.state.run.spent.tokens, 0);
    assert!(!used(&mut scene, 400).edited() && used(&mut scene, 850).edited());
}

/// `token_budget Reset`
#[test]
fn a_new_run_is_warned_of_its_token_budget_again() {
    let mut scene = tokens("max_tokens: 1000");
    assert!(used(&mut scene, 850).edited());
    scene.begin_run_with([user("go"), assistant("so")]);
    assert!(used(&mut scene, 850).edited() && !used(&mut scene, 900).edited());
}

/// Two replies of 200 tokens, and a summary of about 500 between them.
#[test]
fn a_summary_uses_up_a_token_budget() {
    let warned = |limit: u64, answer: &Answer| {
        let text = format!(
            "effects: [{{kind: compact, params: {{threshold: 0.2}}}}, {{kind: token_budget, params: {{max_tokens: {limit}}}}}]"
        );
        let run = live(&super::plan("policy.yaml", &text), 500, &[200, 199], answer);
        (run.requests.len(), run.calls("token_budget_warning"))
    };
    assert_eq!(warned(1000, &super::summary("Listed.")), (1, vec![1]));
    assert_eq!(warned(1500, &super::summary("Listed.")), (1, vec![]), "fewer than 1200 tokens");
    assert_eq!(warned(1000, &super::failed("down")), (1, vec![]), "a summary that failed costs nothing");
}

/// `token_budget Default and Invalid`
#[test]
fn a_warning_outside_its_range_is_the_default() {
    for threshold in ["1", "1.5", "-0.5", "0"] {
        let params = format!("max_tokens: 1000, warn_threshold: {threshold}");
        assert!(used(&mut tokens(&params), 800).edited() && !used(&mut tokens(&params), 799).edited(), "{threshold}");
    }
    assert!(used(&mut tokens("max_tokens: 1000, warn_threshold: 0.5"), 500).edited());
}

/// `time_budget Default and Invalid`
#[test]
fn a_time_warning_outside_its_range_is_the_default() {
    for threshold in
        ["", ", warn_threshold: 1", ", warn_threshold: 1.5", ", warn_threshold: -0.5", ", warn_threshold: 0"]
    {
        let params = format!("max_duration: 10m{threshold}");
        assert!(passed(&mut time(&params), 480).edited() && !passed(&mut time(&params), 479).edited(), "{threshold}");
    }
    let half = "max_duration: 10m, warn_threshold: 0.5";
    assert!(passed(&mut time(half), 300).edited() && !passed(&mut time(half), 299).edited());
}

/// `the warning comes before the results`
#[test]
fn a_warning_waits_for_the_results_of_the_reply() {
    let mut scene = tokens("max_tokens: 1000").messages([call("a", "ls", "{}")]);
    assert!(used(&mut scene, 850).edited());
    scene.push([ok("a", "done"), user("queued")]);
    scene.conversation.abandon_open_calls(&TokenCounter::default());
    assert_eq!(scene.roles()[3..], [Role::Tool, Role::User, Role::User]);
}

/// `SkipsWithoutUsageReporter`
#[test]
fn usage_that_is_not_recorded_is_estimated() {
    let plan =
        laws::plan("edition 2026 policy p { rule a { on reply when budget.tokens >= 1 tokens do notify \"\" } }");
    let mut state = State::new(&plan, 0);
    state.begin_run();
    assert_eq!(state.run.spent.tokens, 0);
    let events = [crate::generated::Event::person("go"), crate::generated::Event::call("bash")];
    let transcript = crate::generated::transcript(&events);
    let trace = replay(&plan, &transcript, &Options::default(), &mut FailingSummariser, &mut |_| {});
    assert_eq!(trace.rules[0].calls, [0]);
}

/// `SkipsWhenMaxDurationZero`
#[test]
fn a_budget_of_no_time_is_off() {
    for params in ["max_duration: 0s", "max_duration: \"-5m\"", "max_duration: \"0\"", ""] {
        let compiled = trimtab::pipeline::compile(
            "p.yaml",
            &format!("effects:\n  - {{kind: time_budget, params: {{{params}}}}}\n  - kind: progress\n"),
        );
        assert_eq!(compiled.diagnostics.iter().map(|found| found.code.id).collect::<Vec<_>>(), ["E613"], "{params}");
    }
}

/// `a duration is a string`
#[test]
fn a_duration_is_read_as_the_original_system_writes_it() {
    for (written, seconds) in [("8m30s", 510), ("1h30m", 5400), ("1.5h", 5400), ("2000ms", 2), ("+90s", 90)] {
        let params = format!("max_duration: \"{written}\"");
        assert!(passed(&mut time(&params), seconds).stop().is_some(), "{written}");
        assert!(passed(&mut time(&params), seconds - 1).stop().is_none(), "{written}");
    }
    for wrong in ["10", "5 minutes", "\"\"", "m5", "5m3", "[5m]", "1..5s"] {
        let text = format!("effects:\n  - {{kind: time_budget, params: {{max_duration: {wrong}}}}}\n");
        assert!(trimtab::pipeline::compile("p.yaml", &text).has_errors(), "{wrong}");
    }
}

/// `Warn at 8m30s/10m`
#[test]
fn most_of_a_time_budget_gives_a_message() {
    let mut scene = time("max_duration: 10m");
    assert!(passed(&mut scene, 510).edited());
    for part in ["80%", "time budget", "8m30s", "10m"] {
        assert!(scene.last().contains(part), "{}", scene.last());
    }
}

/// `time_budget WarnOnlyOnce`
#[test]
fn most_of_a_time_budget_is_reported_once() {
    let mut scene = time("max_duration: 10m");
    assert!(passed(&mut scene, 510).edited() && !passed(&mut scene, 540).edited());
}

/// `Error at 6m/5m`
#[test]
fn a_used_time_budget_stops_the_run() {
    let outcome = passed(&mut time("max_duration: 5m"), 360);
    assert!(outcome.stop().is_some_and(|stop| stop.text.contains("time budget exhausted")));
}

/// `NoWarn 2m/10m`
#[test]
fn less_of_a_time_budget_gives_no_message() {
    assert!(!passed(&mut time("max_duration: 10m"), 120).edited());
}

/// `time_budget Reset`
#[test]
fn a_new_run_has_the_whole_time_budget() {
    let mut scene = time("max_duration: 10m");
    assert!(passed(&mut scene, 510).edited());
    scene.begin_run_with([user("go"), assistant("so")]);
    assert_eq!(scene.state.run.spent.time, None);
    assert!(!passed(&mut scene, 120).edited() && passed(&mut scene, 510).edited());
}

/// `RecordsCallStart`
#[test]
fn without_timestamps_a_time_budget_does_nothing() {
    let mut scene = time("max_duration: 5m");
    assert!(scene.reply().due.is_empty());
}

/// `MultipleCallsAccumulate`
#[test]
fn a_time_budget_includes_the_time_between_calls() {
    // Two minutes, a gap of five, and three minutes; the first system adds up 300 seconds.
    let at = |minutes: usize, message: Message| Message {
        at: Some(format!("2026-03-14T09:{minutes:02}:00Z").into()),
        ..message
    };
    let messages =
        [at(0, user("go")), at(2, call("a", "ls", "{}")), at(7, ok("a", "done")), at(10, assistant("Done."))];
    let transcript = Transcript { messages: messages.into_iter().map(Arc::new).collect(), ..Transcript::default() };
    let traced = |name: &str, text: &str| {
        replay(&super::plan(name, text), &transcript, &Options::default(), &mut FailingSummariser, &mut |_| {})
    };
    let passed = "edition 2026 policy p { rule t { on reply do notify \"{budget.time ?? 0s}\" } }";
    let notices: Vec<String> = traced("p.trim", passed).notices().map(|(_, _, text)| text.to_owned()).collect();
    assert_eq!(notices, ["2m", "10m"]);
    let stops = |limit: &str| {
        let text = format!("effects: [{{kind: time_budget, params: {{max_duration: {limit}}}}}]");
        traced("policy.yaml", &text).stops().map(|(at, ..)| at).collect::<Vec<_>>()
    };
    assert_eq!((stops("10m"), stops("11m")), (vec![1], vec![]));
}
