//! Inheritance: the rules of a policy's base, overridden, disabled, reordered and extended.
//!
//! This works on syntax trees. The result has the clauses of each rule, which may come from several files.

use std::collections::HashMap;
use std::rc::Rc;

use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::{Span, Spanned};
use trimtab_syntax::syntax::tree::{Clause, ClauseKind, Disable, Name, Order, Policy, PolicyItem, Rule};

use super::clause;
use super::error::compose as error;
use super::policy::{Disabled, Origin};
use super::scope::{Named, Scope, scope_of};

/// The longest chain of `extends`.
const MAX_BASES: usize = 64;

/// A policy with what it inherits.
#[derive(Clone, Default)]
pub(super) struct Merged<'a> {
    /// Its description, or that of its base.
    pub(super) title: Option<String>,
    /// The policies that it extends, directly or through others, the nearest first.
    pub(super) bases: Vec<Spanned<SmolStr>>,
    /// Its rules in order.
    pub(super) rules: Vec<ComposedRule<'a>>,
    /// The disabled rules.
    pub(super) disabled: Vec<Disabled>,
    /// The names of the disabled rules.
    pub(super) removed: Vec<&'a str>,
    /// Rules that are not part of the policy because of an error. They are checked all the same.
    pub(super) strays: Vec<ComposedRule<'a>>,
    /// The names of rules that could not be parsed.
    pub(super) broken: HashMap<&'a str, Span>,
    /// Whether the name of a rule may be missing.
    pub(super) has_gaps: bool,
    /// Whether something could not be parsed or found.
    pub(super) is_broken: bool,
}

/// A rule with its resulting clauses.
#[derive(Clone)]
pub(super) struct ComposedRule<'a> {
    pub(super) name: &'a Name,
    pub(super) span: Span,
    pub(super) sealed: Option<Span>,
    pub(super) clauses: Vec<&'a Clause>,
    pub(super) origin: Origin,
    /// Whether it overrides a rule that is unknown.
    pub(super) orphan: bool,
}

/// A `before` or `after` in the policy.
struct Placement<'a> {
    order: &'a Order,
    /// The index of the inherited rule that it names.
    target: usize,
    /// The rule that is placed: an inherited or a new one.
    what: Placed<'a>,
}

enum Placed<'a> {
    Moved(usize),
    New(ComposedRule<'a>),
}

/// A policy while its items are applied to its base.
struct Build<'a> {
    policy: &'a Policy,
    base: SmolStr,
    merged: Merged<'a>,
    /// The index of each inherited rule by name.
    index: HashMap<&'a str, usize>,
    /// Which of them are disabled.
    removed: Vec<bool>,
    /// Which of them are overridden.
    changed: Vec<bool>,
    placements: Vec<Placement<'a>>,
    new: Vec<ComposedRule<'a>>,
    /// The names of the rules that the policy defines or changes.
    named: HashMap<&'a str, Span>,
}

/// Resolves `extends`, and remembers the policies that are resolved already.
#[derive(Default)]
pub(super) struct Composer<'a> {
    merged: HashMap<Span, Rc<Merged<'a>>>,
    /// The policies whose bases are being resolved.
    chain: Vec<&'a Policy>,
    /// What was found.
    pub(super) findings: Vec<Diagnostic>,
}

