//! `trimtab init`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{Output, Run, folder, git};

/// A folder `project` and a folder `home`.
fn site(files: &[(&str, &str)]) -> tempfile::TempDir {
    let site = folder(files);
    for name in ["project", "home"] {
        fs::create_dir_all(site.path().join(name)).unwrap();
    }
    site
}

fn init(site: &tempfile::TempDir, flags: &str) -> Output {
    let run = Run::line(&format!("init {flags}")).current_dir(&site.path().join("project"));
    run.home(&site.path().join("home")).output()
}

/// Every file below a folder with its text, without those of git.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        if path.is_dir() && !path.ends_with(".git") {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.is_file() {
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            all.insert(name, fs::read_to_string(path).unwrap());
        }
    }
    all
}

fn names(site: &tempfile::TempDir) -> Vec<String> {
    files(&site.path().join("project")).into_keys().collect()
}

/// Asserts that the checks of the project pass, all together and each on its own.
#[track_caller]
fn assert_checks_pass(project: &Path) {
    for line in ["ci", "validate .", "validate trimtab.toml", "lint .", "fmt --check .", "test ."] {
        let output = Run::line(line).current_dir(project).output().exits_with(0);
        assert!(!output.out.contains("warning["), "{line}: {}", output.out);
    }
}

#[test]
fn an_empty_folder_gets_a_policy_and_settings_that_pass_all_checks() {
    let site = site(&[]);
    let output = init(&site, "").exits_with(0);
    let expected = "created  policies/agent.trim\ncreated  trimtab.toml\nno CI file: no GitHub or GitLab repository was \
                    recognised (--ci github or --ci gitlab writes one)\n\nrecordings\n  none found (of Claude Code, Codex \
                    CLI, OpenCode, Gemini CLI, Qwen Code and 8 more)\n\nnext\n  check, lint and test:\n    trimtab ci\n  see what the policy would have \
                    done:\n    trimtab simulate policies/agent.trim RECORDING\n";
    let unfolded = output.out.replace("writes\none", "writes one");
    assert_eq!((unfolded.as_str(), output.err.as_str()), (expected, ""));
    assert_eq!(names(&site), ["policies/agent.trim", "trimtab.toml"]);
    assert_checks_pass(&site.path().join("project"));
}

#[test]
fn a_second_run_writes_nothing() {
    let site = site(&[]);
    init(&site, "--ci github").exits_with(0);
    let before = files(site.path());
    let output = init(&site, "--ci github --no-recordings").exits_with(0);
    let first = "kept     policies/agent.trim\nkept     trimtab.toml\nkept     .github/workflows/trimtab.yml\nnothing to \
                 write: every file exists\n\nnext\n";
    assert!(output.out.starts_with(first), "{}", output.out);
    assert_eq!(files(site.path()), before);
}

#[test]
fn a_partial_project_is_completed_and_existing_files_keep_every_byte() {
    let settings = "[ci]\npaths = [\"rules\"]\n";
    let partial = site(&[("project/trimtab.toml", settings)]);
    let output = init(&partial, "").exits_with(0);
    assert!(output.out.starts_with("created  rules/agent.trim\nkept     trimtab.toml\n"), "{}", output.out);
    assert_eq!(files(partial.path())["project/trimtab.toml"], settings);
    assert_checks_pass(&partial.path().join("project"));

    let policy = super::policy("when failures >= 3 do notify \"x\" once per failures");
    let partial = site(&[("project/deep/rules/p.trim", &policy)]);
    let output = init(&partial, "").exits_with(0);
    assert!(output.out.starts_with("kept     deep/rules/p.trim\ncreated  trimtab.toml\n"), "{}", output.out);
    assert!(output.out.contains("simulate deep/rules/p.trim "), "{}", output.out);
    let all = files(partial.path());
    assert_eq!((all.len(), &all["project/deep/rules/p.trim"]), (2, &policy));
    assert!(all["project/trimtab.toml"].contains("paths    = [\"deep\"]"), "{all:?}");

    // A link to a file is that file.
    let linked = site(&[("elsewhere.toml", settings)]);
    std::os::unix::fs::symlink("../elsewhere.toml", linked.path().join("project/trimtab.toml")).unwrap();
    let output = init(&linked, "").exits_with(0);
    assert!(output.out.contains("kept     trimtab.toml\n"), "{}", output.out);
    assert_eq!(files(linked.path())["elsewhere.toml"], settings);
}

