//! The costs of a replay: what each call would have been billed, where the prompt cache broke, and which costs each
//! rule saved and caused.

use smol_str::SmolStr;
use trimtab_base::conversation::{Conversation, Counter, Message, Receipt, Usage, Views};
use trimtab_base::quantity::Decimal;
use trimtab_model::model::Prices;
use trimtab_recordings::transcript::{HarnessCall, HarnessCallKind, Transcript};
use trimtab_run::run::{Environment, InvalidReasoning, Requests};

use super::attribution::{Rates, rates, shares};
use super::billed_calls::{BilledCalls, CallBilling, MadeCall};
use super::billing::{Billed, Billing};
use super::call_sizes::Sizes;
use super::money::{CacheBreak, CallCost, Money, RuleMoney};
use super::options::Options;
use super::recorded_tokens::RecordedTokens;
use super::replay_inputs::ReplayInputs;
use super::request_prefix::{CommonPrefix, RequestPrefixes};

/// The usage of a call and what it costs; no cost if its price is unknown.
#[derive(Clone, Copy, Debug)]
struct Priced {
    usage: Usage,
    cost: Option<Decimal>,
}

/// The costs of a replay so far.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    billing: Billing,
    /// The prices of the call that is billed.
    prices: Option<Prices>,
    /// The time of the newest reply, as RFC 3339.
    time: Option<SmolStr>,
    /// The model of the newest call.
    model: Option<SmolStr>,
    /// How the provider handles invalid reasoning, if the model binds reasoning to what precedes it.
    invalid_reasoning: Option<InvalidReasoning>,
    /// The prefix that the request shares with the previous one, and the rule whose change ended it.
    request_prefix: Option<(CommonPrefix, Option<usize>)>,
    /// Whether the recorded usage describes the calls with the policy instead of the recorded calls.
    is_live: bool,
    prefixes: RequestPrefixes,
    /// Converts counted tokens to the tokens that the provider counts.
    recorded_tokens: RecordedTokens,
    /// For each rule, the tokens that it removed from messages before any request contained them.
    unsent: Vec<i128>,
    money: Money,
    rules: Vec<RuleMoney>,
    /// The call at which each rule first fired.
    fired_at: Vec<Option<usize>>,
    /// The rule that fired last or stopped the run last.
    last_acting: Option<usize>,
    /// The calls so far.
    calls: BilledCalls,
}

impl Ledger {
    pub(super) fn new(rules: usize, inputs: &ReplayInputs, transcript: &Transcript, options: &Options) -> Self {
        let model = inputs.agent.model.as_deref().and_then(|id| inputs.agent.models().find(id));
        Self {
            billing: Billing::of(model.as_ref(), transcript, !options.without_cache),
            prices: None,
            time: None,
            model: inputs.agent.model.clone(),
            invalid_reasoning: inputs.invalid_reasoning,
            request_prefix: None,
            is_live: inputs.is_live,
            recorded_tokens: inputs.recorded_tokens,
            prefixes: RequestPrefixes::default(),
            unsent: vec![0; rules],
            money: Money::default(),
            rules: vec![RuleMoney::default(); rules],
            fired_at: vec![None; rules],
            last_acting: None,
            calls: BilledCalls::default(),
        }
    }

    /// Records what a rule did at a call. The first `sent` messages had been sent before.
    pub(super) fn record_firing(&mut self, rule: usize, call: usize, receipts: &[Receipt], sent: usize) {
        self.fired_at[rule].get_or_insert(call);
        self.last_acting = Some(rule);
        for receipt in receipts.iter().filter(|receipt| receipt.at >= sent) {
            self.unsent[rule] += i128::from(receipt.before) - i128::from(receipt.after);
            self.rules[rule].free_edits += usize::from(receipt.saved() > 0);
        }
    }

    /// Records that a rule stopped the run.
    pub(super) const fn record_stop(&mut self, rule: usize) {
        self.last_acting = Some(rule);
    }

