//! What the calls of a replay cost.

use trimtab_base::conversation::Usage;
use trimtab_base::quantity::Decimal;

/// What the calls of a replay cost, as recorded and with the policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Money {
    /// How much of the recorded calls has a known price.
    pub priced: PricedShare,
    /// The recorded calls.
    pub before: Bill,
    /// The recorded calls that are made with the policy too, without what a stop prevented before them. The policy
    /// saves the difference between these and [`Money::after`].
    pub compared: Bill,
    /// The recorded calls with usage. The others are billed by the rules of the provider.
    pub with_usage: CallBill,
    /// The calls with the policy, without its summaries.
    pub after: Bill,
    /// The calls that the recorded harness made for itself. They are recorded calls, and made under the policy too.
    pub harness: CallBill,
    /// The calls of the agent on branches that the conversation has left. They too are recorded calls, and made under
    /// the policy.
    pub branches: CallBill,
    /// The cost of the recorded calls that a stop prevents, in US dollars.
    pub prevented: Decimal,
    /// The cost of the policy's summaries in US dollars.
    pub summaries: Decimal,
    /// The cost of each summary, with the call before which it is made.
    pub summary_calls: Vec<(usize, Decimal)>,
    /// The usage of each call of the agent, as recorded and, if it is made, with the policy.
    pub calls: Vec<(Usage, Option<Usage>)>,
    /// The cost of each call of the agent.
    pub call_costs: Vec<CallCost>,
    /// The recorded calls with usage, compared with the model of the cache.
    pub check: CacheCheck,
    /// The requests whose beginning differs from the previous one, so that the provider processes again what it had cached.
    pub breaks: Vec<CacheBreak>,
    /// The tokens that stay cached when the history changes, or `None` if nothing is cached at breakpoints.
    pub stable_prefix: Option<StablePrefix>,
}

/// The cost of a call of the agent in US dollars; 0 if its price is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCost {
    /// As recorded.
    pub recorded: Decimal,
    /// With the policy, or `None` if it is not made.
    pub policy: Option<Decimal>,
    /// What the policy saves, without what a stop saves.
    pub saved: Decimal,
}

/// How much of some calls has a known price. The others add nothing to costs, neither as recorded nor with a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PricedShare {
    /// The calls, those of the harness included.
    pub calls: usize,
    /// The calls whose price is known.
    pub priced_calls: usize,
    /// The tokens of the calls, input and output.
    pub tokens: u128,
    /// The tokens of the calls whose price is known.
    pub priced_tokens: u128,
}

/// The tokens at the beginning of each request that stay cached when the history changes, for a cache with breakpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StablePrefix {
    /// As many tokens as the newest recorded call that had nothing else to read: the first one, or one after a reset.
    Recorded(u64),
    /// The whole system prompt and the tools, because no recorded call shows less.
    Assumed,
}

/// The recorded usage of calls, and what the rules of the provider's cache give for contexts of the same sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheCheck {
    /// As recorded.
    pub recorded: Bill,
    /// By the rules.
    pub modelled: Bill,
    /// The number of calls.
    pub calls: usize,
    /// The calls that read less than half of what the rules give, because the provider had lost the prefix or did not
    /// look it up.
    pub misses: usize,
}

/// The sum of the usage of calls, and their cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bill {
    /// The tokens.
    pub usage: Usage,
    /// US dollars; 0 if the prices are unknown.
    pub cost: Decimal,
}

/// A number of calls and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CallBill {
    /// The number of calls.
    pub calls: usize,
    /// The sum of their usage, and their cost.
    pub bill: Bill,
}

/// A request whose beginning differs from the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheBreak {
    /// The call.
    pub call: usize,
    /// The index of the rule with the earliest change in the request, or `None` if the recorded harness made that
    /// change.
    pub rule: Option<usize>,
    /// The tokens that are processed again.
    pub tokens: u64,
    /// The tokens of reasoning that the provider would drop or reject, because they are bound to content that has
    /// changed.
    pub reasoning: u64,
    /// How much more it costs to process these tokens again than to read them from the cache, in US dollars, or `None`
    /// if the prices are unknown.
    pub cost: Option<Decimal>,
}

