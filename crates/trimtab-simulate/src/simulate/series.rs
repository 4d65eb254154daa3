//! The recorded context, message by message, and the sizes of each call before and after the policy.

use foldhash::{HashMap, HashMapExt};
use smol_str::SmolStr;
use trimtab_base::conversation::{Cleared, Counter, Message, Origin, Part, RequestSize, Role};
use trimtab_recordings::transcript::Transcript;
use trimtab_run::run::Clock;

use super::options::Tokens;
use super::request_prefix::CommonPrefix;

/// The interpretation of a drop of the recorded input without a recorded reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsageDrop {
    /// The harness cleared these results.
    Cleared(Cleared),
    /// The context was reset to the open turn.
    Reset,
}

/// A tool result in the recorded context.
#[derive(Clone, Copy, Debug)]
struct RecordedResult {
    position: usize,
    /// Counted tokens before it.
    offset: u64,
    /// The tokens that clearing it saves.
    freed: i128,
}

/// The effect of a clearing by the harness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Freed {
    /// The saved tokens of each cleared result; `None` for one that is not in the recorded context.
    pub(super) results: Vec<Option<i128>>,
}

impl Freed {
    /// The total number of saved tokens.
    pub(super) fn tokens(&self) -> i128 {
        self.results.iter().flatten().sum()
    }

    /// The number of results that are not in the recorded context.
    pub(super) fn missing(&self) -> usize {
        self.results.iter().filter(|tokens| tokens.is_none()).count()
    }
}

/// The recorded context as it was sent: with the edits of the harness, without those of the policy.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorded {
    /// Counted tokens of the recorded conversation.
    pub(super) counted: u64,
    /// Counted tokens of its system prompt.
    pub(super) prompt: u64,
    calls: usize,
    /// Counted tokens of the previous request, and how many of them this request begins with.
    previous: Option<(u64, u64)>,
    last: Option<(u64, u64)>,
    /// Counted tokens that the harness has cleared since the last call.
    pending: Option<i128>,
    position: usize,
    /// The position and the counted tokens at the start of the pending calls; see [`Recorded::keep_pending_calls`].
    turn: (usize, u64),
    /// Whether there was a message other than a system message.
    begun: bool,
    clock: Clock,
    /// Results by id if the harness clears any; the newest last.
    results: Option<HashMap<SmolStr, Vec<RecordedResult>>>,
}

impl Recorded {
    /// The context of a recording before its first message. `clears` is whether results are cleared without a record of it.
    pub(super) fn of(transcript: &Transcript, clears: bool) -> Self {
        let clears = clears || transcript.messages.iter().any(|message| message.cleared().is_some());
        Self { results: clears.then(HashMap::new), ..Self::default() }
    }

    /// Resets the recorded context to the system prompt.
    pub(super) fn reset(&mut self) {
        self.turn = (self.position + 1, self.counted);
        self.keep_pending_calls();
    }

    /// Resets the recorded context to the system prompt and the open turn: the newest reply with calls and all messages
    /// after it.
    pub(super) fn keep_pending_calls(&mut self) {
        let (position, before) = self.turn;
        let left_out = before.max(self.prompt) - self.prompt;
        self.limit_common(self.prompt);
        self.counted = self.prompt + self.counted.saturating_sub(before.max(self.prompt));
        self.turn.1 = self.prompt;
        self.begun = self.position >= position;
        (self.last, self.pending) = (None, None);
        for results in self.results.iter_mut().flat_map(HashMap::values_mut) {
            results.retain(|one| one.position >= position);
            for one in results {
                one.offset = one.offset.saturating_sub(left_out);
            }
        }
    }

    /// Counted tokens besides those of the system prompt.
    pub(super) const fn without_prompt(&self) -> u64 {
        self.counted.saturating_sub(self.prompt)
    }

    fn limit_common(&mut self, tokens: u64) {
        if let Some((_, common)) = &mut self.previous {
            *common = tokens.min(*common);
        }
    }

    /// What the next request has in common with the previous one.
    pub(super) fn prefix(&self, overhead: u64) -> CommonPrefix {
        let Some((previous, common)) = self.previous else { return CommonPrefix::default() };
        let is_whole = common == previous;
        let tokens = overhead.saturating_add(common);
        let head = overhead.saturating_add(self.prompt.min(common));
        let at_breakpoint = if is_whole { tokens } else { head };
        CommonPrefix { tokens: Some(tokens), at_breakpoint, is_whole, is_head: !is_whole, ..CommonPrefix::default() }
    }

    /// The seconds between the previous recorded reply and a call at this time; up to the newest message if it is not known.
    pub(super) fn idle_until(&self, call: Option<&str>) -> Option<u64> {
        self.clock.idle_until(call).and_then(|idle| u64::try_from(idle).ok())
    }

    /// Adds a message with its number of counted tokens.
    pub(super) fn add(&mut self, message: &Message, tokens: u64, counter: &dyn Counter) {
        self.begun |= message.role != Role::System || message.origin != Origin::Recorded;
        self.position += 1;
        let (before, at) = (self.counted, message.at.as_deref());
        if message.is_reply() {
            self.clock.reply(at);
        } else {
            self.clock.input(at);
        }
        self.counted += tokens;
        if !self.begun {
            self.prompt += tokens;
        }
        if message.is_reply() {
            let calls = message.calls().next().is_some();
            self.turn = if calls { (self.position, before) } else { (self.position + 1, self.counted) };
        }
        if let Some(results) = &mut self.results
            && message.role == Role::Tool
            && let Some(result) = message.results().next()
        {
            let parts = message.parts.iter().map(|part| Part::new(part.body.cleared())).collect();
            let freed = i128::from(tokens) - i128::from(counter.message(&Message::new(Role::Tool, parts)));
            results.entry(result.id.clone()).or_default().push(RecordedResult {
                position: self.position,
                offset: before,
                freed,
            });
        }
    }

