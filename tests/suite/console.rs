//! Runs the console blocks of the documents and compares their text with the output of the binary.
//!
//! A block is fenced with ```` ```console ````. Each line `$ trimtab …` is a command, run at the root of the project or in
//! the folder that the fence names (```` ```console docs/quick_start ````); the lines below it are its standard output
//! followed by its standard error. In a ```` ```console new ```` block, commands run in a new directory that the blocks of
//! one page share, with the home directory of a user of a coding agent. A line `...` matches any lines. `TRIMTAB_UPDATE_CONSOLE=1` replaces outdated output;
//! where a block has one `...`, as many lines before and after it as the block showed. Of two kinds of blocks, only the arguments of
//! `trimtab` are parsed here: commands in a ```` ```console agent ```` block need a coding agent, and `tests/clients/pages.py` runs them;
//! those in a ```` ```console draft ```` block need a file that a later step of the page changes, and `quick_start.rs` runs them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::Run;

/// One command of a block and the lines of the document that show its output.
struct Shown {
    command: String,
    /// Where the command runs; empty for the root of the project.
    folder: String,
    /// The first line of the output, counted from 0.
    first: usize,
    /// The line after the last one.
    end: usize,
}

fn documents() -> Vec<PathBuf> {
    let pages = |folder: &str| {
        let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect::<Vec<_>>()
    };
    let mut all = [
        vec![PathBuf::from("README.md")],
        pages("docs"),
        pages("docs/agents"),
        pages("docs/settings"),
        pages("examples"),
    ]
    .concat();
    all.retain(|path| path.is_file());
    all.sort();
    all
}

fn commands(lines: &[&str]) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    // The folder of the block that is open.
    let mut open: Option<&str> = None;
    for (at, line) in lines.iter().enumerate() {
        if line.trim_start().starts_with("```") {
            let console = line.trim().strip_prefix("```console").map(str::trim);
            open = if open.is_none() { console } else { None };
        } else if let Some(folder) = open {
            match line.strip_prefix("$ ") {
                Some(command) => {
                    let (command, folder) = (command.to_owned(), folder.to_owned());
                    all.push(Shown { command, folder, first: at + 1, end: at + 1 });
                }
                None => all.last_mut().expect("a console block begins with a command").end = at + 1,
            }
        }
    }
    all
}

/// The words of a command line; single and double quotes group words.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in line.chars() {
        match (quote, character) {
            (Some(open), character) if character == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// The new directory of a page, `project`, and a home directory with recordings beside it.
fn new_directory() -> tempfile::TempDir {
    let site = tempfile::tempdir().unwrap();
    fs::create_dir(site.path().join("project")).unwrap();
    for name in ["agent/1", "agent/2", "website/3"] {
        let path = site.path().join(format!("home/.claude/projects/{name}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    site
}

/// What is wrong with the arguments of a command that is not run here. Commands of a coding agent are not known.
fn unparsed(command: &str) -> Option<String> {
    let words = words(command);
    let is_own = words.first().is_some_and(|first| first == "trimtab");
    let parsed = is_own.then(|| trimtab::cli::command().try_get_matches_from(words))?;
    parsed.err().map(|error| error.to_string())
}

/// The lines that `trimtab` prints in this folder, without trailing empty ones.
pub(crate) fn output_lines(arguments: &[String], folder: &Path, home: &Path) -> Vec<String> {
    let output = Run::new(arguments).current_dir(folder).home(home).output();
    let text = output.out + &output.err;
    text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect()
}

/// The output of the command in this folder.
fn printed(command: &str, folder: &str, new: &Path) -> Result<Vec<String>, String> {
    if command.contains(['|', '>', '<', ';', '&', '$', '`']) && !command.contains(['\'', '"']) {
        return Err("only a plain command can be run, without pipes or redirections".to_owned());
    }
    let words = words(command);
    match words.split_first() {
        Some((first, rest)) if first == "trimtab" => {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            let at = if folder == "new" { new.join("project") } else { root.join(folder) };
            Ok(output_lines(rest, &at, &new.join("home")))
        }
        _ => Err("only `trimtab` is run".to_owned()),
    }
}

/// Whether the output has the expected lines, where `...` matches any lines.
pub(crate) fn matches(expected: &[&str], lines: &[String]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((&"...", rest)) => (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..])),
        Some((first, rest)) => lines.split_first().is_some_and(|(line, more)| line == first && matches(rest, more)),
    }
}

/// The output abbreviated as before: with one `...`, and as many lines before and after it as before.
fn abbreviated(expected: &[&str], lines: Vec<String>) -> Vec<String> {
    let ellipses: Vec<usize> = (0..expected.len()).filter(|at| expected[*at] == "...").collect();
    match ellipses[..] {
        [at] if expected.len() <= lines.len() => {
            let mut short = lines[..at].to_vec();
            short.push("...".to_owned());
            short.extend_from_slice(&lines[lines.len() - (expected.len() - at - 1)..]);
            short
        }
        _ => lines,
    }
}

/// The lines without trailing empty ones.
pub(crate) fn trimmed<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let end = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
    lines[..end].iter().map(|line| line.trim_end()).collect()
}

