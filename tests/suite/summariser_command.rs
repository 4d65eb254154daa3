//! `CommandSummariser`: the command gets the request, and no process survives a timeout.

use std::time::Duration;

use trimtab::host::Command;
use trimtab::simulate::Summariser as _;
use trimtab::{CommandSummariser, Summarise as _, SummaryAnswer, SummaryError, SummaryRequest};

use crate::endpoint::request;

const KEY: &str = "sk-secret-1234567890";

async fn run(line: &str) -> Result<SummaryAnswer, SummaryError> {
    CommandSummariser::new(line).timeout(Duration::from_secs(10)).summarise(&request(), 3).await
}

#[tokio::test]
async fn the_command_gets_the_request_and_its_output_is_the_summary() {
    let answer = run("cat; echo \"$TRIMTAB_SUMMARY of $TRIMTAB_AT_MOST\"").await.unwrap();
    assert_eq!(
        answer.text,
        "Summarise it.\n\nSummary so far:\nSo far, so good.\n\n[user] Mend the parser.\n[assistant] Done.\n3 of 400"
    );
    assert_eq!(answer.usage, None);
}

#[tokio::test]
async fn a_command_may_ignore_a_long_input() {
    let request = SummaryRequest { transcript: "long ".repeat(1_000_000), ..request() };
    for line in ["echo short", "exec <&-; echo short", "head -c 10 >/dev/null; echo short"] {
        let answer = CommandSummariser::new(line).summarise(&request, 1).await;
        assert_eq!(answer, Ok("short".to_owned().into()), "{line}");
    }
    let answer = CommandSummariser::new("exec 2>&-; wc -c").summarise(&request, 1).await.unwrap();
    assert!(answer.text.parse::<usize>().unwrap() > 5_000_000);
}

#[tokio::test]
async fn a_failing_command_is_named_without_its_arguments_and_its_output_without_secrets() {
    for (line, expected) in [
        (format!("sh -c 'echo one >&2; echo bad $1 >&2; exit 3' x {KEY}"), "`sh` ended with exit status: 3: one bad …"),
        ("no-such-program".to_owned(), "`no-such-program` ended with exit status: 127"),
        ("yes a | head -n 9000 >&2; echo last >&2; exit 1".to_owned(), "a a last"),
    ] {
        let error = run(&line).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains(expected) && !text.contains(KEY) && text.len() < 500, "{line}: {text}");
    }
    assert_eq!(run("true").await, Err(SummaryError::Empty));
    assert!(!format!("{:?}", CommandSummariser::new(format!("llm --key {KEY}"))).contains(KEY));
}

#[tokio::test]
async fn too_much_output_ends_the_command() {
    assert_eq!(run("yes").await, Err(SummaryError::TooLong(1 << 20)));
}

