//! `name-style`

use std::collections::{HashMap, HashSet};

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Expr, ExprKind, Item, Let, Policy, PolicyItem, Prompt, Term, TermKind};
use trimtab_syntax::syntax::walk::{self, Visitor};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("name-style", Severity::Info, include_str!("name_style.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// The places of each name, of whatever kind it is there.
#[derive(Default)]
struct Uses<'t> {
    places: HashMap<&'t str, Vec<Span>>,
    /// Names in lists and in `has_tool`, which may be tools.
    tools: HashSet<&'t str>,
}

impl<'t> Uses<'t> {
    fn add(&mut self, name: &'t str, span: Span) {
        self.places.entry(name).or_default().push(span);
    }

    fn list(&mut self, terms: &'t [Term]) {
        self.tools.extend(terms.iter().filter_map(|term| match &term.kind {
            TermKind::Word(word) => Some(word.as_str()),
            _ => None,
        }));
    }

    fn policy(&mut self, policy: &'t Policy) {
        self.add(&policy.name.node, policy.name.span);
        if let Some(base) = &policy.base {
            self.add(&base.node, base.span);
        }
        for item in &policy.items {
            match item {
                PolicyItem::Rule(rule) => {
                    self.add(&rule.name.node, rule.name.span);
                    if let Some(order) = &rule.order {
                        self.add(&order.rule.node, order.rule.span);
                    }
                }
                PolicyItem::Disable(disabled) => self.add(&disabled.name.node, disabled.name.span),
                PolicyItem::Broken(_) => {}
            }
        }
    }
}

impl<'t> Visitor<'t> for Uses<'t> {
    fn expression(&mut self, expr: &'t Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.add(name, expr.span),
            ExprKind::Call(fact, arguments) if fact.node.ends_with("_tool") => {
                self.tools.extend(arguments.iter().filter_map(|argument| match &argument.value.kind {
                    ExprKind::Name(name) => Some(name.as_str()),
                    _ => None,
                }));
            }
            ExprKind::List(terms) => self.list(terms),
            _ => {}
        }
    }

    fn term(&mut self, term: &'t Term) {
        match &term.kind {
            TermKind::Word(word) => self.add(word, term.span),
            TermKind::List(terms) => self.list(terms),
            _ => {}
        }
    }
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if !subject.is_policy_source() {
        return;
    }
    let mut uses = Uses::default();
    let mut names: Vec<(&str, Span)> = Vec::new();
    for item in &subject.file.items {
        match item {
            Item::Let(item) => names.push((&item.name.node, item.name.span)),
            Item::Prompt(prompt) => names.push((&prompt.name.node, prompt.name.span)),
            Item::Policy(policy) => {
                names.push((&policy.name.node, policy.name.span));
                names.extend(policy.items.iter().filter_map(|item| match item {
                    PolicyItem::Rule(rule) => Some((rule.name.node.as_str(), rule.name.span)),
                    _ => None,
                }));
                uses.policy(policy);
            }
            _ => continue,
        }
        if let Item::Let(Let { name, .. }) | Item::Prompt(Prompt { name, .. }) = item {
            uses.add(&name.node, name.span);
        }
    }
    if names.iter().all(|(name, _)| snake(name) == *name) {
        return;
    }
    walk::file(subject.file, &mut uses);
    for (name, span) in names {
        let wanted = snake(name);
        if wanted != name {
            findings.push(renamed(&uses, name, span, &wanted));
        }
    }
}

fn renamed(uses: &Uses<'_>, name: &str, span: Span, wanted: &str) -> Diagnostic {
    let message = format!("`{name}` is not in snake case");
    let mut finding = LINT.finding(span, message, format!("in snake case: `{wanted}`"));
    let places = uses.places.get(name).map(Vec::as_slice).unwrap_or_default();
    let free = !uses.tools.contains(name)
        && !wanted.is_empty()
        && !uses.places.contains_key(wanted)
        && wanted.starts_with(|operator: char| operator.is_ascii_lowercase());
    if free {
        let edits = places.iter().map(|span| TextEdit { span: *span, text: wanted.to_owned() }).collect();
        finding.fixes.push(Fix::new(format!("rename it to `{wanted}` in this file"), false, edits));
    }
    finding
}

/// A name in snake case.
fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = '_';
    let chars: Vec<char> = name.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let next_small = chars.get(at + 1).is_some_and(char::is_ascii_lowercase);
        let starts = c.is_ascii_uppercase() && (!before.is_ascii_uppercase() || next_small);
        if (starts || c == '_') && !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        if c != '_' {
            out.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    out.trim_end_matches('_').to_owned()
}
