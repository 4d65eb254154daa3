//! Live sessions.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trimtab::{Dialect, FactError, FactValue, Host, Next, RequestText, SavedSession};

use crate::error::{RequestError, RestoreError};
use crate::file::json;
use crate::plan::Plan;
use crate::step::{Call, Firing, Handle, Step};
use crate::values::Texts;

/// A live session under a plan.
#[pyclass(frozen)]
pub(crate) struct Session {
    inner: Mutex<trimtab::Session>,
    dialect: Dialect,
    /// Of the newest request that was given as a value. It is taken out while Python writes values, which may let other threads run.
    texts: Mutex<Texts>,
}

/// The JSON of a request, in a text or in bytes.
fn text_of(body: &Bound<'_, PyAny>) -> PyResult<RequestText> {
    let Ok(bytes) = body.cast::<PyBytes>() else { return Ok(body.extract::<&str>()?.into()) };
    let text =
        simdutf8::basic::from_utf8(bytes.as_bytes()).map_err(|error| RequestError::new_err(error.to_string()))?;
    Ok(text.into())
}

/// The dialect with this name in results and recordings.
fn dialect(name: &str) -> PyResult<Dialect> {
    let unknown = |_| {
        let names: Vec<String> =
            Dialect::ALL.iter().filter_map(|dialect| serde_json::to_string(dialect).ok()).collect();
        RequestError::new_err(format!("unknown dialect `{name}`; expected one of {}", names.join(", ")))
    };
    serde_json::from_value(name.into()).map_err(unknown)
}

/// What a host declares about its agent. A sub-agent has a name and a depth.
fn host(
    window: Option<u64>,
    model: Option<String>,
    tools: Option<Vec<String>>,
    overhead: Option<u64>,
    sub_agent: Option<(String, u64)>,
) -> Host {
    let mut host = Host::new();
    if let Some(window) = window {
        host = host.window(window);
    }
    if let Some(model) = model {
        host = host.model(model);
    }
    if let Some(tools) = tools {
        host = host.tools(tools);
    }
    if let Some(overhead) = overhead {
        host = host.overhead(overhead);
    }
    if let Some((name, depth)) = sub_agent {
        host = host.sub_agent(name, depth);
    }
    host
}

impl Session {
    fn lock(&self) -> MutexGuard<'_, trimtab::Session> {
        // A session says itself when it is in no state to go on.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the session while other threads of Python run.
    fn step<E: Send + ToString>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut trimtab::Session) -> Result<Next, E> + Send,
    ) -> PyResult<Step> {
        let next = py.detach(|| work(&mut self.lock()));
        Step::of(py, next.map_err(|error| RequestError::new_err(error.to_string()))?, None)
    }

    fn begin(&self, py: Python<'_>, body: RequestText, now: Option<&str>) -> PyResult<Step> {
        let given = body.clone();
        let next = py.detach(|| self.lock().before_request(self.dialect, body, now));
        Step::of(py, next.map_err(|error| RequestError::new_err(error.to_string()))?, Some(&given))
    }
}

/// What a value of Python may be as the value of a fact, whose type only the policy knows.
fn fact_values(value: &Bound<'_, PyAny>) -> PyResult<Vec<FactValue>> {
    if let Ok(flag) = value.extract::<bool>() {
        return Ok(vec![FactValue::Bool(flag)]);
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(vec![FactValue::Text(text)]);
    }
    if let Ok(duration) = value.extract::<Duration>() {
        return Ok(vec![FactValue::Duration(duration)]);
    }
    let mut values = Vec::new();
    if let Ok(count) = value.extract::<u64>() {
        values.extend([FactValue::Count(count), FactValue::Tokens(count), FactValue::Chars(count)]);
    }
    if let Ok(number) = value.extract::<f64>() {
        values.extend([FactValue::Share(number), FactValue::Dollars(number)]);
    }
    if values.is_empty() {
        return Err(PyTypeError::new_err("the value of a fact is a bool, a number, a text or a timedelta"));
    }
    Ok(values)
}

#[pymethods]
impl Session {
    #[new]
    fn new(
        plan: &Plan,
        dialect: &str,
        window: Option<u64>,
        model: Option<String>,
        tools: Option<Vec<String>>,
        overhead: Option<u64>,
        sub_agent: Option<(String, u64)>,
    ) -> PyResult<Self> {
        let session = trimtab::Session::new(&plan.0, host(window, model, tools, overhead, sub_agent));
        Ok(Self { inner: Mutex::new(session), dialect: self::dialect(dialect)?, texts: Mutex::default() })
    }

