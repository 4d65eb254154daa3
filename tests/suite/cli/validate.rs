//! `trimtab validate`.

use trimtab::report::result::FindingsResult;

use super::{Run, folder, policy};

const BAD: &str = "edition 2026\npolicy p {\n  rule a { when contxt.ratio >= 80% do notify \"x\" }\n}\n";

#[test]
fn a_policy_without_problems_exits_with_0() {
    let output = Run::line("validate policies/coding_agent.trim").output().exits_with(0);
    assert_eq!(output.out, "1 file checked, no problems found\n");
    assert_eq!(output.err, "");
}

#[test]
fn findings_exit_with_1_and_go_to_standard_output() {
    let output = Run::line("validate tests/check/five_mistakes.trim --format concise").output().exits_with(1);
    let lines: Vec<&str> = output.out.lines().collect();
    assert_eq!(lines.len(), 5);
    for (line, number) in lines.iter().zip(4..) {
        assert!(line.starts_with(&format!("tests/check/five_mistakes.trim:{number}:")), "{line}");
        assert!(line.contains(": error[E"), "{line}");
    }
    assert_eq!(output.err, "");
}

#[test]
fn plain_output_has_no_box_drawing_and_no_colour() {
    let out = Run::line("validate tests/check/five_mistakes.trim --format plain").output().exits_with(1).out;
    assert!(!out.contains(['│', '╭', '─', '\u{1b}']), "{out}");
    assert!(out.contains("E201"), "{out}");
}

#[test]
fn a_missing_file_exits_with_2() {
    let output = Run::line("validate no_such.trim").output().exits_with(2);
    assert!(output.err.contains("no_such.trim"), "{}", output.err);
    assert_eq!(output.out, "");
}

#[test]
fn a_folder_without_policies_exits_with_2_unless_allowed() {
    let folder = folder(&[("readme.txt", "nothing")]);
    Run::new(["validate"]).arg(folder.path()).output().exits_with(2);
    Run::new(["validate", "--allow-empty"]).arg(folder.path()).output().exits_with(0);
}

#[test]
fn folders_and_globs_expand_to_their_policies() {
    let good = policy("do notify \"x\"");
    let folder = folder(&[("a.trim", &good), ("sub/b.trim", BAD), ("sub/c.yaml", "other: file\n")]);
    let output = Run::new(["validate", "--format", "json"]).arg(folder.path()).output().exits_with(1);
    assert_eq!(output.json()["summary"]["files"], 2);
    let output = Run::new(["validate", "--format", "json"]).arg(folder.path().join("*.trim")).output().exits_with(0);
    assert_eq!(output.json()["summary"]["files"], 1);
    Run::new(["validate"]).arg(folder.path().join("*.nothing")).output().exits_with(2);
}

#[test]
fn a_binary_file_exits_with_2_and_the_others_are_checked() {
    let folder = folder(&[("a.trim", BAD)]);
    std::fs::write(folder.path().join("b.trim"), [0xff, 0xfe, 0x00]).unwrap();
    let output = Run::new(["validate", "--format", "concise"]).arg(folder.path()).output().exits_with(2);
    assert!(output.out.contains("a.trim:3:"), "{}", output.out);
    assert!(output.err.contains("b.trim") && output.err.contains("UTF-8"), "{}", output.err);
}

#[test]
fn standard_input_is_yaml_when_its_name_says_so() {
    let yaml = "effects:\n  - kind: compcat\n";
    let run = |name| Run::new(["validate", "-", "--format", "concise", "--stdin-filename", name]).input(yaml).output();
    let output = run("x.yaml").exits_with(1);
    assert!(output.out.starts_with("x.yaml:2:"), "{}", output.out);
    assert!(output.out.contains("E608"), "{}", output.out);
    let output = run("x.trim").exits_with(1);
    assert!(output.out.contains("x.trim:1:1: error[E1"), "{}", output.out);
    let output = Run::new(["validate", "-", "--format", "concise"]).input(BAD).output().exits_with(1);
    assert!(output.out.starts_with("<stdin>:3:"), "{}", output.out);
}

