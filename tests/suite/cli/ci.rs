//! `trimtab ci`: every check of a project.

use super::{Run, folder, recording};

const GOOD: &str = r#"edition 2026

agent {
  window 200k tokens
}

policy p {
  rule only {
    when failures >= 3
    do notify "x"
    once per failures
  }
}

test "three errors are told of" {
  given failures 2, 3
  expect only fires at 1
}
"#;

const SETTINGS: &str = "[ci]\npaths = [\"policies\"]\ncoverage = \"80%\"\n\n[lint]\nselect = [\"never-true\"]\n\n\
                        [[simulate]]\npolicy = \"policies/p.trim\"\ntranscripts = [\"*.jsonl\"]\nexpect = [\"only never \
                        fires\"]\n";

fn project(policy: &str, settings: &str) -> tempfile::TempDir {
    // Files outside the paths of the settings are not checked.
    folder(&[
        ("policies/p.trim", policy),
        ("trimtab.toml", settings),
        ("r.jsonl", &recording()),
        ("other.trim", "nothing\n"),
    ])
}

fn ci(folder: &tempfile::TempDir, flags: &str) -> Run {
    Run::line(&format!("ci {flags}")).current_dir(folder.path())
}

#[test]
fn the_checks_of_this_project_pass() {
    let json = Run::line("ci --format json").output().exits_with(0).json();
    let names: Vec<&str> =
        json["parts"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["format", "lint", "test", "simulate", "recordings"]);
    assert!(json["parts"][3]["summary"].as_str().unwrap().starts_with("8 simulations, 8 replays: "), "{json:#}");
    let outcomes = json["simulations"].as_array().unwrap().iter().map(|one| one["verdict"]["outcome"].clone());
    assert_eq!(outcomes.filter(|outcome| outcome == "saves_money").count(), 3, "{json:#}");
}

#[test]
fn a_project_without_problems_has_one_line_per_check() {
    let folder = project(GOOD, SETTINGS);
    let output = ci(&folder, "").output().exits_with(0);
    let expected = "✓ format    1 file, 0 would be reformatted\n✓ lint      1 file: 0 errors, 0 warnings, 0 info messages\n\
                    ✓ test      1 of 1 test passed, lowest coverage of a policy 100% (80% required)\n\
                    ✓ simulate  1 simulation, 1 replay: 1 of 1 expectation met\n\
                    policies/p.trim: No rule fired: tokens sent 961.\nall checks passed\n";
    assert_eq!((output.out.as_str(), output.err.as_str()), (expected, ""));
    // A subfolder checks the same project.
    let below = Run::line("ci").current_dir(&folder.path().join("policies")).output().exits_with(0);
    let same = |out: &str| out.lines().filter(|line| !line.contains("p.trim: ")).collect::<Vec<_>>().join("\n");
    assert_eq!(same(&below.out), same(expected));
}

#[test]
fn each_check_fails_on_its_own() {
    let cases = [
        ("format", GOOD.replace("edition 2026", "edition   2026"), SETTINGS.to_owned(), "would be reformatted"),
        ("lint", GOOD.replace("failures >= 3", "failures < 0 results"), SETTINGS.to_owned(), "[never-true]"),
        ("test", GOOD.replace("at 1", "at 0"), SETTINGS.to_owned(), "three errors are told of: expect only fires at 0"),
        (
            "test",
            GOOD.replace("2, 3", "3").replace("at 1", "at 0"),
            SETTINGS.replace("80%", "90%"),
            "below the required 90%",
        ),
        ("simulate", GOOD.to_owned(), SETTINGS.replace("only never fires", "only fires"), "r.jsonl: only fires: "),
    ];
    for (name, policy, settings, text) in cases {
        let folder = project(&policy, &settings);
        let json = ci(&folder, "--format json").output().exits_with(1).json();
        for part in json["parts"].as_array().unwrap() {
            let expected = if part["name"] == name { "findings" } else { "fine" };
            // A rule that never fires is reported by more than one check.
            if name == "lint" && part["name"] == "test" {
                continue;
            }
            assert_eq!(part["result"], expected, "{name}: {json:#}");
            let is_reported =
                part["troubles"].as_array().unwrap().iter().any(|one| one["message"].as_str().unwrap().contains(text));
            assert_eq!(is_reported, part["name"] == name, "{name}: {json:#}");
        }
        let people = ci(&folder, "").output().exits_with(1).out;
        assert!(people.contains("\nfailed checks: ") && people.contains(name), "{people}");
    }
}

