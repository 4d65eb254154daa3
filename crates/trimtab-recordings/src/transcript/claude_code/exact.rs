//! The messages of a conversation as its exact requests contain them.
//!
//! Replies, their usage and the times come from the records of the conversation; everything between two replies comes from the
//! request of the second one. A request that does not continue the one before begins a new context.

use std::rc::Rc;
use std::sync::Arc;

use foldhash::{HashMap, HashSet, HashSetExt};
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Cleared, HarnessEdits, HeadChange, Message, Part, Role};

use super::message::{RecordedReply, is_from_harness};
use super::prompt::Prompt;
use super::request::{RequestReader, Requests, SentMessage, Step};
use crate::transcript::block;

/// The most messages that are put together, for each message of the records.
const MAX_FACTOR: usize = 16;

/// Who wrote the messages that requests contain, and when, as the records say.
#[derive(Default)]
struct Origins {
    /// The time of each tool result, by the id of its call.
    results: HashMap<SmolStr, Option<SmolStr>>,
    /// The texts of persons, with their times.
    prompts: HashMap<Arc<str>, Option<SmolStr>>,
    /// The texts of the harness.
    notes: HashSet<Arc<str>>,
}

/// The conversation so far.
struct Builder<'a> {
    reader: RequestReader<'a>,
    origins: Origins,
    messages: Vec<Arc<Message>>,
    /// The messages of requests that are part of the conversation.
    seen: HashSet<*const SentMessage<'a>>,
}

/// Returns the messages of a conversation as they were sent, and for each number of replies how many messages precede the next
/// one. `recorded` are those of the records, `replies` the replies among them. Returns `None` unless there is a
/// complete request for each reply.
pub(super) fn messages(
    requests: &Requests<'_>,
    recorded: &[Arc<Message>],
    replies: &[RecordedReply],
) -> Option<(Vec<Arc<Message>>, Vec<usize>)> {
    let budget = MAX_FACTOR * (recorded.len() + requests.len() + 1000);
    let reader = RequestReader::new(budget);
    let origins = Origins::of(recorded);
    let mut builder = Builder { reader, origins, messages: Vec::new(), seen: HashSet::new() };
    let (mut positions, mut previous, mut next) = (Vec::with_capacity(replies.len()), None, 0);
    let mut shape = None;
    for reply in replies {
        let request = requests.between(previous, reply.line)?;
        let step = builder.reader.advance(requests, request)?;
        let (before, own) = (builder.messages.len(), recorded.get(next..=reply.message)?);
        builder.add_input(step, positions.is_empty())?;
        builder.has_results_of(own, before).then_some(())?;
        builder.add_marks(before, own);
        positions.push(builder.messages.len());
        let own_shape = requests.shape_of(request);
        builder.messages.push(with_change(without_edits(own.last()?), Prompt::change(shape, own_shape)));
        shape = own_shape.or(shape);
        (previous, next) = (Some(reply.line), reply.message + 1);
    }
    // What came after the last reply was not sent.
    builder.messages.extend(recorded.get(next..)?.iter().cloned());
    (!replies.is_empty()).then_some((builder.messages, positions))
}

impl Origins {
    fn of(recorded: &[Arc<Message>]) -> Self {
        let mut origins = Self::default();
        for message in recorded.iter().filter(|message| !message.kept) {
            for result in message.results() {
                origins.results.insert(result.id.clone(), message.at.clone());
            }
            let texts = message.parts.iter().filter_map(|part| text(&part.body)).filter(|_| message.role == Role::User);
            for text in texts.map(|text| text.trim().into()) {
                if message.harness {
                    origins.notes.insert(text);
                } else {
                    origins.prompts.insert(text, message.at.clone());
                }
            }
        }
        origins
    }

    /// Whether the harness wrote a text of a user message, and its time.
    fn origin(&self, text: &str) -> (bool, Option<SmolStr>) {
        if let Some(at) = self.prompts.get(text.trim()) {
            return (false, at.clone());
        }
        let is_note = self.notes.contains(text.trim()) || is_from_harness(&Message::text(Role::User, text));
        // A prompt that was typed while the model worked is sent with words around it.
        let quoted = quoted_prompt(text).filter(|_| is_note).and_then(|prompt| self.prompts.get(prompt));
        quoted.map_or((is_note, None), |at| (false, at.clone()))
    }
}

