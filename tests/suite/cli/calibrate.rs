//! `trimtab calibrate`.

use super::{Run, folder, recording};

/// A recording with usage: 12 calls, each with a result of a thousand words, and one compaction.
fn with_usage() -> String {
    let mut text =
        "{\"trimtab\":1,\"model\":\"claude-sonnet-4-5\"}\n{\"role\":\"user\",\"content\":\"Read all.\"}\n".to_owned();
    let (mut context, mut before) = (20_000, 0);
    for at in 0..12u64 {
        if at == 8 {
            text += "{\"role\":\"user\",\"content\":\"Go on.\",\"resets\":true}\n";
            (context, before) = (20_100, 0);
        }
        let result = "word ".repeat(1_000);
        text += &format!(
            "{{\"role\":\"assistant\",\"content\":[{{\"type\":\"tool_call\",\"id\":\"c{at}\",\"name\":\"read\",\
             \"arguments\":\"{{}}\"}}],\"usage\":{{\"input\":4,\"cache_read\":{before},\"cache_write\":{},\"output\":60}}}}\n\
             {{\"role\":\"tool\",\"content\":[{{\"type\":\"tool_result\",\"id\":\"c{at}\",\"content\":\"{result}\",\
             \"is_error\":false}}]}}\n",
            context - before - 4,
        );
        (before, context) = (context, context + 1_300);
    }
    text
}

#[test]
fn calibrate_reports_each_measure_by_model_and_format() {
    let folder = folder(&[("a.jsonl", &with_usage()), ("b.jsonl", &recording()), ("c.json", "no recording")]);
    let run = |more: &str| Run::line(&format!("calibrate . {more}")).current_dir(folder.path()).output();
    let output = run("--format json").exits_with(0);
    let json = output.json();
    assert_eq!(json["groups"].as_array().unwrap().len(), 1, "b.jsonl has no usage");
    let group = &json["groups"][0];
    assert_eq!([&group["model"], &group["format"]], ["claude-sonnet-4-5", "trimtab"]);
    assert_eq!([&group["conversations"], &group["calls"]], [1, 12]);
    let count = |measure: &str| group["measures"][measure]["count"].as_u64().unwrap();
    assert_eq!(["size", "growth", "reset", "compaction", "clearing"].map(count), [10, 10, 1, 1, 0]);
    assert_eq!(["cache_read", "cache_write", "cost"].map(count), [1; 3]);
    assert_eq!(json["errors"][0]["file"], "c.json");
    assert!(output.err.starts_with("error: c.json: unrecognised recording format"), "{}", output.err);
    run("--strict").exits_with(2);
    let human = run("").exits_with(0).out;
    assert!(human.contains("12 calls with usage in 1 conversation."), "{human}");
    assert!(run("--format markdown").exits_with(0).out.contains("claude-sonnet-4-5, trimtab"));
}

#[test]
fn calibrate_of_recordings_without_usage_says_so() {
    let folder = folder(&[("b.jsonl", &recording())]);
    let output = Run::line("calibrate b.jsonl").current_dir(folder.path()).output().exits_with(0);
    assert_eq!(output.out, "No recording has usage to compare with.\n");
    for line in ["calibrate b.jsonl --model unknown", "calibrate none.jsonl"] {
        Run::line(line).current_dir(folder.path()).output().exits_with(2);
    }
}
