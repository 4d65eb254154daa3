//! A file's items: edition, names that are defined, policies, and what this version does not do.

use std::collections::HashMap;

use super::error;
use super::policy::{Agent, Checked, Policy};
use super::scope::{Binding, Checker};
use crate::fact;
use crate::source::Span;
use crate::syntax::tree::{self, Edition, File, Item, Let, Name, PolicyItem};

/// The editions of the language that this version reads.
const EDITIONS: [u32; 1] = [2026];

impl<'a> Checker<'a> {
    /// Checks a file; nothing when a part of it is broken. Errors in its parts are found all the same.
    pub(super) fn file(&mut self, file: &'a File) -> Option<Checked> {
        self.editions(file);
        self.definitions(&file.items);
        self.unsupported(&file.items);
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
        sound.then_some(Checked { agent, policies, tests })
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
        let mut policies: HashMap<&str, Span> = HashMap::new();
        let (mut prompts, mut places): (HashMap<&str, Span>, HashMap<&str, Span>) = Default::default();
        let mut lets: Vec<&'a Let> = Vec::new();
        for item in items {
            match item {
                Item::Policy(policy) => self.unique("policy", &policy.name, &mut policies),
                Item::Prompt(prompt) => {
                    self.unique("prompt", &prompt.name, &mut prompts);
                    self.prompts.insert(&prompt.name.node, Some(&prompt.text));
                }
                Item::Let(one) => {
                    self.unique("`let`", &one.name, &mut places);
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
                    }
                }
                Item::Edition(_) | Item::Use(_) | Item::Agent(_) | Item::Test(_) => {}
            }
        }
        self.bind(&lets);
    }

    /// Reports a name that is defined for the second time.
    fn unique<'n>(&mut self, what: &str, name: &'n Name, seen: &mut HashMap<&'n str, Span>) {
        match seen.get(name.node.as_str()) {
            Some(first) => self.report(error::name::twice(what, name, *first)),
            None => drop(seen.insert(&name.node, name.span)),
        }
    }

    fn unsupported(&mut self, items: &[Item]) {
        for item in items {
            if let Item::Use(one) = item {
                let way_out = "copy what it holds into this file";
                self.report(error::file::not_meant(one.span, "`use` is", way_out));
            }
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
        first.map(|(_, agent)| agent).unwrap_or_default()
    }

    fn policy(&mut self, policy: &'a tree::Policy) -> Option<Policy> {
        self.rules.clear();
        self.knows_rules = policy.base.is_none();
        if let Some(base) = &policy.base {
            let way_out = format!("copy the rules of `{}` into this policy", base.node);
            self.report(error::file::not_meant(base.span, "`extends` is", &way_out));
        }
        let mut named: HashMap<&str, Span> = HashMap::with_capacity(policy.items.len());
        for item in &policy.items {
            match item {
                PolicyItem::Rule(rule) => self.unique("rule", &rule.name, &mut named),
                PolicyItem::Broken(broken) => match &broken.name {
                    Some(name) => drop(self.rules.insert(&name.node, name.span)),
                    None => self.knows_rules = false,
                },
                PolicyItem::Disable(disable) => {
                    let way_out = format!("take rule `{}` out", disable.name.node);
                    self.report(error::file::not_meant(disable.span, "`disable` is", &way_out));
                }
            }
        }
        self.rules.extend(named);
        let (mut rules, mut sound) = (Vec::with_capacity(policy.items.len()), true);
        for item in &policy.items {
            let rule = match item {
                PolicyItem::Rule(rule) => self.rule(rule),
                PolicyItem::Disable(_) | PolicyItem::Broken(_) => None,
            };
            sound &= rule.is_some();
            rules.extend(rule);
        }
        let title = policy.title.as_ref().map(|title| title.value.clone());
        let base = policy.base.as_ref().map(|base| base.node.clone());
        sound.then(|| Policy { name: policy.name.node.clone(), title, base, rules, span: policy.span })
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
