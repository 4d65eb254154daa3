//! The public API: what the crate root exports.

mod surface;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cli::{self, Run};
use trimtab::results::{SimulationResult, TranscriptResult};
use trimtab::{
    LintOptionError, LintOptions, LoadError, ModelError, NoSources, PlanError, PlanLoadError, PolicyError, ReadError,
    SimulationOptions, SweepError, SweepOptions, TestRecordings,
};

/// Files in which only the public API may be used.
const EMBEDDERS: [&str; 6] = [
    "examples/agent.rs",
    "examples/embed.rs",
    "examples/endpoint_agent.rs",
    "examples/lint.rs",
    "examples/simulate.rs",
    "src/main.rs",
];

#[test]
fn every_error_is_a_standard_error() {
    fn check<E: Error + Send + Sync + 'static>() {}
    check::<LoadError>();
    check::<LintOptionError>();
    check::<ModelError>();
    check::<PlanError>();
    check::<PlanLoadError>();
    check::<PolicyError>();
    check::<ReadError>();
    check::<SweepError>();
}

#[test]
fn examples_and_the_command_use_only_the_crate_root() {
    let docs = fs::read_to_string("src/lib.rs").unwrap();
    let docs: String = docs.lines().filter(|line| line.starts_with("//!")).collect();
    let texts = EMBEDDERS.map(|file| fs::read_to_string(file).unwrap());
    for text in texts.iter().chain([&docs]) {
        let paths: Vec<&str> = text.split("trimtab::").skip(1).collect();
        assert!(!paths.is_empty());
        for path in paths {
            let name = path.find(|c: char| !c.is_alphanumeric() && c != '_').map_or(path, |end| &path[..end]);
            let rest = &path[name.len()..];
            let is_module =
                rest.starts_with("::") && name != "results" && name.chars().all(|c| c.is_lowercase() || c == '_');
            assert!(!is_module, "`trimtab::{name}` is a module behind the public API");
        }
    }
}

#[test]
fn a_file_without_a_plan_says_why() {
    let two = "edition 2026\npolicy a { rule r { do mask results } }\npolicy b { rule r { do mask results } }\n";
    let file = trimtab::compile("two.trim", two);
    assert_eq!(file.policies().collect::<Vec<_>>(), ["a", "b"]);
    let error = file.plan(None).unwrap_err();
    assert_eq!(error.to_string(), "the file has 2 policies; name `a` or `b`");
    assert_eq!(file.plan(Some("c")).unwrap_err().to_string(), "unknown policy `c`; available policies: `a` or `b`");
    assert_eq!(file.plan(Some("b")).unwrap().policy(), "b");
    let broken = trimtab::compile("broken.trim", "edition 2026\npolicy p { rule a { do maks results } }\n");
    assert!(broken.has_errors());
    assert_eq!(broken.plan(None).unwrap_err(), PlanError::InvalidFile);
}

#[test]
fn a_policy_file_is_compiled_simulated_linted_and_rendered() {
    let policy = trimtab::compile_file("policies/coding_agent.trim").unwrap();
    assert!(policy.diagnostics().is_empty());
    let plan = policy.plan(None).unwrap();
    let transcripts = trimtab::read_transcripts(&fs::read("policies/coding_agent.jsonl").unwrap(), None).unwrap();
    let simulation = trimtab::simulate(&plan, &transcripts[0], &SimulationOptions::default());
    assert!(simulation.rules().map(|rule| rule.name).eq(plan.rules()));
    assert!(simulation.rules().any(|rule| !rule.fired_at.is_empty()));
    assert!(simulation.calls().any(|call| call.after.is_some_and(|after| after < call.before)));

    let findings = policy.lint(&LintOptions::default().select(&["all"]).unwrap());
    for format in trimtab::finding_formats() {
        assert!(policy.render(&findings, format).is_some(), "{format}");
    }
    assert!(policy.render(&findings, "no_such_format").is_none());
    assert!(LintOptions::default().ignore("no_such_lint").is_err());
}

