//! The names that a file uses, with their places. A word among the terms of an effect may also be a keyword.

use std::collections::HashMap;

use smol_str::SmolStr;
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Expr, ExprKind, File, Term, TermKind, Text};
use trimtab_syntax::syntax::walk::{self, Visitor};

/// The names that a file uses.
#[derive(Debug, Default)]
pub(crate) struct Names {
    uses: HashMap<SmolStr, Vec<Use>>,
    /// The last visited text.
    text: Option<Span>,
}

/// A use of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    /// The place of the name.
    pub span: Span,
    /// Where it is used.
    pub place: NameUse,
}

/// Where a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameUse {
    /// In a condition or a value.
    Expression,
    /// In braces in a text.
    Text,
    /// Among terms, such as the labels of an effect or the elements of a list.
    Terms,
}

impl Names {
    /// The names of a file.
    pub(crate) fn of(file: &File) -> Self {
        let mut names = Self::default();
        walk::file(file, &mut names);
        names
    }

    /// The uses of a name, in order.
    pub(crate) fn uses(&self, name: &str) -> &[Use] {
        self.uses.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    fn add(&mut self, name: &SmolStr, span: Span, place: NameUse) {
        self.uses.entry(name.clone()).or_default().push(Use { span, place });
    }
}

impl<'t> Visitor<'t> for Names {
    fn expression(&mut self, expr: &'t Expr) {
        if let ExprKind::Name(name) = &expr.kind {
            let inside = self.text.is_some_and(|text| text.start <= expr.span.start && expr.span.end <= text.end);
            self.add(name, expr.span, if inside { NameUse::Text } else { NameUse::Expression });
        }
    }

    fn term(&mut self, term: &'t Term) {
        if let TermKind::Word(word) = &term.kind {
            self.add(word, term.span, NameUse::Terms);
        }
    }

    fn text(&mut self, text: &'t Text) {
        self.text = Some(text.span);
    }
}
