//! Views: how the next request differs from the conversation.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smol_str::SmolStr;

use super::name_filter::{HiddenTools, NameFilter};
use super::retained::LeftOut;
use super::section::WithSections;
use super::selection::{Lifetime, Selections};
use super::sent_prompt::{SentPrompt, ShownSections};
use super::{Conversation, Counter, Entry, Message, MessageId, Origin, PinnedMessages, Pins, Role};

/// A difference between the conversation and the next request.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// A message after the conversation.
    Message(Box<Message>),
    /// Messages before a message are not sent, with exceptions.
    Retain(Retention),
    /// Which tools are offered.
    Tools(NameFilter),
    /// Which sections of the system prompt are sent.
    Sections(NameFilter),
    /// A variable with its value.
    Variable(SmolStr, SmolStr),
    /// A text that the model is reminded with, in a message of this role, with the texts of other reminders.
    Reminder(Role, Vec<String>),
    /// A text at the end of the system prompt.
    Prompt(String),
}

/// From where on a view sends messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Messages before this one are not sent, except system messages, summaries and the following ones.
    pub first: MessageId,
    /// Earlier messages that are sent because they are pinned at the time of the request.
    pub pins: Pins,
    /// Other earlier messages that are sent: whole groups.
    pub others: Vec<MessageId>,
}

/// What the rules have made different in the next request.
#[derive(Clone, Debug, Default)]
pub struct Views {
    chosen: Selections,
    messages: Vec<Message>,
    retained: Option<Retention>,
    prompt: Option<String>,
    reminder: Option<(Role, Vec<String>)>,
    size: ViewSize,
    cache: ViewCache,
}

/// Cached results of earlier requests.
#[derive(Clone, Debug, Default)]
struct ViewCache {
    left_out: LeftOut,
    hidden_tools: HiddenTools,
    shown_sections: ShownSections,
}

/// The counted size of a request besides the tokens that are sent with every request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestSize {
    /// The tokens of its messages.
    pub messages: u64,
    /// The tokens of the schemas of tools that are not offered.
    pub hidden_tools: u64,
    /// The tokens of reasoning in the messages that the provider drops, because it is invalid.
    pub invalid_reasoning: u64,
}

impl RequestSize {
    /// The tokens saved compared with `other`; negative if this request is larger.
    pub const fn saved_from(self, other: Self) -> i128 {
        other.difference() - self.difference()
    }

    /// The tokens of the messages without those of the hidden tools and of invalid reasoning.
    pub const fn net(self) -> u64 {
        self.messages.saturating_sub(self.missing())
    }

    /// The tokens of hidden tools and invalid reasoning, which are counted in the overhead and in the messages but not sent.
    pub const fn missing(self) -> u64 {
        self.hidden_tools.saturating_add(self.invalid_reasoning)
    }

    const fn difference(self) -> i128 {
        self.messages as i128 - self.missing() as i128
    }
}

/// The tokens that views add to a request and remove from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ViewSize {
    added: u64,
    removed: u64,
    /// The added tokens that are in the system prompt.
    added_to_prompt: u64,
    /// The removed tokens that were in the system prompt.
    removed_from_prompt: u64,
    hidden_tools: u64,
}

impl Views {
    /// Adds a view. Of several views of one kind the last one counts, except that messages, hidden names, variables and
    /// reminders add up.
    pub fn add(&mut self, view: View, lifetime: Lifetime) {
        for selection in self.chosen.changed_by_mut(lifetime) {
            match &view {
                View::Tools(filter) => selection.tools.add(filter),
                View::Sections(filter) => selection.sections.add(filter),
                View::Variable(name, value) => drop(selection.variables.insert(name.clone(), value.clone())),
                View::Message(_) | View::Retain(_) | View::Reminder(..) | View::Prompt(_) => {}
            }
        }
        match view {
            View::Message(message) => self.messages.push(*message),
            View::Retain(retention) => self.retained = Some(retention),
            View::Prompt(text) => self.prompt = Some(text),
            View::Reminder(role, lines) => {
                let (current_role, reminder) = self.reminder.get_or_insert_with(|| (role, Vec::new()));
                *current_role = role;
                let new = lines.into_iter().filter(|line| !reminder.contains(line));
                reminder.extend(new.collect::<Vec<_>>());
            }
            View::Tools(_) | View::Sections(_) | View::Variable(..) => {}
        }
    }

    /// Forgets what applied to the request that has been answered.
    pub fn end_request(&mut self) {
        self.forget(Selections::end_request);
    }

    /// Forgets what does not last for the session.
    pub fn begin_run(&mut self) {
        self.forget(Selections::begin_run);
    }

    fn forget(&mut self, end: impl Fn(&mut Selections)) {
        let Self { mut chosen, cache, .. } = std::mem::take(self);
        end(&mut chosen);
        *self = Self { chosen, cache, ..Self::default() };
    }

    /// Whether a tool is offered.
    pub fn offers_tool(&self, name: &str) -> bool {
        self.chosen.now.tools.shows(name)
    }

