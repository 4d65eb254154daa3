//! Built-in summarisers for a live session. They answer immediately.

use std::future::ready;

use trimtab_language::effect::SummaryRequest;
use trimtab_simulate::simulate::{ConstantSummariser, Extract, FailingSummariser, Summariser};

use super::{Summarise, SummaryAnswer, SummaryError, SummaryFuture};

/// The answer of a summariser that answers immediately.
fn immediate<'a>(mut summariser: impl Summariser, request: &SummaryRequest, number: u64) -> SummaryFuture<'a> {
    let answer = summariser.summarise(request, number);
    Box::pin(ready(answer.map(SummaryAnswer::from).map_err(SummaryError::Other)))
}

impl Summarise for Extract {
    fn summarise<'a>(&'a self, request: &'a SummaryRequest, number: u64) -> SummaryFuture<'a> {
        immediate(*self, request, number)
    }
}

impl Summarise for ConstantSummariser {
    fn summarise<'a>(&'a self, request: &'a SummaryRequest, number: u64) -> SummaryFuture<'a> {
        immediate(self.clone(), request, number)
    }
}

impl Summarise for FailingSummariser {
    fn summarise<'a>(&'a self, request: &'a SummaryRequest, number: u64) -> SummaryFuture<'a> {
        immediate(*self, request, number)
    }
}
