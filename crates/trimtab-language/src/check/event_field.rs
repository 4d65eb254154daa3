//! Checks the fields of events: facts in a list, each of which may have a name before it.

use smol_str::SmolStr;
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Expr, ExprKind, Name, Term, TermKind};

use super::checker::{Checker, Reference};
use super::effect_call::Run;
use super::error;
use super::policy::Reading;
use crate::effect::Label;

impl<'a> Checker<'_, 'a> {
    /// The fields in a list.
    pub(super) fn event_fields(
        &mut self,
        run: &Run<'a>,
        label: &'static Label,
        term: &'a Term,
    ) -> Option<Vec<(SmolStr, Reading)>> {
        let TermKind::List(terms) = &term.kind else {
            return self.fail(error::effect::wrong_value(term.span, None, label, run.effect));
        };
        let (mut fields, mut places, mut sound) = (Vec::with_capacity(terms.len()), Vec::new(), true);
        for term in terms {
            let Some((name, reading)) = self.event_field(run, label, term) else {
                sound = false;
                continue;
            };
            let first = places.iter().find(|(known, _): &&(SmolStr, Span)| *known == name).map(|(_, span)| *span);
            if let Some(first) = first {
                self.report(error::effect::duplicate(term.span, &format!("the field `{name}`"), first));
                sound = false;
            }
            places.push((name.clone(), term.span));
            fields.push((name, reading));
        }
        sound.then_some(fields)
    }

    fn event_field(&mut self, run: &Run<'a>, label: &'static Label, term: &'a Term) -> Option<(SmolStr, Reading)> {
        match &term.kind {
            TermKind::Word(word) => Some((word.clone(), self.bare_field(word, term.span)?)),
            TermKind::Call(call) => {
                let reading = self.reading(call)?;
                Some((reading.name(), reading))
            }
            TermKind::Pair(Name { node: name, .. }, value) => Some((name.clone(), self.field_value(value)?)),
            _ => self.fail(error::effect::wrong_value(term.span, None, label, run.effect)),
        }
    }

    fn field_value(&mut self, value: &'a Expr) -> Option<Reading> {
        match &value.kind {
            ExprKind::Name(word) => self.bare_field(word, value.span),
            _ => self.reading(value),
        }
    }

    /// A fact without arguments, which is null while it is unknown, whatever the condition assumes then.
    fn bare_field(&mut self, word: &str, span: Span) -> Option<Reading> {
        match self.resolve(word, span)? {
            Reference::Fact(fact) => Some(Reading { fallback: None, ..self.bare(fact, span)? }),
            Reference::Host(reading) => Some(Reading { fallback: None, ..reading }),
            Reference::Let(value) => self.fail(error::condition::not_a_fact(span, value.noun())),
        }
    }
}
