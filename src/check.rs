//! Trees into checked policies: names, types, units, labels, domains and phases.
//!
//! In: the trees of a file and of those that it uses. Out: a checked file, or diagnostics, all at once. It is the only
//! maker of a [`Policy`].
//! Nothing follows from what is already broken: a broken rule's name is known, a broken value fits anywhere.
//! It reads no text: what an author wrote reaches it through the tree.

mod action;
mod agent;
mod case;
mod clause;
mod comparison;
mod compose;
mod condition;
mod constant;
mod effect_call;
pub mod error;
mod fact_call;
mod file;
mod guard;
mod import;
mod label;
mod list;
mod narrowing;
mod on_failure;
mod policy;
mod reading;
mod rule;
mod scope;
mod sign;
mod spoken;
mod test;
mod text;

pub use case::{
    Called, Came, Case, Claim, Expectation, Filling, Given, Line, LineKind, Needle, Part, Series, Summary, TOTALS,
    Times, Total, TotalKind, Which,
};
pub use policy::{
    Action, Agent, Argument, Brought, Checked, Comparison, Condition, Disabled, Failing, Guard, Label, OnFailure,
    Operand, Origin, Piece, Policy, Reading, Relation, Rule, Template, Test,
};
pub use spoken::spoken;
pub use test::assertion;

use crate::diagnostic::{self, Diagnostic, Severity};
use crate::source::LoadError;
use crate::syntax::tree::{File, Item};

/// A file to be checked, with what became of each `use` in it, in the order written.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// Its tree.
    pub file: &'a File,
    /// What it uses.
    pub uses: &'a [Used],
}

/// What became of a `use`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Used {
    /// It is the unit at this place, before the one that uses it.
    Unit(usize),
    /// It cannot be had, for this reason.
    Refused(String),
    /// It is used by what it uses; the names of the files in the circle, the first again at the end.
    Circle(Vec<String>),
}

/// Checks a file and finds everything that is wrong with it at once.
///
/// The checked file is there only when no error was found and no part of the tree is broken, so that nothing behind
/// the checker meets an author's mistake. Warnings leave it there. Each `use` in the file is an error.
pub fn check(file: &File) -> (Option<Checked>, Vec<Diagnostic>) {
    let refused = |item: &Item| matches!(item, Item::Use(_)).then(|| Used::Refused(LoadError::NoLoader.to_string()));
    let uses: Vec<Used> = file.items.iter().filter_map(refused).collect();
    check_all(&[Unit { file, uses: &uses }])
}

/// Checks files that use each other; each stands behind those that it uses. The last is what is wanted of it.
pub fn check_all(units: &[Unit<'_>]) -> (Option<Checked>, Vec<Diagnostic>) {
    let mut checker = scope::Checker::new();
    let (mut last, mut used, mut is_sound) = (None, Vec::new(), !units.is_empty());
    for unit in units {
        used.extend(last.take().into_iter().flat_map(|checked: Checked| checked.policies));
        last = checker.file(*unit);
        is_sound &= last.is_some();
    }
    checker.drop_what_follows();
    let mut found = checker.found;
    diagnostic::sort(&mut found);
    is_sound &= found.iter().all(|one| one.severity != Severity::Error);
    (last.filter(|_| is_sound).map(|checked| Checked { used, ..checked }), found)
}

#[cfg(test)]
mod tests;
