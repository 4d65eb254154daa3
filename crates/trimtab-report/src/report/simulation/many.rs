//! The report on several replays.

use std::collections::BTreeMap;

use trimtab_language::plan::Plan;
use trimtab_simulate::simulate::Totals;

use super::money::{self, Total};
use super::rules::{draw, rules};
use super::tools::tools_note;
use super::wording::{OPEN_LOOP_NOTICE, is_chosen_window};
use super::{compared, counter, harness, pricing, regret, unknown};
use crate::report::idle;
use crate::report::number::{list, plural, skipped_kinds, sum, whole};
use crate::report::replay_result::{ReplayResult, changed_tokens, is_changed, most_changed};
use crate::report::style::TerminalStyle;
use crate::report::table::Table;

/// Most transcripts that are named in a sentence.
const NAMED: usize = 3;

/// Most transcripts that are listed.
const MAX_LISTED: usize = 40;

/// A verdict and the rules over all, then each transcript in the order given.
pub(super) fn report(
    plan: &Plan,
    replays: &[ReplayResult],
    unread: usize,
    top: Option<usize>,
    style: TerminalStyle,
) -> String {
    let mut out = super::verdict(plan, replays, unread).text(style);
    out += &format!("{}\n", before_and_after(replays, style));
    out += &rules(replays, style);
    out += &money::by_rule(replays, style);
    out += &regret::by_rule(replays, style);
    out += &listing(replays, top, style);
    out += &notes(plan, replays, style);
    out.extend(tools_note(plan, replays.iter().map(|replay| &replay.trace)).map(|note| style.wrap(&note, 2)));
    out
}

/// All transcripts, recorded and with the policy.
fn before_and_after(replays: &[ReplayResult], style: TerminalStyle) -> String {
    let totals = Totals::of(replays.iter().map(|replay| &replay.trace));
    let prevented = replays.iter().map(|replay| replay.trace.after_stop).sum();
    let (before, after) = (totals.compared, totals.after);
    let mut table = compared::table();
    compared::calls(&mut table, totals.calls, prevented);
    table.row(compared::tokens("peak context", before.peak, after.peak));
    table.row(compared::tokens("mean context", before.mean, after.mean));
    Total::of(replays.iter().map(|replay| &replay.trace.money)).rows(&mut table);
    draw(&table, style)
}

/// The changed transcripts, a line each.
fn listing(replays: &[ReplayResult], top: Option<usize>, style: TerminalStyle) -> String {
    let changed: Vec<&ReplayResult> = replays.iter().filter(|replay| is_changed(&replay.trace)).collect();
    let listed = most_changed(changed.iter().copied(), top, changed_tokens);
    let listed: Vec<&ReplayResult> = listed.into_iter().take(top.unwrap_or(MAX_LISTED)).collect();
    let rest = changed.len() - listed.len();
    let mut out = String::new();
    if !listed.is_empty() {
        let mut table = sessions(&listed);
        table.shorten_names(2, style.width, false);
        out += &draw(&table, style);
    }
    if rest > 0 && top.is_some() {
        out += &format!("  and {rest} more that change less\n");
    } else if rest > 0 {
        out += &format!("  and {rest} more; --format json lists them all\n");
    }
    match replays.len() - changed.len() {
        0 => {}
        unchanged => out += &format!("  {} unchanged\n", plural(unchanged, "transcript")),
    }
    out + "\n"
}

/// Transcripts with their figures and changes.
fn sessions(listed: &[&ReplayResult]) -> Table {
    let prevented = listed.iter().any(|replay| replay.trace.after_stop > 0);
    let mut head = vec!["", "calls"];
    head.extend(prevented.then_some("not made"));
    head.extend(["tokens sent", "change", "cost", "change"]);
    let mut table = Table::new(&head);
    for replay in listed {
        let trace = &replay.trace;
        let (before, after) = (trace.compared(), trace.after());
        let tokens = |tokens: u128| u64::try_from(tokens).unwrap_or(u64::MAX);
        let sent = compared::change(tokens(before.sum), tokens(after.sum));
        let (cost, change) = Total::of([&trace.money]).change().unwrap_or_default();
        let mut row = vec![replay.id.clone(), whole(trace.call_count())];
        row.extend(prevented.then(|| whole(trace.after_stop)));
        row.extend([sum(before.sum), sent, cost, change]);
        table.row(row);
    }
    table
}

