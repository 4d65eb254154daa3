//! `trimtab lint` and `trimtab lints`.

use std::fs;

use super::{Run, folder};

const POLICY: &str =
    "edition 2026\nlet spare = 40%\npolicy p {\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n";

#[test]
fn warnings_exit_with_1_and_infos_with_0() {
    let output = Run::new(["lint", "-", "--format", "concise"]).input(POLICY).output().exits_with(1);
    assert!(output.out.contains("<stdin>:2:5: warning[unused-let]"), "{}", output.out);
    assert!(output.out.contains("info[double-negation]"), "{}", output.out);
    Run::new(["lint", "-", "--select", "double-negation"]).input(POLICY).output().exits_with(0);
    Run::new(["lint", "-", "--select", "style", "--fail-level", "info"]).input(POLICY).output().exits_with(1);
    Run::new(["lint", "-", "--ignore", "unused-let"]).input(POLICY).output().exits_with(0);
}

#[test]
fn an_unknown_lint_on_the_command_line_is_a_usage_error_with_a_suggestion() {
    let output = Run::new(["lint", "-", "--ignore", "unused-lets"]).input(POLICY).output().exits_with(2);
    assert!(output.err.contains("did you mean `unused-let`?"), "{}", output.err);
}

#[test]
fn fixes_are_shown_as_a_diff_then_applied_and_nothing_is_left() {
    let folder = folder(&[("p.trim", POLICY)]);
    let path = folder.path().join("p.trim");
    let name = path.to_str().unwrap();
    let shown = Run::new(["lint", name, "--diff", "--unsafe-fixes"]).output().exits_with(1);
    assert!(shown.out.contains("-let spare = 40%\n"), "{}", shown.out);
    assert_eq!(fs::read_to_string(&path).unwrap(), POLICY, "--diff writes nothing");
    let output = Run::new(["lint", name, "--fix", "--unsafe-fixes"]).output().exits_with(0);
    assert!(output.err.contains("applied 2 fixes in 1 file"), "{}", output.err);
    let fixed = "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), fixed);
    Run::new(["lint", name, "--diff", "--unsafe-fixes"]).output().exits_with(0);
}

#[test]
fn standard_input_is_fixed_to_standard_output() {
    let output = Run::new(["lint", "-", "--fix", "--unsafe-fixes"]).input(POLICY).output().exits_with(0);
    assert!(output.out.starts_with("edition 2026\npolicy p"), "{}", output.out);
}

#[test]
fn the_command_line_overrides_the_settings_of_the_project() {
    let folder = folder(&[("p.trim", POLICY)]);
    let path = folder.path().join("p.trim");
    let settings = "[lint]\nignore = [\"style\"]\n[lint.severity]\nunused-let = \"error\"\n\
                    [[lint.files]]\npaths = [\"old/**\"]\nignore = [\"all\"]\n";
    fs::write(folder.path().join("trimtab.toml"), settings).unwrap();
    fs::create_dir(folder.path().join("old")).unwrap();
    fs::write(folder.path().join("old/q.trim"), POLICY).unwrap();
    let name = path.to_str().unwrap();
    let output = Run::new(["lint", name, "--format", "concise"]).output().exits_with(1);
    assert!(output.out.contains("error[unused-let]") && !output.out.contains("double-negation"), "{}", output.out);
    let output = Run::new(["lint", name, "--format", "concise", "--extend-select", "style"]).output().exits_with(1);
    assert!(output.out.contains("double-negation"), "{}", output.out);
    let output = Run::new(["lint", name, "--isolated", "--format", "concise"]).output().exits_with(1);
    assert!(output.out.contains("warning[unused-let]"), "{}", output.out);
    Run::new(["lint", folder.path().join("old").to_str().unwrap()]).output().exits_with(0);
}

#[test]
fn errors_in_the_settings_are_shown_with_their_location() {
    let folder = folder(&[("p.trim", POLICY)]);
    let path = folder.path().join("p.trim");
    fs::write(folder.path().join("trimtab.toml"), "[lint]\nignroe = [\"style\"]\n").unwrap();
    let output = Run::new(["lint", path.to_str().unwrap()]).output().exits_with(2);
    assert!(output.err.contains("E702") && output.err.contains("trimtab.toml:2:1"), "{}", output.err);
}

