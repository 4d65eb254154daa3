//! How replays count tokens and reasoning, as options name it.

use clap::ValueEnum;
use trimtab_simulate::simulate::{ReasoningHandling, Tokens};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in super::super) enum Counter {
    /// The tokenizer of the model, if it is published; in builds with the feature `exact`
    Exact,
    /// An estimate from the characters of each kind of text, fitted to the recorded usage
    Estimate,
    /// The recorded input, minus an estimate of what the policy removed
    Reported,
    /// The recorded input, unchanged by the policy
    Recorded,
}

impl From<Counter> for Tokens {
    fn from(counter: Counter) -> Self {
        match counter {
            Counter::Exact => Self::Exact,
            Counter::Estimate => Self::Estimate,
            Counter::Reported => Self::Reported,
            Counter::Recorded => Self::Recorded,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in super::super) enum Reasoning {
    /// It sends the reasoning, and the provider drops it
    #[default]
    Drop,
    /// It removes the reasoning
    Strip,
    /// It sends the reasoning, and the provider refuses the call
    Keep,
}

impl From<Reasoning> for ReasoningHandling {
    fn from(reasoning: Reasoning) -> Self {
        match reasoning {
            Reasoning::Drop => Self::Drop,
            Reasoning::Strip => Self::Strip,
            Reasoning::Keep => Self::Keep,
        }
    }
}
