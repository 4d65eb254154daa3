//! A session whose questions an engine answers.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trimtab_base::conversation::{Message, Usage};
use trimtab_base::hook::{HookChain, HookFailure, HostEvent};
use trimtab_base::playbook::ToolBatch;
use trimtab_language::effect::SummaryRequest;
use trimtab_recordings::transcript::Requested;
use trimtab_run::run::{Answer, CallId, Confirmation, Next, QuestionId, Session, Stop};

use super::Engine;
use super::answers::Answers;
use super::concurrent_summaries::PrefetchedSummaries;

/// A session whose questions an engine answers. Clones share the session.
///
/// Requests may overlap: while one waits for a summary or for its reply, a request with a different history gets a
/// branch of its own. Dropping a future leaves its question open; a request with the same history asks it again.
#[derive(Clone)]
pub struct LiveSession {
    id: Arc<str>,
    engine: Engine,
    session: Arc<Mutex<Session>>,
    /// Held while the session is recorded and saved: nothing is recorded twice, and no older state replaces a newer
    /// one.
    persist_lock: Arc<tokio::sync::Mutex<()>>,
    hooks: HookChain,
    hook_failures: Arc<Mutex<Vec<HookFailure>>>,
}

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prepared<R> {
    /// Send this request.
    Send {
        /// The call to which the reply belongs.
        call: CallId,
        /// What was rendered from the session.
        request: R,
    },
    /// Send nothing, because a rule has stopped the run.
    Stop(Stop),
}

/// How far the session came: to the end, or to a question.
enum Advance<R> {
    /// No question is open. The request, or `None` if none is open.
    Done(Option<Prepared<R>>),
    /// The session waits for an answer to this question.
    Question(QuestionId, Question),
}

/// A question of the session, which the engine answers.
enum Question {
    /// A request for a summary, its number, and the requests that the session will make after it.
    Summary { request: Arc<SummaryRequest>, number: u64, upcoming: Vec<Arc<SummaryRequest>> },
    /// Whether to retry a summary that failed for this reason.
    Decision(String),
    /// Whether a person confirms that a rule acts.
    Confirmation(Confirmation),
    /// What can be learned from these calls.
    Strategies(Box<ToolBatch>),
}

impl Question {
    fn summary_request(&self) -> Option<Arc<SummaryRequest>> {
        match self {
            Self::Summary { request, .. } => Some(Arc::clone(request)),
            Self::Decision(_) | Self::Confirmation(_) | Self::Strategies(_) => None,
        }
    }
}

/// A failure that does not stop the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning(String);

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Warning {}

impl LiveSession {
    /// A session that is recorded and saved under this id.
    pub fn new(id: &str, engine: Engine, session: Session) -> Self {
        Self {
            id: id.into(),
            engine,
            session: Arc::new(Mutex::new(session)),
            persist_lock: Arc::default(),
            hooks: HookChain::default(),
            hook_failures: Arc::default(),
        }
    }

    /// Sets the hooks that observe the session. They are called while the session is not locked, so they may read it.
    #[must_use]
    pub fn with_hooks(self, hooks: HookChain) -> Self {
        if !hooks.is_empty() {
            self.with(Session::observe);
        }
        Self { hooks, ..self }
    }

    /// Processes the whole history before a model call, with the model and tools that the request names (`requested`),
    /// answers all questions, and renders the request.
    pub async fn before_request<R>(
        &self,
        history: &[Arc<Message>],
        requested: &Requested,
        now: Option<&str>,
        render: impl Fn(&mut Session) -> R,
    ) -> (Prepared<R>, Vec<Warning>) {
        let mut answers = Answers::default();
        let prepared = loop {
            let first = |session: &mut Session| session.before_request_for(history, requested, now);
            if let Some(prepared) = self.answer_questions(first, &render, &mut answers).await {
                break prepared;
            }
            // The session dropped the branch while it waited; rebuild it from the history.
            answers.repeat();
        };
        (prepared, self.persist().await)
    }

    /// Reports that the provider has rejected the request of a call as too long, and renders it again. Returns `None`
    /// if the call is not open.
    pub async fn rejected<R>(
        &self,
        call: CallId,
        render: impl Fn(&mut Session) -> R,
    ) -> (Option<Prepared<R>>, Vec<Warning>) {
        let first = |session: &mut Session| session.rejected(call);
        let prepared = self.answer_questions(first, &render, &mut Answers::default()).await;
        (prepared, self.persist().await)
    }

    /// Adds the reply to a request, with the usage that the provider reports. Returns the stop if a rule stops the run.
    pub async fn after_reply(
        &self,
        call: CallId,
        reply: &Arc<Message>,
        usage: Option<Usage>,
        now: Option<&str>,
    ) -> (Option<Stop>, Vec<Warning>) {
        self.update(call.branch, |session| session.after_reply_to(call, reply, usage, now)).await
    }

    /// Adds tool results, or other messages that are not replies, to a branch. Returns the stop if a rule stops the run.
    pub async fn add(&self, branch: u64, messages: &[Arc<Message>], now: Option<&str>) -> (Option<Stop>, Vec<Warning>) {
        self.update(branch, |session| session.add(messages, now)).await
    }

    /// Ends the iteration of the last call of a branch. Returns the stop if a rule stops the run.
    pub async fn end_iteration(&self, branch: u64) -> (Option<Stop>, Vec<Warning>) {
        self.update(branch, Session::end_iteration).await
    }

    /// Reports what only the host knows about a branch. Returns the stop if a rule stops the run.
    pub async fn host_event(&self, branch: u64, event: HostEvent) -> (Option<Stop>, Vec<Warning>) {
        self.update(branch, |session| session.host_event(event)).await
    }

