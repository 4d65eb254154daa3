//! Summarisers that need nothing from outside.

use crate::effect::SummaryRequest;

/// Writes summaries.
pub trait Summariser {
    /// The answer to a request, or why there is none. `number` counts the summaries of a transcript from 1.
    ///
    /// # Errors
    /// When no summary can be had; the text says why.
    fn summarise(&mut self, request: &SummaryRequest, number: u64) -> Result<String, String>;
}

/// Always the same text; `{n}` in it is the number of the summary.
#[derive(Clone, Debug)]
pub struct Fixed(pub String);

impl Summariser for Fixed {
    fn summarise(&mut self, _: &SummaryRequest, number: u64) -> Result<String, String> {
        Ok(self.0.replace("{n}", &number.to_string()))
    }
}

/// Always fails.
#[derive(Clone, Copy, Debug)]
pub struct Fails;

impl Summariser for Fails {
    fn summarise(&mut self, _: &SummaryRequest, _: u64) -> Result<String, String> {
        Err("the summariser was told to fail".to_owned())
    }
}
