//! Settings files that are hostile or damaged: a located error, or a policy, from every command, and never a change of the file.

use std::fs;
use std::path::Path;

use super::{Run, folder};

/// What each command makes of a file; `{}` is the file.
const LINES: &[&str] = &[
    "validate {}",
    "lint {}",
    "lint {} --fix",
    "simulate {} r.jsonl",
    "report {} r.jsonl -o report.html",
    "diff {} harness:codex",
    "diff harness:codex {}",
    "fmt {}",
    "import {}",
    "inspect {}",
    "compile {}",
];

/// Each file, and whether it is one that the system itself would read.
fn files() -> Vec<(&'static str, String, bool)> {
    const DEPTH: usize = 200_000;
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(DEPTH), close.repeat(DEPTH));
    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for pair in "abcdefghijkl".as_bytes().windows(2) {
        let (from, to) = (char::from(pair[0]), char::from(pair[1]));
        bomb += &format!("{to}: &{to} [{}]\n", vec![format!("*{from}"); 9].join(", "));
    }
    vec![
        ("nested.json", format!("{{\"compaction\": {}}}", nested("[", "]")), false),
        ("maps.json", format!("{{\"compaction\": {}", "{\"a\": ".repeat(DEPTH)), false),
        ("nested.toml", format!("model_provider = 'x'\nmodel = {}\n", nested("[", "]")), false),
        ("nested.yaml", format!("compression: {}\n", nested("[", "]")), false),
        ("indented.yaml", (0..2_000).map(|at| format!("{}compression:\n", " ".repeat(at))).collect::<Vec<_>>().concat(), false),
        ("nul.json", "{\"compaction\": {\"auto\": true\0}}".to_owned(), false),
        ("nul.toml", "model_provider = 'a\0b'\n".to_owned(), false),
        ("nul.yaml", "compression:\n  threshold: 0\0.5\n".to_owned(), false),
        ("mark.json", "{\"compaction\": {\"auto\": \u{FEFF}true}}".to_owned(), false),
        ("mark.yaml", "compression:\n  threshold: 0.5\n\u{FEFF}".to_owned(), false),
        ("marked.json", "\u{FEFF}{\"compaction\": {\"auto\": true}}".to_owned(), true),
        ("marked.toml", "\u{FEFF}model_provider = 'x'\n".to_owned(), true),
        ("marked.yaml", "\u{FEFF}compression:\n  threshold: 0.5\n".to_owned(), true),
        ("bomb.yaml", format!("{bomb}compression: *l\n"), false),
        ("circle.yaml", "compression: &x\n  threshold: *x\n".to_owned(), false),
        ("alias.yaml", "other: &x 0.7\ncompression:\n  threshold: *x\n".to_owned(), true),
        ("merged.yaml", "other: &x { threshold: 0.7 }\ncompression:\n  <<: *x\n".to_owned(), true),
        ("twice.json", "{\"compaction\": {\"auto\": 3, \"auto\": true}}".to_owned(), true),
        ("twice.toml", "model_provider = 'x'\nmodel = 'a'\nmodel = 'b'\n".to_owned(), false),
        ("twice.yaml", "compression:\n  threshold: 0.5\n  threshold: 0.6\n".to_owned(), false),
        (
            "types.json",
            "{\"compaction\": {\"auto\": [], \"reserved\": {}, \"tail_turns\": \"2\", \"preserve_recent_tokens\": -1, \"prune\": 1e999}, \
             \"provider\": {\"a\": {\"models\": [{\"limit\": 1}]}}}"
                .to_owned(),
            false,
        ),
        ("list.json", "{\"compaction\": [true], \"provider\": 5}".to_owned(), false),
        ("types.toml", "model_provider = 'x'\nmodel = 5\nmodel_context_window = 1.5\ncompact_prompt = {}\n".to_owned(), false),
        ("types.yaml", "compression:\n  threshold: [1]\n  protect_last_n: {}\n  enabled: 2026-01-01\n".to_owned(), false),
    ]
}