/// Only some problems are listed, and the gravest must be among them.
#[test]
fn an_error_behind_many_warnings_comes_first() {
    let warned = |at: usize| {
        format!("  rule w{at} {{\n    when context.ratio >= {at}%\n    do mask results keep 0 messages\n  }}\n\n")
    };
    let rules: String = (50..58).map(warned).collect();
    let never = "  rule never {\n    when failures < 0 results\n    do notify \"x\"\n  }\n";
    let folder = project(&format!("edition 2026\n\npolicy p {{\n{rules}{never}}}\n"), "");
    let output = ci(&folder, "").output().exits_with(1);
    let findings: Vec<&str> = output.out.lines().filter(|line| line.contains("policies/p.trim:")).collect();
    assert!(findings[0].contains("error[never-true]"), "{}", output.out);
    assert!(findings[1..].iter().all(|line| line.contains("warning[")) && findings.len() > 3, "{}", output.out);
    assert!(output.out.contains(" more\n"), "{}", output.out);
}

#[test]
fn problems_have_a_location() {
    let folder = project(&GOOD.replace("at 1", "at 0"), &SETTINGS.replace("only never fires", "only fires"));
    let json = ci(&folder, "--format json").output().exits_with(1).json();
    let place = |part: usize| {
        let one = &json["parts"][part]["troubles"][0];
        (one["file"].as_str().unwrap().to_owned(), one["line"].as_u64().unwrap())
    };
    assert_eq!(place(2), ("policies/p.trim".to_owned(), 17));
    assert_eq!(place(3), ("trimtab.toml".to_owned(), 11));
}

#[test]
fn an_incomplete_check_exits_with_2_even_if_another_failed() {
    for (from, to, text) in [
        ("only never fires", "only never", "error"),
        ("*.jsonl", "*.json", "matches no recording"),
        ("p.trim", "q.trim", "cannot read policies/q.trim"),
    ] {
        let folder = project(&GOOD.replace("at 1", "at 0"), &SETTINGS.replace(from, to));
        let json = ci(&folder, "--format json").output().exits_with(2).json();
        assert_eq!((&json["exit_code"], &json["parts"][3]["result"]), (&2.into(), &"failed".into()), "{json:#}");
        let message = json["parts"][3]["troubles"][0]["message"].as_str().unwrap();
        assert!(message.contains(text) || text == "error", "{message}");
    }
    ci(&project(GOOD, "nonsense = 1\n"), "").output().exits_with(2);
    ci(&project(GOOD, SETTINGS), "nowhere.trim").output().exits_with(2);
}

#[test]
fn a_project_without_policies_does_not_pass() {
    let empty = folder(&[("trimtab.toml", "[ci]\npaths = [\"policies\"]\n"), ("policies/note.md", "none yet\n")]);
    let output = ci(&empty, "").output().exits_with(2);
    assert_eq!((output.out.as_str(), output.err.contains("no policy file was found")), ("", true), "{}", output.err);
    ci(&project(GOOD, SETTINGS), "policies/*.md").output().exits_with(2);
    ci(&empty, "--allow-empty").output().exits_with(0);
}

