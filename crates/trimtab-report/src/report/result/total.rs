//! Sums over transcripts.

use rust_decimal::prelude::ToPrimitive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Contexts, EventCounts, Regret, TotalMoney, TotalRule, TranscriptResult};
use crate::report::figure::Sum;
use crate::report::replay_result::{ReplayResult, SummedAssertion};
use crate::report::verdict::{VerdictFigures, VerdictResult};

/// The sums over some transcripts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct TotalResult {
    /// The outcome over all transcripts.
    pub verdict: VerdictResult,
    /// The number of transcripts.
    pub transcripts: u64,
    /// The recorded calls.
    pub calls: u64,
    /// The runs.
    pub runs: u64,
    /// The recorded contexts.
    pub before: Contexts,
    /// The contexts of the calls that are made both in the recordings and under the policy: the baseline of `after`.
    pub compared: Contexts,
    /// The contexts that the policy sends.
    pub after: Contexts,
    /// The tokens that the policy saves at the calls that are made in both; negative if it adds more than it saves.
    pub tokens_saved: i64,
    /// What the calls cost.
    pub money: TotalMoney,
    /// How often later calls needed what rules had removed.
    pub regret: Regret,
    /// What else the policy did.
    #[serde(flatten)]
    pub events: EventCounts,
    /// Assertions on totals over all transcripts.
    pub assertions: Vec<SummedAssertionResult>,
    /// The rules, in the order of the policy.
    pub rules: Vec<TotalRule>,
}

/// An assertion on a total. When partial results are merged, the values are summed and the assertion is evaluated again.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SummedAssertionResult {
    /// The assertion as given.
    pub expression: String,
    /// Whether it holds.
    pub is_met: bool,
    /// The total, in words.
    pub seen: String,
    /// The total over the transcripts in which it is known.
    pub value: f64,
    /// The number of transcripts in which it is known.
    pub known: u64,
    /// The number of transcripts in which it is unknown, such as a cost without a price.
    pub unknown: u64,
}

impl SummedAssertionResult {
    /// The result of an assertion.
    pub(in super::super) fn of(assertion: &SummedAssertion) -> Self {
        let (verdict, sum) = (assertion.sum.verdict(), assertion.sum.sum());
        Self {
            expression: assertion.text.clone(),
            is_met: verdict.is_met,
            seen: verdict.actual,
            value: sum.value.to_f64().unwrap_or_default(),
            known: sum.known,
            unknown: sum.unknown,
        }
    }
}

impl TotalResult {
    /// The sums over replays.
    pub(in super::super) fn of<'a>(replays: impl IntoIterator<Item = &'a ReplayResult>) -> Self {
        let mut total = Self::default();
        replays.into_iter().for_each(|replay| total.add(&TranscriptResult::figures_of(replay)));
        total
    }

    /// Adds a transcript.
    pub(in super::super) fn add(&mut self, one: &TranscriptResult) {
        self.transcripts.add(&1);
        self.calls.add(&one.calls);
        self.runs.add(&one.runs);
        let mut verdict = std::mem::take(&mut self.verdict).figures;
        verdict.add(&one.verdict.figures, &one.id);
        self.verdict = verdict.into();
        self.before.add(&one.before.contexts);
        self.compared.add(&one.compared.contexts);
        self.after.add(&one.after.contexts);
        self.tokens_saved.add(&one.tokens_saved);
        self.money.add(&TotalMoney::from(&one.money));
        self.regret.add(&one.regret.counts());
        self.events.add(&one.events());
        if self.rules.is_empty() {
            self.rules.extend(one.rules.iter().map(TotalRule::zero));
        }
        self.rules.iter_mut().zip(&one.rules).for_each(|(sum, rule)| sum.add(&rule.figures));
    }

    /// The figures of the verdict.
    pub(in super::super) const fn verdict(&self) -> &VerdictFigures {
        &self.verdict.figures
    }
}
