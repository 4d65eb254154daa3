//! The checks as one JSON object.

use super::{CiFormat, CiReport};
use crate::report::encoding::{Encoding, pretty};
use crate::report::result::CiResult;

pub(super) static FORMAT: CiFormat =
    CiFormat { name: "json", summary: "One JSON object", encoding: Encoding::Json, render };

fn render(all: &CiReport) -> String {
    pretty(&CiResult::from(all))
}
