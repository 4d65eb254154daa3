//! What a simulation costs: with the prompt cache, before and after the policy, and by rule.

use serde_json::{Map, Value as Json, json};

use super::pricing;
use super::rules::letter;
use crate::conversation::Usage;
use crate::model::Prices;
use crate::quantity::{Decimal, grouped};
use crate::report::number::{count, plural};
use crate::report::replay_result::{ReplayResult, rule_totals};
use crate::report::style::TerminalStyle;
use crate::report::table::Table;
use crate::simulate::{Bill, CallBill, Money, RuleMoney, RuleSaving, StablePrefix};

/// What a cost is called, and one of which only a part is known.
const COST: &str = "cost";
const KNOWN_COST: &str = "known cost";

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
    /// Whether the price of every model is known.
    is_priced: bool,
}

impl Total {
    pub(crate) fn of<'a>(all: impl IntoIterator<Item = &'a Money>) -> Self {
        let mut total = Self { is_priced: true, ..Self::default() };
        for money in all {
            total.before = total.before.with(money.before);
            total.compared = total.compared.with(money.compared);
            total.after = total.after.with(money.after);
            total.harness = total.harness.with(money.harness);
            total.branches = total.branches.with(money.branches);
            total.summaries += money.summaries;
            total.cost += money.total();
            total.is_priced &= money.is_priced;
        }
        total
    }

    /// The cost with the policy, and what it would be without it: `and costs $0.60 instead of $0.80`; none if a price is
    /// unknown.
    pub(super) fn verdict(&self) -> Option<String> {
        let (before, after) = (self.compared.cost, self.cost);
        if !self.is_priced || before.is_zero() && after.is_zero() {
            return None;
        }
        let (before, after) = (dollars(before), dollars(after));
        Some(if before == after {
            format!("and still costs {after}")
        } else {
            format!("and costs {after} instead of {before}")
        })
    }

    /// The usage of the calls that are made in both, recorded and with the policy.
    pub(crate) const fn usage(&self) -> (Usage, Usage) {
        (self.compared.usage, self.after.usage)
    }

    /// The cost in US dollars, recorded and with the policy; none if a price is unknown.
    pub(crate) fn known_costs(&self) -> Option<(Decimal, Decimal)> {
        self.is_priced.then_some((self.before.cost, self.cost))
    }

    /// What the policy saves of the cost of the calls that are made in both; none if a price is unknown.
    pub(crate) fn saved(&self) -> Option<Decimal> {
        self.is_priced.then(|| self.compared.cost - self.cost)
    }

    /// The usage of all recorded calls.
    pub(crate) const fn recorded_usage(&self) -> Usage {
        self.before.usage
    }

    /// The cells of a table with the cost of all recorded calls and of those with the policy.
    pub(crate) fn cells(&self) -> (String, String) {
        let cell = |cost: Decimal| match self.cost_name() {
            Some(COST) => dollars(cost),
            Some(_) => format!("at least {}", dollars(cost)),
            None => "unknown".to_owned(),
        };
        (cell(self.before.cost), cell(self.cost))
    }

    /// The cost of the calls that are made in both, recorded and with the policy; none if nothing of it is known.
    pub(super) fn costs(&self) -> Option<(String, String)> {
        self.cost_name().map(|_| (dollars(self.compared.cost), dollars(self.cost)))
    }

    /// The same in words: `cost $0.80 to $0.60`.
    pub(super) fn change(&self) -> Option<String> {
        let (before, after) = self.costs()?;
        let name = self.cost_name()?;
        Some(if before == after { format!("{name} {before}") } else { format!("{name} {before} to {after}") })
    }

    /// What the cost is called: only a part of it is known if the price of some calls is not. None if nothing is known.
    fn cost_name(&self) -> Option<&'static str> {
        match self.is_priced {
            true => Some(COST),
            false if self.before.cost.is_zero() && self.cost.is_zero() => None,
            false => Some(KNOWN_COST),
        }
    }

    /// The rows of the table that compares the recording with the policy.
    pub(super) fn rows(&self, table: &mut Table) {
        let (before, after) = self.usage();
        let writes = before.cache_write > 0 || after.cache_write > 0;
        if writes || before.cache_read > 0 || after.cache_read > 0 {
            table.row(["uncached input".to_owned(), count(before.input), count(after.input)]);
            if writes {
                table.row(["written to cache".to_owned(), count(before.cache_write), count(after.cache_write)]);
            }
            table.row(["read from cache".to_owned(), count(before.cache_read), count(after.cache_read)]);
        }
        if let Some(name) = self.cost_name() {
            table.row([name.to_owned(), dollars(self.compared.cost), dollars(self.cost)]);
        }
    }
}

