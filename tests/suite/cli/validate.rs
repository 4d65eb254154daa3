//! `trimtab validate`.

use super::{Run, folder, policy, shape};

const BAD: &str = "edition 2026\npolicy p {\n  rule a { when contxt.ratio >= 80% do notify \"x\" }\n}\n";

#[test]
fn a_clean_policy_ends_with_0() {
    let done = Run::line("validate policies/coding_agent.trim").done().ends(0);
    assert_eq!(done.out, "1 file checked, no problems found\n");
    assert_eq!(done.err, "");
}

#[test]
fn findings_end_with_1_and_stand_on_standard_output() {
    let done = Run::line("validate tests/check/five_mistakes.trim --format concise").done().ends(1);
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(lines.len(), 5);
    for (line, number) in lines.iter().zip(4..) {
        assert!(line.starts_with(&format!("tests/check/five_mistakes.trim:{number}:")), "{line}");
        assert!(line.contains(": error[E"), "{line}");
    }
    assert_eq!(done.err, "");
}

#[test]
fn plain_output_holds_no_boxes_and_no_colour() {
    let out = Run::line("validate tests/check/five_mistakes.trim --format plain").done().ends(1).out;
    assert!(!out.contains(['│', '╭', '─', '\u{1b}']), "{out}");
    assert!(out.contains("E201"), "{out}");
}

#[test]
fn a_missing_file_ends_with_2() {
    let done = Run::line("validate no_such.trim").done().ends(2);
    assert!(done.err.contains("no_such.trim"), "{}", done.err);
    assert_eq!(done.out, "");
}

#[test]
fn a_folder_without_policies_ends_with_2_unless_that_is_allowed() {
    let folder = folder(&[("readme.txt", "nothing")]);
    Run::new(["validate"]).arg(folder.path()).done().ends(2);
    Run::new(["validate", "--allow-empty"]).arg(folder.path()).done().ends(0);
}

#[test]
fn folders_and_globs_stand_for_their_policies() {
    let good = policy("do notify \"x\"");
    let folder = folder(&[("a.trim", &good), ("sub/b.trim", BAD), ("sub/c.yaml", "other: file\n")]);
    let done = Run::new(["validate", "--format", "json"]).arg(folder.path()).done().ends(1);
    assert_eq!(done.json()["summary"]["files"], 2);
    let done = Run::new(["validate", "--format", "json"]).arg(folder.path().join("*.trim")).done().ends(0);
    assert_eq!(done.json()["summary"]["files"], 1);
    Run::new(["validate"]).arg(folder.path().join("*.nothing")).done().ends(2);
}

#[test]
fn a_file_that_is_no_text_ends_with_2_and_the_others_are_checked() {
    let folder = folder(&[("a.trim", BAD)]);
    std::fs::write(folder.path().join("b.trim"), [0xff, 0xfe, 0x00]).unwrap();
    let done = Run::new(["validate", "--format", "concise"]).arg(folder.path()).done().ends(2);
    assert!(done.out.contains("a.trim:3:"), "{}", done.out);
    assert!(done.err.contains("b.trim") && done.err.contains("UTF-8"), "{}", done.err);
}

#[test]
fn standard_input_is_yaml_when_its_name_says_so() {
    let yaml = "effects:\n  - kind: compcat\n";
    let run = |name| Run::new(["validate", "-", "--format", "concise", "--stdin-filename", name]).input(yaml).done();
    let done = run("x.yaml").ends(1);
    assert!(done.out.starts_with("x.yaml:2:"), "{}", done.out);
    assert!(done.out.contains("E608"), "{}", done.out);
    let done = run("x.trim").ends(1);
    assert!(done.out.contains("x.trim:1:1: error[E1"), "{}", done.out);
    let done = Run::new(["validate", "-", "--format", "concise"]).input(BAD).done().ends(1);
    assert!(done.out.starts_with("<stdin>:3:"), "{}", done.out);
}

