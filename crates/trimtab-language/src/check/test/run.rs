//! A cursor over the terms of a statement.

use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Expr, ExprKind, Number, Statement, Term, TermKind, Text};

/// A position in the terms of a statement.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    terms: &'a [Term],
    commas: &'a [usize],
    at: usize,
    whole: Span,
}

impl<'a> Run<'a> {
    /// Before the first term of a statement.
    pub(super) fn of(statement: &'a Statement) -> Self {
        Self { terms: &statement.terms, commas: &statement.commas, at: 0, whole: statement.span }
    }

    /// The next term.
    pub(super) fn peek(&self) -> Option<&'a Term> {
        self.terms.get(self.at)
    }

    /// Whether there is a comma before the next term.
    pub(super) fn is_behind_comma(&self) -> bool {
        self.commas.contains(&self.at)
    }

    /// The term after the next one.
    pub(super) fn second(&self) -> Option<&'a Term> {
        self.terms.get(self.at + 1)
    }

    /// Takes the next term.
    pub(super) fn bump(&mut self) -> Option<&'a Term> {
        let term = self.peek()?;
        self.at += 1;
        Some(term)
    }

    /// The next term if it is a word.
    pub(super) fn word(&self) -> Option<&'a str> {
        word(self.peek()?)
    }

    /// Takes the next term if it is this word.
    pub(super) fn take(&mut self, wanted: &str) -> bool {
        let found = self.word() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    /// Takes a word or a text that is a name.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        let name = match &self.peek()?.kind {
            TermKind::Word(word) => word.as_str(),
            TermKind::Text(text) => &text.value,
            _ => return None,
        };
        self.at += 1;
        Some(name)
    }

    /// Takes a text.
    pub(super) fn text(&mut self) -> Option<&'a Text> {
        let TermKind::Text(text) = &self.peek()?.kind else { return None };
        self.at += 1;
        Some(text)
    }

    /// Takes a whole number without a unit.
    pub(super) fn count(&mut self) -> Option<u64> {
        let TermKind::Number(Number::Plain(number)) = &self.peek()?.kind else { return None };
        let fits = number.fract().is_zero() && !number.is_sign_negative();
        let number = fits.then(|| trimtab_base::quantity::whole(*number))?;
        self.at += 1;
        Some(number)
    }

    /// Takes `x5`: how often.
    pub(super) fn times(&mut self) -> Option<u64> {
        let times = self.word()?.strip_prefix('x')?.parse().ok()?;
        self.at += 1;
        Some(times)
    }

    /// The span of the next term; the end of the statement if there is none.
    pub(super) fn place(&self) -> Span {
        self.peek().map_or_else(|| self.last(), |term| term.span)
    }

    /// The span of the previous term; the statement if there is none.
    pub(super) fn last(&self) -> Span {
        self.at.checked_sub(1).and_then(|at| self.terms.get(at)).map_or(self.whole, |term| term.span)
    }

    /// All of it.
    pub(super) const fn whole(&self) -> Span {
        self.whole
    }

    /// Whether one of the terms that are left is one of these words.
    pub(super) fn has_any(&self, words: &[&str]) -> bool {
        self.terms[self.at..].iter().filter_map(word).any(|word| words.contains(&word))
    }
}

/// The word that a term is.
pub(super) fn word(term: &Term) -> Option<&str> {
    match &term.kind {
        TermKind::Word(word) => Some(word),
        _ => None,
    }
}

/// The name and the expression of a name with arguments.
pub(super) fn call(term: &Term) -> Option<(&str, &Expr)> {
    match &term.kind {
        TermKind::Call(call) => match &call.kind {
            ExprKind::Call(name, _) => Some((&name.node, call)),
            _ => None,
        },
        _ => None,
    }
}
