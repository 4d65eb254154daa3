//! Trees without their places, so that two can be compared.
//!
//! Every field is named, so that a new one cannot be forgotten here.

use crate::source::{SourceId, Span};
use crate::syntax::tree::{
    Agent, Argument, Broken, Clause, ClauseKind, Disable, Edition, EffectCall, Expr, ExprKind, File, Item, Let, Name,
    Order, Piece, Policy, PolicyItem, Prompt, Rule, Statement, Term, TermKind, Test, Text, Use,
};

/// A file with all spans at nothing.
pub(super) fn file(mut file: File) -> File {
    let File { source, items } = &mut file;
    *source = SourceId::default();
    items.iter_mut().for_each(item);
    file
}

fn clear(span: &mut Span) {
    *span = Span::default();
}

fn name(Name { node: _, span }: &mut Name) {
    clear(span);
}

fn item(item: &mut Item) {
    match item {
        Item::Edition(Edition { year, span }) => {
            clear(&mut year.span);
            clear(span);
        }
        Item::Use(Use { path, span }) => {
            text(path);
            clear(span);
        }
        Item::Agent(Agent { terms, span }) => {
            terms.iter_mut().for_each(term);
            clear(span);
        }
        Item::Let(Let { name: own, value, span }) => {
            name(own);
            expression(value);
            clear(span);
        }
        Item::Prompt(Prompt { name: own, text: said, span }) => {
            name(own);
            text(said);
            clear(span);
        }
        Item::Policy(Policy { name: own, title, base, items, span }) => {
            name(own);
            title.iter_mut().for_each(text);
            base.iter_mut().for_each(name);
            items.iter_mut().for_each(policy_item);
            clear(span);
        }
        Item::Test(Test { name, statements, broken: _, span }) => {
            text(name);
            for Statement { given: _, terms, commas: _, span } in statements {
                terms.iter_mut().for_each(term);
                clear(span);
            }
            clear(span);
        }
        Item::Broken(stretch) => broken(stretch),
    }
}

fn broken(Broken { name: own, span }: &mut Broken) {
    own.iter_mut().for_each(name);
    clear(span);
}

fn policy_item(item: &mut PolicyItem) {
    match item {
        PolicyItem::Rule(Rule { name: own, sealed, overrides, order, clauses, span }) => {
            name(own);
            sealed.iter_mut().chain(overrides).for_each(clear);
            if let Some(Order { before: _, rule, span }) = order {
                name(rule);
                clear(span);
            }
            clauses.iter_mut().for_each(clause);
            clear(span);
        }
        PolicyItem::Disable(Disable { name: own, why, span }) => {
            name(own);
            why.iter_mut().for_each(text);
            clear(span);
        }
        PolicyItem::Broken(stretch) => broken(stretch),
    }
}

fn clause(Clause { kind, word, span }: &mut Clause) {
    clear(word);
    clear(span);
    match kind {
        ClauseKind::On(own) | ClauseKind::No(own) => name(own),
        ClauseKind::When(value)
        | ClauseKind::Unless(value)
        | ClauseKind::OncePer(value)
        | ClauseKind::OnceUntil(value)
        | ClauseKind::Until(value)
        | ClauseKind::Every(value)
        | ClauseKind::Cooldown(value)
        | ClauseKind::Limit(value) => expression(value),
        ClauseKind::Do(effects) => effects.iter_mut().for_each(effect),
        ClauseKind::OnFailure(terms, then) => {
            terms.iter_mut().for_each(term);
            then.iter_mut().for_each(effect);
        }
        ClauseKind::Once => {}
        ClauseKind::Broken(stretch) => broken(stretch),
    }
}

fn effect(EffectCall { name: own, terms, span }: &mut EffectCall) {
    name(own);
    terms.iter_mut().for_each(term);
    clear(span);
}

fn term(Term { kind, span }: &mut Term) {
    clear(span);
    match kind {
        TermKind::Number(_) | TermKind::Word(_) | TermKind::Operator(_) => {}
        TermKind::Call(value) => expression(value),
        TermKind::Text(said) => text(said),
        TermKind::List(terms) => terms.iter_mut().for_each(term),
        TermKind::Pair(own, value) => {
            name(own);
            expression(value);
        }
        TermKind::Range(from, to, step) => {
            term(from);
            term(to);
            if let Some(step) = step {
                term(step);
            }
        }
    }
}

fn text(Text { value: _, pieces, block: _, span }: &mut Text) {
    clear(span);
    for piece in pieces {
        match piece {
            Piece::Literal(_) => {}
            Piece::Hole(value) => expression(value),
        }
    }
}

fn expression(Expr { kind, span }: &mut Expr) {
    clear(span);
    match kind {
        ExprKind::Or(all) | ExprKind::And(all) => all.iter_mut().for_each(expression),
        ExprKind::Not(inner) => expression(inner),
        ExprKind::Compare(first, rest) => {
            expression(first);
            for (sign, value) in rest {
                clear(&mut sign.span);
                expression(value);
            }
        }
        ExprKind::Default(left, right) | ExprKind::Of(left, right) => {
            expression(left);
            expression(right);
        }
        ExprKind::Name(_) | ExprKind::Bool(_) => {}
        ExprKind::Call(own, arguments) => {
            name(own);
            for Argument { name: own, value } in arguments {
                own.iter_mut().for_each(name);
                expression(value);
            }
        }
        ExprKind::Number(_, unit) => unit.iter_mut().for_each(name),
        ExprKind::Text(said) => text(said),
        ExprKind::List(terms) => terms.iter_mut().for_each(term),
    }
}
