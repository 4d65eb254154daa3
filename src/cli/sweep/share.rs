//! Shares as the command line takes them.

use crate::quantity::{Decimal, Unit};
use crate::syntax::parse_amount;

/// A share from 0% to 100%.
pub(super) fn parse(text: &str) -> Result<Decimal, String> {
    match parse_amount(text) {
        Some((share, Some(Unit::Share))) if share <= Decimal::ONE => Ok(share),
        _ => Err("expected a share from 0% to 100%, such as 80%".to_owned()),
    }
}
