//! The money of a replay: what each call would have been billed, where the prompt cache broke, and what each rule saved
//! and caused.

use smol_str::SmolStr;

use super::basis::Basis;
use super::billing::{Billed, Billing};
use super::bound_reasoning::{BoundReasoning, ReasoningHandling};
use super::money::{CacheBreak, Money, RuleMoney};
use super::options::{Options, Tokens};
use super::request_prefix::{CommonPrefix, Requests};
use crate::conversation::{Conversation, Counter, Message, Receipt, Usage, Views};
use crate::model::{Models, Prices};
use crate::quantity::Decimal;
use crate::run::Environment;
use crate::transcript::{HarnessCall, Transcript};

/// What becomes of invalid reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InvalidReasoning {
    /// It stays in the context.
    Stays,
    /// It leaves the context.
    Leaves,
}

/// The money of a replay so far.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    billing: Billing,
    models: Models,
    /// The prices of the call that is billed.
    prices: Option<Prices>,
    /// The model with these prices, if each call has those of the model that wrote its reply.
    model: Option<SmolStr>,
    /// How many calls have an unknown price.
    unpriced: usize,
    /// What becomes of invalid reasoning, if the model binds it to what precedes it.
    invalid_reasoning: Option<InvalidReasoning>,
    /// How the request is related to the previous one, and the rule that has changed what both contain.
    compared: Option<(CommonPrefix, Option<usize>)>,
    /// Whether the recorded usage is of the requests with the policy, not of the recorded conversation.
    is_live: bool,
    requests: Requests,
    /// Whether the previous request was not the recorded one.
    differed: bool,
    /// The first change since the last request of something that it contained: the message, and the rule; no rule if the
    /// recorded harness changed it.
    earliest: Option<(usize, Option<usize>)>,
    /// The last rule that made a view.
    last_view: Option<usize>,
    /// The same when the previous request was sent.
    previous_view: Option<usize>,
    /// For each rule, the tokens that it took from messages that have not been sent.
    unsent: Vec<i128>,
    money: Money,
    rules: Vec<RuleMoney>,
    /// The call at which each rule first fired.
    fired_at: Vec<Option<usize>>,
}

/// The sizes of a call.
pub(super) struct Sizes {
    pub(super) call: usize,
    /// The recorded context.
    pub(super) before: u64,
    /// The context with the policy.
    pub(super) after: u64,
    /// Whether the request is the recorded one.
    pub(super) is_recorded: bool,
    /// The rule that has stopped the run, so that the call is not made.
    pub(super) stopped_by: Option<usize>,
    /// The seconds since the previous reply.
    pub(super) idle: Option<u64>,
}

impl Ledger {
    pub(super) fn new(rules: usize, basis: &Basis, transcript: &Transcript, options: &Options) -> Self {
        let models = basis.agent.models.clone();
        let model = basis.agent.model.as_deref().and_then(|id| models.find(id));
        let binds_reasoning = model.as_ref().is_some_and(|model| model.binds_reasoning);
        // Usage that is recorded under the policy, or counts whatever the policy does, does not change.
        let is_fixed = basis.is_live || basis.tokens == Tokens::Recorded;
        Self {
            billing: Billing::of(model.as_ref(), transcript, !options.without_cache),
            models,
            prices: basis.agent.prices,
            model: basis.agent.model.clone().filter(|model| Some(model) == transcript.model.as_ref()),
            unpriced: 0,
            invalid_reasoning: binds_reasoning.then_some(if is_fixed || options.reasoning == ReasoningHandling::Keep {
                InvalidReasoning::Stays
            } else {
                InvalidReasoning::Leaves
            }),
            compared: None,
            is_live: basis.is_live,
            requests: Requests::default(),
            differed: false,
            earliest: None,
            last_view: None,
            previous_view: None,
            unsent: vec![0; rules],
            money: Money::default(),
            rules: vec![RuleMoney::default(); rules],
            fired_at: vec![None; rules],
        }
    }

