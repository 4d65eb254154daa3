//! The report on one replay.

use super::money::{self, Total};
use super::rules::{draw, letter, rules};
use super::tools::tools_note;
use super::wording::{saving, size};
use super::{notes, pricing, regret};
use crate::plan::Plan;
use crate::quantity::{Decimal, percent};
use crate::report::number::{count, plural, sum, whole};
use crate::report::replay_result::{ReplayResult, is_changed};
use crate::report::sparkline;
use crate::report::style::TerminalStyle;
use crate::report::table::Table;
use crate::simulate::Trace;

pub(super) fn report(plan: &Plan, replay: &ReplayResult, style: TerminalStyle) -> String {
    let trace = &replay.trace;
    let verdict = style.wrap(&format!("{}: {}", replay.id, verdict(plan, trace)), 0);
    let mut out = format!("{}\n", style.emphasis(verdict.trim_end()));
    out += &format!("\n{}\n", before_and_after(trace, style));
    out += &rules(std::slice::from_ref(replay), style);
    out += &money::by_rule(std::slice::from_ref(replay), style);
    out += &regret::by_rule(std::slice::from_ref(replay), style);
    out += &sparklines(trace, style);
    out += &notes::notes(plan, trace, pricing::notes(std::slice::from_ref(replay)), style);
    out.extend(tools_note(plan, [trace]).map(|note| style.wrap(&note, 2)));
    out
}

/// The result in a sentence.
pub(crate) fn verdict(plan: &Plan, trace: &Trace) -> String {
    let (before, after) = (trace.before(), trace.after());
    if trace.calls.is_empty() {
        return "the transcript has no model calls, so there is nothing to replay.".to_owned();
    }
    if !is_changed(trace) {
        return format!("no rule of `{}` fires; the context peaks at {}.", plan.policy, size(trace, before.peak));
    }
    let cost = Total::of([&trace.money]).verdict().map_or_else(String::new, |cost| format!(", {cost}"));
    if before.peak == after.peak {
        let (peak, saving) = (size(trace, before.peak), saving(trace.saved(), before.sum));
        return format!("with `{}` the context still peaks at {peak}, {saving}{cost}.", plan.policy);
    }
    let peak = match trace.ratio(before.peak).zip(trace.ratio(after.peak)) {
        Some((before, after)) => format!("{} of the window instead of {}", percent(after), percent(before)),
        None => format!("{} tokens instead of {}", count(after.peak), count(before.peak)),
    };
    format!("with `{}` the context peaks at {peak}, {}{cost}.", plan.policy, saving(trace.saved(), before.sum))
}

fn before_and_after(trace: &Trace, style: TerminalStyle) -> String {
    let mut table = Table::new(&["", "recorded", "with the policy"]);
    let (before, after) = (trace.before(), trace.after());
    table.row(["calls".to_owned(), whole(before.calls), whole(after.calls)]);
    table.row(["peak context".to_owned(), size(trace, before.peak), size(trace, after.peak)]);
    table.row(["mean context".to_owned(), size(trace, before.mean), size(trace, after.mean)]);
    table.row(["tokens sent".to_owned(), sum(before.sum), sum(after.sum)]);
    Total::of([&trace.money]).rows(&mut table);
    draw(&table, style)
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
            marks[bucket] = if [' ', letter(rule)].contains(&marks[bucket]) { letter(rule) } else { '*' };
        }
    }
    let marks: String = marks.into_iter().collect();
    let top = Decimal::from(top);
    let mut out = format!("  recorded  {}\n", style.dim(&sparkline::line(&before, top, style)));
    out += &format!("  policy    {}\n", sparkline::line(&after, top, style));
    if !marks.trim().is_empty() {
        out += &format!("  fired     {}\n", marks.trim_end());
    }
    let scale = if trace.window.is_some() { "full bar = context window" } else { "full bar = peak" };
    let each = if count > room { "; each bar is the largest of several calls" } else { "" };
    let several = if marks.contains('*') { "; * = several rules" } else { "" };
    let legend = format!("{scale}; {}{each}{several}", plural(count, "call"));
    out += &style.dim(style.wrap(&legend, 12).trim_end());
    out + "\n\n"
}
