//! What names mean at a place: the lets and prompts of the file, the rules of the policy, the rule's own condition.

use std::collections::HashMap;
use std::rc::Rc;

use super::compose::Merged;
use super::constant::Constant;
use super::import::Names;
use super::policy::{Brought, Condition, Reading};
use super::{error, narrowing};
use crate::diagnostic::{Diagnostic, nearest};
use crate::fact::{self, FACTS, Fact};
use crate::source::Span;
use crate::syntax::tree::{Let, Policy, Text};

/// Checks a file behind those that it uses, and collects what is wrong with them.
pub(super) struct Checker<'a> {
    /// The files so far; the names of the one at hand stand here below.
    pub(super) files: Vec<Names<'a>>,
    /// Which of them is at hand.
    pub(super) at: usize,
    /// What each `use` of the file at hand brings in.
    pub(super) brought: Vec<Brought>,
    /// Agent blocks from two files: the `use` that brings in the second, and both.
    pub(super) agent_clashes: Vec<(Span, Span, Span)>,
    /// Policies with what they inherit, by where they stand.
    pub(super) merged: HashMap<Span, Rc<Merged<'a>>>,
    /// The policies whose bases are being looked for.
    pub(super) chain: Vec<&'a Policy>,
    /// The file's lets by name.
    pub(super) lets: HashMap<&'a str, Binding<'a>>,
    /// The file's prompts by name; none for a broken one.
    pub(super) prompts: HashMap<&'a str, Option<&'a Text>>,
    /// The rules of the policy at hand by name, broken ones too.
    pub(super) rules: HashMap<&'a str, Span>,
    /// Whether the names of all its rules are known.
    pub(super) knows_rules: bool,
    /// The condition of the rule at hand.
    pub(super) own: Own,
    /// Readings that are known to have a value at this place.
    pub(super) known: Vec<Reading>,
    /// Whether something broken nearby may have said what is missing here.
    pub(super) lenient: bool,
    /// What is wrong, in the order found.
    pub(super) found: Vec<Diagnostic>,
}

/// A let on the way to its value.
#[derive(Clone, Copy)]
pub(super) enum Binding<'a> {
    /// Not looked at yet.
    Waiting(&'a Let),
    /// Being looked at: who asks for it now asks in a circle.
    Busy(&'a Let),
    /// Its value and where that stands; none when it is broken.
    Done(Option<(Constant<'a>, Span)>),
}

/// The condition of the rule at hand, from which bare facts in guards and texts take their arguments.
pub(super) enum Own {
    /// It is being checked itself.
    Open,
    /// It is broken.
    Broken,
    /// It is this.
    Is(Condition),
}

/// What a name stands for.
pub(super) enum Named<'a> {
    /// A fact.
    Fact(&'static Fact),
    /// The value of a let.
    Let(Constant<'a>),
}

impl<'a> Checker<'a> {
    /// A checker that knows no names yet.
    pub(super) fn new() -> Self {
        Self {
            files: Vec::new(),
            at: 0,
            brought: Vec::new(),
            agent_clashes: Vec::new(),
            merged: HashMap::new(),
            chain: Vec::new(),
            lets: HashMap::new(),
            prompts: HashMap::new(),
            rules: HashMap::new(),
            knows_rules: true,
            own: Own::Open,
            known: Vec::new(),
            lenient: false,
            found: Vec::new(),
        }
    }

    /// Notes a finding.
    pub(super) fn report(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }

    /// Notes a finding and has nothing to give.
    pub(super) fn fail<T>(&mut self, finding: Diagnostic) -> Option<T> {
        self.found.push(finding);
        None
    }

    /// The fact or let of a name; nothing when it is unknown, which is reported, or broken, which was.
    pub(super) fn resolve(&mut self, name: &str, span: Span) -> Option<Named<'a>> {
        if let Some(fact) = fact::find(name) {
            return Some(Named::Fact(fact));
        }
        if self.lets.contains_key(name) {
            return self.value_of(name, span).map(Named::Let);
        }
        let meant = self.nearest_value(name);
        self.fail(error::name::unknown_value(span, name, meant))
    }

    /// Whether a name stands for nothing that has a value, and is near to nothing that has.
    pub(super) fn is_foreign(&self, name: &str) -> bool {
        fact::find(name).is_none() && !self.lets.contains_key(name) && self.nearest_value(name).is_none()
    }

    /// The fact or let whose name is nearest to a mistyped one.
    pub(super) fn nearest_value(&self, name: &str) -> Option<&'a str> {
        let facts = FACTS.iter().map(|fact| fact.name);
        nearest(name, facts.chain(self.lets.keys().copied()))
    }

    /// Where the value of a let stands, for pointing at it.
    pub(super) fn place_of(&self, name: &str) -> Option<Span> {
        match self.lets.get(name)? {
            Binding::Done(Some((_, span))) => Some(*span),
            _ => None,
        }
    }

    /// Whether a reading has a value at this place, or something broken may have said so.
    pub(super) fn has_value(&self, reading: &Reading) -> bool {
        !reading.fact.is_optional()
            || reading.fallback.is_some()
            || self.lenient
            || self.known.iter().any(|known| narrowing::is_same(known, reading))
    }
}
