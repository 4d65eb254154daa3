//! Errors: each is reported at its place, all of them in one run.

use super::{clean, errors, findings, only, print, read};

/// The tree without the clauses of its rules.
fn heads(text: &str) -> Vec<String> {
    let tree = print::file(&read(text).0);
    tree.lines().filter(|line| !line.starts_with("    ")).map(str::to_owned).collect()
}

#[test]
fn syntax_errors_have_a_line_and_a_column() {
    for text in ["effects: [", "effects:\n\t- kind: compact", "a: b: c", "effects: *nowhere", "\"open", "%YAML 9\n"] {
        let (code, _, message) = only(text);
        assert_eq!(code, "E601", "{text}");
        assert!(message.starts_with("invalid YAML at line "), "{message}");
    }
    let (_, place, message) = only("effects:\n  - kind: compact\n    params: {threshold: 0.8]\n");
    assert_eq!(place, "{");
    assert_eq!(message, "invalid YAML at line 3, column 13: mismatched bracket `{` closed by `]`");
}

#[test]
fn a_syntax_error_does_not_hide_earlier_problems() {
    let text = "efects: 1\nagents:\n  - name: a\n    effects:\n      - kind: nope\n      - kind: progress\n      - kind: compact\n        \
                params: {treshold: 1\n";
    let codes: Vec<&str> = findings(text).into_iter().map(|(code, ..)| code).collect();
    assert_eq!(codes, ["E610", "E608", "E601"]);
    assert_eq!(heads(text), ["policy a", "  broken compact", "  rule progress", "  broken ?", "broken"]);
}

#[test]
fn a_text_without_effects_and_agents_is_not_a_policy() {
    for text in
        ["", "# only a comment", "---\n", "null", "5", "- kind: compact", "just words", "{}", "agents: []", "a: 1"]
    {
        let (code, _, message) = only(text);
        assert_eq!((code, message.as_str()), ("E604", "this file contains no policy"), "{text}");
        assert_eq!(print::file(&read(text).0), "broken\n");
    }
}

#[test]
fn a_missing_kind_is_reported_with_its_agent_and_position() {
    let text = "agents:\n  - name: coder\n    effects:\n      - kind: compact\n      - params: {}\n";
    assert_eq!(
        only(text),
        ("E607", "params: {}".to_owned(), "agent `coder`: effect[1]: `kind` is required".to_owned())
    );
    for entry in ["{}", "{kind: }", "{kind: \"\"}"] {
        let (code, _, message) = only(&format!("effects: [{entry}]"));
        assert_eq!((code, message.as_str()), ("E607", "effect[0]: `kind` is required"));
    }
}

#[test]
fn an_unknown_kind_is_reported_with_a_suggestion() {
    let text = "agents:\n  - name: a\n    effects:\n      - kind: observation_msk\n";
    let finding = read(text).1.remove(0);
    assert_eq!(finding.message, "agent `a`: effect[0]: unknown kind `observation_msk`");
    assert_eq!(finding.help.as_deref(), Some("did you mean `observation_mask`?"));
    assert_eq!(finding.fixes[0].edits[0].text, "observation_mask");
    let far = read("effects: [{kind: teleport}]").1.remove(0);
    assert!(far.help.is_some_and(|help| help.contains("`observation_mask`") && help.ends_with("7 more")));
}

#[test]
fn an_unknown_parameter_is_reported_with_a_suggestion() {
    let finding = read("effects: [{kind: sliding_window, params: {recent_zon: 3}}]").1.remove(0);
    assert_eq!((finding.code.id, finding.message.as_str()), ("E609", "`sliding_window` has no parameter `recent_zon`"));
    assert_eq!(finding.help.as_deref(), Some("did you mean `recent_zone`?"));
    assert_eq!(only("effects: [{kind: compact, params: {recent_window: 3}}]").1, "recent_window");
}

#[test]
fn values_of_a_wrong_type_are_reported_with_both_types() {
    let cases = [
        ("effects: [{kind: compact, params: {threshold: bad}}]", "`threshold` must be a number, got a string"),
        ("effects: [{kind: compact, params: {threshold: '0.8'}}]", "`threshold` must be a number, got a string"),
        ("effects: [{kind: progress, params: {interval: true}}]", "`interval` must be a number, got a boolean"),
        ("effects: [{kind: progress, params: {interval: }}]", "`interval` must be a number, got nothing"),
        ("effects: [{kind: progress, params: {interval: [1]}}]", "`interval` must be a number, got a list"),
        ("effects: [{kind: progress, params: [interval]}]", "`params` must be a map, got a list"),
        ("effects: [{kind: progress, params: 5}]", "`params` must be a map, got a number"),
        ("effects: [{kind: 5}]", "`kind` must be a string, got a number"),
        ("effects: [compact]", "effect[0] must be a map with `kind`, got a string"),
        ("effects: {kind: compact}", "`effects` must be a list, got a map"),
        ("agents: [{name: 7, effects: [{kind: compact}]}]", "`name` must be a string, got a number"),
        ("agents: [5]\neffects: [{kind: compact}]", "agents[0] must be a map, got a number"),
        ("agents: {a: 5}", "`agents` must be a list, got a map"),
        ("window: 200k\neffects: [{kind: compact}]", "`window` must be a number, got a string"),
        ("options: 5\neffects: [{kind: compact}]", "`options` must be a map, got a number"),
        ("providers: [p]\neffects: [{kind: compact}]", "a provider must be a map, got a string"),
        ("? [a]\n: 5\neffects: [{kind: compact}]", "a key must be a string, got a list"),
        ("effects: [{<<: 5, kind: compact}]", "`<<` must be a map or a list of maps, got a number"),
    ];
    for (text, message) in cases {
        let found = only(text);
        assert_eq!((found.0, found.2.as_str()), ("E606", message), "{text}");
    }
}

