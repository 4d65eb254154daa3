//! Which branch a history continues, or departs from.

use std::sync::Arc;

use trimtab_base::conversation::Message;

use super::branch::Branch;
use super::compaction::{is_compacted, messages_after};
use super::same_message::prompt_len;
use super::{MAX_BRANCHES, Session};

/// How much of a history is known to a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shared {
    /// The number of messages at the beginning.
    messages: usize,
    /// Whether they are all messages of the branch.
    is_whole: bool,
    /// Whether the system prompt is the same.
    has_prompt: bool,
}

impl Shared {
    /// Clients write a new system prompt into a conversation that goes on, or into a request that they repeat. So another prompt
    /// makes no difference if a reply after it is the same, or all messages of the branch are, and no rule has edited the prompt.
    /// Another agent with the same task has another prompt too.
    fn of(branch: &Branch, history: &[Arc<Message>]) -> Self {
        let pairs = || branch.listed().zip(history).enumerate();
        let strict = pairs().take_while(|(_, (old, new))| old.is(new)).count();
        let prompt = prompt_len(branch.history());
        let is_of_prompt = prompt > 0 && prompt == prompt_len(history.iter());
        let messages = if strict < prompt && is_of_prompt {
            let is_prompt = |at: usize| at < prompt && branch.is_untouched(at);
            let messages = pairs().take_while(|(at, (old, new))| is_prompt(*at) || old.is(new)).count();
            let has_reply = || branch.history().take(messages).any(|message| message.is_reply());
            let goes_on = messages > prompt && (messages == branch.len() || has_reply());
            if goes_on { messages } else { strict }
        } else {
            strict
        };
        Self { messages, is_whole: messages == branch.len(), has_prompt: messages == strict }
    }
}

impl Session {
    /// Makes the branch current whose history is the longest beginning of this one, and returns the messages that are new to it. A
    /// branch that the history departs from stays, and a copy of it up to that point becomes current. If the client has
    /// compacted, the copy is one of the whole branch: a compaction begins no run, and ends no guard. If a rule has stopped the last
    /// request of the branch and the session resumes after that, the first message of a person begins a run.
    pub(super) fn follow(&mut self, history: &[Arc<Message>]) -> Vec<Arc<Message>> {
        // Of equally long beginnings, a whole branch wins, then one with the same prompt, then the branch that was used last.
        let shared = self.branches.iter().map(|branch| Shared::of(branch, history)).zip(0..);
        let (Shared { messages: shared, .. }, best) = shared.max().expect("a session has a branch");
        let mut branch = self.branches.remove(best);
        let is_retry = history.get(shared).is_none_or(|message| message.is_reply());
        branch.sent_again(&history[..shared]);
        if branch.continues_with(shared, is_retry) {
            self.branches.push(branch);
            return history[shared..].to_vec();
        }
        let resumes = self.resumes_after_stop && shared == branch.len() && branch.is_stopped();
        let compacts = is_compacted(branch.history(), history, shared);
        let prompt = prompt_len(history.iter());
        let shared = if compacts { shared.min(prompt) } else { shared };
        // A system prompt that rules have edited, or of another length, cannot give its place to another one.
        let is_same_prompt = || shared == prompt || (0..prompt).all(|at| branch.is_untouched(at));
        let goes_on = compacts && prompt == prompt_len(branch.history()) && is_same_prompt();
        let mut new = Branch::new(Arc::clone(&self.plan), self.environment.clone(), self.overhead, self.next_branch);
        self.next_branch += 1;
        if self.is_observed {
            new.observe();
        }
        let mut fork = if goes_on {
            branch.fork(branch.len(), false, new)
        } else {
            branch.fork(shared, is_retry && !compacts, new)
        };
        let new_messages = if goes_on {
            fork.compact(prompt);
            messages_after(branch.history(), history, prompt)
        } else {
            let mut messages = history[fork.len()..].to_vec();
            if let Some(first) = messages.get_mut(prompt.saturating_sub(fork.len())).filter(|_| compacts) {
                Arc::make_mut(first).resets = true;
            }
            if resumes {
                begin_run(&mut messages);
            }
            messages
        };
        // A branch that only lost its open call is not worth keeping, unless facts may have other values when its reply comes, or
        // the client may replace the message that resumes the session.
        if shared < branch.len() || resumes || !self.plan.agent.facts.is_empty() {
            self.branches.push(branch);
        }
        self.branches.push(fork);
        if self.branches.len() > MAX_BRANCHES {
            self.branches.remove(0);
        }
        new_messages
    }
}

/// Makes the first message of a person begin a run, unless a reply comes before it.
fn begin_run(messages: &mut [Arc<Message>]) {
    let mut before_reply = messages.iter_mut().take_while(|message| !message.is_reply());
    if let Some(first) = before_reply.find(|message| message.is_person()) {
        let first = Arc::make_mut(first);
        first.run = first.run.or(Some(true));
    }
}
