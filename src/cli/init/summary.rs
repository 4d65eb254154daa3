//! What the subcommand prints: files, recordings, and what to run next.

use std::path::{Path, PathBuf};

use trimtab_base::source::sanitize::one_line;
use trimtab_report::report::{TerminalStyle, list, plural};

use super::forge;
use super::target::{FileOutcome, FileResult};
use crate::host::{FoundRecordings, RECORDING_STORES};

/// How many policies are listed one by one.
const LISTED: usize = 3;
/// How many agents are named that have no recordings.
const NAMED: usize = 5;

/// A command to run next, with its purpose.
pub(super) struct NextStep {
    pub(super) purpose: &'static str,
    /// The words of the command.
    pub(super) words: Vec<String>,
}

/// What was done with each file. The first ones are the existing policies.
pub(super) fn files(results: &[FileResult<'_>], policies: usize, is_dry_run: bool, style: TerminalStyle) -> String {
    let created = if is_dry_run { "would create" } else { "created" };
    let pad = |word: &str| format!("{word:width$}  ", width = created.len());
    let kept = style.dim(&pad("kept"));
    let (mut text, mut listed) = (String::new(), results);
    if policies > LISTED {
        text += &format!("{kept}{}\n", plural(policies, "policy file"));
        listed = results.get(policies..).unwrap_or_default();
    }
    for (path, outcome) in listed {
        let word = if *outcome == FileOutcome::Created { style.success(&pad(created)) } else { kept.clone() };
        text += &format!("{word}{}\n", one_line(&from_here(path).display().to_string()));
    }
    text
}

/// The recordings of each agent: names and counts only.
pub(super) fn recordings(found: &[FoundRecordings], style: TerminalStyle) -> String {
    let mut text = format!("\n{}\n", style.emphasis("recordings"));
    if found.is_empty() {
        let agents = list(RECORDING_STORES.iter().map(|store| store.agent), NAMED);
        return text + &style.wrap(&format!("none found (of {agents})"), 2);
    }
    for one in found {
        text += &style.wrap(&recordings_of(one), 2);
    }
    text
}

fn recordings_of(found: &FoundRecordings) -> String {
    let count = plural(found.count, "recording");
    let count = if found.is_partial { count.replacen(' ', "+ ", 1) } else { count };
    let projects = found.projects.map_or_else(String::new, |projects| format!(" in {}", plural(projects, "project")));
    format!("{}: {count}{projects}", found.store.agent)
}

/// The commands to run next.
pub(super) fn next_steps(steps: &[NextStep], style: TerminalStyle) -> String {
    let mut text = format!("\n{}\n", style.emphasis("next"));
    for step in steps {
        text += &style.wrap(&format!("{}:", step.purpose), 2);
        text += &command(&step.words, style.width);
    }
    text
}

/// A command, continued on further lines where it is too wide.
fn command(words: &[String], width: usize) -> String {
    let mut text = String::from("   ");
    let mut column = text.len();
    for (at, word) in words.iter().enumerate() {
        let length = word.chars().count();
        // Room for ` \` after each word but the last.
        let rest = if at + 1 == words.len() { 0 } else { 2 };
        if column + 1 + length + rest > width && column > 6 {
            text += " \\\n     ";
            column = 5;
        }
        text += &format!(" {word}");
        column += 1 + length;
    }
    text + "\n"
}

/// How to include the job in an existing pipeline.
pub(super) fn include_step(style: TerminalStyle) -> String {
    let lines = forge::include_lines().map(|line| format!("    {line}\n")).concat();
    style.wrap("add the job to .gitlab-ci.yml:", 2) + &lines
}

/// A path relative to the working directory, if they have a directory in common.
pub(super) fn from_here(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let common = |(up, ancestor): (usize, &Path)| {
        // Everything is below the root of the file system.
        ancestor.parent()?;
        let rest = path.strip_prefix(ancestor).ok()?;
        Some((0..up).map(|_| "..").chain([""]).collect::<PathBuf>().join(rest))
    };
    let relative = here.ancestors().enumerate().find_map(common).unwrap_or_else(|| path.to_path_buf());
    if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_command_is_continued_between_words() {
        let words = ["trimtab", "simulate", "policies/agent.trim", "~/x/*.jsonl"].map(str::to_owned);
        assert_eq!(command(&words, 80), "    trimtab simulate policies/agent.trim ~/x/*.jsonl\n");
        assert_eq!(command(&words, 45), "    trimtab simulate policies/agent.trim \\\n      ~/x/*.jsonl\n");
        assert_eq!(
            command(&words, 20),
            "    trimtab \\\n      simulate \\\n      policies/agent.trim \\\n      ~/x/*.jsonl\n"
        );
    }
}