/// What each rule saved and caused, a line each, and the cost of summaries.
pub(super) fn by_rule(replays: &[ReplayResult], style: TerminalStyle) -> String {
    let total = Total::of(replays.iter().map(|replay| &replay.trace.money));
    let mut out = String::new();
    for (at, rule) in rule_totals(replays).enumerate() {
        let name = total.cost_name();
        let parts =
            [sentence(&rule.money, name, replays.len() == 1), saving_interval(&rule.saving, name == Some(COST))];
        let text = parts.into_iter().flatten().reduce(|text, more| format!("{text}; {more}"));
        out.extend(text.map(|text| style.wrap(&format!("{} {}: {text}", letter(at), rule.name), 2)));
    }
    let summaries = total.cost_name().filter(|_| !total.summaries.is_zero());
    out.extend(
        summaries
            .map(|name| style.wrap(&format!("The {name} includes {} for summaries.", dollars(total.summaries)), 2)),
    );
    let others = [
        (total.harness, "that the harness made for itself"),
        (total.branches, "on branches that the conversation has left"),
    ];
    for (bill, which) in others.into_iter().filter(|(bill, _)| total.is_priced && bill.calls > 0) {
        let (calls, cost) = (plural(bill.calls, "call"), dollars(bill.bill.cost));
        out += &style.wrap(&format!("The recorded cost includes {cost} for {calls} {which}."), 2);
    }
    if out.is_empty() { out } else { format!("{out}\n") }
}

