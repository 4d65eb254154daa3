use std::fs;

use serde_json::{Value as Json, json};

use super::*;

const POLICY: &str =
    "edition 2026\npolicy p { rule r { when context.messages >= 3 do summarise all on_failure keep } }\n";

/// Runs the subcommand over recordings of these texts. Returns how it ended and its result.
fn simulate(texts: &[&str], more: &[&str]) -> (Result<Exit, Failure>, Json) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("is written");
        path
    };
    let policy = file("p.trim", POLICY);
    for (at, text) in texts.iter().enumerate() {
        let message = |role: &str| json!({ "role": role, "content": text.repeat(40) }).to_string() + "\n";
        let all: String = ["user", "assistant"].iter().cycle().take(6).map(|role| message(role)).collect();
        file(&format!("{at}.jsonl"), &format!("{{\"trimtab\":1}}\n{all}"));
    }
    let out = folder.path().join("out");
    let command = Simulate::augment_args(clap::Command::new("simulate"));
    let fixed = ["simulate", "--format", "json", "--summariser", "panics"].map(std::ffi::OsString::from);
    let paths = [policy.into_os_string(), folder.path().as_os_str().to_owned(), "-o".into(), out.clone().into()];
    let words = fixed.into_iter().chain(more.iter().map(Into::into)).chain(paths);
    let ended = run(&command.get_matches_from(words));
    let json = serde_json::from_str(&fs::read_to_string(out).expect("a result")).expect("JSON");
    (ended, json)
}

#[test]
fn a_panic_in_one_recording_is_reported_as_its_error_beside_the_others() {
    let (ended, json) = simulate(&["plain ", "目录 ", "words "], &[]);
    assert!(
        matches!(&ended, Err(Failure::Message(reason)) if reason == "1 of 3 recordings could not be replayed"),
        "{ended:?}"
    );
    let done: Vec<_> = json["transcripts"].as_array().into_iter().flatten().map(|one| &one["summaries"]).collect();
    assert_eq!(done.len(), 2, "{json:#}");
    let error = &json["errors"][0];
    assert!(error["file"].as_str().is_some_and(|file| file.ends_with("1.jsonl")), "{error}");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(
        message.starts_with("internal error in this recording: ") && message.contains("a word beyond ASCII"),
        "{message}"
    );
    assert!(message.contains("please report it"), "{message}");
}

#[test]
fn without_a_panic_all_are_reported() {
    let (ended, json) = simulate(&["plain ", "words "], &["--strict"]);
    assert!(matches!(ended, Ok(Exit::Success)), "{ended:?}");
    assert_eq!(json["errors"], json!([]));
}
