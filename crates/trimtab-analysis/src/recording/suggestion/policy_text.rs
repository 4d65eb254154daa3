//! A policy of suggested rules, as text.

use trimtab_base::source::{Source, SourceId, sanitize};
use trimtab_syntax::format::format_source;

use super::Suggestion;

/// The most characters of a line of a comment, without its indentation.
const MAX_COMMENT: usize = 96;

/// A suggested rule and why.
#[derive(Clone, Copy, Debug)]
pub struct SuggestedRule<'a> {
    /// The suggestion.
    pub suggestion: &'static Suggestion,
    /// The name of the rule.
    pub name: &'a str,
    /// What was observed.
    pub observed: &'a str,
    /// The clauses of the chosen variant.
    pub clauses: &'a str,
}

impl SuggestedRule<'_> {
    /// Whether another rule has the same clauses, or the same for some of the calls.
    fn covers(&self, other: &Self) -> bool {
        let for_some = match self.clauses.strip_prefix("when ") {
            Some(rest) => format!(" and {rest}"),
            None => format!("\n{}", self.clauses),
        };
        self.clauses == other.clauses || other.clauses.ends_with(&for_some)
    }
}

/// A policy with this name, comments at the start and rules, formatted.
pub fn policy_text(name: &str, comments: &[String], rules: &[SuggestedRule<'_>]) -> String {
    let mut text: String = comments.iter().map(|sentence| comment(sentence, "")).collect();
    text += "\nedition 2026\n\n";
    text += &format!("policy {name} \"Suggested from recordings.\" {{\n");
    // In a small window, two suggestions can come to the same.
    let repeats = |at: usize| rules[..at].iter().any(|before| before.covers(&rules[at]));
    for (at, rule) in rules.iter().enumerate().filter(|(at, _)| !repeats(*at)) {
        let blank = if at == 0 { "" } else { "\n" };
        let why = comment(rule.suggestion.summary, "  ") + &comment(rule.observed, "  ");
        let clauses: String = rule.clauses.lines().map(|line| format!("    {line}\n")).collect();
        text += &format!("{blank}{why}  rule {} {{\n{clauses}  }}\n", rule.name);
    }
    text += "}\n";
    let source = Source::new(SourceId(0), "suggested.trim", text.as_str());
    format_source(&source).unwrap_or(text)
}

/// A sentence as lines of a documentation comment.
fn comment(text: &str, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    // Names of tools come from recordings.
    for word in sanitize::line(text).split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= MAX_COMMENT => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| format!("{indent}#: {line}\n")).collect()
}
