//! `--jobs`: work on many recordings in parallel, in the order of the input.

use std::fmt::Write;

use super::{Run, folder};

/// Conversations in one file, larger than what is read as a whole.
fn many() -> String {
    let mut text = String::new();
    for number in 0..900 {
        let words = "the harbour office counts the boats ".repeat(20 + number % 40);
        let id = if number % 3 == 0 { String::new() } else { format!("\"id\":\"c{}\",", number % 500) };
        let messages =
            format!("[{{\"role\":\"user\",\"content\":\"{words}\"}},{{\"role\":\"assistant\",\"content\":\"done\"}}]");
        writeln!(text, "{{{id}\"messages\":{messages}}}").unwrap();
        if number % 100 == 0 {
            text += "{\"metadata\":1}\nbroken\n";
        }
    }
    assert!(text.len() > 1 << 20);
    text
}

#[test]
fn the_output_does_not_depend_on_the_number_of_jobs() {
    let folder = folder(&[("many.jsonl", &many())]);
    for line in [
        "simulate policies/stuck_agent.trim policies",
        "simulate policies/stuck_agent.trim policies --format json",
        "simulate policies/stuck_agent.trim policies --format jsonl",
        "simulate policies/stuck_agent.trim policies --format csv --summariser command:cat",
        "transcript stat policies --format json",
        "transcript validate policies --format json",
        "diff policies/stuck_agent.trim policies/coding_agent.trim --format json --on policies",
    ] {
        let with = |jobs: &str| {
            let run = Run::line(line).arg(folder.path().join("many.jsonl")).arg("--jobs").arg(jobs);
            let output = run.output();
            assert!(output.code < 2, "{line}: {}", output.err);
            (output.out, output.err)
        };
        let one = with("1");
        assert!(!one.0.is_empty());
        for jobs in ["2", "7"] {
            assert_eq!(one, with(jobs), "{line}");
        }
    }
    Run::line("simulate policies/stuck_agent.trim policies -j 0").output().exits_with(2);
}

#[test]
fn a_large_file_is_read_in_pieces_with_the_same_names_and_counts() {
    let text = many();
    let folder = folder(&[("many.jsonl", &text)]);
    let json = |run: Run| run.arg(folder.path().join("many.jsonl")).output().exits_with(0);
    let whole = trimtab::transcript::read(text.as_bytes(), None).unwrap();
    let lines = json(Run::line("simulate policies/stuck_agent.trim --format jsonl")).out;
    let ids: Vec<String> = lines
        .lines()
        .map(|line| {
            let json: serde_json::Value = serde_json::from_str(line).unwrap();
            json["id"].as_str().unwrap().rsplit_once('#').unwrap().1.to_owned()
        })
        .collect();
    let expected: Vec<&str> = whole.transcripts.iter().map(|transcript| transcript.id.as_str()).collect();
    assert_eq!(ids, expected);
    let stat = json(Run::line("transcript stat --format json")).json();
    let file = &stat["files"][0];
    assert_eq!((&file["conversations"], &file["format"]), (&900.into(), &"openai_chat".into()), "{stat:#}");
    assert_eq!(file["skipped"], serde_json::json!({ "broken line": 9, "record without messages": 9 }));
}

#[test]
fn a_pipe_gets_no_progress() {
    let output = Run::line("simulate policies/stuck_agent.trim policies --jobs 2").output().exits_with(0);
    assert_eq!(output.err, "");
}
