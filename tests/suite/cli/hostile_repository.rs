//! Nothing that a repository contains makes a command start a program, or read or write a file outside.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Output, Run, git, policy, recording};

/// A repository in `repository`, beside which a program that git starts creates `started`.
struct Planted {
    folder: tempfile::TempDir,
}

/// The folders that get files which look like a repository.
const LEVELS: &[&str] = &["policies", "policies/deep", "recordings"];

impl Planted {
    /// Plants a bare repository with a work tree at every level, whose settings name a program for all that git starts.
    fn new() -> Self {
        let planted = Self { folder: tempfile::tempdir().unwrap() };
        let root = planted.root();
        let text = policy("when failures > 2 do notify \"x\"");
        let used =
            format!("edition 2026\nuse \"p.trim\"\n{}", text.replace("edition 2026\n", "").replace("one", "two"));
        for level in LEVELS {
            fs::create_dir_all(root.join(level)).unwrap();
        }
        fs::write(root.join("policies/p.trim"), &text).unwrap();
        fs::write(root.join("policies/q.trim"), used).unwrap();
        fs::write(root.join("policies/deep/p.trim"), text.replace("2 do", "3 do")).unwrap();
        fs::write(root.join("recordings/r.jsonl"), recording()).unwrap();
        let settings = "[ci]\npaths = [\"policies\"]\n[[simulate]]\npolicy = \"policies/p.trim\"\ntranscripts = [\"recordings/*.jsonl\"]\n";
        fs::write(root.join("trimtab.toml"), settings).unwrap();
        fs::write(root.join(".gitattributes"), "* diff=planted filter=planted\n").unwrap();
        git(&root, "init -q");
        git(&root, "add -f .");
        git(&root, "commit -q -m first");
        git(planted.folder.path(), "clone -q --bare repository bare");
        for level in LEVELS {
            for name in ["HEAD", "objects", "refs", "packed-refs"] {
                let from = planted.folder.path().join("bare").join(name);
                let copied = Command::new("cp").arg("-r").arg(from).arg(root.join(level)).status().unwrap();
                assert!(copied.success());
            }
            fs::write(root.join(level).join("config"), planted.settings()).unwrap();
            fs::write(root.join(level).join(".gitattributes"), "* diff=planted filter=planted\n").unwrap();
        }
        // What has changed is not only new.
        fs::write(root.join("policies/p.trim"), text.replace("> 2", "> 4")).unwrap();
        planted
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn marker(&self) -> PathBuf {
        self.folder.path().join("started")
    }

    fn settings(&self) -> String {
        let start = format!("touch {}; cat #", self.marker().display());
        format!(
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"{start}\"\n\
             \thooksPath = \"{0}\"\n\tpager = \"{start}\"\n\tsshCommand = \"{start}\"\n\teditor = \"{start}\"\n\
             \taskPass = \"{start}\"\n[pager]\n\tdiff = \"{start}\"\n\tconfig = \"{start}\"\n\trev-parse = \"{start}\"\n\
             \tcat-file = \"{start}\"\n[diff]\n\texternal = \"{start}\"\n[diff \"planted\"]\n\tcommand = \"{start}\"\n\
             \ttextconv = \"{start}\"\n[filter \"planted\"]\n\tclean = \"{start}\"\n\tsmudge = \"{start}\"\n\
             \tprocess = \"{start}\"\n[alias]\n\tconfig = \"!{start}\"\n[remote \"origin\"]\n\turl = \"ext::sh -c {start}\"\n\
             \tpromisor = true\n",
            self.folder.path().join("hooks").display()
        )
    }

    /// Runs a line in a folder of the repository and fails if git has started something.
    fn run(&self, folder: &str, line: &str) -> Output {
        let output = Run::line(line).current_dir(&self.root().join(folder)).home(self.folder.path()).output();
        assert!(!self.marker().exists(), "in `{folder}`, {line}: git started a program\n{}", output.err);
        output
    }
}

/// The lines with which commands use git, and others for the same files. `P` is the folder of the policies.
const LINES: &[&str] = &[
    "lint --since HEAD P",
    "lint --since HEAD P/p.trim P/q.trim",
    "validate --since HEAD P",
    "validate --since HEAD P/deep",
    "fmt --check --since HEAD P",
    "fmt --since HEAD P/deep/p.trim",
    "diff HEAD:policies/p.trim P/p.trim",
    "diff :policies/q.trim HEAD:policies/q.trim",
    "diff HEAD:./p.trim HEAD:./q.trim",
    "init --no-recordings --dry-run",
    "init P --no-recordings --dry-run",
    "init P/deep --no-recordings",
    "init P/new --no-recordings",
    "lint P",
    "ci",
    "test P",
    "inspect P/q.trim",
    "compile P/q.trim",
    "transcript stat P/../recordings",
    "simulate P/q.trim P/../recordings/r.jsonl",
];

#[test]
fn files_that_look_like_a_repository_start_nothing() {
    let planted = Planted::new();
    for line in LINES {
        for (folder, policies) in
            [("", "policies"), ("policies", "."), ("policies/deep", ".."), ("recordings", "../policies")]
        {
            planted.run(folder, &line.replace('P', policies));
        }
    }
    // `--since` works all the same.
    let output = planted.run("", "fmt --check --since HEAD policies").exits_with(1);
    assert!(output.out.contains("policies/p.trim") && !output.out.contains("q.trim"), "{}", output.out);
    // Where the working directory looks like a repository, git refuses.
    let output = planted.run("policies", "fmt --check --since HEAD p.trim q.trim").exits_with(2);
    assert!(output.err.contains("--since: git"), "{}", output.err);
    let output = planted.run("", "diff HEAD:policies/p.trim policies/p.trim").exits_with(0);
    assert!(output.out.contains("only"), "{}", output.out);
}

/// An archive can contain what git does not check out: a `.git` of its own.
#[test]
fn a_repository_in_an_archive_starts_nothing() {
    let planted = Planted::new();
    let policies = planted.root().join("policies");
    fs::create_dir(policies.join(".git")).unwrap();
    for name in ["HEAD", "objects", "refs", "packed-refs", "config"] {
        fs::rename(policies.join(name), policies.join(".git").join(name)).unwrap();
    }
    let settings = planted.settings().replace("worktree = .\n", "worktree = ..\n");
    fs::write(policies.join(".git/config"), settings).unwrap();
    fs::write(planted.root().join("recordings/.git"), "gitdir: ../recordings\n").unwrap();
    for line in LINES {
        for (folder, policies) in [("", "policies"), ("policies", "."), ("recordings", "../policies")] {
            planted.run(folder, &line.replace('P', policies));
        }
    }
}

/// Without this, the tests above could not fail.
#[test]
fn git_itself_starts_what_is_planted() {
    let planted = Planted::new();
    let mut status = Command::new("git");
    status.args(["-c", "safe.bareRepository=all", "status"]).current_dir(planted.root().join("policies"));
    let output = status.output().unwrap();
    assert!(planted.marker().exists(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn programs_in_the_working_directory_are_not_started() {
    let planted = Planted::new();
    for name in ["git", "sh"] {
        let program = planted.root().join(name);
        fs::write(&program, format!("#!/bin/sh\ntouch {}\n", planted.marker().display())).unwrap();
        fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let path = format!(".::{}", std::env::var("PATH").unwrap());
    for line in [
        "lint --since HEAD policies",
        "simulate policies/p.trim recordings/r.jsonl --summariser command:cat",
        "diff HEAD:policies/p.trim policies/p.trim",
    ] {
        let output = Run::line(line).current_dir(&planted.root()).env("PATH", &path).output();
        assert!(!planted.marker().exists(), "{line}: {}", output.err);
    }
}

const SECRET: &str = "TOPSECRET_WORD";

/// A repository `repository` beside the file `secret.env`.
fn beside_a_secret() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("repository");
    fs::create_dir_all(root.join("policies")).unwrap();
    fs::create_dir_all(folder.path().join("private")).unwrap();
    fs::write(folder.path().join("secret.env"), format!("{SECRET} = 1\n")).unwrap();
    fs::write(folder.path().join("private/r.jsonl"), recording()).unwrap();
    fs::write(folder.path().join("private/p.trim"), policy("do notify \"TOPSECRET_WORD\"")).unwrap();
    fs::write(root.join("policies/p.trim"), policy("when failures > 2 do notify \"x\" once per failures")).unwrap();
    fs::write(root.join("r.jsonl"), recording()).unwrap();
    git(&root, "init -q");
    folder
}

/// Runs a line in the repository, for at most some seconds.
fn run_bounded(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trimtab"));
    command.args(line.split_whitespace()).current_dir(folder.join("repository")).env("LC_ALL", "C.UTF-8");
    command.env_remove("GITHUB_ACTIONS").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("{line} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Output { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn settings_name_files_inside_the_project_only() {
    let folder = beside_a_secret();
    let root = folder.path().join("repository");
    symlink("../secret.env", root.join("link.trim")).unwrap();
    symlink("../private", root.join("linked")).unwrap();
    symlink("/dev/zero", root.join("zero.jsonl")).unwrap();
    for name in ["pipe.jsonl", "pipe.trim"] {
        assert!(Command::new("mkfifo").arg(root.join(name)).status().unwrap().success());
    }
    let simulate = |policy: &str, recordings: &str| {
        format!("[[simulate]]\npolicy = \"{policy}\"\ntranscripts = [\"{recordings}\"]\n")
    };
    let absolute = folder.path().join("secret.env").display().to_string();
    for (settings, reason) in [
        ("[ci]\npaths = [\"policies\", \"../secret.env\"]\n".to_owned(), "outside the project"),
        (format!("[ci]\npaths = [\"{absolute}\"]\n"), "not a relative path"),
        ("[ci]\npaths = [\"policies/../../secret.*\"]\n".to_owned(), "outside the project"),
        ("[ci]\npaths = [\"link.trim\"]\n".to_owned(), "outside the project"),
        ("[ci]\npaths = [\"linked\"]\n".to_owned(), "outside the project"),
        ("[ci]\npaths = [\"linked/*.trim\"]\n".to_owned(), "outside the project"),
        ("[ci]\npaths = [\"pipe.trim\"]\n".to_owned(), "not a regular file"),
        (simulate("../private/p.trim", "r.jsonl"), "outside the project"),
        (simulate("linked/p.trim", "r.jsonl"), "outside the project"),
        (simulate("pipe.trim", "r.jsonl"), "not a regular file"),
        (simulate("policies/p.trim", "/dev/zero"), "not a relative path"),
        (simulate("policies/p.trim", "zero.jsonl"), "outside the project"),
        (simulate("policies/p.trim", "pipe.jsonl"), "not a regular file"),
        (simulate("policies/p.trim", "../private/*.jsonl"), "outside the project"),
        (simulate("policies/p.trim", "linked/*.jsonl"), "outside the project"),
    ] {
        fs::write(root.join("trimtab.toml"), &settings).unwrap();
        let output = run_bounded(folder.path(), "ci");
        let all = output.out.clone() + &output.err;
        assert_eq!(output.code, 2, "{settings}{all}");
        assert!(all.contains(reason) && !all.contains(SECRET), "{settings}{all}");
    }
    // All problems are reported at once.
    let settings = "[ci]\npaths = [\"../a\", \"/b\"]\n".to_owned() + &simulate("../c", "../d");
    fs::write(root.join("trimtab.toml"), settings).unwrap();
    assert_eq!(run_bounded(folder.path(), "lint policies").err.matches("E711").count(), 4 * 2);
    // Inside the repository, settings may name what is above their directory.
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/trimtab.toml"), simulate("../policies/p.trim", "../r.jsonl")).unwrap();
    fs::remove_file(root.join("trimtab.toml")).unwrap();
    let output = run_bounded(folder.path(), "ci policies/p.trim --config sub/trimtab.toml");
    assert!(output.out.contains("1 simulation, 1 replay"), "{}{}", output.out, output.err);
}

#[test]
fn settings_above_the_repository_do_not_count() {
    let folder = beside_a_secret();
    fs::write(folder.path().join("trimtab.toml"), "profile = \"missing\"\n").unwrap();
    Run::line("lint policies").current_dir(&folder.path().join("repository")).output().exits_with(0);
    fs::write(folder.path().join("repository/trimtab.toml"), "profile = \"missing\"\n").unwrap();
    Run::line("lint policies").current_dir(&folder.path().join("repository")).output().exits_with(2);
}

/// Patterns of the shell select links that a repository contains like any other file.
#[test]
fn links_that_lead_out_of_the_repository_are_not_read() {
    let folder = beside_a_secret();
    let root = folder.path().join("repository");
    symlink("../../secret.env", root.join("policies/a.trim")).unwrap();
    symlink("../../secret.env", root.join("policies/a.yaml")).unwrap();
    symlink("../secret.env", root.join("opencode.json")).unwrap();
    symlink("../secret.env", root.join("a.jsonl")).unwrap();
    symlink("/dev/zero", root.join("policies/z.trim")).unwrap();
    fs::write(root.join("policies/uses.trim"), "edition 2026\nuse \"a.trim\"\n").unwrap();
    for line in [
        "validate policies/a.trim policies/a.yaml",
        "validate policies/uses.trim",
        "lint policies/a.trim policies/z.trim policies/p.trim",
        "fmt policies/a.trim",
        "test policies/z.trim",
        "inspect policies/a.trim",
        "import policies/a.yaml",
        "validate opencode.json",
        "lint opencode.json --fix --unsafe-fixes",
        "simulate opencode.json r.jsonl",
        "report opencode.json r.jsonl",
        "diff opencode.json policies/p.trim",
        "import opencode.json --from opencode",
        "compile policies/p.trim --target opencode --allow-lossy --patch opencode.json",
        "simulate policies/a.trim r.jsonl",
        "simulate policies/p.trim a.jsonl",
        "simulate policies/p.trim r.jsonl --playbook a.jsonl",
        "transcript show a.jsonl",
        "transcript redact a.jsonl",
        "merge a.jsonl",
        "lint policies/p.trim --config a.jsonl",
    ] {
        let output = run_bounded(folder.path(), line);
        let all = output.out.clone() + &output.err;
        assert_ne!(output.code, 0, "{line}: {all}");
        assert!(!all.contains(SECRET), "{line}: {all}");
    }
    // A folder is searched without them, and with settings that are no link.
    let output = run_bounded(folder.path(), "lint policies/p.trim policies --format concise");
    assert!(!output.out.contains(SECRET), "{}", output.out);
    symlink("../secret.env", root.join("trimtab.toml")).unwrap();
    let output = run_bounded(folder.path(), "lint policies/p.trim");
    assert!(output.code == 2 && output.err.contains("leads out of the repository"), "{}", output.err);
}

/// Ignore files are read before anything else in a folder.
#[test]
fn ignore_files_that_are_links_or_pipes_are_not_read() {
    for name in [".gitignore", ".ignore"] {
        for kind in ["device", "pipe", "secret"] {
            let folder = beside_a_secret();
            let root = folder.path().join("repository");
            match kind {
                "device" => symlink("/dev/zero", root.join("policies").join(name)).unwrap(),
                "secret" => symlink("../../secret.env", root.join("policies").join(name)).unwrap(),
                _ => assert!(Command::new("mkfifo").arg(root.join("policies").join(name)).status().unwrap().success()),
            }
            for line in
                ["lint policies", "lint .", "lint **/*.trim", "fmt --check policies", "init --no-recordings --dry-run"]
            {
                let output = run_bounded(folder.path(), line);
                assert!(!output.err.contains(SECRET), "{line}: {}", output.err);
            }
        }
    }
}

#[test]
fn results_are_not_written_through_links_that_lead_out_of_the_repository() {
    let folder = beside_a_secret();
    let root = folder.path().join("repository");
    symlink("../secret.env", root.join("report.html")).unwrap();
    symlink("../new.env", root.join("new.html")).unwrap();
    symlink("../private", root.join("out")).unwrap();
    for line in [
        "report policies/p.trim r.jsonl -o report.html",
        "report policies/p.trim r.jsonl -o new.html",
        "lint policies/p.trim -o out/lint.json",
        "simulate policies/p.trim r.jsonl --events out/events.jsonl",
        "simulate policies/p.trim r.jsonl --contexts new.html",
        "simulate policies/p.trim r.jsonl --svg report.html",
        "suggest r.jsonl --write out/s.trim",
        "man --output-dir out/man",
    ] {
        let output = run_bounded(folder.path(), line);
        assert_eq!(output.code, 2, "{line}: {}", output.err);
        assert!(output.err.contains("symbolic link"), "{line}: {}", output.err);
    }
    assert!(fs::read_to_string(folder.path().join("secret.env")).unwrap().contains(SECRET));
    assert!(!folder.path().join("new.env").exists());
    assert_eq!(fs::read_dir(folder.path().join("private")).unwrap().count(), 2);
    // A link inside the repository is followed, and stays.
    fs::create_dir(root.join("results")).unwrap();
    symlink("results/lint.json", root.join("lint.json")).unwrap();
    run_bounded(folder.path(), "lint policies/p.trim --format json -o lint.json");
    assert!(root.join("lint.json").is_symlink() && root.join("results/lint.json").is_file());
}

#[test]
fn the_security_page_lists_every_command() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/security.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let listed: Vec<&str> = rows.map(|(name, _)| name).collect();
    let command = trimtab::cli::command();
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    assert_eq!(listed, names);
    let git =
        command.get_subcommands().filter(|verb| verb.get_arguments().any(|argument| argument.get_id() == "since"));
    for verb in git.map(clap::Command::get_name) {
        assert!(
            page.lines().any(|line| line.starts_with(&format!("| `{verb}` ")) && line.contains("--since")),
            "{verb}"
        );
    }
}
