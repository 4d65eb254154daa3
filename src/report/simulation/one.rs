//! The report on one replay.

use super::money::{self, Total};
use super::rules::{draw, letter, rules};
use super::tools::tools_note;
use super::wording::{peak, saving, size};
use super::{notes, pricing, regret, verdict as words};
use crate::plan::Plan;
use crate::quantity::{Decimal, percent};
use crate::report::number::{count, plural, sum, whole};
use crate::report::replay_result::{ReplayResult, is_changed};
use crate::report::sparkline;
use crate::report::style::TerminalStyle;
use crate::report::table::Table;
use crate::simulate::{Series, Trace, Verdict};

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
    if trace.calls.is_empty() {
        return "the transcript has no model calls, so there is nothing to replay.".to_owned();
    }
    let verdict = Verdict::of(trace);
    let effect = if is_changed(trace) {
        format!("with `{}` {}{}", plan.policy, effect(trace), words::compared_calls(&verdict))
    } else {
        format!("no rule of `{}` fires; the context peaks at {}", plan.policy, peak(trace.before()))
    };
    let first = words::over_window(&verdict, trace.reserve > 0);
    let first = first.into_iter().chain(words::stopped(&verdict, trace.call_count(), 1));
    words::sentence(first.chain([effect]).chain(words::losses(&verdict)))
}

/// What the policy does to the calls that are made in both.
fn effect(trace: &Trace) -> String {
    let (before, after) = (trace.compared(), trace.after());
    let cost = Total::of([&trace.money]).verdict().map_or_else(String::new, |cost| format!(", {cost}"));
    let saving = saving(trace.saved(), before.sum);
    if before.peak == after.peak {
        return format!("the context still peaks at {}, {saving}{cost}", peak(before));
    }
    let peak = match before.peak_ratio.zip(after.peak_ratio) {
        Some((before, after)) => format!("{} of the window instead of {}", percent(after), percent(before)),
        None => format!("{} tokens instead of {}", count(after.peak), count(before.peak)),
    };
    format!("the context peaks at {peak}, {saving}{cost}")
}

fn before_and_after(trace: &Trace, style: TerminalStyle) -> String {
    let mut table = Table::new(&["", "recorded", "with the policy"]);
    let (before, after) = (trace.compared(), trace.after());
    let verdict = Verdict::of(trace);
    calls(&mut table, &verdict, trace.call_count());
    table.row(["peak context".to_owned(), peak(before), peak(after)]);
    let mean = |series: Series| size(series.mean, series.mean_ratio);
    table.row(["mean context".to_owned(), mean(before), mean(after)]);
    table.row(["tokens sent".to_owned(), sum(before.sum), sum(after.sum)]);
    words::interval(&mut table, verdict.tokens, sum);
    Total::of([&trace.money]).rows(&mut table);
    if let Some(cost) = verdict.cost {
        words::interval(&mut table, cost, money::dollars);
    }
    draw(&table, style)
}

/// The row of the calls. If a stop prevents some, the rows after it compare those that are made in both.
pub(super) fn calls(table: &mut Table, verdict: &Verdict, recorded: usize) {
    let made = recorded.saturating_sub(verdict.stopped_calls);
    table.row(["calls".to_owned(), whole(recorded), whole(made)]);
    if made < recorded {
        table.row(["compared below".to_owned(), whole(made), whole(made)]);
    }
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
