//! A command never writes its result over what it reads, and a command that fails keeps an older result.

use std::fs;
use std::path::Path;

use super::{Run, folder};

const POLICY: &str = "policies/coding_agent.trim";
const RECORDING: &str = "policies/coding_agent.jsonl";

/// A folder with a policy, a policy in YAML, `sessions` with two recordings, and a link to one of them.
fn project() -> tempfile::TempDir {
    let folder = folder(&[
        ("p.trim", &fs::read_to_string(POLICY).unwrap()),
        ("p.yaml", "effects:\n  - kind: max_iterations\n    limit: 3\n"),
        ("playbook.json", "{}"),
        ("trimtab.toml", ""),
    ]);
    fs::create_dir(folder.path().join("sessions")).unwrap();
    for name in ["a.jsonl", "b.jsonl"] {
        fs::copy(RECORDING, folder.path().join("sessions").join(name)).unwrap();
    }
    fs::hard_link(folder.path().join("sessions/a.jsonl"), folder.path().join("linked.jsonl")).unwrap();
    folder
}

fn contents(folder: &Path) -> Vec<Vec<u8>> {
    let names = ["p.trim", "p.yaml", "playbook.json", "trimtab.toml", "sessions/a.jsonl", "sessions/b.jsonl"];
    names.iter().map(|name| fs::read(folder.join(name)).unwrap()).collect()
}

#[test]
fn no_command_writes_over_what_it_reads() {
    for line in [
        "simulate p.trim sessions/a.jsonl -o sessions/a.jsonl",
        "simulate p.trim sessions/a.jsonl -o ./sessions/../sessions/a.jsonl",
        "simulate p.trim sessions/a.jsonl -o linked.jsonl",
        "simulate p.trim sessions/a.jsonl -o p.trim",
        "simulate p.trim sessions --format json -o sessions/b.jsonl",
        "simulate p.trim sessions/*.jsonl --svg sessions/b.jsonl",
        "simulate p.trim sessions/a.jsonl --events sessions/a.jsonl",
        "simulate p.trim sessions/a.jsonl --contexts sessions/a.jsonl",
        "simulate p.trim sessions/a.jsonl --playbook playbook.json -o playbook.json",
        "simulate --policies p.trim -o p.trim -- sessions",
        "report p.trim sessions -o sessions/a.jsonl",
        "sweep p.trim sessions --vary mask_old_results.keep=1,2 -o sessions/a.jsonl",
        "suggest sessions -o sessions/b.jsonl",
        "suggest sessions --force --write sessions/b.jsonl",
        "diff p.trim p.yaml -o p.yaml",
        "diff p.trim p.yaml --on sessions -o sessions/a.jsonl",
        "transcript convert sessions/a.jsonl --to trimtab -o sessions/a.jsonl",
        "transcript redact sessions/a.jsonl -o sessions/a.jsonl",
        "transcript stat sessions -o sessions/a.jsonl",
        "transcript validate sessions -o sessions/a.jsonl",
        "calibrate sessions -o sessions/a.jsonl",
        "fmt p.trim -o p.trim",
        "lint . -o p.trim",
        "lint p.trim --against sessions -o sessions/b.jsonl",
        "validate p.trim -o p.trim",
        "validate p.trim --config trimtab.toml -o trimtab.toml",
        "inspect p.trim -o p.trim",
        "compile p.trim -o p.trim",
        "import p.yaml -o p.yaml",
    ] {
        let folder = project();
        let before = contents(folder.path());
        let output = Run::line(line).current_dir(folder.path()).output().exits_with(2);
        assert!(output.err.contains("would overwrite"), "{line}: {}", output.err);
        assert_eq!(output.out, "", "{line}");
        assert!(contents(folder.path()) == before, "{line}");
    }
}

/// Results are not what these commands read, wherever they are.
#[test]
fn a_command_may_write_beside_what_it_reads_again_and_again() {
    let folder = project();
    for line in [
        "lint . --format json -o findings.json",
        "simulate p.trim sessions/a.jsonl --format json -o sessions/result.json",
        "simulate p.trim sessions/a.jsonl -o /dev/null --events /dev/null",
        "report p.trim sessions/*.jsonl -o sessions/page.html",
    ] {
        let codes = [(); 2].map(|()| Run::line(line).current_dir(folder.path()).output());
        assert!(codes.iter().all(|output| !output.err.contains("overwrite")), "{line}: {}", codes[1].err);
        assert_eq!(codes[0].code, codes[1].code, "{line}");
    }
}

#[test]
fn two_outputs_cannot_be_one_file() {
    let folder = project();
    for [contexts, events] in [["out.jsonl", "out.jsonl"], ["out.jsonl", "./out.jsonl"], ["./out.jsonl", "out.jsonl"]] {
        let line = format!("simulate p.trim sessions/a.jsonl --events {events} --contexts {contexts}");
        let output = Run::line(&line).current_dir(folder.path()).output().exits_with(2);
        let reason = format!("--contexts and --events name the same file, {events}");
        assert!(output.err.contains(&reason), "{}", output.err);
    }
}

#[test]
fn a_command_that_fails_keeps_an_older_result() {
    let folder = project();
    let result = folder.path().join("result.txt");
    fs::write(&result, "an older result, which is longer than the next one\n").unwrap();
    fs::write(folder.path().join("bad.trim"), "edition 2026\npolicy p { rule a { do nothing } }\n").unwrap();
    for line in [
        "simulate p.trim missing.jsonl -o result.txt",
        "simulate bad.trim sessions -o result.txt",
        "simulate p.trim sessions --model unheard-of -o result.txt",
        "transcript stat missing.jsonl -o result.txt",
    ] {
        assert_ne!(Run::line(line).current_dir(folder.path()).output().code, 0, "{line}");
        assert!(fs::read_to_string(&result).unwrap().starts_with("an older result"), "{line}");
    }
    Run::line("lint p.yaml --quiet -o result.txt").current_dir(folder.path()).output();
    assert!(!fs::read_to_string(&result).unwrap().contains("older"));
}
