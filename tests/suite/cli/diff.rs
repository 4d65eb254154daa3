//! `trimtab diff`: comparison of two policies from files and git revisions.

use serde_json::json;

use super::{Output, Run, folder, git, recording, repository};

const BASE: &str = "edition 2026\n\npolicy base {\n  rule compact { when context.ratio >= 80% do trim results to 100 \
                    chars keep 0 results }\n}\n";
const OWN: &str = "edition 2026\n\nuse \"common/base.trim\"\n\npolicy own extends base {\n  rule tell { when failures \
                   >= 3 do inject \"stop\" as user }\n}\n";

/// A repository with a policy that imports another one.
fn project() -> tempfile::TempDir {
    repository(&[("policies/own.trim", OWN), ("policies/common/base.trim", BASE)])
}

fn change(folder: &tempfile::TempDir, path: &str, from: &str, to: &str) {
    let path = folder.path().join(path);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from));
    std::fs::write(path, text.replace(from, to)).unwrap();
}

fn diff(folder: &tempfile::TempDir, line: &str) -> Output {
    Run::line(&format!("diff {line}")).current_dir(folder.path()).output()
}

#[test]
fn imports_of_a_revision_are_read_from_that_revision() {
    let folder = project();
    let line = "HEAD:policies/own.trim policies/own.trim";
    let same = diff(&folder, &format!("{line} --exit-code")).exits_with(0);
    assert!(same.out.starts_with("no differences: "), "{}", same.out);
    change(&folder, "policies/common/base.trim", "80%", "70%");
    let output = diff(&folder, line).exits_with(0);
    assert!(output.out.starts_with("compact (request): fires more, e.g. context.ratio = 7"), "{}", output.out);
    assert_eq!(output.out.lines().count(), 1, "{}", output.out);
    let back = diff(&folder, "policies/own.trim HEAD:policies/own.trim --exit-code").exits_with(1);
    assert!(back.out.starts_with("compact (request): fires less, e.g. no longer context.ratio = 7"), "{}", back.out);
    // The index is a revision, too.
    git(folder.path(), "add .");
    diff(&folder, ":policies/own.trim policies/own.trim --exit-code").exits_with(0);
}

#[test]
fn a_path_in_a_revision_starts_at_the_root_or_the_current_folder() {
    let folder = project();
    for path in ["HEAD:policies/own.trim", "HEAD:./own.trim", "HEAD:own.trim", "main:../policies/own.trim"] {
        let run = Run::new(["diff", path, "own.trim", "--exit-code"]).current_dir(&folder.path().join("policies"));
        assert!(run.output().exits_with(0).out.starts_with("no differences"), "{path}");
    }
}

#[test]
fn an_existing_file_wins_over_a_revision_in_an_ambiguous_argument() {
    let folder = project();
    std::fs::write(
        folder.path().join("HEAD:own.trim"),
        OWN.replace(">= 3", ">= 2").replace("common", "policies/common"),
    )
    .unwrap();
    let output = diff(&folder, "policies/own.trim HEAD:own.trim --exit-code").exits_with(1);
    assert!(output.out.starts_with("tell (request): fires more"), "{}", output.out);
}

#[test]
fn an_unreadable_policy_is_an_error_not_a_difference() {
    let repository = project();
    for (line, reason) in [
        ("nothing:policies/own.trim policies/own.trim", "unknown git revision `nothing`"),
        ("--policy own -- --output=x:own.trim policies/own.trim", "unknown git revision `--output=x`"),
        ("HEAD:policies/other.trim policies/own.trim", "there is no file `policies/other.trim` in `HEAD`"),
        ("HEAD:policies policies/own.trim", "there is no file"),
        ("policies/none.trim policies/own.trim", "cannot read policies/none.trim"),
        ("policies/own.trim policies/own.trim --policy none", "does not define a policy `none`"),
        ("- -", "can be used only once"),
    ] {
        let output = diff(&repository, &format!("{line} --exit-code")).exits_with(2);
        assert!(output.err.contains(reason) || line.starts_with("--policy"), "{line}: {}", output.err);
    }
    change(&repository, "policies/own.trim", "failures", "falures");
    let output = diff(&repository, "HEAD:policies/own.trim policies/own.trim").exits_with(2);
    assert!(output.err.contains("has errors and cannot be compared"), "{}", output.err);
    let plain = folder(&[("own.trim", BASE)]);
    let output = diff(&plain, "HEAD:own.trim own.trim").exits_with(2);
    assert!(output.err.contains("not a git repository"), "{}", output.err);
}