/// What a rule saved and caused of a cost with this name; none if neither.
fn sentence(money: &RuleMoney, cost: Option<&str>, is_one: bool) -> Option<String> {
    let mut parts = Vec::new();
    let is_known = cost.is_some();
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
    if cost == Some(KNOWN_COST) && !(money.saved.is_zero() && money.caused.is_zero()) {
        text = format!("of the {KNOWN_COST}, {text}");
    }
    if is_one && cost == Some(COST) && !money.caused.is_zero() {
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

/// An amount: `$12.40`, `$0.598`, `under $0.001`.
pub(crate) fn dollars(amount: Decimal) -> String {
    let places = if amount.abs() >= Decimal::ONE { 2 } else { 3 };
    let rounded = amount.round_dp(places);
    if rounded.is_zero() && !amount.is_zero() {
        return "under $0.001".to_owned();
    }
    let text = format!("{rounded:.*}", places as usize);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse::<Decimal>().map_or_else(|_| whole.to_owned(), grouped);
    format!("${whole}.{fraction}")
}

/// An amount with its sign if it is negative and not zero as it is shown.
pub(crate) fn signed_dollars(amount: Decimal) -> String {
    with_sign(amount, "", |amount| dollars(if amount.round_dp(3).is_zero() { Decimal::ZERO } else { amount }))
}

/// An amount as it is shown without its sign, with a minus or this plus before it unless it is zero as it is shown.
pub(crate) fn with_sign(amount: Decimal, plus: &str, show: impl Fn(Decimal) -> String) -> String {
    let text = show(amount.abs());
    let sign = if amount.is_sign_negative() { "-" } else { plus };
    if is_shown_as_more_than_zero(&text) { format!("{sign}{text}") } else { text }
}

/// Whether an amount as it is shown is not zero.
pub(crate) fn is_shown_as_more_than_zero(text: &str) -> bool {
    text.contains(|digit| matches!(digit, '1'..='9'))
}

/// An amount with six places, for programs.
pub(crate) fn exact_dollars(amount: Decimal) -> String {
    amount.round_dp(6).normalize().to_string()
}

/// The JSON form of the money of a replay.
pub(super) fn json(replay: &ReplayResult) -> Json {
    let money = &replay.trace.money;
    let rule_name = |rule: usize| replay.trace.rules.get(rule).map(|rule| rule.name.as_str());
    let breaks = money.breaks.iter().map(|broken| {
        json!({
            "call": broken.call,
            "rule": broken.rule.and_then(rule_name),
            "tokens": broken.tokens,
            "reasoning": broken.reasoning,
            "cost": broken.cost.map(number),
        })
    });
    json!({
        "before": bill(money.before, money.is_priced),
        "compared": bill(money.compared, money.is_priced),
        "with_usage": call_bill(money.with_usage, money.is_priced),
        "after": bill(money.after, money.is_priced),
        "harness": call_bill(money.harness, money.is_priced),
        "branches": call_bill(money.branches, money.is_priced),
        "summaries_cost": money.is_priced.then(|| number(money.summaries)),
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

/// The keys about money of a rule.
pub(super) fn rule_json(money: &RuleMoney, is_priced: bool) -> Map<String, Json> {
    let cost = |cost: Decimal| if is_priced { number(cost) } else { Json::Null };
    let keys = [
        ("cost_saved", cost(money.saved)),
        ("cost_caused", cost(money.caused)),
        ("cache_breaks", money.breaks.into()),
        ("pays_after", money.pays_after.filter(|_| is_priced).into()),
        ("reasoning_lost", money.reasoning_lost.into()),
        ("free_edits", money.free_edits.into()),
        ("cold_changes", money.cold_changes.into()),
    ];
    keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn bill(bill: Bill, is_priced: bool) -> Json {
    usage_json(bill.usage, is_priced.then_some(bill.cost))
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
        "cost": cost.map(number),
    })
}

/// The cost of a call, if its price is known.
pub(super) fn call_cost(usage: Usage, prices: Option<Prices>) -> Option<Decimal> {
    prices?.cost(usage)
}

fn call_bill(calls: CallBill, is_priced: bool) -> Json {
    let mut json = bill(calls.bill, is_priced);
    json["calls"] = calls.calls.into();
    json
}

/// Dollars as a JSON number of six places.
pub(crate) fn number(cost: Decimal) -> Json {
    use rust_decimal::prelude::ToPrimitive;
    cost.round_dp(6).to_f64().map_or(Json::Null, Json::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_as_many_places_as_matter() {
        let texts = ["0", "0.0004", "0.0123", "0.99951", "1.005", "12345.6"]
            .map(|text| dollars(text.parse::<Decimal>().expect("a number")));
        assert_eq!(texts, ["$0.000", "under $0.001", "$0.012", "$1.000", "$1.00", "$12,345.60"]);
    }

    #[test]
    fn no_sign_is_written_before_an_amount_that_is_shown_as_zero() {
        let amounts = ["-0.0004", "-0.0006", "0.0006", "-12", "0"].map(|text| text.parse().expect("a number"));
        assert_eq!(amounts.map(signed_dollars), ["$0.000", "-$0.001", "$0.001", "-$12.00", "$0.000"]);
        let tokens = |amount: Decimal| format!("{} tokens", grouped(amount.round()));
        let differences = amounts.map(|amount| with_sign(amount, "+", tokens));
        assert_eq!(differences, ["0 tokens", "0 tokens", "0 tokens", "-12 tokens", "0 tokens"]);
        assert_eq!(with_sign(Decimal::TEN, "+", tokens), "+10 tokens");
    }
}
