//! The comparison of two policies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use trimtab_analysis::diff::{Change, Fires, ReplayDifference, RuleDifference};

use super::{Amount, SCHEMA_VERSION};
use crate::report::difference::{self, ComparedPolicy, Comparison};
use crate::report::figure::number;
use crate::report::findings::UnreadFile;
use crate::report::schema::host_fact_pattern;

/// The result of `trimtab diff`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DifferenceResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// Whether neither meaning nor replays differ.
    pub same: bool,
    /// The first policy.
    pub before: ComparedName,
    /// The second policy.
    pub after: ComparedName,
    /// The rules of the second policy in order, then the removed rules.
    pub rules: Vec<ComparedRule>,
    /// What differs in the `agent` block.
    pub host: Vec<HostChange>,
    /// The differences on recordings; null if none were named.
    pub replays: Option<ComparedReplays>,
    /// The recordings that could not be replayed.
    pub errors: Vec<UnreadFile>,
}

/// Which policy was compared.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ComparedName {
    /// The file as given; `REV:path` for a file in a revision.
    pub file: String,
    /// The name of the policy.
    pub policy: String,
    /// The hash of the plan; plans with the same hash behave in the same way.
    pub hash: String,
}

/// A rule of one policy or of both.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ComparedRule {
    /// The rule.
    pub name: String,
    /// Its phase in the second policy; of a removed rule, in the first.
    pub phase: String,
    /// What became of it.
    #[schemars(extend("enum" = ["none", "changed", "added", "removed"]))]
    pub change: String,
    /// Its phase in the first policy, if it moved.
    pub phase_before: Option<String>,
    /// When it fires, compared with before; null if it is in one policy only.
    #[schemars(extend("enum" = ["same", "fires more", "fires less", "fires earlier", "fires later", "incomparable", "undecided", null]))]
    pub fires: Option<String>,
    /// A state in which it fires now and did not.
    pub now: Option<String>,
    /// A state in which it fired and does not now.
    pub no_longer: Option<String>,
    /// Why it was not decided when it fires.
    pub reason: Option<String>,
    /// A rule that came before it and comes after it now.
    pub tried_before: Option<String>,
    /// Whether its effects or its handling of failures differ.
    pub effects_differ: bool,
    /// What it did.
    pub effects_before: Option<String>,
    /// What it does.
    pub effects_after: Option<String>,
}

/// A difference in the `agent` block.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HostChange {
    /// What differs: a key of the block, or a declared fact.
    #[schemars(extend("anyOf" = host_keys()))]
    pub what: String,
    /// Its value in the first policy.
    pub before: String,
    /// Its value in the second policy.
    pub after: String,
}

/// Two policies on recordings.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ComparedReplays {
    /// The number of transcripts.
    pub transcripts: u64,
    /// Those on which the policies differ, the largest difference in tokens first.
    pub changed: Vec<ComparedReplay>,
}

/// Two policies on a transcript.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ComparedReplay {
    /// The name of the transcript.
    pub id: String,
    /// The number of calls.
    pub calls: u64,
    /// The rules that fire at other calls.
    pub firings: Vec<FiringChange>,
    /// The calls that a stop prevents. The figures below are those of the calls that are made with both policies, as if the stops
    /// had not kept anything from later calls.
    pub calls_not_made: BeforeAfter<u64>,
    /// The calls whose contexts differ in size, from 0.
    pub contexts: Vec<u64>,
    /// The tokens of their contexts.
    pub tokens: BeforeAfter<u64>,
    /// The largest context in tokens.
    pub peak: BeforeAfter<u64>,
    /// US dollars of the calls whose price is known; null if there are none.
    pub cost: BeforeAfter<Amount>,
    /// The first call that is not made, from 0; null if all are made.
    pub stop: BeforeAfter<Option<u64>>,
}

/// A rule that fires at other calls.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FiringChange {
    /// The rule.
    pub rule: String,
    /// The calls at which it fired only with the first policy.
    pub no_longer: Vec<u64>,
    /// The calls at which it fires only with the second policy.
    pub now: Vec<u64>,
}

/// A figure with both policies.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(inline)]
#[non_exhaustive]
pub struct BeforeAfter<T> {
    /// With the first policy.
    pub before: T,
    /// With the second policy.
    pub after: T,
}

/// The keys of the `agent` block and the names of declared facts, as a schema.
fn host_keys() -> Json {
    json!([
        { "enum": ["model", "window", "reserve", "overhead", "tools"] },
        { "pattern": host_fact_pattern(), "description": "A declared fact" },
    ])
}

