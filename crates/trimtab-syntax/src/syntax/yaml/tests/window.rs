//! Windows, models and tools, and the default effects.

use super::{clean, findings, only, print, read};

/// The tree of one agent with a provider.
fn agent(provider: &str, rest: &str) -> String {
    clean(&format!(
        "providers:\n  - {{name: main, {provider}}}\n{rest}agents:\n  - name: coder\n    provider: main\n    effects: \
         [{{kind: progress}}]\n"
    ))
}

fn window(tree: &str) -> Option<&str> {
    tree.split_once("window ")?.1.split_once(" tokens").map(|(number, _)| number)
}

#[test]
fn known_kinds_of_providers_have_default_windows() {
    for (kind, tokens) in [("anthropic", "200000"), ("openai", "128000"), ("grok", "131072"), ("gemini", "1048576")] {
        assert_eq!(window(&agent(&format!("kind: {kind}"), "")), Some(tokens), "{kind}");
    }
    assert_eq!(window(&agent("kind: custom", "")), None);
}

#[test]
fn the_window_of_a_provider_overrides_that_of_the_file_and_the_default() {
    let file = "default_context_windows: {anthropic: 150000, custom: 64000}\n";
    assert_eq!(window(&agent("kind: anthropic, context_window: 100000", "")), Some("100000"));
    assert_eq!(window(&agent("kind: anthropic", file)), Some("150000"));
    assert_eq!(window(&agent("kind: custom", file)), Some("64000"));
    assert_eq!(window(&agent("kind: anthropic, context_window: 100000", file)), Some("100000"));
    assert_eq!(window(&agent("kind: anthropic, context_window: null", file)), Some("150000"));
    assert_eq!(window(&agent("kind: anthropic, context_window: 0", "")), None);
}

#[test]
fn the_agent_and_the_file_can_set_the_window() {
    assert_eq!(window(&clean("window: 64_000\neffects: [{kind: progress}]")), Some("64000"));
    assert_eq!(window(&clean("context_window: 9000\neffects: [{kind: progress}]")), Some("9000"));
    let both = "window: 1000\nagents: [{name: a, window: 2000, effects: [{kind: progress}]}]";
    assert_eq!(window(&clean(both)), Some("2000"));
    let over_provider = "providers: [{name: p, kind: grok}]\nwindow: 1000\nagents: [{name: a}]";
    assert_eq!(window(&clean(over_provider)), Some("1000"));
}

#[test]
fn an_agent_without_a_provider_uses_the_first_one() {
    let text = "providers: [{name: p, kind: grok, model: g-1}, {name: q, kind: openai}]\nagents: [{name: a}]";
    assert!(clean(text).starts_with("agent model \"g-1\" window 131072 tokens\n"));
}

#[test]
fn an_agent_with_a_window_and_no_effects_gets_the_default_effects() {
    for effects in ["", "effects: []", "effects:", "effects: null"] {
        let tree = clean(&format!("agents:\n  - name: coder\n    window: 1000\n    {effects}\n"));
        let rules: Vec<&str> = tree.lines().filter(|line| line.starts_with("  rule")).collect();
        assert_eq!(rules, ["  rule compact", "  rule trim_tool_results"], "{tree}");
        assert!(tree.contains(">= 80%") && tree.contains("to 500 chars keep 4 results"), "{tree}");
    }
}

#[test]
fn an_empty_list_of_effects_is_a_warning() {
    let listed = |effects: &str| findings(&format!("agents:\n  - name: coder\n    window: 1000\n    {effects}\n"));
    let [(code, place, message)] = listed("effects: []").try_into().expect("one finding");
    assert_eq!((code, place.as_str()), ("E617", "[]"));
    assert_eq!(message, "agent `coder`: an empty list of effects means the default effects");
    assert!(listed("").is_empty() && listed("effects: [{kind: compact}]").is_empty());
}

#[test]
fn the_default_effects_use_the_context_threshold() {
    let with = |threshold: &str| format!("window: 1000\noptions: {{context_threshold: {threshold}}}\neffects:\n");
    assert!(clean(&with("0.65")).contains(">= 65%"));
    assert!(clean(&with("0.8")).contains(">= 80%"));
    assert!(clean(&with("0")).contains(">= 80%"));
    assert!(clean(&with("null")).contains(">= 80%"));
    for (outside, place) in [("1.5", "1.5"), ("-0.5", "-0.5"), ("1", "1")] {
        let (code, at, message) = only(&with(outside));
        assert_eq!((code, at.as_str()), ("E611", place));
        assert!(message.contains("`context_threshold` must be in (0, 1)"), "{message}");
    }
}

