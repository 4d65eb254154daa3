//! How much of a request the one before it contained, too.

use std::sync::Arc;

use trimtab_base::conversation::{Counter, Message, Role};
use trimtab_language::check::Agent;
use trimtab_language::plan::Plan;
use trimtab_model::model::Models;
use trimtab_recordings::transcript::Transcript;

use super::calls::CachedCall;
use crate::simulate::cache_cause::CacheCause;
use crate::simulate::options::Options;
use crate::simulate::replay_inputs::ReplayInputs;

/// Counts what requests repeat. Messages are counted only if a history was rewritten.
pub(super) struct Repeated<'a> {
    transcript: &'a Transcript,
    models: &'a Models,
    counted: Option<Counted>,
}

/// How messages are counted, and the tokens of the system prompt.
struct Counted {
    inputs: ReplayInputs,
    prompt: u64,
}

impl<'a> Repeated<'a> {
    pub(super) const fn new(transcript: &'a Transcript, models: &'a Models) -> Self {
        Self { transcript, models, counted: None }
    }

    /// The tokens of a request that the request before had, too. Of a rewritten history these are the system prompt, the tools
    /// and what the harness kept; otherwise all but what is new.
    pub(super) fn tokens(&mut self, call: &CachedCall<'_>) -> u64 {
        let context = call.usage.context();
        if call.cause != CacheCause::History {
            return context;
        }
        let messages = &self.transcript.messages;
        let (previous, previous_at) = call.previous;
        let Counted { inputs, prompt } = self.counted.get_or_insert_with(|| {
            let agent = Agent { models: self.models.clone(), ..Agent::default() };
            let plan = Plan { agent, ..Plan::without_rules() };
            let inputs = ReplayInputs::of(&plan, self.transcript, &Options::default());
            let prompt = messages.iter().take_while(|message| message.role == Role::System);
            let prompt = prompt.map(|message| inputs.counter.message(message)).sum();
            Counted { inputs, prompt }
        });
        let count = |message: &Arc<Message>| inputs.counter.message(message);
        let Some(kept) = call.context else {
            let new: u64 = messages.iter().take(call.at).skip(previous_at).map(count).sum();
            return context.saturating_sub(new);
        };
        let overhead = |call: usize| inputs.overheads.get(call).or(inputs.overheads.last()).copied().unwrap_or(0);
        let kept: u64 = kept.iter().filter(|message| message.kept).map(count).sum();
        overhead(previous).min(overhead(call.number)).saturating_add(*prompt).saturating_add(kept)
    }
}
