//! How a person answers the questions of rules, as options name it.

use clap::ValueEnum;
use trimtab_simulate::simulate::Confirmations;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in super::super) enum Confirm {
    /// Every question is confirmed
    Yes,
    /// Every question is declined, as by a host that asks nobody
    #[default]
    No,
}

impl From<Confirm> for Confirmations {
    fn from(confirm: Confirm) -> Self {
        match confirm {
            Confirm::Yes => Self::ALWAYS,
            Confirm::No => Self::NEVER,
        }
    }
}
