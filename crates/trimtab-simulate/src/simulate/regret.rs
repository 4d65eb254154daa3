//! Regret: what the recorded agent used again after a rule had removed it from the context.
//!
//! It counts calls that are made again identically after their result was reduced or removed, and calls whose arguments
//! quote content that rules removed: the recorded request has it, the request with the policy does not.

mod holders;
mod quotable;
mod runs;
mod vocabulary;

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashSet, HashSetExt};
use smol_str::SmolStr;
use trimtab_base::conversation::{AppliedEdit, Change, Conversation, Entry, Message, MessageId, Miss, Views};
use trimtab_run::run::DueRule;

use self::holders::{Cause, Contents, Presence};
use self::vocabulary::Vocabulary;

/// Later calls that needed what a rule had removed from the context.
#[derive(Clone, Debug, Default)]
pub struct Regret {
    /// Calls that were made again after their result had been reduced or removed.
    pub repeated: Vec<RepeatedCall>,
    /// Calls that quote content that rules removed. Repeated calls are not among them.
    pub quotes: Vec<Quote>,
}

impl Regret {
    /// Releases the memory that a growing list keeps in reserve.
    pub(super) fn shrink(&mut self) {
        self.repeated.shrink_to_fit();
        self.quotes.shrink_to_fit();
    }
}

/// A call that was made again after its result had been reduced or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedCall {
    /// The model call that repeats it.
    pub call: usize,
    /// The model call at which its result was reduced.
    pub reduced: usize,
    /// The index of the rule that reduced it.
    pub rule: usize,
    /// The tool.
    pub tool: SmolStr,
}

/// A call that quotes content that a rule removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The model call that makes it.
    pub call: usize,
    /// The model call at which the longest of the quoted strings was removed.
    pub reduced: usize,
    /// The index of the rule that removed them.
    pub rule: usize,
    /// The tool.
    pub tool: SmolStr,
    /// How many different strings it quotes.
    pub strings: usize,
    /// The characters of the longest one.
    pub chars: usize,
    /// The longest one, if the options permit text from the recording.
    pub text: Option<String>,
}

/// A message that has arrived.
#[derive(Debug)]
struct Arrival {
    message: Arc<Message>,
    is_recorded: bool,
    /// Whether views never leave it out.
    always: bool,
}

/// Follows a replay and collects its regret.
#[derive(Debug, Default)]
pub(super) struct RegretTracker<'a> {
    /// The recorded messages that have not arrived.
    messages: &'a [Arc<Message>],
    regret: Regret,
    /// The messages that have arrived before there were contents.
    waiting: BTreeMap<MessageId, Arrival>,
    /// Kept from the first time that a rule takes something.
    contents: Option<Contents>,
    /// The quotes of the newest reply, with the positions of their calls in it.
    new: Vec<(usize, Quote)>,
    /// The id after that of the newest message.
    next: MessageId,
    /// The first message of the open turn of the recording.
    turn: MessageId,
    /// The rule that last reduced or removed each message.
    reduced: HashMap<MessageId, Cause>,
    /// Whether quotes contain text from the recording.
    shows_text: bool,
    /// The last rule that made a view.
    last_view: Option<usize>,
}

/// The first message from `first` on that views may leave out. A summary, which they never leave out, has a newer id than the messages
/// after it, so the ids from its own on would lack them.
fn first_of_views(conversation: &Conversation, first: MessageId) -> MessageId {
    let sent = conversation.index(first).and_then(|at| conversation.entries().get(at..)).unwrap_or_default();
    sent.iter().find(|entry| !entry.is_always_retained()).map_or(conversation.next_id(), Entry::id)
}

impl Arrival {
    fn join(self, id: MessageId, contents: &mut Contents) {
        contents.add(id, &self.message, self.is_recorded, self.always);
    }
}

