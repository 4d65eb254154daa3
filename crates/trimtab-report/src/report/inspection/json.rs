//! The resolved policy as JSON.

use super::Inspection;
use crate::report::encoding::pretty;
use crate::report::result::InspectionResult;

pub(super) fn json(inspection: &Inspection<'_>) -> String {
    pretty(&InspectionResult::from(inspection))
}