#[test]
fn comments_suppress_findings_unless_the_flag_ignores_them() {
    let text = POLICY.replace("let spare", "# trimtab: allow(unused-let) for the next version\nlet spare");
    Run::new(["lint", "-"]).input(&text).output().exits_with(0);
    let output = Run::new(["lint", "-", "--no-suppress", "--format", "concise"]).input(&text).output().exits_with(1);
    assert!(output.out.contains("unused-let"), "{}", output.out);
    let json = Run::new(["lint", "-", "--format", "sarif"]).input(&text).output().exits_with(0).json();
    let results = json["runs"][0]["results"].as_array().unwrap();
    let suppressed = results.iter().find(|result| result["ruleId"] == "unused-let").unwrap();
    assert_eq!(suppressed["suppressions"][0]["justification"], "for the next version");
}

#[test]
fn statistics_count_by_lint() {
    let output = Run::new(["lint", "-", "--statistics"]).input(POLICY).output().exits_with(1);
    assert!(output.out.contains("    1  [*] double-negation  negation"), "{}", output.out);
}

#[test]
fn more_warnings_than_allowed_exit_with_1() {
    let run =
        |most: &str| Run::new(["lint", "-", "--fail-level", "error", "--max-warnings", most]).input(POLICY).output();
    run("1").exits_with(0);
    assert!(run("0").exits_with(1).err.contains("1 warning found, more than --max-warnings 0 allows"));
}

#[test]
fn warnings_up_to_the_allowed_number_exit_with_0() {
    let run = |line: &str| Run::line(&format!("lint - {line}")).input(POLICY).output();
    run("--max-warnings 1").exits_with(0);
    run("--max-warnings 5 --statistics").exits_with(0);
    run("--max-warnings 5 --fail-level info").exits_with(1);
    run("--max-warnings 5 --fail-level info --ignore style").exits_with(0);
    Run::line("lint docs/mistakes.trim --max-warnings 5").output().exits_with(1);
    // Allowed warnings are no failures in a JUnit report either.
    let out = run("--max-warnings 1 --format junit").exits_with(0).out;
    assert!(out.contains("tests=\"1\" skipped=\"0\" failures=\"0\"") && out.contains("<system-out>"), "{out}");
    assert!(run("--format junit").exits_with(1).out.contains("failures=\"1\""));
}

