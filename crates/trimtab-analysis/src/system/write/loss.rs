//! Differences between written settings and their policy.

use trimtab_language::check::{Agent, Rule};

/// A part of a policy that the settings cannot express, or something that the system does in addition.
#[derive(Clone, Debug)]
pub enum SettingsLoss {
    /// A rule that no option expresses.
    Missing {
        /// The rule of the policy.
        rule: Box<Rule>,
        /// The consequence of its absence, as a clause.
        consequence: &'static str,
    },
    /// A rule that options express only with differences.
    Different {
        /// The rule of the policy.
        wanted: Box<Rule>,
        /// The rule of the written settings.
        written: Box<Rule>,
        /// The parts that differ.
        differences: Vec<RuleDifference>,
    },
    /// A rule that only the written settings have, because no option turns it off.
    Additional {
        /// The rule of the written settings.
        rule: Box<Rule>,
        /// Its consequence, as a clause.
        consequence: &'static str,
    },
    /// A property of the `agent` block.
    Agent {
        /// Its keyword.
        property: String,
        /// The block of the policy.
        wanted: Box<Agent>,
        /// The block of the written settings.
        written: Box<Agent>,
    },
}

/// A part in which two rules differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDifference {
    /// The part.
    pub part: RulePart,
    /// What the rule of the written settings does because of it, as a verb phrase such as `keeps less`; `None` if that
    /// is unknown.
    pub direction: Option<&'static str>,
}

/// A part of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulePart {
    /// Its phase.
    Phase,
    /// Its `when`.
    Condition,
    /// Its `unless`.
    Unless,
    /// Its `confirm`.
    Confirm,
    /// Its guards.
    Guards,
    /// Its list of effects.
    Effects,
    /// The target of the effect with this index.
    Target(usize),
    /// The text of the effect with this index.
    Text(usize),
    /// A label of the effect with this index, by name.
    Label(usize, &'static str),
    /// Its `on_failure`.
    OnFailure,
}
