//! Trimtab JSONL, which has a place for everything.

use trimtab_recordings::transcript;

use super::ConversionFormat;

pub(super) static FORMAT: ConversionFormat = ConversionFormat {
    name: "trimtab",
    summary: "Trimtab JSONL, which keeps everything that is read",
    write: |transcript, _| transcript::write(transcript),
};