    /// Continues a saved session.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "the package names each")]
    fn restore(
        py: Python<'_>,
        plan: &Plan,
        dialect: &str,
        saved: &[u8],
        window: Option<u64>,
        model: Option<String>,
        tools: Option<Vec<String>>,
        overhead: Option<u64>,
        sub_agent: Option<(String, u64)>,
    ) -> PyResult<Self> {
        let dialect = self::dialect(dialect)?;
        let host = host(window, model, tools, overhead, sub_agent);
        let session = py.detach(|| {
            let saved: SavedSession = serde_json::from_slice(saved).map_err(|error| error.to_string())?;
            trimtab::Session::restore(&plan.0, host, &saved).map_err(|error| error.to_string())
        });
        Ok(Self { inner: Mutex::new(session.map_err(RestoreError::new_err)?), dialect, texts: Mutex::default() })
    }

    /// Supplies the value of a fact that the policy declares; none clears it.
    fn set_fact(&self, name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let invalid = |error: FactError| pyo3::exceptions::PyValueError::new_err(error.to_string());
        let mut session = self.lock();
        let Some(value) = value else { return session.clear_fact(name).map_err(invalid) };
        let mut failed = None;
        for value in fact_values(value)? {
            match session.set_fact(name, value) {
                Ok(()) => return Ok(()),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(()), |error| Err(invalid(error)))
    }

    /// Takes in a request, a whole body or the list of messages alone, and runs the rules before the call.
    fn before_request(&self, body: &Bound<'_, PyAny>, now: Option<&str>) -> PyResult<Step> {
        self.begin(body.py(), text_of(body)?, now)
    }

    /// The same of a request that is a value. `dumps` writes one as JSON.
    fn before_request_value(
        &self,
        body: &Bound<'_, PyAny>,
        dumps: &Bound<'_, PyAny>,
        now: Option<&str>,
    ) -> PyResult<Step> {
        let texts = || self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = std::mem::take(&mut *texts());
        let text = known.write(body, dumps)?;
        *texts() = known;
        self.begin(body.py(), text.into(), now)
    }

    /// Adds the reply to a request: a whole response body, or the message in it alone.
    fn after_reply(&self, py: Python<'_>, call: Option<Py<Call>>, reply: &str, now: Option<&str>) -> PyResult<Step> {
        self.step(py, |session| match &call {
            Some(call) => session.after_reply_to(call.get().0, reply, now),
            None => session.after_reply(reply, now),
        })
    }

    /// Reports that the provider has rejected a request as too long.
    fn rejected(&self, py: Python<'_>, call: Py<Call>) -> PyResult<Step> {
        self.step(py, |session| Ok::<_, String>(session.rejected(call.get().0)))
    }

    /// Adds messages that are not replies, such as tool results.
    fn add(&self, py: Python<'_>, messages: &str, now: Option<&str>) -> PyResult<Step> {
        self.step(py, |session| session.add(messages, now))
    }

    /// Answers a question with a summary.
    fn answer(&self, py: Python<'_>, question: &Handle, summary: String) -> PyResult<Step> {
        let question = question.0;
        self.step(py, |session| Ok::<_, String>(session.answer(question, Ok(summary))))
    }

    /// Says why there is no summary.
    fn fail(&self, py: Python<'_>, question: &Handle, reason: String) -> PyResult<Step> {
        let question = question.0;
        self.step(py, |session| Ok::<_, String>(session.answer(question, Err(reason))))
    }

    /// Decides whether a failed summary is tried again.
    fn decide(&self, py: Python<'_>, question: &Handle, retry: bool) -> PyResult<Step> {
        let question = question.0;
        self.step(py, |session| Ok::<_, String>(session.decide(question, retry)))
    }

    /// Answers the question of a rule for the person.
    fn confirm(&self, py: Python<'_>, question: &Handle, is_confirmed: bool) -> PyResult<Step> {
        let question = question.0;
        self.step(py, |session| Ok::<_, String>(session.confirm(question, is_confirmed)))
    }

    /// Ends the iteration of the last call.
    fn end_iteration(&self, py: Python<'_>) -> PyResult<Step> {
        self.step(py, |session| Ok::<_, String>(session.end_iteration()))
    }

    /// The offloaded content with this id.
    fn recall(&self, id: &str) -> PyResult<String> {
        self.lock().recall(id).map_err(|error| pyo3::exceptions::PyKeyError::new_err(error.to_string()))
    }

    /// What rules have done since the last request was prepared.
    fn take_firings(&self) -> Vec<Firing> {
        self.lock().take_firings().0.into_iter().map(Firing::from).collect()
    }

    /// What has happened since the last call of this method, in the form of recordings, with the number of its branch.
    fn take_recording(&self, py: Python<'_>) -> Option<(u64, String)> {
        py.detach(|| self.lock().take_recording())
    }

    /// The session as JSON; none before the first request.
    fn save(&self, py: Python<'_>) -> PyResult<Option<Vec<u8>>> {
        let saved = py.detach(|| self.lock().save());
        saved.map(|saved| json(&saved).map(String::into_bytes)).transpose()
    }
}
