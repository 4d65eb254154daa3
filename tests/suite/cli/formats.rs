//! Output formats: the formats of findings in detail, and properties of all formats.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use trimtab::lint::LINTS;
use trimtab::report::{
    CI_FORMATS, COMPARISON_FORMATS, FINDING_FORMATS, LISTING_FORMATS, REPLAY_FORMATS, TEST_FORMATS, codes,
};

use super::{Output, Run, folder};

const BAD: &str = "edition 2026\npolicy p {\n  rule a { when contxt.ratio >= 80% do notify \"a|b\" }\n}\n";

/// A run over a policy with one error, with this file name.
fn run(name: &str, format: &str) -> Output {
    let folder = folder(&[(name, BAD)]);
    Run::new(["validate", "--format", format]).arg(".").current_dir(folder.path()).output()
}

#[test]
fn every_format_is_listed_in_the_help_and_exits_with_1_on_findings() {
    let help = Run::line("validate --help").output().exits_with(0).out;
    for format in FINDING_FORMATS {
        assert!(help.contains(&format!("- {}:", format.name)), "{}", format.name);
        let output = run("a.trim", format.name).exits_with(1);
        assert!(output.out.contains("contxt.ratio"), "{}: {}", format.name, output.out);
        assert_eq!(output.err, "", "{}", format.name);
        assert!(format.name == "human" || !output.out.contains('\u{1b}'));
    }
}

#[test]
fn every_format_without_findings_exits_with_0() {
    for format in FINDING_FORMATS {
        let output = Run::new(["validate", "policies", "--format", format.name]).output().exits_with(0);
        let lines = matches!(format.name, "concise" | "jsonl" | "github");
        assert_eq!(output.out.is_empty(), lines, "{}: {}", format.name, output.out);
    }
}

#[test]
fn concise_prints_one_line_per_finding() {
    assert_eq!(run("a.trim", "concise").out, "a.trim:3:17: error[E201] unknown fact or value `contxt.ratio`\n");
}

#[test]
fn plain_writes_out_location_and_edit() {
    let out = run("a.trim", "plain").out;
    assert!(out.contains("line 3, column 17"), "{out}");
    assert!(out.contains("replace `contxt.ratio` by `context.ratio`"), "{out}");
    assert!(out.is_ascii() && !out.contains(['^', '─']) && !out.contains("--"), "{out}");
}

#[test]
fn jsonl_has_the_diagnostics_of_json() {
    let lines: Vec<Json> = Run::line("validate tests/check --format jsonl").output().exits_with(1).lines();
    let whole = Run::line("validate tests/check --format json").output().exits_with(1).json();
    assert_eq!(Json::Array(lines), whole["diagnostics"]);
}

#[test]
fn github_annotations_have_the_right_lines_and_columns() {
    let out = run("a.trim", "github").out;
    let head = "::error title=E201 unknown fact or value,file=a.trim,line=3,col=17,endLine=3,endColumn=29::";
    assert!(out.starts_with(head), "{out}");
    assert!(out.ends_with("`contxt.ratio`%0Ahelp: did you mean `context.ratio`?\n"), "{out}");
    let warned = Run::new(["validate", "-", "--format", "github"]).input("policy p { rule a { do notify \"x\" } }\n");
    assert!(warned.output().exits_with(0).out.starts_with("::warning title=E501 "));
    let odd = run("a,b:c%.trim", "github").out;
    assert!(odd.contains(",file=a%2Cb%3Ac%25.trim,"), "{odd}");
}

#[test]
fn github_is_the_default_in_a_workflow() {
    let inside = |line: &str| Run::line(line).env("GITHUB_ACTIONS", "true").output().exits_with(1);
    let output = inside("validate docs/mistakes.trim");
    assert!(output.out.starts_with("::error "), "{}", output.out);
    assert!(output.err.contains("GITHUB_ACTIONS") && output.err.contains("--format"), "{}", output.err);
    let output = inside("validate docs/mistakes.trim --format concise");
    assert!(output.out.starts_with("docs/mistakes.trim:") && output.err.is_empty(), "{}", output.out);
}

#[test]
fn gitlab_fingerprints_are_unique() {
    let output = Run::line("validate tests/check --format gitlab").output().exits_with(1);
    let Json::Array(issues) = output.json() else { panic!("a list") };
    let prints: BTreeSet<&str> = issues.iter().map(|issue| issue["fingerprint"].as_str().unwrap()).collect();
    assert_eq!(prints.len(), issues.len());
    assert!(issues.len() > 50);
    for issue in &issues {
        assert!(["major", "minor", "info"].contains(&issue["severity"].as_str().unwrap()), "{issue}");
        assert!(issue["location"]["lines"]["begin"].as_u64().unwrap() > 0, "{issue}");
        assert!(issue["description"].is_string() && issue["check_name"].is_string(), "{issue}");
    }
}