    /// Records what a rule did at a call.
    pub(super) fn record_firing(&mut self, rule: usize, call: usize, receipts: &[Receipt], makes_views: bool) {
        self.fired_at[rule].get_or_insert(call);
        let sent = self.requests.messages();
        for receipt in receipts {
            if receipt.at >= sent {
                self.unsent[rule] += i128::from(receipt.before) - i128::from(receipt.after);
                self.rules[rule].free_edits += usize::from(receipt.saved() > 0);
            } else {
                self.record_change(receipt.at, Some(rule));
            }
        }
        if makes_views {
            self.last_view = Some(rule);
        }
    }

    /// Records that a rule, or the recorded harness, has changed a message.
    pub(super) fn record_change(&mut self, message: usize, rule: Option<usize>) {
        if self.earliest.is_none_or(|(at, _)| message < at) {
            self.earliest = Some((message, rule));
        }
    }

    /// Records that the harness has emptied the context but for these messages.
    pub(super) fn reset(&mut self, conversation: &Conversation) {
        self.requests.reset(conversation);
        self.earliest = None;
    }

    /// Records the cost of a rule's summary.
    pub(super) fn record_summary(&mut self, rule: usize, cost: Option<Decimal>) {
        let cost = cost.unwrap_or_default();
        self.money.summaries += cost;
        self.rules[rule].caused += cost;
    }

    /// Compares a request with the previous one, and returns the tokens of its reasoning that each rule has invalidated.
    /// `overhead` are the tokens that are sent before the messages.
    pub(super) fn follow_request(
        &mut self,
        overhead: u64,
        environment: &Environment,
        (conversation, views): (&Conversation, &Views),
    ) -> Vec<u64> {
        let counter = &*environment.counter as &dyn Counter;
        let lookback = (self.billing.lookback(), counter);
        let mut prefix = self.requests.next((conversation, views), overhead, &environment.tool_tokens, lookback);
        let earliest = self.earliest.take().and_then(|(_, rule)| rule);
        let passing = std::mem::replace(&mut self.previous_view, self.last_view);
        let rule = match prefix {
            CommonPrefix { by_view: true, .. } => self.last_view,
            CommonPrefix { is_whole: true, .. } => passing,
            _ => earliest,
        };
        if !self.binds_reasoning() {
            self.compared = Some((prefix, rule));
            return Vec::new();
        }
        let reasoning = &mut self.requests.reasoning;
        reasoning.attribute(rule, conversation, prefix.unchanged, counter);
        if self.invalid_reasoning == Some(InvalidReasoning::Leaves) {
            let all = conversation.entries().len();
            let unsent = reasoning.lost_before(conversation, views.first_retained(conversation));
            let lost = |end| reasoning.lost_before(conversation, end).saturating_sub(unsent);
            let before = lost(if prefix.is_whole { all } else { prefix.unchanged });
            prefix.tokens = prefix.tokens.map(|tokens| tokens.saturating_sub(before));
            prefix.at_breakpoint = prefix.at_breakpoint.saturating_sub(before);
            prefix.repeated = prefix.repeated.saturating_sub(lost(all).saturating_sub(before));
        }
        self.compared = Some((prefix, rule));
        reasoning.lost(views.retained(conversation))
    }

    /// The reasoning of the messages that have been sent.
    pub(super) const fn reasoning(&self) -> &BoundReasoning {
        &self.requests.reasoning
    }

    /// Whether the model binds reasoning to what precedes it.
    pub(super) const fn binds_reasoning(&self) -> bool {
        self.invalid_reasoning.is_some()
    }

