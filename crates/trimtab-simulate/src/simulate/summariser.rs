//! Summarisers without I/O.

use trimtab_language::effect::SummaryRequest;

/// Writes summaries.
pub trait Summariser {
    /// The summary for a request. `number` counts the summaries of a transcript from 1.
    ///
    /// # Errors
    /// The reason why there is no summary.
    fn summarise(&mut self, request: &SummaryRequest, number: u64) -> Result<String, String>;
}

/// Always returns the same text, with `{n}` replaced by the number of the summary.
#[derive(Clone, Debug)]
pub struct ConstantSummariser(pub String);

impl Summariser for ConstantSummariser {
    fn summarise(&mut self, _: &SummaryRequest, number: u64) -> Result<String, String> {
        Ok(self.0.replace("{n}", &number.to_string()))
    }
}

/// Always fails.
#[derive(Clone, Copy, Debug)]
pub struct FailingSummariser;

impl Summariser for FailingSummariser {
    fn summarise(&mut self, _: &SummaryRequest, _: u64) -> Result<String, String> {
        Err("the summariser is set to fail".to_owned())
    }
}
