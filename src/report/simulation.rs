//! One replay, or several, for people and for machines.

mod counter;
mod harness;
mod json;
mod tools;
mod unknown;

pub(super) use counter::of_many as counters;
pub(super) use harness::{early_compactions, harness_edits};
pub use json::{context_json, simulation_json, transcript_json};
pub(super) use tools::tools_note;
pub(super) use unknown::of_many as unknown_facts;

use super::assertion::AssertionResult;
use super::idle;
use super::sparkline;
use super::style::{TerminalStyle, fold_lines};
use super::table::{Table, columns};
use super::totals::{averted, many, size};
use crate::plan::Plan;
use crate::quantity::{Decimal, grouped, percent};
use crate::simulate::{RuleTrace, Trace, WindowSource};

/// A trace and the file it comes from.
#[derive(Clone, Debug)]
pub struct ReplayResult {
    /// The file as the user gave it.
    pub file: String,
    /// What tells it from other transcripts: the file, and the id inside it when there are several.
    pub id: String,
    /// The trace.
    pub trace: Trace,
    /// What came of the assertions.
    pub assertions: Vec<AssertionResult>,
}

/// The open-loop notice; every report carries it.
pub(super) const OPEN_LOOP_NOTICE: &str = "Open-loop replay: the recorded replies are held fixed, so what follows the first change is an \
                       estimate.";

/// The report for people: a verdict, before and after, the rules, a curve, and what it rests on.
pub fn simulation(plan: &Plan, replays: &[ReplayResult], style: TerminalStyle) -> String {
    let text = match replays {
        [one] => single(plan, one, style),
        several => many(plan, several, style),
    };
    fold_lines(&text, style.width)
}

fn single(plan: &Plan, one: &ReplayResult, style: TerminalStyle) -> String {
    let trace = &one.trace;
    let mut out = style.wrap(&format!("{}: {}", one.id, verdict(plan, trace)), 0);
    if style.color {
        out = format!("{}\n", style.strong(out.trim_end()));
    }
    out += &format!("\n{}\n", before_and_after(trace, style));
    out += &rules(std::slice::from_ref(one), style);
    out += &sparklines(trace, style);
    out += &notes(plan, trace, style);
    out.extend(tools_note(plan, [trace]).map(|note| style.wrap(&note, 2)));
    out
}

/// What came of it, in a sentence.
fn verdict(plan: &Plan, trace: &Trace) -> String {
    let (before, after) = (trace.before(), trace.after());
    if trace.calls.is_empty() {
        return "the transcript holds no model call, so there is nothing to replay.".to_owned();
    }
    if trace.rules.iter().all(|rule| rule.fired == 0) {
        let peak = size(trace, before.peak);
        return format!("no rule of `{}` fires; the context peaks at {peak}.", plan.policy);
    }
    let peak = match trace.ratio(before.peak).zip(trace.ratio(after.peak)) {
        Some((before, after)) => format!("peak {} of the window instead of {}", percent(after), percent(before)),
        None => format!("peak {} tokens instead of {}", count(after.peak), count(before.peak)),
    };
    format!("under `{}` {peak}, {}.", plan.policy, averted(trace.saved(), before.sum))
}

fn before_and_after(trace: &Trace, style: TerminalStyle) -> String {
    let mut table = Table::new(&["", "recorded", "with the policy"]);
    let (before, after) = (trace.before(), trace.after());
    table.row(["calls".to_owned(), before.calls.to_string(), after.calls.to_string()]);
    table.row(["peak context".to_owned(), size(trace, before.peak), size(trace, after.peak)]);
    table.row(["mean context".to_owned(), size(trace, before.mean), size(trace, after.mean)]);
    table.row(["tokens sent".to_owned(), grouped(Decimal::from(before.sum)), grouped(Decimal::from(after.sum))]);
    draw(&table, style)
}

/// The table of rules over one or several traces, with as many calls as there is room for.
pub(super) fn rules(replays: &[ReplayResult], style: TerminalStyle) -> String {
    let Some(first) = replays.first() else { return String::new() };
    let most = if style.width >= 76 && replays.len() == 1 { 4 } else { 0 };
    let mut tables = (0..=most).rev().filter(|listed| *listed != 1).map(|listed| tabulated(replays, first, listed));
    let fits = tables.find(|table| table.lines(2).iter().all(|line| columns(line) <= style.width));
    let table = fits.unwrap_or_else(|| tabulated(replays, first, 0));
    format!("{}\n", draw(&table, style))
}

