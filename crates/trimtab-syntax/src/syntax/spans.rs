//! Changes every span of a tree.
//!
//! Each field is matched by name, so that a new field cannot be forgotten.

use trimtab_base::source::{SourceId, Span};

use super::tree::{
    Agent, Argument, Broken, Clause, ClauseKind, Disable, Edition, EffectCall, Expr, ExprKind, File, Item, Let, Name,
    Order, Policy, PolicyItem, Prompt, Rule, Statement, Term, TermKind, Test, Text, TextPiece, Use,
};

/// A function that changes a span.
pub type Change<'f> = &'f mut dyn FnMut(&mut Span);

/// The file with all spans cleared, for comparing two trees.
pub fn without_spans(mut file: File) -> File {
    file.source = SourceId::default();
    change_spans(&mut file, &mut |span| *span = Span::default());
    file
}

/// Changes every span of a file.
pub fn change_spans(file: &mut File, change: Change<'_>) {
    for each in &mut file.items {
        item(each, change);
    }
}

fn name(Name { node: _, span }: &mut Name, change: Change<'_>) {
    change(span);
}

fn item(item: &mut Item, change: Change<'_>) {
    match item {
        Item::Edition(Edition { year, span }) => {
            change(&mut year.span);
            change(span);
        }
        Item::Use(Use { path, span }) => {
            text(path, change);
            change(span);
        }
        Item::Agent(Agent { terms: all, span }) => {
            terms(all, change);
            change(span);
        }
        Item::Let(Let { name: own, value, span }) => {
            name(own, change);
            expression(value, change);
            change(span);
        }
        Item::Prompt(Prompt { name: own, text: content, span }) => {
            name(own, change);
            text(content, change);
            change(span);
        }
        Item::Policy(Policy { name: own, title, base, items, span }) => {
            name(own, change);
            if let Some(title) = title {
                text(title, change);
            }
            if let Some(base) = base {
                name(base, change);
            }
            for item in items {
                policy_item(item, change);
            }
            change(span);
        }
        Item::Test(Test { name, statements, broken: _, span }) => {
            text(name, change);
            for Statement { given: _, terms: all, commas: _, span } in statements {
                terms(all, change);
                change(span);
            }
            change(span);
        }
        Item::Broken(region) => broken(region, change),
    }
}

fn broken(Broken { name: own, span }: &mut Broken, change: Change<'_>) {
    if let Some(own) = own {
        name(own, change);
    }
    change(span);
}

fn policy_item(item: &mut PolicyItem, change: Change<'_>) {
    match item {
        PolicyItem::Rule(Rule { name: own, sealed, overrides, order, clauses, span }) => {
            name(own, change);
            sealed.iter_mut().chain(overrides).for_each(&mut *change);
            if let Some(Order { before: _, rule, span }) = order {
                name(rule, change);
                change(span);
            }
            for each in clauses {
                clause(each, change);
            }
            change(span);
        }
        PolicyItem::Disable(Disable { name: own, why, span }) => {
            name(own, change);
            if let Some(why) = why {
                text(why, change);
            }
            change(span);
        }
        PolicyItem::Broken(region) => broken(region, change),
    }
}

/// Changes every span of a clause.
pub(super) fn clause(Clause { kind, scope, word, span }: &mut Clause, change: Change<'_>) {
    change(word);
    change(span);
    if let Some(scope) = scope {
        name(scope, change);
    }
    match kind {
        ClauseKind::On(own) | ClauseKind::No(own) => name(own, change),
        ClauseKind::When(value)
        | ClauseKind::Unless(value)
        | ClauseKind::OncePer(value)
        | ClauseKind::OnceUntil(value)
        | ClauseKind::Until(value)
        | ClauseKind::Every(value)
        | ClauseKind::Cooldown(value)
        | ClauseKind::Limit(value) => expression(value, change),
        ClauseKind::Confirm(question) => terms(std::slice::from_mut(question), change),
        ClauseKind::Do(effects) => {
            for each in effects {
                effect(each, change);
            }
        }
        ClauseKind::OnFailure(all, then) => {
            terms(all, change);
            if let Some(then) = then {
                effect(then, change);
            }
        }
        ClauseKind::Once => {}
        ClauseKind::Broken(region) => broken(region, change),
    }
}

fn effect(EffectCall { name: own, terms: all, span }: &mut EffectCall, change: Change<'_>) {
    name(own, change);
    terms(all, change);
    change(span);
}

fn terms(all: &mut [Term], change: Change<'_>) {
    for each in all {
        term(each, change);
    }
}

fn term(Term { kind, span }: &mut Term, change: Change<'_>) {
    change(span);
    match kind {
        TermKind::Number(_) | TermKind::Word(_) | TermKind::Comparison(_) => {}
        TermKind::Call(value) => expression(value, change),
        TermKind::Text(content) => text(content, change),
        TermKind::List(all) => terms(all, change),
        TermKind::Pair(own, value) => {
            name(own, change);
            expression(value, change);
        }
        TermKind::Range(from, to, step) => {
            term(from, change);
            term(to, change);
            if let Some(step) = step {
                term(step, change);
            }
        }
    }
}

fn text(Text { value: _, pieces, block: _, span }: &mut Text, change: Change<'_>) {
    change(span);
    for piece in pieces {
        match piece {
            TextPiece::Literal(_) => {}
            TextPiece::Interpolation(value) => expression(value, change),
        }
    }
}

fn expression(Expr { kind, span }: &mut Expr, change: Change<'_>) {
    change(span);
    match kind {
        ExprKind::Or(all) | ExprKind::And(all) => {
            for each in all {
                expression(each, change);
            }
        }
        ExprKind::Not(inner) => expression(inner, change),
        ExprKind::Compare(first, rest) => {
            expression(first, change);
            for (operator, value) in rest {
                change(&mut operator.span);
                expression(value, change);
            }
        }
        ExprKind::Default(left, right) | ExprKind::Of(left, right) => {
            expression(left, change);
            expression(right, change);
        }
        ExprKind::Name(_) | ExprKind::Bool(_) => {}
        ExprKind::Call(own, arguments) => {
            name(own, change);
            for Argument { name: own, value } in arguments {
                if let Some(own) = own {
                    name(own, change);
                }
                expression(value, change);
            }
        }
        ExprKind::Number(_, unit) => {
            if let Some(unit) = unit {
                name(unit, change);
            }
        }
        ExprKind::Text(content) => text(content, change),
        ExprKind::List(all) => terms(all, change),
    }
}
