//! Live sessions.

use std::time::Duration;

use napi::Either;
use napi::bindgen_prelude::{Buffer, Either3, Uint8Array};
use napi_derive::napi;
use simdutf8::basic::{Utf8Error, from_utf8};
use trimtab::{Dialect, FactError, FactValue, Host, Next, Question, RequestText, SavedSession};

use crate::error::{Kind, Result, count, json};
use crate::plan::Plan;
use crate::step::{Firing, Recorded, Step};

/// What a host declares about its agent.
#[napi(object, object_to_js = false)]
pub(crate) struct Declared {
    pub dialect: String,
    pub window: Option<i64>,
    pub model: Option<String>,
    pub tools: Option<Vec<String>>,
    pub overhead: Option<i64>,
    pub sub_agent: Option<String>,
    pub depth: Option<i64>,
}

/// A live session under a plan.
#[napi]
pub(crate) struct Session {
    inner: trimtab::Session,
    dialect: Dialect,
}

impl Declared {
    fn host(self) -> Result<(Dialect, Host)> {
        let mut host = Host::new();
        if let Some(window) = count("window", self.window)? {
            host = host.window(window);
        }
        if let Some(model) = self.model {
            host = host.model(model);
        }
        if let Some(tools) = self.tools {
            host = host.tools(tools);
        }
        if let Some(overhead) = count("overhead", self.overhead)? {
            host = host.overhead(overhead);
        }
        if let Some(name) = self.sub_agent {
            host = host.sub_agent(name, count("depth", self.depth)?.unwrap_or_default());
        }
        Ok((dialect(&self.dialect)?, host))
    }
}

/// The dialect with this name in results and recordings.
fn dialect(name: &str) -> Result<Dialect> {
    let unknown = |_| {
        let names: Vec<String> =
            Dialect::ALL.iter().filter_map(|dialect| serde_json::to_string(dialect).ok()).collect();
        Kind::Request.error(format!("unknown dialect `{name}`; expected one of {}", names.join(", ")))
    };
    serde_json::from_value(name.into()).map_err(unknown)
}

/// What a value of JavaScript may be as the value of a fact, whose type only the policy knows.
fn fact_values(value: Either3<bool, f64, String>) -> Vec<FactValue> {
    let number = match value {
        Either3::A(flag) => return vec![FactValue::Bool(flag)],
        Either3::B(number) => number,
        Either3::C(text) => return vec![FactValue::Text(text)],
    };
    let mut values = Vec::new();
    // The only way to read a number of JavaScript as an integer without a cast.
    if let Ok(count) = number.to_string().parse() {
        values.extend([FactValue::Count(count), FactValue::Tokens(count), FactValue::Chars(count)]);
    }
    values.extend([FactValue::Share(number), FactValue::Dollars(number)]);
    values.extend(Duration::try_from_secs_f64(number / 1000.0).ok().map(FactValue::Duration));
    values
}

fn step<E: ToString>(next: std::result::Result<Next, E>) -> Result<Step> {
    next.map(Step::from).map_err(|error| Kind::Request.error(error.to_string()))
}

#[napi]
impl Session {
    #[napi(constructor, catch_unwind)]
    pub fn new(plan: &Plan, declared: Declared) -> Result<Self> {
        let (dialect, host) = declared.host()?;
        Ok(Self { inner: trimtab::Session::new(&plan.0, host), dialect })
    }

    /// Continues a saved session.
    #[napi(factory, catch_unwind)]
    pub fn restore(plan: &Plan, declared: Declared, saved: Uint8Array) -> Result<Self> {
        let (dialect, host) = declared.host()?;
        let saved: SavedSession = serde_json::from_slice(&saved).map_err(|error| Kind::Restore.error(error))?;
        let inner = trimtab::Session::restore(&plan.0, host, &saved).map_err(|error| Kind::Restore.error(error))?;
        Ok(Self { inner, dialect })
    }