    /// The text at the end of the system prompt.
    pub fn prompt(&self) -> Option<&str> {
        self.prompt.as_deref()
    }

    /// Whether a section of the system prompt is sent.
    pub fn shows_section(&self, name: &str) -> bool {
        self.chosen.now.sections.shows(name)
    }

    /// The value of a variable. An empty text is none.
    pub fn variable(&self, name: &str) -> Option<&SmolStr> {
        self.chosen.now.variable(name)
    }

    /// Whether a choice of tools would change which of these are offered. If no tools are known, whether the filter differs from the
    /// current one.
    pub fn changes_tools(&self, filter: &NameFilter, lifetime: Lifetime, tools: &BTreeSet<SmolStr>) -> bool {
        self.chosen.changed_by(lifetime).any(|selection| selection.tools.changes_any(filter, tools))
    }

    /// Whether a choice of sections would change which sections of this conversation are sent.
    pub fn changes_sections(&self, filter: &NameFilter, lifetime: Lifetime, conversation: &Conversation) -> bool {
        let names = conversation.section_names();
        !names.is_empty()
            && self.chosen.changed_by(lifetime).any(|selection| selection.sections.changes_any(filter, names))
    }

    /// Whether a value of a variable would be a new one.
    pub fn changes_variable(&self, name: &str, value: &str, lifetime: Lifetime) -> bool {
        self.chosen.changed_by(lifetime).any(|selection| selection.variable(name).map_or("", SmolStr::as_str) != value)
    }

    /// Whether requests are the conversation and nothing else, with all tools.
    pub fn are_empty(&self) -> bool {
        !self.changes_messages() && self.chosen.now.tools.is_empty()
    }

    /// Whether the messages of a request differ from those of the conversation.
    fn changes_messages(&self) -> bool {
        self.change_before_end() || !self.messages.is_empty() || self.reminder.is_some()
    }

    /// Whether views change anything but the messages appended at the end.
    pub fn change_before_end(&self) -> bool {
        !self.chosen.now.sections.is_empty()
            || self.chosen.now.has_variables()
            || self.retained.is_some()
            || self.prompt.is_some()
    }

    /// Counts the tokens that views add and remove. Call it after the views or the conversation have changed. `tools`
    /// are declared, and `schemas` has the tokens of the schemas that are known.
    pub fn count(
        &mut self,
        conversation: &Conversation,
        counter: &dyn Counter,
        (tools, schemas): (&BTreeSet<SmolStr>, &BTreeMap<SmolStr, u64>),
    ) {
        let ViewCache { left_out, hidden_tools, shown_sections } = &mut self.cache;
        hidden_tools.update(&self.chosen.now.tools, tools, schemas);
        self.size = ViewSize { hidden_tools: hidden_tools.of(&self.chosen.now.tools).1, ..ViewSize::default() };
        left_out.update(conversation, self.retained.is_some());
        shown_sections.update(&self.chosen.now.sections, conversation, counter);
        self.size.removed_from_prompt = shown_sections.of(&self.chosen.now.sections).map_or(0, |(_, removed)| removed);
        if !self.changes_messages() {
            return;
        }
        self.size.added_to_prompt = self.prompt_messages().map(|message| counter.message(&message)).sum();
        let end = self.end_messages().map(|message| counter.message(&message));
        self.size.added = self.size.added_to_prompt + end.sum::<u64>();
        // The prompt consists of system messages, which a `retain` view does not leave out.
        self.size.removed = self.size.removed_from_prompt + self.tokens_left_out(conversation);
    }

    /// The names of the declared tools that are not offered.
    pub fn hidden_tools(&self) -> &Arc<[SmolStr]> {
        self.cache.hidden_tools.of(&self.chosen.now.tools).0
    }

    /// The tokens of the messages that a `retain` view from this message on does not send.
    pub fn tokens_not_retained(&self, conversation: &Conversation, first: usize, pinned: &PinnedMessages) -> u64 {
        let before = self.cache.left_out.tokens_before(conversation, first);
        before.saturating_sub(pinned.tokens_before(conversation, first))
    }

    /// The tokens of the messages that are not sent.
    pub fn tokens_left_out(&self, conversation: &Conversation) -> u64 {
        self.tokens_not_retained(conversation, self.first_retained(conversation), &self.pinned(conversation))
    }

    /// The messages that are sent although they stand before the retained ones, besides system messages and summaries.
    pub fn pinned(&self, conversation: &Conversation) -> PinnedMessages {
        let Some(Retention { pins, others, .. }) = &self.retained else { return PinnedMessages::NONE };
        let mut pinned = conversation.pinned_messages(*pins);
        pinned.add(conversation, others.iter().filter_map(|message| conversation.index(*message)));
        pinned
    }

    /// The tokens of the system prompt as it is sent.
    pub const fn prompt_tokens(&self, conversation: &Conversation) -> u64 {
        let all = conversation.prompt_tokens().saturating_add(self.size.added_to_prompt);
        all.saturating_sub(self.size.removed_from_prompt)
    }

