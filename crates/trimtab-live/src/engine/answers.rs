//! The answers that one request has received.

use std::collections::VecDeque;

use trimtab_language::effect::SummaryRequest;
use trimtab_run::run::Answer;

/// What tells questions apart: the request for a summary, or `None` for all other questions.
type QuestionKey<'a> = Option<&'a SummaryRequest>;

/// The answers to the questions of one request, in their order.
///
/// A session with too many histories at once forgets branches, even those that wait for an answer. A branch that is
/// rebuilt asks the same questions and gets the same answers. Without this, many concurrent requests could make each
/// other ask forever.
#[derive(Debug, Default)]
pub(super) struct Answers {
    given: Vec<(Option<SummaryRequest>, Answer)>,
    /// The answers of the branch that was forgotten, which are given again.
    repeated: VecDeque<(Option<SummaryRequest>, Answer)>,
}

impl Answers {
    /// Prepares to give the same answers again, because the branch is rebuilt.
    pub(super) fn repeat(&mut self) {
        let rest = std::mem::take(&mut self.repeated);
        self.repeated = self.given.drain(..).chain(rest).collect();
    }

    /// The answer that the question got before its branch was forgotten. Skips earlier questions, which the session has
    /// answered itself this time.
    pub(super) fn earlier(&mut self, question: QuestionKey<'_>) -> Option<Answer> {
        let index = self.repeated.iter().position(|(answered, _)| answered.as_ref() == question)?;
        let (_, answer) = self.repeated.drain(..=index).next_back()?;
        Some(answer)
    }

    pub(super) fn add(&mut self, question: QuestionKey<'_>, answer: &Answer) {
        self.given.push((question.cloned(), answer.clone()));
    }
}
