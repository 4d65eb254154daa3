//! The elements of lists.

use trimtab_base::quantity::Unit;
use trimtab_base::source::{Span, Spanned};
use trimtab_syntax::syntax::tree::{Name, Number, Term, TermKind};

use super::checker::Checker;
use super::constant::Constant;
use super::error;

/// One element of a list.
#[derive(Clone, Copy, Debug)]
pub(super) enum Element<'a> {
    /// A number or a text.
    Value(Constant<'a>),
    /// A word: a name, or a let.
    Word(&'a str),
}

/// The word after a number that is taken as its unit.
pub(super) fn unit_word(number: Number, next: Option<&Term>, takes: impl Fn(&str) -> bool) -> Option<Name> {
    match next {
        Some(Term { kind: TermKind::Word(word), span }) if matches!(number, Number::Plain(_)) && takes(word) => {
            Some(Spanned::new(word.clone(), *span))
        }
        _ => None,
    }
}

impl<'a> Checker<'_, 'a> {
    /// The elements of a list with their spans.
    pub(super) fn elements(&mut self, terms: &'a [Term]) -> Option<Vec<(Element<'a>, Span)>> {
        let (mut elements, mut sound, mut at) = (Vec::with_capacity(terms.len()), true, 0);
        while let Some(term) = terms.get(at) {
            at += 1;
            let mut span = term.span;
            let element = match &term.kind {
                TermKind::Word(word) => Some(Element::Word(word)),
                TermKind::Text(text) => Some(Element::Value(Constant::Text(text))),
                TermKind::Number(number) => {
                    let unit = unit_word(*number, terms.get(at), |word| Unit::from_word(word).is_some());
                    at += usize::from(unit.is_some());
                    span = unit.as_ref().map_or(span, |unit| span.to(unit.span));
                    self.number(*number, unit.as_ref(), span).map(Element::Value)
                }
                _ => self.fail(error::value::not_an_element(term.span)),
            };
            sound &= element.is_some();
            elements.extend(element.map(|element| (element, span)));
        }
        sound.then_some(elements)
    }

    /// The tool names in a list, written as words or texts.
    pub(super) fn names(&mut self, terms: &'a [Term]) -> Option<Vec<smol_str::SmolStr>> {
        let elements = self.elements(terms)?;
        let (mut names, mut sound) = (Vec::with_capacity(elements.len()), true);
        for (element, span) in elements {
            match element {
                Element::Word(word) => names.push(word.into()),
                Element::Value(Constant::Text(text)) => names.push(text.value.as_str().into()),
                Element::Value(other) => {
                    self.report(error::value::not_a_name(span, other.noun()));
                    sound = false;
                }
            }
        }
        sound.then_some(names)
    }
}
