//! The checker: resolves names, types, units, labels and phases of policy files.
//!
//! It reads the syntax trees of a file and of the files that it uses, and gives a checked file or diagnostics; every error
//! is reported in one run. Only the checker creates a [`Policy`].
//! An error is reported once: the name of a broken rule is still known, and a value that is unknown because of another
//! error is accepted everywhere.

mod action;
mod agent;
mod checked;
mod checker;
mod clause;
mod compared;
mod comparison;
mod compose;
mod condition;
mod constant;
mod display;
mod effect_call;
pub mod error;
mod evaluate;
mod event_field;
mod fact_call;

mod file;
mod fit;
mod guard;
mod host_fact;
mod import;
mod label;
mod list;
mod narrowing;
mod on_failure;
mod pin;
mod policy;
mod reading;
mod rule;
mod scope;
mod test_case;

mod test;
mod text;

use trimtab_base::diagnostic::{self, Diagnostic, Severity};
use trimtab_base::source::LoadError;
use trimtab_syntax::syntax::tree::{File, Item};

pub use checked::{CheckedFile, Import};
pub use display::{format_reading, is_list_name};
pub use host_fact::HostFact;
pub use policy::{
    Action, Agent, Argument, Comparison, Condition, Disabled, FailureAction, Guard, Label, OnFailure, Operand, Origin,
    Policy, Reading, Relation, Rule, RuleGuard, Template, Test, TextPiece,
};
pub use test::assertion;
pub use test_case::{
    ContextSelector, Expectation, ExpectationKind, FactSample, Frequency, RuleOutcome, ScriptLine, ScriptLineKind,
    ScriptedCall, Series, Summary, TOTALS, TestCase, TestInput, TextPattern, TextSpec, Total, TotalClaim, TotalKind,
};

/// A file to check.
#[derive(Clone, Copy, Debug)]
pub struct SourceUnit<'a> {
    /// Its syntax tree.
    pub file: &'a File,
    /// Its `use` items, resolved, in source order.
    pub uses: &'a [ResolvedUse],
}

/// A resolved `use` item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedUse {
    /// The unit with this index; it comes before the one that uses it.
    Unit(usize),
    /// The file cannot be imported, for this reason.
    Refused(String),
    /// The import is part of a cycle. These are the names of the files in it, with the first one repeated at the end.
    Cycle(Vec<String>),
}

/// Checks a single file and reports every error in it.
///
/// There is a checked file only if there are no errors and no part of the tree is broken, so that later stages need not
/// handle invalid policies. Warnings do not matter. Each `use` in the file is an error.
pub fn check(file: &File) -> (Option<CheckedFile>, Vec<Diagnostic>) {
    let refused =
        |item: &Item| matches!(item, Item::Use(_)).then(|| ResolvedUse::Refused(LoadError::NoLoader.to_string()));
    let uses: Vec<ResolvedUse> = file.items.iter().filter_map(refused).collect();
    check_all(&[SourceUnit { file, uses: &uses }])
}

/// Checks files that use each other. Each unit comes after those that it uses; the result is that of the last one.
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
    is_sound &= findings.iter().all(|finding| finding.severity != Severity::Error);
    (last.filter(|_| is_sound).map(|checked| CheckedFile { used, ..checked }), findings)
}

#[cfg(test)]
mod tests;