    /// Supplies the value of a fact that the policy declares; none clears it.
    #[napi(catch_unwind)]
    pub fn set_fact(&mut self, name: String, value: Option<Either3<bool, f64, String>>) -> Result<()> {
        let invalid = |error: FactError| Kind::Value.error(error);
        let Some(value) = value else { return self.inner.clear_fact(&name).map_err(invalid) };
        let mut failed = None;
        for value in fact_values(value) {
            match self.inner.set_fact(&name, value) {
                Ok(()) => return Ok(()),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(()), |error| Err(invalid(error)))
    }

    /// Takes in a request, a whole body or the list of messages alone, and runs the rules before the call.
    #[napi(catch_unwind)]
    pub fn before_request(&mut self, body: Either<String, Uint8Array>, now: String) -> Result<Step> {
        let invalid = |error: Utf8Error| Kind::Request.error(error);
        let given = match body {
            Either::A(text) => RequestText::from(text),
            Either::B(bytes) => from_utf8(&bytes).map_err(invalid)?.into(),
        };
        let next = self.inner.before_request(self.dialect, given.clone(), Some(&now));
        next.map(|next| Step::after(given, next)).map_err(|error| Kind::Request.error(error))
    }

    /// Adds the reply to a request: a whole response body, or the message in it alone.
    #[napi(catch_unwind)]
    pub fn after_reply(&mut self, reply: String, now: String, request: Option<&Step>) -> Result<Step> {
        step(match request.and_then(Step::handle) {
            Some(call) => self.inner.after_reply_to(call, &reply, Some(&now)),
            None => self.inner.after_reply(&reply, Some(&now)),
        })
    }

    /// Reports that the provider has rejected a request as too long.
    #[napi(catch_unwind)]
    pub fn rejected(&mut self, request: &Step) -> Step {
        request.handle().map_or(Next::Ready, |call| self.inner.rejected(call)).into()
    }

    /// Adds messages that are not replies, such as tool results.
    #[napi(catch_unwind)]
    pub fn add(&mut self, messages: String, now: String) -> Result<Step> {
        step(self.inner.add(&messages, Some(&now)))
    }

    /// Answers a question: with a summary, with whether a rule acts, or with whether a failed summary is tried again.
    #[napi(catch_unwind)]
    pub fn answer(&mut self, asked: &Step, answer: Either<String, bool>) -> Step {
        self.answered(asked, |session, question| match (answer, asked.is_confirmation()) {
            (Either::A(summary), _) => session.answer(question, Ok(summary)),
            (Either::B(is_confirmed), true) => session.confirm(question, is_confirmed),
            (Either::B(retry), false) => session.decide(question, retry),
        })
    }

    /// Says why there is no summary.
    #[napi(catch_unwind)]
    pub fn fail(&mut self, asked: &Step, reason: String) -> Step {
        self.answered(asked, |session, question| session.answer(question, Err(reason)))
    }

    /// Ends the iteration of the last call.
    #[napi(catch_unwind)]
    pub fn end_iteration(&mut self) -> Step {
        self.inner.end_iteration().into()
    }

    /// The offloaded content with this id.
    #[napi(catch_unwind)]
    pub fn recall(&self, id: String) -> Result<String> {
        self.inner.recall(&id).map_err(|error| Kind::Value.error(error))
    }

    /// What rules have done since the last request was prepared.
    #[napi(catch_unwind)]
    pub fn take_firings(&mut self) -> Vec<Firing> {
        self.inner.take_firings().0.into_iter().map(Firing::from).collect()
    }

    /// What has happened since the last call of this method, in the form of recordings, with the number of its branch.
    #[napi(catch_unwind)]
    pub fn take_recording(&mut self) -> Option<Recorded> {
        let (branch, text) = self.inner.take_recording()?;
        Some(Recorded { branch: i64::try_from(branch).unwrap_or(i64::MAX), text })
    }

    /// The session as JSON; none before the first request.
    #[napi(catch_unwind)]
    pub fn save(&self) -> Result<Option<Buffer>> {
        self.inner.save().map(|saved| json(&saved).map(|text| text.into_bytes().into())).transpose()
    }
}

impl Session {
    fn answered(&mut self, asked: &Step, answer: impl FnOnce(&mut trimtab::Session, Question) -> Next) -> Step {
        asked.question().map_or(Next::Ready, |question| answer(&mut self.inner, question)).into()
    }
}
