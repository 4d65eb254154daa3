//! The console blocks of the documents are run: what they show is what the binary prints.
//!
//! A block is fenced with ```` ```console ````; its lines `$ trimtab …` are run at the root of the project, the lines
//! below each are what it prints, standard error behind standard output. A line `...` stands for any lines.
//! `TRIMTAB_UPDATE_CONSOLE=1` writes what is printed now into the blocks that differ.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::Run;

/// One command of a block and the lines of the document that show its output.
struct Shown {
    command: String,
    /// The first line below the command, counted from 0.
    first: usize,
    /// The line behind the last.
    end: usize,
}

fn documents() -> Vec<PathBuf> {
    let pages = |folder: &str| {
        let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect::<Vec<_>>()
    };
    let mut all = [vec![PathBuf::from("README.md")], pages("docs"), pages("examples")].concat();
    all.retain(|path| path.is_file());
    all.sort();
    all
}

fn commands(lines: &[&str]) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut inside = false;
    for (at, line) in lines.iter().enumerate() {
        let fence = line.trim_start().starts_with("```");
        if inside && !fence {
            match line.strip_prefix("$ ") {
                Some(command) => all.push(Shown { command: command.to_owned(), first: at + 1, end: at + 1 }),
                None => all.last_mut().expect("a console block begins with a command").end = at + 1,
            }
        }
        inside = if fence { !inside && line.trim() == "```console" } else { inside };
    }
    all
}

/// The words of a command line; single and double quotes hold words together.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for sign in line.chars() {
        match (quote, sign) {
            (Some(open), sign) if sign == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}

/// What the command prints, without empty lines at the end.
fn printed(command: &str) -> Result<Vec<String>, String> {
    if command.contains(['|', '>', '<', ';', '&', '$', '`']) && !command.contains(['\'', '"']) {
        return Err("only a plain command can be run, without pipes or redirections".to_owned());
    }
    let words = words(command);
    match words.split_first() {
        Some((first, rest)) if first == "trimtab" => {
            let done = Run::new(rest).done();
            let text = done.out + &done.err;
            Ok(text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect())
        }
        _ => Err("only `trimtab` is run".to_owned()),
    }
}

/// Whether the lines are those shown, in which `...` stands for any.
fn matches(shown: &[&str], lines: &[String]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((&"...", rest)) => (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..])),
        Some((first, rest)) => lines.split_first().is_some_and(|(line, more)| line == first && matches(rest, more)),
    }
}

/// The lines shown, without empty ones at the end.
fn trimmed<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let end = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
    lines[..end].iter().map(|line| line.trim_end()).collect()
}

/// The blocks of a document that differ; with `update`, the document is set right.
fn differences(path: &Path, update: bool) -> (usize, Vec<String>) {
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let commands = commands(&lines);
    let mut new: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let mut wrong = Vec::new();
    for one in commands.iter().rev() {
        let place = format!("{}:{}: `{}`", path.display(), one.first, one.command);
        match printed(&one.command) {
            Err(reason) => wrong.push(format!("{place}: {reason}")),
            Ok(out) if matches(&trimmed(&lines[one.first..one.end]), &out) => {}
            Ok(out) if update => drop(new.splice(one.first..one.end, out)),
            Ok(out) => wrong.push(format!("{place} prints\n{}\n", out.join("\n"))),
        }
    }
    if update && new != lines {
        fs::write(path, new.join("\n") + "\n").unwrap();
    }
    (commands.len(), wrong)
}

#[test]
fn every_console_block_shows_what_the_binary_prints() {
    let update = std::env::var_os("TRIMTAB_UPDATE_CONSOLE").is_some();
    let (mut count, mut wrong) = (0, Vec::new());
    for path in documents() {
        let (commands, found) = differences(&path, update);
        count += commands;
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{}\nTRIMTAB_UPDATE_CONSOLE=1 writes the blocks anew", wrong.join("\n"));
    assert!(count > 0 || !Path::new("README.md").exists(), "README.md shows no command");
}

#[test]
fn blocks_are_read_command_by_command() {
    let text = "```console\n$ trimtab a\none\n$ trimtab b \"c d\"\n```\n```\n$ not run\n```\n";
    let lines: Vec<&str> = text.lines().collect();
    let found: Vec<_> = commands(&lines).into_iter().map(|one| (one.command, one.first, one.end)).collect();
    assert_eq!(found, [("trimtab a".to_owned(), 2, 3), ("trimtab b \"c d\"".to_owned(), 4, 4)]);
    assert_eq!(words("trimtab b \"c d\" 'e'"), ["trimtab", "b", "c d", "e"]);
}

#[test]
fn an_ellipsis_stands_for_any_lines_and_nothing_else_does() {
    let lines = ["a", "b", "c"].map(str::to_owned);
    assert!(matches(&["a", "...", "c"], &lines));
    assert!(matches(&["...", "b", "c", "..."], &lines));
    assert!(!matches(&["a", "c"], &lines));
    assert!(!matches(&["...", "b"], &lines));
    assert!(!matches(&[], &lines));
}

#[test]
fn a_block_that_lies_is_found_and_set_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.md");
    fs::write(&path, "before\n```console\n$ trimtab --version\nnonsense\n```\nafter\n").unwrap();
    assert_eq!(differences(&path, false).1.len(), 1);
    assert_eq!(differences(&path, true).1.len(), 0);
    let version = env!("CARGO_PKG_VERSION");
    let right = format!("before\n```console\n$ trimtab --version\ntrimtab {version}\n```\nafter\n");
    assert_eq!(fs::read_to_string(&path).unwrap(), right);
    assert_eq!(differences(&path, false), (1, Vec::new()));
}