impl<'a> RegretTracker<'a> {
    /// A tracker before the first message. `shows_text` is whether quotes contain text.
    pub(super) fn new(messages: &'a [Arc<Message>], shows_text: bool) -> Self {
        Self { messages, shows_text, ..Self::default() }
    }

    /// Records a recorded message that has become part of the conversation.
    pub(super) fn added(&mut self, id: MessageId, message: &Message, conversation: &Conversation) {
        self.follow(conversation, Some(id));
        if let Some(at) = self.messages.iter().position(|recorded| std::ptr::eq(recorded.as_ref(), message)) {
            self.messages = &self.messages[at + 1..];
        }
        if message.is_reply() {
            let calls = message.calls().next().is_some();
            self.turn = if calls { id } else { MessageId(id.0.saturating_add(1)) };
        }
    }

    /// Records the messages at the end of the conversation that are new; only one of them may be recorded.
    fn follow(&mut self, conversation: &Conversation, recorded: Option<MessageId>) {
        let new = conversation.entries().iter().rev().take_while(|entry| entry.id() >= self.next);
        let arrival = |entry: &Entry| {
            let (message, is_recorded) = (Arc::clone(entry.shared_recorded()), recorded == Some(entry.id()));
            (entry.id(), Arrival { message, is_recorded, always: entry.is_always_retained() })
        };
        self.waiting.extend(new.map(arrival));
        if let Some(contents) = &mut self.contents {
            for (id, arrival) in std::mem::take(&mut self.waiting) {
                arrival.join(id, contents);
            }
        }
        self.next = self.next.max(conversation.next_id());
    }

    /// The contents, searched from now on.
    fn contents(&mut self) -> &mut Contents {
        let (messages, waiting) = (self.messages, &mut self.waiting);
        self.contents.get_or_insert_with(|| {
            let mut contents = Contents::new(Vocabulary::of(messages));
            for (id, arrival) in std::mem::take(waiting) {
                arrival.join(id, &mut contents);
            }
            contents
        })
    }

    /// Records what the rules of a phase did at a call: their edits in order.
    pub(super) fn edited(
        &mut self,
        due: &[DueRule],
        edits: Vec<AppliedEdit>,
        call: usize,
        conversation: &Conversation,
    ) {
        self.follow(conversation, None);
        let mut edits = edits.into_iter();
        for DueRule { rule, firing, .. } in due {
            let Some(firing) = firing else { continue };
            if !firing.view_savings.is_empty() {
                self.last_view = Some(*rule);
            }
            for edit in edits.by_ref().take(firing.receipts.len()) {
                self.take(edit, Cause { rule: *rule, call }, conversation);
            }
        }
    }

    fn take(&mut self, edit: AppliedEdit, cause: Cause, conversation: &Conversation) {
        let message = edit.receipt.message;
        match edit.receipt.change {
            Change::Reduced(part) => {
                self.reduced.insert(message, cause);
                self.contents().replace(message, part, edit.content, cause);
            }
            Change::Restored(part) => {
                self.reduced.remove(&message);
                self.contents().restore(message, part);
            }
            Change::Summarised(_) | Change::Removed(_) => {
                for message in edit.removed {
                    self.reduced.insert(message, cause);
                    self.contents().remove(message, cause);
                }
                if let (Change::Summarised(_), Some(at)) = (edit.receipt.change, conversation.index(message)) {
                    let summary = conversation.entries()[at].shared_recorded();
                    self.contents().add(message, summary, false, true);
                }
            }
            Change::Appended => {}
        }
    }

    /// Records that the recorded harness cleared the result of a message.
    pub(super) fn clear(&mut self, message: MessageId) {
        self.reduced.remove(&message);
        self.waiting.remove(&message);
        if let Some(contents) = &mut self.contents {
            contents.forget(message);
        }
    }