    /// Applies a clearing: the harness replaced results with placeholders.
    pub(super) fn clear(&mut self, cleared: &Cleared) -> Freed {
        let (mut freed, mut before_turn) = (Freed::default(), 0);
        for id in &cleared.results {
            let result = self.results.as_mut().and_then(|results| results.get_mut(id)).and_then(Vec::pop);
            if let Some(result) = result {
                self.limit_common(result.offset);
                before_turn += if result.position < self.turn.0 { result.freed } else { 0 };
            }
            freed.results.push(result.map(|result| result.freed));
        }
        self.counted = subtract(self.counted, freed.tokens());
        self.pending = Some(self.pending.unwrap_or(0) + freed.tokens());
        self.turn.1 = subtract(self.turn.1, before_turn);
        freed
    }

    /// Applies a drop of the recorded input without a recorded reason.
    pub(super) fn apply_drop(&mut self, usage_drop: &UsageDrop) -> Freed {
        let UsageDrop::Cleared(cleared) = usage_drop else {
            self.keep_pending_calls();
            return Freed::default();
        };
        let freed = self.clear(cleared);
        (self.last, self.pending) = (None, None);
        freed
    }

    /// The results before the open turn that clearing would make smaller, the oldest first: id and saved tokens.
    pub(super) fn oldest_results(&self) -> impl Iterator<Item = (SmolStr, u64)> {
        let all = self.results.iter().flatten().filter_map(|(id, results)| match results.as_slice() {
            [one] if one.position < self.turn.0 && one.freed > 0 => Some((one.position, id, one.freed)),
            _ => None,
        });
        let mut all: Vec<_> = all.collect();
        all.sort_unstable();
        all.into_iter().map(|(_, id, freed)| (id.clone(), u64::try_from(freed).unwrap_or(0)))
    }

    /// The counted tokens of the recorded context.
    pub(super) const fn counted(&self) -> u64 {
        self.counted
    }

    /// The overhead of the next call, in tokens.
    pub(super) fn overhead(&self, overheads: &[u64]) -> u64 {
        overheads.get(self.calls).or(overheads.last()).copied().unwrap_or(0)
    }

    /// By how many tokens the recorded input dropped since the harness cleared results: the input of the previous call
    /// plus later messages, minus the input of this call. Returns `None` if the harness cleared nothing or usage is
    /// missing.
    pub(super) fn measured(&self, usage: Option<u64>) -> Option<i128> {
        let ((tokens, at), cleared) = (self.last?, self.pending?);
        let expected = i128::from(tokens) + i128::from(self.counted) + cleared - i128::from(at);
        Some(expected - i128::from(usage?))
    }

    /// The sizes of a call before and after the policy, given the counted size of the request with the policy and the tokens
    /// of a tool that the policy adds. `prevented` are the counted tokens of the recorded context that stops kept from
    /// happening. No size is smaller than what is sent besides the messages; recorded usage below it does not measure the
    /// context. If the recorded request was not the recorded conversation, because a policy had edited it, `kept_out` are the
    /// tokens that it had less and that it had more.
    pub(super) fn call(
        &mut self,
        tokens: Tokens,
        overhead: u64,
        (usage, kept_out): (Option<u64>, Option<(u64, u64)>),
        (kept, added): (RequestSize, u64),
        prevented: u64,
    ) -> CallSizes {
        let counted = overhead + self.counted;
        let since = |(last, at): (u64, u64)| (last + self.counted).saturating_sub(at).max(overhead);
        let whole = |usage: u64| {
            let (less, more) = kept_out.unwrap_or_default();
            usage.saturating_add(less).saturating_sub(more)
        };
        let estimated = || self.last.map_or(counted, since);
        let before = match tokens {
            Tokens::Estimate | Tokens::Exact | Tokens::Best => counted,
            Tokens::Recorded => usage.map_or_else(estimated, whole),
            Tokens::Reported => usage.filter(|usage| *usage >= overhead).map_or_else(estimated, whole),
        };
        self.last = Some((before, self.counted));
        self.previous = Some((self.counted, self.counted));
        self.pending = None;
        self.calls += 1;
        let unsent = prevented.saturating_sub(before.saturating_sub(overhead));
        let prevented = prevented - unsent;
        if tokens == Tokens::Recorded {
            return CallSizes { before, prevented, after: before, unremoved: 0 };
        }
        let least = overhead.saturating_add(added).saturating_sub(kept.hidden_tools);
        let more = kept.messages.saturating_add(added).saturating_add(unsent);
        let less = self.counted.saturating_add(kept.missing());
        let after = before.saturating_add(more).saturating_sub(less).max(least);
        let unremoved = after.saturating_add(less).saturating_sub(before.saturating_add(more));
        CallSizes { before, prevented, after, unremoved }
    }
}

/// The sizes of a call in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallSizes {
    /// The recorded context.
    pub(super) before: u64,
    /// The part of it that stops kept from happening.
    pub(super) prevented: u64,
    /// The context with the policy.
    pub(super) after: u64,
    /// What the policy counts as removed, but cannot have been sent: the provider counts less than the token counter.
    pub(super) unremoved: u64,
}

/// Subtracts a signed number of tokens.
fn subtract(tokens: u64, freed: i128) -> u64 {
    u64::try_from((i128::from(tokens) - freed).max(0)).unwrap_or(u64::MAX)
}
