//! Shares as the command line takes them.

use std::fmt;

use trimtab_base::quantity::{Decimal, Quantity, Unit};
use trimtab_syntax::syntax::parse_amount;

/// A share from 0% to 100%.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share(pub(super) Decimal);

impl fmt::Display for Share {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        Quantity::new(self.0, Unit::Share).fmt(out)
    }
}

pub(super) fn parse(text: &str) -> Result<Share, String> {
    match parse_amount(text) {
        Some((share, Some(Unit::Share))) if share <= Decimal::ONE => Ok(Share(share)),
        _ => Err("expected a share from 0% to 100%, such as 80%".to_owned()),
    }
}