#[test]
fn a_path_in_a_revision_does_not_leave_the_repository() {
    let folder = repository(&[("own.trim", &OWN.replace("common/base", "../base"))]);
    let output = diff(&folder, "HEAD:own.trim own.trim").exits_with(2);
    assert!(output.err.contains("the path leaves the repository"), "{}", output.err);
}

#[test]
fn both_policies_are_compared_on_the_same_host() {
    let folder = repository(&[("a.trim", &format!("{BASE}agent {{ window 100k tokens }}\n"))]);
    change(&folder, "a.trim", "100k", "200k");
    let output = diff(&folder, "HEAD:a.trim a.trim --exit-code").exits_with(1);
    assert_eq!(output.out, "host: window 200,000 tokens, was 100,000 tokens\n");
    diff(&folder, "HEAD:a.trim a.trim --exit-code --window 50k").exits_with(0);
    std::fs::write(folder.path().join("trimtab.toml"), "[profiles.x]\nwindow = \"64k tokens\"\n").unwrap();
    diff(&folder, "HEAD:a.trim a.trim --exit-code --profile x").exits_with(0);
    // A number of tokens and a share of the window are equal thresholds for one window only.
    change(&folder, "a.trim", "context.ratio >= 80%", "context.tokens >= 40k tokens");
    assert!(
        diff(&folder, "HEAD:a.trim a.trim --window 50k").exits_with(0).out.starts_with("no differences: every rule")
    );
    assert!(
        diff(&folder, "HEAD:a.trim a.trim --window 40k").exits_with(0).out.starts_with("compact (request): fires less")
    );
}

#[test]
fn diff_on_recordings_lists_changed_firings() {
    let folder = project();
    std::fs::write(folder.path().join("one.jsonl"), recording()).unwrap();
    std::fs::write(folder.path().join("two.jsonl"), recording().replace("alpha beta gamma delta ", "")).unwrap();
    std::fs::write(folder.path().join("bad.jsonl"), "{").unwrap();
    change(&folder, "policies/common/base.trim", "80%", "2%");
    let line = "HEAD:policies/own.trim policies/own.trim --on one.jsonl two.jsonl";
    let output = diff(&folder, line).exits_with(0);
    assert!(
        output.out.contains("\nfirings changed in 1 of 2 transcripts\n") && output.out.contains("\none.jsonl: "),
        "{}",
        output.out
    );
    assert!(output.out.contains("  compact fires at call 1\n"), "{}", output.out);
    assert!(!output.out.contains("two.jsonl"), "{}", output.out);
    let json = diff(&folder, &format!("{line} bad.jsonl --format json")).exits_with(0).json();
    assert_eq!(json["replays"]["transcripts"], 2);
    let changed = &json["replays"]["changed"];
    assert_eq!(changed.as_array().map(Vec::len), Some(1));
    assert_eq!(changed[0]["firings"], json!([{ "rule": "compact", "no_longer": [], "now": [1] }]));
    let (before, after) = (&changed[0]["tokens"]["before"], &changed[0]["tokens"]["after"]);
    assert!(before.as_u64() > after.as_u64(), "{changed:#}");
    assert_eq!(json["errors"][0]["file"], "bad.jsonl");
    diff(&folder, "HEAD:policies/own.trim policies/own.trim --on bad.jsonl").exits_with(2);
}

#[test]
fn calls_that_a_stop_prevents_are_no_saving() {
    let policy = |rule: &str| format!("edition 2026\n\npolicy p {{ rule n {{ do notify \"n\" }} {rule} }}\n");
    let stop = "rule s { when budget.calls >= 20 do stop \"enough\" }";
    let folder = folder(&[("none.trim", &policy("")), ("stop.trim", &policy(stop))]);
    let recording = std::path::absolute("policies/coding_agent.jsonl").unwrap().display().to_string();
    let line = format!("none.trim stop.trim --isolated --on {recording}");
    let json = diff(&folder, &format!("{line} --format json")).exits_with(0).json();
    let changed = &json["replays"]["changed"][0];
    assert!(changed["calls_not_made"]["after"].as_u64() > Some(0), "{changed:#}");
    assert_eq!(changed["contexts"], json!([]));
    assert_eq!(changed["tokens"]["before"], changed["tokens"]["after"]);
    assert_eq!(changed["cost"]["before"], changed["cost"]["after"]);
    let out = diff(&folder, &line).exits_with(0).out;
    let stopped = out.find("calls not made").unwrap();
    assert!(
        stopped < out.find("tokens sent").unwrap() && out.contains("of the calls that are made with both"),
        "{out}"
    );
}