    /// Records that the recorded harness removed everything but the system prompt and, if it is kept, the open turn.
    pub(super) fn reset(&mut self, conversation: &Conversation, keeps_turn: bool) {
        let from = if keeps_turn { self.turn } else { self.next };
        let prompt = conversation.entries().iter().take(conversation.prompt_len());
        let kept: HashSet<MessageId> = prompt.map(Entry::id).collect();
        self.reduced.retain(|id, _| *id >= from);
        self.waiting.retain(|id, _| *id >= from || kept.contains(id));
        self.contents.iter_mut().for_each(|contents| contents.forget_before(from, &kept));
    }

    /// Looks for quotes in the calls of a reply to the request that is sent.
    pub(super) fn send(&mut self, reply: &Message, call: usize, (conversation, views): (&Conversation, &Views)) {
        let first_sent = views.retained(conversation).map(|first| first_of_views(conversation, first));
        if self.contents.is_none() && first_sent.is_none() {
            return;
        }
        self.follow(conversation, None);
        let mut shown = None;
        for (position, (_, tool, arguments)) in reply.calls().enumerate() {
            let mut lost: BTreeMap<usize, Quote> = BTreeMap::new();
            for (text, word) in self.contents().vocabulary.take_words(arguments) {
                let Some(Cause { rule, call: reduced }) = self.cause(word, first_sent, call) else { continue };
                let shown = shown.get_or_insert_with(|| self.shown(conversation, views));
                if shown.contains(&word) {
                    continue;
                }
                let quote = lost.entry(rule).or_insert_with(|| Quote {
                    call,
                    reduced,
                    rule,
                    tool: tool.clone(),
                    strings: 0,
                    chars: 0,
                    text: None,
                });
                quote.strings += 1;
                let chars = text.chars().count();
                if chars > quote.chars {
                    (quote.chars, quote.reduced) = (chars, reduced);
                    quote.text = self.shows_text.then(|| text.into());
                }
            }
            self.new.extend(lost.into_values().map(|quote| (position, quote)));
        }
    }

    /// Returns the rule that removed a string from the request, or `None` if it is there, or was not in the recorded
    /// one either.
    fn cause(&mut self, word: u32, first_sent: Option<MessageId>, call: usize) -> Option<Cause> {
        match self.contents().find(word, first_sent) {
            Presence::Elsewhere => None,
            Presence::LeftOut => self.last_view.map(|rule| Cause { rule, call }),
            Presence::Removed(cause) => Some(cause),
        }
    }

    /// The strings of what views add to the request.
    fn shown(&self, conversation: &Conversation, views: &Views) -> HashSet<u32> {
        let Some(contents) = &self.contents else { return HashSet::new() };
        let pinned = views.pinned(conversation).within(conversation, 0..views.first_retained(conversation));
        let pinned = pinned.into_iter().map(|at| Arc::clone(conversation.entries()[at].shared_message()));
        let messages = views.prompt_messages().chain(views.end_messages()).chain(pinned);
        let words = messages.flat_map(|message| {
            message.parts.iter().flat_map(|part| contents.vocabulary.words(&part.body)).collect::<Vec<_>>()
        });
        words.collect()
    }

    /// Records which calls of the last reply repeat earlier ones. These do not count as quotes as well.
    pub(super) fn repeated(&mut self, reply: &Message, misses: &[Arc<Miss>], call: usize) {
        for miss in misses {
            let Some(Cause { rule, call: reduced }) = self.reduced.get(&miss.message).copied() else { continue };
            self.regret.repeated.push(RepeatedCall { call, reduced, rule, tool: miss.tool.clone() });
        }
        let is_again = |at: usize| {
            let call = reply.calls().nth(at);
            call.is_some_and(|(_, tool, arguments)| {
                misses.iter().any(|miss| miss.tool == *tool && miss.arguments.same(arguments))
            })
        };
        let new = std::mem::take(&mut self.new).into_iter().filter(|(at, _)| !is_again(*at));
        self.regret.quotes.extend(new.map(|(_, quote)| quote));
    }

    pub(super) fn finish(self) -> Regret {
        self.regret
    }
}
