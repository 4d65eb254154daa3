//! A comparison for a terminal.

use super::{Comparison, ComparisonFormat, RuleChange, format_host_value, replays, rule_changes};
use crate::report::Encoding;
use crate::report::style::TerminalStyle;
use crate::report::wrap::fold_lines;

pub(super) static FORMAT: ComparisonFormat = ComparisonFormat {
    name: "human",
    summary: "One line per changed rule, with a state that shows the difference",
    encoding: Encoding::Text,
    render,
};

fn render(all: &Comparison<'_>) -> String {
    let style = all.style;
    let mut out = String::new();
    if all.difference.is_none() {
        out += &style.wrap(&all.format_equality(), 0);
    }
    out.extend(rule_changes(all).iter().map(|change| rule(change, style)));
    for (word, before, after) in &all.difference.host {
        let (before, after) = (format_host_value(before), format_host_value(after));
        out += &style.wrap(&format!("{}: {word} {after}, was {before}", style.emphasis("host")), 0);
    }
    fold_lines(&(out + &replays::human(all)), style.width)
}

fn rule(change: &RuleChange, style: TerminalStyle) -> String {
    let mut out = style.wrap(&format!("{}: {}", style.emphasis(&change.rule), change.changes.join("; ")), 0);
    let before = change.before.as_ref().map(|text| effects("before", text, |line| style.failure(line), style));
    let after = change.after.as_ref().map(|text| effects("after ", text, |line| style.success(line), style));
    out.extend(before.into_iter().chain(after));
    out
}

/// The effects of a rule, folded after a word.
fn effects(word: &str, text: &str, paint: impl Fn(&str) -> String, style: TerminalStyle) -> String {
    let lines = style.wrap(text, 10);
    let lines: String = lines.lines().map(|line| format!("{}\n", paint(line))).collect();
    lines.replacen(&" ".repeat(10), &format!("  {word}  "), 1)
}
