//! A comparison as one JSON object.

use super::{Comparison, ComparisonFormat};
use crate::report::encoding::{Encoding, pretty};
use crate::report::result::DifferenceResult;

pub(super) static FORMAT: ComparisonFormat =
    ComparisonFormat { name: "json", summary: "One JSON object", encoding: Encoding::Json, render };

fn render(all: &Comparison<'_>) -> String {
    pretty(&DifferenceResult::from(all))
}
