//! Checks the values of labels.

use std::collections::HashSet;

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, Quantity, Unit};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Number, Term, TermKind};

use super::checker::Checker;
use super::constant::Constant;
use super::effect_call::Run;
use super::error::{self, Wanted};
use super::list::{Element, unit_word};
use super::policy::{Argument, Template, TextPiece};
use super::scope::Named;
use crate::effect::{END_UNITS, ENDS, Label, Shape};

impl<'a> Checker<'_, 'a> {
    /// Checks the value of a label, taken from the terms after it.
    pub(super) fn label_value(&mut self, run: &mut Run<'a>, label: &'static Label, word: Span) -> Option<Argument> {
        let term = match run.peek() {
            Some(term) if !self.is_next_label(run, label, term) => term,
            _ => return self.fail(error::effect::no_value(word, label)),
        };
        run.at += 1;
        match label.shape {
            Shape::Quantity(units) => self.quantity(run, label, units, term).map(Argument::Quantity),
            Shape::Tools | Shape::Names => self.list_of_names(run, label, term).map(|mut names| {
                let mut seen = HashSet::new();
                names.retain(|name| seen.insert(name.clone()));
                Argument::Names(names)
            }),
            Shape::Fields => self.event_fields(run, label, term).map(Argument::Fields),
            Shape::Name => self.name(run, label, term).map(Argument::Word),
            Shape::Text => match &term.kind {
                TermKind::Text(text) => self.template(text, run.effect.variables).map(Argument::Text),
                kind => match self.named(kind) {
                    Named::Defined(Constant::Text(text)) => {
                        self.template(text, run.effect.variables).map(Argument::Text)
                    }
                    Named::Unknown => None,
                    _ => self.wrong(run, label, term),
                },
            },
            Shape::Word(words) => self.choice(run, label, words, term).map(Argument::Word),
            Shape::Sides(words) => match &term.kind {
                TermKind::Word(word) if word == ENDS => self.ends(run, label, term),
                _ => self.choice(run, label, words, term).map(Argument::Word),
            },
            Shape::Pins => self.pins(run, label, term).map(Argument::Pins),
            Shape::Prompt => self.prompt(run, label, term).map(Argument::Text),
        }
    }

    /// Whether a term is the next label or target rather than a value.
    fn is_next_label(&self, run: &Run<'a>, label: &Label, term: &Term) -> bool {
        let TermKind::Word(word) = &term.kind else { return false };
        let is_value = match label.shape {
            Shape::Word(_) | Shape::Sides(_) | Shape::Pins => {
                label.shape.words().is_some_and(|words| words.contains(&word.as_str()))
            }
            Shape::Prompt => self.scope.prompts.contains_key(word.as_str()),
            Shape::Quantity(_) | Shape::Text | Shape::Tools | Shape::Name | Shape::Names | Shape::Fields => {
                self.scope.has_let(word.as_str())
            }
        };
        run.is_own(word) && !is_value
    }

    /// The value of the let that a term names.
    fn named(&self, kind: &TermKind) -> Named<Constant<'a>> {
        match kind {
            TermKind::Word(word) => self.scope.constant(word),
            _ => Named::Undefined,
        }
    }

    pub(super) fn wrong<T>(&mut self, run: &mut Run<'a>, label: &Label, term: &Term) -> Option<T> {
        let word = match &term.kind {
            TermKind::Word(word) => Some(word.as_str()),
            TermKind::Text(text) => Some(text.value.as_str()),
            _ => None,
        };
        // In `keep last 3 results` and `pin last 3 users` the number after the word is a part of the intended value.
        if let (TermKind::Word(_), Shape::Quantity(_) | Shape::Pins) = (&term.kind, label.shape)
            && run.peek().is_some_and(|next| matches!(next.kind, TermKind::Number(_)))
        {
            run.skip_from(term.span);
        }
        // Skip the unit of a misplaced number as well.
        if let (TermKind::Number(_), Some(Term { kind: TermKind::Word(unit), .. })) = (&term.kind, run.peek()) {
            run.at += usize::from(Unit::from_word(unit).is_some());
        }
        self.fail(error::effect::wrong_value(term.span, word, label, run.effect))
    }

    fn quantity(
        &mut self,
        run: &mut Run<'a>,
        label: &'static Label,
        units: &[Unit],
        term: &'a Term,
    ) -> Option<Quantity> {
        let (mut span, mut place) = (term.span, None);
        let constant = match &term.kind {
            TermKind::Number(Number::Percent(_)) if run.next_is("of") => {
                let whole = run.skip_from(span);
                return self.fail(error::effect::product(whole, label, run.effect));
            }
            TermKind::Number(number) => {
                let takes = |word: &str| Unit::from_word(word).is_some() || !run.is_own(word);
                let unit = unit_word(*number, run.peek(), takes);
                run.at += usize::from(unit.is_some());
                span = unit.as_ref().map_or(span, |unit| span.to(unit.span));
                self.number(*number, unit.as_ref(), span)?
            }
            kind => match self.named(kind) {
                Named::Defined(constant) => {
                    if let TermKind::Word(word) = kind {
                        place = self.scope.value_span(word);
                    }
                    constant
                }
                // A number after the word is the value that was meant.
                Named::Unknown if !run.peek().is_some_and(|next| matches!(next.kind, TermKind::Number(_))) => {
                    return None;
                }
                Named::Unknown | Named::Undefined => return self.wrong(run, label, term),
            },
        };
        let who = format_args!("`{}` of `{}`", label.name, run.effect.name);
        let quantity = self.fit(constant, units, &Wanted::new(&who), span, place)?;
        if quantity.unit == Unit::Share && quantity.amount > Decimal::ONE {
            let who = who.to_string();
            return self.fail(error::unit::too_large(span, &who, "100%"));
        }
        if quantity.amount < label.least.into() {
            let (who, least) = (who.to_string(), Quantity::whole(label.least.into(), quantity.unit));
            return self.fail(error::unit::below_minimum(span, &who, &least.to_string()));
        }
        Some(quantity)
    }

    fn list_of_names(&mut self, run: &mut Run<'a>, label: &'static Label, term: &'a Term) -> Option<Vec<SmolStr>> {
        match (&term.kind, self.named(&term.kind)) {
            (TermKind::List(terms), _) => self.names(terms),
            (_, Named::Defined(Constant::List(terms))) => self.names(terms),
            (TermKind::Text(text), _) | (_, Named::Defined(Constant::Text(text))) => {
                Some(vec![text.value.as_str().into()])
            }
            (TermKind::Word(word), Named::Undefined) => Some(vec![word.clone()]),
            (_, Named::Unknown) => None,
            _ => self.wrong(run, label, term),
        }
    }

    fn name(&mut self, run: &mut Run<'a>, label: &'static Label, term: &'a Term) -> Option<SmolStr> {
        match &term.kind {
            TermKind::Word(word) => Some(word.clone()),
            TermKind::Text(text) if !text.value.is_empty() => Some(text.value.as_str().into()),
            _ => self.wrong(run, label, term),
        }
    }

    fn choice(&mut self, run: &mut Run<'a>, label: &'static Label, words: &[&str], term: &'a Term) -> Option<SmolStr> {
        match &term.kind {
            TermKind::Word(word) if words.contains(&word.as_str()) => Some(word.clone()),
            _ => self.wrong(run, label, term),
        }
    }

    /// The lengths of the beginning and of the end of a text, after the word for both.
    fn ends(&mut self, run: &mut Run<'a>, label: &'static Label, word: &Term) -> Option<Argument> {
        let Some(Term { kind: TermKind::List(terms), span }) = run.peek() else {
            let is_number = run.peek().is_some_and(|next| matches!(next.kind, TermKind::Number(_)));
            let whole = if is_number { run.skip_from(word.span) } else { word.span };
            return self.fail(error::effect::no_ends(whole, label, run.effect));
        };
        run.at += 1;
        let elements = self.elements(terms)?;
        let [(Element::Value(head), head_span), (Element::Value(tail), tail_span)] = elements.as_slice() else {
            return self.fail(error::effect::no_ends(*span, label, run.effect));
        };
        let who = format_args!("`{} {ENDS}` of `{}`", label.name, run.effect.name);
        let mut length = |constant, span| self.fit(constant, END_UNITS, &Wanted::new(&who), span, None);
        Some(Argument::Ends(length(*head, *head_span)?, length(*tail, *tail_span)?))
    }

    fn prompt(&mut self, run: &mut Run<'a>, label: &'static Label, term: &'a Term) -> Option<Template> {
        let TermKind::Word(word) = &term.kind else { return self.wrong(run, label, term) };
        match self.scope.prompt(word) {
            Named::Defined(text) => Some(Template { pieces: vec![TextPiece::Literal(text.value.clone())] }),
            Named::Unknown => None,
            Named::Undefined => {
                let prompts = self.scope.prompts.keys().copied();
                self.fail(error::name::unknown_prompt(term.span, word, prompts))
            }
        }
    }
}