/// The number of commands in a document and the blocks that are outdated; with `update`, these are replaced.
fn differences(path: &Path, update: bool) -> (usize, Vec<String>) {
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (parsed, commands): (Vec<Shown>, Vec<Shown>) =
        commands(&lines).into_iter().partition(|command| ["agent", "draft"].contains(&command.folder.as_str()));
    let mut new: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let unparsed = |shown: &Shown| {
        Some(format!("{}:{}: `{}`: {}", path.display(), shown.first, shown.command, unparsed(&shown.command)?))
    };
    let mut wrong: Vec<String> = parsed.iter().filter_map(unparsed).collect();
    let new_directory = new_directory();
    let printed = commands.iter().map(|command| printed(&command.command, &command.folder, new_directory.path()));
    let printed: Vec<_> = printed.collect();
    for (command, printed) in commands.iter().zip(printed).rev() {
        let place = format!("{}:{}: `{}`", path.display(), command.first, command.command);
        let expected = trimmed(&lines[command.first..command.end]);
        match printed {
            Err(reason) => wrong.push(format!("{place}: {reason}")),
            Ok(out) if matches(&expected, &out) => {}
            // A fence in a block would end it.
            Ok(out) if update && !abbreviated(&expected, out.clone()).iter().any(|line| line.starts_with("```")) => {
                drop(new.splice(command.first..command.end, abbreviated(&expected, out)));
            }
            Ok(out) => wrong.push(format!("{place} prints\n{}\n", out.join("\n"))),
        }
    }
    if update && new != lines {
        fs::write(path, new.join("\n") + "\n").unwrap();
    }
    (parsed.len() + commands.len(), wrong)
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
    assert!(wrong.is_empty(), "{}\nTRIMTAB_UPDATE_CONSOLE=1 updates the blocks", wrong.join("\n"));
    assert!(count > 0 || !Path::new("README.md").exists(), "README.md shows no command");
}

#[test]
fn blocks_are_read_command_by_command() {
    let text = "```console\n$ trimtab a\none\n```\n```\n$ not run\n```\n```console docs\n$ trimtab b \"c d\"\n```\n";
    let lines: Vec<&str> = text.lines().collect();
    let found = commands(&lines);
    let found: Vec<_> = found
        .iter()
        .map(|finding| (finding.command.as_str(), finding.folder.as_str(), finding.first, finding.end))
        .collect();
    assert_eq!(found, [("trimtab a", "", 2, 3), ("trimtab b \"c d\"", "docs", 9, 9)]);
    assert_eq!(words("trimtab b \"c d\" 'e'"), ["trimtab", "b", "c d", "e"]);
}

#[test]
fn a_command_that_needs_an_agent_is_only_parsed() {
    assert_eq!(unparsed("trimtab run docs/agents/agent.trim --record sessions -- claude -p \"Read it.\""), None);
    assert_eq!(unparsed("pi -p \"Read it.\""), None);
    assert!(unparsed("trimtab run --recrod sessions -- claude").is_some_and(|reason| reason.contains("--recrod")));
}

#[test]
fn an_ellipsis_matches_any_lines_and_nothing_else_does() {
    let lines = ["a", "b", "c"].map(str::to_owned);
    assert!(matches(&["a", "...", "c"], &lines));
    assert!(matches(&["...", "b", "c", "..."], &lines));
    assert!(!matches(&["a", "c"], &lines));
    assert!(!matches(&["...", "b"], &lines));
    assert!(!matches(&[], &lines));
}

#[test]
fn an_outdated_block_is_found_and_updated() {
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

#[test]
fn an_update_keeps_an_ellipsis() {
    let lines: Vec<String> = ["a", "b", "c", "d"].map(str::to_owned).into();
    assert_eq!(abbreviated(&["x", "...", "y"], lines.clone()), ["a", "...", "d"]);
    assert_eq!(abbreviated(&["x", "..."], lines.clone()), ["a", "..."]);
    assert_eq!(abbreviated(&["...", "x", "..."], lines.clone()), lines);
    assert_eq!(abbreviated(&["x"], lines.clone()), lines);
}

/// A file of a page after the change that a `diff` block of the page shows.
pub(crate) fn changed(file: &str, diff: &str) -> String {
    let lines = |mark: char| -> String {
        diff.lines().filter_map(|line| line.strip_prefix(mark)).map(|line| line.to_owned() + "\n").collect()
    };
    let (old, new) = (lines('-'), lines('+'));
    assert_eq!(file.matches(&old).count(), 1, "{old}");
    file.replace(&old, &new)
}

#[test]
fn the_quick_start_shows_the_files_of_its_folder() {
    let page = fs::read_to_string("docs/quick_start.md").unwrap();
    let blocks = |language: &str| -> Vec<&str> {
        let fence = format!("```{language}\n");
        page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect()
    };
    for (language, path) in
        [("trim", "docs/quick_start/policies/coder.trim"), ("toml", "docs/quick_start/trimtab.toml")]
    {
        let file = fs::read_to_string(path).unwrap();
        let changes = if language == "trim" { blocks("diff") } else { Vec::new() };
        let expected = changes.into_iter().fold(blocks(language).join("\n"), |text, diff| changed(&text, diff));
        assert_eq!(expected, file, "{path}");
    }
}