    /// The tokens of the messages at the end of the next request.
    pub const fn transient_tokens(&self) -> u64 {
        self.size.added.saturating_sub(self.size.added_to_prompt)
    }

    /// The size of a request.
    pub const fn size(&self, conversation: &Conversation) -> RequestSize {
        let messages = conversation.tokens().saturating_add(self.size.added).saturating_sub(self.size.removed);
        RequestSize { messages, hidden_tools: self.size.hidden_tools, invalid_reasoning: 0 }
    }

    /// The request: what is sent of the conversation, and what is added to it.
    pub fn request<'a>(&self, conversation: &'a Conversation) -> Vec<SentMessage<'a>> {
        let first = self.first_retained(conversation);
        let prompt = conversation.prompt_len();
        let mut sent = Vec::new();
        let entry = |at: usize| self.sent_entry(conversation, at).map(SentMessage::Entry);
        sent.extend((0..prompt).filter_map(entry));
        sent.extend(self.prompt_messages().map(SentMessage::Prompt));
        let from = first.max(prompt);
        let pinned = self.pinned(conversation);
        sent.extend(conversation.retained_in(prompt..from, &pinned).into_iter().filter_map(entry));
        sent.extend((from..conversation.entries().len()).filter_map(entry));
        sent.extend(self.end_messages().map(SentMessage::End));
        sent
    }

    /// The system prompt as it is sent.
    pub fn sent_prompt(&self, conversation: &Conversation) -> SentPrompt {
        let shown = self.cache.shown_sections.of(&self.chosen.now.sections).map(|(shown, _)| Arc::clone(shown));
        SentPrompt { length: conversation.prompt_len(), shown, added: self.prompt_messages().collect() }
    }

    /// The message from which on all are sent, if a view leaves out earlier ones.
    pub fn retained(&self, conversation: &Conversation) -> Option<MessageId> {
        self.retained
            .as_ref()
            .and_then(|_| conversation.entries.get(self.first_retained(conversation)))
            .map(|entry| entry.id)
    }

    /// The index of the first message that is certainly sent. If a rule has removed that message, this is the
    /// next one.
    pub fn first_retained(&self, conversation: &Conversation) -> usize {
        let Some(Retention { first: retained, .. }) = &self.retained else { return 0 };
        let entries = conversation.entries.iter();
        let next = || entries.clone().position(|entry| entry.id > *retained && !entry.is_always_retained());
        let first = conversation.index(*retained).or_else(next).unwrap_or(0);
        // The result of a call before it may have arrived since.
        conversation.whole_requests_before(first)
    }

    /// Returns the message at an index that is sent, as it is sent, or `None` if it has only sections that are not
    /// shown.
    fn sent_entry<'a>(&self, conversation: &'a Conversation, at: usize) -> Option<Cow<'a, Entry>> {
        let entry = &conversation.entries[at];
        if at < conversation.prompt_len() && !self.chosen.now.sections.is_empty() {
            return match entry.with_sections(|name| self.chosen.now.sections.shows(name)) {
                WithSections::Same => Some(Cow::Borrowed(entry)),
                WithSections::Changed(changed) => Some(Cow::Owned(*changed)),
                WithSections::Nothing => None,
            };
        }
        Some(Cow::Borrowed(entry))
    }

    /// The messages that are added to the system prompt.
    pub fn prompt_messages(&self) -> impl Iterator<Item = Arc<Message>> {
        let variables = self.chosen.now.variables_text();
        let texts = variables.into_iter().chain(self.prompt.clone());
        texts.map(|text| Arc::new(injected(Role::System, text)))
    }

    /// The messages after the conversation.
    pub fn end_messages(&self) -> impl Iterator<Item = Arc<Message>> {
        let reminder = self.reminder.iter().map(|(role, lines)| injected(*role, reminder_text(lines)));
        self.messages.iter().cloned().chain(reminder).map(Arc::new)
    }
}

/// A message of a request.
#[derive(Clone, Debug)]
pub enum SentMessage<'a> {
    /// A message of the conversation. An owned one differs from it for this request.
    Entry(Cow<'a, Entry>),
    /// A message at the end of the system prompt.
    Prompt(Arc<Message>),
    /// A message after the conversation.
    End(Arc<Message>),
}

impl SentMessage<'_> {
    /// The message.
    pub fn message(&self) -> &Arc<Message> {
        match self {
            Self::Entry(entry) => entry.shared_message(),
            Self::Prompt(message) | Self::End(message) => message,
        }
    }
}

fn injected(role: Role, text: String) -> Message {
    Message { origin: Origin::Injected, ..Message::text(role, text) }
}

/// The text of a reminder, in the wording that policies of the YAML format produce.
fn reminder_text(lines: &[String]) -> String {
    format!("\n\n[Reminder: Remember to use the following items in your response:\n{}\n]", lines.join("\n"))
}
