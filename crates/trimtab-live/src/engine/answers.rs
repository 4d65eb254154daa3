//! The answers that one request has received.

use std::collections::VecDeque;

use trimtab_language::effect::SummaryRequest;
use trimtab_run::run::Answer;

/// A question: a request for a summary, or none for a decision.
type Asked<'a> = Option<&'a SummaryRequest>;

/// The answers to the questions of one request, in their order.
///
/// A session that follows too many histories at once forgets branches, also those that wait for an answer. A branch that is
/// made again asks the same questions, which get the same answers: otherwise many requests at once could make each other
/// ask without end.
#[derive(Debug, Default)]
pub(super) struct Answers {
    given: Vec<(Option<SummaryRequest>, Answer)>,
    /// Those that are given again.
    repeated: VecDeque<(Option<SummaryRequest>, Answer)>,
}

impl Answers {
    /// Records that the questions are asked again.
    pub(super) fn repeat(&mut self) {
        let rest = std::mem::take(&mut self.repeated);
        self.repeated = self.given.drain(..).chain(rest).collect();
    }

    /// The answer that the question had before. Questions before it that are not asked again were answered by the session.
    pub(super) fn known(&mut self, asked: Asked<'_>) -> Option<Answer> {
        let at = self.repeated.iter().position(|(known, _)| known.as_ref() == asked)?;
        let (_, answer) = self.repeated.drain(..=at).next_back()?;
        Some(answer)
    }

    pub(super) fn add(&mut self, asked: Asked<'_>, answer: &Answer) {
        self.given.push((asked.cloned(), answer.clone()));
    }
}