#[test]
fn results_are_those_of_the_command() {
    let policy = trimtab::compile_file("policies/stuck_agent.trim").unwrap();
    let plan = policy.plan(None).unwrap();
    let transcripts = trimtab::read_transcripts(&fs::read("policies/stuck_agent.jsonl").unwrap(), None).unwrap();
    let mut result = trimtab::simulate(&plan, &transcripts[0], &SimulationOptions::default()).result();
    let line = "simulate policies/stuck_agent.trim policies/stuck_agent.jsonl --format json";
    let command: SimulationResult = serde_json::from_value(Run::line(line).output().exits_with(0).json()).unwrap();
    // A library has no files.
    result.id.clone_from(&command.transcripts[0].id);
    result.file.clone_from(&command.transcripts[0].file);
    let json = |result: &TranscriptResult| serde_json::to_value(result).unwrap();
    assert_eq!(json(&result), json(&command.transcripts[0]));

    let base = trimtab::compile("base.trim", "edition 2026\npolicy p { rule r { do mask results } }\n");
    let base = base.plan(None).unwrap();
    let difference = trimtab::diff(&base, &plan, &transcripts);
    assert!(!difference.same && difference.replays.is_some_and(|replays| replays.transcripts == 1));
    assert!(trimtab::diff(&plan, &plan, &transcripts).same);

    let tests = policy.test(&|path| fs::read(Path::new("policies").join(path)).map_err(|error| error.to_string()));
    let tests = tests.unwrap();
    assert!(tests.summary.tests > 0 && tests.summary.passed == tests.summary.tests, "{:?}", tests.summary);
    let findings = policy.findings(&policy.lint(&LintOptions::default().select(&["all"]).unwrap()));
    assert_eq!(findings.summary.files, 1);

    // With findings that a comment suppresses among the others.
    let linted = trimtab::compile_file("policies/support_desk.trim").unwrap();
    let linted = linted.lint_result(&LintOptions::default().select(&["all"]).unwrap());
    let command = Run::line("lint policies/support_desk.trim --isolated --select all --format json").output().json();
    assert_eq!(serde_json::to_value(&linted).unwrap(), command);
}

#[test]
fn findings_of_a_file_with_imports_are_those_of_the_command() {
    // The imported file has no edition, which is a warning, and a condition with a redundant part, which no lint of the other
    // file finds.
    let base = "policy base { rule a { when context.ratio > 80% and context.ratio > 50% do mask results } }\n";
    let text = "edition 2026\nuse \"x/base.trim\"\npolicy p extends base { rule b { when context.ratio > 70% and \
                context.ratio > 60% do trim results to 500 chars } }\n";
    let wrong = text.replace("trim results", "trim result");
    let files = [("p.trim", text), ("wrong.trim", &wrong), ("x/base.trim", base), ("trimtab.toml", "")];
    let folder = cli::folder(&files);
    for name in ["p.trim", "wrong.trim"] {
        let path = folder.path().join(name);
        let file = trimtab::compile_file(&path).unwrap();
        let printed = |verb: &[&str], format: &str| {
            let words = [verb, &[path.to_str().unwrap(), "--isolated", "--format", format]].concat();
            Run::new(words).output()
        };
        let validated = file.findings(file.diagnostics());
        assert_eq!((validated.summary.files, validated.summary.warnings), (2, 1), "{name}");
        assert_eq!(serde_json::to_value(&validated).unwrap(), printed(&["validate"], "json").json());
        assert_eq!(file.render(file.diagnostics(), "concise").unwrap(), printed(&["validate"], "concise").out);
        let linted = file.lint_result(&LintOptions::default().select(&["all"]).unwrap());
        assert_eq!(linted.summary.files, 1, "{name}");
        assert_eq!(serde_json::to_value(&linted).unwrap(), printed(&["lint", "--select", "all"], "json").json());
    }
}

#[test]
fn recordings_of_tests_are_relative_to_the_policy_and_inside_its_project() {
    let recording = cli::recording();
    let files = [("x/trimtab.toml", ""), ("x/y/p.trim", ""), ("x/r.jsonl", &recording), ("out.jsonl", &recording)];
    let folder = cli::folder(&files);
    let recordings = TestRecordings::of(folder.path().join("x/y/p.trim"));
    assert_eq!(recordings.read("../r.jsonl").unwrap(), recording.as_bytes());
    assert_eq!(recordings.path("../r.jsonl"), folder.path().join("x/y/../r.jsonl"));
    let mut wrong = vec![
        ("../../out.jsonl", "`../../out.jsonl` is outside the project"),
        ("/etc/hosts", "`/etc/hosts` is not a relative path"),
        ("nowhere.jsonl", "cannot read "),
        (".", "it is not a regular file"),
    ];
    if cfg!(unix) {
        // Opening it would wait for a writer.
        assert!(Command::new("mkfifo").arg(folder.path().join("x/y/pipe.jsonl")).status().unwrap().success());
        wrong.push(("pipe.jsonl", "it is not a regular file"));
    }
    for (name, reason) in wrong {
        let error = recordings.read(name).unwrap_err();
        assert!(error.contains(reason), "{name}: {error}");
    }
    assert!(TestRecordings::of("no_such_folder/p.trim").read("r.jsonl").is_err());
}

