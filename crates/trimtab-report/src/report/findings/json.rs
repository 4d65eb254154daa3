//! One JSON object; `trimtab schema findings` describes it.

use super::{FindingFormat, Findings};
use crate::report::encoding::{Encoding, pretty};
use crate::report::result::FindingsResult;

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "json", summary: "One JSON object", encoding: Encoding::Json, render };

fn render(all: &Findings<'_>) -> String {
    pretty(&FindingsResult::from(all))
}
