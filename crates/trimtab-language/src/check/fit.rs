//! Numbers in the units that a fact, a label or a guard takes.

use trimtab_base::quantity::{Quantity, Unit};
use trimtab_base::source::Span;

use super::checker::Checker;
use super::constant::Constant;
use super::error::{self, Wanted};

impl<'a> Checker<'_, 'a> {
    /// A constant as a number in one of several units; a number without a unit if the only unit is counted.
    /// `value` is the span of its value if it is a let.
    pub(super) fn fit(
        &mut self,
        constant: Constant<'a>,
        units: &[Unit],
        wanted: &Wanted<'_>,
        span: Span,
        value: Option<Span>,
    ) -> Option<Quantity> {
        let finding = match (constant, units) {
            (Constant::Number(amount, None), [unit]) if unit.is_counted() => {
                return self.whole(Quantity::new(amount, *unit), span, wanted);
            }
            (Constant::Number(amount, Some(unit)), _) if units.contains(&unit) => {
                return self.whole(Quantity::new(amount, unit), span, wanted);
            }
            (Constant::Number(amount, None), _) => error::unit::missing(span, value, amount, units, wanted),
            (Constant::Number(amount, Some(unit)), _) => {
                error::unit::wrong(span, value, Quantity::new(amount, unit), units, wanted)
            }
            (other, _) => error::unit::not_a_number(span, other.noun(), units, wanted),
        };
        self.fail(match value {
            Some(value) => finding.label(value, "its value"),
            None => finding,
        })
    }

    fn whole(&mut self, quantity: Quantity, span: Span, wanted: &Wanted<'_>) -> Option<Quantity> {
        if quantity.unit.is_whole() && !quantity.amount.fract().is_zero() {
            return self.fail(error::unit::fraction(span, quantity, wanted));
        }
        Some(quantity)
    }
}
