//! Profiles in `trimtab.toml`: the properties of the host in each verb.

use super::{Run, folder, recording};

const SETTINGS: &str = "profile = \"own\"\n\n[profiles.own]\nwindow = \"50k tokens\"\n\n[profiles.other]\nwindow = \"8k \
                        tokens\"\ntools = [\"look\"]\n";

fn policy(agent: &str) -> String {
    format!("edition 2026\n{agent}\npolicy one {{\n  rule only {{ when context.ratio >= 5% do notify \"x\" }}\n}}\n")
}

/// A project with a policy without an `agent` block and one with it.
fn project() -> tempfile::TempDir {
    let with_agent = policy("agent { window 20k tokens tools [note] }");
    let files = [("open.trim", policy("")), ("with_agent.trim", with_agent), ("r.jsonl", recording())];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    folder(&[files, vec![("trimtab.toml", SETTINGS)]].concat())
}

fn window(folder: &tempfile::TempDir, policy: &str, flags: &str) -> u64 {
    let line = format!("simulate {policy} r.jsonl --format json {flags}");
    Run::line(&line).current_dir(folder.path()).output().exits_with(0).json()["transcripts"][0]["window"]
        .as_u64()
        .unwrap()
}

#[test]
fn the_window_comes_from_flag_requested_profile_agent_block_default_profile_or_recording() {
    let folder = project();
    // The recording has 4k.
    for (policy, flags, tokens) in [
        ("open.trim", "--isolated", 4_000),
        ("open.trim", "", 50_000),
        ("open.trim", "--profile other", 8_000),
        ("open.trim", "--profile other --window 9k", 9_000),
        ("with_agent.trim", "--isolated", 20_000),
        ("with_agent.trim", "", 20_000),
        ("with_agent.trim", "--profile other", 8_000),
        ("with_agent.trim", "--profile own", 50_000),
        ("with_agent.trim", "--window 9k", 9_000),
    ] {
        assert_eq!(window(&folder, policy, flags), tokens, "{policy} {flags}");
    }
    let people =
        Run::line("simulate open.trim r.jsonl --verbose").current_dir(folder.path()).output().exits_with(0).out;
    assert!(people.contains("Window: 50,000 tokens (from the project's profile)"), "{people}");
}

#[test]
fn the_hash_of_a_plan_depends_on_the_host() {
    let folder = project();
    let hash = |flags: &str| {
        let line = format!("inspect open.trim --format json {flags}");
        Run::line(&line).current_dir(folder.path()).output().exits_with(0).json()["policy"]["hash"].clone()
    };
    assert_eq!(hash(""), hash("--profile own"));
    assert_ne!(hash(""), hash("--profile other"));
    assert_ne!(hash(""), hash("--isolated"));
}

#[test]
fn inspect_names_the_profile_of_a_value() {
    let folder = project();
    let page = |line: &str| Run::line(&format!("inspect {line}")).current_dir(folder.path()).output().exits_with(0).out;
    let with_profile = page("with_agent.trim --profile other");
    assert!(with_profile.contains("window 8k tokens  # profile other"), "{with_profile}");
    assert!(with_profile.contains("tools [look]      # profile other"), "{with_profile}");
    assert!(with_profile.contains("# shares of the window of 8,000 tokens (profile other)"), "{with_profile}");
    let without_profile = page("with_agent.trim");
    assert!(without_profile.contains("window 20k tokens  # with_agent.trim:2"), "{without_profile}");
    assert!(page("open.trim").contains("window 50k tokens  # profile own"));
}

#[test]
fn lints_use_the_host_of_the_profile() {
    let folder = project();
    let lint = |line: &str| {
        let line = format!("lint {line} --format concise --select share-without-window,tool-not-declared");
        Run::line(&line).current_dir(folder.path()).output().out
    };
    assert!(lint("open.trim --isolated").contains("share-without-window"));
    assert_eq!(lint("open.trim"), "");
    let named = policy("agent { tools [note] }").replace("when", "when used_tool(\"note\") or");
    std::fs::write(folder.path().join("open.trim"), named).unwrap();
    assert_eq!(lint("open.trim"), "");
    assert!(lint("open.trim --profile other").contains("tool-not-declared"));
}

#[test]
fn a_value_of_a_profile_gets_no_fix_in_the_policy() {
    let text = "edition 2026\npolicy p {\n  rule a { when (budget.cost ?? $0) >= $5 do stop \"x\" }\n}\n";
    let settings = "profile = \"x\"\n[profiles.x]\nmodel = \"claude-sonet-4-5\"\nwindow = \"200 tokens\"\n";
    let folder = folder(&[("p.trim", text), ("trimtab.toml", settings)]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let json = run("lint p.trim --format json --select unknown-cost,suspicious-magnitude").json();
    let found = json["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&found[0]["code"], &found[0]["fixes"]), (&"unknown-cost".into(), &serde_json::json!([])));
    run("lint p.trim --fix --unsafe-fixes --select unknown-cost,suspicious-magnitude");
    assert_eq!(std::fs::read_to_string(folder.path().join("p.trim")).unwrap(), text);
}

#[test]
fn tests_use_the_host_of_the_profile() {
    let folder = project();
    let test = "\ntest \"half a window\" {\n  given context.tokens 3k tokens\n  expect only fires at 0\n}\n";
    let path = folder.path().join("open.trim");
    std::fs::write(&path, policy("").replace("5%", "30%") + test).unwrap();
    let run = |flags: &str| Run::line(&format!("test open.trim {flags}")).current_dir(folder.path()).output();
    run("").exits_with(1);
    run("--profile other").exits_with(0);
}

#[test]
fn an_unknown_profile_is_an_error_in_each_verb() {
    let folder = project();
    for line in [
        "simulate open.trim r.jsonl",
        "lint .",
        "validate .",
        "inspect open.trim",
        "test .",
        "diff open.trim with_agent.trim",
        "ci",
    ] {
        let output = Run::line(&format!("{line} --profile none")).current_dir(folder.path()).output().exits_with(2);
        assert!(output.err.contains("unknown profile `none`; defined profiles: other, own"), "{line}: {}", output.err);
    }
    Run::line("validate . --profile other").current_dir(folder.path()).output().exits_with(0);
}
