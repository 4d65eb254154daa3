//! `trimtab simulate --playbook`, and the file that it reads.

use serde_json::{Value as Json, json};

use super::{Run, folder, policy, recording};

/// The texts of all system messages of each context, under a playbook.
fn prompts(playbook: Option<&Json>) -> (Vec<String>, String) {
    let text = playbook.map(ToString::to_string).unwrap_or_default();
    let folder = folder(&[("p.trim", &policy("do playbook")), ("r.jsonl", &recording()), ("book.json", &text)]);
    let inside = |name: &str| folder.path().join(name);
    let mut run = Run::new(["simulate"]).arg(inside("p.trim")).arg(inside("r.jsonl"));
    if playbook.is_some() {
        run = run.arg("--playbook").arg(inside("book.json"));
    }
    let out = run.arg("--contexts").arg(inside("c.jsonl")).output();
    let errors = out.err.clone();
    out.exits_with(0);
    let contexts = std::fs::read_to_string(inside("c.jsonl")).unwrap();
    let lines: Vec<Json> = contexts.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let prompt = |line: &Json| {
        let messages = line["messages"].as_array().unwrap().iter();
        let system = messages.take_while(|message| message["role"] == "system");
        system.map(|message| message["content"][0]["text"].as_str().unwrap()).collect::<Vec<_>>().join("|")
    };
    (lines.iter().map(prompt).collect(), errors)
}

fn playbook() -> Json {
    json!({
        "schema_version": 1,
        "strategies": [
            {"id": "rea-00000", "category": "reading", "content": "Read b before a."},
            {"id": "no id"},
        ],
    })
}

#[test]
fn the_strategies_are_at_the_end_of_the_system_prompt_of_each_request() {
    let (prompts, errors) = prompts(Some(&playbook()));
    let expected = "You look things up.|\n## Learned Strategies\n\n\
                    ### Reading\n- [rea-00000] Read b before a. (helpful=0, harmful=0)\n";
    assert_eq!(prompts, [expected; 3]);
    assert!(errors.contains("book.json: strategy 1 was skipped: `no id` is not an id"), "{errors}");
}

#[test]
fn without_a_playbook_nothing_is_added_until_something_is_learned() {
    assert_eq!(prompts(None).0, ["You look things up."; 3]);
}

#[test]
fn a_playbook_that_cannot_be_read_is_an_error() {
    let folder = folder(&[
        ("p.trim", &policy("do playbook")),
        ("r.jsonl", &recording()),
        ("book.json", "{\"schema_version\":2}"),
    ]);
    let inside = |name: &str| folder.path().join(name);
    for (file, reason) in [("book.json", "the playbook has version 2, not 1"), ("none.json", "no such file")] {
        let run = Run::new(["simulate"]).arg(inside("p.trim")).arg(inside("r.jsonl"));
        let out = run.arg("--playbook").arg(inside(file)).output();
        assert!(out.err.contains(reason), "{}", out.err);
        out.exits_with(2);
    }
}

#[test]
fn a_playbook_file_obeys_the_schema() {
    let schema = Run::new(["schema", "playbook"]).output().exits_with(0).json();
    jsonschema::draft202012::meta::validate(&schema).expect("a schema");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let (book, skipped) = trimtab::Playbook::read(&playbook().to_string()).unwrap();
    assert_eq!(skipped.len(), 1);
    let mut written: Json = serde_json::from_str(&book.write()).unwrap();
    assert!(schema.is_valid(&written), "{written:#}");
    assert!(!schema.is_valid(&playbook()), "a strategy has no content");
    written["strategies"][0]["id"] = "-x".into();
    assert!(!schema.is_valid(&written));
}

#[test]
fn the_report_says_what_was_learned() {
    let recorded = std::fs::read_to_string("policies/reflection_window.jsonl").unwrap();
    let harmful = json!({"id": "bad-00007", "category": "bad", "content": "Guess.", "harmful": 3, "created": 1});
    let known = json!({"id": "fil-00000", "category": "file_operations", "created": 1, "content":
                       "List a directory before reading files in it, so that every path is known to exist."});
    let book = json!({"schema_version": 1, "strategies": [harmful, known]}).to_string();
    let files = [("p.trim", &*policy("do playbook")), ("none.trim", &*policy("do notify \"x\""))];
    let folder = folder(&[files[0], files[1], ("r.jsonl", &*recorded), ("book.json", &*book)]);
    let inside = |name: &str| folder.path().join(name);
    let run = |policy: &str| {
        let run = Run::new(["simulate"]).arg(inside(policy)).arg(inside("r.jsonl"));
        run.arg("--playbook").arg(inside("book.json"))
    };
    let text = run("p.trim").output().exits_with(0).out;
    assert!(text.contains("At the end the playbook has 5 strategies: 4 added, 1 updated, 1 removed."), "{text}");
    let json = run("p.trim").arg("--format=json").output().exits_with(0).json();
    let schema = Run::new(["schema", "simulate"]).output().exits_with(0).json();
    jsonschema::validator_for(&schema).unwrap().validate(&json).unwrap();
    let learned = &json["transcripts"][0]["learned"];
    assert_eq!((&learned["strategies_before"], &learned["strategies_after"]), (&json!(2), &json!(5)), "{learned:#}");
    let (after, skipped) = trimtab::Playbook::read(&learned["at_end"].to_string()).unwrap();
    assert!(skipped.is_empty() && after.strategies().iter().any(|one| one.content == known["content"]));
    let json = run("none.trim").arg("--format=json").output().exits_with(0).json();
    assert_eq!(json["transcripts"][0]["learned"], Json::Null);
}
