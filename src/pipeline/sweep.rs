//! Sweeps: a policy file with other values of its constants, and the replays that compare them.
//!
//! A caller compiles the texts that this module makes, chooses the recordings, and runs the replays on its threads.

mod combination;
mod file;
mod replay;

use std::fmt;

use trimtab_language::plan::PolicyChoiceError;
use trimtab_report::report::{list, whole};

pub use combination::{Combinations, MAX_COMBINATIONS, Sample};
pub use file::SweptFile;
pub use replay::Replays;

use super::Compiled;

/// The maximum number of values that an error names.
const MAX_NAMED: usize = 3;

/// What compiles another text of the policy file.
pub type Compile<'c> = dyn FnMut(&str) -> Compiled + 'c;

/// Why constants cannot be varied.
#[derive(Debug)]
pub enum SweepError {
    /// A constant is unknown, ambiguous, or given twice.
    Parameter {
        /// Its name as given.
        name: String,
        /// What is wrong with it, and a way out.
        reason: String,
    },
    /// There are more than [`MAX_COMBINATIONS`], and no sample was asked for.
    TooManyCombinations,
    /// The policy has errors with some values.
    Invalid {
        /// The name of the file.
        file: String,
        /// The values, each as `NAME=VALUE`.
        values: Vec<String>,
        /// One result for each of the first values that are wrong alone, or the one of a combination of values that are right alone.
        compiled: Vec<Compiled>,
    },
    /// With some values, the policy cannot be chosen.
    Choice(PolicyChoiceError),
    /// Two constants overlap in the text, which the parser rules out.
    Overlap,
}

impl fmt::Display for SweepError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter { name, reason } => write!(out, "{name}: {reason}"),
            Self::TooManyCombinations => {
                write!(out, "there are more than {} combinations", whole(MAX_COMBINATIONS))
            }
            Self::Invalid { file, values, .. } => {
                write!(out, "{file} has errors with {}", list(values, MAX_NAMED))
            }
            Self::Choice(_) => out.write_str("the policy cannot be chosen"),
            Self::Overlap => out.write_str("internal error: the constants overlap"),
        }
    }
}