impl<'a> Composer<'a> {
    fn report(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    fn fail<T>(&mut self, finding: Diagnostic) -> Option<T> {
        self.findings.push(finding);
        None
    }

    /// A policy with all that it inherits. `scopes` are the names in scope in each file.
    pub(super) fn merged(&mut self, policy: &'a Policy, scopes: &[Scope<'a>]) -> Rc<Merged<'a>> {
        if let Some(merged) = self.merged.get(&policy.span) {
            return Rc::clone(merged);
        }
        self.chain.push(policy);
        let mut merged = match &policy.base {
            Some(base) => self.base(base, policy, scopes),
            None => Merged::default(),
        };
        self.chain.pop();
        // They have been checked with the base.
        merged.strays.clear();
        let index = merged.rules.iter().enumerate().map(|(at, composed)| (composed.name.node.as_str(), at)).collect();
        let count = merged.rules.len();
        let base = policy.base.as_ref().map(|base| base.node.clone()).unwrap_or_default();
        let mut build = Build {
            policy,
            base,
            merged,
            index,
            removed: vec![false; count],
            changed: vec![false; count],
            placements: Vec::new(),
            new: Vec::with_capacity(policy.items.len()),
            named: HashMap::with_capacity(policy.items.len()),
        };
        for item in &policy.items {
            match item {
                PolicyItem::Rule(rule) => self.add_rule(rule, &mut build),
                PolicyItem::Disable(disable) => self.disable(disable, &mut build),
                PolicyItem::Broken(broken) => {
                    build.merged.is_broken = true;
                    match &broken.name {
                        Some(name) => drop(build.merged.broken.insert(&name.node, name.span)),
                        None => build.merged.has_gaps = true,
                    }
                }
            }
        }
        let merged = Rc::new(self.placed(build));
        self.merged.insert(policy.span, Rc::clone(&merged));
        merged
    }

    /// What a policy inherits from its base.
    fn base(&mut self, base: &'a Name, policy: &'a Policy, scopes: &[Scope<'a>]) -> Merged<'a> {
        let unknown = Merged { has_gaps: true, is_broken: true, ..Merged::default() };
        let Some(scope) = scope_of(scopes, policy.span.source) else { return unknown };
        let found = match scope.policy(&base.node) {
            Named::Defined(found) => found,
            Named::Unknown => return unknown,
            Named::Undefined => {
                let others = scope.policy_names().into_iter().filter(|name| *name != policy.name.node);
                self.report(error::unknown_base(base, others));
                return unknown;
            }
        };
        if let Some(at) = self.chain.iter().position(|link| link.span == found.span) {
            let chain = self.chain[at..].iter().chain([&found]).map(|link| link.name.node.as_str());
            let chain: Vec<&str> = chain.collect();
            self.report(error::base_cycle(base.span, &chain));
            return unknown;
        }
        if self.chain.len() > MAX_BASES {
            self.report(error::too_many_bases(base.span, MAX_BASES));
            return unknown;
        }
        let merged = self.merged(found, scopes);
        // The bases of a base that stands before it are merged by now and not in the chain.
        if merged.bases.len() >= MAX_BASES {
            self.report(error::too_many_bases(base.span, MAX_BASES));
            return unknown;
        }
        let mut merged = Rc::unwrap_or_clone(merged);
        merged.bases.insert(0, Spanned::new(found.name.node.clone(), found.name.span));
        merged
    }

    fn add_rule(&mut self, rule: &'a Rule, build: &mut Build<'a>) {
        if !self.once(&rule.name, rule.overrides.is_some(), &mut build.named) {
            let composed = self.composed(rule, build.policy, true);
            build.merged.strays.push(composed);
            return;
        }
        if let Some(word) = rule.overrides {
            return self.overriding(rule, word, build);
        }
        let composed = self.composed(rule, build.policy, false);
        if let Some(&at) = build.index.get(rule.name.node.as_str()) {
            let place = build.merged.rules[at].name.span;
            self.report(error::has_already(&rule.name, rule.span, &build.base, place));
            build.merged.strays.push(composed);
            return;
        }
        match rule.order.as_ref().and_then(|order| Some((order, self.anchor(order, build)?))) {
            Some((order, target)) => build.placements.push(Placement { order, target, what: Placed::New(composed) }),
            None => build.new.push(composed),
        }
    }

    /// Records that the policy defines or changes a rule; reports the second time.
    fn once(&mut self, name: &'a Name, changes: bool, named: &mut HashMap<&'a str, Span>) -> bool {
        match named.get(name.node.as_str()) {
            Some(first) => self.fail::<()>(error::repeated(name, *first, changes)).is_some(),
            None => named.insert(&name.node, name.span).is_none(),
        }
    }

    fn composed(&mut self, rule: &'a Rule, policy: &Policy, orphan: bool) -> ComposedRule<'a> {
        let clauses = clause::own_clauses(rule, &mut self.findings);
        for clause in &clauses {
            if let (ClauseKind::No(word), None) = (&clause.kind, rule.overrides) {
                let why = "only a rule with `override` inherits clauses";
                self.report(error::no_clause(clause.span, &word.node, &why, None));
            }
        }
        let origin = Origin { policy: policy.name.node.clone(), overrides: Vec::new(), placed: None };
        let origin = Origin { placed: rule.order.as_ref().map(|order| order.span), ..origin };
        ComposedRule { name: &rule.name, span: rule.span, sealed: rule.sealed, clauses, origin, orphan }
    }

    fn overriding(&mut self, rule: &'a Rule, word: Span, build: &mut Build<'a>) {
        let Some(at) = self.inherited("override", word, &rule.name, build) else {
            let composed = self.composed(rule, build.policy, true);
            build.merged.strays.push(composed);
            return;
        };
        if let Some(seal) = build.merged.rules[at].sealed {
            self.report(error::sealed("overridden", rule.name.span, &rule.name.node, seal));
        }
        build.changed[at] = true;
        let own = clause::own_clauses(rule, &mut self.findings);
        let composed = &mut build.merged.rules[at];
        clause::overlay(&mut composed.clauses, &own, &mut self.findings);
        composed.origin.overrides.push(Spanned::new(build.policy.name.node.clone(), rule.span));
        composed.sealed = composed.sealed.or(rule.sealed);
        if let Some(order) = &rule.order
            && let Some(target) = self.anchor(order, build)
        {
            build.merged.rules[at].origin.placed = Some(order.span);
            build.placements.push(Placement { order, target, what: Placed::Moved(at) });
        }
    }

    fn disable(&mut self, disable: &'a Disable, build: &mut Build<'a>) {
        if !self.once(&disable.name, true, &mut build.named) {
            return;
        }
        let word = Span { end: disable.name.span.start, ..disable.span };
        let Some(at) = self.inherited("disable", word, &disable.name, build) else { return };
        let composed = &build.merged.rules[at];
        if let Some(seal) = composed.sealed {
            self.report(error::sealed("disabled", disable.name.span, &disable.name.node, seal));
        }
        build.removed[at] = true;
        build.merged.removed.push(&disable.name.node);
        build.merged.disabled.push(Disabled {
            rule: disable.name.node.clone(),
            origin: composed.origin.policy.clone(),
            policy: build.policy.name.node.clone(),
            why: disable.why.as_ref().map(|why| why.value.clone()),
            head: composed.name.span,
            span: disable.span,
        });
    }

    /// The inherited rule that `before` or `after` names.
    fn anchor(&mut self, order: &'a Order, build: &Build<'a>) -> Option<usize> {
        let word = Span { end: order.rule.span.start, ..order.span };
        self.inherited(if order.before { "before" } else { "after" }, word, &order.rule, build)
    }

    /// The inherited rule of this name; an unknown one is reported.
    fn inherited(&mut self, word: &str, place: Span, name: &'a Name, build: &Build<'a>) -> Option<usize> {
        if build.policy.base.is_none() {
            return self.fail(error::no_base(place, word, &build.policy.name));
        }
        let found = build.index.get(name.node.as_str()).copied();
        if found.is_some() || build.merged.has_gaps || build.merged.broken.contains_key(name.node.as_str()) {
            return found;
        }
        let what = match word {
            "before" | "after" => "place this next to",
            word => word,
        };
        if let Some(removed) = build.merged.disabled.iter().find(|disabled| disabled.rule == name.node) {
            return self.fail(error::disabled_before(what, name, &removed.policy, removed.span));
        }
        let is_own = |item: &PolicyItem| matches!(item, PolicyItem::Rule(rule) if rule.name.node == name.node && rule.overrides.is_none());
        if what == "place this next to" && build.policy.items.iter().any(is_own) {
            return self.fail(error::own_rule(name));
        }
        let rules = build.merged.rules.iter().map(|composed| composed.name.node.as_str());
        self.fail(error::not_inherited(what, name, &build.base, rules))
    }

    /// Puts the rules in order.
    fn placed(&mut self, build: Build<'a>) -> Merged<'a> {
        let Build { mut merged, policy, removed, changed, placements, new, .. } = build;
        if let Some(title) = &policy.title {
            merged.title = Some(title.value.clone());
        }
        if placements.is_empty() && !removed.contains(&true) {
            merged.rules.extend(new);
            return merged;
        }
        let mut rules: Vec<Option<ComposedRule<'a>>> =
            std::mem::take(&mut merged.rules).into_iter().map(Some).collect();
        let mut around: HashMap<(usize, bool), Vec<OrderedRule<'a>>> = HashMap::new();
        for placement in placements {
            let (composed, base) = match placement.what {
                Placed::Moved(at) if at == placement.target => continue,
                Placed::Moved(at) => (rules[at].take(), Some(at)),
                Placed::New(composed) => (Some(composed), None),
            };
            let lines = around.entry((placement.target, placement.order.before)).or_default();
            lines.extend(composed.map(|composed| OrderedRule { composed, base, order: Some(placement.order) }));
        }
        let mut lines: Vec<OrderedRule<'a>> = Vec::with_capacity(rules.len() + new.len());
        for (at, composed) in rules.into_iter().enumerate() {
            lines.extend(around.remove(&(at, true)).into_iter().flatten());
            lines.extend(composed.map(|composed| OrderedRule { composed, base: Some(at), order: None }));
            lines.extend(around.remove(&(at, false)).into_iter().flatten());
        }
        lines.extend(new.into_iter().map(|composed| OrderedRule { composed, base: None, order: None }));
        self.guard_seals(&lines, &changed, &removed);
        let stays = |line: &OrderedRule<'_>| line.base.is_none_or(|at| !removed[at]);
        merged.rules = lines.into_iter().filter(stays).map(|line| line.composed).collect();
        merged
    }

    /// Reports rules that are newly placed before a sealed inherited rule.
    fn guard_seals(&mut self, lines: &[OrderedRule<'a>], changed: &[bool], removed: &[bool]) {
        let mut first: Option<(usize, &Name, Span)> = None;
        for line in lines.iter().rev() {
            if let (Some(order), Some((sealed, name, seal))) = (line.order, first)
                && line.base.is_none_or(|at| sealed < at)
            {
                self.findings.push(error::before_sealed(order.span, &line.composed.name.node, &name.node, seal));
            }
            // A change of the sealed rule itself has been reported.
            if let (Some(at), Some(seal)) = (line.base, line.composed.sealed)
                && !changed[at]
                && !removed[at]
                && first.is_none_or(|(sealed, ..)| at < sealed)
            {
                first = Some((at, line.composed.name, seal));
            }
        }
    }
}

/// A rule in the final order.
struct OrderedRule<'a> {
    composed: ComposedRule<'a>,
    /// Its index in the base; `None` for a new rule.
    base: Option<usize>,
    /// The `before` or `after` that placed it.
    order: Option<&'a Order>,
}
