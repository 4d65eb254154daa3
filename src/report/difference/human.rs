//! A comparison for a terminal, and as Markdown.

use super::replays;
use super::{Comparison, RuleChange, rule_changes};
use crate::report::findings::escape;
use crate::report::simulation::count;
use crate::report::style::{TerminalStyle, fold_lines};

/// A line a rule, what the host is, and what recordings show.
pub fn difference(versus: &Comparison<'_>, style: TerminalStyle) -> String {
    let mut out = String::new();
    if versus.difference.is_none() {
        out += &style.wrap(&versus.sameness(), 0);
    }
    for one in rule_changes(versus) {
        out += &rule(&one, style);
    }
    for (word, before, after) in &versus.difference.host {
        let (before, after) = (format_host_value(before), format_host_value(after));
        out += &style.wrap(&format!("{}: {word} {after}, before {before}", style.strong("host")), 0);
    }
    fold_lines(&(out + &replays::people(versus, style)), style.width)
}

/// What is said of the host, a number of tokens with its digits in groups.
fn format_host_value(said: &str) -> String {
    let tokens = said.strip_suffix(" tokens").and_then(|number| number.parse().ok());
    tokens.map_or_else(|| said.to_owned(), |number| format!("{} tokens", count(number)))
}

fn rule(one: &RuleChange, style: TerminalStyle) -> String {
    let mut out = style.wrap(&format!("{}: {}", style.strong(&one.rule), one.changes.join("; ")), 0);
    for (word, text, paint) in [
        ("before", &one.before, TerminalStyle::bad as fn(TerminalStyle, &str) -> String),
        ("after ", &one.after, TerminalStyle::good),
    ] {
        if let Some(text) = text {
            let lines = style.wrap(text, 10);
            let lines = lines.lines().map(|line| format!("{}\n", paint(style, line)));
            out += &lines.collect::<String>().replacen(&" ".repeat(10), &format!("  {word}  "), 1);
        }
    }
    out
}

/// The same as Markdown.
pub fn difference_markdown(versus: &Comparison<'_>) -> String {
    let name = |file: &str| format!("`{}`", file.replace('`', "'"));
    let mut out = format!("### {} against {}\n\n", name(versus.after.file), name(versus.before.file));
    if versus.difference.is_none() {
        out += &format!("{}\n", escape(&versus.sameness()));
    } else {
        out += "| | what changed | before | after |\n|---|---|---|---|\n";
    }
    for one in rule_changes(versus) {
        let cell = |text: &Option<String>| text.as_deref().map(escape).unwrap_or_default();
        let changes: Vec<String> = one.changes.iter().map(|change| escape(change)).collect();
        let (before, after) = (cell(&one.before), cell(&one.after));
        out += &format!("| {} | {} | {before} | {after} |\n", escape(&one.rule), changes.join("<br>"));
    }
    for (word, before, after) in &versus.difference.host {
        out += &format!(
            "| host | {word} | {} | {} |\n",
            escape(&format_host_value(before)),
            escape(&format_host_value(after))
        );
    }
    out + &replays::markdown(versus)
}
