//! The live engine: answers the questions of sessions while other tasks run.
//!
//! In: histories, replies and results of agents. Out: what to send, as the session decides. The engine itself decides
//! nothing about the context. It starts no runtime and does no I/O; what it needs from outside, such as a summariser or a
//! place to keep sessions, is given to it.

mod answers;
mod built_in;
mod concurrent_summaries;
mod decide;
mod live_session;
mod record;
mod reflect;
mod store;
mod summarise;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use trimtab_base::playbook::{Reflector, RuleReflector, ToolBatch};
use trimtab_language::effect::SummaryRequest;
use trimtab_run::run::{Answer, Confirmation, SavedSession};

pub use decide::{ConfirmationFuture, Decide, Decision, DecisionFuture};
pub use live_session::{LiveSession, Prepared, Warning};
pub use record::{Record, RecordFuture};
pub use reflect::{Reflect, ReflectionFuture};
pub use store::{LoadFuture, Store, StoreFuture};
pub use summarise::{Summarise, SummaryAnswer, SummaryError, SummaryFuture};

/// What the sessions of a host share: the summariser, who decides after a failure, who distils strategies, and where
/// sessions and recordings go.
#[derive(Clone)]
pub struct Engine {
    summariser: Arc<dyn Summarise>,
    decider: Option<Arc<dyn Decide>>,
    reflector: Option<Arc<dyn Reflect>>,
    store: Option<Arc<dyn Store>>,
    recorder: Option<Arc<dyn Record>>,
    deadline: Option<Duration>,
    /// The deadline of summaries, if it is another one.
    summary_deadline: Option<Duration>,
    /// One permit for each summary that may be written at the same time.
    permits: Arc<Semaphore>,
}

/// How many summaries are written at the same time unless [`Engine::summaries_at_once`] says otherwise.
const SUMMARIES_AT_ONCE: usize = 4;

impl Engine {
    /// An engine with this summariser. Without [`Engine::decider`], a rule with `on_failure ask` continues without a summary,
    /// and one with `confirm` is declined.
    pub fn new(summariser: Arc<dyn Summarise>) -> Self {
        Self {
            summariser,
            decider: None,
            reflector: None,
            store: None,
            recorder: None,
            deadline: None,
            summary_deadline: None,
            permits: Arc::new(Semaphore::new(SUMMARIES_AT_ONCE)),
        }
    }

    /// Sets who decides whether to retry a failed summary and whether to apply a rule with `confirm`.
    #[must_use]
    pub fn decider(mut self, decider: Arc<dyn Decide>) -> Self {
        self.decider = Some(decider);
        self
    }

    /// Sets who distils strategies from the tool calls of an iteration, instead of the embedded rules.
    #[must_use]
    pub fn reflector(mut self, reflector: Arc<dyn Reflect>) -> Self {
        self.reflector = Some(reflector);
        self
    }

    /// Sets where sessions are kept.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets where recordings go.
    #[must_use]
    pub fn recorder(mut self, recorder: Arc<dyn Record>) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Sets how long one summary, decision, confirmation or reflection may take, and how long recording and saving may
    /// take after a request or a reply. After that time, the summary has failed, the decision is to continue, the rule
    /// is declined or nothing is distilled; the next call tries again to record and save.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets how long one summary may take, in place of [`Engine::deadline`].
    #[must_use]
    pub const fn summary_deadline(mut self, deadline: Duration) -> Self {
        self.summary_deadline = Some(deadline);
        self
    }

    /// Sets how many summaries are written at the same time, in all sessions of the engine together: 4 without this. A rule that
    /// summarises single results requests several at once. At least one is written.
    #[must_use]
    pub fn summaries_at_once(mut self, most: usize) -> Self {
        self.permits = Arc::new(Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS)));
        self
    }

    /// Returns the stored state of a session, or `None` if there is no store or it has none.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub async fn load(&self, session: &str) -> io::Result<Option<SavedSession>> {
        match &self.store {
            Some(store) => store.load(session).await,
            None => Ok(None),
        }
    }

    /// Whether it distils strategies by other means than the embedded rules.
    pub const fn has_reflector(&self) -> bool {
        self.reflector.is_some()
    }

    async fn reflect(&self, batch: &ToolBatch) -> Answer {
        let Some(reflector) = &self.reflector else {
            return Answer::Strategies(Reflector::reflect(&RuleReflector::default(), batch));
        };
        let reflection = reflector.reflect(batch);
        Answer::Strategies(match self.deadline {
            Some(deadline) => tokio::time::timeout(deadline, reflection).await.unwrap_or_default(),
            None => reflection.await,
        })
    }

    async fn summarise(&self, request: &SummaryRequest, number: u64) -> Answer {
        // The semaphore is never closed. The time that a summary waits for its turn does not count.
        let _permit = self.permits.acquire().await;
        let answer = self.summariser.summarise(request, number);
        let result = match self.summary_deadline.or(self.deadline) {
            Some(deadline) => {
                tokio::time::timeout(deadline, answer).await.unwrap_or(Err(SummaryError::Timeout(deadline)))
            }
            None => answer.await,
        };
        match result {
            Ok(SummaryAnswer { text, .. }) => Answer::Summary(text),
            Err(error) => Answer::Failed(error.to_string()),
        }
    }

    async fn confirm(&self, confirmation: &Confirmation) -> Answer {
        let Some(decider) = &self.decider else { return Answer::Declined };
        let asked = decider.confirm(&confirmation.rule, &confirmation.question);
        let is_confirmed = match self.deadline {
            Some(deadline) => tokio::time::timeout(deadline, asked).await.unwrap_or(false),
            None => asked.await,
        };
        if is_confirmed { Answer::Confirmed } else { Answer::Declined }
    }

    async fn decide(&self, reason: &str) -> Answer {
        let Some(decider) = &self.decider else { return Answer::Continue };
        let decision = decider.decide(reason);
        let decision = match self.deadline {
            Some(deadline) => tokio::time::timeout(deadline, decision).await.unwrap_or(Decision::Continue),
            None => decision.await,
        };
        match decision {
            Decision::Retry => Answer::Retry,
            Decision::Continue => Answer::Continue,
        }
    }
}
