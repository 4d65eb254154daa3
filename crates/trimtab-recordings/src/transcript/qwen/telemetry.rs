//! The API calls that Qwen Code records as events of its user interface.
//!
//! The event of a call comes before the record of its reply. A call without a reply in the session is a call of the harness,
//! such as that of a compression.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::Usage;

use crate::transcript::gemini_contents::usage_with_total;
use crate::transcript::wire::{Str, TokenCount};
use crate::transcript::{HarnessCall, HarnessCallKind};

/// An event of the user interface.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct UiEvent<'a> {
    #[serde(borrow, rename = "event.name")]
    name: Str<'a>,
    model: Str<'a>,
    subagent_name: Str<'a>,
    input_token_count: TokenCount,
    cached_content_token_count: TokenCount,
    output_token_count: TokenCount,
    thoughts_token_count: TokenCount,
    total_token_count: TokenCount,
}

impl UiEvent<'_> {
    /// Returns the API call of the session, or `None` for another event or the call of a sub-agent.
    fn call(&self, messages: usize) -> Option<HarnessCall> {
        if self.name.as_str() != "qwen-code.api_response" || self.subagent_name.get().is_some() {
            return None;
        }
        let counts = [self.input_token_count, self.cached_content_token_count, self.output_token_count];
        let usage = usage_with_total(counts, self.thoughts_token_count, self.total_token_count);
        let (kind, model) = (HarnessCallKind::Other, self.model.non_empty());
        Some(HarnessCall { messages, kind, usage, model }).filter(|call| call.usage.total() > 0)
    }
}

/// The API calls so far.
#[derive(Default)]
pub(super) struct ApiCalls {
    /// The calls of the harness, and those of other branches.
    pub(super) beside: Vec<HarnessCall>,
    /// The last call, whose reply may come.
    open: Option<HarnessCall>,
    /// The model and usage of the last reply, if the event of its call has not come.
    unmatched: Option<(Option<SmolStr>, Usage)>,
}

impl ApiCalls {
    /// Adds the call of an event, after so many messages.
    pub(super) fn add(&mut self, event: &UiEvent<'_>, messages: usize) {
        let Some(call) = event.call(messages) else { return };
        self.close();
        if self.unmatched.take() != Some((call.model.clone(), call.usage)) {
            self.open = Some(call);
        }
    }

    /// Notes a reply with its usage: it is that of the last call if it has the same.
    pub(super) fn add_reply(&mut self, model: Option<&SmolStr>, usage: Option<Usage>) {
        let is_its_reply = |call: &mut HarnessCall| usage.is_none_or(|usage| call.usage == usage);
        self.unmatched = match self.open.take_if(is_its_reply) {
            Some(_) => None,
            None => usage.map(|usage| (model.cloned(), usage)),
        };
    }

    /// Notes that no reply of the last call comes.
    pub(super) fn close(&mut self) {
        self.beside.extend(self.open.take());
    }
}
