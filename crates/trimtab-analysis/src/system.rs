//! Settings of other systems: files that agents and their frameworks read, as policies and as the options that a policy asks for.
//!
//! In: the text of a settings file. Out: the tree of a policy whose spans point into that file, the same policy as text, and a
//! row for each option that says what it became and how exactly. It does no I/O.
//!
//! A system is one file and two adjacent lines here: `mod` and the entry in [`SYSTEMS`]. Its file describes the options as data and
//! has one function, which turns their values into rules.

mod adk;
mod anthropic;
mod claude_code;
mod codex;
mod gemini_cli;
mod goose;
mod hermes;
mod langchain;
mod openclaw;
mod opencode;
mod openhands;
mod swe_agent;

mod adjusted;
mod adjustment;
mod descriptor;
mod document;
mod draft;
pub mod error;
mod import;
mod kind;
mod patch;
mod recognition;
mod row;
mod setting;
mod syntax;
mod values;
mod write;

use trimtab_base::diagnostic;

pub use adjusted::{AdjustedSettings, OptionValues, adjusted};
pub use adjustment::{Adjustment, Amount};
pub use descriptor::System;
pub use import::{Import, defaults, import};
pub use kind::Kind;
pub use recognition::{Recognition, recognise};
pub use row::{Fidelity, Origin, Row};
pub use setting::{DefaultValue, Section, Setting};
pub use syntax::Syntax;
pub use values::Values;
pub use write::{RuleDifference, RulePart, SettingsLoss, WrittenSettings, write};

/// The systems, in the order of the help.
pub static SYSTEMS: &[&System] = &[
    &claude_code::SYSTEM,
    &opencode::SYSTEM,
    &codex::SYSTEM,
    &anthropic::SYSTEM,
    &gemini_cli::SYSTEM,
    &openhands::SYSTEM,
    &langchain::SYSTEM,
    &adk::SYSTEM,
    &hermes::SYSTEM,
    &goose::SYSTEM,
    &swe_agent::SYSTEM,
    &openclaw::SYSTEM,
];

/// What names the defaults of a system as a policy file.
pub const HARNESS: &str = "harness:";

/// The system with this name.
pub fn find(name: &str) -> Option<&'static System> {
    SYSTEMS.iter().copied().find(|system| system.name == name)
}

/// The name of a system that a misspelt one may mean.
pub fn nearest(name: &str) -> Option<&'static str> {
    diagnostic::nearest(name, SYSTEMS.iter().map(|system| system.name))
}

#[cfg(test)]
mod tests;