/// The rules, with so many of the calls at which each fired; with none, the column is left out.
fn tabulated(replays: &[ReplayResult], first: &ReplayResult, listed: usize) -> Table {
    let mut head = vec!["rule", "due", "fired", "edits", "tokens saved"];
    head.extend((listed > 0).then_some("at call"));
    let mut table = Table::new(&head);
    table.last_is_text = listed > 0;
    for (at, rule) in first.trace.rules.iter().enumerate() {
        let all: Vec<&RuleTrace> = replays.iter().filter_map(|one| one.trace.rules.get(at)).collect();
        let sum = |of: fn(&RuleTrace) -> usize| all.iter().map(|rule| of(rule)).sum::<usize>().to_string();
        let saved: i128 = all.iter().map(|rule| rule.saved).sum();
        let mut row = vec![
            format!("{} {}", mark(at), rule.name),
            sum(|rule| rule.due),
            sum(|rule| rule.fired),
            sum(|rule| rule.edits),
            signed(saved),
        ];
        row.extend((listed > 0).then(|| calls(&rule.calls, listed)));
        table.row(row);
    }
    table
}

fn draw(table: &Table, style: TerminalStyle) -> String {
    let mut lines = table.fitted(2, style.width).into_iter();
    let head = lines.next().map(|head| format!("{}\n", style.faint(&head)));
    head.into_iter().chain(lines.map(|line| format!("{line}\n"))).collect()
}

/// The letter by which the curve marks a rule.
fn mark(rule: usize) -> char {
    u32::try_from(rule).ok().filter(|&rule| rule < 26).and_then(|rule| char::from_u32('a' as u32 + rule)).unwrap_or('+')
}

/// The first calls of a list, and how many more there are.
fn calls(calls: &[usize], listed: usize) -> String {
    let first: Vec<String> = calls.iter().take(listed).map(ToString::to_string).collect();
    let rest = calls.len().saturating_sub(listed);
    if rest > 0 { format!("{}, and {rest} more", first.join(", ")) } else { first.join(", ") }
}

/// The context call by call, recorded and with the policy, and where rules fired.
fn sparklines(trace: &Trace, style: TerminalStyle) -> String {
    let room = style.width.saturating_sub(12).clamp(10, 100);
    let count = trace.calls.len();
    if count < 2 {
        return String::new();
    }
    let mut before: Vec<Option<Decimal>> = vec![None; count.min(room)];
    let mut after = before.clone();
    let mut marks = vec![' '; before.len()];
    let top = trace.window.map_or_else(|| trace.before().peak.max(trace.after().peak), |(window, _)| window);
    for (at, call) in trace.calls.iter().enumerate() {
        let bucket = sparkline::bucket(at, count, room);
        before[bucket] = before[bucket].max(Some(call.before.into()));
        after[bucket] = after[bucket].max(call.made.then(|| call.after.into()));
        for &rule in &call.fired {
            marks[bucket] = if [' ', mark(rule)].contains(&marks[bucket]) { mark(rule) } else { '*' };
        }
    }
    let marks: String = marks.into_iter().collect();
    let top = Decimal::from(top);
    let mut out = format!("  recorded  {}\n", style.faint(&sparkline::line(&before, top, style)));
    out += &format!("  policy    {}\n", sparkline::line(&after, top, style));
    if !marks.trim().is_empty() {
        out += &format!("  fired     {}\n", marks.trim_end());
    }
    let scale = if trace.window.is_some() { "a full bar is the window" } else { "a full bar is the peak" };
    let each = if count > room { ", each the largest of several calls" } else { "" };
    out += &style.faint(style.wrap(&format!("{scale}; {count} calls{each}; * several rules"), 12).trim_end());
    out + "\n\n"
}

/// What the figures rest on, and what is worth knowing beside them.
fn notes(plan: &Plan, trace: &Trace, style: TerminalStyle) -> String {
    let mut lines = vec![rests_on(trace)];
    lines.extend(counter::of_one(trace));
    lines.extend(unknown::of_one(plan, trace));
    if trace.exceeds_window() {
        let said = if is_named(trace) {
            "A recorded context is larger than this window, in which the recording could not have been made: what is \
             recorded is only held against it."
        } else {
            "A recorded context is larger than this window, so the window is wrong: name it with --window."
        };
        lines.push(said.to_owned());
    }
    lines.extend(harness::early_compaction(trace));
    let divergence = match trace.first_divergence {
        Some(call) => format!("{OPEN_LOOP_NOTICE} The first context that differs is that of call {call}."),
        None => format!("{OPEN_LOOP_NOTICE} No context differs from the recorded one."),
    };
    lines.push(divergence);
    let checked = trace.invariants.checked;
    lines.push(match trace.invariants.broken.as_slice() {
        [] => format!("{} checked, no invariant broken.", plural(checked, "edit")),
        broken => {
            format!("INVARIANTS BROKEN: {}", list(broken.iter().map(|(call, one)| format!("call {call}: {one}"))))
        }
    });
    lines.extend(happenings(trace));
    lines.iter().map(|line| style.wrap(line, 2)).collect()
}

