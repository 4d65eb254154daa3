//! Checks the items of a file: edition, definitions, policies, and items that this version does not support.

use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{self, Edition, File, Item};

use super::checked::{CheckedFile, Import};
use super::checker::Checker;
use super::compose::{Composer, Merged};
use super::error;
use super::policy::{Disabled, Policy, Rule};
use super::scope::Scope;

/// The editions of the language that this version reads.
const EDITIONS: [u32; 1] = [2026];

/// Checks a file whose scope is the last one. Gives nothing when a part of it is broken; errors in the other parts are
/// reported all the same.
pub(super) fn check<'a>(
    file: &'a File,
    imports: Vec<Import>,
    scopes: &[Scope<'a>],
    composer: &mut Composer<'a>,
    findings: &mut Vec<Diagnostic>,
) -> Option<CheckedFile> {
    let scope = scopes.last()?;
    let mut checker = Checker::new(scope, scopes);
    checker.editions(file);
    let mut policies = Vec::new();
    let mut sound = file.items.iter().all(|item| !matches!(item, Item::Broken(_)));
    for item in &file.items {
        if let Item::Policy(policy) = item {
            let policy = checker.policy(policy, &composer.merged(policy, scopes));
            sound &= policy.is_some();
            policies.extend(policy);
        }
    }
    checker.enter(file.source);
    let tests = checker.tests(&file.items, &policies);
    findings.append(&mut composer.findings);
    findings.append(&mut checker.findings);
    let agent = scope.agent.as_ref().map(|(_, agent)| agent.clone()).unwrap_or_default();
    let prompts = scope.prompt_places();
    sound.then_some(CheckedFile { agent, policies, used: Vec::new(), uses: imports, prompts, tests })
}

impl<'a> Checker<'_, 'a> {
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

    fn policy(&mut self, policy: &'a tree::Policy, merged: &Merged<'a>) -> Option<Policy> {
        let pieces = merged.strays.iter().chain(&merged.rules).map(|piece| (piece.name.node.as_str(), piece.span));
        let broken = merged.broken.iter().map(|(name, span)| (*name, *span));
        // Disabled rules are known too: naming one is a different error.
        let disabled = merged.removed.iter().map(|name| (*name, policy.span));
        self.rules = (!merged.has_gaps).then(|| broken.chain(pieces).chain(disabled).collect());
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
        self.report_references_to_disabled(policy, &rules, &merged.disabled);
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
    fn report_references_to_disabled(&mut self, policy: &tree::Policy, rules: &[Rule], disabled: &[Disabled]) {
        let is_there = |name: &SmolStr| rules.iter().any(|rule| rule.name == *name);
        let gone = |name: &SmolStr| disabled.iter().find(|disabled| disabled.rule == *name && !is_there(name));
        if disabled.is_empty() {
            return;
        }
        for rule in rules {
            for reading in rule.readings() {
                let Some(disabled_rule) = reading.rules().find_map(gone) else { continue };
                if policy.span.contains(reading.span) {
                    self.report(error::compose::refers_to_disabled(
                        reading.span,
                        &disabled_rule.rule,
                        &rule.name,
                        disabled_rule.span,
                    ));
                } else if policy.span.contains(disabled_rule.span) {
                    self.report(error::compose::disables_referenced(
                        disabled_rule.span,
                        &disabled_rule.rule,
                        &rule.name,
                        reading.span,
                    ));
                }
            }
        }
    }
}

/// The span of an item.
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
