//! `tool_scope`: tools that are not offered to the model.

use super::{Scene, call, ok, user};

fn scope(effects: &[&str]) -> Scene {
    Scene::effects(effects).tools(&["a", "b", "c", "d"]).messages([user("go")])
}

/// The tools that are offered.
fn offered(scene: &Scene) -> Vec<&'static str> {
    ["a", "b", "c", "d"].into_iter().filter(|tool| scene.state.views.offers_tool(tool)).collect()
}

/// `4 tools minus 2`
#[test]
fn excluded_tools_are_not_offered() {
    let mut scene = scope(&["kind: tool_scope, params: {exclude: [b, d]}"]);
    scene.request();
    assert_eq!(offered(&scene), ["a", "c"]);
}

/// `empty exclude`
#[test]
fn without_excluded_tools_the_effect_has_no_rule() {
    for params in ["exclude: []", ""] {
        let text = format!("effects:\n  - {{kind: tool_scope, params: {{{params}}}}}\n  - kind: progress\n");
        let compiled = trimtab::pipeline::compile("p.yaml", &text);
        assert_eq!(compiled.diagnostics.iter().map(|found| found.code.id).collect::<Vec<_>>(), ["E613"], "{params}");
        assert_eq!(compiled.checked.expect("a policy").policies[0].rules.len(), 1);
    }
}

/// `multiple filters intersect`
#[test]
fn tools_excluded_by_several_effects_are_all_not_offered() {
    let mut scene = scope(&["kind: tool_scope, params: {exclude: [b]}", "kind: tool_scope, params: {exclude: [d]}"]);
    scene.request();
    assert_eq!(offered(&scene), ["a", "c"]);
}

/// `no-op at both phases`
#[test]
fn excluding_tools_leaves_the_messages_alone() {
    let mut scene =
        scope(&["kind: tool_scope, params: {exclude: [b, d]}"]).messages([call("x", "b", "{}"), ok("x", "done")]);
    scene.assert_idle_on_request();
    scene.assert_idle_on_reply();
}

/// `a list of strings: absent, right, wrong`
#[test]
fn an_exclude_that_is_no_list_of_strings_is_an_error() {
    for wrong in ["bad", "[a, 42]", "7", "{a: b}"] {
        let text = format!("effects:\n  - {{kind: tool_scope, params: {{exclude: {wrong}}}}}\n");
        assert!(trimtab::pipeline::compile("p.yaml", &text).has_errors(), "{wrong}");
    }
}
