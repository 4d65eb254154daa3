//! `trimtab schema`: each schema holds of what the binary prints.

use serde_json::Value as Json;
use trimtab::report::SCHEMAS;

use super::{Run, policy};

fn schema(name: &str) -> jsonschema::Validator {
    let text = Run::new(["schema", name]).done().ends(0).json();
    jsonschema::draft202012::meta::validate(&text).expect("a schema");
    jsonschema::validator_for(&text).expect("a schema")
}

#[track_caller]
fn holds(schema: &jsonschema::Validator, json: &Json) {
    let wrong: Vec<String> = schema.iter_errors(json).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{json:#}");
}

#[test]
fn what_validate_prints_obeys_the_schema() {
    let (whole, line) = (schema("findings"), schema("finding"));
    let out = Run::line("validate tests/check --format json").done().ends(1).json();
    assert!(out["diagnostics"].as_array().unwrap().len() > 50);
    holds(&whole, &out);
    holds(&whole, &Run::line("validate policies --format json").done().ends(0).json());
    let lines = Run::line("validate tests/check --format jsonl").done().ends(1).lines();
    assert!(lines.len() > 50);
    for one in &lines {
        holds(&line, one);
    }
}

#[test]
fn what_lint_counts_obeys_the_schema() {
    let schema = schema("statistics");
    let json = Run::line("lint docs --statistics --format json").done().ends(1).json();
    assert!(json["statistics"].as_array().unwrap().len() > 3);
    holds(&schema, &json);
    holds(&schema, &Run::line("lint policies --statistics --format json").done().ends(0).json());
}

#[test]
fn what_diff_prints_obeys_the_schema() {
    let schema = schema("diff");
    let pair = "docs/diff_before.trim docs/diff_after.trim";
    for line in [
        format!("diff {pair} --format json"),
        format!("diff {pair} --format json --on policies --window 96k"),
        "diff docs/diff_after.trim policies/coding_agent.trim --format json --on policies".to_owned(),
        "diff docs/diff_after.trim docs/diff_after.trim --format json --on policies".to_owned(),
    ] {
        let json = Run::line(&line).done().ends(0).json();
        holds(&schema, &json);
        assert_eq!(json["same"], line.contains("after.trim docs"), "{line}");
    }
    let mut json = Run::line(&format!("diff {pair} --format json")).done().json();
    json["rules"][0]["fires"] = "often".into();
    assert!(!schema.is_valid(&json));
}

#[test]
fn what_ci_prints_obeys_the_schema() {
    let schema = schema("ci");
    holds(&schema, &Run::line("ci --format json").done().ends(0).json());
    let found = Run::line("ci tests/check docs/mistakes.trim --format json").done().ends(1).json();
    assert!(!found["parts"][1]["troubles"].as_array().unwrap().is_empty());
    holds(&schema, &found);
}

#[test]
fn a_schema_refuses_what_is_not_promised() {
    let whole = schema("findings");
    let input = policy("when contxt.ratio > 80% do notify \"x\"");
    let json = Run::new(["validate", "-", "--format", "json"]).input(input).done().json();
    let mut other = json.clone();
    other["diagnostics"][0]["severity"] = "fatal".into();
    assert!(!whole.is_valid(&other));
    other = json.clone();
    other["diagnostics"][0]["extra"] = 1.into();
    assert!(!whole.is_valid(&other));
    other = json;
    other["summary"].as_object_mut().unwrap().remove("files");
    assert!(!whole.is_valid(&other));
}

#[test]
fn every_schema_is_printed_and_no_other() {
    for one in SCHEMAS {
        schema(one.name);
    }
    Run::line("schema nothing").done().ends(2);
}

/// The schema of SARIF is not ours to pass on: it lies in the repository of the committee that wrote it, without a
/// licence to copy it. `TRIMTAB_SARIF_SCHEMA=FILE` names a copy; without one the form is held by the tests of `forms`.
#[test]
fn sarif_obeys_the_schema_of_the_standard() {
    let Some(path) = std::env::var_os("TRIMTAB_SARIF_SCHEMA") else {
        println!("\n*** SKIPPED: set TRIMTAB_SARIF_SCHEMA to the file sarif-schema-2.1.0.json of the standard ***\n");
        return;
    };
    let text: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let standard = jsonschema::validator_for(&text).expect("a schema");
    for paths in ["tests/check", "policies", "docs/mistakes.trim"] {
        let run = Run::new(["validate", paths, "--format", "sarif"]).done();
        holds(&standard, &run.json());
    }
}
