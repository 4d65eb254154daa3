//! The calls of agents that the harness starts for itself.
//!
//! Such an agent has a file like a sub-agent, which may begin with a copy of the conversation. Only its last reply is a call that
//! no other file has; it is a call of the harness.

use crate::transcript::{HarnessCall, Transcript, internal_agent};

/// The transcript of such an agent with its call only, whose time is that of the transcript.
pub(super) fn as_call(mut transcript: Transcript) -> Transcript {
    transcript.complete_from_messages();
    let reply = transcript.messages.iter().rev().find(|message| message.is_reply() && message.usage.is_some());
    let call = reply.and_then(|reply| {
        let model = reply.model.clone().or_else(|| transcript.model.clone());
        let kind = transcript.agent.as_deref().and_then(internal_agent::kind).unwrap_or_default();
        Some(HarnessCall { messages: 0, kind, usage: reply.usage?, model })
    });
    Transcript {
        started: reply.and_then(|reply| reply.at.clone()),
        harness_calls: call.into_iter().collect(),
        messages: Vec::new(),
        ..transcript
    }
}
