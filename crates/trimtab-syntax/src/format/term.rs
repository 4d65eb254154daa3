//! Formats sequences of terms (in effects, lists, `agent` blocks and the statements of tests) and texts.
//!
//! Lines break before a word that names a value. Without knowing the effect, that is a word before a value or after one.

use std::borrow::Cow;

use trimtab_base::source::Span;

use super::document::{Part, width};
use super::formatter::{Formatter, Gap};
use crate::syntax::tree::{EffectCall, Number, Term, TermKind, Text};

impl<'t> Formatter<'t> {
    /// Formats an effect.
    pub(super) fn effect(&mut self, effect: &'t EffectCall) {
        self.token(effect.name.span);
        if !effect.terms.is_empty() {
            self.space();
            self.terms(&effect.terms);
        }
    }

    /// Formats terms with spaces between them, and breaks the line where one does not fit.
    pub(super) fn terms(&mut self, terms: &'t [Term]) {
        for (at, term) in terms.iter().enumerate() {
            if at > 0 {
                self.parts.push(if begins_option(terms, at) { Part::Fill } else { Part::Space(1) });
            }
            self.term(term);
        }
    }

    /// Formats the terms of a statement of a test. Lines break only after the author's commas, and not before a word, since
    /// a line must not start with a word that begins an item.
    pub(super) fn statement_terms(&mut self, terms: &'t [Term]) {
        for (at, term) in terms.iter().enumerate() {
            let comma = self.skip(',');
            if comma && at > 0 {
                self.parts.extend([Part::Token(","), if is_word(term) { Part::Space(1) } else { Part::Fill }]);
            } else {
                self.space();
            }
            self.term(term);
        }
    }

    pub(super) fn term(&mut self, term: &'t Term) {
        match &term.kind {
            TermKind::Number(_) | TermKind::Word(_) | TermKind::Comparison(_) => self.token(term.span),
            TermKind::Call(value) => self.expression(value),
            TermKind::Text(text) => self.literal(text),
            TermKind::List(terms) if self.slice(term.span).starts_with('[') => self.list(terms),
            TermKind::List(terms) => self.numbers(terms),
            TermKind::Pair(name, value) => {
                self.token(name.span);
                self.fixed_token(":");
                self.space();
                self.expression(value);
            }
            TermKind::Range(from, to, step) => {
                self.token(from.span);
                self.fixed_token("..");
                self.token(to.span);
                if let Some(step) = step {
                    self.space();
                    self.fixed_token("by");
                    self.space();
                    self.token(step.span);
                }
            }
        }
    }

    /// Formats a list. If it does not fit on a line, names and numbers fill lines; anything else gets a line for each entry.
    pub(super) fn list(&mut self, terms: &'t [Term]) {
        let start = self.next();
        let simple = |term: &Term| matches!(term.kind, TermKind::Number(_) | TermKind::Word(_));
        let fills = terms.iter().all(simple)
            && terms.last().is_none_or(|last| !self.has_comment(start, last.span.end as usize));
        self.delimited("[", "]", terms.is_empty(), |f| {
            for (at, term) in terms.iter().enumerate() {
                if at > 0 && f.is_joined(&terms[at - 1], term) {
                    f.space();
                } else if at > 0 {
                    f.parts.extend([Part::Token(","), if fills { Part::Fill } else { Part::Line }]);
                }
                f.term(term);
            }
        });
    }

    /// Formats numbers with commas between them and without brackets.
    fn numbers(&mut self, terms: &'t [Term]) {
        for (at, term) in terms.iter().enumerate() {
            if at > 0 {
                if !self.is_joined(&terms[at - 1], term) {
                    self.fixed_token(",");
                }
                self.space();
            }
            self.term(term);
        }
    }

    /// Whether a term of a list belongs to the one before it: no comma stands between a number, its unit and its name.
    fn is_joined(&self, before: &Term, term: &Term) -> bool {
        let gap = self.text.get(before.span.end as usize..term.span.start as usize);
        let code = |line: &'t str| line.split('#').next().unwrap_or_default();
        gap.is_some_and(|gap| !gap.lines().any(|line| code(line).contains(',')))
    }