/// Waits until no process has this number any more.
async fn ends(id: &str) -> bool {
    for _ in 0..1_000 {
        let status = std::process::Command::new("sh").args(["-c", &format!("kill -0 {id} 2>/dev/null")]).status();
        // The first process of a container does not always take over orphans at once.
        let is_zombie = std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| stat.contains(") Z"));
        if is_zombie || !status.unwrap().success() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

/// A command that writes its number and that of a child to a file and then hangs.
fn hanging(file: &std::path::Path) -> String {
    format!("sleep 60 & echo $$ $! > '{}'; sleep 60", file.display())
}

/// The numbers in a file that a hanging command writes, once they are there. A busy machine may take long to start it.
async fn processes(file: &std::path::Path) -> Vec<String> {
    for _ in 0..5_000 {
        if let Some(ids) = written(file) {
            return ids;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Vec::new()
}

fn written(file: &std::path::Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(file).ok().filter(|text| text.ends_with('\n'))?;
    Some(text.split_whitespace().map(str::to_owned).collect())
}

/// Limits for a command that first writes a file: on a busy machine, a short one ends before that.
const LIMITS: [Duration; 4] =
    [Duration::from_millis(300), Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(25)];

#[tokio::test]
async fn a_timeout_kills_the_command_and_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("processes");
    let mut ids = None;
    for limit in LIMITS {
        let answer = CommandSummariser::new(hanging(&file)).timeout(limit).summarise(&request(), 1).await;
        assert_eq!(answer, Err(SummaryError::Timeout(limit)));
        ids = written(&file);
        if ids.is_some() {
            break;
        }
    }
    for id in ids.expect("the command writes its number") {
        assert!(ends(&id).await, "process {id}");
    }
}

#[tokio::test]
async fn a_cancelled_summary_kills_the_command_and_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("processes");
    let line = hanging(&file);
    let task = tokio::spawn(async move { CommandSummariser::new(line).summarise(&request(), 1).await });
    let ids = processes(&file).await;
    assert_eq!(ids.len(), 2);
    task.abort();
    for id in ids {
        assert!(ends(&id).await, "process {id}");
    }
}

/// The summariser of `trimtab simulate --summariser command:…`.
fn simulated(line: &str, limit: Duration) -> Result<String, String> {
    Command::new(line).timeout(limit).summarise(&request(), 3)
}

#[tokio::test]
async fn a_simulated_command_that_hangs_fails_after_its_time_and_is_killed_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    for (name, end) in [("waits", "sleep 60"), ("closed", "exec >&- 2>&-; sleep 60"), ("ended", "exit 0")] {
        let file = folder.path().join(name);
        let line = format!("sleep 60 & echo $$ $! > '{}'; {end}", file.display());
        let mut ids = None;
        for limit in LIMITS {
            let expected = format!("no answer within {} s", limit.as_secs_f64());
            assert_eq!(simulated(&line, limit).unwrap_err(), expected, "{name}");
            ids = written(&file);
            if ids.is_some() {
                break;
            }
        }
        for id in ids.expect("the command writes its number") {
            assert!(ends(&id).await, "{name}: process {id}");
        }
    }
}

#[test]
fn a_simulated_command_gets_the_request_and_its_output_is_the_summary() {
    let limit = Duration::from_secs(20);
    let text = simulated("cat; echo \"$TRIMTAB_SUMMARY of $TRIMTAB_AT_MOST\"", limit).unwrap();
    assert!(text.starts_with("Summarise it.\n\n") && text.ends_with("Done.\n3 of 400"), "{text}");
    assert_eq!(simulated("echo one; exec >&-; sleep 0.1", limit).unwrap(), "one");
    assert_eq!(simulated("yes", limit).unwrap_err(), "the answer is longer than 1048576 bytes");
    let error = simulated("yes a | head -n 9000 >&2; echo last >&2; exit 3", limit).unwrap_err();
    assert_eq!(error, "`yes` ended with exit status: 3: a a last");
}

/// Whether this process ignores `SIGINT`, the second signal.
fn ignores_interruptions() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 2 != 0)
}

#[tokio::test]
async fn a_command_does_not_outlive_a_simulation_that_is_killed_or_interrupted() {
    // A program that a script starts in the background ignores interruptions, and so do those that it starts.
    for signal in ["KILL", "INT", "TERM"].into_iter().filter(|signal| *signal != "INT" || !ignores_interruptions()) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("processes");
        let policy = "edition 2026\npolicy p { rule r { when context.messages >= 3 do summarise all } }\n";
        std::fs::write(folder.path().join("p.trim"), policy).unwrap();
        let message = |role: &str| format!("{{\"role\":\"{role}\",\"content\":\"{}\"}}\n", "words ".repeat(40));
        let all: String = ["user", "assistant"].into_iter().cycle().take(6).map(message).collect();
        std::fs::write(folder.path().join("a.jsonl"), format!("{{\"trimtab\":1}}\n{all}")).unwrap();
        let mut simulation = std::process::Command::new(env!("CARGO_BIN_EXE_trimtab"))
            .args(["simulate", "p.trim", "a.jsonl", "--summariser", &format!("command:{}", hanging(&file))])
            .current_dir(folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let ids = processes(&file).await;
        assert_eq!(ids.len(), 2, "{signal}");
        let kill = format!("kill -s {signal} {}", simulation.id());
        assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        assert!(!simulation.wait().unwrap().success());
        for id in ids {
            assert!(ends(&id).await, "{signal}: process {id}");
        }
    }
}