#[test]
fn a_policy_is_formatted_or_its_syntax_errors_are_returned() {
    let text = "edition 2026\npolicy   p{rule r{do mask results}}";
    let formatted = trimtab::format("p.trim", text).unwrap();
    assert_eq!(trimtab::format("p.trim", &formatted).unwrap(), formatted);
    assert!(formatted.starts_with("edition 2026\n\npolicy p {\n"), "{formatted}");
    let errors = trimtab::format("p.trim", "edition 2026\npolicy p {").unwrap_err();
    assert!(!errors.is_empty());
}

#[test]
fn a_sweep_is_that_of_the_command() {
    let names: Vec<String> = (0..8).map(|case| format!("docs/tuning/sessions/case_{case:02}.jsonl")).collect();
    let read = |name: &String| trimtab::read_transcripts(&fs::read(name).unwrap(), None).unwrap().remove(0);
    let transcripts: Vec<_> = names.iter().map(read).collect();
    let named: Vec<_> = names.iter().map(String::as_str).zip(&transcripts).collect();
    let text = fs::read_to_string("docs/tuning/tidy.trim").unwrap();
    let sweep = |parameters: &[&str], options: &SweepOptions| {
        trimtab::sweep("docs/tuning/tidy.trim", &text, &mut NoSources, None, parameters, &named, options)
    };
    let options = SweepOptions::default().subject_to("peak context.ratio <= 75%").samples(6).seed(3);
    let swept = sweep(&["high=40%..80% by 10%", "step=200,500,1k"], &options).unwrap();
    let line = format!(
        "sweep docs/tuning/tidy.trim {} --vary step=200,500,1k --samples 6 --seed 3 --format json",
        names.join(" ")
    );
    let separate = ["--vary", "high=40%..80% by 10%", "--subject-to", "peak context.ratio <= 75%"];
    let words: Vec<&str> = line.split(' ').collect();
    let vary = words.iter().position(|word| *word == "--vary").unwrap();
    let words = [&words[..vary], &separate, &words[vary..]].concat();
    let command = Run::new(words).output().exits_with(0).json();
    assert_eq!(serde_json::to_value(&swept.result).unwrap(), command);
    let winner = swept.winner.expect("a combination meets the constraint");
    assert!(winner != text && trimtab::compile("p.trim", &winner).plan(None).is_ok(), "{winner}");

    let mut errors = vec![SweepOptions::default().objective("price").unwrap_err()];
    let wrong = [&["low=1,2"][..], &["high=40%,maks"], &["high"], &["high=1%,2%", "high=3%"], &["step=0..9999 by 1"]];
    errors.extend(wrong.map(|parameters| sweep(parameters, &options).unwrap_err()));
    errors.push(sweep(&["step=1,2"], &options.clone().subject_to("peak contxt.ratio <= 5%")).unwrap_err());
    errors.push(sweep(&["step=1,2"], &options.clone().subject_to("total tokens_saved > 0 tokens")).unwrap_err());
    let errors: Vec<_> = errors.iter().map(|error| format!("{error} [{}]", error.diagnostics().len())).collect();
    insta::assert_snapshot!(errors.join("\n"), @r"
    unknown axis `price`; choose one of cost, tokens-sent, peak, calls-above, summaries, reasoning-lost, regret, sessions-stopped, calls-not-made [0]
    low: docs/tuning/tidy.trim has no constant of this name; it has `high`, `step`, `mask_old.keep` or `mask_old.at_least` [0]
    docs/tuning/tidy.trim has errors with `high=maks` [1]
    expected NAME=VALUES, such as `busy=50%..80% by 5%` or `mask_old_results.keep=5,10,20` [0]
    high: the constant is varied twice; list all values in one place [0]
    a range has at most 1000 values; write a larger step [0]
    a constraint is not an expectation of a test [1]
    a constraint holds on each transcript; leave out `total` [0]
    ");
}
