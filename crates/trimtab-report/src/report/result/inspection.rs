//! A policy with all that it inherits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use trimtab_base::source::Spanned;
use trimtab_language::check::{Disabled, HostFact, Rule};
use trimtab_language::fact::host_type_words;

use super::need::names;
use super::{NeededFact, NeededPrompt, PhaseRules, Place, SCHEMA_VERSION, ThresholdResult};
use crate::report::inspection::{self, Inspection, PrintedClause, Prompt, Window};

/// The result of `trimtab inspect`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectionResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The policy.
    pub policy: InspectedPolicy,
    /// The known values of the host.
    pub agent: InspectedAgent,
    /// The rules in order.
    pub rules: Vec<InspectedRule>,
    /// The inherited rules that are disabled.
    pub disabled: Vec<DisabledRule>,
    /// The facts that it reads.
    pub facts: Vec<NeededFact>,
    /// The prompts that it uses.
    pub prompts: Vec<NeededPrompt>,
    /// The phases in which it runs, in order.
    pub phases: Vec<PhaseRules>,
    /// The context window; null if it is unknown.
    pub window: Option<Window>,
    /// The shares of the window in its rules, the smallest first.
    pub thresholds: Vec<ThresholdResult>,
}

/// The policy.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedPolicy {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// The hash of its plan.
    pub hash: String,
    /// Where it is.
    pub at: Option<Place>,
    /// The policies that it extends, the nearest first.
    pub extends: Vec<BasePolicy>,
}

/// A policy that is extended.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BasePolicy {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub at: Option<Place>,
}

/// The known values of the host.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedAgent {
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<HostValue<String>>,
    /// The context window in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<HostValue<u64>>,
    /// The tokens that are kept free for the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve: Option<HostValue<u64>>,
    /// The tokens of the system prompt and the tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead: Option<HostValue<u64>>,
    /// The tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<HostValue<Vec<String>>>,
    /// The declared facts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<DeclaredFact>,
}

/// A value of the host.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[schemars(inline)]
#[non_exhaustive]
pub struct HostValue<T> {
    /// The value.
    pub value: T,
    /// Where it is; null if it is from the settings.
    pub at: Option<Place>,
}

/// A fact that the host supplies.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DeclaredFact {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = host_type_words().collect::<Vec<_>>()))]
    pub ty: String,
    /// Its default as a policy writes it, a text without quotes.
    pub default: Option<String>,
    /// Where it is declared.
    pub at: Option<Place>,
}

/// A rule.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InspectedRule {
    /// Its name.
    pub name: String,
    /// Whether it cannot be overridden.
    pub sealed: bool,
    /// The phase in which it is tried.
    pub phase: String,
    /// The policy in which it was written.
    pub policy: String,
    /// Where it is.
    pub at: Option<Place>,
    /// The policies that override it, in order.
    pub overrides: Vec<OverridingPolicy>,
    /// Where it is placed before or after another rule; null if it is not.
    pub placed_at: Option<Place>,
    /// Its clauses.
    pub clauses: Vec<ClauseResult>,
    /// What its guards remember.
    pub remembers: Vec<GuardMemory>,
    /// Whether it requests a summary.
    pub asks_summariser: bool,
}

/// A policy that overrides a rule.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OverridingPolicy {
    /// The policy.
    pub policy: String,
    /// Where it overrides the rule.
    pub at: Option<Place>,
}

/// A clause of a rule.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ClauseResult {
    /// Its keyword.
    pub clause: String,
    /// What is after the keyword.
    pub text: String,
    /// Where it was written.
    pub at: Option<Place>,
}

/// What a guard remembers.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct GuardMemory {
    /// The guard as a policy writes it.
    pub guard: String,
    /// What it remembers.
    pub what: String,
}

/// An inherited rule that is disabled.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DisabledRule {
    /// The rule.
    pub rule: String,
    /// The policy in which it was written.
    pub from: String,
    /// The policy that disables it.
    pub policy: String,
    /// The reason that the author gives.
    pub why: Option<String>,
    /// Where the rule is.
    pub rule_at: Option<Place>,
    /// Where it is disabled.
    pub at: Option<Place>,
}

