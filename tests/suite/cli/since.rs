//! `--since`: only findings in changed lines.

use super::{Run, folder, git, repository};

const OLD: &str = "edition 2026\n\npolicy p {\n  rule a { when contxt.ratio > 80% do mask results }\n\n  rule b { when \
                   failures > 2 do notify \"x\" }\n}\n";

fn lines(run: Run) -> Vec<String> {
    let output = run.output();
    assert!(output.code < 2, "{}", output.err);
    output.out.lines().map(str::to_owned).collect()
}

#[test]
fn findings_in_unchanged_lines_are_omitted() {
    let folder = repository(&[("p.trim", OLD)]);
    let line = "validate . --format concise --since HEAD";
    let since = || lines(Run::line(line).current_dir(folder.path()));
    assert_eq!(since(), [""; 0]);
    Run::line(line).current_dir(folder.path()).output().exits_with(0);
    std::fs::write(folder.path().join("p.trim"), OLD.replace("failures", "falures")).unwrap();
    let found = since();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("p.trim:6:"), "{found:?}");
    Run::line(line).current_dir(folder.path()).output().exits_with(1);
    // Committed changes count as well if the revision is older.
    git(folder.path(), "commit -q -a -m second");
    assert_eq!(since(), [""; 0]);
    assert_eq!(lines(Run::line("validate . --format concise --since HEAD~1").current_dir(folder.path())).len(), 1);
}

#[test]
fn all_lines_of_a_new_file_count_as_changed() {
    let folder = repository(&[("p.trim", OLD), (".gitignore", "")]);
    std::fs::write(folder.path().join("new one.trim"), OLD).unwrap();
    let run = || Run::line("validate . --format concise --since HEAD").current_dir(folder.path());
    assert!(lines(run()).iter().all(|line| line.starts_with("new one.trim:4:")));
    assert_eq!(lines(run()).len(), 1);
    git(folder.path(), "add .");
    assert_eq!(lines(run()).len(), 1);
    git(folder.path(), "commit -q -m second");
    assert_eq!(lines(run()).len(), 0);
}

#[test]
fn lints_analyse_the_whole_file_and_report_changed_lines() {
    let text = "edition 2026\n\nlet spare = 3 calls\nlet used = 80%\n\npolicy p {\n  rule a { when context.ratio >= \
                used do mask results }\n}\n";
    let folder = repository(&[("p.trim", text)]);
    let run = |line: &str| lines(Run::line(&format!("lint p.trim --format concise {line}")).current_dir(folder.path()));
    assert!(run("").iter().any(|line| line.contains("unused-let")));
    assert_eq!(run("--since HEAD"), [""; 0]);
    std::fs::write(folder.path().join("p.trim"), text.replace("3 calls", "4 calls")).unwrap();
    let found = run("--since HEAD");
    assert!(found.iter().all(|line| line.starts_with("p.trim:3:")) && !found.is_empty(), "{found:?}");
    Run::line("lint p.trim --since HEAD --fix").current_dir(folder.path()).output().exits_with(2);
}

#[test]
fn a_finding_caused_by_a_removed_line_is_reported() {
    let text = "edition 2026\n\npolicy p {\n  rule a {\n    when context.ratio >= 80%\n    do summarise older keep 8 messages \
                at_most 2k tokens pin first_user\n    cooldown 3 iterations\n    on_failure keep\n  }\n}\n";
    let folder = repository(&[("p.trim", text)]);
    let run = || lines(Run::line("lint p.trim --format concise --since HEAD").current_dir(folder.path()));
    assert_eq!(run(), [""; 0]);
    std::fs::write(folder.path().join("p.trim"), text.replace("    cooldown 3 iterations\n", "")).unwrap();
    let found = run();
    assert!(found.len() == 1 && found[0].contains("no-hysteresis"), "{found:?}");
}

#[test]
fn fmt_since_formats_only_changed_files() {
    let (bad, worse) = ("edition   2026\n", "edition      2026\n");
    let folder = repository(&[("a.trim", bad), ("b.trim", bad)]);
    Run::line("fmt . --check --since HEAD").current_dir(folder.path()).output().exits_with(0);
    std::fs::write(folder.path().join("b.trim"), worse).unwrap();
    Run::line("fmt . --since HEAD").current_dir(folder.path()).output().exits_with(0);
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!((text("a.trim").as_str(), text("b.trim").as_str()), (bad, "edition 2026\n"));
}

#[test]
fn a_missing_git_or_revision_is_reported() {
    let plain = folder(&[("p.trim", OLD)]);
    let output = Run::line("validate p.trim --since HEAD").current_dir(plain.path()).output().exits_with(2);
    assert!(output.err.contains("not a git repository"), "{}", output.err);
    let output = Run::line("validate p.trim --since HEAD")
        .current_dir(plain.path())
        .env("PATH", "/nowhere")
        .output()
        .exits_with(2);
    assert!(output.err.contains("git did not start"), "{}", output.err);
    let repository = repository(&[("p.trim", OLD)]);
    for name in ["nothing", "-O"] {
        let output =
            Run::line(&format!("lint p.trim --since={name}")).current_dir(repository.path()).output().exits_with(2);
        assert!(output.err.contains(&format!("unknown git revision `{name}`")), "{}", output.err);
    }
}