fn notes(plan: &Plan, replays: &[ReplayResult], style: TerminalStyle) -> String {
    let mut lines = vec![OPEN_LOOP_NOTICE.to_owned()];
    lines.extend(failures(replays));
    let unknown: Vec<&ReplayResult> = replays.iter().filter(|replay| replay.trace.window.is_none()).collect();
    if !unknown.is_empty() {
        lines.push(format!(
            "The window of {} is unknown, so conditions on shares of it never hold there: set it with --window.",
            transcripts(&unknown)
        ));
    }
    let (named, over): (Vec<&ReplayResult>, Vec<&ReplayResult>) = replays
        .iter()
        .filter(|replay| replay.trace.exceeds_window())
        .partition(|replay| is_chosen_window(&replay.trace));
    if !named.is_empty() {
        lines.push(format!(
            "The recorded context of {} is larger than the window: it was recorded with a larger window and is compared \
             with this one.",
            transcripts(&named)
        ));
    }
    if !over.is_empty() {
        lines.push(format!(
            "The recorded context of {} is larger than the window, so the window is wrong there: set it with --window.",
            transcripts(&over)
        ));
    }
    let partial: Vec<&ReplayResult> = replays.iter().filter(|replay| replay.trace.observed.missing_history).collect();
    if !partial.is_empty() {
        lines.push(format!(
            "{}: the recording begins in the middle of the session, and the first contexts contain messages that it lacks.",
            transcripts(&partial)
        ));
    }
    lines.extend(harness::early_compactions(replays.iter().map(|replay| (replay.id.as_str(), &replay.trace))));
    lines.extend(harness::harness_edits(replays));
    lines.extend(counter::of_many(replays));
    lines.extend(pricing::notes(replays));
    lines.extend(unknown::of_many(plan, replays));
    lines.extend(idle::never_fired(&replays.iter().map(|replay| &replay.trace).collect::<Vec<_>>()));
    let checked: usize = replays.iter().map(|replay| replay.trace.invariants.checked).sum();
    let broken: usize = replays.iter().map(|replay| replay.trace.invariants.broken.len()).sum();
    lines.push(match broken {
        0 => format!("{} checked, no invariant broken.", plural(checked, "edit")),
        broken => format!("INVARIANTS BROKEN: {broken}; --format json lists them."),
    });
    let mut skipped: BTreeMap<String, u64> = BTreeMap::new();
    for (kind, number) in replays.iter().flat_map(|replay| &replay.trace.skipped) {
        *skipped.entry(kind.clone()).or_default() += number;
    }
    if !skipped.is_empty() {
        lines.push(format!("Skipped records: {}.", skipped_kinds(&skipped)));
    }
    lines.iter().map(|line| style.wrap(line, 2)).collect()
}

/// How many summaries failed, with the first one: a summariser that never answers has the same reason everywhere.
fn failures(replays: &[ReplayResult]) -> Option<String> {
    let (replay, (call, rule, reason)) =
        replays.iter().find_map(|replay| Some((replay, replay.trace.failures.first()?)))?;
    let all = plural(replays.iter().map(|replay| replay.trace.failures.len()).sum(), "summary");
    Some(format!("{all} failed; the first one is that of `{rule}` at call {call} of {}: {reason}.", replay.id))
}

/// Transcripts in a sentence: `2 transcripts (a.jsonl, b.jsonl)`.
fn transcripts(replays: &[&ReplayResult]) -> String {
    format!("{} ({})", plural(replays.len(), "transcript"), list(replays.iter().map(|replay| &replay.id), NAMED))
}