#[test]
fn many_policies_are_counted() {
    let policies = ["a", "b", "c", "d"].map(|name| format!("project/policies/{name}.trim"));
    let text = super::policy("when failures >= 3 do notify \"x\"");
    let texts: Vec<(&str, &str)> = policies.iter().map(|name| (name.as_str(), text.as_str())).collect();
    let output = init(&site(&texts), "").exits_with(0);
    assert!(output.out.starts_with("kept     4 policy files\ncreated  trimtab.toml\n"), "{}", output.out);
    assert!(output.out.contains("trimtab simulate POLICY RECORDING\n"), "{}", output.out);
}

#[test]
fn the_git_remote_selects_the_ci_file() {
    for (url, file) in [
        ("git@github.com:owner/name.git", ".github/workflows/trimtab.yml"),
        ("https://gitlab.example.org/owner/name.git", ".gitlab-ci.yml"),
    ] {
        let site = site(&[]);
        let project = site.path().join("project");
        git(&project, "init -q");
        git(&project, &format!("remote add origin {url}"));
        init(&site, "").exits_with(0);
        let mut expected = vec!["policies/agent.trim", "trimtab.toml"];
        expected.insert(0, file);
        assert_eq!(names(&site), expected, "{url}");
        assert!(!init(&site, "").exits_with(0).out.contains("created"), "{url}");
        assert_checks_pass(&project);
    }
    for (existing, file) in [(".github/CODEOWNERS", ".github/workflows/trimtab.yml"), (".gitlab-ci.yml", ".gitlab/")] {
        let site = site(&[(&format!("project/{existing}"), "")]);
        init(&site, "").exits_with(0);
        assert!(names(&site).iter().any(|name| name.starts_with(file)), "{:?}", names(&site));
        let none = init(&site, "--ci none --no-recordings").exits_with(0);
        assert!(none.out.contains("nothing to write") && !none.out.contains("CI"), "{}", none.out);
    }
}

#[test]
fn an_existing_pipeline_is_not_changed() {
    let pipeline = "build:\n  script: make\n";
    let site = site(&[("project/.gitlab-ci.yml", pipeline)]);
    let include = "  add the job to .gitlab-ci.yml:\n    include:\n      - local: .gitlab/trimtab.gitlab-ci.yml\n";
    for _ in 0..2 {
        assert!(init(&site, "").exits_with(0).out.ends_with(include));
    }
    let path = site.path().join("project/.gitlab-ci.yml");
    assert_eq!(fs::read_to_string(&path).unwrap(), pipeline);
    // Once the pipeline includes the job, there is nothing to do.
    fs::write(&path, format!("{pipeline}include:\n  - local: .gitlab/trimtab.gitlab-ci.yml\n")).unwrap();
    let output = init(&site, "").exits_with(0);
    assert!(output.out.contains("kept     .gitlab-ci.yml\n") && !output.out.contains("add the job"), "{}", output.out);
    // A workflow that runs Trimtab under another name counts too.
    let site = self::site(&[("project/.github/workflows/checks.yml", "run: trimtab ci\n")]);
    let output = init(&site, "").exits_with(0);
    assert!(output.out.contains("kept     .github/workflows/checks.yml\n"), "{}", output.out);
}