/// The costs that a rule saved and caused, in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleMoney {
    /// The price of the tokens that it saved: of new input at the first call, and of cached input afterwards.
    pub saved: Decimal,
    /// The costs that it caused: cache breaks and its summaries.
    pub cost_caused: Decimal,
    /// How often it broke the cache.
    pub breaks: usize,
    /// The number of calls from its first firing until its savings covered its costs for good, or `None` if they do not
    /// at the end.
    pub pays_after: Option<usize>,
    /// The tokens of reasoning that its changes made invalid.
    pub reasoning_lost: u64,
    /// How many of its edits were free, because no request had contained the content.
    pub free_edits: usize,
    /// How often it changed sent content after the cache had expired anyway, which is nearly free.
    pub cold_changes: usize,
}

impl PricedShare {
    /// Whether some price is known, or there are no calls.
    pub const fn is_known(self) -> bool {
        self.calls == 0 || self.priced_calls > 0
    }

    /// Whether every price is known.
    pub const fn is_complete(self) -> bool {
        self.priced_calls == self.calls
    }

    /// Whether prices are known for at least half of the tokens, so that policies can be compared by cost.
    pub const fn is_representative(self) -> bool {
        self.is_known() && self.priced_tokens >= self.tokens - self.priced_tokens
    }

    /// The share of the calls of both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            priced_calls: self.priced_calls + other.priced_calls,
            tokens: self.tokens + other.tokens,
            priced_tokens: self.priced_tokens + other.priced_tokens,
        }
    }

    /// Adds a call.
    pub(super) fn add(&mut self, usage: Usage, is_priced: bool) {
        let tokens = u128::from(usage.context()) + u128::from(usage.output);
        let priced = if is_priced { (1, tokens) } else { (0, 0) };
        *self = self.with(Self { calls: 1, priced_calls: priced.0, tokens, priced_tokens: priced.1 });
    }
}

impl Bill {
    /// The sum of two bills.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.add(other.usage, Some(other.cost));
        self
    }

    /// Adds a call.
    pub(super) fn add(&mut self, usage: Usage, cost: Option<Decimal>) {
        let sum = &mut self.usage;
        sum.input = sum.input.saturating_add(usage.input);
        sum.cache_read = sum.cache_read.saturating_add(usage.cache_read);
        sum.cache_write = sum.cache_write.saturating_add(usage.cache_write);
        sum.hour_write = sum.hour_write.saturating_add(usage.hour_write);
        sum.output = sum.output.saturating_add(usage.output);
        self.cost = self.cost.checked_add(cost.unwrap_or_default()).unwrap_or(Decimal::MAX);
    }
}

impl CallBill {
    /// The sum of two.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self { calls: self.calls + other.calls, bill: self.bill.with(other.bill) }
    }

    /// Adds a call.
    pub(super) fn add(&mut self, usage: Usage, cost: Option<Decimal>) {
        self.calls += 1;
        self.bill.add(usage, cost);
    }
}

impl RuleMoney {
    /// The sum over two replays, without `pays_after`, which has no sum.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        let sum = |a: Decimal, b: Decimal| a.checked_add(b).unwrap_or(Decimal::MAX);
        Self {
            saved: sum(self.saved, other.saved),
            cost_caused: sum(self.cost_caused, other.cost_caused),
            breaks: self.breaks + other.breaks,
            pays_after: None,
            reasoning_lost: self.reasoning_lost.saturating_add(other.reasoning_lost),
            free_edits: self.free_edits + other.free_edits,
            cold_changes: self.cold_changes + other.cold_changes,
        }
    }
}

impl Money {
    /// What all calls and summaries cost with the policy.
    pub fn total(&self) -> Decimal {
        self.after.cost.checked_add(self.summaries).unwrap_or(Decimal::MAX)
    }

    /// What the policy saves in US dollars at the calls that are made with and without it, minus its summaries;
    /// negative if it costs more.
    pub fn saved(&self) -> Decimal {
        self.compared.cost - self.total()
    }
}