impl From<&Comparison<'_>> for DifferenceResult {
    fn from(comparison: &Comparison<'_>) -> Self {
        let rules = comparison.difference.rules.iter().map(|difference| ComparedRule::of(comparison, difference));
        let host = comparison.difference.host.iter().map(|(what, before, after)| HostChange {
            what: what.to_string(),
            before: before.clone(),
            after: after.clone(),
        });
        Self {
            schema_version: SCHEMA_VERSION,
            same: comparison.is_same(),
            before: ComparedName::from(comparison.before),
            after: ComparedName::from(comparison.after),
            rules: rules.collect(),
            host: host.collect(),
            replays: comparison.replays.map(ComparedReplays::from),
            errors: comparison.unread.to_vec(),
        }
    }
}

impl From<ComparedPolicy<'_>> for ComparedName {
    fn from(side: ComparedPolicy<'_>) -> Self {
        Self { file: side.file.to_owned(), policy: side.plan.policy.to_string(), hash: side.plan.hash.clone() }
    }
}

impl ComparedRule {
    fn of(comparison: &Comparison<'_>, rule: &RuleDifference) -> Self {
        let own = Self {
            name: rule.name.to_string(),
            phase: rule.phase.word().to_owned(),
            effects_differ: true,
            effects_before: difference::effects(comparison.before.plan, &rule.name),
            effects_after: difference::effects(comparison.after.plan, &rule.name),
            ..Self::default()
        };
        match &rule.change {
            Change::Added => Self { change: "added".to_owned(), ..own },
            Change::Removed => Self { change: "removed".to_owned(), ..own },
            Change::Kept { phase, fires, effects, order } => Self {
                change: if rule.change.is_none() { "none" } else { "changed" }.to_owned(),
                phase_before: phase.map(|phase| phase.word().to_owned()),
                tried_before: order.as_ref().map(ToString::to_string),
                effects_differ: *effects,
                ..own.with_firing(fires)
            },
        }
    }

    /// The same with when it fires.
    fn with_firing(self, fires: &Fires) -> Self {
        let (now, no_longer, reason) = match fires {
            Fires::Same => (None, None, None),
            Fires::More(here) | Fires::Earlier(here, _) => (Some(here), None, None),
            Fires::Less(here) | Fires::Later(here, _) => (None, Some(here), None),
            Fires::Incomparable(new, no_longer) => (Some(new), Some(no_longer), None),
            Fires::Undecided(why) => (None, None, Some(why)),
        };
        Self {
            fires: Some(fires.word().to_owned()),
            now: now.cloned(),
            no_longer: no_longer.cloned(),
            reason: reason.cloned(),
            ..self
        }
    }
}

impl From<&[ReplayDifference]> for ComparedReplays {
    fn from(all: &[ReplayDifference]) -> Self {
        let changed = all.iter().filter(|replay| !replay.is_same());
        Self { transcripts: number(all.len()), changed: changed.map(ComparedReplay::from).collect() }
    }
}

impl From<&ReplayDifference> for ComparedReplay {
    fn from(replay: &ReplayDifference) -> Self {
        let numbers = |calls: &[usize]| calls.iter().copied().map(number).collect();
        let firings = replay.firings.iter().map(|(rule, lost, won)| FiringChange {
            rule: rule.to_string(),
            no_longer: numbers(lost),
            now: numbers(won),
        });
        let narrow = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX);
        Self {
            id: replay.id.clone(),
            calls: number(replay.calls),
            firings: firings.collect(),
            calls_not_made: BeforeAfter::from(replay.not_made).map(number),
            contexts: numbers(&replay.contexts),
            tokens: BeforeAfter::from(replay.tokens).map(narrow),
            peak: BeforeAfter::from(replay.peak),
            cost: BeforeAfter::from(replay.cost.unzip()).map(Amount),
            stop: BeforeAfter::from(replay.stop).map(|call| call.map(number)),
        }
    }
}

impl<T> From<(T, T)> for BeforeAfter<T> {
    fn from((before, after): (T, T)) -> Self {
        Self { before, after }
    }
}

impl<T> BeforeAfter<T> {
    fn map<U>(self, map: impl Fn(T) -> U) -> BeforeAfter<U> {
        BeforeAfter { before: map(self.before), after: map(self.after) }
    }
}
