//! `CommandSummariser`: the command gets the request, and no process survives a timeout.

use std::time::{Duration, Instant};

use trimtab::{CommandSummariser, Summarise, SummaryAnswer, SummaryError, SummaryRequest};

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
    let start = Instant::now();
    assert_eq!(run("yes").await, Err(SummaryError::TooLong(1 << 20)));
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// Waits until no process has this number any more.
async fn ends(id: &str) -> bool {
    for _ in 0..100 {
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

async fn processes(file: &std::path::Path) -> Vec<String> {
    for _ in 0..200 {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if text.ends_with('\n') {
            return text.split_whitespace().map(str::to_owned).collect();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Vec::new()
}

#[tokio::test]
async fn a_timeout_kills_the_command_and_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("processes");
    let limit = Duration::from_millis(300);
    let answer = CommandSummariser::new(hanging(&file)).timeout(limit).summarise(&request(), 1).await;
    assert_eq!(answer, Err(SummaryError::Timeout(limit)));
    let ids = processes(&file).await;
    assert_eq!(ids.len(), 2);
    for id in ids {
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
