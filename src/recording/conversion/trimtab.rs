//! Trimtab JSONL, which has a place for everything.

use super::ConversionFormat;
use crate::transcript;

pub(super) static FORMAT: ConversionFormat = ConversionFormat {
    name: "trimtab",
    summary: "Trimtab JSONL, which keeps everything that is read",
    write: |transcript, _| transcript::write(transcript),
};