    async fn update(&self, branch: u64, event: impl FnOnce(&mut Session) -> Next) -> (Option<Stop>, Vec<Warning>) {
        // A dropped branch is rebuilt when a request with its history arrives.
        let first = |session: &mut Session| if session.switch_to(branch) { event(session) } else { Next::Ready };
        let stop = match self.answer_questions(first, &|_: &mut Session| (), &mut Answers::default()).await {
            Some(Prepared::Stop(stop)) => Some(stop),
            Some(Prepared::Send { .. }) | None => None,
        };
        (stop, self.persist().await)
    }

    /// Reads or changes the session between two requests.
    pub fn with<R>(&self, action: impl FnOnce(&mut Session) -> R) -> R {
        action(&mut self.lock())
    }

    /// Changes the session and calls the hooks with the events of the change.
    fn change_and_notify<R>(&self, action: impl FnOnce(&mut Session) -> R) -> R {
        let (result, events) = self.with(|session| {
            let result = action(session);
            (result, session.take_events())
        });
        let failures: Vec<HookFailure> = events.iter().flat_map(|event| self.hooks.call(event)).collect();
        self.hook_failures.lock().unwrap_or_else(PoisonError::into_inner).extend(failures);
        result
    }

    /// Answers questions until there are none, and renders the request while its branch is current. Returns `None` if
    /// no request is open.
    async fn answer_questions<R>(
        &self,
        first: impl FnOnce(&mut Session) -> Next,
        render: &impl Fn(&mut Session) -> R,
        answers: &mut Answers,
    ) -> Option<Prepared<R>> {
        let advance = |session: &mut Session, next: Next| match next {
            Next::Send => Advance::Done(Some(Prepared::Send { call: session.call(), request: render(session) })),
            Next::Stop(stop) => Advance::Done(Some(Prepared::Stop(stop))),
            Next::Ready => Advance::Done(None),
            Next::Summarise(id, request, number) => {
                let upcoming = session.upcoming_summaries();
                Advance::Question(id, Question::Summary { request, number, upcoming })
            }
            Next::Ask(id, reason) => Advance::Question(id, Question::Decision(reason)),
            Next::Confirm(id, confirmation) => Advance::Question(id, Question::Confirmation(confirmation)),
            Next::Reflect(id, batch) => Advance::Question(id, Question::Strategies(batch)),
        };
        let mut prefetched = PrefetchedSummaries::default();
        let mut state = self.change_and_notify(|session| {
            let next = first(session);
            advance(session, next)
        });
        loop {
            let (id, question) = match state {
                Advance::Done(prepared) => return prepared,
                Advance::Question(id, question) => (id, question),
            };
            let summary_request = question.summary_request();
            let answer = match answers.earlier(summary_request.as_deref()) {
                Some(answer) => answer,
                None => self.answer(question, &mut prefetched).await,
            };
            answers.add(summary_request.as_deref(), &answer);
            state = self.change_and_notify(|session| {
                let next = session.answer(id, answer);
                advance(session, next)
            });
        }
    }

    async fn answer(&self, question: Question, prefetched: &mut PrefetchedSummaries) -> Answer {
        match question {
            Question::Summary { request, number, upcoming } => match prefetched.take(&request) {
                Some(answer) => answer,
                None => prefetched.summarise(&self.engine, &request, number, upcoming).await,
            },
            Question::Decision(reason) => self.engine.decide(&reason).await,
            Question::Confirmation(confirmation) => self.engine.confirm(&confirmation).await,
            Question::Strategies(batch) => self.engine.reflect(&batch).await,
        }
    }

    /// Records and saves what has not been recorded and saved. Failures do not stop the agent.
    pub async fn persist(&self) -> Vec<Warning> {
        let failures = std::mem::take(&mut *self.hook_failures.lock().unwrap_or_else(PoisonError::into_inner));
        let mut warnings: Vec<Warning> = failures.iter().map(|failure| Warning(failure.to_string())).collect();
        let persist = async {
            let _lock = self.persist_lock.lock().await;
            let (recorded, saved) = tokio::join!(self.record(), self.save());
            recorded.into_iter().chain(saved).collect::<Vec<_>>()
        };
        warnings.extend(match self.engine.deadline {
            Some(deadline) => tokio::time::timeout(deadline, persist).await.unwrap_or_else(|_| {
                let seconds = deadline.as_secs_f64();
                vec![Warning(format!("the session could not be recorded and saved within {seconds} seconds"))]
            }),
            None => persist.await,
        });
        warnings
    }

    async fn record(&self) -> Vec<Warning> {
        let Some(recorder) = &self.engine.recorder else { return Vec::new() };
        let mut warnings = Vec::new();
        for part in self.with(|session| session.unrecorded()) {
            match recorder.write(&self.id, part.branch, part.at, &part.text).await {
                Ok(()) => self.with(|session| session.mark_recorded(&part)),
                Err(error) => warnings.push(Warning(format!("the session could not be recorded: {error}"))),
            }
        }
        warnings
    }

    /// Saves the current state of the session, even if it could not be recorded: a recorder truncates a recording that
    /// is too long.
    async fn save(&self) -> Option<Warning> {
        let store = self.engine.store.as_ref()?;
        let saved = self.with(|session| session.save());
        let error = store.save(&self.id, &saved).await.err()?;
        Some(Warning(format!("the session could not be saved: {error}")))
    }

    fn lock(&self) -> MutexGuard<'_, Session> {
        // A panic in another task must not stop the agent, so a poisoned lock is ignored.
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
