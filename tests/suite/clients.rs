//! Sessions of real coding agents from the folder in `TRIMTAB_CLIENTS`, compared with what was sent (`tests/clients`).

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a script and asserts that it succeeds. Its table is printed in any case.
fn run<S: AsRef<OsStr>>(script: &str, arguments: impl IntoIterator<Item = S>) {
    let output =
        Command::new("python3").env("PYTHONDONTWRITEBYTECODE", "1").arg(script).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    std::io::stderr().write_all(text.as_bytes()).unwrap();
    assert!(output.status.success(), "{script}: {text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_comparison_with_real_agents_sees_every_kind_of_difference() {
    run("tests/clients/mutations.py", <[&str; 0]>::default());
}

#[test]
fn recordings_of_real_agents_have_what_was_sent() {
    let Ok(clients) = std::env::var("TRIMTAB_CLIENTS") else {
        // Without the macro, whose output is captured in a passing test.
        let notice = "\n*** SKIPPED: set TRIMTAB_CLIENTS to a directory of coding agents to run them; \
                      tests/clients/run.py --install fills it ***\n\n";
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
        return;
    };
    let (trimtab, kept) = (env!("CARGO_BIN_EXE_trimtab"), tempfile::tempdir().unwrap());
    let kept = kept.path().to_str().unwrap();
    run("tests/clients/run.py", [clients.as_str(), "--trimtab", trimtab, "--keep", kept]);
    let ccusage = Path::new(&clients).join("ccusage/node_modules/.bin/ccusage");
    if !ccusage.exists() {
        let notice = "\n*** SKIPPED: ccusage is not installed, so costs are not compared with it ***\n\n";
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
        return;
    }
    let sessions =
        ["claude_code", "claude_agent_sdk"].map(|name| Path::new(kept).join(name).join("home/.claude/projects"));
    let samples = std::env::var("TRIMTAB_SAMPLES").ok().map(|folder| Path::new(&folder).join("claude_code"));
    let found: Vec<PathBuf> = sessions.into_iter().chain(samples).filter(|folder| folder.exists()).collect();
    let arguments = [ccusage.as_path(), Path::new(trimtab)].map(Path::to_path_buf);
    run("tests/cost/ccusage.py", arguments.into_iter().chain(found));
}

#[test]
fn real_agents_go_through_the_proxy() {
    let Ok(clients) = std::env::var("TRIMTAB_CLIENTS") else {
        let notice =
            "\n*** SKIPPED: set TRIMTAB_CLIENTS to a directory of coding agents to run them through the proxy ***\n\n";
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
        return;
    };
    run("tests/clients/proxy.py", [clients.as_str(), "--trimtab", env!("CARGO_BIN_EXE_trimtab")]);
}

#[test]
fn pages_of_real_agents_are_true() {
    let Ok(clients) = std::env::var("TRIMTAB_CLIENTS") else {
        let notice = "\n*** SKIPPED: set TRIMTAB_CLIENTS to a directory of coding agents to run the pages of docs/agents ***\n\n";
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
        return;
    };
    run("tests/clients/pages.py", [clients.as_str(), "--trimtab", env!("CARGO_BIN_EXE_trimtab")]);
}
