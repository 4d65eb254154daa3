//! The money of a replay: what each call would have been billed, where the prompt cache broke, and what each rule saved
//! and caused.

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

/// The money of a replay so far.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    billing: Billing,
    /// The prices of the call that is billed.
    prices: Option<Prices>,
    /// The time of the newest reply, as RFC 3339.
    time: Option<SmolStr>,
    /// Its model.
    model: Option<SmolStr>,
    /// What becomes of invalid reasoning, if the model binds it to what precedes it.
    invalid_reasoning: Option<InvalidReasoning>,
    /// How the request is related to the previous one, and the rule that has changed what both contain.
    request_prefix: Option<(CommonPrefix, Option<usize>)>,
    /// Whether the recorded usage is of the requests with the policy, not of the recorded conversation.
    is_live: bool,
    prefixes: RequestPrefixes,
    /// Counted tokens as the provider counts them.
    recorded_tokens: RecordedTokens,
    /// For each rule, the tokens that it took from messages that have not been sent.
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
        self.rules[rule].caused += cost;
    }

    /// Records the request of the next call, which has been compared with the previous one. `overhead` are the tokens that
    /// are sent before the messages.
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

    /// Bills a call, whose request has been compared with the previous one, and returns its cost, if it is made and its price
    /// is known. `saved` is what each rule saved at it in tokens.
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
            self.check_cache_model(reported, recorded, before);
            let priced = self.price(self.usage(reply, (before, before), &*environment.counter));
            self.add(priced, None);
            return None;
        }
        let (prefix, rule) = self.request_prefix.take().unwrap_or_default();
        let MadeCall { after, unbroken, baseline } = self.calls.made(call, sizes, (recorded, &prefix), before);
        self.check_cache_model(reported, recorded, before);
        let known = if self.is_live { after } else { before };
        let usage = |call| self.usage(reply, (known, call), &*environment.counter);
        let [before, baseline, after, unbroken] = [before, baseline, after, unbroken].map(usage);
        // Most calls have the recorded usage, before and after the policy.
        let before = self.price_like(before, reported);
        let baseline = self.price_like(baseline, Some(before));
        let after = self.price_like(after, Some(baseline));
        let unbroken = self.price_like(unbroken, Some(after));
        self.add(before, Some((baseline, after)));
        self.record_break(sizes, (&prefix, rule), (after, unbroken));
        let without_breaks = if rule.is_some() { unbroken } else { after };
        let total = baseline.cost.unwrap_or_default() - without_breaks.cost.unwrap_or_default();
        let rates = self.prices.map(|prices| rates(prices, without_breaks.usage)).unwrap_or_default();
        self.attribute_savings(sizes.call, saved, (total, rates), rule);
        after.cost
    }

    /// Bills a call that the recorded harness made for itself, or that is on another branch, also under the policy unless a
    /// rule has stopped the run.
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

    /// Records the model and the prices of the next call, which has this reply.
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

    /// The same, given another usage with its cost, which is often equal.
    fn price_like(&self, usage: Usage, known: Option<Priced>) -> Priced {
        known.filter(|known| known.usage == usage).unwrap_or_else(|| self.price(usage))
    }

    /// The usage of a call where `known` is the call whose usage is recorded.
    fn usage(&self, reply: &Message, (known, call): (Billed, Billed), counter: &dyn Counter) -> Usage {
        let Some(recorded) = self.billing.recorded(reply.usage) else {
            let output = reply.usage.map(|usage| usage.output).filter(|output| *output > 0);
            return self.billing.modelled(call, output.unwrap_or_else(|| counter.message(reply)));
        };
        // Contexts may be counted in another way than the provider counts.
        let context = i128::from(recorded.context()) + i128::from(call.context) - i128::from(known.context);
        let context = u64::try_from(context.max(0)).unwrap_or(u64::MAX);
        let known = Billed { context: recorded.context(), ..known };
        self.billing.shifted(recorded, Billed { context, ..call }, known)
    }

    /// Compares recorded usage with the model of the cache. What the first request read was written by other conversations.
    fn check_cache_model(&mut self, reported: Option<Priced>, prefix: &CommonPrefix, before: Billed) {
        let Some(reported @ Priced { usage: recorded, .. }) = reported.filter(|_| !self.is_live) else { return };
        let is_head = prefix.is_head && recorded.cache_read <= prefix.at_breakpoint;
        self.billing.learn(recorded, before.read, is_head);
        if prefix.tokens.is_none() {
            return;
        }
        let modelled = self.billing.modelled(Billed { context: recorded.context(), ..before }, recorded.output);
        let modelled = self.price_like(modelled, Some(reported));
        let check = &mut self.money.check;
        check.calls += 1;
        check.misses += usize::from(recorded.cache_read < modelled.usage.cache_read / 2);
        check.recorded.add(reported.usage, reported.cost);
        check.modelled.add(modelled.usage, modelled.cost);
    }

    /// Adds a call to the bills: as recorded and, if it is made in both, as it is compared and with the policy.
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

    /// Records that the cache, or bound reasoning, was invalidated. `unbroken` is what the call would have used otherwise.
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
            owner.caused += cost.unwrap_or_default();
            owner.reasoning_lost += reasoning;
        }
        if tokens > 0 || reasoning > 0 {
            self.money.breaks.push(CacheBreak { call: sizes.call, rule, tokens, reasoning, cost });
        }
    }

    /// Distributes what a call costs less than the recorded one, apart from cache breaks: to each rule the price of
    /// the tokens that it saved, of which those that had been sent are read from the cache, and its share of the rest. What
    /// no rule saved belongs to the rule that broke the cache, or else to the last one that fired or stopped the run.
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
        for (at, share) in shares.into_iter().enumerate() {
            let owner = &mut self.rules[at];
            owner.saved += share;
            let fired = self.fired_at[at].unwrap_or(call);
            owner.pays_after = match owner.pays_after {
                _ if owner.caused.is_zero() || owner.saved < owner.caused => None,
                None => Some(call.saturating_sub(fired)),
                known => known,
            };
        }
    }

    /// The money, and that of each rule.
    pub(super) fn finish(self) -> (Money, Vec<RuleMoney>) {
        let stable_prefix = self.billing.stable_prefix();
        (Money { stable_prefix, ..self.money }, self.rules)
    }
}
