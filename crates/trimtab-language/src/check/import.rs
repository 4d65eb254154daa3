//! The scope of a file: what it imports, what it defines, and the values of its lets.

use std::collections::{HashMap, HashSet};

use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Expr, ExprKind, Item, Let, Name};

use super::checked::Import;
use super::checker::Checker;
use super::error::{self, compose};
use super::host_fact::HostFact;
use super::policy::Agent;
use super::scope::{Kind, Scope};
use super::{ResolvedUse, SourceUnit};
use crate::fact;

/// Builds the scope of a file from the scopes of the files before it. Also gives what each `use` imports.
pub(super) fn scope<'a>(
    unit: SourceUnit<'a>,
    scopes: &[Scope<'a>],
    findings: &mut Vec<Diagnostic>,
) -> (Scope<'a>, Vec<Import>) {
    let mut builder = Builder {
        scope: Scope { source: unit.file.source, ..Scope::default() },
        imports: Vec::new(),
        agent_clashes: Vec::new(),
        facts: Vec::new(),
        findings,
    };
    builder.imports(unit, scopes);
    builder.definitions(&unit.file.items);
    builder.agent(&unit.file.items);
    (builder.scope, builder.imports)
}

struct Builder<'f, 'a> {
    scope: Scope<'a>,
    imports: Vec<Import>,
    /// Pairs of imported `agent` blocks: the `use` of the second, and both.
    agent_clashes: Vec<(Span, [Span; 2])>,
    /// The facts that the imported `agent` blocks declare.
    facts: Vec<HostFact>,
    findings: &'f mut Vec<Diagnostic>,
}

impl<'a> Builder<'_, 'a> {
    fn imports(&mut self, unit: SourceUnit<'a>, scopes: &[Scope<'a>]) {
        let items = unit.file.items.iter().filter_map(|item| match item {
            Item::Use(item) => Some(item),
            _ => None,
        });
        for (item, used) in items.zip(unit.uses) {
            match used {
                ResolvedUse::Unit(from) => {
                    if let Some(other) = scopes.get(*from) {
                        self.import(other, item.span);
                    }
                }
                ResolvedUse::Refused(reason) => {
                    self.findings.push(compose::refused(item.path.span, &item.path.value, reason));
                    self.scope.is_incomplete = true;
                }
                ResolvedUse::Cycle(chain) => {
                    self.findings.push(compose::use_cycle(item.path.span, chain));
                    self.scope.is_incomplete = true;
                }
            }
        }
    }

    /// Imports the names of one file.
    fn import(&mut self, other: &Scope<'a>, span: Span) {
        let scope = &mut self.scope;
        scope.is_incomplete |= other.is_incomplete;
        let mut names: Vec<SmolStr> = other.places.keys().map(|(_, name)| SmolStr::from(*name)).collect();
        names.sort_unstable();
        self.imports.push(Import { span, names, has_agent: other.agent.is_some() });
        for (&(kind, name), &place) in &other.places {
            let first = *scope.places.entry((kind, name)).or_insert(place);
            if first != place {
                let places = [(first, "defined here"), (place, "and defined here")];
                self.findings.push(compose::clash(kind.noun(), name, span, places));
            }
        }
        for (name, value) in &other.lets {
            scope.lets.entry(name).or_insert(*value);
        }
        for (name, text) in &other.prompts {
            scope.prompts.entry(name).or_insert(*text);
        }
        for (name, policy) in &other.policies {
            scope.policies.entry(name).or_insert(*policy);
        }
        scope.may_lack_facts |= other.may_lack_facts;
        scope.broken_facts.extend(other.broken_facts.iter().cloned());
        for fact in other.agent.iter().flat_map(|(_, agent)| &agent.facts) {
            match self.facts.iter().find(|known| known.name.node == fact.name.node) {
                None => self.facts.push(fact.clone()),
                Some(first) if first.is_compatible(fact) => {}
                Some(first) => self.findings.push(conflict(span, first, fact)),
            }
        }
        match (&scope.agent, &other.agent) {
            (Some((first, _)), Some((second, _))) if first != second => {
                self.agent_clashes.push((span, [*first, *second]));
            }
            (None, Some(agent)) => scope.agent = Some(agent.clone()),
            _ => {}
        }
    }

    /// Adds the definitions of the file, and evaluates its lets.
    fn definitions(&mut self, items: &'a [Item]) {
        let [mut policies, mut prompts, mut constants]: [HashMap<&str, Span>; 3] = Default::default();
        let mut lets: Vec<&'a Let> = Vec::new();
        for item in items {
            match item {
                Item::Policy(policy) => {
                    self.report_duplicate("policy", &policy.name, &mut policies);
                    self.define(Kind::Policy, &policy.name);
                    self.scope.policies.entry(&policy.name.node).or_insert(Some(policy));
                }
                Item::Prompt(prompt) => {
                    self.report_duplicate("prompt", &prompt.name, &mut prompts);
                    self.define(Kind::Prompt, &prompt.name);
                    self.scope.prompts.insert(&prompt.name.node, Some(&prompt.text));
                }
                Item::Let(constant) => {
                    self.report_duplicate("`let`", &constant.name, &mut constants);
                    self.define(Kind::Let, &constant.name);
                    if fact::find(&constant.name.node).is_some() {
                        self.findings.push(error::name::shadows_fact(&constant.name));
                    }
                    // An imported or an earlier let of this name stays in scope.
                    self.scope.lets.entry(&constant.name.node).or_insert_with(|| {
                        lets.push(constant);
                        None
                    });
                }
                Item::Broken(broken) => {
                    if let Some(name) = &broken.name {
                        self.scope.lets.entry(&name.node).or_insert(None);
                        self.scope.prompts.entry(&name.node).or_insert(None);
                        self.scope.policies.entry(&name.node).or_insert(None);
                    }
                }
                Item::Edition(_) | Item::Use(_) | Item::Agent(_) | Item::Test(_) => {}
            }
        }
        self.evaluate(&lets);
    }

    /// Reports a name that the file defines twice.
    fn report_duplicate(&mut self, what: &str, name: &'a Name, seen: &mut HashMap<&'a str, Span>) {
        match seen.get(name.node.as_str()) {
            Some(first) => self.findings.push(error::name::duplicate(what, name, *first)),
            None => drop(seen.insert(&name.node, name.span)),
        }
    }

    /// Records the span of a definition, and reports it if it is also imported.
    fn define(&mut self, kind: Kind, name: &'a Name) {
        let first = *self.scope.places.entry((kind, &name.node)).or_insert(name.span);
        // A second definition in the same file has been reported.
        if first.source != name.span.source {
            let places = [(name.span, "defined here"), (first, "imported from here")];
            self.findings.push(compose::clash(kind.noun(), &name.node, name.span, places));
        }
    }

    /// Evaluates lets, each after those that its value names.
    fn evaluate(&mut self, lets: &[&'a Let]) {
        let mut order = Order {
            lets: lets.iter().map(|constant| (constant.name.node.as_str(), *constant)).collect(),
            ..Order::default()
        };
        for constant in lets {
            order.visit(constant);
        }
        self.findings.append(&mut order.cycles);
        for item in order.sorted {
            let mut checker = Checker::new(&self.scope, &[]);
            let value = checker.constant(&item.value).map(|constant| (constant, item.value.span));
            self.findings.append(&mut checker.findings);
            self.scope.lets.insert(&item.name.node, value);
        }
    }

    /// Checks the `agent` blocks of the file. The first one replaces any that is imported.
    fn agent(&mut self, items: &'a [Item]) {
        let mut first: Option<(Span, Agent)> = None;
        for item in items {
            let Item::Agent(block) = item else { continue };
            let mut checker = Checker::new(&self.scope, &[]);
            let (agent, mut broken) = checker.agent(block);
            self.findings.append(&mut checker.findings);
            self.scope.broken_facts.append(&mut broken);
            match &first {
                Some((span, _)) => self.findings.push(error::name::second_agent(block.span, *span)),
                None => first = Some((block.span, agent)),
            }
        }
        // A declaration may be in a part that could not be parsed.
        self.scope.may_lack_facts |=
            items.iter().any(|item| matches!(item, Item::Broken(broken) if broken.name.is_none()));
        if let Some((span, mut agent)) = first {
            self.add_imported_facts(&mut agent);
            self.scope.agent = Some((span, agent));
        } else {
            let clashes = self.agent_clashes.iter().map(|(span, both)| compose::two_agents(*span, *both));
            self.findings.extend(clashes);
        }
    }
}

