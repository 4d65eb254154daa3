//! `extract`: a summary of quotations from the transcript, without a model. Deterministic and offline.

use std::collections::BTreeSet;

use super::summariser::Summariser;
use crate::conversation::shorten;
use crate::effect::SummaryRequest;

/// Quotes the first request, the paths in calls, the last errors and the last messages of the agent.
///
/// Useful for sizes and for tests. It does not show how good a model's summary would be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extract;

/// The longest quotation of one line, in characters.
const MAX_QUOTE: usize = 300;
/// The most paths that are listed.
const MAX_PATHS: usize = 20;
/// The most errors and the most messages that are listed.
const MAX_ITEMS: usize = 3;

/// The titles of the sections.
const GOAL: &str = "Goal";
const FILES: &str = "Files touched";
const ERRORS: &str = "Errors";
const STATE: &str = "Current state";

impl Summariser for Extract {
    fn summarise(&mut self, request: &SummaryRequest, _: u64) -> Result<String, String> {
        let lines: Vec<&str> = request.transcript.lines().collect();
        let previous = request.previous.as_deref().unwrap_or_default();
        let before = |title| items(previous, title);
        // A summary by another summariser is kept. One by this summariser is merged, so that it does not grow.
        let mut out = String::new();
        let goal: Vec<&str> = before(GOAL).take(1).collect();
        if goal.is_empty() && !previous.is_empty() {
            out += &format!("{}\n", previous.trim_end());
        } else {
            section(&mut out, GOAL, goal.into_iter().chain(marked(&lines, "[user] ")).take(1));
        }
        let paths: BTreeSet<String> = marked(&lines, "[assistant] Called tool ").flat_map(paths).collect();
        let old = before(FILES).filter(|path| !paths.contains(*path));
        let mut named: Vec<&str> = old.chain(paths.iter().map(String::as_str)).collect();
        // Keep the newest.
        named.drain(..named.len().saturating_sub(MAX_PATHS));
        section(&mut out, FILES, named.into_iter());
        section(&mut out, ERRORS, last(before(ERRORS).chain(marked(&lines, "[tool error] ")), MAX_ITEMS).into_iter());
        let messages = marked(&lines, "[assistant] ").filter(|line| !line.starts_with("Called tool "));
        section(&mut out, STATE, last(before(STATE).chain(messages), MAX_ITEMS).into_iter());
        Ok(out.trim_end().to_owned())
    }
}

fn marked<'a>(lines: &'a [&'a str], mark: &'a str) -> impl Iterator<Item = &'a str> {
    lines.iter().filter_map(move |line| line.strip_prefix(mark))
}

/// The lines of a section of an earlier summary.
fn items<'a>(summary: &'a str, title: &str) -> impl Iterator<Item = &'a str> {
    let lines = summary.lines().skip_while(move |line| line.strip_suffix(':') != Some(title)).skip(1);
    lines.map_while(|line| line.strip_prefix("- "))
}

fn last<'a>(lines: impl Iterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    let all: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    all[all.len().saturating_sub(count)..].to_vec()
}

fn section<'a>(out: &mut String, title: &str, lines: impl Iterator<Item = &'a str>) {
    let lines: Vec<String> = lines.map(|line| format!("- {}\n", shorten(line, MAX_QUOTE))).collect();
    if !lines.is_empty() {
        *out += &format!("{title}:\n{}", lines.concat());
    }
}

/// The words of a call that look like paths: with a slash inside, or with a short extension.
fn paths(call: &str) -> Vec<String> {
    let inside = |c: char| c.is_alphanumeric() || "/._-~".contains(c);
    let words = call.split(|c: char| !inside(c)).map(|word| word.trim_end_matches('.'));
    let has_extension =
        |word: &str| word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && is_extension(end));
    let slash_inside = |word: &str| word.chars().skip(1).any(|c| c == '/');
    let is_path = |word: &&str| {
        word.chars().nth(2).is_some() && !word.contains("//") && (slash_inside(word) || has_extension(word))
    };
    words.filter(is_path).map(str::to_owned).collect()
}

fn is_extension(end: &str) -> bool {
    (1..=5).contains(&end.len()) && end.starts_with(|c: char| c.is_ascii_alphabetic()) && end.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_summaries_merge_the_earlier_one_and_do_not_grow() {
        let mut previous = None;
        let mut lengths = Vec::new();
        for at in 0..60 {
            let transcript = format!(
                "[user] Goal {at}\n[assistant] Step {at}.\n[assistant] Called tool read({{\"path\":\"src/{at}.rs\"}})\n\
                 [tool error] error {at}\n"
            );
            let request = SummaryRequest { instructions: String::new(), previous, transcript, at_most: None };
            let summary = Extract.summarise(&request, 1).expect("a summary");
            lengths.push(summary.len());
            previous = Some(summary);
        }
        let last = previous.expect("a summary");
        assert!(
            last.starts_with("Goal:\n- Goal 0\n") && last.ends_with("- Step 57.\n- Step 58.\n- Step 59."),
            "{last}"
        );
        assert!(last.contains("src/59.rs") && !last.contains("src/39.rs") && last.contains("- error 59"), "{last}");
        assert_eq!(lengths[30], lengths[59]);
        let foreign = SummaryRequest {
            instructions: String::new(),
            previous: Some("By hand.".to_owned()),
            transcript: "[assistant] Next.".to_owned(),
            at_most: None,
        };
        assert_eq!(Extract.summarise(&foreign, 1).expect("a summary"), "By hand.\nCurrent state:\n- Next.");
    }

    #[test]
    fn paths_in_any_script_are_found() {
        assert_eq!(paths(r#"f({"path":"目录/文件.rs","unit":"µSv/h","word":"目录"})"#), ["目录/文件.rs", "µSv/h"]);
        assert_eq!(paths("/目 ./é.rs //x 目. 🦀/a"), ["./é.rs"]);
    }

    #[test]
    fn a_summary_quotes_the_goal_paths_errors_and_last_messages() {
        let transcript = "[user] Mend the parser\n[assistant] I read it.\n\
            [assistant] Called tool read({\"path\":\"src/parser.rs\"})\n[tool error] no such file\n";
        let request = SummaryRequest {
            instructions: String::new(),
            previous: None,
            transcript: transcript.to_owned(),
            at_most: None,
        };
        let summary = Extract.summarise(&request, 1).expect("a summary");
        assert_eq!(
            summary,
            "Goal:\n- Mend the parser\nFiles touched:\n- src/parser.rs\nErrors:\n- no such file\n\
             Current state:\n- I read it."
        );
    }
}