impl From<&Inspection<'_>> for InspectionResult {
    fn from(inspection: &Inspection<'_>) -> Self {
        let (policy, need) = (inspection.policy, inspection.need());
        let phases = inspection.phases().into_iter();
        Self {
            schema_version: SCHEMA_VERSION,
            policy: InspectedPolicy::of(inspection),
            agent: InspectedAgent::of(inspection),
            rules: policy.rules.iter().map(|rule| InspectedRule::of(inspection, rule, &need.prompts)).collect(),
            disabled: policy.disabled.iter().map(|disabled| DisabledRule::of(inspection, disabled)).collect(),
            facts: need.facts.iter().map(|(reading, rules)| NeededFact::of(reading, rules)).collect(),
            prompts: need.prompts.iter().map(|prompt| NeededPrompt::of(inspection, prompt)).collect(),
            phases: phases.map(|(phase, rules)| PhaseRules::of(phase.word(), &rules)).collect(),
            window: inspection.window.cloned(),
            thresholds: need.thresholds.iter().map(ThresholdResult::from).collect(),
        }
    }
}

impl InspectedPolicy {
    fn of(inspection: &Inspection<'_>) -> Self {
        let policy = inspection.policy;
        let base =
            |base: &Spanned<SmolStr>| BasePolicy { name: base.node.to_string(), at: Place::of(inspection, base.span) };
        Self {
            name: policy.name.to_string(),
            title: policy.title.clone(),
            hash: inspection.plan.hash.clone(),
            at: Place::of(inspection, policy.span),
            extends: policy.bases.iter().map(base).collect(),
        }
    }
}

impl InspectedAgent {
    fn of(inspection: &Inspection<'_>) -> Self {
        let agent = &inspection.plan.agent;
        Self {
            model: HostValue::of(inspection, "model", agent.model.as_ref().map(|model| model.node.to_string())),
            window: HostValue::of(inspection, "window", agent.window.map(|window| window.node)),
            reserve: HostValue::of(inspection, "reserve", agent.reserve),
            overhead: HostValue::of(inspection, "overhead", agent.overhead),
            tools: HostValue::of(inspection, "tools", agent.tools.as_deref().map(names)),
            facts: agent.facts.iter().map(|fact| DeclaredFact::of(inspection, fact)).collect(),
        }
    }
}

impl<T> HostValue<T> {
    /// The value of a key, if it is known.
    fn of(inspection: &Inspection<'_>, key: &str, value: Option<T>) -> Option<Self> {
        let at = inspection.plan.agent.place(key).and_then(|span| Place::of(inspection, span));
        value.map(|value| Self { value, at })
    }
}

impl DeclaredFact {
    fn of(inspection: &Inspection<'_>, fact: &HostFact) -> Self {
        Self {
            name: fact.name.node.to_string(),
            ty: fact.type_word().to_owned(),
            default: fact.default.as_ref().map(|value| fact.format(value)),
            at: Place::of(inspection, fact.name.span),
        }
    }
}

impl InspectedRule {
    fn of(inspection: &Inspection<'_>, rule: &Rule, prompts: &[Prompt<'_>]) -> Self {
        let place = |span| Place::of(inspection, span);
        let clauses = PrintedClause::of(rule, prompts).into_iter().map(|clause| ClauseResult {
            clause: clause.word.to_owned(),
            text: clause.text,
            at: place(clause.span),
        });
        let overrides = rule.origin.overrides.iter();
        let overrides = overrides.map(|by| OverridingPolicy { policy: by.node.to_string(), at: place(by.span) });
        let memory = inspection::memory(rule).into_iter().map(|(guard, what)| GuardMemory { guard, what });
        Self {
            name: rule.name.to_string(),
            sealed: rule.sealed,
            phase: rule.phase.word().to_owned(),
            policy: rule.origin.policy.to_string(),
            at: place(rule.head),
            overrides: overrides.collect(),
            placed_at: rule.origin.placed.and_then(place),
            clauses: clauses.collect(),
            remembers: memory.collect(),
            asks_summariser: inspection::requests_summary(rule),
        }
    }
}

impl DisabledRule {
    fn of(inspection: &Inspection<'_>, disabled: &Disabled) -> Self {
        Self {
            rule: disabled.rule.to_string(),
            from: disabled.origin.to_string(),
            policy: disabled.policy.to_string(),
            why: disabled.why.clone(),
            rule_at: Place::of(inspection, disabled.head),
            at: Place::of(inspection, disabled.span),
        }
    }
}
