//! The names in scope in one file: its own definitions and those that it imports.

use std::collections::HashMap;

use smol_str::SmolStr;
use trimtab_base::diagnostic::nearest;
use trimtab_base::quantity::Type;
use trimtab_base::source::{SourceId, Span, Spanned};
use trimtab_syntax::syntax::tree::{Policy, Text};

use super::constant::Constant;
use super::host_fact::HostFact;
use super::policy::Agent;
use crate::fact::{self, FACTS};

/// What a definition defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Let,
    Prompt,
    Policy,
}

impl Kind {
    /// The word for it in messages.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Let => "`let`",
            Self::Prompt => "prompt",
            Self::Policy => "policy",
        }
    }
}

/// The definition of a name.
#[derive(Clone, Copy)]
pub(super) enum Named<T> {
    /// This definition.
    Defined(T),
    /// A definition that is broken, or that may be in a file which could not be imported. That error is reported where it
    /// is, and nothing is reported where the name is used.
    Unknown,
    /// There is none.
    Undefined,
}

impl<T> Named<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Named<U> {
        match self {
            Self::Defined(value) => Named::Defined(change(value)),
            Self::Unknown => Named::Unknown,
            Self::Undefined => Named::Undefined,
        }
    }

    /// The definition, if it is there and sound.
    pub(super) fn defined(self) -> Option<T> {
        match self {
            Self::Defined(value) => Some(value),
            Self::Unknown | Self::Undefined => None,
        }
    }
}

/// The names in scope in one file.
#[derive(Default)]
pub(super) struct Scope<'a> {
    /// The file.
    pub(super) source: SourceId,
    /// Lets, each with its value and the span of that value; `None` for a broken one.
    pub(super) lets: HashMap<&'a str, Option<(Constant<'a>, Span)>>,
    /// Prompts; `None` for a broken one.
    pub(super) prompts: HashMap<&'a str, Option<&'a Text>>,
    /// Policies; `None` for a broken one.
    pub(super) policies: HashMap<&'a str, Option<&'a Policy>>,
    /// The place of each definition.
    pub(super) places: HashMap<(Kind, &'a str), Span>,
    /// The `agent` block of the file, or else the one that it imports.
    pub(super) agent: Option<(Span, Agent)>,
    /// The names of facts whose declaration is broken.
    pub(super) broken_facts: Vec<SmolStr>,
    /// Whether a declaration of a fact may be in a part that cannot be parsed.
    pub(super) may_lack_facts: bool,
    /// Whether definitions may be missing because a file could not be imported.
    pub(super) is_incomplete: bool,
}

impl<'a> Scope<'a> {
    /// The value of a let.
    pub(super) fn constant(&self, name: &str) -> Named<Constant<'a>> {
        self.named(self.lets.get(name)).map(|(constant, _)| constant)
    }

    /// The text of a prompt.
    pub(super) fn prompt(&self, name: &str) -> Named<&'a Text> {
        self.named(self.prompts.get(name))
    }

    /// A policy.
    pub(super) fn policy(&self, name: &str) -> Named<&'a Policy> {
        self.named(self.policies.get(name))
    }

    /// The declaration of a fact that the host supplies.
    pub(super) fn host_fact(&self, name: &str) -> Named<&HostFact> {
        let is_broken = || self.broken_facts.iter().any(|broken| broken == name);
        match self.agent.as_ref().and_then(|(_, agent)| agent.fact(name)) {
            Some(fact) => Named::Defined(fact),
            None if self.is_incomplete || self.may_lack_facts || is_broken() => Named::Unknown,
            None => Named::Undefined,
        }
    }

    /// The names of the declared facts, sorted.
    pub(super) fn host_fact_names(&self) -> Vec<&str> {
        let facts = self.agent.iter().flat_map(|(_, agent)| &agent.facts);
        let mut names: Vec<&str> = facts.map(|fact| fact.name.node.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// Returns the type of a fact, or `None` if it is not known.
    pub(super) fn fact_type(&self, name: &str) -> Option<Type> {
        match fact::host_fact_name(name) {
            Some(name) => self.host_fact(name).defined().map(|fact| fact.fact.ty),
            None => fact::find(name).map(|fact| fact.ty),
        }
    }

    fn named<T: Copy>(&self, found: Option<&Option<T>>) -> Named<T> {
        match found {
            Some(Some(value)) => Named::Defined(*value),
            Some(None) => Named::Unknown,
            None if self.is_incomplete => Named::Unknown,
            None => Named::Undefined,
        }
    }

    /// Whether a `let` of this name is in scope, valid or not.
    pub(super) fn has_let(&self, name: &str) -> bool {
        self.lets.contains_key(name)
    }

    /// The span of a let's value.
    pub(super) fn value_span(&self, name: &str) -> Option<Span> {
        self.lets.get(name)?.map(|(_, span)| span)
    }

    /// The names of the lets.
    pub(super) fn let_names(&self) -> impl Iterator<Item = &'a str> {
        self.lets.keys().copied()
    }

    /// Whether a name is neither a fact nor a let, and similar to none.
    pub(super) fn is_foreign(&self, name: &str) -> bool {
        let is_undefined = !fact::is_fact_name(name) && matches!(self.constant(name), Named::Undefined);
        is_undefined && self.nearest_value(name).is_none()
    }

    /// The fact or let with the most similar name; a declared fact of this name first.
    pub(super) fn nearest_value(&self, name: &str) -> Option<SmolStr> {
        if self.host_fact_names().contains(&name) {
            return Some(fact::written_host_fact(name));
        }
        let facts = FACTS.iter().filter(|fact| !fact.is_host()).map(|fact| fact.name);
        nearest(name, facts.chain(self.let_names())).map(SmolStr::from)
    }

    /// The names of the policies, sorted.
    pub(super) fn policy_names(&self) -> Vec<&'a str> {
        let mut names: Vec<&'a str> = self.policies.keys().copied().collect();
        names.sort_unstable();
        names
    }

    /// The names of the prompts and where they are defined, sorted.
    pub(super) fn prompt_places(&self) -> Vec<Spanned<SmolStr>> {
        let prompts = self.places.iter().filter(|((kind, _), _)| *kind == Kind::Prompt);
        let mut prompts: Vec<_> = prompts.map(|((_, name), span)| Spanned::new(SmolStr::from(*name), *span)).collect();
        prompts.sort_by(|a, b| a.node.cmp(&b.node));
        prompts
    }
}

/// The scope of a file.
pub(super) fn scope_of<'s, 'a>(scopes: &'s [Scope<'a>], source: SourceId) -> Option<&'s Scope<'a>> {
    scopes.iter().find(|scope| scope.source == source)
}
