//! `trimtab import`.

use std::fs;

use super::{Run, folder};

const YAML: &str = "# Keeps room.\nversion: 3\nagents:\n  - name: coder # the main agent\n    temperature: 0.2\n    \
    window: 200000\n    effects:\n      # Old results first.\n      - kind: observation_mask\n        params:\n          \
    threshold: 0.5 # was 0.6\n      - kind: trim_tool_results\n# The end.\n";

const TRIM: &str = "edition 2026

agent {
  window 200k tokens
}

# Keeps room.
# the main agent
policy coder {
  # Old results first.
  # was 0.6
  rule observation_mask {
    on request
    when known(reported.ratio) and reported.ratio >= 50% and iteration > 0 iterations
    do mask results keep 10 messages preview 80 chars
  }

  rule trim_tool_results {
    on reply
    do trim results to 500 chars keep 4 results
  }
}

# The end.
";

#[test]
fn a_list_of_effects_becomes_a_formatted_policy_with_its_comments() {
    let folder = folder(&[("p.yaml", YAML)]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let output = run("import p.yaml").exits_with(0);
    assert_eq!(output.out, TRIM);
    assert_eq!(output.err, "p.yaml:2: not mapped: version\np.yaml:5: not mapped: agents[0].temperature\n");
    assert_eq!(Run::line("import -").input(YAML).output().exits_with(0).out, TRIM);
    assert_eq!(run("import p.yaml --quiet -o p.trim").exits_with(0).err, "");
    run("fmt --check p.trim").exits_with(0);
    let hash = |file: &str| run(&format!("compile {file}")).exits_with(0).json()["hash"].clone();
    assert_eq!(hash("p.trim"), hash("p.yaml"));
}

#[test]
fn import_replaces_a_file_only_if_it_is_forced() {
    let folder = folder(&[("p.yaml", YAML), ("p.trim", "mine"), ("wrong.yaml", "effects: [{kind: maks}]")]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let read = || fs::read_to_string(folder.path().join("p.trim")).unwrap();
    assert_eq!(run("import p.yaml -o p.trim").exits_with(2).err, "error: p.trim exists (--force replaces it)\n");
    let output = run("import wrong.yaml -o p.trim --force").exits_with(1);
    assert!(output.err.contains("maks") && output.out.is_empty(), "{output:?}");
    assert_eq!(read(), "mine");
    run("import p.yaml -o p.trim --force").exits_with(0);
    assert_eq!(read(), TRIM);
}

#[test]
fn everything_of_the_host_that_the_policy_does_not_have_is_listed() {
    let yaml = "\
name: mine
options: {context_threshold: 0.7, retries: 3}
providers:
  - {name: p, kind: anthropic, context_window: 100000, tools: [x], key: X}
agents:
  - name: a
    provider: p
    model: one
    tools: [{name: read, description: Reads.}, write]
    kind: worker
    effects: [{kind: loop_detect}]
  - name: b
    provider: p
    model: two
    tools: [read, write]
    options: {speed: 2}
    effects: [{kind: loop_detect}]
";
    let output = Run::line("import -").input(yaml).output().exits_with(0);
    assert!(output.out.contains("agent {\n  window 100k tokens\n  tools  [read, write]\n}"), "{}", output.out);
    let unmapped: Vec<&str> = output.err.lines().filter_map(|line| line.strip_prefix("stdin.yaml:")).collect();
    assert_eq!(
        unmapped,
        [
            "1: not mapped: name",
            "2: not mapped: options.retries",
            "4: not mapped: providers[0].tools",
            "4: not mapped: providers[0].key",
            "8: not mapped: agents[0].model",
            "9: not mapped: agents[0].tools[0].description",
            "10: not mapped: agents[0].kind",
            "14: not mapped: agents[1].model",
            "16: not mapped: agents[1].options.speed",
        ]
    );

    let windows = "agents:\n  - {name: a, window: 100000, tools: all, effects: [{kind: loop_detect}]}\n  \
                   - {name: b, window: 200000, model: {id: m}, effects: [{kind: loop_detect}]}\n";
    let output = Run::line("import -").input(windows).output().exits_with(0);
    assert!(!output.out.contains("agent {"), "{}", output.out);
    for path in ["2: not mapped: agents[0].window", "2: not mapped: agents[0].tools", "3: not mapped: agents[1].window"]
    {
        assert!(output.err.contains(path), "{}", output.err);
    }
    assert!(output.err.contains("3: not mapped: agents[1].model"), "{}", output.err);
}

#[test]
fn a_hash_in_a_scalar_is_not_a_comment() {
    let yaml = "about: |\n  # not a comment\nnote: \"over\n  # two lines\"\n# mine\neffects:\n  - kind: loop_detect # also mine\n";
    let output = Run::line("import -").input(yaml).output().exits_with(0);
    let comments: Vec<&str> = output.out.lines().map(str::trim).filter(|line| line.starts_with('#')).collect();
    assert_eq!(comments, ["# mine", "# also mine"], "{}", output.out);
}

#[test]
fn import_reads_settings_and_lists_of_effects_only() {
    let output = Run::line("import examples/01_mask.trim").output().exits_with(2);
    assert!(output.err.contains("invalid TOML"), "{}", output.err);
    Run::line("import missing.yaml").output().exits_with(2);
    let folder = folder(&[("a.json", "{ \"colour\": 1 }"), ("b.json", "{ \"a\" 1 }")]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let output = run("import a.json").exits_with(2);
    assert!(output.err.contains("a.json is not recognised") && output.err.contains("--from"), "{}", output.err);
    assert!(run("import b.json").exits_with(2).err.contains("invalid JSON: expected colon"));
    assert!(run("import a.json --from opencode").exits_with(0).out.contains("policy opencode"));
}

#[test]
fn settings_become_a_policy_with_a_table_on_standard_error() {
    let output = Run::line("import docs/settings/opencode.json").output().exits_with(0);
    assert!(
        output.out.starts_with("edition 2026\n") && output.out.contains("  reserve 32k tokens\n"),
        "{}",
        output.out
    );
    assert!(
        output.err.contains("compaction.preserve_recent_tokens") && output.err.contains("impossible"),
        "{}",
        output.err
    );
    Run::line("import docs/settings/opencode.json --strict").output().exits_with(1);
    let json = Run::line("import docs/settings/opencode.json --format json").output().exits_with(0).json();
    assert_eq!((&json["system"], &json["options"][0]["option"]), (&"opencode".into(), &"compaction.auto".into()));
    assert_eq!(json["options"][0]["line"], 6);
    assert_eq!(json["policy"], output.out);
}

#[test]
fn settings_and_the_defaults_of_a_system_are_policies_everywhere() {
    for line in [
        "validate docs/settings/opencode.json docs/settings/hermes.yaml docs/settings/codex.toml",
        "lint docs/settings/opencode.json --fail-level error",
        "simulate docs/settings/anthropic.json policies/coding_agent.jsonl",
        "simulate --policies harness:claude-code docs/settings/codex.toml policies/coding_agent.trim -- policies/coding_agent.jsonl",
        "diff harness:codex docs/settings/codex.toml",
        "compile harness:opencode",
        "inspect docs/settings/claude_code.json",
        "lint harness:gemini-cli --fail-level error",
    ] {
        let output = Run::line(line).output();
        assert!(output.code <= 1 && !output.err.contains("cannot read"), "{line}\n{}", output.err);
    }
    let output = Run::line("simulate harness:opencod policies/coding_agent.jsonl").output().exits_with(2);
    assert!(output.err.contains("did you mean `harness:opencode`?"), "{}", output.err);
}

#[test]
fn findings_in_settings_point_into_the_settings() {
    let folder = folder(&[("opencode.json", "{\n  \"compaction\": { \"auto\": \"yes\", \"tail_turn\": 3 }\n}\n")]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let output = run("validate opencode.json --format concise").exits_with(1);
    assert!(
        output.out.contains("opencode.json:2:27: error[E803] `compaction.auto` takes true or false"),
        "{}",
        output.out
    );
    assert!(output.out.contains("opencode.json:2:34: warning[E802]"), "{}", output.out);
}

#[test]
fn a_policy_is_written_into_a_settings_file_of_which_only_options_change() {
    let before = "# mine\nmodel = \"gpt-5\" # the model\n\n[tui]\ntheme = \"dark\"\n";
    let policy = "edition 2026\nagent { model \"gpt-5\" }\npolicy p {\n  rule a { do trim arrivals over 80256 chars to 80256 chars from middle including errors }\n  \
        rule b { when context.tokens >= 150k tokens or context.ratio >= 90% do summarise all pin users within 20k tokens on_failure stop }\n}\n";
    let folder = folder(&[("config.toml", before), ("p.trim", policy)]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    run("compile p.trim --target codex --patch config.toml").exits_with(0);
    let after = fs::read_to_string(folder.path().join("config.toml")).unwrap();
    assert_eq!(
        after,
        "# mine\nmodel = \"gpt-5\" # the model\nmodel_auto_compact_token_limit = 150000\ntool_output_token_limit = 20000\n\n[tui]\ntheme = \"dark\"\n"
    );
    let output = run("compile p.trim --target opencode").exits_with(1);
    assert!(
        output.err.contains("opencode cannot express rule `a`: no option of OpenCode does this, so it keeps more"),
        "{}",
        output.err
    );
    run("compile p.trim --target opencode --allow-lossy").exits_with(0);
}

#[test]
fn fixes_change_options_of_settings_or_say_that_no_option_can() {
    let openclaw = "{\n  // mine\n  \"agents\": { \"defaults\": { \"contextPruning\": { \"mode\": \"cache-ttl\", \"softTrimRatio\": 0, \
        \"hardClear\": { \"enabled\": false } } } }\n}\n";
    let adk = "{ \"events_compaction_config\": { \"token_threshold\": 100000, \"event_retention_size\": 0 } }\n";
    let hermes = "compression:\n  abort_on_summary_failure: false # ours\n";
    let folder = folder(&[("openclaw.json", openclaw), ("adk.json", adk), ("hermes.yaml", hermes)]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let output = run("lint openclaw.json adk.json hermes.yaml");
    assert!(output.out.contains("hermes-agent has no option for the fix: write `on_failure keep`."), "{}", output.out);
    let fixes = run("lint openclaw.json adk.json --format json").json();
    let titles: Vec<&str> = fixes["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|finding| finding["fixes"].as_array().unwrap())
        .map(|fix| fix["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        [
            "set `agents.defaults.contextPruning.softTrimRatio` to `0.6`",
            "set `events_compaction_config.event_retention_size` to `4`"
        ]
    );
    let output = run("lint harness:codex --fix").exits_with(2);
    assert!(output.err.contains("`harness:codex` cannot be fixed: it is not a file"), "{}", output.err);
    run("lint openclaw.json adk.json hermes.yaml --fix --unsafe-fixes");
    assert_eq!(read("openclaw.json"), openclaw.replace("\"softTrimRatio\": 0,", "\"softTrimRatio\": 0.6,"));
    assert_eq!(read("adk.json"), adk.replace("size\": 0", "size\": 4"));
    assert_eq!(read("hermes.yaml"), hermes);
}

#[test]
fn findings_in_settings_quote_the_policy_and_not_the_file() {
    let output = Run::line("lint docs/settings/openclaw.json").output();
    assert!(output.out.contains("`down_to 50%` is not below the threshold of `hard_clear`"), "{}", output.out);
    assert!(!output.out.contains("`\"5m\"`"), "{}", output.out);
}