#[test]
fn only_changed_rules_have_a_line_with_their_old_and_new_effects() {
    let folder = folder(&[("a.trim", BASE), ("b.trim", OWN)]);
    std::fs::create_dir(folder.path().join("common")).unwrap();
    std::fs::write(folder.path().join("common/base.trim"), BASE).unwrap();
    change(&folder, "a.trim", "policy base", "policy own");
    let output = diff(&folder, "a.trim b.trim").exits_with(0);
    assert_eq!(output.out, "tell (request): added\n  after   inject \"stop\" as user\n");
    let output = diff(&folder, "b.trim a.trim").exits_with(0);
    assert_eq!(output.out, "tell (request): removed\n  before  inject \"stop\" as user\n");
    std::fs::write(folder.path().join("c.trim"), OWN.replace("stop", "go on").replace(">= 3", "> 2")).unwrap();
    let output = diff(&folder, "b.trim c.trim").exits_with(0);
    let expected = "tell (request): effects changed\n  before  inject \"stop\" as user\n  after   inject \"go on\" \
                    as user\n";
    assert_eq!(output.out, expected);
}

#[test]
fn one_policy_of_a_diff_can_come_from_standard_input() {
    let folder = folder(&[("a.trim", BASE)]);
    let run = Run::line("diff a.trim - --format markdown").current_dir(folder.path());
    let output =
        run.input(BASE.replace("trim results to 100", "notify \"a|b\" then trim results to 90")).output().exits_with(0);
    let row = "| compact (request) | effects changed | trim results to 100 chars keep 0 results | \
               notify \"a\\|b\" then trim results to 90 chars keep 0 results |";
    assert!(output.out.contains(row), "{}", output.out);
}

/// The values of the lines of the charts in a Markdown text.
fn chart_lines(text: &str) -> Vec<Vec<u64>> {
    let lists = text.lines().filter_map(|line| line.strip_prefix("  line [")?.strip_suffix(']'));
    lists.map(|list| list.split(", ").map(|value| value.parse().unwrap()).collect()).collect()
}

#[test]
fn markdown_has_charts_of_the_contexts_beside_the_table() {
    let policies = "docs/diff_before.trim docs/diff_after.trim";
    let on = |recordings: &str, format: &str| {
        Run::line(&format!("diff {policies} --window 96k --format {format} --on {recordings}")).output().exits_with(0)
    };
    let one = "policies/coding_agent.jsonl";
    let (text, json) = (on(one, "markdown").out, on(one, "json").json());
    assert_eq!(text.matches("```mermaid\n").count(), 1, "{text}");
    let (table, chart) = (text.find("| transcript | tokens | changes |"), text.find("```mermaid"));
    assert!(table.is_some() && table < chart, "{text}");
    let lines = chart_lines(&text);
    let peaks: Vec<Option<&u64>> = lines.iter().map(|line| line.iter().max()).collect();
    let replay = &json["replays"]["changed"][0];
    assert_eq!(peaks.len(), 3);
    for (peak, side) in peaks.iter().skip(1).zip(["before", "after"]) {
        assert_eq!(peak.copied(), replay["peak"][side].as_u64());
    }
    assert!(lines.iter().all(|line| Some(u64::try_from(line.len()).unwrap()) == replay["calls"].as_u64()));
    for (line, side) in lines.iter().skip(1).zip(["before", "after"]) {
        assert_eq!(Some(line.iter().sum()), replay["tokens"][side].as_u64());
    }
    // Several transcripts: their largest contexts, and the one that changes most.
    let (text, json) = (on("policies", "markdown --jobs 1").out, on("policies", "json").json());
    assert_eq!(text, on("policies", "markdown --jobs 3").out);
    let lines = chart_lines(&text);
    let lengths: Vec<usize> = lines.iter().map(Vec::len).collect();
    let changed = &json["replays"]["changed"][0];
    assert!(text.contains(&format!("Context at each call of `{}`.", changed["id"].as_str().unwrap())), "{text}");
    let [all, calls] = [&json["replays"]["transcripts"], &changed["calls"]].map(|count| count.as_u64().unwrap());
    assert_eq!(lengths, [all, all, all, calls, calls, calls].map(|count| usize::try_from(count).unwrap()));
    assert!(lines.iter().take(3).all(|line| line.is_sorted()), "{lines:?}");
    // Without recordings there is nothing to draw.
    let none = Run::line(&format!("diff {policies} --format markdown")).output().exits_with(0).out;
    assert!(!none.contains("mermaid"), "{none}");
}