/// Whether the window was named for the replay, so that it is meant to be another than the recording's.
pub(super) fn is_named(trace: &Trace) -> bool {
    matches!(trace.window, Some((_, WindowSource::Flag | WindowSource::Profile)))
}

/// Window, counter and their sources.
fn rests_on(trace: &Trace) -> String {
    let window = match trace.window {
        Some((0, source)) => {
            format!(
                "Window 0 tokens ({}), so conditions on shares of it never hold: name it with --window",
                origin(source)
            )
        }
        Some((window, source)) => format!("Window {} tokens ({})", count(window), origin(source)),
        None => "Window unknown, so conditions on shares of it never hold: name it with --window".to_owned(),
    };
    format!("{window}; tokens {}.", counter::method(&trace.counter))
}

pub(super) fn origin(source: WindowSource) -> &'static str {
    match source {
        WindowSource::Flag => "--window",
        WindowSource::Policy => "the policy's agent block",
        WindowSource::Profile => "the project's profile",
        WindowSource::Recording => "the recording",
        WindowSource::Model => "the model table",
        WindowSource::LongModelId => "the model table, the long window: the model id ends with `[1m]`",
        WindowSource::LongContext => "the model table, the long window: a recorded context exceeds the standard one",
    }
}

/// How many failures and stops are listed one by one.
const LISTED: usize = 3;

/// A line for what is left out of such a list.
fn more(count: usize, noun: &str) -> Option<String> {
    let rest = count.saturating_sub(LISTED);
    (rest > 0).then(|| match plural(rest, noun).split_once(' ') {
        Some((number, nouns)) => format!("And {number} more {nouns}."),
        None => String::new(),
    })
}

fn happenings(trace: &Trace) -> Vec<String> {
    let mut lines = Vec::new();
    let mut counts = vec![plural(trace.runs, "run"), plural(trace.summaries, "summary")];
    counts.push(plural(trace.injections, "injection"));
    counts.extend(harness::resets(trace));
    lines.push(format!("{}.", counts.join(", ")));
    lines.extend(harness::clearings(trace));
    for (call, rule, reason) in trace.failures.iter().take(LISTED) {
        lines.push(format!("At call {call} the summary of `{rule}` failed: {reason}."));
    }
    lines.extend(more(trace.failures.len(), "failed summary"));
    for (call, stop) in trace.stops.iter().take(LISTED) {
        lines.push(format!("`{}` stops the run at call {call}: {}", stop.rule, stop.text));
    }
    lines.extend(more(trace.stops.len(), "stop"));
    if trace.after_stop > 0 {
        lines.push(format!("{} would not have been made.", plural(trace.after_stop, "recorded call")));
    }
    lines.extend(idle::never_fired(&[trace]));
    for rule in trace.rules.iter().filter(|rule| rule.short.0 > 0) {
        let (often, short) = rule.short;
        lines.push(format!(
            "`{}` missed its `down_to` {}, by {} tokens at most.",
            rule.name,
            times(often),
            count(short)
        ));
    }
    if let Some((call, notice)) = trace.notices.first() {
        let rest = trace.notices.len() - 1;
        let more = if rest > 0 { format!(" ({rest} more)") } else { String::new() };
        lines.push(format!("Notice of `{}` at call {call}: {}{more}", notice.rule, notice.text));
    }
    if !trace.skipped.is_empty() {
        let kinds = list(trace.skipped.iter().map(|(kind, number)| format!("{kind} ({number})")));
        lines.push(format!("Records that are no part of the conversation: {kinds}."));
    }
    lines
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

pub(super) fn times(number: usize) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        number => format!("{number} times"),
    }
}

pub(super) fn plural(number: usize, noun: &str) -> String {
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (number, Some(stem)) => format!("{number} {stem}ies"),
        (number, None) => format!("{number} {noun}s"),
    }
}

pub(super) fn count(tokens: u64) -> String {
    grouped(Decimal::from(tokens))
}

/// A sum that may be below zero, with digit groups.
fn signed(sum: i128) -> String {
    Decimal::try_from_i128_with_scale(sum, 0).map_or_else(|_| sum.to_string(), grouped)
}
