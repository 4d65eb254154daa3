//! Shares as the command line takes them.

use trimtab_base::quantity::{Decimal, Unit};
use trimtab_syntax::syntax::parse_amount;

/// A share from 0% to 100%.
pub(super) fn parse(text: &str) -> Result<Decimal, String> {
    match parse_amount(text) {
        Some((share, Some(Unit::Share))) if share <= Decimal::ONE => Ok(share),
        _ => Err("expected a share from 0% to 100%, such as 80%".to_owned()),
    }
}