/// The prompt in a note of the harness that says what was typed while the model worked.
fn quoted_prompt(note: &str) -> Option<&str> {
    let (_, quoted) = note.split_once("while you were working:\n")?;
    let end = quoted.rfind("\n\nIMPORTANT:").or_else(|| quoted.rfind("\n</system-reminder>"));
    Some(quoted.get(..end.unwrap_or(quoted.len()))?.trim())
}

fn text(body: &Body) -> Option<&Arc<str>> {
    match body {
        Body::Text(text) => Some(text),
        _ => None,
    }
}

impl<'a> Builder<'a> {
    /// Adds the messages of the newest request that are new.
    fn add_input(&mut self, step: Step<'a>, is_first: bool) -> Option<()> {
        let Step { removed, common } = step;
        let own = self.reader.messages().get(common..)?.to_vec();
        self.reader.spend(own.len())?;
        if removed.is_empty() {
            // The request repeats the reply to the one before.
            let is_repeated = !is_first && own.first().is_some_and(|first| first.role == Role::Assistant);
            self.add_new(own.get(usize::from(is_repeated)..)?);
            return Some(());
        }
        let changed: Option<Vec<Change>> = removed.iter().zip(&own).map(|(old, new)| Change::of(old, new)).collect();
        let Some(changed) = changed.filter(|changed| changed.len() == removed.len()) else {
            return self.reset();
        };
        let before = self.messages.len();
        self.seen.extend(own.iter().take(removed.len()).map(Rc::as_ptr));
        let added: Vec<Part> = changed.iter().flat_map(|change| &change.added).cloned().collect();
        self.push_user(added);
        let rest = own.get(removed.len()..)?;
        let is_repeated = rest.first().is_some_and(|first| first.role == Role::Assistant);
        self.add_new(rest.get(usize::from(is_repeated)..)?);
        let results: Vec<SmolStr> = changed.into_iter().flat_map(|change| change.cleared).collect();
        if let Some(first) = self.messages.get_mut(before).filter(|_| !results.is_empty()) {
            let cleared = Some(Cleared { results, tokens: None });
            Arc::make_mut(first).harness_edits = Some(Box::new(HarnessEdits { cleared, ..HarnessEdits::default() }));
        }
        Some(())
    }

    /// Whether the messages since `first` have the results among those of the records. If not, the request is that of another
    /// reply.
    fn has_results_of(&self, recorded: &[Arc<Message>], first: usize) -> bool {
        let messages = self.messages.iter().skip(first);
        let sent: HashSet<&SmolStr> = messages.flat_map(|message| message.results()).map(|result| &result.id).collect();
        let mut own = recorded.iter().filter(|message| !message.kept).flat_map(|message| message.results());
        own.all(|result| sent.contains(&result.id))
    }

    /// Begins a new context with all messages of the newest request.
    fn reset(&mut self) -> Option<()> {
        let all = self.reader.messages().to_vec();
        self.reader.spend(all.len())?;
        let first = self.messages.len();
        for message in all {
            if self.seen.contains(&Rc::as_ptr(&message)) || message.role == Role::Assistant {
                let copies = parse(&message).into_iter().map(|copy| Arc::new(self.marked(copy).kept_copy()));
                let copies: Vec<_> = copies.collect();
                self.messages.extend(copies);
            } else {
                self.add_new(&[message]);
            }
        }
        if let Some(first) = self.messages.get_mut(first) {
            Arc::make_mut(first).resets = true;
        }
        Some(())
    }

