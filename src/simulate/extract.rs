//! `extract`: a summary made of the record's own sentences, without a model: deterministic and offline.

use std::collections::BTreeSet;

use super::summariser::Summariser;
use crate::conversation::shorten;
use crate::effect::SummaryRequest;

/// Picks from the record: the first request, the paths that calls name, the last errors, the last words of the agent.
///
/// It says what stood there, not what it meant: good for sizes and for tests, no measure of a model's summary.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extract;

/// Longest quotation of one line, in characters.
const QUOTE: usize = 300;
/// Most paths, errors and remarks that are listed.
const PATHS: usize = 20;
const ERRORS: usize = 3;
const REMARKS: usize = 3;

impl Summariser for Extract {
    fn summarise(&mut self, request: &SummaryRequest, _: u64) -> Result<String, String> {
        let lines: Vec<&str> = request.transcript.lines().collect();
        let mut out = String::new();
        match &request.previous {
            Some(previous) => out += &format!("{}\n", previous.trim_end()),
            None => section(&mut out, "Goal", marked(&lines, "[user] ").take(1)),
        }
        let paths: BTreeSet<String> = marked(&lines, "[assistant] Called tool ").flat_map(paths).collect();
        section(&mut out, "Files touched", paths.iter().take(PATHS).map(String::as_str));
        section(&mut out, "Errors", last(marked(&lines, "[tool error] "), ERRORS).into_iter());
        let said = marked(&lines, "[assistant] ").filter(|line| !line.starts_with("Called tool "));
        section(&mut out, "Current state", last(said, REMARKS).into_iter());
        Ok(out.trim_end().to_owned())
    }
}

fn marked<'a>(lines: &'a [&'a str], mark: &'a str) -> impl Iterator<Item = &'a str> {
    lines.iter().filter_map(move |line| line.strip_prefix(mark))
}

fn last<'a>(lines: impl Iterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    let all: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    all[all.len().saturating_sub(count)..].to_vec()
}

fn section<'a>(out: &mut String, title: &str, lines: impl Iterator<Item = &'a str>) {
    let lines: Vec<String> = lines.map(|line| format!("- {}\n", shorten(line, QUOTE))).collect();
    if !lines.is_empty() {
        *out += &format!("{title}:\n{}", lines.concat());
    }
}

/// The words of a call that look like paths: with a slash inside, or a short ending behind a dot.
fn paths(call: &str) -> Vec<String> {
    let inside = |c: char| c.is_alphanumeric() || "/._-~".contains(c);
    let words = call.split(|c: char| !inside(c)).map(|word| word.trim_end_matches('.'));
    let ending = |word: &str| word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && is_ending(end));
    let slash_inside = |word: &str| word.chars().skip(1).any(|c| c == '/');
    let is_path =
        |word: &&str| word.chars().nth(2).is_some() && !word.contains("//") && (slash_inside(word) || ending(word));
    words.filter(is_path).map(str::to_owned).collect()
}

fn is_ending(end: &str) -> bool {
    (1..=5).contains(&end.len()) && end.starts_with(|c: char| c.is_ascii_alphabetic()) && end.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_any_script_are_found() {
        assert_eq!(paths(r#"f({"path":"目录/文件.rs","unit":"µSv/h","word":"目录"})"#), ["目录/文件.rs", "µSv/h"]);
        assert_eq!(paths("/目 ./é.rs //x 目. 🦀/a"), ["./é.rs"]);
    }

    #[test]
    fn it_quotes_the_goal_the_paths_the_errors_and_the_last_words() {
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