#[test]
fn a_string_tag_turns_a_number_into_text() {
    assert_eq!(only("effects: [{kind: compact, params: {threshold: !!str 0.8}}]").0, "E606");
}

#[test]
fn a_percentage_is_rejected_with_the_equivalent_share() {
    let finding = read("effects: [{kind: compact, params: {threshold: 80}}]").1.remove(0);
    assert_eq!(finding.code.id, "E611");
    assert_eq!(finding.help.as_deref(), Some("write 0.8 for 80% of the window"));
    assert_eq!(finding.fixes[0].edits[0].text, "0.8");
    for number in ["1.51", "8000", ".inf", ".nan", "1e40"] {
        assert_eq!(only(&format!("effects: [{{kind: observation_mask, params: {{threshold: {number}}}}}]")).0, "E611");
    }
    assert_eq!(only("effects: [{kind: progress, params: {interval: .inf}}]").0, "E611");
}

#[test]
fn duplicate_keys_and_names_are_reported_with_the_first_one() {
    let text = "effects:\n  - kind: compact\n    params: {threshold: 0.7, threshold: 0.9}\n    kind: progress\n";
    let (_, found) = read(text);
    let doubled: Vec<(&str, u32)> =
        found.iter().map(|finding| (finding.message.as_str(), finding.labels[0].span.start)).collect();
    assert_eq!(doubled, [("duplicate key `threshold`", 40), ("duplicate key `kind`", 13)]);
    assert!(print::file(&read(text).0).contains(">= 70%"));
    assert_eq!(only("effects: [{kind: compact}]\neffects: []").0, "E605");
    let agents = "agents: [{name: a, window: 9}, {name: a, window: 9}]";
    assert_eq!(only(agents).2, "duplicate agent `a`");
    assert!(print::file(&read(agents).0).contains("policy a_2"));
    assert_eq!(only("providers: [{name: p}, {name: p}]\neffects: [{kind: compact}]").2, "duplicate provider `p`");
}

#[test]
fn unknown_keys_in_an_effect_are_errors() {
    let misplaced = read("effects: [{kind: compact, threshold: 0.9}]").1.remove(0);
    assert_eq!(misplaced.message, "an effect has no key `threshold`");
    assert_eq!(misplaced.help.as_deref(), Some("move it under `params`"));
    let misspelt = read("effects: [{kind: compact, parms: {}}]").1.remove(0);
    assert_eq!(misspelt.help.as_deref(), Some("did you mean `params`?"));
    assert_eq!(only("effects: [{kind: compact, note: x}]").0, "E610");
}

#[test]
fn misspelt_keys_outside_of_effects_are_errors() {
    let cases = [
        ("efects: []", "the file has no key `efects`"),
        ("Effects: [{kind: compact}]", "the file has no key `Effects`"),
        ("agents: [{name: a, window: 9, effect: []}]", "an agent has no key `effect`"),
        ("window: 9\noptions: {contextThreshold: 0.7}\neffects:", "`options` has no key `contextThreshold`"),
        ("providers: [{name: p, kind: grok, context_windw: 5}]\neffects:", "a provider has no key `context_windw`"),
        ("window: 9\neffects:\ndefault_context_window: {}", "the file has no key `default_context_window`"),
    ];
    for (text, message) in cases {
        let found = only(text);
        assert_eq!((found.0, found.2.as_str()), ("E610", message), "{text}");
    }
}

#[test]
fn an_unknown_provider_is_an_error_if_providers_are_listed() {
    let listed =
        "providers: [{name: main, kind: openai}]\nagents: [{name: a, provider: man, effects: [{kind: compact}]}]";
    let found = only(listed);
    assert_eq!((found.0, found.2.as_str()), ("E612", "agent `a`: unknown provider `man`"));
    let nothing_follows = "providers: [{name: main, kind: openai}]\nagents: [{name: a, provider: man}, {name: b}]";
    assert_eq!(only(nothing_follows).0, "E612");
    clean("agents: [{name: a, provider: elsewhere, effects: [{kind: compact}]}]");
}

#[test]
fn all_errors_are_reported_in_one_run() {
    let text = "efects: 1\nwindow: -1\nagents:\n  - name: a\n    effects:\n      - kind: nope\n      - {kind: compact, params: \
                {treshold: 1, threshold: x}}\n      - params: {}\n      - kind: progress\n  - name: b\n    effects: 7\n";
    let codes: Vec<&str> = findings(text).into_iter().map(|(code, ..)| code).collect();
    assert_eq!(codes, ["E610", "E611", "E608", "E609", "E606", "E607", "E606"]);
    assert_eq!(
        heads(text),
        ["policy a", "  broken compact", "  rule progress", "  broken ?", "  broken ?", "policy b"]
    );
}

#[test]
fn only_one_document_is_read() {
    let text = "effects: [{kind: compact}]\n---\neffects: [{kind: bad}]\n";
    assert_eq!(only(text).0, "E603");
    assert!(print::file(&read(text).0).contains("rule compact"));
    assert_eq!(errors("---\neffects: [{kind: compact}]\n...\n"), 0);
}