    /// Whether invalid reasoning leaves the context.
    pub(super) fn drops_reasoning(&self) -> bool {
        self.invalid_reasoning == Some(InvalidReasoning::Leaves)
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
        self.choose_prices(reply.model.as_ref());
        if let Some(recorded) = self.billing.recorded(reply.usage) {
            self.money.with_usage.add(recorded, self.prices.and_then(|prices| prices.cost(recorded)));
        }
        let is_cold = self.billing.is_cold(sizes.idle);
        let read = |prefix: &CommonPrefix, context: u64| self.billing.read(prefix, context, is_cold);
        let before = Billed { context: sizes.before, read: read(recorded, sizes.before) };
        if let Some(rule) = sizes.stopped_by {
            let usage = self.usages(reply, before, before, &*environment.counter).0;
            self.rules[rule].saved += self.prices.and_then(|prices| prices.cost(usage)).unwrap_or_default();
            self.add(Some(usage), None);
            return None;
        }
        let context = sizes.after;
        let (prefix, rule) = self.compared.take().unwrap_or_default();
        // Requests that are the recorded ones have what they have in common, whatever the harness did in between.
        let differed = std::mem::replace(&mut self.differed, !sizes.is_recorded);
        let is_same = sizes.is_recorded && !differed;
        let kept = if is_same { before.read } else { self.billing.read(&prefix, context, is_cold) };
        let after = Billed { context, read: kept };
        self.compare(reply, recorded, before);
        let (before, after) = self.usages(reply, before, after, &*environment.counter);
        self.add(Some(before), Some(after));
        self.record_break(sizes.call, (&prefix, rule), after, is_cold);
        self.settle(sizes.call, saved, after, is_cold);
        self.prices.and_then(|prices| prices.cost(after))
    }

    /// Bills a call that the recorded harness made for itself, also under the policy unless a rule has stopped the run.
    pub(super) fn bill_harness(&mut self, call: &HarnessCall, stopped_by: Option<usize>) {
        let Some(usage) = self.billing.recorded(Some(call.usage)) else { return };
        self.choose_prices(call.model.as_ref());
        let cost = self.prices.and_then(|prices| prices.cost(usage));
        let money = &mut self.money;
        for calls in [&mut money.harness, &mut money.with_usage] {
            calls.add(usage, cost);
        }
        money.before.add(usage, cost);
        match stopped_by {
            Some(rule) => self.rules[rule].saved += cost.unwrap_or_default(),
            None => money.after.add(usage, cost),
        }
    }

    /// Chooses the prices of a call: those of its model, unless another model was chosen for the replay.
    fn choose_prices(&mut self, model: Option<&SmolStr>) {
        let new = model.filter(|new| self.model.as_ref().is_some_and(|known| known != *new));
        if let Some(new) = new {
            self.prices = self.models.find(new).and_then(|model| model.prices);
            self.model = Some(new.clone());
        }
        self.unpriced += usize::from(self.prices.is_none());
    }

    /// The recorded usage of a call, and that with the policy.
    fn usages(&self, reply: &Message, before: Billed, after: Billed, counter: &dyn Counter) -> (Usage, Usage) {
        let Some(recorded) = self.billing.recorded(reply.usage) else {
            let output = reply.usage.map(|usage| usage.output).filter(|output| *output > 0);
            let output = output.unwrap_or_else(|| counter.message(reply));
            return (self.billing.modelled(before, output), self.billing.modelled(after, output));
        };
        let (known, other) = if self.is_live { (after, before) } else { (before, after) };
        // Contexts may be counted in another way than the provider counts.
        let context = i128::from(recorded.context()) + i128::from(other.context) - i128::from(known.context);
        let context = u64::try_from(context.max(0)).unwrap_or(u64::MAX);
        let known = Billed { context: recorded.context(), ..known };
        let shifted = self.billing.shifted(recorded, Billed { context, ..other }, known);
        if self.is_live { (shifted, recorded) } else { (recorded, shifted) }
    }

    /// Compares recorded usage with the model of the cache. What the first request read was written by other conversations.
    fn compare(&mut self, reply: &Message, prefix: &CommonPrefix, before: Billed) {
        let Some(recorded) = self.billing.recorded(reply.usage).filter(|_| !self.is_live) else { return };
        self.billing.learn(recorded, before.read);
        if prefix.tokens.is_none() {
            return;
        }
        let modelled = self.billing.modelled(Billed { context: recorded.context(), ..before }, recorded.output);
        let check = &mut self.money.check;
        check.calls += 1;
        check.misses += usize::from(recorded.cache_read < modelled.cache_read / 2);
        for (bill, usage) in [(&mut check.recorded, recorded), (&mut check.modelled, modelled)] {
            bill.add(usage, self.prices.and_then(|prices| prices.cost(usage)));
        }
    }

