//! The tail of the conversation that an effect keeps.

use super::machine::Machine;
use super::message::{Body, Message};
use super::rule::{Choice, Keep, Target};
use super::views::fits;

impl Machine<'_> {
    /// The first message of the tail that an effect with a target keeps; none if that is a share of an unknown window.
    pub(super) fn tail_of(&self, keep: Keep, target: Target, choice: &Choice) -> Option<usize> {
        self.tail(keep, &|at| self.counts(target, choice, at))
    }

    /// The first message of a tail, of whose results and images those of some messages count.
    pub(super) fn tail(&self, keep: Keep, counts: &dyn Fn(usize) -> bool) -> Option<usize> {
        let message = |at: usize| &self.kept[at].message;
        Some(match keep {
            Keep::Messages(count) => self.kept.len().saturating_sub(count),
            Keep::Results(count) => self.newest(count, &|at| usize::from(message(at).answer().is_some() && counts(at))),
            Keep::Images(count) => self.newest(count, &|at| if counts(at) { images(message(at)) } else { 0 }),
            Keep::Interactions(count) => self.newest(count, &|at| usize::from(message(at).is_person())),
            Keep::Tokens(most) => self.fitting(most),
            Keep::Share(share) => self.fitting(self.agent.window? * share / 100),
        })
    }

    /// The message that has the last of so many things, counted from the end.
    fn newest(&self, count: usize, things: &dyn Fn(usize) -> usize) -> usize {
        let mut left = count;
        for at in (0..self.kept.len()).rev() {
            if left == 0 {
                return at + 1;
            }
            left = left.saturating_sub(things(at));
        }
        0
    }

    /// The first of the newest whole groups that together have at most so many tokens.
    fn fitting(&self, most: u64) -> usize {
        let size = |at: usize| self.kept[at..].iter().map(|entry| entry.tokens).sum::<u64>();
        let fits = |at: &usize| size(*at) <= most && self.whole_groups_before(*at) == *at;
        let first = (self.prompt..=self.kept.len()).find(fits).expect("an empty tail has no tokens");
        if first == self.prompt { 0 } else { first }
    }

    /// Whether the results and images of a message are among those that an effect takes.
    pub(super) fn counts(&self, target: Target, choice: &Choice, at: usize) -> bool {
        use Target::{Duplicates, Images, Results, SupersededReads};
        let tool = self.tool(at);
        let has = |patterns: &[&str]| tool.is_some_and(|tool| patterns.iter().any(|pattern| fits(pattern, tool)));
        let is_selected = !target.has_tools() || (choice.only.is_empty() || has(&choice.only)) && !has(&choice.except);
        let is_error = self.kept[at].message.answer().is_some_and(|answer| answer.is_error);
        let has_errors = matches!(target, Results | Duplicates | SupersededReads | Images);
        is_selected && (!has_errors || choice.takes_errors(is_error))
    }

    /// The end of the whole groups before a place: no group is split there.
    pub(super) fn whole_groups_before(&self, mut end: usize) -> usize {
        while let Some(at) = (end..self.kept.len()).find(|&at| self.group(at) < end) {
            end = self.group(at);
        }
        end
    }
}

/// The images of a message, and of the result in it.
pub(super) fn images(message: &Message) -> usize {
    let own = message.parts.iter().filter(|part| part.body.is_image()).count();
    own + message.answer().map_or(0, |answer| answer.others.iter().filter(|other| Body::is_image(other)).count())
}
