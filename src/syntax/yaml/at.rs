//! Pieces of the syntax tree, all at one place of the YAML text.

use crate::quantity::Decimal;
use crate::source::{Span, Spanned};
use crate::syntax::tree::{
    Argument, Clause, ClauseKind, EffectCall, Expr, ExprKind, Name, Number, Operator, Piece, Term, TermKind, Text,
};

/// The place at which pieces of the tree are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct At(pub(super) Span);

/// A number of the YAML text or a default, and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amount {
    number: Decimal,
    span: Span,
}

/// A part of a text: as it stands, or a place to fill as it is written and as it is meant.
pub(super) enum Part<'a> {
    Literal(&'a str),
    Hole(String, Expr),
}

impl At {
    pub(super) fn named(self, name: &str) -> Name {
        Spanned::new(name.into(), self.0)
    }

    fn expr(self, kind: ExprKind) -> Expr {
        Expr { kind, span: self.0 }
    }

    fn term(self, kind: TermKind) -> Term {
        Term { kind, span: self.0 }
    }

    pub(super) fn word(self, word: &str) -> Term {
        self.term(TermKind::Word(word.into()))
    }

    pub(super) fn list(self, terms: Vec<Term>) -> Term {
        self.term(TermKind::List(terms))
    }

    pub(super) fn number(self, number: u32) -> Amount {
        Amount::new(number.into(), self.0)
    }

    pub(super) fn name(self, name: &str) -> Expr {
        self.expr(ExprKind::Name(name.into()))
    }

    pub(super) fn zero(self) -> Expr {
        self.expr(ExprKind::Number(Number::Plain(Decimal::ZERO), None))
    }

    pub(super) fn quoted(self, text: &str) -> Expr {
        self.expr(ExprKind::Text(Box::new(self.literal(text))))
    }

    /// A name with one argument.
    pub(super) fn call(self, name: &str, label: Option<&str>, value: Expr) -> Expr {
        let argument = Argument { name: label.map(|label| self.named(label)), value };
        self.expr(ExprKind::Call(self.named(name), vec![argument]))
    }

    pub(super) fn compare(self, left: Expr, sign: Operator, right: Expr) -> Expr {
        self.expr(ExprKind::Compare(Box::new(left), vec![(Spanned::new(sign, self.0), right)]))
    }

    pub(super) fn all(self, conditions: Vec<Expr>) -> Expr {
        self.expr(ExprKind::And(conditions))
    }

    pub(super) fn otherwise(self, value: Expr, fallback: Expr) -> Expr {
        self.expr(ExprKind::Default(Box::new(value), Box::new(fallback)))
    }

    /// A text without places to fill.
    pub(super) fn literal(self, text: &str) -> Text {
        Text { value: text.to_owned(), pieces: Vec::new(), block: false, span: self.0 }
    }

    pub(super) fn text(self, parts: Vec<Part<'_>>) -> Text {
        let mut text = self.literal("");
        for part in parts {
            match part {
                Part::Literal(literal) => {
                    text.value += literal;
                    text.pieces.push(Piece::Literal(literal.to_owned()));
                }
                Part::Hole(written, meant) => {
                    text.value += &format!("{{{written}}}");
                    text.pieces.push(Piece::Hole(meant));
                }
            }
        }
        text
    }

    pub(super) fn clause(self, kind: ClauseKind) -> Clause {
        Clause { kind, word: self.0, span: self.0 }
    }

    pub(super) fn on(self, phase: &str) -> Clause {
        self.clause(ClauseKind::On(self.named(phase)))
    }

    /// `do NAME TERMS`
    pub(super) fn action(self, name: &str, terms: Vec<Term>) -> Clause {
        self.clause(ClauseKind::Do(vec![EffectCall { name: self.named(name), terms, span: self.0 }]))
    }

    /// `do inject TEXT as user`
    pub(super) fn inject(self, text: Text) -> Clause {
        self.action("inject", vec![self.term(TermKind::Text(text)), self.word("as"), self.word("user")])
    }

    pub(super) fn on_failure(self, word: &str) -> Clause {
        self.clause(ClauseKind::OnFailure(vec![self.word(word)], None))
    }

    pub(super) fn text_term(self, text: &str) -> Term {
        self.term(TermKind::Text(self.literal(text)))
    }
}

impl Amount {
    pub(super) fn new(number: Decimal, span: Span) -> Self {
        Self { number: number.normalize(), span }
    }

    /// The number itself.
    pub(super) const fn amount(self) -> Decimal {
        self.number
    }

    /// `LABEL NUMBER UNIT` in an effect.
    pub(super) fn label(self, label: &str, unit: &str) -> [Term; 3] {
        let at = At(self.span);
        [at.word(label), at.term(TermKind::Number(Number::Plain(self.number))), at.word(unit)]
    }

    /// `NUMBER UNIT` in an expression.
    pub(super) fn counted(self, unit: &str) -> Expr {
        let at = At(self.span);
        at.expr(ExprKind::Number(Number::Plain(self.number), Some(at.named(unit))))
    }

    /// `NUMBER%` in an expression.
    pub(super) fn share(self) -> Expr {
        At(self.span).expr(ExprKind::Number(Number::Percent(self.number), None))
    }
}