#[test]
fn the_help_says_which_severity_fails() {
    let help = |verb: &str| {
        let help = Run::line(&format!("{verb} --help")).output().exits_with(0).out;
        let (_, help) = help.split_once("--fail-level").unwrap();
        help.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(help("lint").starts_with(
        "<SEVERITY> The lowest severity that exits with code 1 [default: `fail_level` in [ci], else warning"
    ));
    assert!(help("validate").starts_with("<SEVERITY> The lowest severity that exits with code 1 [default: error]"));
}

#[test]
fn statistics_obey_fail_level_format_and_width() {
    let run = |line: &str| Run::line(&format!("lint - --statistics {line}")).input(POLICY).output();
    run("--fail-level error").exits_with(0);
    let json = run("--format json").exits_with(1).json();
    let one = &json["statistics"][0];
    assert_eq!((&one["code"], &one["count"], &one["fixable"]), (&"double-negation".into(), &1.into(), &true.into()));
    assert_eq!(json["summary"]["warnings"], 1);
    let output = run("--format sarif").exits_with(2);
    assert_eq!((output.out.as_str(), output.err.contains("human, plain and json")), ("", true), "{}", output.err);
    for line in run("--width 40").exits_with(1).out.lines() {
        assert!(line.chars().count() <= 40, "{line}");
    }
}

#[test]
fn fixes_are_counted_as_safe_or_unsafe() {
    let stderr = |line: &str| Run::line(&format!("lint docs/linting/coder.trim {line}")).output().err;
    assert_eq!(stderr("--select redundant-part"), "1 finding can be fixed with --fix\n");
    assert_eq!(stderr("--select heavy-before-light"), "1 finding can be fixed with --fix --unsafe-fixes\n");
    let both = stderr("--select redundant-part,heavy-before-light");
    assert_eq!(both, "1 finding can be fixed with --fix, 1 more with --fix --unsafe-fixes\n");
}

#[test]
fn lints_lists_every_lint() {
    let out = Run::line("lints").output().exits_with(0).out;
    let json = Run::line("lints --format json").output().exits_with(0).json();
    for lint in trimtab::lint::LINTS {
        assert!(out.contains(lint.name()), "{}", lint.name());
        assert!(json["rules"].as_array().unwrap().iter().any(|one| one["name"] == lint.name()));
    }
    let one = Run::line("lints --category suppression").output().exits_with(0).out;
    assert!(one.contains("unused-suppression") && !one.contains("unused-let"), "{one}");
    assert_eq!(Run::line("rules").output().exits_with(0).out, out, "the former name of the subcommand");
}

#[test]
fn lint_replays_policies_on_recordings() {
    let run = |name: &str| {
        let (policy, recording) = (format!("policies/{name}.trim"), format!("policies/{name}.jsonl"));
        Run::new(["lint", &policy, "--select", "evidence", "--against", &recording, "--format", "concise"]).output()
    };
    let output = run("coding_agent").exits_with(0);
    assert!(output.out.contains("info[never-fires] rule `hand_over` was never due in"), "{}", output.out);
    assert!(!output.out.contains("mask_old_results"), "{}", output.out);
    let without = Run::new(["lint", "policies/coding_agent.trim", "--select", "evidence"]).output().exits_with(0);
    assert!(!without.out.contains("never-fires"), "{}", without.out);
    Run::new(["lint", "policies/coding_agent.trim", "--against", "policies/coding_agent.trim"]).output().exits_with(2);
    // A fix is checked by a replay of the fixed text.
    let text = "edition 2026\npolicy p {\n  rule r { when context.tokens < 100M tokens do inject \"Be brief.\" for step }\n}\n";
    let folder = folder(&[("p.trim", text)]);
    let path = folder.path().join("p.trim");
    let arguments = |more: &str| {
        let against = ["--select", "evidence", "--against", "policies/stuck_agent.jsonl"];
        Run::new(["lint", path.to_str().unwrap()])
            .arg(against[0])
            .arg(against[1])
            .arg(against[2])
            .arg(against[3])
            .arg(more)
    };
    let shown = arguments("--format=concise").output().exits_with(1);
    assert!(shown.out.contains("warning[always-fires] rule `r` fired at each of"), "{}", shown.out);
    arguments("--fix").arg("--unsafe-fixes").output().exits_with(0);
    assert!(fs::read_to_string(&path).unwrap().contains("every 5 iterations"));
}

#[test]
fn the_tests_that_a_fix_adds_pass() {
    let text = fs::read_to_string("tests/lint/untested_rule/several.trim").unwrap();
    let folder = folder(&[("p.trim", &text)]);
    let path = folder.path().join("p.trim");
    let name = path.to_str().unwrap();
    Run::new(["lint", name, "--select", "untested-rule", "--fix", "--unsafe-fixes"]).output().exits_with(0);
    let output = Run::new(["test", name]).output().exits_with(0);
    assert!(output.out.contains("3 tests: 3 passed"), "{}", output.out);
}

#[test]
fn yaml_effects_of_one_kind_are_not_reported_as_duplicates() {
    let text = "agents:\n  - name: coder\n    effects:\n      - kind: observation_mask\n        params: {threshold: 0.6}\n      \
                - kind: observation_mask\n        params: {threshold: 0.4, recent_window: 4}\n      - kind: loop_detect\n        \
                params: {threshold: 12, window_size: 10}\n      - kind: loop_detect\n        params: {threshold: 3}\n";
    let folder = folder(&[("p.yaml", text)]);
    let path = folder.path().join("p.yaml");
    let run = |more: &str| Run::new(["lint", path.to_str().unwrap(), "--format", "concise", more]).output().out;
    let out = run("--select=duplicate-rule,never-true,guard-never-opens");
    assert_eq!(out.matches("never-true").count(), 1, "{out}");
    assert!(!out.contains("duplicate-rule") && !out.contains("guard-never-opens"), "{out}");
    assert!(out.contains("p.yaml:8:15: error[never-true]"), "{out}");
}

#[test]
fn a_fix_of_a_unit_keeps_the_comment_before_it() {
    let text = "edition 2026\n\npolicy p \"p\" {\n  rule a {\n    do trim results to 500 # a page\n    character keep 2 results\n  }\n}\n";
    let out = Run::line("lint - --fix").input(text).output().out;
    assert!(out.contains("# a page") && out.contains("chars"), "{out}");
    let million = "edition 2026\n\nagent { window 1 M tokens }\n";
    assert!(Run::line("lint - --fix").input(million).output().out.contains("1 M tokens"));
}

#[test]
fn comments_suppress_findings_in_yaml() {
    let text = "agents:\n  - name: coder\n    effects:\n      # trimtab: allow(early-reduction) short sessions only\n\
                \x20     - kind: compact\n        params:\n          threshold: 0.05\n      - kind: loop_detect\n";
    let run = |text: &str| {
        let folder = folder(&[("p.yaml", text)]);
        let path = folder.path().join("p.yaml");
        let select = "early-reduction,suppression";
        Run::new(["lint", path.to_str().unwrap(), "--select", select, "--format", "concise"]).output()
    };
    assert!(run(&text.replace("# trimtab", "# ")).exits_with(1).out.contains("early-reduction"));
    let kept = run(text).exits_with(0);
    assert!(!kept.out.contains("early-reduction"), "{}", kept.out);
}

#[test]
fn rules_prints_columns_that_fit_the_terminal() {
    for width in [60, 80, 100] {
        let out = Run::line(&format!("rules --width {width}")).output().exits_with(0).out;
        for line in out.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        let units: Vec<&str> = out.lines().skip(1).take_while(|line| !line.is_empty()).collect();
        let places = units.iter().filter_map(|line| line.find("  warning  ").or_else(|| line.find("  info     ")));
        let places: Vec<usize> = places.collect();
        assert!(places.len() > 4 && places.iter().all(|place| *place == places[0]), "{out}");
    }
}

#[test]
fn unsafe_fixes_requires_fix_or_diff() {
    let output = Run::new(["lint", "-", "--unsafe-fixes"]).input(POLICY).output().exits_with(2);
    assert!(output.err.contains("--unsafe-fixes") && output.err.contains("needs --fix"), "{}", output.err);
    assert!(output.out.is_empty(), "{}", output.out);
}

#[test]
fn a_rejected_fix_is_reported_with_its_reason() {
    let text =
        "agents:\n  - name: a\n    effects:\n      - kind: compact\n        params: {threshold: 0.8, thresold: 3}\n";
    let folder = folder(&[("p.yaml", text)]);
    let path = folder.path().join("p.yaml");
    let output = Run::new(["lint", path.to_str().unwrap(), "--fix", "--unsafe-fixes"]).output().exits_with(1);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert!(output.err.contains("1 fix not applied:\n"), "{}", output.err);
    let reason = "p.yaml:5: E609: the fix (write `threshold`) would add E605: duplicate key `threshold`";
    assert!(output.err.contains(reason), "{}", output.err);
}

#[test]
fn the_edition_is_inserted_after_a_byte_order_mark() {
    let policy = "policy p \"p\" {\n  rule a { do notify \"x\" once }\n}\n";
    let output =
        Run::new(["lint", "-", "--fix", "--unsafe-fixes"]).input(format!("\u{feff}{policy}")).output().exits_with(0);
    assert_eq!(output.out, format!("\u{feff}edition 2026\n\n{policy}"));
}

#[test]
fn imported_files_are_not_counted_as_linted() {
    let base = "edition 2026\nlet spare = 40%\npolicy base { rule a { when context.ratio >= 80% do notify \"x\" } }\n";
    let mine = "edition 2026\nuse \"base.trim\"\npolicy mine \"m\" extends base { }\n";
    let folder = folder(&[("base.trim", base), ("mine.trim", mine)]);
    let lint = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let output = lint("lint mine.trim").exits_with(0);
    assert!(output.out.starts_with("1 file checked"), "{}", output.out);
    assert_eq!(lint("lint mine.trim --format json").json()["summary"]["files"], 1);
    let both = lint("lint mine.trim base.trim --format json").exits_with(1).json();
    assert_eq!((&both["summary"]["files"], both["summary"]["warnings"].as_u64() > Some(0)), (&2.into(), true));
    // An imported file is checked with the file that imports it.
    assert_eq!(lint("validate mine.trim --format json").json()["summary"]["files"], 2);
}
