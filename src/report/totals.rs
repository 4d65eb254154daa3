//! Several replays at once, for people.

use super::idle;
use super::read_count::transcripts;
use super::simulation::{
    ReplayResult, count, counters, early_compactions, harness_edits, is_named, plural, rules, tools_note, unknown_facts,
};
use super::style::TerminalStyle;
use super::table::Table;
use crate::plan::Plan;
use crate::quantity::{Decimal, grouped, percent};
use crate::simulate::{Totals, Trace};

/// Longest list of transcripts that is printed in full.
const LISTED: usize = 40;

/// A verdict over all, the rules over all, and a line for each transcript in the order given.
pub(super) fn many(plan: &Plan, replays: &[ReplayResult], style: TerminalStyle) -> String {
    let totals = Totals::of(replays.iter().map(|one| &one.trace));
    let saved: i128 = replays.iter().map(|one| one.trace.saved()).sum();
    let touched = replays.iter().filter(|one| changes(&one.trace)).count();
    let verdict = format!(
        "{} with {}: under `{}` {touched} change, peak {} tokens instead of {}, {}.",
        plural(totals.transcripts, "transcript"),
        plural(totals.calls, "call"),
        plan.policy,
        count(totals.after.peak),
        count(totals.before.peak),
        averted(saved, totals.before.sum),
    );
    let mut out = style.strong(style.wrap(&verdict, 0).trim_end()) + "\n\n";
    out += &rules(replays, style);
    out += &listing(replays, style);
    out += &notes(plan, replays, style);
    out.extend(tools_note(plan, replays.iter().map(|one| &one.trace)).map(|note| style.wrap(&note, 2)));
    out
}

fn listing(replays: &[ReplayResult], style: TerminalStyle) -> String {
    let order: Vec<&ReplayResult> = replays.iter().filter(|one| changes(&one.trace)).collect();
    let mut out = String::new();
    for one in order.iter().take(LISTED) {
        let (trace, before, after) = (&one.trace, one.trace.before(), one.trace.after());
        let mut table = Table::new(&[]);
        table.row([
            plural(before.calls, "call"),
            format!("peak {} to {}", size(trace, before.peak), size(trace, after.peak)),
            averted(trace.saved(), before.sum),
        ]);
        out += &format!("  {}\n{}\n", one.id, style.faint(&table.lines(4)[1]));
    }
    if order.len() > LISTED {
        out += &format!("  and {} more; --format json lists them all\n", order.len() - LISTED);
    }
    match replays.len() - order.len() {
        0 => {}
        unchanged => out += &format!("  {} as recorded\n", plural(unchanged, "transcript")),
    }
    out + "\n"
}

/// Whether some rule fired.
fn changes(trace: &Trace) -> bool {
    trace.rules.iter().any(|rule| rule.fired > 0)
}

fn notes(plan: &Plan, replays: &[ReplayResult], style: TerminalStyle) -> String {
    let mut lines = vec![
        "Open-loop replay: the recorded replies are held fixed, so what follows the first change is an estimate."
            .to_owned(),
    ];
    let unknown: Vec<&ReplayResult> = replays.iter().filter(|one| one.trace.window.is_none()).collect();
    if !unknown.is_empty() {
        lines.push(format!(
            "The window of {} is unknown, so conditions on shares of it never hold there: name it with --window.",
            transcripts(&unknown)
        ));
    }
    let (named, over): (Vec<&ReplayResult>, Vec<&ReplayResult>) =
        replays.iter().filter(|one| one.trace.exceeds_window()).partition(|one| is_named(&one.trace));
    if !named.is_empty() {
        lines.push(format!(
            "The recorded context of {} is larger than the window, in which it could not have been recorded: it is only \
             held against it.",
            transcripts(&named)
        ));
    }
    if !over.is_empty() {
        lines.push(format!(
            "The recorded context of {} is larger than the window, so the window is wrong there: name it with --window.",
            transcripts(&over)
        ));
    }
    lines.extend(early_compactions(replays.iter().map(|one| (one.id.as_str(), &one.trace))));
    lines.extend(harness_edits(replays));
    lines.extend(counters(replays));
    lines.extend(unknown_facts(plan, replays));
    lines.extend(idle::never_fired(&replays.iter().map(|one| &one.trace).collect::<Vec<_>>()));
    let checked: usize = replays.iter().map(|one| one.trace.invariants.checked).sum();
    let broken: usize = replays.iter().map(|one| one.trace.invariants.broken.len()).sum();
    lines.push(match broken {
        0 => format!("{} checked, no invariant broken.", plural(checked, "edit")),
        broken => format!("INVARIANTS BROKEN: {broken}; --format json lists them."),
    });
    let skipped: u64 = replays.iter().flat_map(|one| one.trace.skipped.values()).sum();
    if skipped > 0 {
        lines.push(format!(
            "{} are no part of a conversation.",
            plural(usize::try_from(skipped).unwrap_or(usize::MAX), "record")
        ));
    }
    lines.iter().map(|line| style.wrap(line, 2)).collect()
}

/// A number of tokens, with its share of the window where that is known.
pub(super) fn size(trace: &Trace, tokens: u64) -> String {
    match trace.ratio(tokens) {
        Some(share) => format!("{} ({})", count(tokens), percent(share)),
        None => count(tokens),
    }
}

/// How many fewer tokens are sent, in words.
pub(super) fn averted(saved: i128, sum: u128) -> String {
    let share = |part: u128| {
        let part = Decimal::from(part.saturating_mul(1000) / sum.max(1)) / Decimal::from(1000);
        format!("{} ({})", grouped(Decimal::from(part_of(saved))), percent(part))
    };
    match saved {
        0 => "as many tokens sent".to_owned(),
        saved if saved > 0 => format!("{} fewer tokens sent", share(saved.unsigned_abs())),
        saved => format!("{} more tokens sent", share(saved.unsigned_abs())),
    }
}

fn part_of(saved: i128) -> u64 {
    u64::try_from(saved.unsigned_abs()).unwrap_or(u64::MAX)
}
