//! The YAML format from a text to a running plan. `syntax::yaml` tests the details.

use trimtab::lint::Settings;
use trimtab::pipeline::{self, Compiled, Compiler};
use trimtab::source::MemorySources;

use super::{Scene, call, long, ok, plan, summary, user};

const KINDS: [&str; 8] = [
    "observation_mask",
    "compact",
    "sliding_window",
    "trim_tool_results",
    "offload",
    "loop_detect",
    "reflection",
    "progress",
];

fn compiled(effect: &str) -> Compiled {
    pipeline::compile("policy.yaml", &format!("effects:\n  - {{{effect}}}\n"))
}

#[test]
fn every_kind_compiles_to_a_plan() {
    for (kind, params, second) in [
        ("stall_detect", "", "stall_detect_stop"),
        ("token_budget", "max_tokens: 9", "token_budget_warning"),
        ("time_budget", "max_duration: 9s", "time_budget_warning"),
    ] {
        let plan = plan("policy.yaml", &format!("effects: [{{kind: {kind}, params: {{{params}}}}}]"));
        assert_eq!(plan.rules.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>(), [kind, second]);
    }
    for kind in KINDS {
        let plan = plan("policy.yaml", &format!("effects: [{{kind: {kind}}}]"));
        assert_eq!(plan.rules.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>(), [kind]);
        let found = compiled(&format!("kind: {kind}")).diagnostics;
        assert!(found.is_empty(), "{kind}: {found:#?}");
    }
}

#[test]
fn an_unknown_kind_is_an_error() {
    let compiled = compiled("kind: nonexistent");
    let messages: Vec<&str> = compiled.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert!(
        compiled.checked.is_none() && messages.iter().any(|message| message.contains("unknown kind")),
        "{messages:?}"
    );
}

#[test]
fn an_unknown_parameter_is_an_error() {
    for effect in ["kind: compact, params: {treshold: 0.5}", "kind: progress, params: {threshold: 0.5}"] {
        assert!(compiled(effect).has_errors(), "{effect}");
    }
}

#[test]
fn the_default_pair_compacts_and_trims() {
    let mut scene = Scene::policy("policy.yaml", "agents: [{name: coder, window: 1000}]").reported(800);
    scene = scene.answers([summary("Done.")]);
    scene.push([user("Hello."), call("a", "ls", "{}"), ok("a", &long("old", 600))]);
    for id in ["b", "c", "d", "e"] {
        scene.push([call(id, "ls", "{}"), ok(id, "new")]);
    }
    scene.reply();
    assert_eq!(scene.text(2).chars().count(), 511);
    scene.request();
    assert_eq!((scene.len(), scene.requests.len()), (1, 1));
}

#[test]
fn an_environment_variable_is_no_kind() {
    assert!(compiled("kind: \"${KIND}\"").has_errors());
}

#[test]
fn keeping_none_can_be_said_in_the_own_language() {
    let text = "edition 2026\npolicy p { rule t { on reply do trim results to 10 chars keep 0 results } }";
    let mut scene = Scene::policy("p.trim", text).messages([call("a", "ls", "{}"), ok("a", &long("old", 100))]);
    scene.reply();
    assert_eq!(scene.text(1).chars().count(), 21);
}

/// Above both thresholds the window folds its old messages first, and the compaction summarises everything once more.
#[test]
fn a_window_before_a_compaction_is_a_finding() {
    let lints = |effects: &str| {
        let mut compiler = Compiler::default();
        let text = format!("window: 100000\neffects: [{effects}]");
        let done = compiler.compile("policy.yaml", &text, &mut MemorySources::default());
        let found = compiler.run_lints(&done, &Settings::default(), None, None).findings;
        found.iter().map(|one| one.code.id).collect::<Vec<_>>()
    };
    let unpinned = "task-not-pinned";
    assert_eq!(lints("{kind: sliding_window}, {kind: compact}"), [unpinned, "summary-of-summary", unpinned]);
    assert_eq!(lints("{kind: compact}, {kind: sliding_window}"), [unpinned, unpinned]);
    let mut scene =
        Scene::effects(&["kind: sliding_window, params: {recent_zone: 1, medium_zone: 1}", "kind: compact"]);
    scene = scene.reported(800).answers([summary("First."), summary("Second.")]);
    scene.push([user(&long("one", 300)), user(&long("two", 300)), user(&long("three", 300)), user(&long("four", 300))]);
    scene.request();
    assert_eq!((scene.requests.len(), scene.len()), (2, 1));
}
