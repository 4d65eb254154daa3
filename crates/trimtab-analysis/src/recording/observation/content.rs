//! The tokens that the calls of a transcript sent of each kind of content.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Conversation, Counter, Entry, Mark, Role};

/// A kind of content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentKind {
    /// Messages that the recording lacks, because it begins in the middle of the conversation.
    Unrecorded,
    /// The system prompt and the schemas of the tools.
    System,
    /// What the user wrote.
    User,
    /// Summaries of the recorded harness.
    Summary,
    /// Texts of the model.
    Reply,
    /// Reasoning of the model.
    Reasoning,
    /// Tool calls.
    Call,
    /// Results of a tool; of an unknown one without a name.
    Result(Option<SmolStr>),
}

impl ContentKind {
    /// The words for it in output.
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Unrecorded => "not in the recording",
            Self::System => "system prompt and tools",
            Self::User => "user messages",
            Self::Summary => "summaries",
            Self::Reply => "replies",
            Self::Reasoning => "reasoning",
            Self::Call => "tool calls",
            Self::Result(_) => "tool results",
        }
    }

    fn of(entry: &Entry, body: &Body) -> Self {
        match (entry.role(), body) {
            (Role::System, _) => Self::System,
            (Role::Tool, _) | (_, Body::ToolResult(_)) => Self::Result(entry.tool().cloned()),
            (Role::User, _) if entry.message().resets && !entry.message().is_person() => Self::Summary,
            (Role::User, _) => Self::User,
            (_, Body::Thinking { .. }) => Self::Reasoning,
            (_, Body::ToolCall { .. }) => Self::Call,
            (Role::Assistant, _) => Self::Reply,
        }
    }
}

/// The tokens that all calls together sent besides recorded messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct BesidesMessages {
    pub(super) overhead: u128,
    /// The tokens among them that are messages which the recording lacks.
    pub(super) unrecorded: u128,
}

/// Follows a conversation and adds up what each call sends. Messages that have not changed are not counted again.
pub(super) struct ContentTracker<'a> {
    counter: &'a dyn Counter,
    kinds: Vec<KindTotal>,
    /// Of each message the tokens of each kind, as indices of kinds.
    entries: Vec<Vec<(usize, u64)>>,
    mark: Option<Mark>,
}

/// The tokens of a kind.
struct KindTotal {
    kind: ContentKind,
    /// In the current context.
    held: u64,
    /// Over all calls so far.
    sent: u128,
}

impl<'a> ContentTracker<'a> {
    pub(super) const fn new(counter: &'a dyn Counter) -> Self {
        Self { counter, kinds: Vec::new(), entries: Vec::new(), mark: None }
    }

    /// Adds a call that sends this conversation.
    pub(super) fn record(&mut self, conversation: &Conversation) {
        let unchanged = self.mark.as_ref().map_or(0, |mark| conversation.unchanged_since(mark)).min(self.entries.len());
        for (kind, tokens) in self.entries.drain(unchanged..).flatten() {
            self.kinds[kind].held -= tokens;
        }
        for entry in conversation.entries().iter().skip(unchanged) {
            let counted = self.count(entry);
            for (kind, tokens) in &counted {
                self.kinds[*kind].held += tokens;
            }
            self.entries.push(counted);
        }
        self.mark = Some(conversation.mark());
        for kind in &mut self.kinds {
            kind.sent += u128::from(kind.held);
        }
    }

    /// The tokens of a message by kind. Those that belong to no part count for the last one, or for the reasoning of a
    /// reply that need not show it.
    fn count(&mut self, entry: &Entry) -> Vec<(usize, u64)> {
        let mut rest = entry.tokens();
        let mut counted: Vec<(usize, u64)> = Vec::new();
        for (id, part) in entry.parts() {
            let tokens = entry.part_tokens(id, self.counter).min(rest);
            rest -= tokens;
            counted.push((self.index(ContentKind::of(entry, &part.body)), tokens));
        }
        let reasoning = counted.iter().position(|(kind, _)| self.kinds[*kind].kind == ContentKind::Reasoning);
        let last = reasoning.or(counted.len().checked_sub(1));
        if let Some((_, tokens)) = last.and_then(|at| counted.get_mut(at)) {
            *tokens += rest;
        }
        counted
    }

    fn index(&mut self, kind: ContentKind) -> usize {
        self.kinds.iter().position(|known| known.kind == kind).unwrap_or_else(|| {
            self.kinds.push(KindTotal { kind, held: 0, sent: 0 });
            self.kinds.len() - 1
        })
    }

    /// The tokens of each kind, which sum up to `sent`: the overhead and the system prompt as counted, the others scaled.
    pub(super) fn finish(self, besides: BesidesMessages, sent: u128) -> BTreeMap<ContentKind, u128> {
        let BesidesMessages { overhead, unrecorded } = besides;
        let (overhead, unrecorded) = (overhead.saturating_sub(unrecorded), unrecorded.min(sent));
        let (all, sent) = (sent, sent - unrecorded);
        let mut content: BTreeMap<ContentKind, u128> = BTreeMap::new();
        for kind in self.kinds {
            *content.entry(kind.kind).or_default() += kind.sent;
        }
        let system = content.remove(&ContentKind::System).unwrap_or_default().saturating_add(overhead).min(sent);
        let counted: u128 = content.values().sum();
        let room = if counted == 0 { 0 } else { sent - system };
        let (mut seen, mut given) = (0, 0);
        for tokens in content.values_mut() {
            seen += *tokens;
            let share = seen * room / counted.max(1);
            *tokens = share - given;
            given = share;
        }
        content.insert(ContentKind::System, sent - given);
        content.insert(ContentKind::Unrecorded, all - sent);
        content.retain(|_, tokens| *tokens > 0);
        content
    }
}
