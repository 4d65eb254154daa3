//! Colour, width, versions and closed pipes, for every verb.

use std::process::{Command, Stdio};

use super::Run;

const REPLAY: &str = "simulate policies/stuck_agent.trim policies/stuck_agent.jsonl";

#[test]
fn the_version_is_that_of_the_package() {
    let output = Run::line("--version").output().exits_with(0);
    assert_eq!(output.out, format!("trimtab {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_goes_to_standard_output_and_lists_every_verb() {
    let output = Run::line("--help").output().exits_with(0);
    for verb in ["validate", "simulate", "explain"] {
        assert!(output.out.contains(&format!("\n  {verb} ")), "{}", output.out);
        assert!(Run::line(&format!("{verb} --help")).output().exits_with(0).out.contains("Usage: trimtab"), "{verb}");
    }
}

#[test]
fn a_usage_error_exits_with_2_on_standard_error() {
    for line in ["", "nonsense", "validate", "simulate policies/stuck_agent.trim", "validate policies --format nope"] {
        let output = Run::line(line).output().exits_with(2);
        assert_eq!(output.out, "", "{line}");
        assert!(!output.err.is_empty(), "{line}");
    }
}

#[test]
fn a_pipe_gets_no_colour_unless_requested() {
    for line in [REPLAY, "validate tests/check/five_mistakes.trim", "explain mask"] {
        let colour = |run: Run| run.output().out.contains('\u{1b}');
        assert!(!colour(Run::line(line)), "{line}");
        assert!(colour(Run::line(&format!("{line} --color always"))), "{line}");
        assert!(colour(Run::line(line).env("CLICOLOR_FORCE", "1")), "{line}");
        assert!(!colour(Run::line(line).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1")), "{line}");
        assert!(!colour(Run::line(&format!("{line} --color never")).env("CLICOLOR_FORCE", "1")), "{line}");
    }
}

#[test]
fn colour_changes_no_word() {
    let plain = Run::line(REPLAY).output().exits_with(0).out;
    let coloured = Run::line(&format!("{REPLAY} --color always")).output().exits_with(0).out;
    let mut stripped = String::new();
    for (at, piece) in coloured.split('\u{1b}').enumerate() {
        stripped += if at == 0 { piece } else { piece.split_once('m').unwrap().1 };
    }
    assert_eq!(stripped, plain);
}

#[test]
fn a_locale_without_unicode_gets_ascii() {
    for line in [REPLAY, "validate tests/check/five_mistakes.trim"] {
        let out = Run::line(line).env("LC_ALL", "C").output().out;
        let other: String = out.chars().filter(|char| !char.is_ascii()).collect();
        assert_eq!(other, "", "{line}: {out}");
    }
}

#[test]
fn help_and_usage_errors_obey_colour_and_width() {
    for line in ["lint --help", "rules --category foo"] {
        let run = |flags: &str| Run::line(&format!("{line} {flags}"));
        let text = |run: Run| {
            let output = run.output();
            output.out + &output.err
        };
        assert!(text(run("--color always")).contains('\u{1b}'), "{line}");
        assert!(text(run("--color=always")).contains('\u{1b}'), "{line}");
        assert!(!text(run("")).contains('\u{1b}'), "{line}");
        assert!(!text(run("--color never").env("CLICOLOR_FORCE", "1")).contains('\u{1b}'), "{line}");
        let wide = |text: &str| text.lines().filter(|line| line.chars().count() > 60).count();
        assert_eq!(wide(&text(run("--width 60"))), 0, "{line}");
        assert!(wide(&text(run(""))) > 0, "{line}");
        // The width of a pipe does not depend on the environment.
        assert_eq!(text(run("").env("COLUMNS", "40")), text(run("")));
    }
}

#[test]
fn reports_fit_a_narrow_terminal() {
    for line in [
        "test policies --coverage",
        "test policies/coding_agent.trim --min-coverage 100 --run nothing --allow-empty",
        "ci",
        "simulate policies/stuck_agent.trim policies",
        "simulate policies/coding_agent.trim policies/coding_agent.jsonl",
        "simulate policies/coding_agent.trim policies/coding_agent.jsonl --explain 30",
        "lint docs --statistics",
        "explain mask",
        "lints",
        "diff docs/diff_before.trim docs/diff_after.trim --on policies",
    ] {
        for width in [40, 60] {
            let output = Run::line(line).arg("--width").arg(width.to_string()).output();
            assert!(!output.out.is_empty(), "{line}: {}", output.err);
            for text in output.out.lines().filter(|text| text.trim().contains(' ')) {
                assert!(text.chars().count() <= width, "{line}: {text}");
            }
        }
    }
}

#[test]
fn nothing_is_cut_on_a_narrow_terminal() {
    for line in ["test policies --coverage", "ci", "explain mask", "simulate policies/stuck_agent.trim policies"] {
        let words = |width: &str| {
            let out = Run::line(&format!("{line} --width {width}")).output().exits_with(0).out;
            let (names, mut words): (Vec<String>, Vec<String>) =
                out.split_whitespace().map(str::to_owned).partition(|word| word.ends_with("jsonl"));
            words.sort();
            (words, names)
        };
        let ((narrow, short), (wide, full)) = (words("40"), words("300"));
        assert_eq!(narrow, wide, "{line}");
        // Long names of recordings lose their middle, so that each has one line.
        let shortens = |short: &String, full: &String| match short.split_once("...") {
            None => short == full,
            Some((start, end)) => full.starts_with(start) && full.ends_with(end),
        };
        let all = short.len() == full.len() && short.iter().zip(&full).all(|(short, full)| shortens(short, full));
        assert!(all, "{line}: {short:?} {full:?}");
    }
}

#[test]
fn a_closed_output_pipe_does_not_change_the_exit_code() {
    for (line, code) in [
        ("simulate policies/coding_agent.trim policies --format json", 0),
        ("explain --all", 0),
        ("validate tests/check", 1),
        ("lint docs --format jsonl", 1),
        ("simulate policies/coding_agent.trim policies --format jsonl", 141),
        ("simulate policies/coding_agent.trim policies --contexts -", 141),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trimtab"))
            .args(line.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
        assert_eq!(output.status.code(), Some(code), "{line}");
    }
}
