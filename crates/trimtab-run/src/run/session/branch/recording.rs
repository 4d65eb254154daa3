//! What a branch records.

use serde_json::Value as Json;
use smol_str::SmolStr;
use trimtab_base::conversation::Message;
use trimtab_base::playbook::Playbook;
use trimtab_recordings::transcript::{self, Live, Reported, Tool, Transcript};

use super::{Branch, Record};
use crate::run::learning::Reflection;
use crate::run::model_choice::ModelChoice;
use crate::run::session::unrecorded::Unrecorded;

impl Branch {
    /// What has happened since it was last recorded: a header the first time, then a line for each message and each
    /// answer. Returns `None` if nothing has happened.
    pub(in super::super) fn unrecorded(&self) -> Option<Unrecorded> {
        let new = self.log.get(self.recorded..).unwrap_or_default();
        let environment = self.driver.environment();
        let ModelChoice { first_model, first_window, has_fixed_window, follows_replies, .. } = &environment.choice;
        let mut text = String::new();
        if self.recorded == 0 && !new.is_empty() {
            let tool = |name: &SmolStr| Tool { name: name.clone(), description: None, schema: None };
            let live = environment.counter.estimate_factor().map(|factor| Live {
                plan: self.driver.plan().hash.as_str().into(),
                window: *first_window,
                has_fixed_window: *has_fixed_window,
                follows_replies: *follows_replies,
                overhead: self.declared_overhead,
                factor,
                playbook: Playbook::clone(&environment.learning.playbook),
                host_reflects: environment.learning.reflection == Reflection::Host,
                tool_tokens: self.last_request.first_tool_tokens.clone(),
                max_iterations: environment.max_iterations,
                recall: environment.recall,
                answers: Vec::new(),
            });
            text = transcript::write(&Transcript {
                id: self.number.to_string(),
                agent: environment.agent.name.clone(),
                depth: Some(environment.agent.depth),
                model: first_model.clone(),
                window: *first_window,
                tools: self.last_request.first_tools.iter().map(tool).collect(),
                live,
                ..Transcript::default()
            });
        }
        for (at, record) in new.iter().enumerate() {
            let json = match record {
                // A reply of a history that comes from a recording may have the size of another request.
                Record::Message(message) => match self.sent.get(&(self.recorded + at)).copied() {
                    sent if sent == message.sent => transcript::message_json(message),
                    sent => transcript::message_json(&Message { sent, ..message.as_ref().clone() }),
                },
                Record::Host(event) => self.report_json(self.recorded + at, &event.clone().into()),
                Record::Fact(name, value) => {
                    let declared = self.driver.plan().agent.fact(name);
                    let value = value.as_ref().zip(declared).map(|(value, declared)| declared.format(value).into());
                    self.report_json(self.recorded + at, &Reported::Fact { name: name.clone(), value })
                }
                Record::Requested(requested) => {
                    self.report_json(self.recorded + at, &Reported::Requested(requested.clone()))
                }
                Record::Answer(answer) => transcript::answer_json(&answer.clone().into()),
                Record::Call | Record::EndIteration | Record::Compacted(_) => continue,
            };
            text.push_str(&json.to_string());
            text.push('\n');
        }
        let at = self.recording_length;
        (!text.is_empty()).then_some(Unrecorded { branch: self.number, at, text, end: self.log.len() })
    }

    /// The line for what the host reported at an index of the log.
    fn report_json(&self, at: usize, report: &Reported) -> Json {
        transcript::event_json(report, self.moments.get(&at).copied().unwrap_or_default())
    }

    /// Marks a part as recorded.
    pub(in super::super) fn mark_recorded(&mut self, part: &Unrecorded) {
        self.recorded = self.recorded.max(part.end);
        self.recording_length = self.recording_length.max(part.at + part.text.len() as u64);
    }
}
