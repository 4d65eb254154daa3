//! Applies the rules of a plan to a new tool result.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Body, Message, Part, Role, ToolResult};
use trimtab_language::fact::AgentIdentity;
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::Transcript;
use trimtab_run::run::{Declared, Resolution, Session};

use super::arrival::Arrival;

/// The id of a call that the client does not name.
const UNNAMED_CALL: &str = "trimtab-hook";

/// A result that a hook has changed.
///
/// The client records the result as it was changed. That it was changed, and how long it was, decides what rules do later, so
/// later events of the session need the original.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedResult {
    /// The hash of the plan.
    pub plan: String,
    /// The id of the call, or `None` if the client does not report it.
    pub call: Option<SmolStr>,
    /// The text as it arrived.
    pub original: String,
    /// The text that the client was given.
    #[serde(alias = "shaped")]
    pub changed: String,
    /// Whether the tool failed. A client may record any result that a hook has changed as a failure.
    pub is_error: bool,
}

/// Returns the text of a new result after the rules of a plan, which is the [`hook_plan`](super::hook_plan) of a
/// policy, or `None` if no rule changes it. `earlier` are the results that were changed before in the session, `now` is
/// the time in RFC 3339.
///
/// The result is what a live session would send if it had seen the original results.
pub fn change_result(
    plan: &Arc<Plan>,
    transcript: &Transcript,
    arrival: &Arrival,
    earlier: &[ChangedResult],
    now: Option<&str>,
) -> Option<String> {
    let history = history(plan, transcript, arrival, earlier, now);
    let mut session = session(plan, transcript, arrival.agent.as_ref());
    // The rules that a hook runs ask no questions. Messages without a time stay so.
    let _ = session.before_request(&history, None);
    let added = session.history_ids().last().flatten()?;
    let conversation = session.conversation();
    let entry = &conversation.entries()[conversation.index(added)?];
    let result = entry.message().results().next()?;
    (*result.text != *arrival.text).then(|| result.text.to_string())
}

/// The messages of the session with the results as they arrived, and the new one at the end.
fn history(
    plan: &Plan,
    transcript: &Transcript,
    arrival: &Arrival,
    earlier: &[ChangedResult],
    now: Option<&str>,
) -> Vec<Arc<Message>> {
    let messages = &transcript.messages;
    let has_call = |message: &Arc<Message>| message.calls().any(|(id, ..)| Some(id) == arrival.call.as_ref());
    let call = messages.iter().rposition(has_call);
    let is_stored = |at: usize, result: &ToolResult| {
        call.is_some_and(|call| at > call) && Some(&result.id) == arrival.call.as_ref()
    };
    let mut earlier: Vec<&ChangedResult> = earlier.iter().filter(|one| one.plan == plan.hash).collect();
    let mut history = Vec::with_capacity(messages.len() + 2);
    for (at, message) in messages.iter().enumerate() {
        match message.results().next() {
            Some(result) if is_stored(at, result) => {}
            Some(result) => match earlier.iter().position(|one| one.is_of(result)) {
                Some(found) => history.push(as_it_arrived(message, earlier.remove(found))),
                None => history.push(Arc::clone(message)),
            },
            None => history.push(Arc::clone(message)),
        }
    }
    let timed = |message: Message| Arc::new(Message { at: now.map(SmolStr::from), ..message });
    let id = arrival.call.clone().unwrap_or_else(|| UNNAMED_CALL.into());
    if call.is_none() {
        let arguments = Arguments::Json(Arc::new(arrival.arguments.clone()));
        let call = Part::call(id.clone(), arrival.tool.clone(), arguments);
        history.push(timed(Message::new(Role::Assistant, vec![call])));
    }
    history.push(timed(Message::new(Role::Tool, vec![Part::result(id, arrival.text.as_str(), arrival.is_error)])));
    history
}

impl ChangedResult {
    /// Whether a recorded result is this one.
    fn is_of(&self, recorded: &ToolResult) -> bool {
        match &self.call {
            Some(call) => *call == recorded.id,
            None => *recorded.text == *self.changed,
        }
    }
}

/// A recorded message with its result as it arrived.
fn as_it_arrived(message: &Arc<Message>, changed: &ChangedResult) -> Arc<Message> {
    let mut message = Arc::clone(message);
    let original = Arc::make_mut(&mut message);
    original.inferred_error = false;
    for part in &mut original.parts {
        if let Body::ToolResult(result) = &mut part.body {
            (result.text, result.is_error) = (changed.original.as_str().into(), changed.is_error);
        }
    }
    message
}

/// A session of the agent that a transcript is of.
fn session(plan: &Arc<Plan>, transcript: &Transcript, agent: Option<&SmolStr>) -> Session {
    let tools: Vec<SmolStr> = transcript.tools.iter().map(|tool| tool.name.clone()).collect();
    let model = transcript.messages.iter().find_map(|message| message.model.as_deref());
    let name = transcript.agent.as_ref().or(agent).cloned();
    let depth = transcript.depth.unwrap_or_else(|| name.is_some().into());
    let declared = Declared {
        agent: Some(&AgentIdentity { name, depth }),
        window: transcript.window,
        model: model.or(transcript.model.as_deref()),
        tools: &tools,
        ..Declared::default()
    };
    let overhead = transcript.tool_tokens.filter(|tokens| *tokens > 0);
    let (environment, overhead) = Resolution::of(plan, &declared).live_environment(plan, &transcript.tools, overhead);
    Session::new(Arc::clone(plan), environment, overhead)
}
