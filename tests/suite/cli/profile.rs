//! Profiles of `trimtab.toml`: what counts of a host, in each verb.

use super::{Run, folder, recording};

const SETTINGS: &str = "profile = \"own\"\n\n[profiles.own]\nwindow = \"50k tokens\"\n\n[profiles.other]\nwindow = \"8k \
                        tokens\"\ntools = [\"look\"]\n";

fn policy(agent: &str) -> String {
    format!("edition 2026\n{agent}\npolicy one {{\n  rule only {{ when context.ratio >= 5% do notify \"x\" }}\n}}\n")
}

/// A project with a policy that says nothing of its host, and one that does.
fn project() -> tempfile::TempDir {
    let said = policy("agent { window 20k tokens tools [note] }");
    let files = [("open.trim", policy("")), ("said.trim", said), ("r.jsonl", recording())];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    folder(&[files, vec![("trimtab.toml", SETTINGS)]].concat())
}

fn window(folder: &tempfile::TempDir, policy: &str, flags: &str) -> u64 {
    let line = format!("simulate {policy} r.jsonl --format json {flags}");
    Run::line(&line).at(folder.path()).done().ends(0).json()["transcripts"][0]["window"].as_u64().unwrap()
}

#[test]
fn a_simulation_goes_by_flag_profile_asked_for_block_profile_of_the_project_and_recording() {
    let folder = project();
    // The recording says 4k.
    for (policy, flags, tokens) in [
        ("open.trim", "--isolated", 4_000),
        ("open.trim", "", 50_000),
        ("open.trim", "--profile other", 8_000),
        ("open.trim", "--profile other --window 9k", 9_000),
        ("said.trim", "--isolated", 20_000),
        ("said.trim", "", 20_000),
        ("said.trim", "--profile other", 8_000),
        ("said.trim", "--profile own", 50_000),
        ("said.trim", "--window 9k", 9_000),
    ] {
        assert_eq!(window(&folder, policy, flags), tokens, "{policy} {flags}");
    }
    let people = Run::line("simulate open.trim r.jsonl").at(folder.path()).done().ends(0).out;
    assert!(people.contains("Window: 50,000 tokens (from the project's profile)"), "{people}");
}

#[test]
fn the_hash_of_a_plan_tells_hosts_apart() {
    let folder = project();
    let hash = |flags: &str| {
        let line = format!("inspect open.trim --format json {flags}");
        Run::line(&line).at(folder.path()).done().ends(0).json()["policy"]["hash"].clone()
    };
    assert_eq!(hash(""), hash("--profile own"));
    assert_ne!(hash(""), hash("--profile other"));
    assert_ne!(hash(""), hash("--isolated"));
}

#[test]
fn inspect_says_which_profile_a_value_is_of() {
    let folder = project();
    let page = |line: &str| Run::line(&format!("inspect {line}")).at(folder.path()).done().ends(0).out;
    let asked = page("said.trim --profile other");
    assert!(asked.contains("window 8k tokens  # profile other"), "{asked}");
    assert!(asked.contains("tools [look]      # profile other"), "{asked}");
    assert!(asked.contains("# shares of the window of 8,000 tokens (profile other)"), "{asked}");
    let filled = page("said.trim");
    assert!(filled.contains("window 20k tokens  # said.trim:2"), "{filled}");
    assert!(page("open.trim").contains("window 50k tokens  # profile own"));
}

#[test]
fn lints_know_the_host() {
    let folder = project();
    let lint = |line: &str| {
        let line = format!("lint {line} --format concise --select share-without-window,tool-not-declared");
        Run::line(&line).at(folder.path()).done().out
    };
    assert!(lint("open.trim --isolated").contains("share-without-window"));
    assert_eq!(lint("open.trim"), "");
    let named = policy("agent { tools [note] }").replace("when", "when used_tool(\"note\") or");
    std::fs::write(folder.path().join("open.trim"), named).unwrap();
    assert_eq!(lint("open.trim"), "");
    assert!(lint("open.trim --profile other").contains("tool-not-declared"));
}

#[test]
fn a_value_of_a_profile_is_not_corrected_in_the_policy() {
    let text = "edition 2026\npolicy p {\n  rule a { when (budget.cost ?? $0) >= $5 do stop \"x\" }\n}\n";
    let settings = "profile = \"x\"\n[profiles.x]\nmodel = \"claude-sonet-4-5\"\nwindow = \"200 tokens\"\n";
    let folder = folder(&[("p.trim", text), ("trimtab.toml", settings)]);
    let run = |line: &str| Run::line(line).at(folder.path()).done();
    let json = run("lint p.trim --format json --select unknown-cost,suspicious-magnitude").json();
    let found = json["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&found[0]["code"], &found[0]["fixes"]), (&"unknown-cost".into(), &serde_json::json!([])));
    run("lint p.trim --fix --unsafe-fixes --select unknown-cost,suspicious-magnitude");
    assert_eq!(std::fs::read_to_string(folder.path().join("p.trim")).unwrap(), text);
}

#[test]
fn tests_run_on_the_host() {
    let folder = project();
    let test = "\ntest \"half a window\" {\n  given context.tokens 3k tokens\n  expect only fires at 0\n}\n";
    let path = folder.path().join("open.trim");
    std::fs::write(&path, policy("").replace("5%", "30%") + test).unwrap();
    let run = |flags: &str| Run::line(&format!("test open.trim {flags}")).at(folder.path()).done();
    run("").ends(1);
    run("--profile other").ends(0);
}

#[test]
fn a_profile_that_is_not_there_is_an_error_in_each_verb() {
    let folder = project();
    for line in [
        "simulate open.trim r.jsonl",
        "lint .",
        "validate .",
        "inspect open.trim",
        "test .",
        "diff open.trim said.trim",
        "ci",
    ] {
        let done = Run::line(&format!("{line} --profile none")).at(folder.path()).done().ends(2);
        assert!(done.err.contains("unknown profile `none`; defined profiles: other, own"), "{line}: {}", done.err);
    }
    Run::line("validate . --profile other").at(folder.path()).done().ends(0);
}