#[test]
fn a_file_with_errors_is_reported_once() {
    let folder = project(&GOOD.replace("failures >=", "falures >="), SETTINGS);
    let output = ci(&folder, "--format json").output().exits_with(2);
    assert_eq!(output.err, "error: some checks could not be completed\n");
    let json: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    let message = json["parts"][1]["troubles"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("error[E201] "), "{message}");
    assert_eq!(json["parts"][2]["troubles"], serde_json::json!([]));
    let message = json["parts"][3]["troubles"][0]["message"].as_str().unwrap();
    assert_eq!(message, "policies/p.trim has errors: run `trimtab validate policies/p.trim`");
}

#[test]
fn a_github_workflow_gets_annotations_and_a_summary() {
    let folder = project(&GOOD.replace("at 1", "at 0"), SETTINGS);
    let summary = folder.path().join("summary.md");
    std::fs::write(&summary, "before\n").unwrap();
    let run = || {
        let run = ci(&folder, "").env("GITHUB_ACTIONS", "true");
        run.env("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()).output().exits_with(1).out
    };
    let out = run();
    assert!(out.starts_with("::error title=test,file=policies/p.trim,line=17,col="), "{out}");
    assert!(out.contains("\nsimulate: passed: 1 simulation"), "{out}");
    let text = std::fs::read_to_string(&summary).unwrap();
    assert!(text.starts_with("before\n### Trimtab: failed checks: test\n\n| check | result | summary |\n"), "{text}");
    let table =
        "\n\n| simulation | verdict | transcripts | expectations met | cost | change | tokens sent | change |\n";
    let row = "\n| `policies/p.trim` | no rule fired | 1 | 1 of 1 | unknown, 0 of 3 calls priced |  | 961 |  |\n";
    assert!(text.contains(table) && text.contains(row), "{text}");
    let charts =
        "Context at each call of `r.jsonl`. Lines: as recorded (grey), `policies/p.trim` (blue).\n\n```mermaid\n";
    assert!(text.contains(charts) && text.matches("\n  line [").count() == 2, "{text}");
    let out = ci(&folder, "--format human").env("GITHUB_ACTIONS", "true").output().exits_with(1).out;
    assert!(out.starts_with("✓ format"), "{out}");
}

#[test]
fn calls_over_the_window_and_calls_that_are_not_made_come_first() {
    let stop =
        "edition 2026\n\npolicy p {\n  rule enough {\n    when budget.calls >= 1\n    do stop \"enough\"\n  }\n}\n";
    let settings = "profile = \"narrow\"\n\n[ci]\npaths = [\"policies\"]\n\n[lint]\nselect = [\"never-true\"]\n\n[profiles.narrow]\n\
                    window = \"100 tokens\"\n\n[[simulate]]\npolicy = \"policies/p.trim\"\ntranscripts = [\"*.jsonl\"]\n";
    let folder = project(stop, settings);
    for format in ["human", "markdown"] {
        let out = ci(&folder, &format!("--format {format} --width 200")).output().out;
        let first = out.find("over the window").unwrap_or_else(|| panic!("{out}"));
        let then = out.find("stops 1 of 1 transcript").unwrap_or_else(|| panic!("{out}"));
        assert!(first < then && out.contains("not made"), "{out}");
    }
}

#[test]
fn a_simulation_can_have_its_own_profile() {
    let tight =
        GOOD.replace("failures >= 3", "context.ratio >= 50%").replace("agent {\n  window 200k tokens\n}\n\n", "");
    let tight = tight.replace("once per failures", "once").split("test ").next().unwrap().trim_end().to_owned() + "\n";
    let settings = SETTINGS.replace("coverage = \"80%\"\n", "").replace("only never fires", "only fires");
    let narrow = "[profiles.narrow]\nwindow = \"600 tokens\"\n".to_owned() + &settings;
    ci(&project(&tight, &narrow), "").output().exits_with(1);
    ci(&project(&tight, &(narrow.clone() + "profile = \"narrow\"\n")), "").output().exits_with(0);
    ci(&project(&tight, &narrow), "--profile narrow").output().exits_with(0);
}
