//! Visits every expression, term and text of a tree in source order.

use super::tree::{
    Agent, Clause, ClauseKind, EffectCall, Expr, ExprKind, File, Item, PolicyItem, Rule, Term, TermKind, Text,
    TextPiece,
};

/// Called for each part of a tree; for a part before the parts inside it.
pub trait Visitor<'t> {
    /// An expression.
    fn expression(&mut self, _: &'t Expr) {}
    /// A term of a flat run.
    fn term(&mut self, _: &'t Term) {}
    /// An effect call.
    fn effect(&mut self, _: &'t EffectCall) {}
    /// A text.
    fn text(&mut self, _: &'t Text) {}
}

/// Visits a whole file.
pub fn file<'t>(file: &'t File, visitor: &mut dyn Visitor<'t>) {
    file.items.iter().for_each(|each| item(each, visitor));
}

/// Visits an item.
pub fn item<'t>(item: &'t Item, visitor: &mut dyn Visitor<'t>) {
    match item {
        Item::Edition(_) | Item::Use(_) | Item::Broken(_) => {}
        Item::Agent(Agent { terms, .. }) => each_term(terms, visitor),
        Item::Let(constant) => expression(&constant.value, visitor),
        Item::Prompt(prompt) => text(&prompt.text, visitor),
        Item::Policy(policy) => {
            for item in &policy.items {
                match item {
                    PolicyItem::Rule(item) => rule(item, visitor),
                    PolicyItem::Disable(_) | PolicyItem::Broken(_) => {}
                }
            }
        }
        Item::Test(test) => test.statements.iter().for_each(|statement| each_term(&statement.terms, visitor)),
    }
}

/// Visits a rule.
pub fn rule<'t>(rule: &'t Rule, visitor: &mut dyn Visitor<'t>) {
    rule.clauses.iter().for_each(|each| clause(each, visitor));
}

/// Visits a clause.
pub fn clause<'t>(clause: &'t Clause, visitor: &mut dyn Visitor<'t>) {
    match &clause.kind {
        ClauseKind::On(_) | ClauseKind::Once | ClauseKind::No(_) | ClauseKind::Broken(_) => {}
        ClauseKind::When(expr)
        | ClauseKind::Unless(expr)
        | ClauseKind::OncePer(expr)
        | ClauseKind::OnceUntil(expr)
        | ClauseKind::Until(expr)
        | ClauseKind::Every(expr)
        | ClauseKind::Cooldown(expr)
        | ClauseKind::Limit(expr) => expression(expr, visitor),
        ClauseKind::Confirm(question) => each_term(std::slice::from_ref(question), visitor),
        ClauseKind::Do(calls) => calls.iter().for_each(|call| effect(call, visitor)),
        ClauseKind::OnFailure(terms, call) => {
            each_term(terms, visitor);
            if let Some(call) = call {
                effect(call, visitor);
            }
        }
    }
}

fn effect<'t>(call: &'t EffectCall, visitor: &mut dyn Visitor<'t>) {
    visitor.effect(call);
    each_term(&call.terms, visitor);
}

fn each_term<'t>(all: &'t [Term], visitor: &mut dyn Visitor<'t>) {
    for each in all {
        term(each, visitor);
    }
}

fn term<'t>(term: &'t Term, visitor: &mut dyn Visitor<'t>) {
    visitor.term(term);
    match &term.kind {
        TermKind::Number(_) | TermKind::Word(_) | TermKind::Comparison(_) => {}
        TermKind::Call(value) | TermKind::Pair(_, value) => expression(value, visitor),
        TermKind::Text(inner) => text(inner, visitor),
        TermKind::List(terms) => each_term(terms, visitor),
        TermKind::Range(from, to, by) => {
            [Some(from), Some(to), by.as_ref()].into_iter().flatten().for_each(|number| self::term(number, visitor));
        }
    }
}

fn text<'t>(text: &'t Text, visitor: &mut dyn Visitor<'t>) {
    visitor.text(text);
    for piece in &text.pieces {
        if let TextPiece::Interpolation(value) = piece {
            expression(value, visitor);
        }
    }
}

/// Visits an expression.
pub fn expression<'t>(expr: &'t Expr, visitor: &mut dyn Visitor<'t>) {
    visitor.expression(expr);
    match &expr.kind {
        ExprKind::Or(parts) | ExprKind::And(parts) => parts.iter().for_each(|part| expression(part, visitor)),
        ExprKind::Not(inner) => expression(inner, visitor),
        ExprKind::Compare(first, rest) => {
            expression(first, visitor);
            for (_, part) in rest {
                expression(part, visitor);
            }
        }
        ExprKind::Default(left, right) | ExprKind::Of(left, right) => {
            expression(left, visitor);
            expression(right, visitor);
        }
        ExprKind::Call(_, arguments) => arguments.iter().for_each(|argument| expression(&argument.value, visitor)),
        ExprKind::Text(inner) => text(inner, visitor),
        ExprKind::List(terms) => each_term(terms, visitor),
        ExprKind::Name(_) | ExprKind::Number(..) | ExprKind::Bool(_) => {}
    }
}

/// Collects the expressions that a walk visits: `expressions(|visitor| walk::file(file, visitor))`.
pub fn expressions<'t>(walk: impl FnOnce(&mut dyn Visitor<'t>)) -> Vec<&'t Expr> {
    let mut expressions = Expressions(Vec::new());
    walk(&mut expressions);
    expressions.0
}

struct Expressions<'t>(Vec<&'t Expr>);

impl<'t> Visitor<'t> for Expressions<'t> {
    fn expression(&mut self, expr: &'t Expr) {
        self.0.push(expr);
    }
}
