//! `trimtab simulate --tokens exact`.

use super::{Run, folder};

const POLICY: &str = "edition 2026\npolicy p { rule m { do mask results keep 4 messages } }\n";

/// A recording without usage.
fn recording(model: &str) -> String {
    format!(
        "{{\"trimtab\":1,\"model\":\"{model}\"}}\n{{\"role\":\"user\",\"content\":\"hello assumptions\"}}\n\
         {{\"role\":\"assistant\",\"content\":\"hello\"}}\n"
    )
}

#[test]
fn exact_counts_need_a_published_tokenizer() {
    let (gpt, claude) = (recording("gpt-5"), recording("claude-opus-4-6"));
    let folder = folder(&[("p.trim", POLICY), ("gpt.jsonl", &gpt), ("claude.jsonl", &claude)]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let claude = run("simulate p.trim claude.jsonl --tokens exact").exits_with(2);
    assert!(claude.err.contains("the tokenizer of `claude-opus-4-6` is not published"), "{}", claude.err);
    assert!(claude.err.contains("--tokens estimate"), "{}", claude.err);
    let gpt = run("simulate p.trim gpt.jsonl --tokens exact --format json");
    if cfg!(not(feature = "exact")) {
        assert!(gpt.exits_with(2).err.contains("the feature `exact`"));
        return;
    }
    let transcript = &gpt.exits_with(0).json()["transcripts"][0];
    assert_eq!(transcript["counter"]["name"], "exact");
    // Two words and the delimiters of a message.
    assert_eq!(transcript["before"]["peak_tokens"], 5);
    let both = run("simulate p.trim gpt.jsonl claude.jsonl --format json").exits_with(0).json();
    let counters: Vec<_> = (0..2).map(|at| both["transcripts"][at]["counter"]["name"].clone()).collect();
    assert_eq!(counters, ["exact", "estimate"]);
    run("calibrate gpt.jsonl --tokens exact").exits_with(0);
}
