//! A file's items: edition, names that are defined, policies, and what this version does not do.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::Unit;
use super::error;
use super::import::Kind;
use super::policy::{Agent, Checked, Disabled, Policy, Rule};
use super::scope::{Binding, Checker};
use crate::fact;
use crate::source::Span;
use crate::syntax::tree::{self, Edition, File, Item, Let, Name};

/// The editions of the language that this version reads.
const EDITIONS: [u32; 1] = [2026];

impl<'a> Checker<'a> {
    /// Checks a file; nothing when a part of it is broken. Errors in its parts are found all the same.
    pub(super) fn file(&mut self, unit: Unit<'a>) -> Option<Checked> {
        let file = unit.file;
        self.begin(file.source);
        self.editions(file);
        self.import(unit);
        self.definitions(&file.items);
        let agent = self.agents(&file.items);
        let is_broken = file.items.iter().any(|item| matches!(item, Item::Broken(_)));
        let mut policies = Vec::new();
        let mut sound = !is_broken;
        for item in &file.items {
            if let Item::Policy(policy) = item {
                let policy = self.policy(policy);
                sound &= policy.is_some();
                policies.extend(policy);
            }
        }
        let tests = self.tests(&file.items, &policies);
        let uses = std::mem::take(&mut self.brought);
        sound.then_some(Checked { agent, policies, used: Vec::new(), uses, prompts: self.prompt_places(), tests })
    }

    fn editions(&mut self, file: &File) {
        let mut first: Option<&Edition> = None;
        for (at, item) in file.items.iter().enumerate() {
            let Item::Edition(edition) = item else { continue };
            // What is broken before it may be no item at all, such as a foreign comment.
            let mut before = file.items[..at].iter().filter(|item| !matches!(item, Item::Broken(_)));
            if let Some(first) = first {
                self.report(error::file::second_edition(edition.span, first.span));
            } else if let Some(item) = before.next() {
                self.report(error::file::late_edition(edition.span, place(item)));
            }
            if !EDITIONS.contains(&edition.year.node) {
                self.report(error::file::unknown_edition(edition.year));
            }
            first = first.or(Some(edition));
        }
        // A broken item without a name may be the edition.
        let may_be_broken = file.items.iter().any(|item| matches!(item, Item::Broken(broken) if broken.name.is_none()));
        if first.is_none() && !may_be_broken {
            self.report(error::file::no_edition(file.source));
        }
    }

    /// Notes all names and the values of lets.
    fn definitions(&mut self, items: &'a [Item]) {
        let [mut policies, mut prompts, mut places]: [HashMap<&str, Span>; 3] = Default::default();
        let mut lets: Vec<&'a Let> = Vec::new();
        for item in items {
            match item {
                Item::Policy(policy) => {
                    self.unique("policy", &policy.name, &mut policies);
                    self.define(Kind::Policy, &policy.name);
                    self.define_policy(policy);
                }
                Item::Prompt(prompt) => {
                    self.unique("prompt", &prompt.name, &mut prompts);
                    self.define(Kind::Prompt, &prompt.name);
                    self.prompts.insert(&prompt.name.node, Some(&prompt.text));
                }
                Item::Let(one) => {
                    self.unique("`let`", &one.name, &mut places);
                    self.define(Kind::Let, &one.name);
                    if fact::find(&one.name.node).is_some() {
                        self.report(error::name::hides(&one.name));
                    }
                    self.lets.entry(&one.name.node).or_insert_with(|| {
                        lets.push(one);
                        Binding::Waiting(one)
                    });
                }
                Item::Broken(broken) => {
                    if let Some(name) = &broken.name {
                        self.lets.entry(&name.node).or_insert(Binding::Done(None));
                        self.prompts.entry(&name.node).or_insert(None);
                        self.define_broken_policy(&name.node);
                    }
                }
                Item::Edition(_) | Item::Use(_) | Item::Agent(_) | Item::Test(_) => {}
            }
        }
        self.bind(&lets);
    }

    /// Reports a name that is defined for the second time.
    pub(super) fn unique<'n>(&mut self, what: &str, name: &'n Name, seen: &mut HashMap<&'n str, Span>) {
        match seen.get(name.node.as_str()) {
            Some(first) => self.report(error::name::twice(what, name, *first)),
            None => drop(seen.insert(&name.node, name.span)),
        }
    }

    fn agents(&mut self, items: &'a [Item]) -> Agent {
        let mut first: Option<(Span, Agent)> = None;
        for item in items {
            let Item::Agent(block) = item else { continue };
            let agent = self.agent(block);
            match &first {
                Some((span, _)) => self.report(error::name::second_agent(block.span, *span)),
                None => first = Some((block.span, agent)),
            }
        }
        match first {
            Some((span, agent)) => {
                self.define_agent(span, agent.clone());
                agent
            }
            None => self.inherited_agent(),
        }
    }

    fn policy(&mut self, policy: &'a tree::Policy) -> Option<Policy> {
        let merged = self.merged(policy);
        self.rules.clear();
        self.rules.extend(merged.broken.iter());
        self.rules
            .extend(merged.strays.iter().chain(&merged.rules).map(|piece| (piece.name.node.as_str(), piece.span)));
        // Who asks about a disabled rule is told so, and not that it is unknown.
        self.rules.extend(merged.gone.iter().map(|name| (*name, policy.span)));
        self.knows_rules = !merged.has_gaps;
        let (mut rules, mut sound) = (Vec::with_capacity(merged.rules.len()), !merged.is_broken);
        for piece in &merged.rules {
            let rule = self.rule(piece);
            sound &= rule.is_some();
            rules.extend(rule);
        }
        for piece in &merged.strays {
            drop(self.rule(piece));
        }
        self.enter(policy.span.source);
        self.asked_of_disabled(policy, &rules, &merged.disabled);
        sound.then(|| Policy {
            name: policy.name.node.clone(),
            title: merged.title.clone(),
            base: policy.base.as_ref().map(|base| base.node.clone()),
            bases: merged.bases.clone(),
            rules,
            disabled: merged.disabled.clone(),
            span: policy.span,
        })
    }

    /// Reports rules that ask about one that is disabled, at what this policy itself has written.
    fn asked_of_disabled(&mut self, policy: &tree::Policy, rules: &[Rule], disabled: &[Disabled]) {
        let is_there = |name: &SmolStr| rules.iter().any(|rule| rule.name == *name);
        let gone = |name: &SmolStr| disabled.iter().find(|one| one.rule == *name && !is_there(name));
        if disabled.is_empty() {
            return;
        }
        for rule in rules {
            for reading in rule.readings() {
                let Some(one) = reading.rules().find_map(gone) else { continue };
                if policy.span.contains(reading.span) {
                    self.report(error::compose::asks(reading.span, &one.rule, &rule.name, one.span));
                } else if policy.span.contains(one.span) {
                    self.report(error::compose::asked(one.span, &one.rule, &rule.name, reading.span));
                }
            }
        }
    }
}

/// Where an item stands.
const fn place(item: &Item) -> Span {
    match item {
        Item::Edition(item) => item.span,
        Item::Use(item) => item.span,
        Item::Agent(item) => item.span,
        Item::Let(item) => item.span,
        Item::Prompt(item) => item.span,
        Item::Policy(item) => item.span,
        Item::Test(item) => item.span,
        Item::Broken(item) => item.span,
    }
}
