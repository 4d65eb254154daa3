//! What a file brings in from those that it uses, and which file's names count where a clause was written.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::error::{self, compose};
use super::policy::{Agent, Brought};
use super::scope::{Binding, Checker};
use super::{Unit, Used};
use crate::source::{SourceId, Span, Spanned};
use crate::syntax::tree::{Item, Name, Policy, Text};

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Let,
    Prompt,
    Policy,
}

impl Kind {
    const fn noun(self) -> &'static str {
        match self {
            Self::Let => "`let`",
            Self::Prompt => "prompt",
            Self::Policy => "policy",
        }
    }
}

/// The names that mean something in one file.
#[derive(Default)]
pub(super) struct Names<'a> {
    source: SourceId,
    lets: HashMap<&'a str, Binding<'a>>,
    prompts: HashMap<&'a str, Option<&'a Text>>,
    /// None for a broken one.
    policies: HashMap<&'a str, Option<&'a Policy>>,
    /// Where each name is defined.
    places: HashMap<(Kind, &'a str), Span>,
    /// The agent block that counts for the file, its own or the one that it brings in.
    agent: Option<(Span, Agent)>,
    /// Whether names are missing, since a `use` was not followed.
    is_open: bool,
}

/// Codes of findings that may follow from a name that was not brought in.
static FOLLOWS: [&str; 10] = [
    error::name::VALUE.id,
    error::name::PROMPT.id,
    error::effect::WORD.id,
    error::effect::VALUE.id,
    error::effect::STRAY.id,
    error::file::FIELD.id,
    error::value::TYPE.id,
    error::value::UNQUOTED.id,
    compose::BASE.id,
    error::condition::NO_FACT.id,
];

impl<'a> Checker<'a> {
    /// Begins a new file, in which no name means anything yet.
    pub(super) fn begin(&mut self, source: SourceId) {
        self.swap();
        self.brought.clear();
        self.files.push(Names { source, ..Names::default() });
        self.at = self.files.len() - 1;
        self.swap();
    }

    /// Lets names mean what they mean in another file.
    pub(super) fn enter(&mut self, source: SourceId) {
        if self.files.get(self.at).is_some_and(|names| names.source == source) {
            return;
        }
        if let Some(to) = self.files.iter().position(|names| names.source == source) {
            self.swap();
            self.at = to;
            self.swap();
        }
    }

    /// Puts the names of the file at hand away, or takes them out.
    fn swap(&mut self) {
        if let Some(names) = self.files.get_mut(self.at) {
            std::mem::swap(&mut self.lets, &mut names.lets);
            std::mem::swap(&mut self.prompts, &mut names.prompts);
        }
    }

    /// Brings in the names of the files that are used.
    pub(super) fn import(&mut self, unit: Unit<'a>) {
        let items = unit.file.items.iter().filter_map(|item| match item {
            Item::Use(one) => Some(one),
            _ => None,
        });
        for (one, used) in items.zip(unit.uses) {
            match used {
                Used::Unit(from) => self.bring(*from, one.span),
                Used::Refused(reason) => {
                    self.report(compose::refused(one.path.span, &one.path.value, reason));
                    self.files[self.at].is_open = true;
                }
                Used::Circle(chain) => {
                    self.report(compose::use_circle(one.path.span, chain));
                    self.files[self.at].is_open = true;
                }
            }
        }
    }

    /// Brings in the names of one file that is checked already.
    fn bring(&mut self, from: usize, span: Span) {
        if from >= self.at {
            return;
        }
        let (checked, at_hand) = self.files.split_at_mut(self.at);
        let (other, names) = (&checked[from], &mut at_hand[0]);
        names.is_open |= other.is_open;
        let mut brought: Vec<SmolStr> = other.places.keys().map(|(_, name)| SmolStr::from(*name)).collect();
        brought.sort_unstable();
        self.brought.push(Brought { span, names: brought, agent: other.agent.is_some() });
        let mut clashes: Vec<(Kind, &str, [Span; 2])> = Vec::new();
        for (&(kind, name), &place) in &other.places {
            let first = *names.places.entry((kind, name)).or_insert(place);
            if first != place {
                clashes.push((kind, name, [first, place]));
            }
        }
        for (name, binding) in &other.lets {
            self.lets.entry(name).or_insert(*binding);
        }
        for (name, text) in &other.prompts {
            self.prompts.entry(name).or_insert(*text);
        }
        for (name, policy) in &other.policies {
            names.policies.entry(name).or_insert(*policy);
        }
        let mut found = Vec::new();
        match (&names.agent, &other.agent) {
            (Some((first, _)), Some((second, _))) if first != second => {
                found.push((span, *first, *second));
            }
            (None, Some(agent)) => names.agent = Some(agent.clone()),
            _ => {}
        }
        for (kind, name, [first, second]) in clashes {
            let places = [(first, "defined here"), (second, "and defined here")];
            self.report(compose::clash(kind.noun(), name, span, places));
        }
        self.agent_clashes.extend(found);
    }

