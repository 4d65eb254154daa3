//! Plays the quick start as a reader does: in a new directory, in the order of the page.
//!
//! Blocks of the page are files to save (`trim` is appended to `policies/coder.trim`, `toml` is `trimtab.toml`), changes to the policy
//! (`diff`), commands of the shell (`sh`), and commands of `trimtab` with their output (`console`).

use std::fs;
use std::path::Path;

use crate::console::{changed, matches, output_lines, trimmed, words};

const PAGE: &str = include_str!("../../docs/quick_start.md");

/// What follows is for a project of the reader's own.
const END: &str = "## Start your own project";

/// The language of each block of the page, and its text.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let fenced = page.split("\n```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').expect("a fence ends its line")).collect()
}

/// A command of the shell. Tests do not build the project; the clone is that of the tests.
fn shell(line: &str, project: &Path) {
    let words = words(line);
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["cargo", "install", "--path", "."] => {}
        ["mkdir", ref names @ ..] => names.iter().for_each(|name| fs::create_dir(project.join(name)).unwrap()),
        ["cp", from, to] => {
            let from = from.strip_prefix("~/trimtab/").expect("a file of the clone");
            let name = Path::new(from).file_name().expect("a file");
            fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(from), project.join(to).join(name)).unwrap();
        }
        _ => panic!("the quick start has a command that its test does not know: {line}"),
    }
}

/// The commands of the page whose output is another one in a new directory, and how many there are in all.
fn play(page: &str) -> (usize, Vec<String>) {
    let site = tempfile::tempdir().unwrap();
    let project = site.path();
    let policy = project.join("policies/coder.trim");
    let (mut count, mut wrong) = (0, Vec::new());
    for (language, text) in blocks(page.split(END).next().unwrap()) {
        match language.split(' ').next().unwrap() {
            "sh" => text.lines().for_each(|line| shell(line, project)),
            "trim" => {
                let before = fs::read_to_string(&policy).map(|before| before + "\n").unwrap_or_default();
                fs::write(&policy, before + text + "\n").unwrap();
            }
            "diff" => fs::write(&policy, changed(&fs::read_to_string(&policy).unwrap(), text)).unwrap(),
            "toml" => fs::write(project.join("trimtab.toml"), text).unwrap(),
            "console" => {
                let mut lines = text.lines();
                let command =
                    lines.next().and_then(|line| line.strip_prefix("$ trimtab ")).expect("a command of trimtab");
                let lines: Vec<&str> = lines.collect();
                let output = output_lines(&words(command), project, project);
                count += 1;
                if !matches(&trimmed(&lines), &output) {
                    wrong.push(format!("`trimtab {command}` prints\n{}", output.join("\n")));
                }
            }
            // The workflow runs elsewhere.
            "yaml" => {}
            _ => panic!("the quick start has a block that its test does not know: {language}"),
        }
    }
    (count, wrong)
}

#[test]
fn the_quick_start_works_in_a_new_directory() {
    let (count, wrong) = play(PAGE);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count >= 6, "the page shows {count} commands");
}

#[test]
fn the_quick_start_fails_without_a_file_that_it_has_not_yet_saved() {
    let at = PAGE.find("```toml\n").expect("settings");
    let end = at + 3 + PAGE[at + 3..].find("```\n").expect("the end of the block") + 4;
    let (_, wrong) = play(&[&PAGE[..at], &PAGE[end..]].concat());
    assert!(
        wrong.iter().any(|command| command.contains("is outside the project, which is the directory `policies`")),
        "{wrong:?}"
    );
}
