//! The state of a check: the names in scope, what is known at this point of a rule, and the diagnostics so far.
//!
//! The other files of this module add the checks of one construct each as methods.

use std::collections::HashMap;

use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::{SourceId, Span};

use super::constant::Constant;
use super::policy::{Condition, Reading};
use super::scope::{Named, Scope, scope_of};
use super::{error, narrowing};
use crate::fact::{self, Fact};

/// Checks the parts of a file and collects diagnostics.
pub(super) struct Checker<'s, 'a> {
    /// The names of all files that have been read, the file being checked last.
    scopes: &'s [Scope<'a>],
    /// The names of the file in which the clause being checked was written.
    pub(super) scope: &'s Scope<'a>,
    /// The rules of the policy by name, broken ones too; `None` when some may be missing.
    pub(super) rules: Option<HashMap<&'a str, Span>>,
    /// The name of the rule; `None` outside rules.
    pub(super) rule: Option<SmolStr>,
    /// The condition of the rule.
    pub(super) own: OwnCondition,
    /// Readings that are known to have a value at this point.
    pub(super) known: Vec<Reading>,
    /// Whether a broken part of the rule may have contained what is missing here.
    pub(super) lenient: bool,
    /// What was found, in the order of the checks.
    pub(super) findings: Vec<Diagnostic>,
}

/// The condition of the rule, from which bare facts in guards and texts take their arguments.
pub(super) enum OwnCondition {
    /// It is being checked.
    Open,
    /// It is broken.
    Broken,
    /// It is sound.
    Sound(Condition),
}

/// What a name in an expression refers to.
pub(super) enum Reference<'a> {
    /// A fact.
    Fact(&'static Fact),
    /// A fact that the host supplies, as it is read here.
    Host(Reading),
    /// The value of a let.
    Let(Constant<'a>),
}

impl<'s, 'a> Checker<'s, 'a> {
    /// A checker of parts of the file with this scope; `scopes` are those of all files that it builds on.
    pub(super) fn new(scope: &'s Scope<'a>, scopes: &'s [Scope<'a>]) -> Self {
        Self {
            scopes,
            scope,
            rules: None,
            rule: None,
            own: OwnCondition::Open,
            known: Vec::new(),
            lenient: false,
            findings: Vec::new(),
        }
    }

    /// Looks names up in the scope of the file in which a clause was written.
    pub(super) fn enter(&mut self, source: SourceId) {
        if self.scope.source != source
            && let Some(scope) = scope_of(self.scopes, source)
        {
            self.scope = scope;
        }
    }

    /// Reports a finding.
    pub(super) fn report(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    /// Reports a finding and returns `None`.
    pub(super) fn fail<T>(&mut self, finding: Diagnostic) -> Option<T> {
        self.findings.push(finding);
        None
    }

    /// The fact or let of a name. An undefined name is reported.
    pub(super) fn resolve(&mut self, name: &str, span: Span) -> Option<Reference<'a>> {
        if let Some(fact) = fact::find(name) {
            return Some(Reference::Fact(fact));
        }
        if let Some(name) = fact::host_fact_name(name) {
            return self.host_fact(name, span).map(Reference::Host);
        }
        match self.scope.constant(name) {
            Named::Defined(constant) => Some(Reference::Let(constant)),
            Named::Unknown => None,
            Named::Undefined => {
                let suggestion = self.scope.nearest_value(name);
                self.fail(error::name::unknown_value(span, name, suggestion.as_deref()))
            }
        }
    }

    /// Whether a reading has a value at this point, or may have one because of what is broken.
    pub(super) fn has_value(&self, reading: &Reading) -> bool {
        !reading.fact.is_optional()
            || reading.fallback.is_some()
            || self.lenient
            || self.known.iter().any(|known| narrowing::is_same(known, reading))
    }
}
