//! Records a timeline while a transcript is replayed.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use trimtab_base::conversation::{
    AppliedEdit, Change, Conversation, Counter, Entry, Level, Mark, Message, MessageId, Origin, PartId, Views,
};
use trimtab_run::run::DueRule;

use super::{AddedMessage, Composition, LeftOut, PartChange, Timeline, TimelineMessage, TimelineRequest, text_of};

/// Follows a replay and records what its requests contain.
pub(in super::super) struct TimelineRecorder<'a> {
    messages: &'a [Arc<Message>],
    /// The most characters of a text.
    limit: usize,
    timeline: Timeline,
    /// The index from which on the next recorded message is searched.
    next: usize,
    /// The messages of the previous request, in order.
    order: Vec<MessageId>,
    /// The messages of the conversation as the previous request contained them.
    tracked: HashMap<MessageId, TrackedMessage>,
    /// The sum over the messages of the conversation.
    sum: Composition,
    mark: Option<Mark>,
    /// The rules of the edits since the previous request.
    causes: Causes,
    /// The last rule that made a view.
    last_view: Option<usize>,
}

/// What a request is sent with.
pub(in super::super) struct RequestContext<'a> {
    /// The call.
    pub(in super::super) call: usize,
    /// The tokens of its context.
    pub(in super::super) tokens: u64,
    /// The tokens that are sent before its messages.
    pub(in super::super) overhead: u64,
    /// The tokens of the overhead that are messages which the recording lacks.
    pub(in super::super) unrecorded: u64,
    /// The tokens of the overhead whose content is known: schemas of tools.
    pub(in super::super) known_overhead: u64,
    /// The tokens of reasoning that leave the context, because a change has invalidated it.
    pub(in super::super) lost_reasoning: u64,
    /// The conversation under the policy.
    pub(in super::super) conversation: &'a Conversation,
    /// What is different in this request.
    pub(in super::super) views: &'a Views,
    /// The counter of the replay.
    pub(in super::super) counter: &'a dyn Counter,
}

/// A message of the conversation as the previous request contained it, or as it arrived.
struct TrackedMessage {
    number: usize,
    composition: Composition,
    /// The state of each part.
    parts: Vec<PartState>,
}

/// How far a part is reduced, or `None` if it has been removed, and its tokens.
type PartState = (Option<Level>, u64);

/// Which rules made the edits since the previous request.
#[derive(Default)]
struct Causes {
    removed: HashMap<MessageId, usize>,
    reduced: HashMap<(MessageId, PartId), usize>,
    summarised: HashMap<MessageId, usize>,
    /// The rules of messages that were added at the end, which may arrive later, in order.
    appended: VecDeque<usize>,
}

impl<'a> TimelineRecorder<'a> {
    /// A recorder before the first message.
    pub(in super::super) fn new(messages: &'a [Arc<Message>], limit: usize) -> Self {
        Self {
            messages,
            limit,
            timeline: Timeline { messages: messages.len(), ..Timeline::default() },
            next: 0,
            order: Vec::new(),
            tracked: HashMap::new(),
            sum: Composition::default(),
            mark: None,
            causes: Causes::default(),
            last_view: None,
        }
    }

    /// Records what the rules of a phase did: their edits in order.
    pub(in super::super) fn edited(&mut self, due: &[DueRule], edits: &[AppliedEdit]) {
        let mut edits = edits.iter();
        for DueRule { rule, firing, .. } in due {
            let Some(firing) = firing else { continue };
            if !firing.view_savings.is_empty() {
                self.last_view = Some(*rule);
            }
            for edit in edits.by_ref().take(firing.receipts.len()) {
                self.causes.add(*rule, edit);
            }
        }
    }

    /// Records the request of a call.
    pub(in super::super) fn send(&mut self, context: &RequestContext<'_>) {
        let RequestContext { conversation, views, counter, .. } = *context;
        let entries = conversation.entries();
        let since = |of: fn(&Conversation, &Mark) -> usize| {
            self.mark.as_ref().map_or(0, |mark| of(conversation, mark)).min(self.order.len())
        };
        let (unchanged, unmoved) = (since(Conversation::unchanged_since), since(Conversation::unmoved_since));
        // A summary may have given its place to another one.
        let is_other = |at: &usize| self.order[*at] != entries[*at].id();
        let kept = (unchanged..unmoved).find(is_other).unwrap_or(unmoved);
        let left = self.leave(&entries[kept..], kept);
        let mut changes = Vec::new();
        for entry in &entries[unchanged..] {
            self.update(entry, counter, &mut changes);
        }
        self.order.extend(entries[kept..].iter().map(Entry::id));
        let tail =
            ranges(self.order[kept..].iter().filter_map(|id| self.tracked.get(id)).map(|message| message.number));
        self.mark = Some(conversation.mark());
        self.causes.end_request();
        let first = views.first_retained(conversation);
        let request = TimelineRequest {
            call: context.call,
            composition: self.composition(context, first),
            kept,
            tail,
            left,
            changes,
            left_out: (first > 0).then(|| LeftOut {
                before: first,
                pinned: views.pinned(conversation).within(conversation, 0..first),
                rule: self.last_view,
            }),
            once: self.once(context),
        };
        self.timeline.requests.push(request);
    }

    pub(in super::super) fn finish(self) -> Timeline {
        self.timeline
    }

