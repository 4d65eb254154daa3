//! What a simulation costs: with the prompt cache, before and after the policy, and by rule.

use serde_json::{Map, Value as Json, json};
use trimtab_base::conversation::Usage;
use trimtab_base::quantity::{Decimal, grouped};
use trimtab_model::model::Prices;
use trimtab_simulate::simulate::{Bill, CallBill, Money, PricedShare, RuleMoney, RuleSaving, StablePrefix};

use super::rules::letter;
use super::{compared, pricing};
use crate::report::amount::{dollars, dollars_number, signed_dollars};
use crate::report::number::plural;
use crate::report::partial_sum::PartialSum;
use crate::report::replay_result::{ReplayResult, rule_totals};
use crate::report::style::TerminalStyle;
use crate::report::table::Table;

/// The money of one replay or several.
#[derive(Clone, Debug, Default)]
pub(crate) struct Total {
    before: Bill,
    /// The recorded calls that are made with the policy too.
    compared: Bill,
    after: Bill,
    harness: CallBill,
    branches: CallBill,
    summaries: Decimal,
    /// What calls and summaries cost with the policy.
    cost: Decimal,
    /// How much of the recorded calls has a known price.
    priced: PricedShare,
}

impl Total {
    pub(crate) fn of<'a>(all: impl IntoIterator<Item = &'a Money>) -> Self {
        let mut total = Self::default();
        for money in all {
            total.before = total.before.with(money.before);
            total.compared = total.compared.with(money.compared);
            total.after = total.after.with(money.after);
            total.harness = total.harness.with(money.harness);
            total.branches = total.branches.with(money.branches);
            total.summaries += money.summaries;
            total.cost += money.total();
            total.priced = total.priced.with(money.priced);
        }
        total
    }

    /// The usage of the calls that are made in both, recorded and with the policy.
    pub(crate) const fn usage(&self) -> (Usage, Usage) {
        (self.compared.usage, self.after.usage)
    }

    /// The cost in US dollars of the calls whose price is known, recorded and with the policy; none if there are none.
    pub(crate) fn known_costs(&self) -> Option<(Decimal, Decimal)> {
        self.priced.is_known().then_some((self.before.cost, self.cost))
    }

    /// What the policy saves of the cost of the calls that are made in both; none if no price is known.
    pub(crate) fn saved(&self) -> Option<Decimal> {
        self.priced.is_known().then(|| self.compared.cost - self.cost)
    }

    /// The usage of all recorded calls.
    pub(crate) const fn recorded_usage(&self) -> Usage {
        self.before.usage
    }

    /// The cells of a table with the cost of all recorded calls, and how many of them are priced, and of those with the policy.
    pub(crate) fn cells(&self) -> (String, String) {
        let unknown = || "unknown".to_owned();
        let recorded = PartialSum::of_calls(self.before.cost, self.priced).text().unwrap_or_else(unknown);
        (recorded, self.known_costs().map_or_else(unknown, |(_, policy)| dollars(policy)))
    }

    /// The recorded cost of the calls that are made in both, and what the policy adds to it; none if no price is known.
    pub(super) fn change(&self) -> Option<(String, String)> {
        let (before, added) = (self.compared.cost, self.cost - self.compared.cost);
        let sign = if added.is_sign_positive() && !added.round_dp(3).is_zero() { "+" } else { "" };
        let change = if added.is_zero() { String::new() } else { format!("{sign}{}", signed_dollars(added)) };
        PartialSum::of_calls(before, self.priced).text().map(|before| (before, change))
    }

    /// The rows of the table that compares the recording with the policy.
    pub(super) fn rows(&self, table: &mut Table) {
        let (before, after) = self.usage();
        let writes = before.cache_write > 0 || after.cache_write > 0;
        if writes || before.cache_read > 0 || after.cache_read > 0 {
            table.row(compared::tokens("uncached input", before.input, after.input));
            if writes {
                table.row(compared::tokens("written to cache", before.cache_write, after.cache_write));
            }
            table.row(compared::tokens("read from cache", before.cache_read, after.cache_read));
        }
    }
}

/// What each rule saved and caused, a line each, and the cost of summaries.
pub(super) fn by_rule(replays: &[ReplayResult], style: TerminalStyle) -> String {
    let total = Total::of(replays.iter().map(|replay| &replay.trace.money));
    let mut out = String::new();
    for (at, rule) in rule_totals(replays).enumerate() {
        let pays = replays.len() == 1 && total.priced.is_complete();
        let is_known = total.priced.is_known();
        let parts = [sentence(&rule.money, is_known, pays), saving_interval(&rule.saving, is_known)];
        let text = parts.into_iter().flatten().reduce(|text, more| format!("{text}; {more}"));
        out.extend(text.map(|text| style.wrap(&format!("{} {}: {text}", letter(at), rule.name), 2)));
    }
    if total.priced.is_known() && !total.summaries.is_zero() {
        out += &style.wrap(&format!("The cost includes {} for summaries.", dollars(total.summaries)), 2);
    }
    let others = [
        (total.harness, "that the harness made for itself"),
        (total.branches, "on branches that the conversation has left"),
    ];
    for (bill, which) in others.into_iter().filter(|(bill, _)| total.priced.is_known() && bill.calls > 0) {
        let (calls, cost) = (plural(bill.calls, "call"), dollars(bill.bill.cost));
        out += &style.wrap(&format!("The recorded cost includes {cost} for {calls} {which}."), 2);
    }
    if out.is_empty() { out } else { format!("{out}\n") }
}

