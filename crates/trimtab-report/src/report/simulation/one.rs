//! The report on one replay.

use trimtab_base::quantity::Decimal;
use trimtab_language::plan::Plan;
use trimtab_simulate::simulate::{Series, Trace};

use super::money;
use super::note_list::NoteList;
use super::rules::{draw, letter, rules};
use super::wording::{peak, size};
use super::{compared, notes, regret};
use crate::report::number::plural;
use crate::report::replay_result::ReplayResult;
use crate::report::result::TotalResult;
use crate::report::sparkline;
use crate::report::style::TerminalStyle;

/// The report and its notes.
pub(super) fn report(plan: &Plan, replay: &ReplayResult, style: TerminalStyle) -> (String, NoteList) {
    let trace = &replay.trace;
    let mut out = super::verdict(plan, std::slice::from_ref(replay), 0).text(style);
    if trace.calls.is_empty() {
        return (out, NoteList::default());
    }
    let replays = std::slice::from_ref(replay);
    let total = TotalResult::of(replays);
    out += &format!("{}\n", before_and_after(trace, &total, style));
    out += &rules(&total, replays, style);
    out += &money::by_rule(&total, replays, style);
    out += &regret::by_rule(&total, replays, style);
    out += &sparklines(trace, style);
    (out, notes::notes(plan, replay))
}

fn before_and_after(trace: &Trace, total: &TotalResult, style: TerminalStyle) -> String {
    let mut table = compared::table();
    let (before, after) = (trace.compared(), trace.after());
    compared::calls(&mut table, total.calls, total.verdict().stopped.calls);
    table.row(compared::row("peak context", (before.peak, after.peak), (peak(before), peak(after))));
    let mean = |series: Series| size(series.mean, series.mean_ratio);
    table.row(compared::row("mean context", (before.mean, after.mean), (mean(before), mean(after))));
    money::rows(total, &mut table);
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
