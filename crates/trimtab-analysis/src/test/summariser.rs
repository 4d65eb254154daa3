//! The summariser of a test.

use trimtab_language::check::Summary;
use trimtab_language::effect::SummaryRequest;
use trimtab_simulate::simulate::{ConstantSummariser, Extract, FailingSummariser, Summariser};

/// Gives the answers of a test in turn, repeats the last one, and extracts if there are none.
pub(super) struct ScriptedSummariser<'a> {
    pub(super) answers: &'a [Summary],
    /// How many requests it has answered.
    pub(super) requests: usize,
}

impl Summariser for ScriptedSummariser<'_> {
    fn summarise(&mut self, request: &SummaryRequest, number: u64) -> Result<String, String> {
        let answer = self.answers.get(self.requests).or(self.answers.last());
        self.requests += 1;
        match answer {
            None => Extract.summarise(request, number),
            Some(Summary::Text(text)) => ConstantSummariser(text.to_string()).summarise(request, number),
            Some(Summary::Fails) => FailingSummariser.summarise(request, number),
        }
    }
}
