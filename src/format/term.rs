//! Flat runs of terms: behind effects, in lists, in `agent` and in the statements of tests; and texts.
//!
//! A run is broken before a word that takes something, as far as shapes can tell: a value follows it, or one has just
//! ended.

use std::borrow::Cow;

use super::document::{Part, columns};
use super::walk::{Gap, Walk};
use crate::source::Span;
use crate::syntax::tree::{EffectCall, Number, Term, TermKind, Text};

impl<'t> Walk<'t> {
    /// An effect.
    pub(super) fn effect(&mut self, effect: &'t EffectCall) {
        self.token(effect.name.span);
        if !effect.terms.is_empty() {
            self.space();
            self.run(&effect.terms);
        }
    }

    /// Terms with spaces between them, broken where one does not fit.
    pub(super) fn run(&mut self, terms: &'t [Term]) {
        for (at, term) in terms.iter().enumerate() {
            if at > 0 {
                self.parts.push(if takes(terms, at) { Part::Fill } else { Part::Space(1) });
            }
            self.term(term);
        }
    }

    /// The terms of a statement of a test, with the author's commas, broken behind those. A line may not begin with a
    /// word that begins an item.
    pub(super) fn series(&mut self, terms: &'t [Term]) {
        for (at, term) in terms.iter().enumerate() {
            let comma = self.pass(',');
            if comma && at > 0 {
                self.parts.extend([Part::Token(","), if is_word(term) { Part::Space(1) } else { Part::Fill }]);
            } else {
                self.space();
            }
            self.term(term);
        }
    }

    fn term(&mut self, term: &'t Term) {
        match &term.kind {
            TermKind::Number(_) | TermKind::Word(_) | TermKind::Operator(_) => self.token(term.span),
            TermKind::Call(value) => self.expression(value),
            TermKind::Text(text) => self.literal(text),
            TermKind::List(terms) => self.list(terms),
            TermKind::Pair(name, value) => {
                self.token(name.span);
                self.word(":");
                self.space();
                self.expression(value);
            }
            TermKind::Range(from, to, step) => {
                self.token(from.span);
                self.word("..");
                self.token(to.span);
                if let Some(step) = step {
                    self.space();
                    self.word("by");
                    self.space();
                    self.token(step.span);
                }
            }
        }
    }

    /// A list: names and numbers fill lines, all else stands on a line each when one line is too short.
    pub(super) fn list(&mut self, terms: &'t [Term]) {
        let start = self.next();
        let simple = |term: &Term| matches!(term.kind, TermKind::Number(_) | TermKind::Word(_));
        let fills = terms.iter().all(simple)
            && terms.last().is_none_or(|last| !self.is_remarked(start, last.span.end as usize));
        self.listed("[", "]", terms.is_empty(), |walk| {
            for (at, term) in terms.iter().enumerate() {
                if at > 0 && walk.is_unit(&terms[at - 1], term) {
                    walk.space();
                } else if at > 0 {
                    walk.parts.extend([Part::Token(","), if fills { Part::Fill } else { Part::Line }]);
                }
                walk.term(term);
            }
        });
    }

    /// Whether a term of a list is the unit of the number before it: nothing else stands there without a comma.
    fn is_unit(&self, number: &Term, term: &Term) -> bool {
        let gap = self.text.get(number.span.end as usize..term.span.start as usize);
        matches!((&number.kind, &term.kind), (TermKind::Number(_), TermKind::Word(_)))
            && gap.is_some_and(|gap| gap.trim().is_empty())
    }

    /// The fields of an agent block, one a line, with their values below one another.
    pub(super) fn fields(&mut self, terms: &'t [Term]) {
        let starts: Vec<usize> = (0..terms.len()).filter(|&at| at == 0 || self.is_field(terms, at)).collect();
        let ends = starts.iter().skip(1).copied().chain([terms.len()]);
        let fields: Vec<&[Term]> = starts.iter().zip(ends).map(|(&start, end)| &terms[start..end]).collect();
        let name = |field: &&[Term]| columns(self.slice(field[0].span));
        let widest = fields.iter().filter(|field| field.len() > 1).map(name).max().unwrap_or(0);
        for (at, field) in fields.into_iter().enumerate() {
            self.begin(field[0].span.start as usize, if at == 0 { Gap::Tight } else { Gap::Kept });
            self.term(&field[0]);
            self.nest(|walk| {
                let width = columns(walk.slice(field[0].span));
                walk.parts.push(Part::Space((widest + 1).saturating_sub(width).max(1)));
                walk.run(&field[1..]);
            });
            self.end();
        }
    }

    /// Whether a term begins a field: a word behind a value, or one that the author begins a line with.
    fn is_field(&self, terms: &[Term], at: usize) -> bool {
        let gap = self.text.get(terms[at - 1].span.end as usize..terms[at].span.start as usize);
        is_word(&terms[at])
            && !is_measure(terms, at)
            && (ends_value(terms, at - 1) || gap.is_some_and(|gap| gap.contains('\n')))
    }

    /// A text as it stands; a block on lines of its own moves with its statement.
    pub(super) fn literal(&mut self, text: &'t Text) {
        if !text.block {
            return self.token(text.span);
        }
        self.remarks(text.span.start as usize);
        if self.moves(text) {
            self.parts.push(Part::Block(&text.value));
            self.pass_to(text.span.end as usize);
        } else {
            self.raw(text.span);
        }
    }

    /// Whether a block has nothing beside its quotes, so that its indent is not part of its value.
    fn moves(&self, text: &Text) -> bool {
        let written = self.slice(text.span);
        let inside = written.strip_prefix("\"\"\"").and_then(|rest| rest.strip_suffix("\"\"\"")).unwrap_or_default();
        let lines = inside.split_once('\n').zip(inside.rsplit_once('\n'));
        let is_framed = lines.is_some_and(|((first, _), (_, last))| first.trim().is_empty() && last.trim().is_empty());
        is_framed && !text.value.is_empty() && !text.value.contains('\r')
    }

    /// A stretch as it stands, but for the line ends of another system.
    pub(super) fn raw(&mut self, span: Span) {
        self.remarks(span.start as usize);
        let written = self.slice(span);
        // A line end that is doubled would turn into another text.
        let keeps = !written.contains('\r') || written.contains("\r\r");
        let text = if keeps { Cow::Borrowed(written) } else { Cow::Owned(written.replace("\r\n", "\n")) };
        self.parts.push(Part::Raw(text));
        self.pass_to(span.end as usize);
    }
}

const fn is_word(term: &Term) -> bool {
    matches!(term.kind, TermKind::Word(_))
}

/// Whether a word is the unit of the number before it, and not the name of the value behind it.
fn is_measure(terms: &[Term], at: usize) -> bool {
    let counts = at > 0 && matches!(terms[at - 1].kind, TermKind::Number(Number::Plain(_)));
    counts && is_word(&terms[at]) && terms.get(at + 1).is_none_or(is_word)
}

/// Whether a value ends with this term.
fn ends_value(terms: &[Term], at: usize) -> bool {
    match terms[at].kind {
        TermKind::Number(Number::Plain(_)) => !terms.get(at + 1).is_some_and(is_word) || !is_measure(terms, at + 1),
        TermKind::Word(_) => is_measure(terms, at),
        _ => true,
    }
}

/// Whether a term is a word that takes something.
fn takes(terms: &[Term], at: usize) -> bool {
    is_word(&terms[at])
        && !is_measure(terms, at)
        && (terms.get(at + 1).is_some_and(|next| !is_word(next)) || ends_value(terms, at - 1))
}
