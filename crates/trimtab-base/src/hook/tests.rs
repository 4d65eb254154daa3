use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::*;

/// Notes the names of the events of each method.
#[derive(Default)]
struct Notes(Mutex<Vec<&'static str>>);

impl Notes {
    fn note(&self, name: &'static str) -> HookResult {
        self.0.lock().expect("no panic while it is locked").push(name);
        Ok(())
    }

    fn names(&self) -> Vec<&'static str> {
        self.0.lock().expect("no panic while it is locked").clone()
    }
}

impl Hook for Notes {
    fn iteration_start(&self, _: &IterationStart) -> HookResult {
        self.note("iteration_start")
    }

    fn iteration_end(&self, _: &IterationEnd) -> HookResult {
        self.note("iteration_end")
    }

    fn reflection(&self, _: &Reflection) -> HookResult {
        self.note("reflection")
    }

    fn context_budget(&self, _: &ContextBudget) -> HookResult {
        self.note("context_budget")
    }

    fn overflow(&self, _: &Overflow) -> HookResult {
        self.note("overflow")
    }

    fn compaction_miss(&self, _: &CompactionMiss) -> HookResult {
        self.note("compaction_miss")
    }

    fn tool_validation(&self, _: &ToolValidation) -> HookResult {
        self.note("tool_validation")
    }

    fn dry_run(&self, _: &DryRun) -> HookResult {
        self.note("dry_run")
    }

    fn plan_execution(&self, _: &PlanExecution) -> HookResult {
        self.note("plan_execution")
    }

    fn emitted(&self, _: &Emitted) -> HookResult {
        self.note("emit")
    }
}

struct Nothing;

impl Hook for Nothing {}

struct Panics;

impl Hook for Panics {
    #[expect(clippy::panic, reason = "a hook that panics")]
    fn reflection(&self, _: &Reflection) -> HookResult {
        panic!("no")
    }
}

struct Fails;

impl Hook for Fails {
    fn event(&self, event: &Event) -> HookResult {
        Err(format!("refused {}", event.name()).into())
    }
}

fn every_event() -> [Event; 10] {
    [
        Event::IterationStart(IterationStart::default()),
        Event::IterationEnd(IterationEnd::default()),
        Event::Reflection(Reflection::default()),
        Event::ContextBudget(ContextBudget::default()),
        Event::Overflow(Overflow::default()),
        Event::CompactionMiss(CompactionMiss::default()),
        Event::ToolValidation(ToolValidation::default()),
        Event::DryRun(DryRun::default()),
        Event::PlanExecution(PlanExecution::default()),
        Event::Emit(Emitted::default()),
    ]
}

#[test]
fn two_hooks_get_each_event_once_and_in_order() {
    let notes = [Arc::new(Notes::default()), Arc::new(Notes::default())];
    let chain = HookChain::new(notes.iter().map(|one| Some(Arc::clone(one) as Arc<dyn Hook>)));
    let names: Vec<&str> = every_event().iter().map(Event::name).collect();
    for event in every_event() {
        assert!(chain.call(&event).is_empty());
    }
    assert!(notes.iter().all(|one| one.names() == names));
}

#[test]
fn absent_hooks_are_skipped_and_an_empty_chain_does_nothing() {
    let notes = Arc::new(Notes::default());
    let chain = HookChain::new([None, Some(Arc::clone(&notes) as Arc<dyn Hook>), None]);
    assert!(chain.call(&Event::DryRun(DryRun::default())).is_empty());
    assert_eq!(notes.names(), ["dry_run"]);
    let empty = HookChain::new([None]);
    assert!(empty.is_empty());
    assert!(every_event().iter().all(|event| empty.call(event).is_empty() && Nothing.event(event).is_ok()));
}

#[test]
fn a_failing_hook_does_not_keep_others_from_being_called() {
    let notes = Arc::new(Notes::default());
    let last = Some(Arc::clone(&notes) as Arc<dyn Hook>);
    let chain = HookChain::new([Some(Arc::new(Panics) as Arc<dyn Hook>), Some(Arc::new(Fails)), last]);
    let failures = chain.call(&Event::Reflection(Reflection::default()));
    let found: Vec<(usize, &str)> = failures.iter().map(|one| (one.hook, one.reason.as_str())).collect();
    assert_eq!(found, [(0, "it panicked: no"), (1, "refused reflection")]);
    assert_eq!(failures[0].to_string(), "hook 0 failed on `reflection`: it panicked: no");
    assert_eq!(notes.names(), ["reflection"]);
}

#[test]
fn a_chain_of_chains_reports_the_failures_of_the_inner_one() {
    let notes = Arc::new(Notes::default());
    let inner = HookChain::new([Some(Arc::new(Panics) as Arc<dyn Hook>), Some(Arc::clone(&notes) as Arc<dyn Hook>)]);
    let outer = HookChain::new([Some(Arc::new(inner) as Arc<dyn Hook>)]);
    let failures = outer.call(&Event::Reflection(Reflection::default()));
    assert_eq!(failures[0].reason, "hook 0: it panicked: no");
    assert_eq!(notes.names(), ["reflection"]);
}

