//! Items, rules and clauses.

use super::document::Part;
use super::walk::{Gap, Walk};
use crate::source::Span;
use crate::syntax::tree::{
    Agent, Clause, ClauseKind, Disable, EffectCall, File, Item, Policy, PolicyItem, Rule, Term, Test, Text,
};

impl<'t> Walk<'t> {
    /// A whole file.
    pub(super) fn file(mut self, file: &'t File) -> String {
        let mut gap = Gap::Tight;
        for (at, item) in file.items.iter().enumerate() {
            self.item(item, gap);
            gap = match (item, file.items.get(at + 1)) {
                (Item::Let(_), Some(Item::Let(_))) | (Item::Use(_), Some(Item::Use(_))) => Gap::Kept,
                _ => Gap::Apart,
            };
        }
        let gap = if file.items.is_empty() { Gap::Tight } else { Gap::Kept };
        self.lead(self.text.len(), gap);
        self.writer.finish()
    }

    fn item(&mut self, item: &'t Item, gap: Gap) {
        match item {
            Item::Edition(edition) => self.statement(edition.span, gap, "edition", |walk| {
                walk.space();
                walk.token(edition.year.span);
            }),
            Item::Use(item) => self.statement(item.span, gap, "use", |walk| {
                walk.space();
                walk.literal(&item.path);
            }),
            Item::Let(item) => self.statement(item.span, gap, "let", |walk| {
                walk.space();
                walk.token(item.name.span);
                walk.space();
                walk.word("=");
                walk.space();
                walk.group(|walk| walk.expression(&item.value));
            }),
            Item::Prompt(item) => self.statement(item.span, gap, "prompt", |walk| {
                walk.space();
                walk.token(item.name.span);
                walk.space();
                walk.literal(&item.text);
            }),
            Item::Agent(item) => self.agent(item, gap),
            Item::Policy(item) => self.policy(item, gap),
            Item::Test(item) => self.test(item, gap),
            Item::Broken(item) => self.broken(item.span, gap),
        }
    }

    /// What could not be parsed, as it stands.
    fn broken(&mut self, span: Span, gap: Gap) {
        self.begin(span.start as usize, gap);
        self.raw(span);
        self.end();
    }

    fn agent(&mut self, agent: &'t Agent, gap: Gap) {
        self.begin(agent.span.start as usize, gap);
        self.word("agent");
        self.open();
        self.fields(&agent.terms);
        self.close(agent.terms.is_empty());
    }

    fn test(&mut self, test: &'t Test, gap: Gap) {
        self.begin(test.span.start as usize, gap);
        self.word("test");
        self.nest(|walk| {
            walk.space();
            walk.literal(&test.name);
        });
        self.open();
        for (at, one) in test.statements.iter().enumerate() {
            let word = if one.given { "given" } else { "expect" };
            self.statement(one.span, inner(at), word, |walk| walk.group(|walk| walk.series(&one.terms)));
        }
        self.close(test.statements.is_empty());
    }

    fn policy(&mut self, policy: &'t Policy, gap: Gap) {
        self.begin(policy.span.start as usize, gap);
        self.word("policy");
        self.nest(|walk| {
            walk.space();
            walk.token(policy.name.span);
            walk.title(policy.title.as_ref());
            if let Some(base) = &policy.base {
                walk.space();
                walk.word("extends");
                walk.space();
                walk.token(base.span);
            }
        });
        self.open();
        let mut gap = Gap::Tight;
        for (at, item) in policy.items.iter().enumerate() {
            self.policy_item(item, gap);
            gap = match (item, policy.items.get(at + 1)) {
                (PolicyItem::Disable(_), Some(PolicyItem::Disable(_))) => Gap::Kept,
                _ => Gap::Apart,
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
        self.statement(disable.span, gap, "disable", |walk| {
            walk.space();
            walk.word("rule");
            walk.space();
            walk.token(disable.name.span);
            walk.title(disable.why.as_ref());
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
        let marks = [(rule.sealed, "sealed"), (rule.overrides, "override")];
        let mut words = marks.iter().filter(|(there, _)| there.is_some()).map(|(_, word)| *word).chain(["rule"]);
        self.word(words.next().unwrap_or("rule"));
        self.nest(|walk| {
            for word in words {
                walk.space();
                walk.word(word);
            }
            walk.space();
            walk.token(rule.name.span);
            if let Some(order) = &rule.order {
                walk.space();
                walk.word(if order.before { "before" } else { "after" });
                walk.space();
                walk.token(order.rule.span);
            }
        });
        self.open();
        for (at, clause) in rule.clauses.iter().enumerate() {
            self.clause(clause, inner(at));
        }
        self.close(rule.clauses.is_empty());
    }

    fn clause(&mut self, clause: &'t Clause, gap: Gap) {
        if let ClauseKind::Broken(item) = &clause.kind {
            return self.broken(item.span, gap);
        }
        self.begin(clause.span.start as usize, gap);
        self.token(clause.word);
        self.nest(|walk| walk.clause_rest(&clause.kind));
        self.end();
    }

    /// What follows the word of a clause.
    fn clause_rest(&mut self, kind: &'t ClauseKind) {
        if !matches!(kind, ClauseKind::Once) {
            self.space();
        }
        match kind {
            ClauseKind::On(name) | ClauseKind::No(name) => self.token(name.span),
            ClauseKind::OncePer(_) => self.word("per"),
            ClauseKind::OnceUntil(_) => self.word("until"),
            _ => {}
        }
        match kind {
            ClauseKind::When(value)
            | ClauseKind::Unless(value)
            | ClauseKind::Until(value)
            | ClauseKind::Every(value)
            | ClauseKind::Cooldown(value)
            | ClauseKind::Limit(value) => self.group(|walk| walk.expression(value)),
            ClauseKind::OncePer(value) | ClauseKind::OnceUntil(value) => {
                self.space();
                self.group(|walk| walk.expression(value));
            }
            ClauseKind::Do(effects) => self.group(|walk| walk.effects(effects)),
            ClauseKind::OnFailure(terms, then) => self.group(|walk| walk.way_out(terms, then.as_ref())),
            ClauseKind::On(_) | ClauseKind::No(_) | ClauseKind::Once | ClauseKind::Broken(_) => {}
        }
    }

    /// Effects with `then` between them.
    fn effects(&mut self, effects: &'t [EffectCall]) {
        for (at, effect) in effects.iter().enumerate() {
            if at > 0 {
                self.parts.push(Part::Line);
                self.word("then");
                self.space();
            }
            if effects.len() > 1 {
                self.nest(|walk| walk.effect(effect));
            } else {
                self.effect(effect);
            }
        }
    }

    /// What happens when an effect fails.
    fn way_out(&mut self, terms: &'t [Term], then: Option<&'t EffectCall>) {
        self.run(terms);
        if let Some(effect) = then {
            if !terms.is_empty() {
                self.parts.push(Part::Line);
            }
            self.word("then");
            self.space();
            self.nest(|walk| walk.effect(effect));
        }
    }
}

/// What stands before a statement of a block.
const fn inner(at: usize) -> Gap {
    if at == 0 { Gap::Tight } else { Gap::Kept }
}
