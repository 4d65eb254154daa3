//! Calls that are made again after their result was reduced, and the answers of rules to them.

use super::act::Applied;
use super::machine::{Machine, Miss};
use super::message::{Message, arguments_value};

impl Machine<'_> {
    /// The calls of a reply whose newest earlier result a rule has reduced or removed.
    pub(super) fn missed(&self, reply: &Message) -> Vec<Miss> {
        let mut missed = Vec::new();
        for (_, tool, arguments) in reply.calls() {
            let value = arguments_value(arguments);
            let mut earlier = self.seen_results.iter().rev();
            let same = earlier.find(|seen| seen.tool == tool && arguments_value(&seen.arguments) == value);
            let Some(same) = same else { continue };
            let entry = self.kept.iter().find(|entry| entry.id == same.id);
            if entry.is_some_and(|entry| entry.message == entry.arrived) {
                continue;
            }
            missed.push(Miss {
                tool: tool.to_owned(),
                arguments: arguments.clone(),
                earlier: entry.map(|entry| entry.id),
                original_chars: same.chars,
                reduced_chars: entry.map_or(0, |entry| entry.message.parts[0].body.chars()),
            });
        }
        missed
    }

    /// Forgets results that are no longer in the conversation.
    pub(super) fn forget_results(&mut self) {
        let kept = &self.kept;
        self.seen_results.retain(|seen| kept.iter().any(|entry| entry.id == seen.id));
    }

    pub(super) fn restore(&mut self, iterations: Option<u64>) -> Applied {
        let earlier = self.miss.as_ref().and_then(|miss| miss.earlier);
        let at = self.kept.iter().position(|entry| Some(entry.id) == earlier);
        let Some(at) = at.filter(|&at| self.kept[at].message != self.kept[at].arrived) else {
            return Applied::default();
        };
        self.kept[at].message = self.kept[at].arrived.clone();
        self.recount(at);
        self.pinned.insert(self.kept[at].id, iterations.map(|iterations| self.iteration + iterations));
        Applied { acted: true, edits: 1, short: 0 }
    }

    pub(super) fn boost(&mut self, factor: u64) -> bool {
        let Some(tool) = self.miss.as_ref().map(|miss| miss.tool.clone()) else { return false };
        if self.boosts.insert(tool.clone(), factor) == Some(factor) {
            return false;
        }
        let call = self.call_index();
        self.outcome.boosts.push((call, tool, factor));
        true
    }
}
