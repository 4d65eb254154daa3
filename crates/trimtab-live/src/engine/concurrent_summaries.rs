//! Summaries that are written concurrently.

use std::sync::Arc;

use futures_util::future::join_all;
use trimtab_language::effect::SummaryRequest;
use trimtab_run::run::Answer;

use super::Engine;

/// Answers to requests that the session has not made yet.
#[derive(Debug, Default)]
pub(super) struct PrefetchedSummaries(Vec<(Arc<SummaryRequest>, Answer)>);

impl PrefetchedSummaries {
    /// Takes the answer to a request. The same request gets no second answer: if it is made again, it needs a new
    /// summary.
    pub(super) fn take(&mut self, request: &Arc<SummaryRequest>) -> Option<Answer> {
        let index = self.0.iter().position(|(answered, _)| answered == request)?;
        Some(self.0.remove(index).1)
    }

    /// Writes the summary for a request and, at the same time, those for the upcoming requests. `number` is the number
    /// of the first summary.
    pub(super) async fn summarise(
        &mut self,
        engine: &Engine,
        request: &Arc<SummaryRequest>,
        number: u64,
        upcoming: Vec<Arc<SummaryRequest>>,
    ) -> Answer {
        let is_answered = |request: &Arc<SummaryRequest>| self.0.iter().any(|(answered, _)| answered == request);
        let others: Vec<Arc<SummaryRequest>> = upcoming.into_iter().filter(|other| !is_answered(other)).collect();
        let all = std::iter::once(request).chain(&others).zip(number..);
        let futures = all.map(|(request, number)| engine.summarise(request, number));
        let mut answers = join_all(futures).await.into_iter();
        let first = answers.next();
        self.0.extend(others.into_iter().zip(answers));
        // There is an answer to each request.
        first.unwrap_or_else(|| Answer::Failed(String::new()))
    }
}