#[test]
fn the_json_output_is_the_result_of_the_library() {
    let json = Run::new(["validate", "-", "--format", "json"]).input(BAD).output().exits_with(1).json();
    let result: FindingsResult = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(result.diagnostics[0].fixes[0].edits[0].text, "context.ratio");
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schema_version", "diagnostics", "suppressed", "summary", "errors"]);
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["diagnostics"][0]["severity"], "error");
}

#[test]
fn spans_count_lines_and_columns_from_1_in_characters_and_bytes_from_0() {
    let text = "polcy p { }\n";
    let first = Run::new(["validate", "-", "--format", "json"]).input(text).output().json();
    let span =
        &first["diagnostics"].as_array().unwrap().iter().find(|finding| finding["code"] == "E101").unwrap()["span"];
    assert_eq!((&span["line"], &span["column"], &span["start"]), (&1.into(), &1.into(), &0.into()));
    let text = "edition 2026\npolicy p { rule a { do notify \"üü {nothing}\" } }\n";
    let json = Run::new(["validate", "-", "--format", "json"]).input(text).output().exits_with(1).json();
    let span = &json["diagnostics"][0]["span"];
    let (start, end) = (span["start"].as_u64().unwrap(), span["end"].as_u64().unwrap());
    let (start, end) = (usize::try_from(start).unwrap(), usize::try_from(end).unwrap());
    assert!(text[start..end].contains("nothing"), "{span}");
    let line = text.lines().nth(1).unwrap();
    let column = line[..start - "edition 2026\n".len()].chars().count() + 1;
    assert_eq!((&span["line"], &span["column"]), (&2.into(), &column.into()));
}

#[test]
fn quiet_prints_only_findings() {
    let output = Run::line("validate tests/check/five_mistakes.trim --quiet").output().exits_with(1);
    assert!(output.out.contains("error[E301]") && !output.out.contains("1 file checked"), "{}", output.out);
    let output = Run::line("validate policies --quiet").output().exits_with(0);
    assert_eq!((output.out.as_str(), output.err.as_str()), ("", ""));
}

#[test]
fn the_result_goes_to_the_output_file() {
    let folder = folder(&[]);
    let path = folder.path().join("out.json");
    let output = Run::line("validate policies --format json -o").arg(&path).output().exits_with(0);
    assert_eq!(output.out, "");
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(json["summary"]["errors"], 0);
    Run::line("validate policies -o").arg(folder.path().join("no/such/place")).output().exits_with(2);
}

#[test]
fn a_glob_may_begin_with_the_current_folder() {
    Run::line("validate ./policies/*.trim").output().exits_with(0);
}

/// A folder whose path is too long cannot be read even by root.
#[cfg(unix)]
#[test]
fn an_unreadable_folder_is_reported() {
    let good = policy("do notify \"x\" once");
    let folder = folder(&[("good.trim", &good)]);
    let name = "n".repeat(250);
    let deep =
        format!("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do mkdir {name} && cd -P {name} || exit 1; done");
    let generated = std::process::Command::new("sh").args(["-c", &deep]).current_dir(folder.path()).status().unwrap();
    assert!(generated.success());
    for verb in
        ["validate", "lint --isolated", "fmt --check", "ci --isolated", "test --allow-empty", "validate **/*.trim"]
    {
        let output = Run::line(&if verb.contains('*') { verb.to_owned() } else { format!("{verb} .") });
        let output = output.current_dir(folder.path()).output().exits_with(2);
        assert!((output.err + &output.out).contains(&format!("{name}:")), "{verb}");
    }
    // Other folders are still errors.
    Run::line("validate *.trim").current_dir(folder.path()).output().exits_with(0);
}