impl Builder<'_, '_> {
    /// Adds the facts that imported files declare, since the rules there read them.
    fn add_imported_facts(&mut self, agent: &mut Agent) {
        for imported in &self.facts {
            match agent.fact(&imported.name.node) {
                None => agent.facts.push(imported.clone()),
                Some(own) if own.is_compatible(imported) => {}
                Some(own) => self.findings.push(conflict(own.name.span, imported, own)),
            }
        }
    }
}

/// Two declarations of a fact that do not agree, reported at `span`.
fn conflict(span: Span, first: &HostFact, second: &HostFact) -> Diagnostic {
    let places = [first, second].map(|fact| (fact.name.span, fact.declared_type()));
    error::host_fact::conflict(span, &second.name.node, places)
}

/// Lets in an order in which each follows those that its value names.
#[derive(Default)]
struct Order<'a> {
    lets: HashMap<&'a str, &'a Let>,
    visited: HashSet<&'a str>,
    sorted: Vec<&'a Let>,
    cycles: Vec<Diagnostic>,
}

/// A let whose dependencies are being visited: those that are left, the next one last.
struct OpenLet<'a> {
    item: &'a Let,
    left: Vec<(&'a str, Span)>,
}

impl<'a> OpenLet<'a> {
    fn new(item: &'a Let) -> Self {
        let mut left = Vec::new();
        named_in(&item.value, &mut left);
        left.reverse();
        Self { item, left }
    }
}

impl<'a> Order<'a> {
    /// Adds a let after those that it depends on. Without recursion: a chain of lets can be as long as the file.
    fn visit(&mut self, item: &'a Let) {
        if !self.visited.insert(&item.name.node) {
            return;
        }
        let mut open = vec![OpenLet::new(item)];
        let mut open_names = HashSet::from([item.name.node.as_str()]);
        while let Some(last) = open.last_mut() {
            let Some((name, span)) = last.left.pop() else {
                let Some(done) = open.pop() else { break };
                open_names.remove(done.item.name.node.as_str());
                self.sorted.push(done.item);
                continue;
            };
            let Some(other) = self.lets.get(name).copied() else { continue };
            if open_names.contains(name) {
                self.cycles.push(error::name::cycle(other.name.span, span, name));
            } else if self.visited.insert(&other.name.node) {
                open_names.insert(&other.name.node);
                open.push(OpenLet::new(other));
            }
        }
    }
}

/// The names that the value of a constant expression depends on.
fn named_in<'a>(expr: &'a Expr, names: &mut Vec<(&'a str, Span)>) {
    match &expr.kind {
        ExprKind::Name(name) => names.push((name, expr.span)),
        ExprKind::Of(share, whole) => {
            named_in(share, names);
            named_in(whole, names);
        }
        _ => {}
    }
}
