//! How a request begins: what views make different in its tools, its system prompt and its first messages.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Conversation, Counter, Entry, MessageId, PinnedBefore, SentPrompt, Views};

/// How a request begins.
#[derive(Clone, Debug)]
pub(super) struct RequestHead {
    hidden_tools: Arc<[SmolStr]>,
    prompt: SentPrompt,
    /// The message from which on all messages are sent, if a view leaves out earlier ones.
    retained: Option<MessageId>,
    /// The earlier messages that are sent nevertheless.
    pub(super) pinned: PinnedBefore,
    /// The first message from `retained` on that is not a summary, because the id of a summary is newer than the ids
    /// after it.
    pub(super) first: MessageId,
}

impl RequestHead {
    /// The head of the next request.
    pub(super) fn of(conversation: &Conversation, views: &Views) -> Self {
        let retained = views.retained(conversation);
        let first = |_| {
            let mut sent = conversation.entries().iter().skip(views.first_retained(conversation));
            sent.find(|entry| !entry.is_summary()).map_or(conversation.next_id(), Entry::id)
        };
        let pinned = || views.pinned(conversation).before(conversation, views.first_retained(conversation));
        Self {
            hidden_tools: Arc::clone(views.hidden_tools()),
            prompt: views.sent_prompt(conversation),
            retained,
            pinned: retained.map(|_| pinned()).unwrap_or_default(),
            first: retained.map(first).unwrap_or_default(),
        }
    }

    /// The head of a request without views.
    pub(super) fn plain(conversation: &Conversation) -> Self {
        Self::of(conversation, &Views::default())
    }

    /// Whether two requests offer the same tools.
    pub(super) fn has_tools_of(&self, other: &Self) -> bool {
        self.hidden_tools == other.hidden_tools
    }

    /// Whether they have the same system prompt.
    pub(super) fn has_prompt_of(&self, other: &Self, conversation: &Conversation) -> bool {
        self.prompt.is_same(&other.prompt, conversation)
    }

    /// How many recorded messages their system prompts have in common before the first that differs.
    pub(super) fn prompt_in_common(&self, other: &Self, conversation: &Conversation) -> usize {
        self.prompt.in_common(&other.prompt, conversation)
    }

    /// The tokens that their system prompts have in common after those messages.
    pub(super) fn prompt_tokens_in_common(
        &self,
        other: &Self,
        conversation: &Conversation,
        counter: &dyn Counter,
    ) -> u64 {
        self.prompt.tokens_in_common(&other.prompt, conversation, counter)
    }

    /// Whether they begin with the same messages of the conversation.
    pub(super) fn has_messages_of(&self, other: &Self) -> bool {
        self.retained == other.retained && self.pinned == other.pinned
    }

    /// Whether this request, which `message` answered, contained the same messages before `message` as the request
    /// `other`, which retains only messages after `message`.
    pub(super) fn has_messages_before(&self, other: &Self, conversation: &Conversation, message: MessageId) -> bool {
        let Some(end) = conversation.index(message) else { return false };
        let first = match self.retained {
            Some(retained) => conversation.index(retained),
            None => Some(conversation.prompt_len()),
        };
        let Some(first) = first.filter(|first| *first <= end) else { return false };
        let pinned = other.pinned.messages(conversation);
        !conversation.hides_messages_in(first..end, &pinned) && pinned.before(conversation, first) == self.pinned
    }

    pub(super) fn is_same(&self, other: &Self, conversation: &Conversation) -> bool {
        self.has_messages_of(other) && self.has_tools_of(other) && self.has_prompt_of(other, conversation)
    }

    /// A number that is equal for equal heads.
    pub(super) fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let Self { hidden_tools, prompt, retained, pinned, first: _ } = self;
        (hidden_tools, retained, pinned).hash(&mut hasher);
        prompt.added_texts().for_each(|text| text.hash(&mut hasher));
        hasher.finish()
    }
}
