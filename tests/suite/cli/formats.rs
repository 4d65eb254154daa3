//! Output formats: those of findings in detail, and what holds for all of them.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use trimtab::lint::LINTS;
use trimtab::report::{CI_FORMATS, COMPARISON_FORMATS, FINDING_FORMATS, REPLAY_FORMATS, TEST_FORMATS, codes};

use super::{Done, Run, folder};

const BAD: &str = "edition 2026\npolicy p {\n  rule a { when contxt.ratio >= 80% do notify \"a|b\" }\n}\n";

/// A run over a policy with one mistake, under this name, in a folder of its own.
fn run(name: &str, format: &str) -> Done {
    let folder = folder(&[(name, BAD)]);
    Run::new(["validate", "--format", format]).arg(".").at(folder.path()).done()
}

#[test]
fn every_format_is_listed_in_the_help_and_ends_with_1_on_findings() {
    let help = Run::line("validate --help").done().ends(0).out;
    for format in FINDING_FORMATS {
        assert!(help.contains(&format!("- {}:", format.name)), "{}", format.name);
        let done = run("a.trim", format.name).ends(1);
        assert!(done.out.contains("contxt.ratio"), "{}: {}", format.name, done.out);
        assert_eq!(done.err, "", "{}", format.name);
        assert!(format.name == "human" || !done.out.contains('\u{1b}'));
    }
}

#[test]
fn every_format_without_findings_ends_with_0() {
    for format in FINDING_FORMATS {
        let done = Run::new(["validate", "policies", "--format", format.name]).done().ends(0);
        let lines = matches!(format.name, "concise" | "jsonl" | "github");
        assert_eq!(done.out.is_empty(), lines, "{}: {}", format.name, done.out);
    }
}

#[test]
fn concise_is_a_line_a_finding() {
    assert_eq!(run("a.trim", "concise").out, "a.trim:3:17: error[E201] unknown fact or value `contxt.ratio`\n");
}

#[test]
fn plain_spells_out_the_place_and_the_edit() {
    let out = run("a.trim", "plain").out;
    assert!(out.contains("line 3, column 17"), "{out}");
    assert!(out.contains("replace `contxt.ratio` by `context.ratio`"), "{out}");
    assert!(out.is_ascii() && !out.contains(['^', '─']) && !out.contains("--"), "{out}");
}

#[test]
fn jsonl_has_the_diagnostics_of_json() {
    let lines: Vec<Json> = Run::line("validate tests/check --format jsonl").done().ends(1).lines();
    let whole = Run::line("validate tests/check --format json").done().ends(1).json();
    assert_eq!(Json::Array(lines), whole["diagnostics"]);
}

#[test]
fn github_annotates_true_lines_and_columns() {
    let out = run("a.trim", "github").out;
    let head = "::error title=E201 unknown fact or value,file=a.trim,line=3,col=17,endLine=3,endColumn=29::";
    assert!(out.starts_with(head), "{out}");
    assert!(out.ends_with("`contxt.ratio`%0Ahelp: did you mean `context.ratio`?\n"), "{out}");
    let warned = Run::new(["validate", "-", "--format", "github"]).input("policy p { rule a { do notify \"x\" } }\n");
    assert!(warned.done().ends(0).out.starts_with("::warning title=E501 "));
    let odd = run("a,b:c%.trim", "github").out;
    assert!(odd.contains(",file=a%2Cb%3Ac%25.trim,"), "{odd}");
}

#[test]
fn github_is_the_default_in_a_workflow() {
    let inside = |line: &str| Run::line(line).env("GITHUB_ACTIONS", "true").done().ends(1);
    let done = inside("validate docs/mistakes.trim");
    assert!(done.out.starts_with("::error "), "{}", done.out);
    assert!(done.err.contains("GITHUB_ACTIONS") && done.err.contains("--format"), "{}", done.err);
    let done = inside("validate docs/mistakes.trim --format concise");
    assert!(done.out.starts_with("docs/mistakes.trim:") && done.err.is_empty(), "{}", done.out);
}

#[test]
fn gitlab_gives_every_finding_a_fingerprint_of_its_own() {
    let done = Run::line("validate tests/check --format gitlab").done().ends(1);
    let Json::Array(issues) = done.json() else { panic!("a list") };
    let prints: BTreeSet<&str> = issues.iter().map(|one| one["fingerprint"].as_str().unwrap()).collect();
    assert_eq!(prints.len(), issues.len());
    assert!(issues.len() > 50);
    for one in &issues {
        assert!(["major", "minor", "info"].contains(&one["severity"].as_str().unwrap()), "{one}");
        assert!(one["location"]["lines"]["begin"].as_u64().unwrap() > 0, "{one}");
        assert!(one["description"].is_string() && one["check_name"].is_string(), "{one}");
    }
}