    /// Forgets the messages that are no longer in the conversation, and cuts the order.
    fn leave(&mut self, tail: &[Entry], kept: usize) -> Vec<(usize, Option<usize>)> {
        let present: HashSet<MessageId> = tail.iter().map(Entry::id).collect();
        let mut left = Vec::new();
        for id in self.order.drain(kept..).filter(|id| !present.contains(id)) {
            let Some(message) = self.tracked.remove(&id) else { continue };
            left.push((message.number, self.causes.removed.get(&id).copied()));
            self.sum = self.sum.without(message.composition);
        }
        left
    }

    /// Records a message that is new or may have changed.
    fn update(&mut self, entry: &Entry, counter: &dyn Counter, changes: &mut Vec<PartChange>) {
        if !self.tracked.contains_key(&entry.id()) {
            self.arrive(entry, counter);
        }
        let Some(message) = self.tracked.get_mut(&entry.id()) else { return };
        let composition = Composition::of(entry, counter);
        self.sum = self.sum.without(message.composition).with(composition);
        message.composition = composition;
        let mut now: Vec<(PartState, Option<String>)> = vec![((None, 0), None); message.parts.len()];
        for (id, part) in entry.parts() {
            let at = usize::try_from(id.0).unwrap_or(usize::MAX);
            let Some(slot) = now.get_mut(at) else { continue };
            let state = (Some(part.level), entry.part_tokens(id, counter));
            let is_same = message.parts.get(at) == Some(&state);
            *slot = (state, if is_same { None } else { text_of(&part.body, self.limit) });
        }
        for (at, (state, text)) in now.into_iter().enumerate() {
            let (level, tokens) = state;
            if std::mem::replace(&mut message.parts[at], state) == state {
                continue;
            }
            let part = PartId(u32::try_from(at).unwrap_or(u32::MAX));
            let rule = self.causes.reduced.get(&(entry.id(), part)).copied();
            changes.push(PartChange { message: message.number, part: at, level, tokens, rule, text });
        }
    }

    /// Records a new message as it arrived.
    fn arrive(&mut self, entry: &Entry, counter: &dyn Counter) {
        let message = TimelineMessage::of(entry.recorded(), entry.tool(), counter, self.limit);
        let parts = message.parts.iter().map(|part| (Some(Level::Whole), part.tokens)).collect();
        let rest = self.messages.get(self.next..).unwrap_or_default();
        let recorded = rest.iter().position(|one| Arc::ptr_eq(one, entry.shared_recorded())).map(|at| self.next + at);
        let number = if let Some(at) = recorded {
            self.next = at + 1;
            self.timeline.recorded.insert(at, message);
            at
        } else {
            let is_summary = entry.is_summary();
            let rule = match entry.message().origin {
                Origin::Injected => self.causes.appended.pop_front(),
                _ => self.causes.summarised.get(&entry.id()).copied(),
            };
            self.timeline.added.push(AddedMessage { rule, is_summary, message });
            self.messages.len() + self.timeline.added.len() - 1
        };
        self.tracked.insert(entry.id(), TrackedMessage { number, composition: Composition::default(), parts });
    }

    /// What the context consists of. `first` is the first message that is certainly sent.
    fn composition(&self, context: &RequestContext<'_>, first: usize) -> Composition {
        let RequestContext { conversation, views, counter, .. } = *context;
        let mut all = self.sum;
        let pinned = views.pinned(conversation);
        let entries = &conversation.entries()[..first];
        let is_left_out = |at: &usize| !entries[*at].is_always_retained() && !pinned.contains(conversation, *at);
        for entry in (0..first).filter(is_left_out).map(|at| &entries[at]) {
            let left_out = self.tracked.get(&entry.id()).map(|message| message.composition);
            all = all.without(left_out.unwrap_or_default());
        }
        let prompt = conversation.entries().iter().take(conversation.prompt_len()).map(Entry::tokens).sum();
        let size = views.size(conversation);
        let known_overhead = context.known_overhead.min(context.overhead.saturating_sub(context.unrecorded));
        all.unrecorded = context.overhead.saturating_sub(known_overhead);
        all.system = (all.system + views.prompt_tokens(conversation) + known_overhead).saturating_sub(prompt);
        all.system = all.system.saturating_sub(size.hidden_tools);
        all.messages += views.end_messages().map(|message| counter.message(&message)).sum::<u64>();
        all.reasoning = all.reasoning.saturating_sub(context.lost_reasoning);
        all.scaled_to(context.tokens)
    }

    /// The messages that only this request contains.
    fn once(&self, context: &RequestContext<'_>) -> Vec<(TimelineMessage, Option<usize>)> {
        let all = context.views.prompt_messages().chain(context.views.end_messages());
        let message = |message: Arc<Message>| TimelineMessage::of(&message, None, context.counter, self.limit);
        all.map(|one| (message(one), self.last_view)).collect()
    }
}

impl Causes {
    fn add(&mut self, rule: usize, edit: &AppliedEdit) {
        let message = edit.receipt.message;
        match edit.receipt.change {
            Change::Reduced(part) | Change::Restored(part) => {
                self.reduced.insert((message, part), rule);
            }
            Change::Summarised(_) => {
                self.summarised.insert(message, rule);
            }
            Change::Appended => self.appended.push_back(rule),
            Change::Removed(_) => {}
        }
        self.removed.extend(edit.removed.iter().map(|message| (*message, rule)));
    }

    /// Forgets the edits that a request has shown.
    fn end_request(&mut self) {
        *self = Self { appended: std::mem::take(&mut self.appended), ..Self::default() };
    }
}

/// Numbers as ranges of successive ones.
fn ranges(numbers: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for number in numbers {
        match all.last_mut() {
            Some(last) if last.end == number => last.end += 1,
            _ => all.push(number..number + 1),
        }
    }
    all
}
