//! Pest's nodes into policies, rules and clauses.

use super::build::{Builder, span_of};
use super::cursor::Cursor;
use super::error;
use super::expected::Place;
use super::lexeme;
use super::parse::{Pair, Rule};
use super::tree::{
    Broken, Clause, ClauseKind, Disable, EffectCall, Item, Name, Order, Policy, PolicyItem, Rule as RuleNode, Text,
};
use crate::source::Span;

/// What the head of a policy says; the name is missing when the head could not be read.
#[derive(Default)]
struct Head {
    name: Option<Name>,
    title: Option<Text>,
    base: Option<Name>,
}

impl Builder<'_> {
    /// A policy, and items that stand in it by mistake.
    pub(super) fn policy(&mut self, pair: Pair<'_>, items: &mut Vec<Item>) {
        let mut span = self.trim(self.span(&pair));
        let mut cursor = Cursor::inside(pair);
        let head = self.policy_head(&mut cursor, span);
        let (mut inside, mut strays, mut end) = (Vec::new(), Vec::new(), None);
        while let Some(pair) = cursor.bump() {
            match pair.as_rule() {
                Rule::rule_item => inside.push(self.rule(pair)),
                Rule::disable => inside.push(self.disable(pair)),
                Rule::broken_rule => self.broken_rule(&pair, &mut inside),
                Rule::closing | Rule::unclosed => end = Some(pair),
                _ => strays.push(self.plain_item(pair)),
            }
        }
        let open = end.as_ref().is_none_or(|end| end.as_rule() == Rule::unclosed);
        let culprit = open.then(|| self.greedy(&inside)).flatten();
        match culprit {
            Some(rule) => {
                self.unclosed(rule, "rule");
                span.end = rule.end;
            }
            None => self.closed(end.as_ref(), span, "policy"),
        }
        if !open {
            for stray in &strays {
                let found = lexeme::next(self.text, span_of(stray).start as usize);
                let found = found.map(|word| error::misplaced(self.at(word.start, word.end()), word.text));
                self.diagnostics.extend(found);
            }
        }
        items.push(match head.name {
            Some(name) => Item::Policy(Policy { name, title: head.title, base: head.base, items: inside, span }),
            None => Item::Broken(Broken { name: None, span }),
        });
        items.extend(strays);
    }

    fn policy_head(&mut self, cursor: &mut Cursor<'_>, span: Span) -> Head {
        if let Some(broken) = cursor.take(Rule::broken_head) {
            let stretch = self.at(span.start as usize, self.span(&broken).end as usize);
            let name = self.broken_head(stretch, Rule::policy_head_alone, Place::PolicyHead);
            return Head { name, ..Head::default() };
        }
        let mut head = Head { name: cursor.take(Rule::name).map(|name| self.name(&name)), ..Head::default() };
        if let Some(title) = cursor.take(Rule::text).or_else(|| cursor.take(Rule::block)) {
            head.title = Some(self.text(&title));
        }
        if let Some(base) = cursor.take(Rule::base) {
            head.base = Cursor::inside(base).bump().map(|name| self.name(&name));
        }
        if cursor.take(Rule::opening).is_none()
            && let Some(missing) = cursor.take(Rule::unopened_policy)
        {
            let line = self.head(span.start as usize);
            self.diagnostics.push(error::unopened(line, self.span(&missing), "policy"));
        }
        head
    }

    /// The last rule of a policy, when it is closed by a brace at the start of a line that was meant for the policy.
    fn greedy(&self, items: &[PolicyItem]) -> Option<Span> {
        let (PolicyItem::Rule(RuleNode { span, .. }) | PolicyItem::Broken(Broken { span, .. })) = items.last()? else {
            return None;
        };
        let first = |at: usize| at == 0 || self.text[..at].ends_with('\n');
        let end = span.end as usize;
        (self.text[..end].ends_with("\n}") && !first(span.start as usize)).then_some(*span)
    }

    fn disable(&mut self, pair: Pair<'_>) -> PolicyItem {
        let span = self.span(&pair);
        let mut cursor = Cursor::inside(pair);
        let name = cursor.take(Rule::name).map(|name| self.name(&name));
        let why = cursor.bump().map(|why| self.text(&why));
        match name {
            Some(name) => PolicyItem::Disable(Disable { name, why, span }),
            None => PolicyItem::Broken(Broken { name: None, span }),
        }
    }

    /// A rule.
    fn rule(&mut self, pair: Pair<'_>) -> PolicyItem {
        let span = self.trim(self.span(&pair));
        let mut cursor = Cursor::inside(pair);
        let sealed = cursor.take(Rule::sealed).map(|word| self.span(&word));
        let overrides = cursor.take(Rule::overriding).map(|word| self.span(&word));
        let name = match cursor.take(Rule::broken_head) {
            Some(broken) => {
                let stretch = self.at(span.start as usize, self.span(&broken).end as usize);
                self.broken_head(stretch, Rule::rule_head_alone, Place::RuleHead)
            }
            None => cursor.take(Rule::name).map(|name| self.name(&name)),
        };
        let order = cursor.take(Rule::order).and_then(|order| self.order(order));
        self.rule_brace(&mut cursor, span);
        let clauses = self.clauses(&mut cursor);
        if let Some(end) = cursor.bump() {
            self.closed(Some(&end), span, "rule");
        }
        match name {
            Some(name) => PolicyItem::Rule(RuleNode { name, sealed, overrides, order, clauses, span }),
            None => PolicyItem::Broken(Broken { name: None, span }),
        }
    }

    fn rule_brace(&mut self, cursor: &mut Cursor<'_>, span: Span) {
        if cursor.take(Rule::opening).is_none()
            && let Some(missing) = cursor.take(Rule::unopened_rule)
        {
            let line = self.head(span.start as usize);
            self.diagnostics.push(error::unopened(line, self.span(&missing), "rule"));
        }
    }

    fn order(&mut self, pair: Pair<'_>) -> Option<Order> {
        let (span, before) = (self.span(&pair), pair.as_str().starts_with("before"));
        let rule = Cursor::inside(pair).take(Rule::name).map(|name| self.name(&name))?;
        Some(Order { before, rule, span })
    }

    /// All clauses of a rule; stops at what closes it.
    fn clauses(&mut self, cursor: &mut Cursor<'_>) -> Vec<Clause> {
        let mut clauses = Vec::<Clause>::new();
        while let Some(rule) = cursor.rule().filter(|rule| !matches!(rule, Rule::closing | Rule::unclosed_rule)) {
            let Some(pair) = cursor.bump() else { break };
            if rule == Rule::broken_clause {
                let span = self.trimmed(&pair);
                let joined = clauses.pop_if(|last| self.continues(last.span, span));
                clauses.extend(self.broken_clause(joined.map(|clause| clause.span), span));
            } else {
                clauses.push(self.clause(pair, rule));
            }
        }
        clauses
    }

    /// A clause; one whose literal has no value is broken.
    fn clause(&mut self, pair: Pair<'_>, rule: Rule) -> Clause {
        let rest = self.span(&pair);
        let start = rest.start as usize - word(rule).len();
        let (first, span) = (self.at(start, rest.start as usize), self.at(start, rest.end as usize));
        self.spoiled = false;
        let kind = self.clause_kind(&mut Cursor::inside(pair), rule).filter(|_| !self.spoiled);
        let kind = kind.unwrap_or(ClauseKind::Broken(Broken { name: None, span }));
        Clause { kind, word: first, span }
    }

    fn clause_kind(&mut self, cursor: &mut Cursor<'_>, rule: Rule) -> Option<ClauseKind> {
        Some(match rule {
            Rule::when => ClauseKind::When(self.chain(cursor)?),
            Rule::effects => ClauseKind::Do(self.effects(cursor)),
            Rule::phase => ClauseKind::On(self.name(&cursor.bump()?)),
            Rule::unless => ClauseKind::Unless(self.chain(cursor)?),
            Rule::until => ClauseKind::Until(self.chain(cursor)?),
            Rule::every => ClauseKind::Every(self.chain(cursor)?),
            Rule::cooldown => ClauseKind::Cooldown(self.chain(cursor)?),
            Rule::limit => ClauseKind::Limit(self.chain(cursor)?),
            Rule::no => ClauseKind::No(self.name(&cursor.bump()?)),
            Rule::once => match cursor.bump() {
                None => ClauseKind::Once,
                Some(per) if per.as_rule() == Rule::once_per => {
                    ClauseKind::OncePer(self.chain(&mut Cursor::inside(per))?)
                }
                Some(until) => ClauseKind::OnceUntil(self.chain(&mut Cursor::inside(until))?),
            },
            Rule::on_failure => {
                self.filling = true;
                let terms = self.terms(cursor);
                self.filling = false;
                ClauseKind::OnFailure(terms, self.effects(cursor).into_iter().next())
            }
            _ => return None,
        })
    }

    fn effects(&mut self, cursor: &mut Cursor<'_>) -> Vec<EffectCall> {
        self.filling = true;
        let mut effects = Vec::with_capacity(1);
        while let Some(pair) = cursor.take(Rule::effect) {
            let span = self.span(&pair);
            let mut inner = Cursor::inside(pair);
            let Some(name) = inner.bump().map(|name| self.name(&name)) else { break };
            effects.push(EffectCall { name, terms: self.terms(&mut inner), span });
        }
        self.filling = false;
        effects
    }
}

/// The word before a clause's node.
const fn word(rule: Rule) -> &'static str {
    match rule {
        Rule::when => "when",
        Rule::effects => "do",
        Rule::phase => "on",
        Rule::unless => "unless",
        Rule::until => "until",
        Rule::every => "every",
        Rule::cooldown => "cooldown",
        Rule::limit => "limit",
        Rule::no => "no",
        Rule::once => "once",
        Rule::on_failure => "on_failure",
        _ => "",
    }
}