#[test]
fn junit_has_a_test_case_a_file_that_fails_but_once() {
    let folder = folder(&[("good.trim", &super::policy("do notify \"x\"")), ("a<&>.trim", BAD)]);
    std::fs::write(folder.path().join("latin.trim"), [0xe4]).unwrap();
    let out = Run::line("validate . --format junit").at(folder.path()).done().ends(2).out;
    assert!(out.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "), "{out}");
    assert!(out.contains("tests=\"3\" skipped=\"0\" failures=\"1\" errors=\"1\""), "{out}");
    assert!(out.contains("<testcase name=\"good.trim\" classname=\"trimtab\"/>"), "{out}");
    assert!(out.contains("<testcase name=\"a&lt;&amp;&gt;.trim\""), "{out}");
    assert_eq!(out.matches("<failure ").count(), 1);
    let two = Run::line("validate docs/mistakes.trim --format junit").done().ends(1).out;
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
fn markdown_is_a_table_whose_cells_hold_no_bare_pipe() {
    let out = Run::new(["validate", "-", "--format", "markdown"])
        .input("edition 2026\npolicy p { rule a { when iteration || 3 do notify \"x\" } }\n")
        .done()
        .ends(1)
        .out;
    let rows: Vec<&str> = out.lines().filter(|line| line.starts_with("| error")).collect();
    assert!(!rows.is_empty() && out.contains("\\|\\|"), "{out}");
    for row in rows {
        assert_eq!(row.replace("\\|", "").matches('|').count(), 5, "{row}");
    }
}

#[test]
fn the_least_severity_that_fails_can_be_chosen() {
    let warned = "policy p { rule a { do notify \"x\" } }\n";
    let run = |level: &str| Run::new(["validate", "-", "--fail-level", level]).input(warned).done();
    run("error").ends(0);
    run("warning").ends(1);
    run("info").ends(1);
    Run::new(["validate", "-"]).input(warned).done().ends(0);
}

#[test]
fn sarif_declares_every_rule_even_when_none_gave_a_result() {
    let json = Run::line("validate policies --format sarif").done().ends(0).json();
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
fn the_level_of_a_rule_is_that_of_its_findings() {
    let json = Run::line("validate tests/check --format sarif").done().ends(1).json();
    let run = &json["runs"][0];
    let mut seen = BTreeSet::new();
    for result in run["results"].as_array().unwrap() {
        let rule = &run["tool"]["driver"]["rules"][usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert_eq!(rule["defaultConfiguration"]["level"], result["level"], "{}", rule["id"]);
        seen.insert(rule["id"].as_str().unwrap().to_owned());
    }
    assert!(seen.len() > 40, "{seen:?}");
}

#[test]
fn sarif_names_files_by_uris_and_fixes_by_regions() {
    let json = run("my größe.trim", "sarif").ends(1).json();
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
fn a_path_that_is_no_text_keeps_its_bytes_in_a_uri() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder(&[]);
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.trim");
    std::fs::write(folder.path().join(name), BAD).unwrap();
    let json = Run::new(["validate", "--format", "sarif"]).arg(name).at(folder.path()).done().ends(1).json();
    let uri = &json["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "caf%E9.trim");
}

#[test]
fn a_file_that_cannot_be_read_makes_the_run_unsuccessful() {
    let folder = folder(&[("a.trim", BAD)]);
    std::fs::write(folder.path().join("b.trim"), [0xff]).unwrap();
    let done = Run::line("validate . --format sarif").at(folder.path()).done().ends(2);
    let invocation = &done.json()["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"].as_array().unwrap().len(), 1);
    let json = Run::line("validate . --format json").at(folder.path()).done().ends(2).json();
    assert_eq!(json["errors"][0]["file"], "b.trim");
}

#[test]
fn a_fingerprint_outlives_a_move_of_its_line() {
    let print = |text: &str| {
        let json = Run::new(["validate", "-", "--format", "sarif"]).input(text).done().ends(1).json();
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
    vec![
        (
            "validate",
            "docs/mistakes.trim".into(),
            "E",
            "docs/ci.md",
            FINDING_FORMATS.iter().map(|one| one.name).collect(),
        ),
        (
            "test",
            "tests/test/failing.trim".into(),
            "failing",
            "docs/testing.md",
            TEST_FORMATS.iter().map(|one| one.name).collect(),
        ),
        ("ci", String::new(), "simulate", "docs/ci.md", CI_FORMATS.iter().map(|one| one.name).collect()),
        (
            "simulate",
            replay.into(),
            "coding_agent",
            "docs/simulation.md",
            REPLAY_FORMATS.iter().map(|one| one.name).collect(),
        ),
        ("diff", change.into(), "fires more", "docs/diff.md", COMPARISON_FORMATS.iter().map(|one| one.name).collect()),
    ]
}

#[test]
fn every_output_format_is_offered_works_and_is_documented() {
    for (verb, arguments, text, page, names) in verbs() {
        let help = Run::line(&format!("{verb} --help")).done().ends(0).out;
        let documentation = std::fs::read_to_string(page).unwrap();
        for (at, name) in names.into_iter().enumerate() {
            assert!(help.contains(&format!("- {name}:")), "{verb} --help does not list the format {name}");
            let out = Run::line(&format!("{verb} {arguments} --format {name}")).done().out;
            assert!(out.contains(text), "{verb} --format {name}: {out}");
            let is_documented =
                documentation.split(|sign: char| !sign.is_ascii_alphanumeric()).any(|word| word == name);
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
fn every_summary_of_a_verb_is_an_imperative() {
    for verb in trimtab::cli::command().get_subcommands() {
        let about = verb.get_about().unwrap().to_string();
        let first = about.split(' ').next().unwrap();
        let is_verb = first.starts_with(|sign: char| sign.is_ascii_uppercase()) && !first.ends_with(['s', ',']);
        assert!(is_verb && !about.ends_with('.'), "{}: {about}", verb.get_name());
    }
}
