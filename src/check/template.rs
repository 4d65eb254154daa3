//! Texts with facts in them, and facts that mean the instance in the rule's condition.

use super::condition::Side;
use super::error;
use super::policy::{Condition, Guard, Piece, Reading, Template};
use super::scope::Scope;
use crate::fact;
use crate::syntax::tree::{self, Expr, ExprKind, Text};

/// What texts and guards of a rule can lean on.
#[derive(Default)]
pub(super) struct Context {
    /// The facts that the rule's condition reads.
    pub(super) instances: Vec<Reading>,
    /// The optional facts that are known where the condition holds.
    pub(super) sure: Vec<String>,
}

impl Context {
    /// Notes the facts that a condition reads.
    pub(super) fn read(&mut self, condition: &Condition) {
        match condition {
            Condition::Constant(_) => {}
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| self.read(part)),
            Condition::Not(inner) => self.read(inner),
            Condition::Test(test) => {
                let reading = Reading { fallback: None, ..test.reading.clone() };
                if !self.instances.contains(&reading) {
                    self.instances.push(reading);
                }
            }
        }
    }

    /// Notes the facts that guards read.
    pub(super) fn guards(&mut self, guards: &[Guard]) {
        for guard in guards {
            if let Guard::Until(condition) | Guard::OnceUntil(condition) = guard {
                self.read(condition);
            }
        }
    }
}

impl Scope<'_> {
    /// A fact in a guard or a text: with its fallback, and with the arguments of the condition's own instance.
    pub(super) fn instance(&mut self, expr: &Expr, context: &Context) -> Option<Reading> {
        let (inner, fallback) = match &expr.kind {
            ExprKind::Default(inner, fallback) => (inner.as_ref(), Some(fallback)),
            _ => (expr, None),
        };
        let mut reading = match (fallback, self.side(expr, &context.sure)?) {
            (_, Side::Fact(reading)) => reading,
            (_, Side::Constant(_)) => {
                self.report(error::no_comparison(expr.span, "a constant where a fact is wanted"));
                return None;
            }
        };
        if matches!(inner.kind, ExprKind::Name(_)) && !reading.fact.parameters.is_empty() {
            let mut of_fact = context.instances.iter().filter(|other| other.fact.name == reading.fact.name);
            if let Some(first) = of_fact.next() {
                if of_fact.next().is_some() {
                    self.report(error::ambiguous(inner.span, reading.fact.name));
                    return None;
                }
                reading.arguments.clone_from(&first.arguments);
            }
        }
        Some(reading)
    }

    /// A text with its places resolved; `own` are the names that the effect fills in itself.
    pub(super) fn template(&mut self, text: &Text, own: &[(&str, &str)], context: &Context) -> Option<Template> {
        if text.pieces.is_empty() {
            return Some(Template { pieces: vec![Piece::Literal(text.value.clone())] });
        }
        let mut pieces = Vec::with_capacity(text.pieces.len());
        for piece in &text.pieces {
            pieces.push(match piece {
                tree::Piece::Literal(text) => Some(Piece::Literal(text.clone())),
                tree::Piece::Hole(expr) => self.hole(expr, own, context),
            });
        }
        pieces.into_iter().collect::<Option<Vec<_>>>().map(|pieces| Template { pieces })
    }

    fn hole(&mut self, expr: &Expr, own: &[(&str, &str)], context: &Context) -> Option<Piece> {
        if let ExprKind::Name(name) = &expr.kind {
            if own.iter().any(|(known, _)| known == name) {
                return Some(Piece::Own(name.clone()));
            }
            if self.is_let(name) {
                return Some(Piece::Literal(self.value(name).shown()));
            }
            if fact::find(name).is_none() {
                let owns = own.iter().map(|(known, _)| *known);
                let near = crate::diagnostic::nearest(name, owns).map(str::to_owned).or_else(|| self.nearest(name));
                self.report(error::unknown_hole(expr.span, name, near.as_deref()));
                return None;
            }
        }
        self.instance(expr, context).map(Piece::Fact)
    }
}
