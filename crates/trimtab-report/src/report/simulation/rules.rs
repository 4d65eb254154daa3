//! The table of rules.

use crate::report::number::{count, signed};
use crate::report::replay_result::ReplayResult;
use crate::report::result::{TotalResult, TotalRule};
use crate::report::style::TerminalStyle;
use crate::report::table::{Table, display_width};

/// The rules over one replay or several. One replay lists as many of its calls as fit.
pub(super) fn rules(total: &TotalResult, replays: &[ReplayResult], style: TerminalStyle) -> String {
    if replays.is_empty() {
        return String::new();
    }
    let most = if style.width >= 76 && replays.len() == 1 { 4 } else { 0 };
    let mut tables = (0..=most).rev().filter(|listed| *listed != 1).map(|listed| table(total, replays, listed));
    let fits = tables.find(|table| table.lines(2).iter().all(|line| display_width(line) <= style.width));
    let idle: Vec<String> = total
        .rules
        .iter()
        .enumerate()
        .filter(|(_, rule)| !is_listed(rule))
        .map(|(at, rule)| format!("{} {}", letter(at), rule.name))
        .collect();
    let idle = if idle.is_empty() { String::new() } else { style.wrap(&format!("never due: {}", idle.join(", ")), 2) };
    let table = fits.unwrap_or_else(|| table(total, replays, 0));
    let table = if table.rows.len() > 1 { draw(&table, style) } else { String::new() };
    format!("{table}{idle}\n")
}

/// Whether a rule has a row: one that is never due has only its name below the table.
const fn is_listed(rule: &TotalRule) -> bool {
    rule.figures.due > 0 || rule.figures.fired > 0
}

/// The rules, with the first `listed` calls at which each fired; with none, that column is left out.
fn table(total: &TotalResult, replays: &[ReplayResult], listed: usize) -> Table {
    let mut head = vec!["rule", "due", "fired", "edits", "tokens saved"];
    let binds = replays.iter().any(|replay| replay.trace.reasoning.is_some());
    head.extend(binds.then_some("reasoning lost"));
    head.extend((listed > 0).then_some("at call"));
    let mut table = Table::new(&head);
    table.last_is_text = listed > 0;
    for (at, rule) in total.rules.iter().enumerate().filter(|(_, rule)| is_listed(rule)) {
        let figures = &rule.figures;
        let mut row = vec![format!("{} {}", letter(at), rule.name)];
        row.extend([figures.due, figures.fired, figures.edits].map(count));
        row.push(signed(figures.tokens_saved.into()));
        row.extend(binds.then(|| count(figures.reasoning_lost)));
        let fired = replays.first().and_then(|replay| replay.trace.rules.get(at)).map_or(&[][..], |rule| &rule.calls);
        row.extend((listed > 0).then(|| calls(fired, listed)));
        table.row(row);
    }
    table
}

/// A table with a dimmed head.
pub(super) fn draw(table: &Table, style: TerminalStyle) -> String {
    let mut lines = table.fitted(2, style.width).into_iter();
    let head = lines.next().map(|head| format!("{}\n", style.dim(&head)));
    head.into_iter().chain(lines.map(|line| format!("{line}\n"))).collect()
}

/// The letter that marks the firings of a rule below the sparklines.
pub(super) fn letter(rule: usize) -> char {
    u32::try_from(rule).ok().filter(|&rule| rule < 26).and_then(|rule| char::from_u32('a' as u32 + rule)).unwrap_or('+')
}

/// The first calls of a list, and how many more there are.
fn calls(calls: &[usize], listed: usize) -> String {
    crate::report::number::list(calls, listed)
}
