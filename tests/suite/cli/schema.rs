//! `trimtab schema`: the output of the binary obeys each schema.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use trimtab::report::SCHEMAS;
use trimtab::report::result::{
    ArmsResult, CalibrationResult, CodeStatistics, DifferenceResult, FindingsResult, HistoriesResult, ImportResult,
    InspectionResult, ProblemsResult, StatisticsResult, StoresResult, SuggestResult, SweepResult, TestsResult,
};

use super::{Run, policy};

fn schema(name: &str) -> jsonschema::Validator {
    let text = Run::new(["schema", name]).output().exits_with(0).json();
    jsonschema::draft202012::meta::validate(&text).expect("a schema");
    jsonschema::validator_for(&text).expect("a schema")
}

#[track_caller]
fn holds(schema: &jsonschema::Validator, json: &Json) {
    let wrong: Vec<String> = schema.iter_errors(json).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{json:#}");
}

/// The output obeys the schema, and is what the type of the library reads and writes.
#[track_caller]
fn is_result<T: DeserializeOwned + Serialize>(schema: &jsonschema::Validator, json: &Json) {
    holds(schema, json);
    let result: T = serde_json::from_value(json.clone()).expect("the result");
    assert_eq!(serde_json::to_string(&result).expect("JSON"), json.to_string());
}

#[test]
fn the_output_of_validate_obeys_the_schema() {
    let (whole, line) = (schema("findings"), schema("finding"));
    let out = Run::line("validate tests/check --format json").output().exits_with(1).json();
    assert!(out["diagnostics"].as_array().unwrap().len() > 50);
    is_result::<FindingsResult>(&whole, &out);
    holds(&whole, &Run::line("validate policies --format json").output().exits_with(0).json());
    let lines = Run::line("validate tests/check --format jsonl").output().exits_with(1).lines();
    assert!(lines.len() > 50);
    for one in &lines {
        holds(&line, one);
    }
}

#[test]
fn lint_statistics_obey_the_schema() {
    let schema = schema("statistics");
    let json = Run::line("lint docs --statistics --format json").output().exits_with(1).json();
    assert!(json["statistics"].as_array().unwrap().len() > 3);
    is_result::<CodeStatistics>(&schema, &json);
    holds(&schema, &Run::line("lint policies --statistics --format json").output().exits_with(0).json());
}

#[test]
fn the_output_of_diff_obeys_the_schema() {
    let schema = schema("diff");
    let pair = "docs/diff_before.trim docs/diff_after.trim";
    for line in [
        format!("diff {pair} --format json"),
        format!("diff {pair} --format json --on policies --window 96k"),
        "diff docs/diff_after.trim policies/coding_agent.trim --format json --on policies".to_owned(),
        "diff docs/diff_after.trim docs/diff_after.trim --format json --on policies".to_owned(),
    ] {
        let json = Run::line(&line).output().exits_with(0).json();
        is_result::<DifferenceResult>(&schema, &json);
        assert_eq!(json["same"], line.contains("after.trim docs"), "{line}");
    }
    let mut json = Run::line(&format!("diff {pair} --format json")).output().json();
    json["rules"][0]["fires"] = "often".into();
    assert!(!schema.is_valid(&json));
}

#[test]
fn the_output_of_ci_obeys_the_schema() {
    let schema = schema("ci");
    holds(&schema, &Run::line("ci --format json").output().exits_with(0).json());
    let found = Run::line("ci tests/check docs/mistakes.trim --format json").output().exits_with(1).json();
    assert!(!found["parts"][1]["troubles"].as_array().unwrap().is_empty());
    holds(&schema, &found);
}

#[test]
fn the_output_of_suggest_obeys_the_schema() {
    let schema = schema("suggest");
    for line in ["suggest policies", "suggest docs/incidents/long_errand.jsonl", "suggest docs --model gpt-5"] {
        is_result::<SuggestResult>(&schema, &Run::line(&format!("{line} --format json")).output().exits_with(0).json());
    }
    let mut json = Run::line("suggest policies --format json").output().json();
    json["suggestions"][0]["outcome"] = "good".into();
    assert!(!schema.is_valid(&json));
}

#[test]
fn the_output_of_import_obeys_the_schema() {
    let schema = schema("import");
    for file in ["opencode.json", "codex.toml", "hermes.yaml"] {
        let line = format!("import docs/settings/{file} --format json");
        is_result::<ImportResult>(&schema, &Run::line(&line).output().exits_with(0).json());
    }
    let mut json = Run::line("import docs/settings/opencode.json --format json").output().json();
    json["options"][0]["fidelity"] = "good".into();
    assert!(!schema.is_valid(&json));
}

#[test]
fn the_output_of_simulate_obeys_the_schema() {
    let schema = schema("simulate");
    let runs = "simulate policies/coding_agent.trim policies docs/incidents --format json --assert";
    let json = Run::line(runs).arg("peak context.ratio <= 99%").output().json();
    assert!(json["transcripts"].as_array().unwrap().len() > 4);
    holds(&schema, &json);
    let bad = super::folder(&[("bad.jsonl", "no recording\n")]);
    let json =
        Run::line("simulate policies/stuck_agent.trim --format json").arg(bad.path()).output().exits_with(2).json();
    holds(&schema, &json);
    let policies = "--policies policies/coding_agent.trim policies/stuck_agent.trim";
    let json = Run::line(&format!("simulate {policies} --format json -- policies")).output().exits_with(0).json();
    holds(&schema, &json);
    let mut other = json.clone();
    other["policies"][0]["transcripts"][0].as_object_mut().unwrap().remove("tokens_saved");
    assert!(!schema.is_valid(&other));
    let mut other = json;
    other["policies"][0]["total"]["calls"] = "many".into();
    assert!(!schema.is_valid(&other));
}

#[test]
fn the_output_of_sweep_obeys_the_schema() {
    let schema = schema("sweep");
    let line =
        "sweep docs/tuning/tidy.trim docs/tuning/sessions tests/check --vary high=40%,60% --format json --subject-to";
    let json = Run::line(line).arg("peak context.ratio <= 99%").output().exits_with(0).json();
    assert!(!json["leads"].as_array().unwrap().is_empty());
    is_result::<SweepResult>(&schema, &json);
    let mut other = json;
    other["combinations"][1]["tuning"]["means"].as_object_mut().unwrap().remove("cost");
    assert!(!schema.is_valid(&other));
}

#[test]
fn the_output_of_calibrate_obeys_the_schema() {
    let schema = schema("calibrate");
    let json = Run::line("calibrate policies tests/transcript --format json").output().exits_with(0).json();
    is_result::<CalibrationResult>(&schema, &json);
    let mut other = json;
    other["total"]["measures"].as_object_mut().unwrap().remove("growth");
    assert!(!schema.is_valid(&other));
}

#[test]
fn the_output_of_compare_arms_obeys_the_schema() {
    let schema = schema("compare-arms");
    let json = Run::line("compare-arms docs/experiments/runs --format json").output().exits_with(0).json();
    is_result::<ArmsResult>(&schema, &json);
    let mut other = json;
    other["measures"][0]["result"] = "better".into();
    assert!(!schema.is_valid(&other));
}

#[test]
fn the_output_of_transcript_stat_obeys_the_schema() {
    let schema = schema("transcript-stat");
    for more in ["", "--by-format", "--by day", "--breaks"] {
        let line = format!("transcript stat policies tests/transcript docs/mistakes.trim --format json {more}");
        let json = Run::line(&line).output().exits_with(0).json();
        is_result::<StatisticsResult>(&schema, &json);
        let mut other = json;
        other["errors"][0].as_object_mut().unwrap().remove("message");
        assert!(!schema.is_valid(&other));
    }
}

#[test]
fn the_output_of_transcript_show_obeys_the_schema() {
    let schema = schema("transcript-show");
    for more in ["", "--call 3", "--call 45", "--tools", "--largest"] {
        let line = format!("transcript show policies/coding_agent.jsonl tests/transcript --format json {more}");
        let mut json = Run::line(&line).output().exits_with(0).json();
        is_result::<HistoriesResult>(&schema, &json);
        json["transcripts"][0].as_object_mut().unwrap().remove("window");
        assert!(!schema.is_valid(&json));
    }
}

#[test]
fn the_output_of_transcript_validate_and_find_obeys_the_schema() {
    let json = Run::line("transcript validate tests/transcript --format json").output().exits_with(1).json();
    let mut other = json.clone();
    is_result::<ProblemsResult>(&schema("transcript-validate"), &json);
    other["problems"][0]["problem"] = "ugly".into();
    assert!(!schema("transcript-validate").is_valid(&other));
    let home = super::folder(&[(".codex/sessions/2026/11/02/rollout-1.jsonl", "{}")]);
    let find = Run::line("transcript find --format json").home(home.path()).output().exits_with(0).json();
    is_result::<StoresResult>(&schema("transcript-find"), &find);
}

#[test]
fn the_output_of_test_obeys_the_schema() {
    let schema = schema("test");
    let json = Run::line("test policies examples --coverage --format json").output().exits_with(0).json();
    is_result::<TestsResult>(&schema, &json);
    let json = Run::line("test tests/test --format json").output().exits_with(1).json();
    assert!(json["tests"].as_array().unwrap().iter().any(|test| test["failures"][0]["explanation"][0].is_object()));
    is_result::<TestsResult>(&schema, &json);
    let mut other = json;
    other["tests"][0]["status"] = "ignored".into();
    assert!(!schema.is_valid(&other));
}

#[test]
fn the_output_of_inspect_obeys_the_schema() {
    let schema = schema("inspect");
    let mut checked = 0;
    for folder in ["policies", "examples"] {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.extension().is_some_and(|end| end == "trim" || end == "yaml") {
                let output = Run::new(["inspect", "--format", "json"]).arg(&entry).output();
                if output.code == 0 {
                    checked += 1;
                    is_result::<InspectionResult>(&schema, &output.json());
                }
            }
        }
    }
    assert!(checked > 8, "{checked}");
    let json =
        Run::line("inspect policies/coding_agent.trim --profile wide --format json").output().exits_with(0).json();
    holds(&schema, &json);
    let mut other = json;
    other["rules"][0].as_object_mut().unwrap().remove("sealed");
    assert!(!schema.is_valid(&other));
}