#[test]
fn listed_effects_replace_the_default_effects() {
    let tree = clean("window: 1000\noptions: {context_threshold: 0.5}\neffects: [{kind: reflection}]");
    assert_eq!(tree.matches("  rule ").count(), 1);
}

#[test]
fn no_effects_and_no_window_is_a_warning() {
    let text = "agents:\n  - name: coder\n";
    let (code, place, message) = only(text);
    assert_eq!((code, place.as_str()), ("E614", "coder"));
    assert!(message.starts_with("agent `coder`: "), "{message}");
    assert_eq!(print::file(&read(text).0), "policy coder\n");
}

#[test]
fn a_window_of_zero_turns_off_effects_that_need_it() {
    let text = "window: 0\neffects: [{kind: observation_mask}, {kind: compact}, {kind: progress}, {kind: offload}, \
                {kind: sliding_window}]";
    let off: Vec<String> = findings(text).into_iter().map(|(code, place, _)| format!("{code} {place}")).collect();
    assert_eq!(off, ["E613 observation_mask", "E613 compact", "E613 offload", "E613 sliding_window"]);
    let tree = print::file(&read(text).0);
    assert!(tree.starts_with("policy effects\n  rule progress\n"), "{tree}");
    assert_eq!(only("agents: [{name: a, window: 0}]").0, "E614");
}

#[test]
fn a_negative_window_is_an_error() {
    let text = "providers: [{name: p, kind: openai, context_window: -1}]\neffects: [{kind: compact}]";
    let (code, place, message) = only(text);
    assert_eq!((code, place.as_str()), ("E611", "-1"));
    assert!(message.contains("`context_window` must be 0 or more"), "{message}");
    assert_eq!(only("window: -5\neffects: [{kind: compact}]").0, "E611");
    assert_eq!(only("default_context_windows: {x: -5}\neffects: [{kind: compact}]").0, "E611");
}

#[test]
fn several_agents_are_several_policies() {
    let text = "agents:\n  - {name: coder, effects: [{kind: compact}]}\n  - {name: code-reviewer, effects: [{kind: \
                progress}]}\n";
    let tree = clean(text);
    let heads: Vec<&str> = tree.lines().filter(|line| line.starts_with("policy")).collect();
    assert_eq!(heads, ["policy coder", "policy code_reviewer"]);
}

#[test]
fn effects_of_the_file_and_of_agents_are_separate_policies() {
    let tree = clean("effects: [{kind: compact}]\nagents: [{name: effects, effects: [{kind: progress}]}]");
    let heads: Vec<&str> = tree.lines().filter(|line| line.starts_with("policy")).collect();
    assert_eq!(heads, ["policy effects", "policy effects_2"]);
}

#[test]
fn values_shared_by_all_agents_are_in_the_agent_block() {
    let text = "tools: [write_note, \"odd name\"]\nmodel: m-1\nagents: [{name: a, window: 9}, {name: b, window: 9}]";
    assert!(clean(text).starts_with("agent model \"m-1\" window 9 tokens tools [write_note \"odd name\"]\npolicy a\n"));
    let own = "agents: [{name: a, window: 9, model: x, tools: [{name: t}]}, {name: b, window: 9, model: y}]";
    assert!(clean(own).starts_with("agent window 9 tokens\n"));
}

#[test]
fn different_windows_of_agents_are_a_warning() {
    let text = "agents: [{name: a, window: 9}, {name: b, window: 10}]";
    let (code, place, _) = only(text);
    assert_eq!((code, place.as_str()), ("E615", "10"));
    assert!(print::file(&read(text).0).starts_with("policy a\n  rule compact"));
    let unknown = "agents: [{name: a, window: 9}, {name: b, effects: [{kind: compact}]}]";
    assert_eq!(only(unknown), ("E615", "b".to_owned(), only(text).2));
}

#[test]
fn keys_of_the_host_are_ignored() {
    let text = "entry_agent: a\nmcp_servers: []\nfilesystem: {x: 1}\ntools: {bash: {}}\nactions: 3\nagents:\n  - name: a\n    \
                description: d\n    instructions: |\n      do\n    toolboxes: [x]\n    model: {id: 5}\n    tools: all\n    \
                options: {max_iterations: 3}\n    effects: [{kind: progress}]\n";
    assert!(clean(text).starts_with("policy a\n"));
}
