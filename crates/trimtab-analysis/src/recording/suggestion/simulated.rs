//! What a policy would have done in several replays: the sums that `simulate` reports, too.

use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{ErrorAmounts, PricedShare, RuleMoney, Trace};

/// The decimal places of a cost in results, whose sums are sums of rounded costs.
const PLACES: u32 = 6;

/// What a policy would have done.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedPolicy {
    /// The replayed calls.
    pub calls: usize,
    /// The tokens sent as recorded.
    pub recorded_tokens: u128,
    /// The tokens that the policy saves; negative if it sends more.
    pub tokens_saved: i128,
    /// The recorded cost in US dollars of the calls whose price is known.
    pub recorded_cost: Decimal,
    /// What the policy saves of it.
    pub cost_saved: Decimal,
    /// What the errors of the tokens and of the cost with the policy are shares of.
    pub token_errors: ErrorAmounts,
    /// Those of the cost.
    pub cost_errors: ErrorAmounts,
    /// How much of the recorded calls has a known price.
    pub priced: PricedShare,
    /// The rules in their order.
    pub rules: Vec<SimulatedRule>,
}

/// What a rule would have done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulatedRule {
    /// How often it fires.
    pub fired: usize,
    /// How many edits it makes.
    pub edits: usize,
    /// The tokens that its edits save.
    pub tokens_saved: i128,
    /// The price of these tokens.
    pub cost_saved: Decimal,
    /// What it makes more expensive.
    pub cost_caused: Decimal,
    /// Later calls that are made again, or quote what the rule removed.
    pub needed_later: usize,
}

impl Default for SimulatedPolicy {
    /// The sum of no replays.
    fn default() -> Self {
        Self {
            calls: 0,
            recorded_tokens: 0,
            tokens_saved: 0,
            recorded_cost: Decimal::ZERO,
            cost_saved: Decimal::ZERO,
            token_errors: ErrorAmounts::default(),
            cost_errors: ErrorAmounts::default(),
            priced: PricedShare::default(),
            rules: Vec::new(),
        }
    }
}

impl SimulatedPolicy {
    /// What a policy did in one replay.
    pub fn of(trace: &Trace) -> Self {
        let money = &trace.money;
        let recorded_cost = money.compared.cost.round_dp(PLACES);
        let cost = money.after.cost.round_dp(PLACES) + money.summaries.round_dp(PLACES);
        let rules = trace.rules.iter().enumerate().map(|(at, rule)| {
            let RuleMoney { saved, cost_caused, .. } = rule.money;
            let repeated = trace.regret.repeated.iter().filter(|call| call.rule == at).count();
            let quotes = trace.regret.quotes.iter().filter(|quote| quote.rule == at).count();
            SimulatedRule {
                fired: rule.fired,
                edits: rule.edits,
                tokens_saved: rule.saved,
                cost_saved: saved.round_dp(PLACES),
                cost_caused: cost_caused.round_dp(PLACES),
                needed_later: repeated + quotes,
            }
        });
        Self {
            calls: trace.call_count(),
            recorded_tokens: trace.compared().sum,
            tokens_saved: trace.saved(),
            recorded_cost,
            cost_saved: recorded_cost - cost,
            token_errors: ErrorAmounts::for_tokens(trace),
            cost_errors: ErrorAmounts::for_cost(trace),
            priced: money.priced,
            rules: rules.collect(),
        }
    }

    /// Adds a replay of the same policy.
    pub fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.recorded_tokens += other.recorded_tokens;
        self.tokens_saved += other.tokens_saved;
        self.recorded_cost += other.recorded_cost;
        self.cost_saved += other.cost_saved;
        self.token_errors = self.token_errors.plus(other.token_errors);
        self.cost_errors = self.cost_errors.plus(other.cost_errors);
        self.priced = self.priced.with(other.priced);
        self.rules.resize(self.rules.len().max(other.rules.len()), SimulatedRule::default());
        for (sum, rule) in self.rules.iter_mut().zip(other.rules) {
            sum.fired += rule.fired;
            sum.edits += rule.edits;
            sum.tokens_saved += rule.tokens_saved;
            sum.cost_saved += rule.cost_saved;
            sum.cost_caused += rule.cost_caused;
            sum.needed_later += rule.needed_later;
        }
    }

    /// What this policy does beyond another one on the same recordings, as one rule.
    #[must_use]
    pub fn beyond(&self, other: &Self) -> Self {
        let rule = SimulatedRule {
            fired: self.rules.iter().map(|rule| rule.fired).sum(),
            edits: self.rules.iter().map(|rule| rule.edits).sum(),
            tokens_saved: self.tokens_saved - other.tokens_saved,
            cost_saved: self.cost_saved - other.cost_saved,
            cost_caused: Decimal::ZERO,
            needed_later: self.needed_later().saturating_sub(other.needed_later()),
        };
        Self {
            tokens_saved: rule.tokens_saved,
            cost_saved: rule.cost_saved,
            token_errors: self.token_errors.minus(other.token_errors),
            cost_errors: self.cost_errors.minus(other.cost_errors),
            rules: vec![rule],
            ..self.clone()
        }
    }

    /// Whether rules are chosen by the cost, else by tokens.
    pub const fn decides_by_cost(&self) -> bool {
        self.priced.is_representative()
    }

    /// What rules are chosen by: what the policy saves, less its [losses](Self::losses). In US dollars if the prices of at least
    /// half of the tokens are known, else in tokens.
    pub fn net_saving(&self) -> Decimal {
        self.saving() - self.losses()
    }

    /// What the policy saves, in the unit of [`Self::net_saving`].
    pub fn saving(&self) -> Decimal {
        if self.decides_by_cost() { self.cost_saved } else { decimal(self.tokens_saved) }
    }

    /// How much less than predicted the policy may save beyond another one on the same recordings, or beyond none: in 80% of
    /// cases not less than this; in the unit of [`Self::net_saving`].
    pub fn error(&self, beyond: Option<&Self>) -> Decimal {
        let own = |one: &Self| if self.decides_by_cost() { one.cost_errors } else { one.token_errors };
        let others = beyond.map(own).unwrap_or_default();
        // What is sent may be more, so that less is saved.
        own(self).minus(others).errors().1
    }

    /// The nominal 80% intervals of the tokens and of the cost that the policy saves.
    pub fn intervals(&self) -> [[Decimal; 2]; 2] {
        [self.token_errors.ends(decimal(self.tokens_saved)), self.cost_errors.ends(self.cost_saved)]
    }

    /// What the calls would cost that miss what the policy takes, if each is made once more at the mean size of a call; in
    /// the unit of [`Self::net_saving`].
    pub fn losses(&self) -> Decimal {
        let tokens = || decimal(i128::try_from(self.recorded_tokens).unwrap_or(i128::MAX));
        let (recorded, calls) = if self.decides_by_cost() {
            (self.recorded_cost, self.priced.priced_calls)
        } else {
            (tokens(), self.calls)
        };
        recorded / Decimal::from(calls.max(1)) * Decimal::from(self.needed_later())
    }

    /// The later calls that miss what the policy takes.
    pub fn needed_later(&self) -> usize {
        self.rules.iter().map(|rule| rule.needed_later).sum()
    }
}

fn decimal(tokens: i128) -> Decimal {
    Decimal::try_from_i128_with_scale(tokens, 0).unwrap_or(Decimal::MAX)
}