#[test]
fn the_output_of_compile_obeys_the_schema() {
    let schema = schema("plan");
    let (mut checked, mut last) = (0, Json::Null);
    for folder in ["policies", "examples", "docs", "docs/incidents", "tests/check", "tests/compose"] {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.extension().is_some_and(|end| end == "trim" || end == "yaml") {
                let output = Run::new(["compile", "--isolated"]).arg(&entry).output();
                if output.code == 0 {
                    (checked, last) = (checked + 1, output.json());
                    holds(&schema, &last);
                }
            }
        }
    }
    assert!(checked > 20, "{checked}");
    let mut other = last.clone();
    other["rules"][0]["do"][0]["effect"] = "maks".into();
    assert!(!schema.is_valid(&other));
    other = last;
    other["rules"][0].as_object_mut().unwrap().remove("phase");
    assert!(!schema.is_valid(&other));
}

/// Settings as JSON.
fn settings(text: &str) -> Json {
    let text = text.trim_start_matches('\u{feff}');
    toml_json(toml::de::DeTable::parse(text).expect("TOML").get_ref())
}

fn toml_json(table: &toml::de::DeTable<'_>) -> Json {
    let entries = table.iter().map(|(key, one)| (key.get_ref().to_string(), value_json(one.get_ref())));
    Json::Object(entries.collect())
}