    /// Records the cost of a rule's summary, which is made before a call.
    pub(super) fn record_summary(&mut self, rule: usize, call: usize, cost: Option<Decimal>) {
        let cost = cost.unwrap_or_default();
        self.money.summaries += cost;
        self.money.summary_calls.push((call, cost));
        self.rules[rule].cost_caused += cost;
    }

    /// Records the request of the next call after its comparison with the previous one. `overhead` is the number of
    /// tokens before the messages.
    pub(super) fn record_request(
        &mut self,
        overhead: u64,
        requests: &Requests,
        (conversation, views): (&Conversation, &Views),
    ) {
        let comparison = requests.comparison();
        let mut prefix = self.prefixes.next((conversation, views), comparison, overhead, self.billing.lookback());
        if self.invalid_reasoning == Some(InvalidReasoning::Leaves) {
            let all = conversation.entries().len();
            let lost = |end| requests.reasoning().invalid_before(conversation, end);
            let before = lost(if prefix.is_whole { all } else { prefix.unchanged });
            prefix.tokens = prefix.tokens.map(|tokens| tokens.saturating_sub(before));
            let to_breakpoint = lost(if prefix.is_whole { all } else { prefix.breakpoint });
            prefix.at_breakpoint = prefix.at_breakpoint.saturating_sub(to_breakpoint);
            prefix.repeated = prefix.repeated.saturating_sub(lost(all));
        }
        self.request_prefix = Some((prefix, comparison.rule));
    }

    /// Bills a call after [`record_request`](Self::record_request). Returns its cost, or `None` if it is not made or
    /// its price is unknown. `saved` has the tokens that each rule saved at this call.
    pub(super) fn bill(
        &mut self,
        sizes: &Sizes,
        reply: &Message,
        recorded: &CommonPrefix,
        environment: &Environment,
        saved: &[i128],
    ) -> Option<Decimal> {
        let reported = self.billing.recorded(reply.usage).map(|usage| self.price(usage));
        if let Some(Priced { usage, cost }) = reported {
            self.money.with_usage.add(usage, cost);
        }
        let call = CallBilling { billing: &self.billing, model: self.model.as_ref() };
        let before = self.calls.recorded(call, sizes, recorded);
        if sizes.is_stopped {
            // A call that is not made saves nothing: nobody knows what the run would have needed.
            self.calls.skip(recorded, sizes);
            self.check_cache_rules(reported, recorded, before);
            let priced = self.price(self.usage(reply, (before, before), &*environment.counter));
            self.add(priced, None);
            return None;
        }
        let (prefix, rule) = self.request_prefix.take().unwrap_or_default();
        let MadeCall { after, unbroken, compared } = self.calls.made(call, sizes, (recorded, &prefix), before);
        self.check_cache_rules(reported, recorded, before);
        let as_recorded = if self.is_live { after } else { before };
        let usage = |call| self.usage(reply, (as_recorded, call), &*environment.counter);
        let [before, compared, after, unbroken] = [before, compared, after, unbroken].map(usage);
        // Most calls have the same usage in all four variants.
        let before = self.price_or_reuse(before, reported);
        let compared = self.price_or_reuse(compared, Some(before));
        let after = self.price_or_reuse(after, Some(compared));
        let unbroken = self.price_or_reuse(unbroken, Some(after));
        self.add(before, Some((compared, after)));
        self.record_break(sizes, (&prefix, rule), (after, unbroken));
        let without_breaks = if rule.is_some() { unbroken } else { after };
        let total = compared.cost.unwrap_or_default() - without_breaks.cost.unwrap_or_default();
        let rates = self.prices.map(|prices| rates(prices, without_breaks.usage)).unwrap_or_default();
        self.attribute_savings(sizes.call, saved, (total, rates), rule);
        after.cost
    }

