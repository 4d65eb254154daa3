//! Masks, calls that are made again after their result was masked, and the answers of rules to them.

use trimtab::conversation::{Body, Message, Part, Role};

use super::machine::Machine;

impl Machine<'_> {
    /// The calls of a reply whose newest earlier result is reduced: the tool, and the id of that result.
    pub(super) fn missed(&self, reply: &Message) -> Vec<(String, String)> {
        let earlier = |id: &str| {
            let mut calls = self.kept.iter().flat_map(Message::calls);
            calls.find(|(call, ..)| call.as_str() == id).map(|(_, tool, arguments)| (tool, arguments))
        };
        let mut missed = Vec::new();
        for (_, tool, arguments) in reply.calls() {
            let answers = |message: &&Message| {
                let found = message.results().next().and_then(|result| earlier(&result.id));
                found.is_some_and(|(name, other)| name == tool && arguments.same(other))
            };
            let Some(result) = self.kept.iter().rev().find(answers) else { continue };
            let id = result.results().next().unwrap().id.as_str();
            if self.arrived[id] != *result {
                missed.push((tool.to_string(), id.to_owned()));
            }
        }
        missed
    }

    /// Masks the results before the newest ones; returns whether any changed.
    pub(super) fn mask(&mut self, keep: usize) -> bool {
        let results: Vec<usize> = (0..self.kept.len()).filter(|&at| self.kept[at].role == Role::Tool).collect();
        let mut changed = false;
        for &at in &results[..results.len().saturating_sub(keep)] {
            let result = self.kept[at].results().next().unwrap().clone();
            let calls: Vec<_> = self.kept.iter().flat_map(Message::calls).collect();
            let tool = calls.iter().find(|(id, ..)| **id == result.id).map_or("unknown", |(_, tool, _)| tool.as_str());
            let start = if result.text.is_empty() { "" } else { "…" };
            let mut masked = result.clone();
            masked.text = format!("[tool result for {tool}: {start}]").into();
            masked.attachments.clear();
            let [old, new] = [&result, &masked].map(|result| Body::ToolResult(Box::new(result.clone())));
            if !result.is_error && !self.pinned.contains_key(result.id.as_str()) && new.chars() < old.chars() {
                self.kept[at].parts[0] = Part::new(new);
                changed = true;
            }
        }
        changed
    }

    pub(super) fn restore(&mut self, iterations: Option<u64>) -> bool {
        let Some((_, id)) = &self.missed else { return false };
        let is_result = |message: &Message| message.results().any(|result| result.id == *id);
        let Some(at) = self.kept.iter().position(is_result) else { return false };
        if self.kept[at] == self.arrived[id] {
            return false;
        }
        self.kept[at] = self.arrived[id].clone();
        self.pinned.insert(id.clone(), iterations.map(|iterations| self.iteration + iterations));
        true
    }

    pub(super) fn boost(&mut self, factor: u64) -> bool {
        let Some((tool, _)) = self.missed.clone() else { return false };
        if self.boosts.insert(tool.clone(), factor) == Some(factor) {
            return false;
        }
        self.outcome.boosts.push((self.outcome.calls.len() - 1, tool, factor));
        true
    }
}
