//! One bad input never stops the others, in any verb that takes several.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::{Run, folder};

const RECORDING: &str = concat!(
    "{\"trimtab\":1,\"id\":\"r\",\"model\":\"claude-sonnet-4-5\",\"window\":200000}\n",
    "{\"role\":\"user\",\"content\":\"Fix it, ask marla@corp.example.\"}\n",
    "{\"role\":\"assistant\",\"content\":\"Done.\",\"usage\":{\"input\":120,\"output\":3}}\n",
);

const POLICY: &str = r#"edition 2026

policy p {
  rule r {
    on request
    when context.ratio >= 90%
    do mask results keep 2 messages
  }
}

test "nothing" {
  given user "hello"
  expect r never fires
}
"#;

/// A folder with a good recording and policy, and beside each: a link without a target, a pipe and a broken file.
fn inputs() -> TempDir {
    let folder = folder(&[("good.jsonl", RECORDING), ("good.trim", POLICY), ("broken.jsonl", "no recording")]);
    let path = folder.path();
    for end in ["jsonl", "trim"] {
        symlink(path.join("nowhere"), path.join(format!("dangling.{end}"))).unwrap();
        let made = Command::new("mkfifo").arg(path.join(format!("pipe.{end}"))).status().unwrap();
        assert!(made.success());
    }
    fs::write(path.join("broken.trim"), [0xff, 0x00]).unwrap();
    folder
}

/// The names of the inputs with this ending, the good one last.
const NAMES: [&str; 5] = ["missing", "dangling", "pipe", "broken", "good"];

fn paths(folder: &TempDir, end: &str) -> Vec<PathBuf> {
    NAMES.iter().map(|name| folder.path().join(format!("{name}.{end}"))).collect()
}

#[test]
fn recordings_that_cannot_be_read_are_reported_and_the_others_are_processed() {
    let folder = inputs();
    let policy = folder.path().join("good.trim").display().to_string();
    let page = folder.path().join("page.html");
    for line in [
        format!("simulate {policy}"),
        format!("simulate {policy} --format json"),
        format!("report {policy} -o {}", page.display()),
        format!("sweep {policy} --vary r.keep=1,2 --objective tokens-sent"),
        "suggest".to_owned(),
        "calibrate".to_owned(),
        "transcript stat".to_owned(),
        "transcript show".to_owned(),
        "transcript validate".to_owned(),
        "transcript redact".to_owned(),
        "transcript convert --to trimtab".to_owned(),
        format!("diff {policy} {policy} --on"),
        format!("lint {policy} --against"),
    ] {
        let run = paths(&folder, "jsonl").into_iter().fold(Run::line(&line), Run::arg);
        let output = run.output().exits_with(2);
        let said = output.out.clone() + &output.err;
        for bad in &NAMES[..4] {
            assert!(said.contains(&format!("{bad}.jsonl")), "{line}: nothing on {bad}: {said}");
        }
        assert!(output.err.contains("2 of 5 paths do not exist"), "{line}: {}", output.err);
        let result = if line.starts_with("report") { fs::read_to_string(&page).unwrap() } else { output.out };
        assert!(!result.is_empty() || line.starts_with("lint"), "{line}: no result");
    }
}

#[test]
fn policies_that_cannot_be_read_are_reported_and_the_others_are_processed() {
    let folder = inputs();
    for line in ["validate", "lint", "fmt --check", "test", "ci --isolated"] {
        let run = paths(&folder, "trim").into_iter().fold(Run::line(line), Run::arg);
        let output = run.output().exits_with(2);
        let said = output.out.clone() + &output.err;
        for bad in &NAMES[..4] {
            assert!(said.contains(&format!("{bad}.trim")), "{line}: nothing on {bad}: {said}");
        }
        let mentions_good = output.out.contains("good.trim") || output.out.contains("1 file");
        assert!(mentions_good, "{line}: nothing on the good file: {}", output.out);
    }
}

#[test]
fn what_the_caller_has_opened_may_be_a_pipe() {
    for path in ["/dev/stdin", "/dev/fd/0", "-"] {
        let output = Run::new(["transcript", "stat", path]).input(RECORDING).output();
        assert_eq!(output.code, 0, "{path}: {}", output.err);
    }
    let output = Run::new(["transcript", "stat", "/dev/zero"]).output().exits_with(2);
    assert!(output.err.contains("a pipe or a device"), "{}", output.err);
}

#[test]
fn a_glob_beyond_the_limits_is_named_in_an_error() {
    let nested = "{".repeat(250) + "a" + &"}".repeat(250);
    let long = "{a,b}".repeat(2_000);
    for (glob, reason) in [(&nested, "250 opening braces"), (&long, "10000 bytes")] {
        for verb in ["validate", "lint", "fmt", "test", "calibrate", "transcript stat"] {
            let output = Run::line(verb).arg(glob.as_str()).output().exits_with(2);
            assert!(output.err.contains("invalid glob `{") && output.err.contains(reason), "{verb}: {}", output.err);
        }
        let settings = format!("[[lint.files]]\npaths = [\"{glob}\"]\n");
        let folder = folder(&[("a.trim", POLICY), ("trimtab.toml", &settings)]);
        let output = Run::line("lint").arg(folder.path().join("a.trim")).output().exits_with(2);
        assert!(output.err.contains(reason), "{}", output.err);
    }
}