#[test]
fn the_json_form_holds_what_is_promised() {
    let done = Run::new(["validate", "-", "--format", "json"]).input(BAD).done().ends(1);
    let json = done.json();
    let span = "{line: int, column: int, end_line: int, end_column: int, start: int, end: int}";
    let edits = "[{file: text, start: int, end: int, text: text}]";
    let diagnostic = format!(
        "{{code: text, severity: text, message: text, file: text, span: {span}, labels: [{{message: text, file: \
         text, span: {span}}}], notes: [], help: text, fixes: [{{title: text, safe: bool, edits: {edits}}}]}}"
    );
    let summary = "{files: int, errors: int, warnings: int, infos: int}";
    let all = format!("diagnostics: [{diagnostic}], suppressed: [], summary: {summary}, errors: []");
    assert_eq!(shape(&json), format!("{{schema_version: int, {all}}}"));
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["diagnostics"][0]["severity"], "error");
}

#[test]
fn spans_count_lines_and_columns_from_1_in_characters_and_bytes_from_0() {
    let text = "polcy p { }\n";
    let first = Run::new(["validate", "-", "--format", "json"]).input(text).done().json();
    let span = &first["diagnostics"].as_array().unwrap().iter().find(|one| one["code"] == "E101").unwrap()["span"];
    assert_eq!((&span["line"], &span["column"], &span["start"]), (&1.into(), &1.into(), &0.into()));
    let text = "edition 2026\npolicy p { rule a { do notify \"üü {nothing}\" } }\n";
    let json = Run::new(["validate", "-", "--format", "json"]).input(text).done().ends(1).json();
    let span = &json["diagnostics"][0]["span"];
    let (start, end) = (span["start"].as_u64().unwrap(), span["end"].as_u64().unwrap());
    let (start, end) = (usize::try_from(start).unwrap(), usize::try_from(end).unwrap());
    assert!(text[start..end].contains("nothing"), "{span}");
    let line = text.lines().nth(1).unwrap();
    let column = line[..start - "edition 2026\n".len()].chars().count() + 1;
    assert_eq!((&span["line"], &span["column"]), (&2.into(), &column.into()));
}

#[test]
fn quiet_prints_findings_and_nothing_beside_them() {
    let done = Run::line("validate tests/check/five_mistakes.trim --quiet").done().ends(1);
    assert!(done.out.contains("error[E301]") && !done.out.contains("1 file checked"), "{}", done.out);
    let done = Run::line("validate policies --quiet").done().ends(0);
    assert_eq!((done.out.as_str(), done.err.as_str()), ("", ""));
}

#[test]
fn the_result_goes_to_the_file_that_is_named() {
    let folder = folder(&[]);
    let path = folder.path().join("out.json");
    let done = Run::line("validate policies --format json -o").arg(&path).done().ends(0);
    assert_eq!(done.out, "");
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(json["summary"]["errors"], 0);
    Run::line("validate policies -o").arg(folder.path().join("no/such/place")).done().ends(2);
}

#[test]
fn a_glob_may_begin_with_the_folder_it_is_in() {
    Run::line("validate ./policies/*.trim").done().ends(0);
}

/// Even the mighty cannot look into a folder whose path is too long.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_looked_into_is_told_of() {
    let good = policy("do notify \"x\" once");
    let folder = folder(&[("good.trim", &good)]);
    let name = "n".repeat(250);
    let deep =
        format!("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do mkdir {name} && cd -P {name} || exit 1; done");
    let made = std::process::Command::new("sh").args(["-c", &deep]).current_dir(folder.path()).status().unwrap();
    assert!(made.success());
    for verb in
        ["validate", "lint --isolated", "fmt --check", "ci --isolated", "test --allow-empty", "validate **/*.trim"]
    {
        let done = Run::line(&if verb.contains('*') { verb.to_owned() } else { format!("{verb} .") });
        let done = done.at(folder.path()).done().ends(2);
        assert!((done.err + &done.out).contains(&format!("{name}:")), "{verb}");
    }
    // What lies elsewhere is another matter.
    Run::line("validate *.trim").at(folder.path()).done().ends(0);
}
