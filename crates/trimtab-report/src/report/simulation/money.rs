//! What a simulation costs: with the prompt cache, before and after the policy, and by rule.

use trimtab_base::quantity::{Decimal, grouped};

use super::compared;
use super::rules::letter;
use crate::report::amount::{dollars, signed_dollars};
use crate::report::number::{plural, plural_count};
use crate::report::partial_sum::PartialSum;
use crate::report::replay_result::ReplayResult;
use crate::report::result::{Ends, RuleFigures, TotalResult};
use crate::report::style::TerminalStyle;
use crate::report::table::Table;

/// The cells of a table with the recorded cost, and how much of it is priced, and the cost with the policy.
pub(crate) fn cost_cells(total: &TotalResult) -> (String, String) {
    let unknown = || "unknown".to_owned();
    let bills = &total.money.bills;
    let recorded = PartialSum::of(bills.before.cost, total.verdict().priced).text().unwrap_or_else(unknown);
    (recorded, bills.with_policy().0.map_or_else(unknown, dollars))
}

/// Returns the recorded cost of the calls that are made in both, and what the policy adds to it, or `None` if no price
/// is known.
pub(super) fn cost_change(total: &TotalResult) -> Option<(String, String)> {
    let bills = &total.money.bills;
    let before = PartialSum::of(bills.compared.cost, total.verdict().priced).text()?;
    let added = bills.with_policy().less(bills.compared.cost).0?;
    let sign = if added.is_sign_positive() && !added.round_dp(3).is_zero() { "+" } else { "" };
    Some((before, if added.is_zero() { String::new() } else { format!("{sign}{}", signed_dollars(added)) }))
}

/// Adds the rows on uncached input, cache writes and cache reads, if there are any.
pub(super) fn rows(total: &TotalResult, table: &mut Table) {
    let (before, after) = (total.money.bills.compared, total.money.bills.after);
    let writes = before.cache_write > 0 || after.cache_write > 0;
    if writes || before.cache_read > 0 || after.cache_read > 0 {
        table.row(compared::tokens("uncached input", before.uncached_input, after.uncached_input));
        if writes {
            table.row(compared::tokens("written to cache", before.cache_write, after.cache_write));
        }
        table.row(compared::tokens("read from cache", before.cache_read, after.cache_read));
    }
}

/// What each rule saved and cost, a line each, and the cost of summaries.
pub(super) fn by_rule(total: &TotalResult, replays: &[ReplayResult], style: TerminalStyle) -> String {
    let (mut out, bills) = (String::new(), &total.money.bills);
    // It is computed for a single session only.
    let payback = |at: usize| match replays {
        [replay] if total.verdict().priced.is_complete() => {
            replay.trace.rules[at].money.pays_after.map_or(Payback::Never, Payback::After)
        }
        _ => Payback::Unknown,
    };
    for (at, rule) in total.rules.iter().enumerate() {
        let parts = [sentence(&rule.figures, payback(at)), saving_interval(&rule.figures)];
        let text = parts.into_iter().flatten().reduce(|text, more| format!("{text}; {more}"));
        out.extend(text.map(|text| style.wrap(&format!("{} {}: {text}", letter(at), rule.name), 2)));
    }
    if let Some(cost) = bills.summaries_cost.0.filter(|cost| !cost.is_zero()) {
        out += &style.wrap(&format!("The cost includes {} for summaries.", dollars(cost)), 2);
    }
    let others = [
        (bills.harness, "that the harness made for itself"),
        (bills.branches, "on branches that the conversation has left"),
    ];
    for (calls, which) in others.into_iter().filter(|(calls, _)| calls.calls > 0) {
        let Some(cost) = calls.bill.cost.0.map(dollars) else { continue };
        let calls = plural_count(calls.calls, "call");
        out += &style.wrap(&format!("The recorded cost includes {cost} for {calls} {which}."), 2);
    }
    if out.is_empty() { out } else { format!("{out}\n") }
}

/// When a rule had saved as much as it had cost.
#[derive(Clone, Copy)]
enum Payback {
    /// This number of calls after its first firing.
    After(usize),
    Never,
    Unknown,
}

/// Returns what a rule saved and cost if that is known, and when it paid for itself, or `None` if there is nothing to
/// say.
fn sentence(rule: &RuleFigures, payback: Payback) -> Option<String> {
    let amount = |amount: Option<Decimal>| amount.filter(|amount| !amount.is_zero());
    let (saved, caused) = (amount(rule.cost_saved.0), amount(rule.cost_caused.0));
    let mut parts = Vec::new();
    if let Some(saved) = saved {
        let word = if saved.is_sign_negative() { "added" } else { "saved" };
        parts.push(format!("{word} {}", dollars(saved.abs())));
    }
    let breaks = (rule.cache_breaks > 0).then(|| plural_count(rule.cache_breaks, "cache break"));
    match (caused, breaks) {
        (Some(caused), Some(breaks)) => parts.push(format!("cost {} in {breaks}", dollars(caused))),
        (Some(caused), None) => parts.push(format!("cost {}", dollars(caused))),
        (None, Some(breaks)) => parts.push(breaks),
        (None, None) => {}
    }
    if rule.free_edits > 0 {
        parts.push(format!("{} free, before the content was sent", plural_count(rule.free_edits, "edit")));
    }
    if rule.cold_changes > 0 {
        let changes = plural_count(rule.cold_changes, "change");
        parts.push(format!("{changes} nearly free, after the cache had expired"));
    }
    let mut text = parts.join(", ");
    if caused.is_some() {
        text += &match payback {
            Payback::After(0) => "; paid for itself at once".to_owned(),
            Payback::After(calls) => format!("; paid for itself after {}", plural(calls, "call")),
            Payback::Never => "; did not pay for itself in this recording".to_owned(),
            Payback::Unknown => String::new(),
        };
    }
    (!text.is_empty()).then_some(text)
}

/// Returns the interval of what a rule saves, less what it causes, of money if it is known: `80% interval of the
/// saving: $0.021 to $0.029`, or `None` if its ends are the same.
fn saving_interval(rule: &RuleFigures) -> Option<String> {
    let Ends { low, high } = rule.interval.cost;
    let tokens = |tokens: i64| grouped(Decimal::from(tokens));
    let ([low, high], unit) = match low.0.zip(high.0) {
        Some((low, high)) => ([low, high].map(signed_dollars), ""),
        None => ([rule.interval.tokens.low, rule.interval.tokens.high].map(tokens), " tokens"),
    };
    let what = if rule.cost_caused.0.is_some_and(|caused| !caused.is_zero()) { "the net saving" } else { "the saving" };
    (low != high).then(|| format!("80% interval of {what}: {low} to {high}{unit}"))
}
