//! What settings do not say of a policy.

use trimtab_language::check::{Agent, Rule};

/// A part of a policy that settings do not say, or something that the system does besides.
#[derive(Clone, Debug)]
pub enum SettingsLoss {
    /// A rule that no option is like.
    Missing {
        /// The rule of the policy.
        rule: Box<Rule>,
        /// What its absence means, as a clause.
        consequence: &'static str,
    },
    /// A rule that options make only with differences.
    Different {
        /// The rule of the policy.
        wanted: Box<Rule>,
        /// The rule that the options make.
        written: Box<Rule>,
        /// The parts that differ.
        differences: Vec<RuleDifference>,
    },
    /// Something that the system does, that the policy does not do and that no option turns off.
    Besides {
        /// The rule that the options make.
        rule: Box<Rule>,
        /// What it means, as a clause.
        consequence: &'static str,
    },
    /// A property of the `agent` block.
    Agent {
        /// Its keyword.
        property: String,
        /// The block of the policy.
        wanted: Box<Agent>,
        /// The block that the options make.
        written: Box<Agent>,
    },
}

/// A part in which two rules differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDifference {
    /// The part.
    pub part: RulePart,
    /// What the other rule does on account of it, as a verb phrase such as `keeps less`, or `None` if that is not
    /// known.
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
    /// Its effects, which are not the same.
    Effects,
    /// The target of an effect, by its place in the rule.
    Target(usize),
    /// The text of an effect.
    Text(usize),
    /// A label of an effect.
    Label(usize, &'static str),
    /// Its `on_failure`.
    OnFailure,
}
