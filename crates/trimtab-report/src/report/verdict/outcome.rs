//! The verdict in one of a few fixed phrases.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_base::quantity::Decimal;

use super::figures::{MIN_CHANGE_SHARE, VerdictFigures};

/// What a policy does to recordings, in the words of every output format.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum VerdictOutcome {
    /// There was nothing to replay.
    #[default]
    NoCalls,
    /// No rule fires, and no tool of the policy is added.
    NoRuleFired,
    /// The cost falls.
    SavesMoney,
    /// The cost falls, by less than replays may err.
    MaySaveMoney,
    /// The cost rises.
    CostsMoney,
    /// The cost rises, by less than replays may err.
    MayCostMoney,
    /// Fewer tokens at a higher cost.
    SavesContextCostsMoney,
    /// Fewer tokens at a cost that is higher by less than replays may err.
    SavesContextMayCostMoney,
    /// Fewer tokens at about the same cost.
    SavesContext,
    /// About the same cost, and no fewer tokens.
    HardlyChanges,
    /// It changes the tokens sent, and the prices of most changed transcripts are unknown.
    CannotBePriced,
    /// Fewer tokens, and the prices of most changed transcripts are unknown.
    SavesContextCannotBePriced,
}

impl VerdictOutcome {
    /// The outcome of these figures. Stops are reported beside it, since nobody knows what a stopped run would have needed.
    pub(super) fn of(figures: &VerdictFigures) -> Self {
        if figures.calls == 0 {
            return Self::NoCalls;
        }
        if figures.changes.sessions == 0 {
            return Self::NoRuleFired;
        }
        let (before, after) = (Decimal::from(figures.tokens.recorded), Decimal::from(figures.tokens.policy));
        let saves_context = before - after > before * MIN_CHANGE_SHARE;
        // What is known of the cost says little if most of what changes is not a part of it.
        let mostly_unpriced = figures.changes.unpriced > figures.changes.sessions / 2;
        let known = figures.cost.recorded.0.zip(figures.cost.policy.0).filter(|_| !mostly_unpriced);
        let Some((recorded, policy)) = known else {
            return match () {
                () if saves_context => Self::SavesContextCannotBePriced,
                () if before == after => Self::HardlyChanges,
                () => Self::CannotBePriced,
            };
        };
        let limit = recorded * MIN_CHANGE_SHARE;
        let change = policy - recorded;
        let (may_fall, may_rise) = (figures.cost.low.0 < Some(recorded), figures.cost.high.0 > Some(recorded));
        if change < -limit {
            return if may_rise { Self::MaySaveMoney } else { Self::SavesMoney };
        }
        match (change > limit, saves_context) {
            (true, true) if may_fall => Self::SavesContextMayCostMoney,
            (true, true) => Self::SavesContextCostsMoney,
            (true, false) if may_fall => Self::MayCostMoney,
            (true, false) => Self::CostsMoney,
            (false, true) => Self::SavesContext,
            (false, false) => Self::HardlyChanges,
        }
    }

    /// Its words.
    const fn words(self) -> &'static str {
        match self {
            Self::NoCalls => "no model calls to replay",
            Self::NoRuleFired => "no rule fired",
            Self::SavesMoney => "saves money",
            Self::MaySaveMoney => "may save money",
            Self::CostsMoney => "costs money",
            Self::MayCostMoney => "may cost money",
            Self::SavesContextCostsMoney => "saves context, costs money",
            Self::SavesContextMayCostMoney => "saves context, may cost money",
            Self::SavesContext => "saves context, costs the same",
            Self::HardlyChanges => "hardly changes anything",
            Self::CannotBePriced => "cannot be priced",
            Self::SavesContextCannotBePriced => "saves context, cannot be priced",
        }
    }

    /// The heading of a verdict: `stops 3 transcripts, saves money overall, costs more in 4 transcripts`.
    pub(super) fn heading(self, figures: &VerdictFigures, plural: impl Fn(u64, &str) -> String) -> String {
        let stopped = figures.stopped.sessions;
        let stops = (stopped > 0).then(|| format!("stops {}", plural(stopped, "transcript")));
        let more_expensive = figures.changes.more_expensive;
        let others = (matches!(self, Self::SavesMoney | Self::MaySaveMoney) && more_expensive > 0)
            .then(|| format!(" overall, costs more in {}", plural(more_expensive, "transcript")));
        let effect = format!("{}{}", self.words(), others.unwrap_or_default());
        let effect = (stops.is_none() || self != Self::HardlyChanges).then_some(effect);
        stops.into_iter().chain(effect).collect::<Vec<_>>().join(", ")
    }
}