/// What a rule saved and caused of the cost if it is known, and whether it paid for itself; none if neither.
fn sentence(money: &RuleMoney, is_known: bool, pays: bool) -> Option<String> {
    let mut parts = Vec::new();
    if is_known && !money.saved.is_zero() {
        let word = if money.saved.is_sign_negative() { "added" } else { "saved" };
        parts.push(format!("{word} {}", dollars(money.saved.abs())));
    }
    let breaks =
        (money.breaks > 0).then(|| plural(money.breaks, "break")).map(|breaks| format!("{breaks} of the cache"));
    match (is_known && !money.caused.is_zero(), breaks) {
        (true, Some(breaks)) => parts.push(format!("caused {} with {breaks}", dollars(money.caused))),
        (true, None) => parts.push(format!("caused {}", dollars(money.caused))),
        (false, Some(breaks)) => parts.push(breaks),
        (false, None) => {}
    }
    if money.free_edits > 0 {
        parts.push(format!("{} free, before the content was sent", plural(money.free_edits, "edit")));
    }
    if money.cold_changes > 0 {
        parts.push(format!("{} nearly free, after the cache had expired", plural(money.cold_changes, "change")));
    }
    let mut text = parts.join(", ");
    if pays && !money.caused.is_zero() {
        text += &match money.pays_after {
            Some(0) => "; paid for itself at once".to_owned(),
            Some(calls) => format!("; paid for itself after {}", plural(calls, "call")),
            None => "; did not pay for itself in this recording".to_owned(),
        };
    }
    (!text.is_empty()).then_some(text)
}

/// The interval of what a rule saves, of money if it is known: `80% interval of the saving: $0.021 to $0.029`; none if its ends
/// are the same.
fn saving_interval(saving: &RuleSaving, has_cost: bool) -> Option<String> {
    let tokens = |tokens: Decimal| grouped(tokens.round());
    let ([low, high], unit) =
        if has_cost { (saving.cost.map(signed_dollars), "") } else { (saving.tokens.map(tokens), " tokens") };
    (low != high).then(|| format!("80% interval of the saving: {low} to {high}{unit}"))
}

/// The JSON form of the money of a replay.
pub(super) fn json(replay: &ReplayResult) -> Json {
    let money = &replay.trace.money;
    let is_known = money.priced.is_known();
    let rule_name = |rule: usize| replay.trace.rules.get(rule).map(|rule| rule.name.as_str());
    let breaks = money.breaks.iter().map(|broken| {
        json!({
            "call": broken.call,
            "rule": broken.rule.and_then(rule_name),
            "tokens": broken.tokens,
            "reasoning": broken.reasoning,
            "cost": broken.cost.map(dollars_number),
        })
    });
    json!({
        "before": bill(money.before, is_known),
        "compared": bill(money.compared, is_known),
        "with_usage": call_bill(money.with_usage, is_known),
        "after": bill(money.after, is_known),
        "harness": call_bill(money.harness, is_known),
        "branches": call_bill(money.branches, is_known),
        "summaries_cost": is_known.then(|| dollars_number(money.summaries)),
        "stable_prefix": match money.stable_prefix {
            Some(StablePrefix::Recorded(tokens)) => json!({ "source": "recorded", "tokens": tokens }),
            Some(StablePrefix::Assumed) => json!({ "source": "assumed", "tokens": null }),
            None => Json::Null,
        },
        "without_cache": replay.trace.pricing.without_cache,
        "unpriced": pricing::json(&replay.trace.pricing),
        "breaks": breaks.collect::<Vec<_>>(),
    })
}

/// How much of some calls has a known price, as programs read it.
pub(crate) fn priced_json(priced: PricedShare) -> Json {
    let PricedShare { calls, priced_calls, tokens, priced_tokens } = priced;
    let number = |tokens: u128| u64::try_from(tokens).unwrap_or(u64::MAX);
    json!({
        "calls": priced_calls, "all_calls": calls, "tokens": number(priced_tokens), "all_tokens": number(tokens),
    })
}

/// The keys about money of a rule.
pub(super) fn rule_json(money: &RuleMoney, is_known: bool) -> Map<String, Json> {
    let cost = |cost: Decimal| if is_known { dollars_number(cost) } else { Json::Null };
    let keys = [
        ("cost_saved", cost(money.saved)),
        ("cost_caused", cost(money.caused)),
        ("cache_breaks", money.breaks.into()),
        ("pays_after", money.pays_after.filter(|_| is_known).into()),
        ("reasoning_lost", money.reasoning_lost.into()),
        ("free_edits", money.free_edits.into()),
        ("cold_changes", money.cold_changes.into()),
    ];
    keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn bill(bill: Bill, is_known: bool) -> Json {
    usage_json(bill.usage, is_known.then_some(bill.cost))
}

/// The usage of calls and their cost, if it is known.
pub(super) fn usage_json(usage: Usage, cost: Option<Decimal>) -> Json {
    let Usage { input, cache_read, cache_write, hour_write, output, service: _ } = usage;
    json!({
        "uncached_input": input,
        "cache_write": cache_write,
        "cache_write_1h": hour_write,
        "cache_read": cache_read,
        "output": output,
        "cost": cost.map(dollars_number),
    })
}

/// The cost of a call, if its price is known.
pub(super) fn call_cost(usage: Usage, prices: Option<Prices>) -> Option<Decimal> {
    prices?.cost(usage)
}

fn call_bill(calls: CallBill, is_known: bool) -> Json {
    let mut json = bill(calls.bill, is_known);
    json["calls"] = calls.calls.into();
    json
}