    /// Bills a call that the recorded harness made for itself or that is on another branch. Unless a rule has stopped
    /// the run, the call is also billed under the policy.
    pub(super) fn bill_harness(&mut self, call: &HarnessCall, is_stopped: bool, environment: &Environment) {
        let Some(usage) = self.billing.recorded(Some(call.usage)) else { return };
        let prices = environment.prices_of(call.model.as_ref(), self.time.as_deref(), call.usage.service);
        let cost = prices.and_then(|prices| prices.cost(usage));
        let money = &mut self.money;
        money.priced.add(usage, cost.is_some());
        let own = if call.kind == HarnessCallKind::Branch { &mut money.branches } else { &mut money.harness };
        for calls in [own, &mut money.with_usage] {
            calls.add(usage, cost);
        }
        money.before.add(usage, cost);
        if !is_stopped {
            for calls in [&mut money.compared, &mut money.after] {
                calls.add(usage, cost);
            }
        }
    }

    /// Records the model and the prices of the next call. `reply` is the recorded reply to it.
    pub(super) fn begin_call(&mut self, reply: &Message, environment: &Environment) {
        if self.model != environment.model {
            self.model.clone_from(&environment.model);
            let model = self.model.as_deref().and_then(|id| environment.choice.models.find(id));
            self.billing.choose_model(model.as_ref());
        }
        self.prices = environment.prices_of_reply(reply);
        if reply.at.is_some() {
            self.time.clone_from(&reply.at);
        }
    }

    /// Returns how long the provider keeps an unused prefix, in seconds, or `None` if nothing is cached.
    pub(super) fn cache_lifetime(&self) -> Option<u64> {
        self.billing.lifetime()
    }

    /// A usage with its cost.
    fn price(&self, usage: Usage) -> Priced {
        Priced { usage, cost: self.prices.and_then(|prices| prices.cost(usage)) }
    }

    /// Like [`price`](Self::price), but reuses the cost of `other` if its usage is equal, as it often is.
    fn price_or_reuse(&self, usage: Usage, other: Option<Priced>) -> Priced {
        other.filter(|other| other.usage == usage).unwrap_or_else(|| self.price(usage))
    }

    /// The usage of a call. `as_recorded` is the variant of the call that the recorded usage describes.
    fn usage(&self, reply: &Message, (as_recorded, call): (Billed, Billed), counter: &dyn Counter) -> Usage {
        let Some(recorded) = self.billing.recorded(reply.usage) else {
            let output = reply.usage.map(|usage| usage.output).filter(|output| *output > 0);
            return self.billing.modelled(call, output.unwrap_or_else(|| counter.message(reply)));
        };
        // Only the difference of the counted contexts is used, because the provider may count differently.
        let context = i128::from(recorded.context()) + i128::from(call.context) - i128::from(as_recorded.context);
        let context = u64::try_from(context.max(0)).unwrap_or(u64::MAX);
        let as_recorded = Billed { context: recorded.context(), ..as_recorded };
        self.billing.shifted(recorded, Billed { context, ..call }, as_recorded)
    }

    /// Compares recorded usage with the predictions of the cache rules. The first request is left out, because it reads what other
    /// conversations have written.
    fn check_cache_rules(&mut self, reported: Option<Priced>, prefix: &CommonPrefix, before: Billed) {
        let Some(reported @ Priced { usage: recorded, .. }) = reported.filter(|_| !self.is_live) else { return };
        let is_head = prefix.is_head && recorded.cache_read <= prefix.at_breakpoint;
        self.billing.learn(recorded, before.read, is_head);
        if prefix.tokens.is_none() {
            return;
        }
        let modelled = self.billing.modelled(Billed { context: recorded.context(), ..before }, recorded.output);
        let modelled = self.price_or_reuse(modelled, Some(reported));
        let check = &mut self.money.check;
        check.calls += 1;
        check.misses += usize::from(recorded.cache_read < modelled.usage.cache_read / 2);
        check.recorded.add(reported.usage, reported.cost);
        check.modelled.add(modelled.usage, modelled.cost);
    }

