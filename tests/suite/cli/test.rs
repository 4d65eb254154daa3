//! `trimtab test`: every flag, every exit code.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Run, folder};

const PASSING: &str = "tests/test/passing.trim";
const FAILING: &str = "tests/test/failing.trim";

#[test]
fn tests_that_pass_end_with_0_and_others_with_1() {
    let done = Run::line("test").arg(PASSING).done().ends(0);
    assert!(done.out.contains("2 tests: 2 passed, 0 failed"), "{}", done.out);
    let done = Run::line("test").arg(PASSING).arg(FAILING).done().ends(1);
    assert!(done.out.contains("8 tests: 2 passed, 5 failed, 1 could not be run"), "{}", done.out);
}

#[test]
fn quiet_shows_only_what_failed() {
    assert_eq!(Run::line("test -q").arg(PASSING).done().ends(0).out, "");
    let done = Run::line("test -q").arg(PASSING).arg(FAILING).done().ends(1);
    assert!(!done.out.contains("passing.trim") && done.out.contains("failing.trim"), "{}", done.out);
}

#[test]
fn no_test_at_all_ends_with_2_unless_that_is_allowed() {
    let folder = folder(&[("p.trim", "edition 2026\npolicy p { rule a { do notify \"x\" } }\n")]);
    let path = folder.path().join("p.trim");
    let done = Run::line("test").arg(&path).done().ends(2);
    assert!(done.err.contains("no test was found"), "{}", done.err);
    Run::line("test --allow-empty").arg(&path).done().ends(0);
    Run::line("test --run nothing_like_it").arg(PASSING).done().ends(2);
}

#[test]
fn a_file_with_errors_shows_them_and_ends_with_1_and_the_others_are_tested() {
    let done = Run::line("test tests/check/five_mistakes.trim").arg(PASSING).done().ends(1);
    assert!(done.err.contains("five_mistakes.trim:4:"), "{}", done.err);
    assert!(done.out.contains("2 passed"), "{}", done.out);
    Run::line("test no_such.trim").done().ends(2);
}

#[test]
fn run_takes_a_text_or_a_regular_expression() {
    for choice in ["one", "/^o.e$/"] {
        let done = Run::line("test --run").arg(choice).arg(PASSING).done().ends(0);
        assert!(done.out.contains("1 test: 1 passed"), "{}", done.out);
    }
    let done = Run::line("test --run /(/").arg(PASSING).done().ends(2);
    assert!(done.err.contains("regex"), "{}", done.err);
}

#[test]
fn list_names_the_tests_with_their_places_and_runs_none() {
    let done = Run::line("test --list").arg(FAILING).done().ends(0);
    assert!(done.out.starts_with("tests/test/failing.trim:19: p: a rule fires later than expected\n"), "{}", done.out);
    assert_eq!(done.out.lines().count(), 6);
}

#[test]
fn too_little_coverage_ends_with_1_and_says_what_is_missing() {
    let several = "tests/test/several.trim";
    Run::line("test --coverage").arg(several).done().ends(0);
    let done = Run::line("test --min-coverage 90").arg(several).done().ends(1);
    assert!(done.out.contains("several.trim:4:19: `b` never fires"), "{}", done.out);
    assert!(done.out.contains("`failures >= 3` of b never true"), "{}", done.out);
    assert!(done.out.contains("the coverage of `two` is 33.3%, below the required 90%"), "{}", done.out);
    Run::line("test --min-coverage 33%").arg(several).done().ends(0);
    Run::line("test --min-coverage 101").arg(several).done().ends(2);
}

#[test]
fn a_seed_gives_the_same_order_again_and_another_gives_another() {
    let order = |seed: &str| Run::line("test").arg(format!("--shuffle={seed}")).arg(FAILING).done().ends(1).out;
    assert_eq!(order("1"), order("1"));
    assert_ne!(order("1").replace("seed 1", ""), order("2").replace("seed 2", ""));
    assert!(order("1").contains("shuffled with seed 1"));
    let done = Run::line("test --shuffle").arg(PASSING).done().ends(0);
    assert!(done.out.contains("shuffled with seed "), "{}", done.out);
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
    for (path, code, said) in [
        ("../r.jsonl", 0, "1 passed"),
        ("../../out.jsonl", 1, "is outside the project"),
        ("nowhere.jsonl", 1, "cannot read"),
        ("/etc/hosts", 1, "is not a relative path"),
    ] {
        let text = test(path);
        let folder = folder(&[&files[..], &[("x/deep/p.trim", text.as_str())]].concat());
        let done = Run::line("test").arg(folder.path().join("x/deep/p.trim")).done().ends(code);
        assert!(done.out.contains(said), "{path}: {}", done.out);
    }
}

#[test]
fn policies_and_examples_are_tested_and_covered() {
    Run::line("test policies examples --coverage --min-coverage 90").done().ends(0);
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
fn assertions_of_simulate_end_with_1_and_say_what_was_seen() {
    let simulate = || Run::line("simulate policies/coding_agent.trim policies/coding_agent.jsonl");
    let done = simulate().arg("--assert").arg("peak context.ratio <= 70%").done().ends(0);
    assert!(done.out.contains("1 of 1 assertions hold"), "{}", done.out);
    let both = ["--assert", "mask_old_results first fires at 3", "--assert", "calls == 46", "--format", "json"];
    let done = both.into_iter().fold(simulate(), Run::arg).done().ends(1);
    let asserted = done.json()["transcripts"][0]["assertions"].clone();
    assert_eq!(asserted[0]["held"], false);
    assert_eq!(asserted[0]["seen"], "it fires at 31");
    assert_eq!(asserted[1]["held"], true);
    let done = simulate().arg("--assert").arg("mask_old_result fires").done().ends(2);
    assert!(done.err.contains("did you mean"), "{}", done.err);
    simulate().arg("--assert").arg("a \" }").done().ends(2);
}

#[test]
fn no_coverage_is_no_heading() {
    let folder = folder(&[("note.md", "")]);
    let out = Run::line("test . --coverage --allow-empty").at(folder.path()).done().ends(0).out;
    assert_eq!(out, "0 tests: 0 passed, 0 failed\n");
}
