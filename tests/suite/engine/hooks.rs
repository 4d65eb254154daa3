//! Hooks of live sessions.

use std::sync::{Arc, Mutex};

use serde_json::json;
use trimtab::{
    Dialect, Emitted, Engine, Event, Hook, HookChain, HookResult, Host, IterationEnd, IterationStart, LiveSession,
    Next, Session,
};

use super::{Behavior, Scripted, body, send};

/// Notes the JSON of every event.
#[derive(Default)]
struct Log(Mutex<Vec<serde_json::Value>>);

impl Hook for Log {
    fn event(&self, event: &Event) -> HookResult {
        self.0.lock().unwrap().push(serde_json::to_value(event)?);
        Ok(())
    }
}

impl Log {
    fn names(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|event| event["event"].as_str().unwrap().to_owned()).collect()
    }
}

/// Panics when an iteration begins, and fails when one ends.
struct Broken;

impl Hook for Broken {
    fn iteration_start(&self, _: &IterationStart) -> HookResult {
        panic!("no disk")
    }

    fn iteration_end(&self, _: &IterationEnd) -> HookResult {
        Err("no network".into())
    }

    fn emitted(&self, _: &Emitted) -> HookResult {
        Ok(())
    }
}

const POLICY: &str = "edition 2026\npolicy p {\n  rule e { on reply do emit replied [iteration] }\n  rule v { on tool_validation do emit validated }\n}\n";

fn host(log: &Arc<Log>) -> Host {
    let log: Arc<dyn Hook> = Arc::clone(log) as Arc<dyn Hook>;
    Host::new().max_iterations(9).hooks(HookChain::new([Some(Arc::new(Broken) as Arc<dyn Hook>), None, Some(log)]))
}

const EXPECTED: [&str; 9] = [
    "iteration_start",
    "context_budget",
    "emit",
    "tool_validation",
    "emit",
    "iteration_end",
    "reflection",
    "dry_run",
    "plan_execution",
];

#[tokio::test]
async fn hooks_get_each_event_once_in_order_and_a_broken_one_is_a_warning() {
    let policy = trimtab::compile("p.trim", POLICY).plan(None).unwrap();
    let log = Arc::new(Log::default());
    let live = LiveSession::new(&policy, host(&log), Engine::new(Scripted::new(&[Behavior::Fail])), "s");
    let request = send(&live, &body("a", 0)).await;
    let warnings: Vec<String> = request.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["hook 0 failed on `iteration_start`: it panicked: no disk"]);
    let reply = json!({"role": "assistant", "content": "Done."}).to_string();
    assert!(live.after_reply(&request, &reply, None).await.unwrap().warnings.is_empty());
    let _ = live.tool_validation(&request, "ls", false, "not allowed").await.unwrap();
    let ended = live.reflection(&request, "It works.", true).await.unwrap();
    let warnings: Vec<String> = ended.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["hook 0 failed on `iteration_end`: no network"]);
    let _ = live.dry_run(&request, 2, ["ls"], "$0.10").await.unwrap();
    let _ = live.plan_execution(&request, "sequence", ["look", "fix"]).await.unwrap();
    assert_eq!(log.names(), EXPECTED);
    let start = log.0.lock().unwrap()[0].clone();
    assert_eq!((&start["goal"], &start["max_iterations"]), (&json!("a: what now?"), &json!(9)));
    assert_eq!(live.boost("ls"), 1);
}

#[test]
fn a_session_without_an_engine_calls_the_same_hooks() {
    let policy = trimtab::compile("p.trim", POLICY).plan(None).unwrap();
    let log = Arc::new(Log::default());
    let mut session = Session::new(&policy, host(&log));
    assert!(matches!(session.dry_run(1, ["ls"], ""), Next::Ready), "nothing happens before the first request");
    session.before_request(Dialect::OpenAiChat, body("a", 0), None).unwrap();
    session.after_reply(&json!({"role": "assistant", "content": "Done."}).to_string(), None).unwrap();
    session.tool_validation("ls", true, "");
    session.reflection("It works.", true);
    session.dry_run(2, ["ls"], "$0.10");
    session.plan_execution("sequence", ["look", "fix"]);
    assert_eq!(log.names(), EXPECTED);
    let failures = session.take_hook_failures();
    assert_eq!(failures.iter().map(|one| one.event).collect::<Vec<_>>(), ["iteration_start", "iteration_end"]);
    assert!(session.take_hook_failures().is_empty());
    // A restored session calls the hooks only with what is new.
    let saved = session.save().unwrap();
    let mut restored = Session::restore(&policy, host(&log), &saved).unwrap();
    restored.plan_execution("parallel", ["more"]);
    assert_eq!(log.names().len(), EXPECTED.len() + 1);
}