    /// Adds a call to the bills: as recorded and, if it is also made under the policy, as compared and with the policy.
    fn add(&mut self, before: Priced, made: Option<(Priced, Priced)>) {
        let money = &mut self.money;
        money.priced.add(before.usage, before.cost.is_some());
        money.before.add(before.usage, before.cost);
        if made.is_none() {
            money.prevented = money.prevented.saturating_add(before.cost.unwrap_or_default());
        }
        if let Some((compared, after)) = made {
            money.compared.add(compared.usage, compared.cost);
            money.after.add(after.usage, after.cost);
        }
        money.calls.push((before.usage, made.map(|(_, after)| after.usage)));
        let cost = |priced: Priced| priced.cost.unwrap_or_default();
        money.call_costs.push(CallCost {
            recorded: cost(before),
            policy: made.map(|(_, after)| cost(after)),
            saved: made.map(|(compared, after)| cost(compared) - cost(after)).unwrap_or_default(),
        });
    }

    /// Records a break of the prompt cache, or reasoning that became invalid. `unbroken` is what the call would have
    /// used without it.
    fn record_break(
        &mut self,
        sizes: &Sizes,
        (prefix, rule): (&CommonPrefix, Option<usize>),
        (after, unbroken): (Priced, Priced),
    ) {
        if prefix.tokens.is_none() {
            return;
        }
        if let Some(rule) = rule.filter(|_| !prefix.is_whole && self.billing.is_cold(sizes.idle)) {
            self.rules[rule].cold_changes += 1;
        }
        let tokens = unbroken.usage.cache_read.saturating_sub(after.usage.cache_read);
        let reasoning = prefix.reasoning;
        let cost = self.prices.map(|_| after.cost.unwrap_or_default() - unbroken.cost.unwrap_or_default());
        if let Some(rule) = rule {
            let owner = &mut self.rules[rule];
            owner.breaks += usize::from(tokens > 0);
            owner.cost_caused += cost.unwrap_or_default();
            owner.reasoning_lost += reasoning;
        }
        if tokens > 0 || reasoning > 0 {
            self.money.breaks.push(CacheBreak { call: sizes.call, rule, tokens, reasoning, cost });
        }
    }

    /// Attributes the savings of a call, without cache breaks, to rules. Each rule gets the price of its saved tokens
    /// (the price of cached input for tokens that were sent before, that of new input otherwise); the rest is divided
    /// in proportion to the tokens. If no rule saved tokens at this call, the rest goes to the rule that broke the
    /// cache, or else to the last rule that fired or stopped the run.
    fn attribute_savings(
        &mut self,
        call: usize,
        saved: &[i128],
        (total, rates): (Decimal, Rates),
        rule: Option<usize>,
    ) {
        let mut unsent = self.unsent.iter_mut().map(std::mem::take).collect::<Vec<_>>();
        self.recorded_tokens.apply(&mut unsent);
        let shares = shares(total, rates, saved, &unsent);
        let rest = total - shares.iter().sum::<Decimal>();
        if let Some(rule) = rule.or(self.last_acting) {
            self.rules[rule].saved += rest;
        }
        for (index, share) in shares.into_iter().enumerate() {
            let owner = &mut self.rules[index];
            owner.saved += share;
            let first_fired = self.fired_at[index].unwrap_or(call);
            owner.pays_after = match owner.pays_after {
                _ if owner.cost_caused.is_zero() || owner.saved < owner.cost_caused => None,
                None => Some(call.saturating_sub(first_fired)),
                earlier => earlier,
            };
        }
    }

    /// The costs of the replay and of each rule.
    pub(super) fn finish(self) -> (Money, Vec<RuleMoney>) {
        let stable_prefix = self.billing.stable_prefix();
        (Money { stable_prefix, ..self.money }, self.rules)
    }
}