fn value_json(value: &toml::de::DeValue<'_>) -> Json {
    use toml::de::DeValue;
    match value {
        DeValue::Table(table) => toml_json(table),
        DeValue::Array(items) => items.iter().map(|item| value_json(item.get_ref())).collect(),
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(number) => number.as_str().parse::<i64>().expect("a number").into(),
        DeValue::Boolean(flag) => (*flag).into(),
        _ => Json::Null,
    }
}

#[test]
fn settings_obey_the_schema_exactly_if_they_are_valid() {
    let schema = schema("settings");
    holds(&schema, &settings(&std::fs::read_to_string("trimtab.toml").unwrap()));
    let page = std::fs::read_to_string("docs/settings.md").unwrap();
    let block = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    holds(&schema, &settings(block));
    let codes = trimtab::report::codes().filter(|code| code.id.starts_with("E7") && code.right.contains('='));
    for code in codes {
        holds(&schema, &settings(code.right));
    }
    for wrong in [
        "lints = 3",
        "[profiles.x]\nwindw = \"1k tokens\"",
        "[ci]\nfail_level = \"fatal\"",
        "[[simulate]]\npolicy = \"a\"",
        "[lint.settings.suspicious-share]\nnothing = 3",
    ] {
        assert!(!schema.is_valid(&settings(wrong)), "{wrong}");
    }
}

#[test]
fn a_schema_rejects_undocumented_output() {
    let whole = schema("findings");
    let input = policy("when contxt.ratio > 80% do notify \"x\"");
    let json = Run::new(["validate", "-", "--format", "json"]).input(input).output().json();
    let mut other = json.clone();
    other["diagnostics"][0]["severity"] = "fatal".into();
    assert!(!whole.is_valid(&other));
    other = json.clone();
    other["diagnostics"][0]["extra"] = 1.into();
    assert!(whole.is_valid(&other), "keys may be added");
    other = json;
    other["summary"].as_object_mut().unwrap().remove("files");
    assert!(!whole.is_valid(&other));
}

#[test]
fn every_schema_is_printed_and_no_other() {
    for one in SCHEMAS {
        schema(one.name);
    }
    Run::line("schema nothing").output().exits_with(2);
}

/// The SARIF schema cannot be redistributed: the repository of its committee has no
/// licence for it. `TRIMTAB_SARIF_SCHEMA=FILE` names a copy; without it, only the tests in `formats` check the output.
#[test]
fn sarif_obeys_the_schema_of_the_standard() {
    let Some(path) = std::env::var_os("TRIMTAB_SARIF_SCHEMA") else {
        println!("\n*** SKIPPED: set TRIMTAB_SARIF_SCHEMA to the file sarif-schema-2.1.0.json of the standard ***\n");
        return;
    };
    let text: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let standard = jsonschema::validator_for(&text).expect("a schema");
    for paths in ["tests/check", "policies", "docs/mistakes.trim"] {
        let run = Run::new(["validate", paths, "--format", "sarif"]).output();
        holds(&standard, &run.json());
    }
}
