//! `trimtab test`: every flag, every exit code.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Run, folder};

const PASSING: &str = "tests/test/passing.trim";
const FAILING: &str = "tests/test/failing.trim";

#[test]
fn passed_tests_exit_with_0_and_failed_tests_with_1() {
    let output = Run::line("test").arg(PASSING).output().exits_with(0);
    assert!(output.out.contains("2 tests: 2 passed, 0 failed"), "{}", output.out);
    let output = Run::line("test").arg(PASSING).arg(FAILING).output().exits_with(1);
    assert!(output.out.contains("8 tests: 2 passed, 5 failed, 1 could not be run"), "{}", output.out);
}

#[test]
fn quiet_shows_only_what_failed() {
    assert_eq!(Run::line("test -q").arg(PASSING).output().exits_with(0).out, "");
    let output = Run::line("test -q").arg(PASSING).arg(FAILING).output().exits_with(1);
    assert!(!output.out.contains("passing.trim") && output.out.contains("failing.trim"), "{}", output.out);
}

#[test]
fn no_test_exits_with_2_unless_allowed() {
    let folder = folder(&[("p.trim", "edition 2026\npolicy p { rule a { do notify \"x\" } }\n")]);
    let path = folder.path().join("p.trim");
    let output = Run::line("test").arg(&path).output().exits_with(2);
    assert!(output.err.contains("no test was found"), "{}", output.err);
    Run::line("test --allow-empty").arg(&path).output().exits_with(0);
    Run::line("test --run nothing_like_it").arg(PASSING).output().exits_with(2);
}

#[test]
fn a_file_with_errors_exits_with_1_and_the_others_are_tested() {
    let output = Run::line("test tests/check/five_mistakes.trim").arg(PASSING).output().exits_with(1);
    assert!(output.err.contains("five_mistakes.trim:4:"), "{}", output.err);
    assert!(output.out.contains("2 passed"), "{}", output.out);
    Run::line("test no_such.trim").output().exits_with(2);
}

#[test]
fn run_takes_a_text_or_a_regular_expression() {
    for choice in ["one", "/^o.e$/"] {
        let output = Run::line("test --run").arg(choice).arg(PASSING).output().exits_with(0);
        assert!(output.out.contains("1 test: 1 passed"), "{}", output.out);
    }
    let output = Run::line("test --run /(/").arg(PASSING).output().exits_with(2);
    assert!(output.err.contains("regex"), "{}", output.err);
}

#[test]
fn list_prints_the_tests_with_their_locations_and_runs_none() {
    let output = Run::line("test --list").arg(FAILING).output().exits_with(0);
    assert!(
        output.out.starts_with("tests/test/failing.trim:19: p: a rule fires later than expected\n"),
        "{}",
        output.out
    );
    assert_eq!(output.out.lines().count(), 6);
}

#[test]
fn too_little_coverage_exits_with_1_and_lists_the_gaps() {
    let several = "tests/test/several.trim";
    Run::line("test --coverage").arg(several).output().exits_with(0);
    let output = Run::line("test --min-coverage 90").arg(several).output().exits_with(1);
    assert!(output.out.contains("several.trim:4:19: `b` never fires"), "{}", output.out);
    assert!(output.out.contains("`failures >= 3` of b never true"), "{}", output.out);
    assert!(output.out.contains("the coverage of `two` is 33.3%, below the required 90%"), "{}", output.out);
    Run::line("test --min-coverage 33%").arg(several).output().exits_with(0);
    Run::line("test --min-coverage 101").arg(several).output().exits_with(2);
}

#[test]
fn the_order_of_shuffled_tests_depends_only_on_the_seed() {
    let order = |seed: &str| Run::line("test").arg(format!("--shuffle={seed}")).arg(FAILING).output().exits_with(1).out;
    assert_eq!(order("1"), order("1"));
    assert_ne!(order("1").replace("seed 1", ""), order("2").replace("seed 2", ""));
    assert!(order("1").contains("shuffled with seed 1"));
    let output = Run::line("test --shuffle").arg(PASSING).output().exits_with(0);
    assert!(output.out.contains("shuffled with seed "), "{}", output.out);
}

