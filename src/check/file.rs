//! A whole file: what it defines, in which order, and its policies.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::error;
use super::policy::{Agent, Checked, Policy};
use super::scope::Scope;
use crate::diagnostic::{Diagnostic, Severity};
use crate::fact;
use crate::source::Span;
use crate::syntax::tree::{self, File, Item, Name, PolicyItem};

/// The edition of the language.
const EDITION: u32 = 2026;

/// Checks a file. A checked file comes back only when no error was found in it.
pub fn check(file: &File) -> (Option<Checked>, Vec<Diagnostic>) {
    let mut scope = Scope::default();
    scope.editions(file);
    scope.define(file);
    let agent = scope.agent_block(file);
    for item in &file.items {
        if let Item::Let(one) = item {
            scope.value(&one.name.node);
        }
    }
    let policies: Vec<Option<Policy>> = file
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Policy(policy) => Some(scope.policy(policy)),
            _ => None,
        })
        .collect();
    let broken = file.items.iter().any(|item| matches!(item, Item::Broken(_)));
    let wrong = broken || scope.found.iter().any(|one| one.severity == Severity::Error);
    let policies: Option<Vec<Policy>> = policies.into_iter().collect();
    (policies.filter(|_| !wrong).map(|policies| Checked { agent, policies }), scope.found)
}

impl<'a> Scope<'a> {
    fn editions(&mut self, file: &File) {
        let mut editions = file.items.iter().enumerate().filter_map(|(at, item)| match item {
            Item::Edition(edition) => Some((at, edition)),
            _ => None,
        });
        match editions.next() {
            None if file.items.is_empty() => {}
            None => self.report(error::no_edition(Span::new(file.source, 0, 0))),
            Some((at, edition)) => {
                if edition.year.node != EDITION {
                    self.report(error::unknown_edition(edition.year.span, edition.year.node));
                }
                if at > 0 {
                    self.report(error::misplaced(edition.span));
                }
            }
        }
        for (_, again) in editions {
            self.report(error::misplaced(again.span));
        }
    }

    /// Takes note of every name, and of what this version does not do.
    fn define(&mut self, file: &'a File) {
        let mut seen: HashMap<(&str, SmolStr), Span> = HashMap::new();
        for item in &file.items {
            match item {
                Item::Let(one) => {
                    self.once(&mut seen, "let", &one.name);
                    if fact::find(&one.name.node).is_some() {
                        self.report(error::hides_fact(one.name.span, &one.name.node));
                    }
                    self.lets.entry(one.name.node.clone()).or_insert(one);
                }
                Item::Prompt(one) => {
                    self.once(&mut seen, "prompt", &one.name);
                    self.prompts.entry(one.name.node.clone()).or_insert(&one.text);
                }
                Item::Policy(one) => self.once(&mut seen, "policy", &one.name),
                Item::Broken(one) => self.broken.extend(one.name.iter().map(|name| name.node.clone())),
                Item::Use(one) => self.report(error::not_yet(one.span, "`use`")),
                Item::Test(one) => self.report(error::kept(one.name.span, "a `test` block")),
                Item::Edition(_) | Item::Agent(_) => {}
            }
        }
    }

    fn once(&mut self, seen: &mut HashMap<(&'static str, SmolStr), Span>, what: &'static str, name: &Name) {
        if let Some(first) = seen.insert((what, name.node.clone()), name.span) {
            self.report(error::defined_twice(name.span, first, what, &name.node));
        }
    }

    fn agent_block(&mut self, file: &File) -> Agent {
        let mut blocks = file.items.iter().filter_map(|item| match item {
            Item::Agent(agent) => Some(agent),
            _ => None,
        });
        let Some(first) = blocks.next() else { return Agent::default() };
        for again in blocks {
            self.report(error::second_agent(again.span, first.span));
        }
        self.agent(first)
    }

    /// The policy that a tree stands for; none when a rule of it is wrong, which is then reported.
    fn policy(&mut self, policy: &'a tree::Policy) -> Option<Policy> {
        self.rules = policy.items.iter().filter_map(named).map(|name| name.node.clone()).collect();
        if let Some(base) = &policy.base {
            self.report(error::not_yet(base.span, "`extends`"));
        }
        let mut seen = HashMap::with_capacity(policy.items.len());
        let mut rules = Vec::with_capacity(policy.items.len());
        for item in &policy.items {
            match item {
                PolicyItem::Rule(rule) => {
                    self.once(&mut seen, "rule", &rule.name);
                    self.modifiers(rule);
                    rules.push(self.rule(rule));
                }
                PolicyItem::Disable(one) => self.report(error::not_yet(one.span, "`disable`")),
                PolicyItem::Broken(_) => rules.push(None),
            }
        }
        Some(Policy {
            name: policy.name.node.clone(),
            title: policy.title.as_ref().map(|title| title.value.clone()),
            base: policy.base.as_ref().map(|base| base.node.clone()),
            rules: rules.into_iter().collect::<Option<Vec<_>>>()?,
            span: policy.span,
        })
    }

    fn modifiers(&mut self, rule: &tree::Rule) {
        if let Some(span) = rule.sealed {
            self.report(error::kept(span, "`sealed`"));
        }
        if let Some(span) = rule.overrides {
            self.report(error::not_yet(span, "`override`"));
        }
        if let Some(order) = &rule.order {
            let what = if order.before { "`before`" } else { "`after`" };
            self.report(error::not_yet(order.span, what));
        }
    }
}

/// The name that an item of a policy defines, broken or not.
fn named(item: &PolicyItem) -> Option<&Name> {
    match item {
        PolicyItem::Rule(rule) => Some(&rule.name),
        PolicyItem::Broken(broken) => broken.name.as_ref(),
        PolicyItem::Disable(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::CODES;
    use crate::effect::EFFECTS;
    use crate::fact::FACTS;
    use crate::guard::GUARDS;
    use crate::source::{Source, SourceId};
    use crate::syntax;

    fn codes(text: &str) -> Vec<&'static str> {
        let (file, mut found) = syntax::parse(&Source::new(SourceId(0), "x.trim", text));
        found.extend(super::check(&file).1);
        found.iter().map(|one| one.code.id).collect()
    }

    #[test]
    fn each_code_is_given_by_its_wrong_text_alone_and_not_by_its_right_one() {
        for code in CODES {
            let (wrong, right) = (codes(code.wrong), codes(code.right));
            assert!(!wrong.is_empty() && wrong.iter().all(|id| *id == code.id), "{}: {wrong:?}", code.id);
            assert!(right.is_empty(), "{}: {right:?}", code.id);
        }
    }

    #[test]
    fn every_example_of_the_vocabulary_checks() {
        let rule = |clauses: String| {
            let text = format!(
                "edition 2026\nprompt handover \"Say it.\"\npolicy p {{ rule example {{ do notify \"x\" }} rule r {{ {clauses} }} }}"
            );
            assert_eq!(codes(&text), [""; 0], "{clauses}");
        };
        for example in FACTS.iter().flat_map(|fact| fact.examples) {
            rule(format!("when {example} do notify \"x\""));
        }
        for effect in EFFECTS {
            effect.examples.iter().for_each(|example| rule(format!("do {example}")));
        }
        for guard in GUARDS {
            rule(format!("when failures >= 1 do notify \"x\" {}", guard.example));
        }
    }
}