#[test]
fn a_folder_of_a_repository_is_a_project_with_the_ci_file_at_the_root() {
    let site = site(&[]);
    let root = site.path().join("project");
    git(&root, "init -q");
    let output = init(&site, "tools/agent --ci github --no-recordings").exits_with(0);
    let expected = "created  tools/agent/policies/agent.trim\ncreated  tools/agent/trimtab.toml\ncreated  \
                    .github/workflows/trimtab.yml\n\nnext\n  go to the project:\n    cd tools/agent\n";
    assert!(output.out.starts_with(expected), "{}", output.out);
    let workflow = &files(&root)[".github/workflows/trimtab.yml"];
    assert!(workflow.ends_with("      - run: trimtab ci\n        working-directory: tools/agent\n"), "{workflow}");
    assert_checks_pass(&root.join("tools/agent"));
    // Below settings there is no second project.
    let output = init(&site, "tools/agent/deep --ci none --no-recordings").exits_with(0);
    assert!(output.out.contains("tools/agent/deep belongs to the project in tools/agent\n"), "{}", output.out);
    let below = Run::line("init --no-recordings --ci none").current_dir(&root.join("tools/agent/policies")).output();
    assert!(below.exits_with(0).out.contains("kept     agent.trim\nkept     ../trimtab.toml\n"));
    assert_eq!(files(&root).len(), 3);
}

#[test]
fn recordings_are_counted_and_the_first_ones_are_suggested() {
    let site = site(&[
        ("home/.claude/projects/-secret/first.jsonl", "not read"),
        ("home/.claude/projects/-secret/second.jsonl", ""),
        ("home/.claude/projects/-other/third.jsonl", ""),
        ("home/.codex/sessions/2026/11/02/rollout-1.jsonl", ""),
        ("home/.local/share/opencode/opencode.db", ""),
    ]);
    let output = init(&site, "--ci none --width 60").exits_with(0);
    let expected = "\nrecordings\n  Claude Code: 3 recordings in 2 projects\n  Codex CLI: 1 recording\n  \
                    OpenCode: 1 recording\n\nnext\n";
    assert!(output.out.contains(expected), "{}", output.out);
    let command = "    trimtab simulate policies/agent.trim \\\n      ~/.claude/projects/*/*.jsonl\n";
    assert!(output.out.ends_with(command), "{}", output.out);
    for private in ["secret", "other", "first", "rollout-1"] {
        assert!(!output.out.split_whitespace().any(|word| word.contains(private)), "{private}: {}", output.out);
    }
    // The policy names the tools of Claude Code.
    assert!(files(site.path())["project/policies/agent.trim"].contains("given result of Read "));
    assert_checks_pass(&site.path().join("project"));

    let output = init(&site, "--no-recordings").exits_with(0);
    assert!(!output.out.contains("Claude") && output.out.ends_with(" RECORDING\n"), "{}", output.out);
}

#[test]
fn the_starter_policy_of_each_agent_passes_all_checks() {
    for (recording, tool) in [
        (".claude/projects/-a/1.jsonl", "Bash"),
        (".codex/sessions/2026/11/02/rollout-1.jsonl", "exec_command"),
        (".local/share/opencode/storage/session/p/ses_1.json", "bash"),
    ] {
        let site = site(&[(&format!("home/{recording}"), "")]);
        init(&site, "").exits_with(0);
        let policy = &files(site.path())["project/policies/agent.trim"];
        assert!(policy.contains(&format!("given call {tool} ")), "{policy}");
        assert_checks_pass(&site.path().join("project"));
    }
}

#[test]
fn recordings_of_the_project_come_first() {
    let site = site(&[("project/recordings/r.jsonl", &super::recording()), ("home/.claude/projects/-a/x.jsonl", "")]);
    let output = init(&site, "").exits_with(0);
    assert!(output.out.ends_with("    trimtab simulate policies/agent.trim recordings\n"), "{}", output.out);
    let project = site.path().join("project");
    Run::line("simulate policies/agent.trim recordings").current_dir(&project).output().exits_with(0);
}