#[test]
fn every_command_reads_a_hostile_file_or_reports_where_it_is_wrong() {
    let files = files();
    let named: Vec<(&str, &str)> = files.iter().map(|(name, text, _)| (*name, text.as_str())).collect();
    let folder = folder(&named);
    fs::write(folder.path().join("r.jsonl"), super::recording()).unwrap();
    for (name, text, is_valid) in &files {
        for line in LINES {
            let line = line.replace("{}", name);
            let output = Run::line(&line).current_dir(folder.path()).output();
            let all = format!("{line}: {}\n{}{}", output.code, output.out, output.err);
            assert!(output.code <= 2 && !all.contains("panicked"), "{all}");
            if !is_valid && !line.starts_with("fmt") {
                assert!(output.code > 0, "{all}");
                assert!(output.err.contains(&format!("{name}:")) || output.out.contains(&format!("{name}:")), "{all}");
            }
            assert!(!is_valid || line.starts_with("lint") || line.starts_with("diff") || output.code == 0, "{all}");
            assert_eq!(&fs::read_to_string(folder.path().join(name)).unwrap(), text, "{line}");
        }
    }
}

/// Runs `compile --patch` and returns what is reported, and the file afterwards.
fn patched(file: &str, before: &str, policy: &str, target: &str, code: i32) -> (String, String) {
    let folder = folder(&[(file, before), ("p.trim", policy)]);
    let line = format!("compile p.trim --target {target} --allow-lossy --patch {file}");
    let output = Run::line(&line).current_dir(folder.path()).output().exits_with(code);
    (output.err, read(folder.path(), file))
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap()
}

const AT_70: &str =
    "edition 2026\npolicy p {\n  rule a { when context.ratio >= 70% do summarise older keep 21% on_failure stop }\n}\n";

#[test]
fn a_file_with_an_error_is_not_patched() {
    for (name, text, is_valid) in files() {
        let target = match name.rsplit_once('.').unwrap().1 {
            "json" => "opencode",
            "toml" => "codex",
            _ => "hermes",
        };
        if !is_valid {
            let (reported, after) = patched(name, &text, AT_70, target, 2);
            assert!(reported.contains(name) && reported.contains("is not changed"), "{name}: {reported}");
            assert_eq!(after, text, "{name}");
        }
    }
}

#[test]
fn what_anchors_give_is_changed_where_it_is_used_or_not_at_all() {
    for before in [
        "other: &x 0.5\ncompression:\n  threshold: *x\n",
        "other: &x { threshold: 0.5 }\ncompression:\n  <<: *x\n",
        "other: &x { threshold: 0.5 }\ncompression: *x\n",
        "compression: &x { threshold: 0.5 }\nother: *x\n",
        "compression: { threshold: &x 0.5 }\nother: *x\n",
    ] {
        // hermes-agent raises smaller shares than 75%.
        let policy = AT_70.replace("70%", "80%").replace("21%", "24%");
        let folder = folder(&[("config.yaml", before), ("p.trim", policy.as_str())]);
        let line = "compile p.trim --target hermes --allow-lossy --patch config.yaml";
        let output = Run::line(line).current_dir(folder.path()).output();
        let after = read(folder.path(), "config.yaml");
        if output.code == 2 {
            assert_eq!(after, before, "{}", output.err);
            assert!(output.err.contains("config.yaml"), "{}", output.err);
            continue;
        }
        // What other keys say stays, and the option has the new value.
        assert!(after.contains("0.8") && after.contains("other: "), "{before}{after}{}", output.err);
        let text = Run::line("import config.yaml --from hermes").current_dir(folder.path()).output().exits_with(0).out;
        assert!(text.contains("context.ratio >= 80%"), "{before}{after}");
    }
}

#[test]
fn a_key_that_is_written_twice_is_changed_where_it_counts() {
    let policy = "edition 2026\npolicy p {\n  rule a { when context.free <= 0 tokens do summarise older keep 9k tokens on_failure stop }\n}\n";
    let before = "{\"compaction\": {\"preserve_recent_tokens\": 1, \"preserve_recent_tokens\": 2}}\n";
    let folder = folder(&[("opencode.json", before), ("p.trim", policy)]);
    Run::line("compile p.trim --target opencode --allow-lossy --patch opencode.json")
        .current_dir(folder.path())
        .output()
        .exits_with(0);
    let text = Run::line("import opencode.json").current_dir(folder.path()).output().exits_with(0).out;
    assert!(text.contains("keep 9k tokens"), "{}\n{text}", read(folder.path(), "opencode.json"));
}
