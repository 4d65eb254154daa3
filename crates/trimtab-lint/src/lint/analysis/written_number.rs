//! The numbers of a file with their units.

use smol_str::SmolStr;
use trimtab_base::quantity::Decimal;
use trimtab_base::source::{Span, Spanned};
use trimtab_syntax::syntax::tree::{EffectCall, Expr, ExprKind, Item, Number, Term, TermKind};
use trimtab_syntax::syntax::walk::{self, Visitor};

use crate::lint::Subject;

/// A number other than a percentage, money or a duration, as written.
pub(crate) struct WrittenNumber<'t> {
    pub amount: Decimal,
    /// The place of the digits.
    pub span: Span,
    /// The unit after the digits.
    pub unit: Option<Spanned<&'t str>>,
}

struct Numbers<'t>(Vec<WrittenNumber<'t>>);

/// All such numbers of a file, in order.
pub(crate) fn numbers<'t>(subject: &Subject<'t>) -> Vec<WrittenNumber<'t>> {
    let mut numbers = Numbers(Vec::new());
    for item in &subject.file.items {
        if let Item::Agent(agent) = item {
            numbers.run(&agent.terms);
        }
        walk::item(item, &mut numbers);
    }
    let text = subject.source.text();
    for number in &mut numbers.0 {
        // In an expression the span includes the unit.
        let digits = text.get(number.span.range()).unwrap_or_default();
        let length = digits.find(|operator: char| operator.is_whitespace()).unwrap_or(digits.len());
        number.span = Span::new(number.span.source, number.span.start as usize, number.span.start as usize + length);
    }
    numbers.0.sort_by_key(|number| number.span.start);
    numbers.0
}

impl<'t> Numbers<'t> {
    fn run(&mut self, terms: &'t [Term]) {
        for (at, term) in terms.iter().enumerate() {
            if let TermKind::Number(Number::Plain(amount)) = term.kind {
                let unit = terms.get(at + 1).and_then(|next| match &next.kind {
                    TermKind::Word(word) => Some(Spanned::new(word.as_str(), next.span)),
                    _ => None,
                });
                self.0.push(WrittenNumber { amount, span: term.span, unit });
            }
        }
    }
}

impl<'t> Visitor<'t> for Numbers<'t> {
    fn expression(&mut self, expr: &'t Expr) {
        match &expr.kind {
            ExprKind::Number(Number::Plain(amount), unit) => {
                let unit = unit.as_ref().map(|name: &Spanned<SmolStr>| Spanned::new(name.node.as_str(), name.span));
                self.0.push(WrittenNumber { amount: *amount, span: expr.span, unit });
            }
            ExprKind::List(terms) => self.run(terms),
            _ => {}
        }
    }

    fn effect(&mut self, call: &'t EffectCall) {
        self.run(&call.terms);
    }
}
