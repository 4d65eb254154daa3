//! Formats items, rules and clauses.

use trimtab_base::source::Span;

use super::document::Part;
use super::formatter::{Formatter, Gap};
use crate::syntax::Keyword;
use crate::syntax::tree::{
    Agent, Clause, ClauseKind, Disable, EffectCall, File, Item, Name, Policy, PolicyItem, Rule, Term, Test, Text,
};

impl<'t> Formatter<'t> {
    /// Formats a file.
    pub(super) fn file(mut self, file: &'t File) -> String {
        let mut gap = Gap::Tight;
        for (at, item) in file.items.iter().enumerate() {
            self.item(item, gap);
            gap = match (item, file.items.get(at + 1)) {
                (Item::Let(_), Some(Item::Let(_))) | (Item::Use(_), Some(Item::Use(_))) => Gap::Preserve,
                _ => Gap::Blank,
            };
        }
        let gap = if file.items.is_empty() { Gap::Tight } else { Gap::Preserve };
        self.leading_comments(self.text.len(), gap);
        self.writer.finish()
    }

    fn item(&mut self, item: &'t Item, gap: Gap) {
        match item {
            Item::Edition(edition) => self.statement(edition.span, gap, Keyword::Edition, |f| {
                f.space();
                f.token(edition.year.span);
            }),
            Item::Use(item) => self.statement(item.span, gap, Keyword::Use, |f| {
                f.space();
                f.literal(&item.path);
            }),
            Item::Let(item) => self.statement(item.span, gap, Keyword::Let, |f| {
                f.space();
                f.token(item.name.span);
                f.space();
                f.fixed_token("=");
                f.space();
                f.group(|f| f.expression(&item.value));
            }),
            Item::Prompt(item) => self.statement(item.span, gap, Keyword::Prompt, |f| {
                f.space();
                f.token(item.name.span);
                f.space();
                f.literal(&item.text);
            }),
            Item::Agent(item) => self.agent(item, gap),
            Item::Policy(item) => self.policy(item, gap),
            Item::Test(item) => self.test(item, gap),
            Item::Broken(item) => self.broken(item.span, gap),
        }
    }

    /// Copies a region that could not be parsed.
    fn broken(&mut self, span: Span, gap: Gap) {
        self.begin(span.start as usize, gap);
        self.verbatim(span);
        self.end();
    }

    fn agent(&mut self, agent: &'t Agent, gap: Gap) {
        self.begin(agent.span.start as usize, gap);
        self.keyword(Keyword::Agent);
        self.open();
        self.agent_fields(&agent.terms);
        self.close(agent.terms.is_empty());
    }

    fn test(&mut self, test: &'t Test, gap: Gap) {
        self.begin(test.span.start as usize, gap);
        self.keyword(Keyword::Test);
        self.indented(|f| {
            f.space();
            f.literal(&test.name);
        });
        self.open();
        for (at, statement) in test.statements.iter().enumerate() {
            let keyword = if statement.given { Keyword::Given } else { Keyword::Expect };
            self.statement(statement.span, gap_before(at), keyword, |f| {
                f.group(|f| f.statement_terms(&statement.terms));
            });
        }
        self.close(test.statements.is_empty());
    }

    fn policy(&mut self, policy: &'t Policy, gap: Gap) {
        self.begin(policy.span.start as usize, gap);
        self.keyword(Keyword::Policy);
        self.indented(|f| {
            f.space();
            f.token(policy.name.span);
            f.title(policy.title.as_ref());
            if let Some(base) = &policy.base {
                f.space();
                f.keyword(Keyword::Extends);
                f.space();
                f.token(base.span);
            }
        });
        self.open();
        let mut gap = Gap::Tight;
        for (at, item) in policy.items.iter().enumerate() {
            self.policy_item(item, gap);
            gap = match (item, policy.items.get(at + 1)) {
                (PolicyItem::Disable(_), Some(PolicyItem::Disable(_))) => Gap::Preserve,
                _ => Gap::Blank,
            };
        }
        self.close(policy.items.is_empty());
    }

    fn policy_item(&mut self, item: &'t PolicyItem, gap: Gap) {
        match item {
            PolicyItem::Rule(rule) => self.rule(rule, gap),
            PolicyItem::Disable(item) => self.disable(item, gap),
            PolicyItem::Broken(item) => self.broken(item.span, gap),
        }
    }