#[test]
fn a_chain_is_shared_by_threads() {
    let notes = Arc::new(Notes::default());
    let chain = HookChain::new([Some(Arc::clone(&notes) as Arc<dyn Hook>)]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| every_event().iter().for_each(|event| assert!(chain.call(event).is_empty())));
        }
    });
    assert_eq!(notes.names().len(), 40);
}

#[test]
fn a_context_is_over_budget_strictly_above_85_percent() {
    let budget = |total, window| ContextBudget::new(0, 0, total, window);
    assert!(!budget(108_800, Some(128_000)).over_budget);
    assert!(budget(108_801, Some(128_000)).over_budget);
    assert!(!budget(64_000, Some(128_000)).over_budget);
    let small = ContextBudget::new(100, 200, 300, Some(128_000));
    assert_eq!((small.total_tokens, small.utilisation), (600, Some(600.0 / 128_000.0)));
    let unknown = [None, Some(0)].map(|window| budget(u64::MAX, window));
    assert!(unknown.iter().all(|one| !one.over_budget && one.utilisation.is_none() && one.window.is_none()));
}

/// Every event with a value in each field, and its JSON form.
fn events_with_json() -> [(Event, &'static str); 10] {
    let counts = BTreeMap::from([("ls".to_owned(), 1), ("read".to_owned(), 2)]);
    let fields = BTreeMap::from([("n".to_owned(), FieldValue::Integer(3)), ("x".to_owned(), FieldValue::Unknown)]);
    let names = ["read", "write"].map(str::to_owned).to_vec();
    [
        (
            Event::IterationStart(IterationStart { goal: "Fix it.".into(), iteration: 1, max_iterations: Some(3) }),
            r#"{"event":"iteration_start","goal":"Fix it.","iteration":1,"max_iterations":3}"#,
        ),
        (
            Event::IterationEnd(IterationEnd {
                iteration: 1,
                status: Status::Success,
                tool_call_counts: counts,
                task_completed: true,
                output: "Fixed.".into(),
            }),
            r#"{"event":"iteration_end","iteration":1,"status":"success","tool_call_counts":{"ls":1,"read":2},"task_completed":true,"output":"Fixed."}"#,
        ),
        (
            Event::Reflection(Reflection { iteration: 1, monologue: "Good.".into(), should_proceed: true }),
            r#"{"event":"reflection","iteration":1,"monologue":"Good.","should_proceed":true}"#,
        ),
        (
            Event::ContextBudget(ContextBudget::new(100, 200, 300, Some(1000))),
            r#"{"event":"context_budget","persona_tokens":100,"tool_schema_tokens":200,"history_tokens":300,"total_tokens":600,"window":1000,"utilisation":0.6,"over_budget":false}"#,
        ),
        (
            Event::Overflow(Overflow { tokens: 900, window: Some(800), rejected: true }),
            r#"{"event":"overflow","tokens":900,"window":800,"rejected":true}"#,
        ),
        (
            Event::CompactionMiss(CompactionMiss {
                tool: "web_search".into(),
                original_size: 5000,
                compressed_size: 1000,
            }),
            r#"{"event":"compaction_miss","tool":"web_search","original_size":5000,"compressed_size":1000}"#,
        ),
        (
            Event::ToolValidation(ToolValidation { tool: "bash".into(), allowed: false, reason: "unsafe".into() }),
            r#"{"event":"tool_validation","tool":"bash","allowed":false,"reason":"unsafe"}"#,
        ),
        (
            Event::DryRun(DryRun { planned_steps: 2, tools_used: names.clone(), estimated_cost: "low".into() }),
            r#"{"event":"dry_run","planned_steps":2,"tools_used":["read","write"],"estimated_cost":"low"}"#,
        ),
        (
            Event::PlanExecution(PlanExecution { flow: "sequence".into(), step_count: 2, step_names: names }),
            r#"{"event":"plan_execution","flow":"sequence","step_count":2,"step_names":["read","write"]}"#,
        ),
        (
            Event::Emit(Emitted { rule: "r".into(), name: "size".into(), fields }),
            r#"{"event":"emit","rule":"r","name":"size","fields":{"n":3,"x":null}}"#,
        ),
    ]
}

#[test]
fn events_are_read_from_their_json() {
    for (event, json) in events_with_json() {
        assert_eq!(serde_json::to_string(&event).expect("JSON"), json);
        assert_eq!(serde_json::from_str::<Event>(json).expect("an event"), event);
    }
    let statuses = [Status::Running, Status::Success, Status::Failure];
    assert_eq!(serde_json::to_string(&statuses).expect("JSON"), r#"["running","success","failure"]"#);
}
