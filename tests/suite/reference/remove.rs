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
        if !removed.is_empty() {
            self.note_compaction();
        }
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
                some.retain(|&at| !self.stays(at, choice) && !self.leads(at, choice));
            }
            best = some;
        }
        if size(&best) == 0 || choice.at_least.is_some_and(|gate| size(&best) < gate) {
            return (BTreeSet::new(), 0);
        }
        // What does not begin with a user message is not sent, unless it began with the same message before.
        let begins = |removed: &BTreeSet<usize>| {
            (self.prompt..self.kept.len())
                .find(|at| self.kept[*at].message.role != Role::System && !removed.contains(at))
        };
        let first = begins(&best);
        if !first.is_some_and(|at| self.is_user(at)) && first != begins(&BTreeSet::new()) {
            return (BTreeSet::new(), 0);
        }
        let short = left(&best);
        (best, short)
    }

    /// Whether a pin or `keep_latest` keeps a message.
    fn stays(&self, at: usize, choice: &Choice) -> bool {
        self.is_pinned(at, &choice.pin) || self.has_latest(at, &choice.latest)
    }

    /// Whether a message is the newest of a person before one that stays and is none of a user.
    fn leads(&self, at: usize, choice: &Choice) -> bool {
        let is_person = |at: usize| self.kept[at].message.is_person();
        let next = (at + 1..self.kept.len()).find(|&later| is_person(later)).unwrap_or(self.kept.len());
        is_person(at) && (at + 1..next).any(|later| !self.is_user(later) && self.stays(later, choice))
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
        let keep = choice.keep.unwrap_or(Keep::Messages(10));
        let Some(end) = self.tail_of(keep, target, choice) else { return Vec::new() };
        let firsts = (self.first_sent()..self.kept.len()).filter(|&at| self.group(at) == at);
        if target != Target::Older {
            let goes = |at: usize| self.takes(choice, at) && self.is_redundant(target, choice, at);
            let groups = firsts.map(|first| self.members(first));
            let groups = groups.filter(|group| self.is_spent(group, end) && group[1..].iter().all(|&at| goes(at)));
            return groups.collect();
        }
        let removable = self.removable(self.whole_groups_before(end), &[Pin::Nothing], &[]);
        let groups = firsts.filter(|first| removable.contains(first)).map(|first| self.members(first));
        groups.collect()
    }

    /// Whether a pin keeps a message or another one of its group: the request of the run, and what is said besides.
    pub(super) fn is_pinned(&self, at: usize, pins: &[Pin]) -> bool {
        let group = self.group(at);
        pins != [Pin::Nothing]
            && (self.request_id == Some(self.kept[at].id)
                || pins.iter().any(|pin| self.pinned_by(*pin).iter().any(|&other| self.group(other) == group)))
    }

    /// The messages that a pin names besides the request.
    fn pinned_by(&self, pin: Pin) -> Vec<usize> {
        let people = || (0..self.kept.len()).filter(|&at| self.kept[at].message.is_person());
        match pin {
            Pin::Nothing | Pin::Request => Vec::new(),
            Pin::FirstUser => people().take(1).collect(),
            Pin::Users => people().collect(),
            Pin::NewestUsers(count) => people().rev().take(count).collect(),
            Pin::UsersWithin(most) => {
                let mut sum = 0;
                let fits = |at: &usize| {
                    sum += self.kept[*at].tokens;
                    sum <= most
                };
                people().rev().take_while(fits).collect()
            }
            Pin::FirstMessages(count) => {
                (self.prompt..self.kept.len()).filter(|&at| !self.is_always_sent(at)).take(count).collect()
            }
        }
    }

    /// Whether a message has the newest result of one of these tools that is no error.
    pub(super) fn is_latest(&self, at: usize, tools: &[&str]) -> bool {
        let succeeded = |at: usize| self.kept[at].message.answer().is_some_and(|answer| !answer.is_error);
        let tool = self.tool(at);
        succeeded(at)
            && tool.is_some_and(|tool| tools.iter().any(|pattern| fits(pattern, tool)))
            && (at + 1..self.kept.len()).all(|later| self.tool(later) != tool || !succeeded(later))
    }

    /// Whether a group has such a result.
    pub(super) fn has_latest(&self, at: usize, tools: &[&str]) -> bool {
        !tools.is_empty() && self.members(self.group(at)).iter().any(|&at| self.is_latest(at, tools))
    }

    /// The messages before a place that may be removed: no system message, pin, or group with a call without a result.
    pub(super) fn removable(&self, end: usize, pin: &[Pin], latest: &[&str]) -> BTreeSet<usize> {
        let may_go = |&at: &usize| {
            let group = self.members(self.group(at));
            self.kept[at].message.role != Role::System
                && !self.is_pinned(at, pin)
                && !self.has_latest(at, latest)
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
        choice.takes_errors(answer.is_error)
            && (choice.only.is_empty() || has(&choice.only))
            && !has(&choice.except)
            && is_long
            && !self.is_latest(at, &choice.latest)
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
