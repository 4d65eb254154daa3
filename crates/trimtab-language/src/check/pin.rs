//! Checks what `pin` names.

use trimtab_base::conversation::{Pin, Pins};
use trimtab_base::quantity::{Counted, Unit};
use trimtab_syntax::syntax::tree::{Number, Term, TermKind};

use super::checker::Checker;
use super::effect_call::Run;
use super::error::{self, Wanted};
use super::list::unit_word;
use crate::effect::Label;

/// What stands at a place where a pin may begin.
enum Found {
    Pin(Pin),
    /// A pin with a number that is reported as wrong.
    Wrong,
    Nothing,
}

impl<'a> Checker<'_, 'a> {
    /// One pin, taken from a term and those after it, or a list of them.
    pub(super) fn pins(&mut self, run: &mut Run<'a>, label: &'static Label, term: &'a Term) -> Option<Pins> {
        let pins = if let TermKind::List(terms) = &term.kind {
            self.listed_pins(run, label, terms)?
        } else {
            let mut at = run.at - 1;
            let found = self.pin(run.terms, &mut at);
            run.at = run.at.max(at);
            match found {
                Found::Pin(pin) => vec![pin],
                Found::Wrong => return None,
                Found::Nothing => return self.wrong(run, label, term),
            }
        };
        Pins::of(&pins).or_else(|| self.fail(error::effect::contradictory_pins(term.span)))
    }

    fn listed_pins(&mut self, run: &mut Run<'a>, label: &'static Label, terms: &'a [Term]) -> Option<Vec<Pin>> {
        let (mut pins, mut at) = (Vec::new(), 0);
        while let Some(term) = terms.get(at) {
            // The number after an unknown word belongs to it.
            let next = at + 1 + usize::from(number(terms, at + 1).is_some());
            pins.push(match self.pin(terms, &mut at) {
                Found::Pin(pin) => Some(pin),
                Found::Wrong => None,
                Found::Nothing => self.wrong(run, label, term),
            });
            at = if pins.last().is_some_and(Option::is_some) { at } else { at.max(next) };
        }
        pins.into_iter().collect()
    }

    /// The pin that begins at a term. The place of the term becomes that of the first one after it.
    fn pin(&mut self, terms: &'a [Term], at: &mut usize) -> Found {
        let Some(first) = word(terms, *at) else { return Found::Nothing };
        *at += 1;
        let place = *at + usize::from(first == "users");
        let count = Unit::Counted(Counted::Count);
        let (number, unit, pin): (_, _, fn(u64) -> Pin) = match (first, number(terms, place)) {
            ("users", Some(number)) if word(terms, *at) == Some("within") => (number, Unit::Tokens, Pin::UsersWithin),
            ("newest", Some(number)) if word(terms, place + 1) == Some("users") => (number, count, Pin::NewestUsers),
            ("first", Some(number)) if matches!(word(terms, place + 1), Some("messages" | "message")) => {
                (number, Unit::Counted(Counted::Messages), Pin::FirstMessages)
            }
            _ => return Pin::from_word(first).map_or(Found::Nothing, Found::Pin),
        };
        *at = place;
        let amount = self.pinned_amount(terms, at, number, unit);
        *at += usize::from(first == "newest");
        amount.map_or(Found::Wrong, |amount| Found::Pin(pin(amount)))
    }

    /// A number with its unit, of at least 1.
    fn pinned_amount(&mut self, terms: &'a [Term], at: &mut usize, number: Number, unit: Unit) -> Option<u64> {
        let span = terms[*at].span;
        let word =
            unit_word(number, terms.get(*at + 1), |word| unit.word().is_some() && Unit::from_word(word).is_some());
        *at += 1 + usize::from(word.is_some());
        let span = word.as_ref().map_or(span, |word| span.to(word.span));
        let constant = self.number(number, word.as_ref(), span)?;
        let amount = self.fit(constant, &[unit], &Wanted::new(&"`pin`"), span, None)?.to_u64();
        if amount == 0 {
            return self.fail(error::unit::too_small(span, "`pin`", unit));
        }
        Some(amount)
    }
}

fn word(terms: &[Term], at: usize) -> Option<&str> {
    match &terms.get(at)?.kind {
        TermKind::Word(word) => Some(word),
        _ => None,
    }
}

fn number(terms: &[Term], at: usize) -> Option<Number> {
    match &terms.get(at)?.kind {
        TermKind::Number(number) => Some(*number),
        _ => None,
    }
}