#[test]
fn junit_has_one_test_case_per_file_with_one_failure_at_most() {
    let folder = folder(&[("good.trim", &super::policy("do notify \"x\"")), ("a<&>.trim", BAD)]);
    std::fs::write(folder.path().join("latin.trim"), [0xe4]).unwrap();
    let out = Run::line("validate . --format junit").current_dir(folder.path()).output().exits_with(2).out;
    assert!(out.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "), "{out}");
    assert!(out.contains("tests=\"3\" skipped=\"0\" failures=\"1\" errors=\"1\""), "{out}");
    assert!(out.contains("<testcase name=\"good.trim\" classname=\"trimtab\"/>"), "{out}");
    assert!(out.contains("<testcase name=\"a&lt;&amp;&gt;.trim\""), "{out}");
    assert_eq!(out.matches("<failure ").count(), 1);
    let two = Run::line("validate docs/mistakes.trim --format junit").output().exits_with(1).out;
    assert!(
        two.contains("tests=\"1\" skipped=\"0\" failures=\"1\"") && two.contains("message=\"3 findings\""),
        "{two}"
    );
    assert_eq!((two.matches("<failure ").count(), two.matches("error[E").count()), (1, 6), "{two}");
    assert_eq!(out.matches("<error ").count(), 1);
    for tag in ["testsuites", "testsuite", "failure"] {
        assert_eq!(out.matches(&format!("<{tag} ")).count(), out.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn markdown_escapes_pipes_in_table_cells() {
    let out = Run::new(["validate", "-", "--format", "markdown"])
        .input("edition 2026\npolicy p { rule a { when iteration || 3 do notify \"x\" } }\n")
        .output()
        .exits_with(1)
        .out;
    let rows: Vec<&str> = out.lines().filter(|line| line.starts_with("| error")).collect();
    assert!(!rows.is_empty() && out.contains("\\|\\|"), "{out}");
    for row in rows {
        assert_eq!(row.replace("\\|", "").matches('|').count(), 5, "{row}");
    }
}

#[test]
fn the_lowest_severity_that_fails_can_be_set() {
    let warned = "policy p { rule a { do notify \"x\" } }\n";
    let run = |level: &str| Run::new(["validate", "-", "--fail-level", level]).input(warned).output();
    run("error").exits_with(0);
    run("warning").exits_with(1);
    run("info").exits_with(1);
    Run::new(["validate", "-"]).input(warned).output().exits_with(0);
}

#[test]
fn sarif_declares_every_rule_even_without_results() {
    let json = Run::line("validate policies --format sarif").output().exits_with(0).json();
    let run = &json["runs"][0];
    assert_eq!(run["results"], Json::Array(Vec::new()));
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: BTreeSet<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    let lints = LINTS.iter().map(|lint| lint.name());
    assert_eq!(ids, codes().map(|code| code.id).chain(lints).collect());
    for rule in rules {
        for text in ["/shortDescription/text", "/fullDescription/text", "/help/text", "/help/markdown"] {
            assert!(!rule.pointer(text).unwrap().as_str().unwrap().is_empty(), "{rule}");
        }
    }
}

#[test]
fn the_sarif_level_of_a_rule_is_that_of_its_findings() {
    let json = Run::line("validate tests/check --format sarif").output().exits_with(1).json();
    let run = &json["runs"][0];
    let mut codes = BTreeSet::new();
    for result in run["results"].as_array().unwrap() {
        let rule = &run["tool"]["driver"]["rules"][usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert_eq!(rule["defaultConfiguration"]["level"], result["level"], "{}", rule["id"]);
        codes.insert(rule["id"].as_str().unwrap().to_owned());
    }
    assert!(codes.len() > 40, "{codes:?}");
}

#[test]
fn sarif_names_files_by_uris_and_fixes_by_regions() {
    let json = run("my größe.trim", "sarif").exits_with(1).json();
    let result = &json["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "my%20gr%C3%B6%C3%9Fe.trim");
    assert_eq!(json["runs"][0]["columnKind"], "unicodeCodePoints");
    let change = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(change["deletedRegion"], place["region"]);
    assert_eq!(change["insertedContent"]["text"], "context.ratio");
    assert_eq!(json["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_not_unicode_keeps_its_bytes_in_a_uri() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder(&[]);
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.trim");
    std::fs::write(folder.path().join(name), BAD).unwrap();
    let json =
        Run::new(["validate", "--format", "sarif"]).arg(name).current_dir(folder.path()).output().exits_with(1).json();
    let uri = &json["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "caf%E9.trim");
}

#[test]
fn a_file_that_cannot_be_read_makes_the_run_unsuccessful() {
    let folder = folder(&[("a.trim", BAD)]);
    std::fs::write(folder.path().join("b.trim"), [0xff]).unwrap();
    let output = Run::line("validate . --format sarif").current_dir(folder.path()).output().exits_with(2);
    let invocation = &output.json()["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"].as_array().unwrap().len(), 1);
    let json = Run::line("validate . --format json").current_dir(folder.path()).output().exits_with(2).json();
    assert_eq!(json["errors"][0]["file"], "b.trim");
}

#[test]
fn a_fingerprint_does_not_change_if_its_line_moves() {
    let print = |text: &str| {
        let json = Run::new(["validate", "-", "--format", "sarif"]).input(text).output().exits_with(1).json();
        json["runs"][0]["results"][0]["partialFingerprints"]["primaryLocationLineHash"].as_str().unwrap().to_owned()
    };
    assert_eq!(print(BAD), print(&BAD.replace("policy p {\n", "# a comment\n\npolicy p {\n\n  ")));
    assert_ne!(print(BAD), print(&BAD.replace("rule a", "rule b")));
}

/// Each verb with output formats, a command that reports something in each, the text that it must contain, and the page
/// that documents the formats.
fn verbs() -> Vec<(&'static str, String, &'static str, &'static str, Vec<&'static str>)> {
    let change = "docs/diff_before.trim docs/diff_after.trim";
    let replay = "policies/coding_agent.trim policies/coding_agent.jsonl";
    let listings: Vec<&str> = LISTING_FORMATS.iter().map(|format| format.name).collect();
    vec![
        (
            "validate",
            "docs/mistakes.trim".into(),
            "E",
            "docs/continuous_integration.md",
            FINDING_FORMATS.iter().map(|format| format.name).collect(),
        ),
        (
            "test",
            "tests/test/failing.trim".into(),
            "failing",
            "docs/testing.md",
            TEST_FORMATS.iter().map(|format| format.name).collect(),
        ),
        (
            "ci",
            String::new(),
            "simulate",
            "docs/continuous_integration.md",
            CI_FORMATS.iter().map(|format| format.name).collect(),
        ),
        (
            "simulate",
            replay.into(),
            "coding_agent",
            "docs/simulation.md",
            REPLAY_FORMATS.iter().map(|format| format.name).collect(),
        ),
        (
            "diff",
            change.into(),
            "fires more",
            "docs/comparing_policies.md",
            COMPARISON_FORMATS.iter().map(|format| format.name).collect(),
        ),
        ("transcript stat", "policies".into(), "coding_agent", "docs/transcripts.md", listings.clone()),
        ("transcript show", "policies/coding_agent.jsonl".into(), "read", "docs/transcripts.md", listings),
    ]
}

#[test]
fn every_output_format_is_accepted_and_documented() {
    for (verb, arguments, text, page, names) in verbs() {
        let help = Run::line(&format!("{verb} --help")).output().exits_with(0).out;
        let documentation = std::fs::read_to_string(page).unwrap();
        for (at, name) in names.into_iter().enumerate() {
            let is_listed = help.lines().any(|line| {
                line.trim_start().strip_prefix(&format!("- {name}:")).is_some_and(|rest| !rest.trim().is_empty())
            });
            assert!(is_listed, "{verb} --help does not list the format {name} with a summary");
            let out = Run::line(&format!("{verb} {arguments} --format {name}")).output().out;
            assert!(out.contains(text), "{verb} --format {name}: {out}");
            let is_documented =
                documentation.split(|char: char| !char.is_ascii_alphanumeric()).any(|word| word == name);
            assert!(is_documented || at == 0, "{page} does not document `{verb} --format {name}`");
        }
    }
}

#[test]
fn every_verb_is_in_the_readme_or_on_a_page() {
    let pages = std::fs::read_dir("docs").unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|end| end == "md")).chain(["README.md".into()]);
    let text: String = pages.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for verb in trimtab::cli::command().get_subcommands() {
        let name = verb.get_name();
        assert!(text.contains(&format!("trimtab {name}")), "no page mentions `trimtab {name}`");
    }
}

#[test]
fn every_verb_is_run_by_a_test() {
    let files = std::fs::read_dir("tests/suite/cli").unwrap().map(|entry| entry.unwrap().path());
    let text: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for verb in trimtab::cli::command().get_subcommands() {
        let name = verb.get_name();
        let starts = [format!("Run::line(\"{name} "), format!("Run::line(\"{name}\""), format!("Run::new([\"{name}\"")];
        assert!(starts.iter().any(|start| text.contains(start)), "no test in tests/suite/cli runs `trimtab {name}`");
    }
}

/// The verbs and their sub-verbs.
fn commands() -> Vec<clap::Command> {
    let root = trimtab::cli::command();
    let verbs = root.get_subcommands();
    verbs.flat_map(|verb| std::iter::once(verb).chain(verb.get_subcommands())).cloned().collect()
}

#[test]
fn every_argument_has_help() {
    for verb in commands() {
        for argument in verb.get_arguments() {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.is_empty(), "trimtab {} says nothing of `{}`", verb.get_name(), argument.get_id());
        }
    }
}

#[test]
fn every_summary_of_a_verb_is_an_imperative() {
    for verb in commands() {
        let about = verb.get_about().unwrap().to_string();
        let first = about.split(' ').next().unwrap();
        let is_verb = first.starts_with(|char: char| char.is_ascii_uppercase()) && !first.ends_with(['s', ',']);
        assert!(is_verb && !about.ends_with('.'), "{}: {about}", verb.get_name());
    }
}
