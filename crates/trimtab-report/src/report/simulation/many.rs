//! The report on several replays.

use std::collections::BTreeMap;

use trimtab_language::plan::Plan;
use trimtab_simulate::simulate::Trace;

use super::money;
use super::note_list::NoteList;
use super::rules::{draw, rules};
use super::tools::{declared_recall, tools_note};
use super::wording::{OPEN_LOOP_NOTICE, is_chosen_window};
use super::{compared, counter, harness, pricing, regret, unknown};
use crate::report::idle;
use crate::report::number::{list, plural, skipped_kinds, sum, whole};
use crate::report::replay_result::{ReplayResult, changed_tokens, is_changed, most_changed};
use crate::report::result::TotalResult;
use crate::report::style::TerminalStyle;
use crate::report::table::Table;

/// Most transcripts that are named in a sentence.
const NAMED: usize = 3;

/// Most transcripts that are listed.
const MAX_LISTED: usize = 40;

/// A verdict and the rules over all, then each transcript in the order given; and the notes.
pub(super) fn report(
    plan: &Plan,
    replays: &[ReplayResult],
    unread: usize,
    top: Option<usize>,
    style: TerminalStyle,
) -> (String, NoteList) {
    let mut out = super::verdict(plan, replays, unread).text(style);
    let total = TotalResult::of(replays);
    out += &format!("{}\n", before_and_after(&total, style));
    out += &rules(&total, replays, style);
    out += &money::by_rule(&total, replays, style);
    out += &regret::by_rule(&total, replays, style);
    out += &listing(replays, top, style);
    (out, notes(plan, replays))
}

/// All transcripts, recorded and with the policy.
fn before_and_after(total: &TotalResult, style: TerminalStyle) -> String {
    let (before, after) = (total.compared, total.after);
    let mut table = compared::table();
    compared::calls(&mut table, total.calls, total.verdict().stopped.calls);
    table.row(compared::tokens("peak context", before.peak_tokens, after.peak_tokens));
    table.row(compared::tokens("mean context", before.mean_tokens, after.mean_tokens));
    money::rows(total, &mut table);
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
        out += &format!("  and {rest} more, which change less\n");
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
        let (cost, change) = money::cost_change(&TotalResult::of([*replay])).unwrap_or_default();
        let mut row = vec![replay.id.clone(), whole(trace.call_count())];
        row.extend(prevented.then(|| whole(trace.after_stop)));
        row.extend([sum(before.sum), sent, cost, change]);
        table.row(row);
    }
    table
}

fn notes(plan: &Plan, replays: &[ReplayResult]) -> NoteList {
    let traces = || replays.iter().map(|replay| &replay.trace);
    let mut notes = NoteList::default();
    notes.show(failures(replays));
    notes.show(windows(replays));
    notes.show(harness::early_compactions(traces()));
    notes.show(harness::harness_edits(replays));
    notes.show(counter::caveats(replays));
    notes.show(pricing::notes(replays));
    notes.show(pricing::other_model(plan, replays));
    notes.show(unknown::of_many(plan, replays, false));
    notes.show(unknown::of_all(plan, &traces().collect::<Vec<_>>()));
    notes.show(tools_note(plan, traces()));
    notes.show(declared_recall(plan, traces()));
    notes.show(idle::never_fired(&traces().collect::<Vec<_>>()));
    notes.show(idle::declined(&traces().collect::<Vec<_>>()));
    let broken: usize = traces().map(|trace| trace.invariants.broken.len()).sum();
    notes.show((broken > 0).then(|| format!("INVARIANTS BROKEN: {broken}; --format json lists them.")));
    notes.detail([OPEN_LOOP_NOTICE.to_owned()]);
    notes.detail(named_windows(replays));
    notes.detail(unknown::of_many(plan, replays, true));
    notes.detail(counter::content_errors(replays));
    let checked = plural(traces().map(|trace| trace.invariants.checked).sum(), "edit");
    notes.detail((broken == 0).then(|| format!("{checked} checked, no invariant broken.")));
    let mut skipped: BTreeMap<String, u64> = BTreeMap::new();
    for (kind, number) in traces().flat_map(|trace| &trace.skipped) {
        *skipped.entry(kind.clone()).or_default() += number;
    }
    notes.detail((!skipped.is_empty()).then(|| format!("Skipped records: {}.", skipped_kinds(&skipped))));
    notes
}

/// Whether a recorded context exceeds a window that was not chosen for the replay.
fn has_wrong_window(trace: &Trace) -> bool {
    trace.exceeds_window() && !is_chosen_window(trace)
}

/// The windows that are unknown or wrong, so that rules are due at other calls or at none.
fn windows(replays: &[ReplayResult]) -> Vec<String> {
    let number = |is: fn(&Trace) -> bool| replays.iter().filter(|replay| is(&replay.trace)).count();
    let transcripts = |number: usize| (number > 0).then(|| plural(number, "transcript"));
    let unknown = transcripts(number(|trace| trace.window.is_none() && trace.call_count() > 0)).map(|transcripts| {
        format!("The window of {transcripts} is unknown, so shares of it never hold there: set it with --window.")
    });
    let wrong = transcripts(number(has_wrong_window)).map(|transcripts| {
        format!("The window of {transcripts} is wrong, since a context exceeds it: set it with --window.")
    });
    unknown.into_iter().chain(wrong).collect()
}

/// The same with the names of the transcripts, and those of which less is known.
fn named_windows(replays: &[ReplayResult]) -> Vec<String> {
    let named = |is: fn(&Trace) -> bool, text: &str| {
        let those: Vec<&ReplayResult> = replays.iter().filter(|replay| is(&replay.trace)).collect();
        (!those.is_empty()).then(|| format!("{text}: {}.", transcripts(&those)))
    };
    let kinds = [
        named(|trace| trace.window.is_none(), "Without a known window"),
        named(has_wrong_window, "With a recorded context that is larger than the window"),
        named(
            |trace| trace.exceeds_window() && is_chosen_window(trace),
            "Recorded with a larger window, and compared with this one",
        ),
        named(|trace| trace.observed.missing_history, "Begin in the middle of the session, without earlier messages"),
    ];
    kinds.into_iter().flatten().collect()
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
