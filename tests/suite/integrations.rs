//! Pre-commit hooks, the GitHub action and the GitLab template: each has the required keys, and each command line in it
//! is accepted by the binary.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value as Json;

const HOOKS: &str = ".pre-commit-hooks.yaml";
const ACTION: &str = "action.yml";
const TEMPLATE: &str = "ci/gitlab.yml";

fn read(path: &str) -> Json {
    let text = fs::read_to_string(path).unwrap();
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All texts in a value.
fn texts<'a>(value: &'a Json, out: &mut Vec<&'a str>) {
    match value {
        Json::String(text) => out.push(text),
        Json::Array(items) => items.iter().for_each(|item| texts(item, out)),
        Json::Object(map) => map.values().for_each(|value| texts(value, out)),
        _ => {}
    }
}

/// The command lines of `trimtab`, up to shell syntax, with a path instead of each variable.
fn lines(path: &str) -> Vec<Vec<String>> {
    let value = read(path);
    let mut all = Vec::new();
    texts(&value, &mut all);
    let lines = all.into_iter().flat_map(str::lines).map(str::trim).filter(|line| line.starts_with("trimtab "));
    let words = |line: &str| {
        let words = line.split_whitespace().take_while(|word| !["||", "&&", ">", ">>", ";", "|"].contains(word));
        words.map(|word| if word.starts_with('$') { "policies".to_owned() } else { word.to_owned() }).collect()
    };
    lines.map(words).collect()
}

#[test]
fn every_command_line_in_the_documents_is_accepted() {
    let command = trimtab::cli::command();
    let mut checked = BTreeSet::new();
    for path in [HOOKS, ACTION, TEMPLATE] {
        let lines = lines(path);
        assert!(!lines.is_empty(), "{path} starts nothing");
        for mut line in lines {
            // The files are appended to the entry of a hook.
            line.extend((path == HOOKS).then(|| "policies/coding_agent.trim".to_owned()));
            let taken = command.clone().try_get_matches_from(&line);
            assert!(taken.is_ok(), "{path}: {}: {}", line.join(" "), taken.unwrap_err());
            checked.insert((path, line[1].clone()));
        }
        assert!(checked.iter().any(|(known, _)| *known == path), "no command line of {path} was checked");
    }
}

#[test]
fn hooks_have_the_keys_that_pre_commit_requires() {
    let hooks = read(HOOKS);
    let hooks = hooks.as_array().unwrap();
    let ids: Vec<&str> = hooks.iter().map(|hook| hook["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["trimtab-validate", "trimtab-lint", "trimtab-fmt", "trimtab-test"]);
    for hook in hooks {
        for key in ["name", "entry", "language", "files"] {
            assert!(hook[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {hook}");
        }
        assert_eq!(hook["language"], "rust");
    }
    assert!(fs::read_to_string("Cargo.toml").unwrap().contains("[[bin]]\nname = \"trimtab\""));
}

#[test]
fn the_github_action_has_the_required_keys() {
    let action = read(ACTION);
    assert!(action["name"].is_string() && action["description"].is_string());
    assert_eq!(action["runs"]["using"], "composite");
    for (name, input) in action["inputs"].as_object().unwrap() {
        assert!(input["description"].is_string() && input["default"].is_string(), "{name}");
    }
    let inputs: BTreeSet<&str> = action["inputs"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(inputs, BTreeSet::from(["command", "paths", "version", "sarif", "summary"]));
    for step in action["runs"]["steps"].as_array().unwrap() {
        assert_eq!(step["run"].is_string(), step["shell"].is_string(), "{step}");
        assert!(step["run"].is_string() != step["uses"].is_string(), "{step}");
        // An input in a script could inject code.
        assert!(!step["run"].as_str().unwrap_or_default().contains("${{"), "{step}");
    }
    let text = fs::read_to_string(ACTION).unwrap();
    for part in text.split("${{ inputs.").skip(1) {
        let name = part.split_once(" }}").unwrap().0;
        assert!(inputs.contains(name), "no input `{name}`");
    }
}

#[test]
fn the_scripts_of_the_action_are_valid_bash() {
    for step in read(ACTION)["runs"]["steps"].as_array().unwrap() {
        let Some(script) = step["run"].as_str() else { continue };
        let check = std::process::Command::new("bash").args(["-n", "-c", script]).output();
        // Skipped without bash.
        if let Ok(output) = check {
            assert!(output.status.success(), "{}: {}", step["name"], String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn the_gitlab_template_has_the_required_keys() {
    let template = read(TEMPLATE);
    let jobs = template.as_object().unwrap().iter().filter(|(name, _)| name.starts_with("trimtab:"));
    let mut count = 0;
    for (name, job) in jobs {
        assert!(!job["script"].as_array().unwrap().is_empty(), "{name}");
        let base = job["extends"].as_str().unwrap();
        assert!(template[base]["image"].is_string() && template[base]["stage"].is_string(), "{name}");
        count += 1;
    }
    assert_eq!(count, 4);
    let script = |job: &str| template[job]["script"][0].as_str().unwrap();
    for (job, kind) in [("trimtab:validate", "junit"), ("trimtab:lint", "codequality")] {
        let file = template[job]["artifacts"]["reports"][kind].as_str().unwrap();
        assert!(script(job).ends_with(&format!("-o {file}")), "{job}");
    }
}
