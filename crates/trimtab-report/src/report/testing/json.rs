//! Test results as JSON.

use super::{TestFormat, TestReport};
use crate::report::encoding::{Encoding, pretty};
use crate::report::result::TestsResult;

pub(super) static FORMAT: TestFormat =
    TestFormat { name: "json", summary: "One JSON object", encoding: Encoding::Json, render };

fn render(all: &TestReport<'_>) -> String {
    pretty(&TestsResult::from(all))
}
