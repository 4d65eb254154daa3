//! Targets: formats of other systems that plans are written in.
//!
//! A target gets a plan and returns a text, with a list of what the format cannot express. It does no I/O.
//!
//! A target is one file and two adjacent lines here: `mod` and the entry in `TARGETS`.

mod effects_yaml;

use std::fmt;

use trimtab_language::plan::Plan;

/// A format of another system.
#[derive(Debug)]
pub struct TargetFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Writes a plan.
    pub write: fn(&Plan) -> Written,
}

/// The targets, in the order of the help.
pub static TARGETS: &[&TargetFormat] = &[&effects_yaml::TARGET];

/// A plan in the format of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The text. What is lost is in comments.
    pub text: String,
    /// What the format cannot express; empty if the text means the same as the plan.
    pub losses: Vec<Loss>,
}

/// A part of a plan that a format cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The part, such as ``rule `a` ``.
    pub part: String,
    /// Why it cannot be expressed.
    pub reason: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.part, self.reason)
    }
}