    fn add(&mut self, before: Option<Usage>, after: Option<Usage>) {
        let Self { prices, money, .. } = self;
        for (bill, usage) in [(&mut money.before, before), (&mut money.after, after)] {
            if let Some(usage) = usage {
                bill.add(usage, prices.and_then(|prices| prices.cost(usage)));
            }
        }
        money.calls.push((before.unwrap_or_default(), after));
    }

    /// Records that the cache, or bound reasoning, was invalidated.
    fn record_break(
        &mut self,
        call: usize,
        (prefix, rule): (&CommonPrefix, Option<usize>),
        after: Usage,
        is_cold: bool,
    ) {
        if prefix.tokens.is_none() {
            return;
        }
        if let Some(rule) = rule.filter(|_| !prefix.is_whole && is_cold) {
            self.rules[rule].cold_changes += 1;
        }
        let is_broken = !prefix.is_whole && !is_cold && self.billing.is_active();
        let tokens = if is_broken { rewritten(prefix, after) } else { 0 };
        let reasoning = if self.binds_reasoning() { prefix.reasoning } else { 0 };
        if tokens == 0 && reasoning == 0 {
            return;
        }
        let cost = self.prices.map(|prices| {
            let (new, read) = rates(prices, after);
            Decimal::from(tokens) * (new - read) / Decimal::from(1_000_000)
        });
        if let Some(rule) = rule {
            let owner = &mut self.rules[rule];
            owner.breaks += usize::from(!prefix.is_whole);
            owner.caused += cost.unwrap_or_default();
            owner.reasoning_lost += reasoning;
        }
        self.money.breaks.push(CacheBreak { call, rule, tokens, reasoning, cost });
    }

    /// Adds what the rules saved at a call: at the price of reading from the cache what had been sent before, and of new
    /// input what had not.
    fn settle(&mut self, call: usize, saved: &[i128], after: Usage, is_cold: bool) {
        let Some(prices) = self.prices else { return };
        let (new, read) = rates(prices, after);
        let read = if is_cold || !self.billing.is_active() { new } else { read };
        for (rule, &saved) in saved.iter().enumerate() {
            let unsent = std::mem::take(&mut self.unsent[rule]);
            if saved == 0 && unsent == 0 {
                continue;
            }
            let price = |tokens: i128, price: Decimal| Decimal::from(tokens.clamp(-MOST, MOST)) * price;
            let owner = &mut self.rules[rule];
            owner.saved += (price(saved - unsent, read) + price(unsent, new)) / Decimal::from(1_000_000);
            let fired = self.fired_at[rule].unwrap_or(call);
            owner.pays_after = match owner.pays_after {
                _ if owner.caused.is_zero() || owner.saved < owner.caused => None,
                None => Some(call.saturating_sub(fired)),
                known => known,
            };
        }
    }

    /// The money, and that of each rule.
    pub(super) fn finish(self) -> (Money, Vec<RuleMoney>) {
        (Money { is_priced: self.prices.is_some() && self.unpriced == 0, ..self.money }, self.rules)
    }
}

/// The tokens of a request that the provider had cached and processes again.
fn rewritten(prefix: &CommonPrefix, after: Usage) -> u64 {
    let could_read = prefix.tokens.unwrap_or(0).saturating_add(prefix.repeated).min(after.context());
    could_read.saturating_sub(after.cache_read)
}

/// The most tokens whose price is worked out.
const MOST: i128 = 1 << 60;

/// The prices of input that is new to the cache and of input that is read from it, per million tokens.
fn rates(prices: Prices, usage: Usage) -> (Decimal, Decimal) {
    let prices = prices.at(usage.context());
    let new = match usage {
        Usage { hour_write: 1.., .. } => prices.hour_write,
        Usage { cache_write: 1.., .. } => prices.cache_write,
        _ => prices.input,
    };
    (new, prices.cache_read)
}
