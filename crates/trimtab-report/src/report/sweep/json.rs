//! A sweep as one JSON object, with all combinations and all axes.

use super::{SweepFormat, SweepReport};
use crate::report::encoding::{Encoding, pretty};
use crate::report::result::SweepResult;

pub(super) static FORMAT: SweepFormat = SweepFormat {
    name: "json",
    summary: "One JSON object with all combinations and axes",
    encoding: Encoding::Json,
    is_page: false,
    render,
};

fn render(report: &SweepReport<'_>) -> String {
    pretty(&SweepResult::from(report))
}
