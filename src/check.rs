//! Trees into checked policies: names, types, units, labels, domains and phases.
//!
//! In: a tree. Out: a checked file, or diagnostics, all at once. It is the only maker of a [`Policy`].
//! Nothing follows from what is already broken: a broken rule's name is known, a broken value fits anywhere.
//! It reads no text: what an author wrote reaches it through the tree.

mod agent;
mod case;
mod clause;
mod comparison;
mod condition;
mod constant;
mod effect_call;
pub mod error;
mod fact_call;
mod file;
mod guard;
mod label;
mod list;
mod narrowing;
mod on_failure;
mod policy;
mod rule;
mod scope;
mod test;
mod text;

pub use case::{
    Called, Came, Case, Claim, Expectation, Filling, Given, Line, LineKind, Needle, Part, Series, Summary, TOTALS,
    Times, Total, Which,
};
pub use policy::{
    Action, Agent, Argument, Checked, Comparison, Condition, Failing, Guard, Label, OnFailure, Operand, Piece, Policy,
    Reading, Relation, Rule, Template, Test,
};
pub use test::assertion;

use crate::diagnostic::{self, Diagnostic, Severity};
use crate::syntax::tree::File;

/// Checks a file and finds everything that is wrong with it at once.
///
/// The checked file is there only when no error was found and no part of the tree is broken, so that nothing behind
/// the checker meets an author's mistake. Warnings leave it there.
pub fn check(file: &File) -> (Option<Checked>, Vec<Diagnostic>) {
    let mut checker = scope::Checker::new();
    let checked = checker.file(file);
    let mut found = checker.found;
    diagnostic::sort(&mut found);
    let is_sound = found.iter().all(|one| one.severity != Severity::Error);
    (checked.filter(|_| is_sound), found)
}

#[cfg(test)]
mod tests;
