//! `trimtab inspect`.

use super::{Run, folder, policy};

const BASE: &str = "edition 2026\nlet busy = 60%\nprompt handover \"Sum it up.\"\npolicy careful \"Keeps room.\" {\n  \
    rule mask_old { when context.ratio >= busy do mask results once per failures }\n  \
    sealed rule fold { when context.ratio >= 80% do summarise all using handover }\n}\n";
const MINE: &str = "edition 2026\nuse \"base.trim\"\nagent { window 200k tokens }\npolicy mine extends careful {\n  \
    override rule mask_old { when context.ratio >= 40% no once limit 3 }\n}\n";

#[test]
fn inspect_prints_a_policy_with_the_same_hash() {
    let folder = folder(&[("base.trim", BASE), ("mine.trim", MINE)]);
    let page = Run::line("inspect mine.trim").current_dir(folder.path()).output().exits_with(0).out;
    for line in ["when context.ratio >= 40%", "# mine.trim:5", "# base.trim:6", "limit 3", "40% = 80,000 tokens"] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    std::fs::write(folder.path().join("flat.trim"), &page).unwrap();
    let hash = |file: &str| {
        let output = Run::line("inspect --format json").arg(file).current_dir(folder.path()).output().exits_with(0);
        output.json()["policy"]["hash"].clone()
    };
    assert_eq!(hash("mine.trim"), hash("flat.trim"));
    Run::line("validate flat.trim").current_dir(folder.path()).output().exits_with(0);
}

#[test]
fn the_json_output_has_the_location_of_each_value() {
    let folder = folder(&[("base.trim", BASE), ("mine.trim", MINE)]);
    let json = Run::line("inspect mine.trim --format json").current_dir(folder.path()).output().exits_with(0).json();
    let rule = &json["rules"][0];
    assert_eq!(rule["overrides"][0]["at"]["file"], "mine.trim");
    let place = |clause: &str| {
        let all = rule["clauses"].as_array().unwrap();
        let one = all.iter().find(|one| one["clause"] == clause).unwrap();
        (one["at"]["file"].as_str().unwrap().to_owned(), one["at"]["line"].as_u64().unwrap())
    };
    assert_eq!(place("when"), ("mine.trim".to_owned(), 5));
    assert_eq!(place("do"), ("base.trim".to_owned(), 5));
    assert_eq!(json["thresholds"][0]["tokens"], 80_000);
    assert_eq!(json["agent"]["window"]["at"]["line"], 3);
    assert_eq!(json["policy"]["extends"][0]["at"], serde_json::json!({ "file": "base.trim", "line": 4, "column": 8 }));
}

#[test]
fn the_window_option_takes_precedence_over_the_agent_block() {
    let folder = folder(&[("base.trim", BASE), ("mine.trim", MINE)]);
    let page = Run::line("inspect mine.trim --window 1000").current_dir(folder.path()).output().exits_with(0).out;
    assert!(
        page.contains("shares of the window of 1,000 tokens (--window)") && page.contains("40% = 400 tokens"),
        "{page}"
    );
    let page = Run::line("inspect base.trim").current_dir(folder.path()).output().exits_with(0).out;
    assert!(page.contains("shares of the window, whose size is unknown"), "{page}");
}

#[test]
fn a_policy_of_an_imported_file_can_be_selected() {
    let folder = folder(&[("base.trim", BASE), ("mine.trim", MINE)]);
    let page = Run::line("inspect mine.trim --policy careful").current_dir(folder.path()).output().exits_with(0).out;
    assert!(page.starts_with("# policy careful (base.trim:4)"), "{page}");
    let output = Run::line("inspect mine.trim --policy nobody").current_dir(folder.path()).output().exits_with(2);
    assert!(output.err.contains("careful"), "{}", output.err);
}

#[test]
fn a_graph_shows_which_policy_changes_which_rules() {
    let folder = folder(&[("base.trim", BASE), ("mine.trim", MINE)]);
    let graph = |language: &str| {
        Run::line("inspect mine.trim --graph").arg(language).current_dir(folder.path()).output().exits_with(0).out
    };
    assert!(graph("mermaid").contains("p0 -.->|overrides mask_old| p1"), "{}", graph("mermaid"));
    assert!(graph("dot").contains("\"mine\" -> \"careful\" [label=\"extends\"];"), "{}", graph("dot"));
}

#[test]
fn errors_exit_with_1_and_a_missing_file_with_2() {
    Run::line("inspect -").input(policy("do maks results")).output().exits_with(1);
    Run::line("inspect no_such.trim").output().exits_with(2);
}

#[test]
fn each_verb_resolves_imports() {
    let folder = folder(&[("base.trim", BASE), ("mine.trim", MINE), ("one.jsonl", &super::recording())]);
    let output = Run::line("validate mine.trim").current_dir(folder.path()).output().exits_with(0);
    assert_eq!(output.out, "2 files checked, no problems found\n");
    let json = Run::line("simulate mine.trim one.jsonl --format json")
        .current_dir(folder.path())
        .output()
        .exits_with(0)
        .json();
    assert_eq!(json["policy"]["name"], "mine");
    assert_eq!(json["transcripts"][0]["rules"][1]["name"], "fold");
}

#[test]
fn errors_in_an_imported_file_are_reported_once_in_that_file() {
    let bad = BASE.replace("mask results", "maks results");
    let folder =
        folder(&[("base.trim", &bad), ("mine.trim", MINE), ("other.trim", "edition 2026\nuse \"base.trim\"\n")]);
    let output = Run::line("validate mine.trim other.trim base.trim --format concise")
        .current_dir(folder.path())
        .output()
        .exits_with(1);
    assert_eq!(output.out, "base.trim:5:49: error[E202] unknown effect `maks`\n");
}