    /// Formats the fields of an agent block, one on each line, with aligned values.
    pub(super) fn agent_fields(&mut self, terms: &'t [Term]) {
        let starts: Vec<usize> = (0..terms.len()).filter(|&at| at == 0 || self.is_field(terms, at)).collect();
        let ends = starts.iter().skip(1).copied().chain([terms.len()]);
        let fields: Vec<&[Term]> = starts.iter().zip(ends).map(|(&start, end)| &terms[start..end]).collect();
        let name = |field: &&[Term]| width(self.slice(field[0].span));
        let widest = fields.iter().filter(|field| field.len() > 1).map(name).max().unwrap_or(0);
        for (at, field) in fields.into_iter().enumerate() {
            self.begin(field[0].span.start as usize, if at == 0 { Gap::Tight } else { Gap::Preserve });
            self.term(&field[0]);
            self.indented(|f| {
                let width = width(f.slice(field[0].span));
                f.parts.push(Part::Space((widest + 1).saturating_sub(width).max(1)));
                f.terms(&field[1..]);
            });
            self.end();
        }
    }

    /// Whether a term begins a field: a word after a value, or at the start of a line in the source.
    fn is_field(&self, terms: &[Term], at: usize) -> bool {
        let gap = self.text.get(terms[at - 1].span.end as usize..terms[at].span.start as usize);
        is_word(&terms[at])
            && !is_unit_word(terms, at)
            && (ends_value(terms, at - 1) || gap.is_some_and(|gap| gap.contains('\n')))
    }

    /// Formats a text: unchanged, except that a block is indented like its statement if that does not change its value.
    pub(super) fn literal(&mut self, text: &'t Text) {
        if !text.block {
            return self.token(text.span);
        }
        self.comments_before(text.span.start as usize);
        if self.can_reindent(text) {
            self.parts.push(Part::Block(&text.value));
            self.skip_to(text.span.end as usize);
        } else {
            self.verbatim(text.span);
        }
    }

    /// Whether both quotes of a block are on lines of their own, so that its indentation is not part of its value.
    fn can_reindent(&self, text: &Text) -> bool {
        let written = self.slice(text.span);
        let inside = written.strip_prefix("\"\"\"").and_then(|rest| rest.strip_suffix("\"\"\"")).unwrap_or_default();
        let lines = inside.split_once('\n').zip(inside.rsplit_once('\n'));
        let has_own_lines =
            lines.is_some_and(|((first, _), (_, last))| first.trim().is_empty() && last.trim().is_empty());
        has_own_lines && !text.value.is_empty() && !text.value.contains('\r')
    }

    /// Copies a region unchanged, except for CRLF line endings.
    pub(super) fn verbatim(&mut self, span: Span) {
        self.comments_before(span.start as usize);
        let written = self.slice(span);
        // Replacing the line endings in `\r\r\n` would change a text.
        let keeps = !written.contains('\r') || written.contains("\r\r");
        let text = if keeps { Cow::Borrowed(written) } else { Cow::Owned(written.replace("\r\n", "\n")) };
        self.parts.push(Part::Verbatim(text));
        self.skip_to(span.end as usize);
    }
}

const fn is_word(term: &Term) -> bool {
    matches!(term.kind, TermKind::Word(_))
}

/// Whether a word is the unit of the number before it, not the name of the value after it.
fn is_unit_word(terms: &[Term], at: usize) -> bool {
    let counts = at > 0 && matches!(terms[at - 1].kind, TermKind::Number(Number::Plain(_)));
    counts && is_word(&terms[at]) && terms.get(at + 1).is_none_or(is_word)
}

/// Whether a value ends with this term.
fn ends_value(terms: &[Term], at: usize) -> bool {
    match terms[at].kind {
        TermKind::Number(Number::Plain(_)) => !terms.get(at + 1).is_some_and(is_word) || !is_unit_word(terms, at + 1),
        TermKind::Word(_) => is_unit_word(terms, at),
        _ => true,
    }
}

/// Whether a term is a word that names a value.
fn begins_option(terms: &[Term], at: usize) -> bool {
    is_word(&terms[at])
        && !is_unit_word(terms, at)
        && (terms.get(at + 1).is_some_and(|next| !is_word(next)) || ends_value(terms, at - 1))
}