    /// Notes a name that the file defines itself.
    pub(super) fn define(&mut self, kind: Kind, name: &'a Name) {
        let Some(names) = self.files.get_mut(self.at) else { return };
        let first = *names.places.entry((kind, &name.node)).or_insert(name.span);
        // Two in one file are reported as such.
        if first.source != name.span.source {
            let places = [(name.span, "defined here"), (first, "brought in from here")];
            self.report(compose::clash(kind.noun(), &name.node, name.span, places));
        }
    }

    /// Notes a policy that the file defines itself.
    pub(super) fn define_policy(&mut self, policy: &'a Policy) {
        if let Some(names) = self.files.get_mut(self.at) {
            names.policies.entry(&policy.name.node).or_insert(Some(policy));
        }
    }

    /// Notes a name whose definition is broken.
    pub(super) fn define_broken_policy(&mut self, name: &'a str) {
        if let Some(names) = self.files.get_mut(self.at) {
            names.policies.entry(name).or_insert(None);
        }
    }

    /// The policy of this name in the file at hand: none when there is none, an empty one when it is broken.
    #[expect(clippy::option_option, reason = "no policy, a broken one and one that is there are three things")]
    pub(super) fn policy_named(&self, name: &str) -> Option<Option<&'a Policy>> {
        self.files.get(self.at)?.policies.get(name).copied()
    }

    /// The names of the policies in the file at hand, sorted.
    pub(super) fn policy_names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let names = self.files.get(self.at).into_iter().flat_map(|names| names.policies.keys().copied());
        let mut names: Vec<&'a str> = names.collect();
        names.sort_unstable();
        names.into_iter()
    }

    /// The names of the prompts in the file at hand, and where they are defined.
    pub(super) fn prompt_places(&self) -> Vec<Spanned<SmolStr>> {
        let places = self.files.get(self.at).into_iter().flat_map(|names| &names.places);
        let prompts = places.filter(|((kind, _), _)| *kind == Kind::Prompt);
        let mut prompts: Vec<_> = prompts.map(|((_, name), span)| Spanned::new(SmolStr::from(*name), *span)).collect();
        prompts.sort_by(|a, b| a.node.cmp(&b.node));
        prompts
    }

    /// Notes that the file has an agent block of its own, which counts instead of any that it brings in.
    pub(super) fn define_agent(&mut self, span: Span, agent: Agent) {
        self.agent_clashes.clear();
        if let Some(names) = self.files.get_mut(self.at) {
            names.agent = Some((span, agent));
        }
    }

    /// The agent block that a file without one brings in.
    pub(super) fn inherited_agent(&mut self) -> Agent {
        for (span, first, second) in std::mem::take(&mut self.agent_clashes) {
            self.report(compose::two_agents(span, [first, second]));
        }
        self.files
            .get(self.at)
            .and_then(|names| names.agent.as_ref())
            .map(|(_, agent)| agent.clone())
            .unwrap_or_default()
    }

    /// Drops what may only follow from names that a `use` did not bring in.
    pub(super) fn drop_what_follows(&mut self) {
        let open: Vec<SourceId> = self.files.iter().filter(|names| names.is_open).map(|names| names.source).collect();
        let follows = |code: &str| FOLLOWS.contains(&code);
        self.found.retain(|one| !(open.contains(&one.primary.span.source) && follows(one.code.id)));
    }
}