    fn disable(&mut self, disable: &'t Disable, gap: Gap) {
        self.statement(disable.span, gap, Keyword::Disable, |f| {
            f.space();
            f.keyword(Keyword::Rule);
            f.space();
            f.token(disable.name.span);
            f.title(disable.why.as_ref());
        });
    }

    fn title(&mut self, title: Option<&'t Text>) {
        if let Some(title) = title {
            self.space();
            self.literal(title);
        }
    }

    fn rule(&mut self, rule: &'t Rule, gap: Gap) {
        self.begin(rule.span.start as usize, gap);
        let marks = [(rule.sealed, Keyword::Sealed), (rule.overrides, Keyword::Override)];
        let marks = marks.iter().filter(|(span, _)| span.is_some()).map(|(_, keyword)| *keyword);
        let mut keywords = marks.chain([Keyword::Rule]);
        self.keyword(keywords.next().unwrap_or(Keyword::Rule));
        self.indented(|f| {
            for keyword in keywords {
                f.space();
                f.keyword(keyword);
            }
            f.space();
            f.token(rule.name.span);
            if let Some(order) = &rule.order {
                f.space();
                f.keyword(if order.before { Keyword::Before } else { Keyword::After });
                f.space();
                f.token(order.rule.span);
            }
        });
        self.open();
        for (at, clause) in rule.clauses.iter().enumerate() {
            self.clause(clause, gap_before(at));
        }
        self.close(rule.clauses.is_empty());
    }

    fn clause(&mut self, clause: &'t Clause, gap: Gap) {
        if let ClauseKind::Broken(item) = &clause.kind {
            return self.broken(item.span, gap);
        }
        self.begin(clause.span.start as usize, gap);
        self.token(clause.word);
        self.indented(|f| {
            f.clause_rest(&clause.kind);
            f.scope(clause.scope.as_ref());
        });
        self.end();
    }

    /// The part of a clause after its keyword.
    fn clause_rest(&mut self, kind: &'t ClauseKind) {
        if !matches!(kind, ClauseKind::Once) {
            self.space();
        }
        match kind {
            ClauseKind::On(name) | ClauseKind::No(name) => self.token(name.span),
            ClauseKind::OncePer(_) => self.keyword(Keyword::Per),
            ClauseKind::OnceUntil(_) => self.keyword(Keyword::Until),
            _ => {}
        }
        match kind {
            ClauseKind::When(value)
            | ClauseKind::Unless(value)
            | ClauseKind::Until(value)
            | ClauseKind::Every(value)
            | ClauseKind::Cooldown(value)
            | ClauseKind::Limit(value) => self.group(|f| f.expression(value)),
            ClauseKind::OncePer(value) | ClauseKind::OnceUntil(value) => {
                self.space();
                self.group(|f| f.expression(value));
            }
            ClauseKind::Confirm(question) => self.term(question),
            ClauseKind::Do(effects) => self.group(|f| f.effects(effects)),
            ClauseKind::OnFailure(terms, then) => self.group(|f| f.on_failure(terms, then.as_ref())),
            ClauseKind::On(_) | ClauseKind::No(_) | ClauseKind::Once | ClauseKind::Broken(_) => {}
        }
    }

    /// The scope of a guard.
    fn scope(&mut self, scope: Option<&Name>) {
        if let Some(name) = scope {
            self.space();
            self.fixed_token("in");
            self.space();
            self.token(name.span);
        }
    }

    /// Effects joined with `then`.
    fn effects(&mut self, effects: &'t [EffectCall]) {
        for (at, effect) in effects.iter().enumerate() {
            if at > 0 {
                self.parts.push(Part::Line);
                self.keyword(Keyword::Then);
                self.space();
            }
            if effects.len() > 1 {
                self.indented(|f| f.effect(effect));
            } else {
                self.effect(effect);
            }
        }
    }

    /// The part of an `on_failure` clause after its keyword.
    fn on_failure(&mut self, terms: &'t [Term], then: Option<&'t EffectCall>) {
        self.terms(terms);
        if let Some(effect) = then {
            if !terms.is_empty() {
                self.parts.push(Part::Line);
            }
            self.keyword(Keyword::Then);
            self.space();
            self.indented(|f| f.effect(effect));
        }
    }
}

/// The gap before a statement of a block, by its index.
const fn gap_before(at: usize) -> Gap {
    if at == 0 { Gap::Tight } else { Gap::Preserve }
}
