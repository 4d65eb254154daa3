//! The names that a file uses, and where; one in a run of terms may be a word of the language, too.

use std::collections::HashMap;

use smol_str::SmolStr;

use crate::source::Span;
use crate::syntax::tree::{Expr, ExprKind, File, Term, TermKind, Text};
use crate::syntax::walk::{self, Visitor};

/// The names that a file uses.
#[derive(Debug, Default)]
pub(crate) struct Names {
    uses: HashMap<SmolStr, Vec<Use>>,
    /// The text that was met last.
    text: Option<Span>,
}

/// A place where a name is used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    /// The name there.
    pub(crate) span: Span,
    /// What it is used in.
    pub(crate) place: Place,
}

/// What a name is used in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A condition or a value.
    Expression,
    /// A text, between braces.
    Text,
    /// A run of terms, such as the labels of an effect or a list.
    Run,
}

impl Names {
    /// The names of a file.
    pub(crate) fn of(file: &File) -> Self {
        let mut names = Self::default();
        walk::file(file, &mut names);
        names
    }

    /// The places where a name is used, in the order written.
    pub(crate) fn uses(&self, name: &str) -> &[Use] {
        self.uses.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    fn add(&mut self, name: &SmolStr, span: Span, place: Place) {
        self.uses.entry(name.clone()).or_default().push(Use { span, place });
    }
}

impl<'t> Visitor<'t> for Names {
    fn expression(&mut self, expr: &'t Expr) {
        if let ExprKind::Name(name) = &expr.kind {
            let inside = self.text.is_some_and(|text| text.start <= expr.span.start && expr.span.end <= text.end);
            self.add(name, expr.span, if inside { Place::Text } else { Place::Expression });
        }
    }

    fn term(&mut self, term: &'t Term) {
        if let TermKind::Word(word) = &term.kind {
            self.add(word, term.span, Place::Run);
        }
    }

    fn text(&mut self, text: &'t Text) {
        self.text = Some(text.span);
    }
}