    fn add_new(&mut self, messages: &[Rc<SentMessage<'a>>]) {
        for message in messages {
            self.seen.insert(Rc::as_ptr(message));
            for one in parse(message) {
                if one.role == Role::User {
                    self.push_user(one.parts);
                } else {
                    let one = self.marked(one);
                    self.messages.push(Arc::new(one));
                }
            }
        }
    }

    /// Adds parts of a user message: those of persons and those of the harness in messages of their own.
    fn push_user(&mut self, parts: Vec<Part>) {
        let mut open: Option<Message> = None;
        for part in parts {
            let origin = text(&part.body).map(|text| self.origins.origin(text));
            let continues = open.as_ref().is_some_and(|open| origin.as_ref().is_none_or(|(is, _)| *is == open.harness));
            if !continues {
                self.messages.extend(open.take().map(Arc::new));
                let (harness, at) = origin.unwrap_or_default();
                open = Some(Message { at, harness, ..Message::new(Role::User, Vec::new()) });
            }
            if let Some(open) = &mut open {
                open.parts.push(part);
            }
        }
        self.messages.extend(open.map(Arc::new));
    }

    /// A message with what the records say of it.
    fn marked(&self, message: Message) -> Message {
        let result = message.results().next().map(|result| &result.id);
        let at = result.and_then(|id| self.origins.results.get(id)).cloned().flatten();
        let texts = message.parts.iter().filter_map(|part| text(&part.body));
        let harness = match message.role {
            Role::User => texts.map(|text| self.origins.origin(text).0).reduce(|a, b| a && b).unwrap_or(false),
            Role::System => true,
            _ => false,
        };
        Message { at, harness, ..message }
    }

    /// Marks the messages since `first` as the records between the two replies are: the compaction or the cleared context that
    /// they begin with, and what the harness cleared.
    fn add_marks(&mut self, first: usize, recorded: &[Arc<Message>]) {
        let compaction = recorded.iter().find_map(|message| message.compaction());
        let begins_run = recorded.iter().any(|message| message.run == Some(true));
        let Some(message) = self.messages.get_mut(first) else { return };
        if message.resets {
            let message = Arc::make_mut(message);
            if compaction.is_some() {
                message.harness_edits.get_or_insert_default().compaction = compaction;
            }
            let is_person = message.role == Role::User && !message.harness && !message.kept;
            message.run = begins_run.then_some(is_person);
            let is_prompt = |one: &&mut Arc<Message>| one.role == Role::User && !one.harness && !one.kept;
            if let Some(prompt) = self.messages.iter_mut().skip(first).find(is_prompt).filter(|_| begins_run) {
                Arc::make_mut(prompt).run = Some(true);
            }
        }
    }
}

/// A reply without the edits of the harness before it, which are those of the messages before it.
fn without_edits(reply: &Arc<Message>) -> Arc<Message> {
    if !reply.resets && reply.harness_edits.is_none() {
        return Arc::clone(reply);
    }
    Arc::new(Message { resets: false, harness_edits: None, ..Message::clone(reply) })
}

/// A reply whose request differs from the one before it ahead of the messages.
fn with_change(mut reply: Arc<Message>, changed: HeadChange) -> Arc<Message> {
    if changed.is_any() {
        Arc::make_mut(&mut reply).harness_edits.get_or_insert_default().changed = changed;
    }
    reply
}

/// The messages of a message that was sent.
fn parse(message: &SentMessage<'_>) -> Vec<Message> {
    message
        .content
        .iter()
        .flat_map(|content| block::parse_content(content.clone()).into_messages(message.role))
        .collect()
}

/// How a message that was sent again has changed.
#[derive(Debug, Default)]
struct Change {
    /// The ids of the calls whose results have become shorter.
    cleared: Vec<SmolStr>,
    /// The parts that were added at its end.
    added: Vec<Part>,
}

impl Change {
    /// Returns the change from one message to another, or `None` if the other one is not the same message.
    fn of(old: &SentMessage<'_>, new: &SentMessage<'_>) -> Option<Self> {
        let (old, new) = (parse(old), parse(new));
        let mut change = Self::default();
        if old.len() > new.len() {
            return None;
        }
        for (one, other) in old.iter().zip(&new) {
            if one.role != other.role {
                return None;
            }
            let (mut before, mut after) = (one.results(), other.results());
            match (before.next(), after.next()) {
                (Some(before), Some(after)) if before.id == after.id => {
                    if after.text.len() < before.text.len() {
                        change.cleared.push(before.id.clone());
                    }
                }
                (None, None) if other.parts.starts_with(&one.parts) => {
                    change.added.extend(other.parts.iter().skip(one.parts.len()).cloned());
                }
                _ => return None,
            }
        }
        change.added.extend(new.into_iter().skip(old.len()).flat_map(|message| message.parts));
        Some(change)
    }
}
