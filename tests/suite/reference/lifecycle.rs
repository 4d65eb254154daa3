//! The events of a run that hooks get.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::machine::{Machine, Miss};
use super::message::Message;
use super::rule::Phase;

/// The last call that has begun, the run, the iteration, and the event.
pub(super) type LifecycleEvent = (Option<usize>, u64, u64, String);

/// The iteration that has begun.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifecycle {
    /// Its end, as far as it is known.
    open: Option<Json>,
    /// The iteration of this run that ended last.
    ended: Option<u64>,
}

impl Machine<'_> {
    fn announce(&mut self, event: &Json) {
        let call = self.outcome.calls.len().checked_sub(1);
        self.outcome.lifecycle.push((call, self.run, self.iteration, event.to_string()));
    }

    pub(super) fn forget_lifecycle(&mut self) {
        self.lifecycle = Lifecycle::default();
    }

    pub(super) fn announce_start(&mut self) {
        let goal: String = self.request.iter().flat_map(Message::texts).collect();
        let iteration = self.iteration;
        self.lifecycle.open = Some(end(iteration, "running", &BTreeMap::new(), false, ""));
        self.announce(
            &json!({ "event": "iteration_start", "goal": goal, "iteration": iteration, "max_iterations": null }),
        );
    }

    pub(super) fn announce_overflow(&mut self, rejected: bool) {
        let (tokens, window) = (self.tokens(), self.agent.window);
        self.announce(&json!({ "event": "overflow", "tokens": tokens, "window": window, "rejected": rejected }));
    }

    pub(super) fn announce_budget(&mut self) {
        let (persona, tools, history) = self.split();
        let total = persona + tools + history;
        let exact = |number: u64| f64::from(u32::try_from(number).expect("a small number"));
        let utilisation = self.agent.window.map(|window| exact(total) / exact(window));
        self.announce(&json!({
            "event": "context_budget",
            "persona_tokens": persona,
            "tool_schema_tokens": tools,
            "history_tokens": history,
            "total_tokens": total,
            "window": self.agent.window,
            "utilisation": utilisation,
            "over_budget": self.agent.window.is_some_and(|window| 100 * total > 85 * window),
        }));
    }

    /// Records a reply, by which the end of the iteration is known.
    pub(super) fn note_reply(&mut self, reply: &Message) {
        let mut counts = BTreeMap::new();
        for (_, tool, _) in reply.calls() {
            *counts.entry(tool.to_owned()).or_insert(0) += 1;
        }
        let output: String = reply.texts().collect();
        let (status, is_done) = if counts.is_empty() { ("success", true) } else { ("running", false) };
        self.lifecycle.open = Some(end(self.iteration, status, &counts, is_done, &output));
    }

    pub(super) fn announce_miss(&mut self, miss: &Miss) {
        self.announce(&json!({
            "event": "compaction_miss",
            "tool": miss.tool,
            "original_size": miss.original_chars,
            "compressed_size": miss.reduced_chars,
        }));
    }

    pub(super) fn announce_end(&mut self) {
        if let Some(end) = self.lifecycle.open.take() {
            self.lifecycle.ended = end["iteration"].as_u64();
            self.announce(&end);
        }
    }

    /// A rule has stopped the run: the iteration ends with a failure.
    pub(super) fn announce_failure(&mut self) {
        if let Some(mut end) = self.lifecycle.open.take() {
            self.lifecycle.ended = end["iteration"].as_u64();
            end["status"] = "failure".into();
            self.announce(&end);
        }
    }

    /// What the host has reported. A reflection is about the iteration that ended last.
    pub(super) fn announce_host_event(&mut self, phase: Phase, line: &Json) {
        let mut event = line.clone();
        event.as_object_mut().expect("an object").shift_remove("moment");
        if phase == Phase::Reflection {
            event["iteration"] = self.lifecycle.ended.unwrap_or(self.iteration).into();
        }
        self.announce(&event);
    }
}

fn end(iteration: u64, status: &str, counts: &BTreeMap<String, u64>, is_done: bool, output: &str) -> Json {
    json!({
        "event": "iteration_end",
        "iteration": iteration,
        "status": status,
        "tool_call_counts": counts,
        "task_completed": is_done,
        "output": output,
    })
}
