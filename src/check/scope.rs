//! What a file defines, and what the checker has found: shared by all files of this room.

use std::collections::{HashMap, HashSet};

use smol_str::SmolStr;

use super::constant::Constant;
use crate::diagnostic::Diagnostic;
use crate::syntax::tree::{Expr, Let, Text};

/// The names of a file, the constants found so far, and the findings.
#[derive(Default)]
pub(super) struct Scope<'a> {
    pub(super) lets: HashMap<SmolStr, &'a Let>,
    /// Lets that stand in a broken stretch: known by name, without a value.
    pub(super) broken: HashSet<SmolStr>,
    pub(super) prompts: HashMap<SmolStr, &'a Text>,
    /// The rules of the policy at hand, broken ones too.
    pub(super) rules: HashSet<SmolStr>,
    pub(super) found: Vec<Diagnostic>,
    values: HashMap<SmolStr, Constant>,
    pending: Vec<SmolStr>,
}

impl<'a> Scope<'a> {
    pub(super) fn report(&mut self, one: Diagnostic) {
        self.found.push(one);
    }

    /// Whether a name is a let.
    pub(super) fn is_let(&self, name: &str) -> bool {
        self.lets.contains_key(name) || self.broken.contains(name)
    }

    /// The value of a let; broken when it has none, which is then already reported.
    pub(super) fn value(&mut self, name: &str) -> Constant {
        if let Some(value) = self.values.get(name) {
            return value.clone();
        }
        let Some(&defined) = self.lets.get(name) else { return Constant::Broken };
        if self.pending.iter().any(|one| one == name) {
            self.report(super::error::let_cycle(defined.name.span, name));
            return Constant::Broken;
        }
        self.pending.push(name.into());
        let value = self.constant(&defined.value);
        self.pending.pop();
        self.values.insert(name.into(), value.clone());
        value
    }

    /// The names of lets and facts, for suggestions.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        let lets = self.lets.keys().map(SmolStr::as_str);
        let facts = crate::fact::FACTS.iter().map(|fact| fact.name);
        crate::diagnostic::nearest(name, lets.chain(facts)).map(str::to_owned)
    }

    /// Whether an expression names a let.
    pub(super) fn names_let(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, crate::syntax::tree::ExprKind::Name(name) if self.is_let(name))
    }
}
