//! How much of a sum of money is priced is written by one type, and in the same words by every report.

use std::fs;

use crate::cli::{Run, folder};
use crate::layers;

/// The only files that write it, for the program and for pages.
const WRITERS: [&str; 2] = ["report/partial_sum.rs", "script/figure.js"];

/// Texts that would say it in another way.
const SPELLINGS: [&str; 4] = ["} priced", "at least ${", "\"at least {}\"", "known cost"];

/// A session with a call of a known model and one of an unknown model.
const RECORDING: &str = r#"{"trimtab":1,"id":"mixed","model":"claude-sonnet-4-5","window":200000}
{"role":"user","content":"Look."}
{"role":"assistant","content":[{"type":"tool_call","id":"c1","name":"look","arguments":{"at":1}}],"usage":{"input":900,"output":90}}
{"role":"tool","content":[{"type":"tool_result","id":"c1","content":"one two three"}]}
{"role":"assistant","model":"own-model","content":"Done.","usage":{"input":1200,"output":40}}
"#;

const POLICY: &str = "edition 2026\npolicy p { rule tell { when context.tokens >= 1k tokens do notify \"large\" } }\n";

#[test]
fn one_file_writes_how_much_of_a_sum_is_priced() {
    let mut files = layers::sources();
    let mut scripts = Vec::new();
    layers::files("crates/trimtab-report/src/report/page/script".as_ref(), &mut scripts);
    files.extend(scripts.into_iter().map(|path| (path.clone(), path.to_string_lossy().into_owned())));
    let mut writers = 0;
    for (path, name) in files {
        let text = fs::read_to_string(path).unwrap();
        let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let found = SPELLINGS.iter().find(|spelling| code.iter().any(|line| line.contains(**spelling)));
        let is_writer = WRITERS.iter().any(|writer| name.ends_with(writer));
        writers += usize::from(is_writer && found.is_some());
        assert!(is_writer || found.is_none(), "{name} says {found:?} itself; use `PartialSum`");
    }
    assert_eq!(writers, WRITERS.len());
}

#[test]
fn every_report_says_in_the_same_words_how_much_is_priced() {
    let folder = folder(&[("r.jsonl", RECORDING), ("s.jsonl", RECORDING), ("p.trim", POLICY), ("q.trim", POLICY)]);
    let run = |line: &str| Run::line(line).env("COLUMNS", "200").current_dir(folder.path()).output().out;
    let (calls, cell) = ("1 of 2 calls priced", "(1 of 2 priced)");
    let expected: &[(&str, &[&str])] = &[
        ("simulate p.trim r.jsonl", &[calls, "`own-model` has no known price: add it"]),
        ("simulate --policies p.trim q.trim -- r.jsonl", &[cell]),
        ("simulate p.trim r.jsonl --format markdown", &[calls, cell]),
        ("simulate p.trim r.jsonl s.jsonl", &["0 of 2 transcripts priced", cell]),
        ("transcript stat r.jsonl", &[calls, cell]),
        ("transcript stat r.jsonl --by day", &[calls, cell]),
        ("suggest r.jsonl", &[calls]),
        ("diff p.trim q.trim --on r.jsonl", &[cell]),
        ("report p.trim r.jsonl", &[calls, "[1,2]"]),
    ];
    for (line, texts) in expected {
        let out = run(line);
        for text in *texts {
            assert!(out.contains(text), "{line} lacks {text}:\n{out}");
        }
        assert!(!out.contains("at least $"), "{line}:\n{out}");
    }
}
