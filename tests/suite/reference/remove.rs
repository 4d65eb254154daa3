//! `drop`: the removal of parts and of whole groups.

use std::collections::BTreeSet;

use super::act::Applied;
use super::machine::Machine;
use super::message::{Answer, Body, Message, Part, Role};
use super::reduce::Fate;
use super::rule::{Choice, Keep, Over, Pin, Target};
use super::views::fits;

impl Machine<'_> {
    pub(super) fn drop(&mut self, target: Target, choice: &Choice) -> Applied {
        if matches!(target, Target::Thinking | Target::Images) {
            let fate = |_: usize, part: &Part| match &part.body {
                Body::Thinking { .. } | Body::Image(..) => Some(Fate::Goes),
                Body::Result(answer) if answer.others.iter().any(Body::is_image) => {
                    let others = answer.others.iter().filter(|other| !other.is_image()).cloned().collect();
                    Some(Fate::Becomes(Body::Result(Answer { others, ..answer.clone() }), part.level))
                }
                _ => None,
            };
            let (edits, short) = self.choose(target, choice, Keep::Messages(10), fate);
            return self.replace(edits, short);
        }
        let (removed, short) = self.removed(target, choice);
        let acted = !removed.is_empty();
        self.remove(&removed);
        Applied { acted, edits: usize::from(acted), short }
    }

    /// Removes messages.
    pub(super) fn remove(&mut self, removed: &BTreeSet<usize>) {
        let mut at = 0;
        self.kept.retain(|_| {
            at += 1;
            !removed.contains(&(at - 1))
        });
    }

    /// The messages that are removed, and by how many tokens the goal is missed.
    fn removed(&self, target: Target, choice: &Choice) -> (BTreeSet<usize>, u64) {
        let goal = match choice.down_to.map(|goal| self.goal_tokens(goal)) {
            Some(None) => return (BTreeSet::new(), 0),
            goal => goal.flatten(),
        };
        let size = |removed: &BTreeSet<usize>| removed.iter().map(|&at| self.kept[at].tokens).sum::<u64>();
        let left = |removed: &BTreeSet<usize>| {
            goal.map_or(0, |goal| self.tokens().saturating_sub(size(removed)).saturating_sub(goal))
        };
        let (mut all, mut best) = (BTreeSet::new(), BTreeSet::new());
        for group in self.groups(target, choice) {
            if goal.is_some() && left(&best) == 0 {
                break;
            }
            all.extend(group);
            let mut some = all.clone();
            // The conversation begins with a user message and has one: the newest of a person stays, or the newest one.
            let first = self.first_besides(&some);
            if target == Target::Older && !first.is_some_and(|at| self.is_user(at)) {
                let first = first.unwrap_or(self.kept.len());
                let users = || some.iter().rev().copied().filter(|&at| at < first && self.is_user(at));
                let person = users().find(|&at| self.kept[at].message.is_person());
                let Some(spared) = person.or_else(|| users().next()) else { continue };
                some.remove(&spared);
            }
            // A pin changes nothing else.
            if target == Target::Older {
                some.retain(|&at| !self.is_pinned(at, choice.pin));
            }
            best = some;
        }
        if size(&best) == 0 || choice.at_least.is_some_and(|gate| size(&best) < gate) {
            return (BTreeSet::new(), 0);
        }
        let short = left(&best);
        (best, short)
    }

    fn is_user(&self, at: usize) -> bool {
        self.kept[at].message.role == Role::User
    }

    /// The first message of the request, besides system messages, that is not removed.
    fn first_besides(&self, removed: &BTreeSet<usize>) -> Option<usize> {
        let is_sent = |at: usize| at >= self.first_sent() || self.is_always_sent(at);
        let stays = |at: &usize| self.kept[*at].message.role != Role::System && !removed.contains(at);
        (0..self.kept.len()).find(|at| is_sent(*at) && stays(at))
    }

    fn members(&self, first: usize) -> Vec<usize> {
        (first..self.kept.len()).filter(|&at| self.group(at) == first).collect()
    }

    /// Whether a rule about misses protects a message of a group.
    pub(super) fn is_protected(&self, group: &[usize]) -> bool {
        group.iter().any(|&at| self.pinned.contains_key(&self.kept[at].id))
    }

    /// The groups that may go, oldest first.
    fn groups(&self, target: Target, choice: &Choice) -> Vec<Vec<usize>> {
        let end = self.tail(choice.keep.unwrap_or(Keep::Messages(10)));
        let firsts = (self.first_sent()..self.kept.len()).filter(|&at| self.group(at) == at);
        if target != Target::Older {
            let goes = |at: usize| self.takes(choice, at) && self.is_redundant(target, choice, at);
            let groups = firsts.map(|first| self.members(first));
            let groups = groups.filter(|group| self.is_spent(group, end) && group[1..].iter().all(|&at| goes(at)));
            return groups.collect();
        }
        let removable = self.removable(self.whole_groups_before(end), Some(Pin::Nothing));
        let groups = firsts.filter(|first| removable.contains(first)).map(|first| self.members(first));
        groups.collect()
    }

    /// Whether a pin keeps a message: the request of the run, and the first message of a person if that is said.
    pub(super) fn is_pinned(&self, at: usize, pin: Option<Pin>) -> bool {
        let is_request = self.request_id == Some(self.kept[at].id);
        let is_first = || self.kept.iter().position(|entry| entry.message.is_person()) == Some(at);
        match pin {
            None | Some(Pin::Request) => is_request,
            Some(Pin::FirstUser | Pin::Both) => is_request || is_first(),
            Some(Pin::Nothing) => false,
        }
    }

    /// The messages before a place that may be removed: no system message, pin, or group with a call without a result.
    pub(super) fn removable(&self, end: usize, pin: Option<Pin>) -> BTreeSet<usize> {
        let may_go = |&at: &usize| {
            let group = self.members(self.group(at));
            self.kept[at].message.role != Role::System
                && !self.is_pinned(at, pin)
                && !self.is_unanswered(&group)
                && !self.is_protected(&group)
        };
        (self.prompt..end).filter(may_go).collect()
    }

    /// Whether the labels select a result.
    fn takes(&self, choice: &Choice, at: usize) -> bool {
        let Some(answer) = self.kept[at].message.answer() else { return false };
        let has =
            |patterns: &[&str]| self.tool(at).is_some_and(|tool| patterns.iter().any(|pattern| fits(pattern, tool)));
        let is_long = match choice.over {
            None => true,
            Some(Over::Chars(limit)) => answer.text.chars().count() as u64 > limit,
            Some(Over::Tokens(limit)) => self.counter.body(&self.kept[at].message.parts[0].body) > limit,
        };
        (choice.errors || !answer.is_error)
            && (choice.only.is_empty() || has(&choice.only))
            && !has(&choice.except)
            && is_long
    }

    /// Whether a group is a reply without text, followed by the results of all its calls before the kept tail, which nothing
    /// protects and with which the conversation does not begin.
    fn is_spent(&self, group: &[usize], end: usize) -> bool {
        let first = group[0];
        let message: &Message = &self.kept[first].message;
        let calls = message.calls().count();
        let is_blank = |part: &Part| match &part.body {
            Body::Text(text) => text.trim().is_empty(),
            body => body.is_thinking() || matches!(body, Body::Call { .. }),
        };
        let thinks = message.parts.iter().any(|part| part.body.is_thinking());
        let is_closed = group.len() == calls + 1 && group.windows(2).all(|two| two[0] + 1 == two[1]);
        message.role == Role::Assistant
            && calls > 0
            && message.parts.iter().all(is_blank)
            && is_closed
            && group[calls] < end
            && !(thinks && first >= self.loop_start())
            && self.first_besides(&BTreeSet::new()) != Some(first)
            && !self.is_protected(group)
    }
}
