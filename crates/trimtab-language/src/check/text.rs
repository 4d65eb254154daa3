//! Checks the texts of effects and their placeholders.

use trimtab_base::diagnostic::nearest;
use trimtab_base::quantity::{Counted, Type, Unit, Value};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{self, Expr, ExprKind, Text};

use super::checker::{Checker, Reference};
use super::constant::Constant;
use super::error;
use super::list::Element;
use super::policy::{Reading, Template, TextPiece};
use super::scope::Named;
use crate::fact;

/// The variables that a text may contain, with their meanings.
type Variables = &'static [(&'static str, &'static str)];

impl<'a> Checker<'_, 'a> {
    /// Checks a text, which may contain these variables of its effect besides facts.
    pub(super) fn template(&mut self, text: &'a Text, variables: Variables) -> Option<Template> {
        if text.pieces.is_empty() {
            return Some(Template { pieces: vec![TextPiece::Literal(text.value.clone())] });
        }
        let mut pieces = Vec::with_capacity(text.pieces.len());
        for piece in &text.pieces {
            pieces.push(match piece {
                tree::TextPiece::Literal(text) => Some(TextPiece::Literal(text.clone())),
                tree::TextPiece::Interpolation(hole) => self.hole(hole, variables),
            });
        }
        pieces.into_iter().collect::<Option<_>>().map(|pieces| Template { pieces })
    }

    fn hole(&mut self, hole: &'a Expr, variables: Variables) -> Option<TextPiece> {
        match &hole.kind {
            ExprKind::Name(name) if variables.iter().any(|(own, _)| own == name) => {
                Some(TextPiece::Variable(name.clone()))
            }
            ExprKind::Name(name) if self.is_undefined(name) => {
                let own = variables.iter().map(|(own, _)| *own);
                let suggestion = self.scope.nearest_value(name);
                let suggestion = match suggestion.as_deref() {
                    Some(fact) if fact::host_fact_name(fact).is_some() => Some(fact),
                    other => nearest(name, other.into_iter().chain(own)),
                };
                self.fail(error::name::unknown_value(hole.span, name, suggestion))
            }
            ExprKind::Name(name) => match self.resolve(name, hole.span)? {
                Reference::Let(value) => self.folded(value).map(TextPiece::Literal),
                Reference::Fact(fact) => {
                    let reading = self.bare(fact, hole.span)?;
                    self.definite_in_text(reading).map(TextPiece::Fact)
                }
                Reference::Host(reading) => self.definite_in_text(reading).map(TextPiece::Fact),
            },
            ExprKind::Default(inner, default) => self.defaulted_hole(inner, default, hole.span, variables),
            ExprKind::Call(..) => {
                let reading = self.reading(hole)?;
                self.definite_in_text(reading).map(TextPiece::Fact)
            }
            _ => {
                let constant = self.constant(hole)?;
                self.folded(constant).map(TextPiece::Literal)
            }
        }
    }

    fn is_undefined(&self, name: &str) -> bool {
        !fact::is_fact_name(name) && matches!(self.scope.constant(name), Named::Undefined)
    }

    /// `{x ?? "…"}`: in a text the default may be a text, whatever the type of the fact.
    fn defaulted_hole(
        &mut self,
        inner: &'a Expr,
        default: &'a Expr,
        span: Span,
        variables: Variables,
    ) -> Option<TextPiece> {
        if let ExprKind::Name(name) = &inner.kind
            && variables.iter().any(|(own, _)| own == name)
        {
            self.report(error::condition::needless_default(inner.span, default.span, name));
            return Some(TextPiece::Variable(name.clone()));
        }
        let reading = self.reading(inner)?;
        let ExprKind::Text(text) = &default.kind else {
            return self.defaulted(reading, default, span).map(TextPiece::Fact);
        };
        if !reading.fact.is_optional() {
            self.report(error::condition::needless_default(inner.span, default.span, &reading.name()));
            return Some(TextPiece::Fact(Reading { span, ..reading }));
        }
        let fallback = Some(Value::Text(text.value.as_str().into()));
        Some(TextPiece::Fact(Reading { fallback, span, ..reading }))
    }

    fn definite_in_text(&mut self, reading: Reading) -> Option<Reading> {
        if self.has_value(&reading) {
            return Some(reading);
        }
        self.fail(error::condition::may_be_unknown_in_text(reading.span, &reading))
    }

    /// Formats a constant for a text.
    fn folded(&mut self, constant: Constant<'a>) -> Option<String> {
        Some(match constant {
            Constant::Number(number, unit) => {
                let unit = unit.unwrap_or(Unit::Counted(Counted::Count));
                Value::Number(number).format_bare(Type::Number(unit))
            }
            Constant::Text(text) => text.value.clone(),
            Constant::Bool(truth) => truth.to_string(),
            Constant::List(terms) => {
                let mut words = Vec::with_capacity(terms.len());
                for (element, _) in self.elements(terms)? {
                    words.push(match element {
                        Element::Word(word) => word.to_owned(),
                        Element::Value(value) => self.folded(value)?,
                    });
                }
                words.join(", ")
            }
        })
    }
}
