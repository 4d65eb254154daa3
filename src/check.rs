//! Trees into checked policies: names, types, units, labels, domains and phases.
//!
//! In: the trees of a file and of those that it uses. Out: a checked file, or diagnostics, all at once. It is the only
//! maker of a [`Policy`].
//! Nothing follows from what is already broken: a broken rule's name is known, a broken value fits anywhere.
//! It reads no text: what an author wrote reaches it through the tree.

mod action;
mod agent;
mod checked;
mod checker;
mod clause;
mod comparison;
mod compose;
mod condition;
mod constant;
mod display;
mod effect_call;
pub mod error;
mod evaluate;
mod fact_call;
mod file;
mod fit;
mod guard;
mod import;
mod label;
mod list;
mod narrowing;
mod on_failure;
mod operator;
mod policy;
mod reading;
mod rule;
mod scope;
mod test_case;

mod test;
mod text;

pub use checked::{CheckedFile, Import};
pub use display::format_reading;
pub use policy::{
    Action, Agent, Argument, Comparison, Condition, Disabled, FailureAction, Guard, Label, OnFailure, Operand, Origin,
    Piece, Policy, Reading, Relation, Rule, Template, Test,
};
pub use test::assertion;
pub use test_case::{
    ContextSelector, Expectation, ExpectationKind, FactSample, Frequency, RuleOutcome, ScriptLine, ScriptLineKind,
    ScriptedCall, Series, Summary, TOTALS, TestCase, TestInput, TextPattern, TextSpec, Total,
};

use crate::diagnostic::{self, Diagnostic, Severity};
use crate::source::LoadError;
use crate::syntax::tree::{File, Item};

/// A file to be checked, with what became of each `use` in it, in the order written.
#[derive(Clone, Copy, Debug)]
pub struct SourceUnit<'a> {
    /// Its tree.
    pub file: &'a File,
    /// What it uses.
    pub uses: &'a [ResolvedUse],
}

/// What became of a `use`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedUse {
    /// It is the unit at this place, before the one that uses it.
    Unit(usize),
    /// It cannot be had, for this reason.
    Refused(String),
    /// It is used by what it uses; the names of the files in the circle, the first again at the end.
    Cycle(Vec<String>),
}

/// Checks a file and finds everything that is wrong with it at once.
///
/// The checked file is there only when no error was found and no part of the tree is broken, so that nothing behind
/// the checker meets an author's mistake. Warnings leave it there. Each `use` in the file is an error.
pub fn check(file: &File) -> (Option<CheckedFile>, Vec<Diagnostic>) {
    let refused =
        |item: &Item| matches!(item, Item::Use(_)).then(|| ResolvedUse::Refused(LoadError::NoLoader.to_string()));
    let uses: Vec<ResolvedUse> = file.items.iter().filter_map(refused).collect();
    check_all(&[SourceUnit { file, uses: &uses }])
}

/// Checks files that use each other, each after those that it uses, and gives the last one.
pub fn check_all(units: &[SourceUnit<'_>]) -> (Option<CheckedFile>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let mut scopes = Vec::with_capacity(units.len());
    let mut composer = compose::Composer::default();
    let (mut last, mut used, mut is_sound) = (None, Vec::new(), !units.is_empty());
    for unit in units {
        used.extend(last.take().into_iter().flat_map(|checked: CheckedFile| checked.policies));
        let (scope, imports) = import::scope(*unit, &scopes, &mut findings);
        scopes.push(scope);
        last = file::check(unit.file, imports, &scopes, &mut composer, &mut findings);
        is_sound &= last.is_some();
    }
    diagnostic::sort(&mut findings);
    is_sound &= findings.iter().all(|one| one.severity != Severity::Error);
    (last.filter(|_| is_sound).map(|checked| CheckedFile { used, ..checked }), findings)
}

#[cfg(test)]
mod tests;
