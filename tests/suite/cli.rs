//! End-to-end tests of the binary: output, streams and exit codes.

mod bad_inputs;
mod calibrate;
mod ci;
mod compare_arms;
mod compile;
mod diff;
mod explain;
mod fmt;
mod formats;
mod hook;
mod hostile_repository;
mod hostile_settings;
mod import;
mod init;
mod inspect;
mod jobs;
mod lint;
mod merge;
mod misplaced;
mod models;
mod outputs;
mod prices;
mod profile;
mod recall;
mod recorded_cache;
mod report;
mod report_browser;
#[cfg(all(unix, feature = "proxy"))]
mod run;
mod schema;
mod shell;
mod simulate;
mod simulate_chart;
mod simulate_contexts;
mod simulate_events;
mod simulate_exact;
mod simulate_explain;
mod simulate_playbook;
mod simulate_sample;
mod simulate_snapshots;
mod simulate_tables;
mod since;
mod suggest;
mod suggest_rules;
mod suggest_settings;
mod sweep;
mod sweep_page;
mod terminal;
mod test;
mod transcript;
mod validate;
mod verdict;

use std::ffi::OsString;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

/// A command line of the binary, run at the root of the project in a fixed environment.
pub(crate) struct Run {
    command: Command,
    input: String,
}

/// The exit code and the output of a run.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn new<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trimtab"));
        command.args(arguments.into_iter().map(Into::into)).current_dir(env!("CARGO_MANIFEST_DIR"));
        command.env("LC_ALL", "C.UTF-8");
        for name in [
            "COLUMNS",
            "NO_COLOR",
            "CLICOLOR_FORCE",
            "RAYON_NUM_THREADS",
            "RUST_BACKTRACE",
            "GITHUB_ACTIONS",
            "GITHUB_STEP_SUMMARY",
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
        ] {
            command.env_remove(name);
        }
        Self { command, input: String::new() }
    }

    /// A run whose arguments are the words of a line.
    pub(crate) fn line(line: &str) -> Self {
        Self::new(line.split_whitespace())
    }

    pub(crate) fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.command.arg(argument.into());
        self
    }

    /// Sets the working directory.
    pub(crate) fn current_dir(mut self, folder: &std::path::Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets the home directory.
    pub(crate) fn home(self, folder: &std::path::Path) -> Self {
        let home = folder.to_str().unwrap();
        self.env("HOME", home).env("USERPROFILE", home)
    }

    pub(crate) fn input(mut self, text: impl Into<String>) -> Self {
        self.input = text.into();
        self
    }

    pub(crate) fn output(mut self) -> Output {
        let piped = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = self.input;
        // A run that exits early does not read its input.
        let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Output {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Output {
    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn exits_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }

    #[track_caller]
    fn lines(&self) -> Vec<Json> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The schema of a JSON value: keys and types, of a list the type of its first element.
fn shape(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(_) => "bool".to_owned(),
        Json::Number(number) if number.is_f64() => "float".to_owned(),
        Json::Number(_) => "int".to_owned(),
        Json::String(_) => "text".to_owned(),
        Json::Array(items) => format!("[{}]", items.first().map(shape).unwrap_or_default()),
        Json::Object(map) => {
            let keys = map.iter().map(|(key, value)| format!("{key}: {}", shape(value)));
            format!("{{{}}}", keys.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A temporary folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// Runs git in a folder.
#[track_caller]
fn git(folder: &std::path::Path, line: &str) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "init.defaultBranch=main"]);
    git.args(["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false", "-c", "core.hooksPath=nowhere"]);
    let output = git.args(line.split_whitespace()).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with these files in its only commit.
fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = folder(files);
    git(folder.path(), "init -q");
    git(folder.path(), "add .");
    git(folder.path(), "commit -q -m first");
    folder
}

/// A small recording: three calls and two results, one of them long.
pub(crate) fn recording() -> String {
    let long = "alpha beta gamma delta ".repeat(60);
    format!(
        r#"{{"trimtab":1,"id":"hand","window":4000,"tools":["look","note"]}}
{{"role":"system","content":"You look things up."}}
{{"role":"user","content":"What stands in a and b?"}}
{{"role":"assistant","content":[{{"type":"text","text":"First a."}},{{"type":"tool_call","id":"c1","name":"look","arguments":{{"path":"a"}}}}]}}
{{"role":"tool","content":[{{"type":"tool_result","id":"c1","content":"{long}"}}]}}
{{"role":"assistant","content":[{{"type":"tool_call","id":"c2","name":"look","arguments":"{{\"path\":\"b\"}}"}}]}}
{{"role":"tool","content":[{{"type":"tool_result","id":"c2","content":"short","is_error":true}}]}}
{{"role":"assistant","content":"a is long, b is short."}}
"#
    )
}

/// A policy of one rule.
fn policy(rule: &str) -> String {
    format!("edition 2026\npolicy one {{\n  rule only {{ {rule} }}\n}}\n")
}
