//! `trimtab compile`.

use std::fs;

use serde_json::Value as Json;

use super::{Run, folder, policy};

const MASK: &str = "when context.ratio >= 60% do mask results keep 10 messages";

#[test]
fn compile_prints_the_plan_as_sorted_json_with_the_hash_of_inspect() {
    let folder = folder(&[("p.trim", &policy(MASK))]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output().exits_with(0);
    let output = run("compile p.trim");
    assert!(output.out.ends_with("}\n") && output.err.is_empty(), "{output:?}");
    let json = output.json();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["agent", "hash", "policy", "rules", "schema_version", "title"]);
    assert_eq!(json["hash"], run("inspect p.trim --format json").json()["policy"]["hash"]);
    run("compile p.trim -o p.json");
    assert_eq!(fs::read_to_string(folder.path().join("p.json")).unwrap(), output.out);
    let input = Run::line("compile -").input(policy(MASK)).output().exits_with(0);
    assert_eq!(input.out, output.out);
}

#[test]
fn a_compiled_file_that_is_up_to_date_passes_the_check_in_any_layout() {
    let folder = folder(&[("p.trim", &policy(MASK))]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    run("compile p.trim -o p.json").exits_with(0);
    assert_eq!(run("compile p.trim --check p.json").exits_with(0).out, "p.json is up to date\n");
    assert_eq!(run("compile p.trim --check p.json --quiet").exits_with(0).out, "");
    let json: Json = serde_json::from_str(&fs::read_to_string(folder.path().join("p.json")).unwrap()).unwrap();
    fs::write(folder.path().join("p.json"), json.to_string()).unwrap();
    run("compile p.trim --check p.json").exits_with(0);
}

#[test]
fn a_stale_file_is_reported_with_what_differs_and_the_command_that_renews_it() {
    let folder = folder(&[("p.trim", &policy(MASK))]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    run("compile p.trim --policy one -o p.json").exits_with(0);
    fs::write(folder.path().join("p.trim"), policy(&MASK.replace("60%", "70%"))).unwrap();
    let out = run("compile p.trim --policy one --check p.json").exits_with(1).out;
    let expected = "p.json is stale: p.trim compiles to another plan\n  \
                    rules[0].condition[\">=\"].share_of_window: \"0.6\" is now \"0.7\"\n\
                    renew it: trimtab compile p.trim --policy one -o p.json\n";
    assert_eq!(out, expected);
    run(out.lines().last().unwrap().strip_prefix("renew it: trimtab ").unwrap()).exits_with(0);
    run("compile p.trim --check p.json").exits_with(0);
}

#[test]
fn a_damaged_file_is_distinguished_from_a_stale_one() {
    let folder = folder(&[("p.trim", &policy(MASK))]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    run("compile p.trim -o p.json").exits_with(0);
    let path = folder.path().join("p.json");
    let text = fs::read_to_string(&path).unwrap();
    for (wrong, message) in [
        (text.replace("\"0.6\"", "\"0.5\""), "its content does not match its hash"),
        (text[..text.len() / 2].to_owned(), "it is not JSON"),
        (String::new(), "it is not JSON"),
    ] {
        fs::write(&path, &wrong).unwrap();
        let out = run("compile p.trim --check p.json").exits_with(1).out;
        assert!(out.starts_with(&format!("p.json is damaged: {message}")), "{out}");
        assert!(out.ends_with("renew it: trimtab compile p.trim -o p.json\n"), "{out}");
        assert_eq!(fs::read_to_string(&path).unwrap(), wrong, "a check writes nothing");
    }
    for other in [&policy(MASK), "notes", "{\"role\":\"user\",\"content\":\"Go.\"}\n{\"role\":\"assistant\"}\n"] {
        fs::write(&path, other).unwrap();
        let output = run("compile p.trim --check p.json").exits_with(2);
        assert!(output.err.contains("p.json is not a compiled plan") && output.out.is_empty(), "{output:?}");
    }
}

#[test]
fn a_policy_with_errors_leaves_the_compiled_file_alone() {
    let folder = folder(&[("p.trim", &policy("do maks results")), ("p.json", "old")]);
    for line in ["compile p.trim -o p.json", "compile p.trim --check p.json"] {
        let output = Run::line(line).current_dir(folder.path()).output().exits_with(1);
        assert!(output.err.contains("unknown effect `maks`") && output.out.is_empty(), "{output:?}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("p.json")).unwrap(), "old");
}

#[test]
fn what_cannot_be_read_or_written_exits_with_2() {
    let folder = folder(&[("p.trim", &policy(MASK))]);
    for line in [
        "compile missing.trim",
        "compile p.trim --check missing.json",
        "compile p.trim -o missing/p.json",
        "compile p.trim --policy other",
        "compile p.trim --check p.json -o p.json",
        "compile - --check -",
    ] {
        let output = Run::line(line).current_dir(folder.path()).output().exits_with(2);
        assert!(output.out.is_empty() && !output.err.is_empty(), "{line}: {output:?}");
    }
}

#[test]
fn a_profile_is_part_of_the_plan_and_of_the_command_that_renews_it() {
    let settings = "[profiles.wide]\nwindow = \"200k tokens\"\n";
    let folder = folder(&[("p.trim", &policy(MASK)), ("trimtab.toml", settings)]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    assert_eq!(run("compile p.trim --profile wide").exits_with(0).json()["agent"]["window"], 200_000);
    run("compile p.trim -o p.json").exits_with(0);
    let out = run("compile p.trim --profile wide --check p.json").exits_with(1).out;
    assert!(out.contains("agent.window: null is now 200000"), "{out}");
    assert!(out.ends_with("renew it: trimtab compile p.trim --profile wide -o p.json\n"), "{out}");
}

#[test]
fn simulate_replays_a_compiled_plan_as_the_policy() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json");
    Run::line("compile policies/coding_agent.trim -o").arg(&plan).output().exits_with(0);
    let run = |policy: &std::path::Path, rest: &str| {
        let line = Run::new(["simulate"]).arg(policy).arg("policies/coding_agent.jsonl");
        rest.split(' ').fold(line, Run::arg).output()
    };
    for rest in ["--width 100", "--explain 31", "--explain hand_over", "--format json"] {
        let expected = run(std::path::Path::new("policies/coding_agent.trim"), rest).exits_with(0).out;
        let out = run(&plan, rest).exits_with(0).out;
        assert_eq!(out.replace(&plan.display().to_string(), "policies/coding_agent.trim"), expected, "{rest}");
    }
    let output = run(&plan, "--policy other").exits_with(2);
    assert!(output.err.contains("is the policy `coding_agent`, not `other`"), "{}", output.err);
    fs::write(&plan, fs::read_to_string(&plan).unwrap().replace("\"mask\"", "\"maks\"")).unwrap();
    let output = run(&plan, "--quiet").exits_with(1);
    assert!(output.err.contains("rules[0].do[0].effect: unknown effect `maks`"), "{}", output.err);
}

#[test]
fn a_target_is_written_only_if_it_can_express_the_policy() {
    let exact = "on reply do trim results to 500 chars keep 4 results";
    let folder = folder(&[("exact.trim", &policy(exact)), ("lossy.trim", &policy(MASK))]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let output = run("compile exact.trim --target effects-yaml").exits_with(0);
    assert!(output.out.contains("- kind: trim_tool_results # only\n") && output.err.is_empty(), "{output:?}");
    let output = run("compile lossy.trim --target effects-yaml -o lossy.yaml").exits_with(1);
    assert!(output.out.is_empty() && !folder.path().join("lossy.yaml").exists(), "{output:?}");
    assert!(output.err.starts_with("effects-yaml cannot express rule `only`: the nearest kind, "), "{}", output.err);
    let output = run("compile lossy.trim --target effects-yaml --allow-lossy").exits_with(0);
    assert!(output.out.starts_with("# not written: rule `only`: "), "{output:?}");
    assert!(output.err.contains("rule `only`"), "{output:?}");
    for line in ["compile exact.trim --target nothing", "compile exact.trim --allow-lossy"] {
        run(line).exits_with(2);
    }
}

/// Losses are read by people, in the terms of policies.
#[test]
fn what_settings_cannot_say_is_told_in_the_terms_of_policies() {
    let targets = trimtab::system::SYSTEMS.iter().filter(|system| system.is_target).map(|system| system.name);
    for target in targets {
        let output = Run::line(&format!("compile policies/coding_agent.trim --target {target}")).output().exits_with(1);
        assert!(output.out.is_empty() && !output.err.is_empty(), "{output:?}");
        for line in output.err.lines() {
            assert!(line.starts_with(&format!("{target} cannot express ")), "{line}");
            let json = ["{\"", "\":", "[{", "null", "share_of_window"].into_iter().find(|part| line.contains(part));
            assert_eq!(json, None, "{line}");
        }
    }
    let err = Run::line("compile policies/coding_agent.trim --target codex").output().err;
    for sentence in [
        "rule `reflect`: no option of Codex does this, so it is left out",
        "its condition is `context.ratio >= 90%` instead of `context.ratio >= 80% and iteration > 0 iterations` (acts later)",
        "it has no `keep 8 messages` (keeps less)",
        "if no summary can be written, it does `stop` instead of `retry 1 keep`",
        "the absence of rule `tool_output`: Codex always does `trim arrivals over 40256 chars",
        "`overhead` of the `agent` block: Codex has no such option",
    ] {
        assert!(err.contains(sentence), "{sentence}\n{err}");
    }
}