#[test]
fn recordings_are_found_from_the_policy_and_not_outside_of_the_project() {
    let test = |path: &str| {
        format!(
            "edition 2026\npolicy p {{ rule a {{ do mask results }} }}\n\
             test \"t\" {{ given transcript \"{path}\" expect invariants hold }}\n"
        )
    };
    let recording = super::recording();
    let files = [("x/r.jsonl", recording.as_str()), ("out.jsonl", recording.as_str()), ("x/trimtab.toml", "")];
    for (path, code, expected) in [
        ("../r.jsonl", 0, "1 passed"),
        ("../../out.jsonl", 1, "is outside the project"),
        ("nowhere.jsonl", 1, "cannot read"),
        ("/etc/hosts", 1, "is not a relative path"),
    ] {
        let text = test(path);
        let folder = folder(&[&files[..], &[("x/deep/p.trim", text.as_str())]].concat());
        let output = Run::line("test").arg(folder.path().join("x/deep/p.trim")).output().exits_with(code);
        assert!(output.out.contains(expected), "{path}: {}", output.out);
    }
}

#[test]
fn a_recording_outside_of_a_folder_without_settings_says_what_the_project_is() {
    let text = "edition 2026\npolicy p { rule a { do mask results } }\n\
                test \"t\" { given transcript \"../r.jsonl\" expect invariants hold }\n";
    let folder = folder(&[("policies/p.trim", text), ("sub/p.trim", text), ("r.jsonl", &super::recording())]);
    let test = |at: &str, path: &str| Run::line("test").arg(path).current_dir(&folder.path().join(at)).output();
    let place = |name: &str| {
        format!(
            "`../r.jsonl` is outside the project, which is the directory `{name}`: add a `trimtab.toml` to a directory"
        )
    };
    for (at, path, name) in [("", "policies/p.trim", "policies"), ("sub", "p.trim", ".")] {
        let output = test(at, path).exits_with(1);
        let words = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&place(name)), "{}", output.out);
    }
    std::fs::write(folder.path().join("trimtab.toml"), "").unwrap();
    test("", "policies/p.trim").exits_with(0);
}

#[test]
fn policies_and_examples_are_tested_and_covered() {
    Run::line("test policies examples --coverage --min-coverage 90").output().exits_with(0);
}

#[test]
fn watch_runs_again_when_a_file_changes() {
    let text = |limit: u32| {
        format!(
            "edition 2026\npolicy p {{ rule a {{ when failures >= {limit} do notify \"x\" }} }}\n\
             test \"t\" {{ given failures 2 expect a fires }}\n"
        )
    };
    let folder = folder(&[("p.trim", &text(2))]);
    let path = folder.path().join("p.trim");
    let mut command = Command::new(env!("CARGO_BIN_EXE_trimtab"));
    let mut child =
        command.args(["test", "--watch"]).arg(&path).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (send, receive) = std::sync::mpsc::channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        for line in out.lines().map_while(Result::ok).filter(|line| line.contains(" passed, ")) {
            drop(send.send(line));
        }
    });
    let next = || receive.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(next(), "1 test: 1 passed, 0 failed");
    std::fs::write(&path, text(30)).unwrap();
    assert_eq!(next(), "1 test: 0 passed, 1 failed");
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
}

#[test]
fn a_failed_assertion_exits_with_1_and_prints_the_actual_value() {
    let simulate = || Run::line("simulate policies/coding_agent.trim policies/coding_agent.jsonl");
    let output = simulate().arg("--assert").arg("peak context.ratio <= 70%").output().exits_with(0);
    assert!(output.out.contains("1 of 1 expectation met"), "{}", output.out);
    let both = ["--assert", "mask_old_results first fires at 3", "--assert", "calls == 46", "--format", "json"];
    let output = both.into_iter().fold(simulate(), Run::arg).output().exits_with(1);
    let asserted = output.json()["transcripts"][0]["assertions"].clone();
    assert_eq!(asserted[0]["is_met"], false);
    assert_eq!(asserted[0]["seen"], "it fires at 31");
    assert_eq!(asserted[1]["is_met"], true);
    let output = simulate().arg("--assert").arg("mask_old_result fires").output().exits_with(2);
    assert!(output.err.contains("did you mean"), "{}", output.err);
    simulate().arg("--assert").arg("a \" }").output().exits_with(2);
}

#[test]
fn the_report_has_no_heading_without_coverage() {
    let folder = folder(&[("note.md", "")]);
    let out = Run::line("test . --coverage --allow-empty").current_dir(folder.path()).output().exits_with(0).out;
    assert_eq!(out, "0 tests: 0 passed, 0 failed\n");
}