#[test]
fn a_dry_run_writes_nothing() {
    let site = site(&[("project/trimtab.toml", "")]);
    let before = files(site.path());
    let output = init(&site, "--dry-run --ci gitlab --no-recordings").exits_with(0);
    let expected = "would create  policies/agent.trim\nkept          trimtab.toml\nwould create  .gitlab-ci.yml\n";
    assert_eq!(output.out, expected);
    init(&site, "new/deep --dry-run").exits_with(0);
    assert_eq!(files(site.path()), before);
    assert!(!site.path().join("project/new").exists());
}

#[test]
fn all_problems_are_reported_and_nothing_is_written() {
    let site = site(&[("project/policies", ""), ("project/.github", ""), ("project/trimtab.toml/x", "")]);
    let before = files(site.path());
    let output = init(&site, "--ci github").exits_with(2);
    let expected = "error: cannot write policies/agent.trim: `policies` is not a directory\nerror: cannot write \
                    trimtab.toml: it is a directory\nerror: cannot write .github/workflows/trimtab.yml: `.github` is \
                    not a directory\nerror: nothing was written\n";
    assert_eq!((output.err.as_str(), output.out.as_str()), (expected, ""));
    assert_eq!(files(site.path()), before);
}

#[test]
fn nothing_is_written_through_a_link_out_of_the_project() {
    let site = site(&[("outside/x", "")]);
    let project = site.path().join("project");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, project.join(name)).unwrap();
    link("../outside", "policies");
    link("missing", "trimtab.toml");
    let output = init(&site, "").exits_with(2);
    assert!(output.err.contains("`policies` is a symbolic link to a directory outside "), "{}", output.err);
    assert!(output.err.contains("trimtab.toml: it is a symbolic link to a missing file\n"), "{}", output.err);
    assert_eq!(files(&site.path().join("outside")).len(), 1);
    assert!(!project.join("missing").exists());
    // A link inside the project is fine.
    let site = self::site(&[("project/shared/x", "")]);
    std::os::unix::fs::symlink("shared", site.path().join("project/policies")).unwrap();
    init(&site, "").exits_with(0);
    assert!(site.path().join("project/shared/agent.trim").is_file());
}

#[test]
fn the_directory_must_be_one() {
    let site = site(&[("project/file", "")]);
    std::os::unix::fs::symlink("missing", site.path().join("project/link")).unwrap();
    for (directory, reason) in [
        ("file", "cannot use file: it is not a directory"),
        ("file/below", "cannot use file: it is not a directory"),
        ("link", "cannot use link: it is a symbolic link to a missing directory"),
        ("missing/..", "cannot use missing/..: there is no such directory"),
    ] {
        assert_eq!(init(&site, directory).exits_with(2).err, format!("error: {reason}\n"));
    }
    init(&site, "--ci bitbucket").exits_with(2);
    assert_eq!(names(&site), ["file"]);
}

#[test]
fn broken_settings_are_reported() {
    let site = site(&[("project/trimtab.toml", "[ci]\npath = [\"policies\"]\n")]);
    let output = init(&site, "").exits_with(2);
    assert!(output.err.contains("unknown") && output.err.contains("trimtab.toml has errors"), "{}", output.err);
    assert_eq!(names(&site), ["trimtab.toml"]);
}

#[test]
fn the_output_file_is_not_overwritten_either() {
    let site = site(&[("project/notes.md", "mine")]);
    assert_eq!(init(&site, "-o notes.md").exits_with(2).err, "error: notes.md exists, and init overwrites no file\n");
    assert_eq!(files(site.path())["project/notes.md"], "mine");
    assert_eq!(init(&site, "-o new.txt").exits_with(0).out, "");
    assert!(files(site.path())["project/new.txt"].starts_with("created  policies/agent.trim\n"));
    assert_eq!(init(&site, "--quiet").exits_with(0).out, "");
}
