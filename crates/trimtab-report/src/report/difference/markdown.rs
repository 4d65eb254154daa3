//! A comparison as Markdown.

use super::{Comparison, ComparisonFormat, format_host_value, replays, rule_changes};
use crate::report::Encoding;
use crate::report::markdown::{Align, Table, code, escape, lines};

pub(super) static FORMAT: ComparisonFormat = ComparisonFormat {
    name: "markdown",
    summary: "Tables and charts, for a pull request comment",
    encoding: Encoding::Text,
    render,
};

fn render(all: &Comparison<'_>) -> String {
    let mut out = format!("### {} compared with {}\n\n", code(all.after.file), code(all.before.file));
    out.extend(all.replays.map(|replays| format!("{}\n", replays::markdown_totals(replays))));
    if all.difference.is_none() {
        out += &format!("{}\n", escape(&all.format_equality()));
    } else {
        out += &table(all);
    }
    out.extend(all.replays.map(|replays| replays::markdown_details(all, replays)));
    out
}

fn table(all: &Comparison<'_>) -> String {
    let cell = |text: &Option<String>| text.as_deref().map(escape).unwrap_or_default();
    let mut table = Table::new(["rule", "change", "before", "after"].map(|name| (name, Align::Left)));
    for change in rule_changes(all) {
        table.row([escape(&change.rule), lines(&change.changes), cell(&change.before), cell(&change.after)]);
    }
    for (word, before, after) in &all.difference.host {
        let [before, after] = [before, after].map(|value| escape(&format_host_value(value)));
        table.row(["host", word, before.as_str(), after.as_str()]);
    }
    table.text()
}
