//! Generated edits, applied by the conversation and by a simple model.

use proptest::prelude::*;
use proptest::sample::Index;
use trimtab::conversation::{
    Arguments, Body, Change, Conversation, Counter, Edit, Entry, GroupId, Level, Message, MessageId, Origin, Part,
    PartId, Role,
};
use trimtab::model::TokenCounter;

use crate::generated;

/// An edit before its message is chosen.
#[derive(Clone, Debug)]
enum EditTemplate {
    Reduce { message: Index, part: u32, body: u8, level: u8, errors: bool },
    Restore { message: Index, part: u32 },
    Summarise { from: Index, length: usize, is_group_split: bool, words: usize },
    Append { role: u8, words: usize },
}

fn template() -> impl Strategy<Value = EditTemplate> {
    prop_oneof![
        8 => (any::<Index>(), 0u32..8, 0u8..5, 0u8..4, any::<bool>())
            .prop_map(|(message, part, body, level, errors)| EditTemplate::Reduce { message, part, body, level, errors }),
        2 => (any::<Index>(), 0u32..8).prop_map(|(message, part)| EditTemplate::Restore { message, part }),
        1 => (any::<Index>(), 1usize..12, prop::bool::weighted(0.2), 0usize..20)
            .prop_map(|(from, length, is_group_split, words)| EditTemplate::Summarise { from, length, is_group_split, words }),
        1 => (0u8..3, 0usize..9).prop_map(|(role, words)| EditTemplate::Append { role, words }),
    ]
}

/// A message in the model.
#[derive(Clone, Debug, PartialEq)]
struct ModelMessage {
    id: MessageId,
    group: GroupId,
    role: Role,
    origin: Origin,
    is_person: bool,
    parts: Vec<(PartId, Part)>,
    /// The parts as they arrived.
    recorded: Vec<Part>,
}

impl ModelMessage {
    fn of(entry: &Entry) -> Self {
        let parts = entry.parts().map(|(id, part)| (id, part.clone())).collect();
        let (id, group, role) = (entry.id(), entry.group(), entry.role());
        let (origin, is_person) = (entry.message().origin, entry.message().is_person());
        Self { id, group, role, origin, is_person, parts, recorded: entry.recorded().parts.clone() }
    }

    fn chars(&self) -> usize {
        self.parts.iter().map(|(_, part)| part.body.chars()).sum()
    }

    fn calls(&self) -> usize {
        self.parts.iter().filter(|(_, part)| matches!(part.body, Body::ToolCall { .. })).count()
    }
}

/// The messages of a conversation, and the number of those that wait for the last open result.
#[derive(Clone, Debug)]
struct Model {
    messages: Vec<ModelMessage>,
    waiting: usize,
    /// Whether a message of this or of an earlier batch waits.
    is_waiting: bool,
    protected: Vec<(MessageId, PartId)>,
    /// The reply that arrived last. Calls of an older one never wait for results.
    last_reply: Option<MessageId>,
}

impl Model {
    fn newest_reply(&self) -> Option<&ModelMessage> {
        let is_reply = |message: &&ModelMessage| message.role == Role::Assistant && message.origin != Origin::Injected;
        self.messages.iter().rev().find(is_reply)
    }

    /// The group whose calls wait for results.
    fn open(&self) -> Option<GroupId> {
        let reply = self.newest_reply().filter(|reply| Some(reply.id) == self.last_reply)?;
        let results =
            self.messages.iter().filter(|message| message.group == reply.group && message.role == Role::Tool).count();
        (results < reply.calls()).then_some(reply.group)
    }

    /// Whether a message belongs to the open tool loop.
    fn is_live(&self, at: usize) -> bool {
        let is_prompt = |message: &ModelMessage| message.is_person;
        self.newest_reply().is_some_and(|reply| reply.calls() > 0) && !self.messages[at..].iter().any(is_prompt)
    }

    fn apply(&mut self, edit: &Edit) -> bool {
        match edit {
            Edit::Reduce { message, part, body, level, errors } => {
                self.reduce(*message, *part, body.as_ref(), *level, *errors)
            }
            Edit::Restore { message, part } => self.restore(*message, *part),
            Edit::Summarise { messages, summary } => self.summarise(messages, summary),
            Edit::Remove { messages } => self.remove(messages),
            Edit::Append(message) => {
                let begins = self.messages.iter().all(|message| message.role == Role::System);
                if begins && message.role == Role::Assistant {
                    return false;
                }
                if self.open().is_some() || self.is_waiting {
                    self.is_waiting = true;
                    self.waiting += 1;
                } else {
                    self.messages.push(added(message));
                }
                true
            }
        }
    }

    fn restore(&mut self, id: MessageId, part: PartId) -> bool {
        let Some(message) = self.messages.iter_mut().find(|message| message.id == id) else { return false };
        let recorded = message.recorded.get(part.0 as usize).cloned();
        match (message.parts.iter_mut().find(|(known, _)| *known == part), recorded) {
            (Some((_, now)), Some(recorded))
                if now.body != recorded.body && matches!(recorded.body, Body::ToolResult(_)) =>
            {
                *now = recorded;
                true
            }
            _ => false,
        }
    }

    fn reduce(&mut self, id: MessageId, part: PartId, body: Option<&Body>, level: Level, errors: bool) -> bool {
        let Some(at) = self.messages.iter().position(|message| message.id == id) else { return false };
        let is_live = self.is_live(at);
        if self.protected.contains(&(id, part)) {
            return false;
        }
        let message = &mut self.messages[at];
        let Some(place) = message.parts.iter().position(|(known, _)| *known == part) else { return false };
        let old = message.parts[place].1.clone();
        if matches!(&old.body, Body::ToolResult(result) if result.is_error) && !errors {
            return false;
        }
        if matches!(old.body, Body::Thinking { .. }) && is_live {
            return false;
        }
        let only_attachments = match (&old.body, body) {
            (Body::ToolResult(old), Some(Body::ToolResult(new))) => {
                old.text == new.text && old.attachments != new.attachments
            }
            _ => false,
        };
        let is_stronger = match (old.level, level) {
            (Level::Whole, Level::Trimmed { .. } | Level::Masked | Level::Offloaded)
            | (Level::Trimmed { .. }, Level::Masked | Level::Offloaded) => true,
            (Level::Trimmed { limit: old }, Level::Trimmed { limit: new }) if new < old => true,
            (old, new) => old == new && only_attachments,
        };
        let same_kind = match (&old.body, body) {
            (Body::ToolCall { .. } | Body::ToolResult(_), None) => false,
            (Body::ToolCall { id, name, .. }, Some(new)) => {
                matches!(new, Body::ToolCall { id: other, name: tool, .. } if other == id && tool == name)
            }
            (Body::ToolResult(result), Some(new)) => {
                matches!(new, Body::ToolResult(new) if new.id == result.id && new.is_error == result.is_error)
            }
            (_, Some(new)) => !matches!(new, Body::ToolCall { .. } | Body::ToolResult(_)),
            (_, None) => true,
        };
        if !is_stronger || !same_kind {
            return false;
        }
        match body {
            Some(body) if body.chars() < old.body.chars() => {
                message.parts[place].1 = Part { body: body.clone(), level };
                true
            }
            Some(_) => false,
            None => {
                let same = |body: &Body| std::mem::discriminant(body) == std::mem::discriminant(&old.body);
                let stays = |one: &Part| !same(&one.body) && one.body.chars() > 0;
                let is_reasoning = |body: &Body| matches!(body, Body::Thinking { .. });
                let parts: Vec<&Part> = message.parts.iter().map(|(_, one)| one).collect();
                // What follows the last reasoning may not all go.
                let last = parts.rsplit(|one| is_reasoning(&one.body)).next().unwrap_or_default();
                let has_reasoning = last.len() < parts.len() && !is_reasoning(&old.body);
                let breaks =
                    has_reasoning && last.iter().any(|one| one.body.chars() > 0) && !last.iter().any(|one| stays(one));
                let signed = matches!(&old.body, Body::Thinking { signature: Some(text), .. } if !text.is_empty());
                let is_removed = parts.iter().any(|one| stays(one)) && !breaks && (signed || old.body.chars() > 0);
                if is_removed {
                    message.parts.remove(place);
                }
                is_removed
            }
        }
    }

    /// Whether a call of a group has no result.
    fn is_unanswered(&self, group: GroupId) -> bool {
        let of_group =
            || self.messages.iter().filter(|message| message.group == group).flat_map(|message| &message.parts);
        let count = |is_it: fn(&Body) -> bool| of_group().filter(|(_, part)| is_it(&part.body)).count();
        let results = count(|body| matches!(body, Body::ToolResult(_)));
        count(|body| matches!(body, Body::ToolCall { .. })) > results
    }

    /// Whether a message may be removed: not a system message, nor one with a protected part or with an open group.
    fn may_go(&self, message: &ModelMessage) -> bool {
        let is_protected = self.protected.iter().any(|(id, _)| *id == message.id);
        message.role != Role::System && !self.is_unanswered(message.group) && !is_protected
    }

    fn remove(&mut self, ids: &[MessageId]) -> bool {
        let first = |messages: &[ModelMessage]| {
            let first = messages.iter().find(|message| message.role != Role::System);
            first.map(|message| (message.id, message.role))
        };
        let mut left = self.clone();
        left.messages.retain(|message| !ids.contains(&message.id));
        let begins = first(&left.messages);
        let is_open = |message: &ModelMessage| !self.may_go(message);
        let gone = self.messages.iter().filter(|message| ids.contains(&message.id));
        let is_split = |message: &ModelMessage| left.messages.iter().any(|other| other.group == message.group);
        let is_valid = !gone.clone().any(|message| is_open(message) || is_split(message))
            && gone.count() == ids.len()
            && !ids.is_empty()
            && begins.is_some_and(|(_, role)| role == Role::User || begins == first(&self.messages));
        if is_valid {
            *self = left;
        }
        is_valid
    }

    fn summarise(&mut self, ids: &[MessageId], summary: &Message) -> bool {
        let named = |message: &ModelMessage| ids.contains(&message.id);
        let replaced: Vec<&ModelMessage> = self.messages.iter().filter(|message| named(message)).collect();
        let chars: usize = replaced.iter().map(|message| message.chars()).sum();
        let is_group_split =
            |message: &ModelMessage| !named(message) && replaced.iter().any(|other| other.group == message.group);
        let is_replaceable = |message: &&ModelMessage| self.may_go(message);
        let is_valid = replaced.len() == ids.len()
            && replaced.iter().all(is_replaceable)
            && !self.messages.iter().any(is_group_split);
        if replaced.is_empty() || !is_valid || summary.chars() == 0 || summary.chars() >= chars {
            return false;
        }
        let Some(first) = self.messages.iter().position(named) else { return false };
        let all = &self.messages;
        let is_result = |at: usize| all[at].role == Role::Tool;
        // No summary comes between a call and its result if nothing else stood there.
        let place = (0..first).find(|&call| {
            let belongs = |at: usize| all[at].group == all[call].group && !named(&all[at]);
            (first..all.len()).any(|at| belongs(at) && (call + 1..=at).all(is_result))
        });
        let first = place.unwrap_or(first);
        self.messages.retain(|message| !ids.contains(&message.id));
        self.messages.insert(first, added(summary));
        true
    }
}

/// A message that an edit adds; its id and group are not known in advance.
fn added(message: &Message) -> ModelMessage {
    let parts = (0u32..).map(PartId).zip(message.parts.iter().cloned()).collect();
    ModelMessage {
        id: MessageId(u32::MAX),
        group: GroupId::default(),
        role: message.role,
        origin: message.origin,
        is_person: false,
        parts,
        recorded: message.parts.clone(),
    }
}

fn edit(template: &EditTemplate, model: &Model) -> Edit {
    let pick = |index: &Index| index.index(model.messages.len());
    match template {
        EditTemplate::Reduce { message, part, body, level, errors } => {
            let kept = &model.messages[pick(message)];
            let old = kept.parts.iter().find(|(id, _)| id.0 == *part).map(|(_, part)| &part.body);
            let level = match level {
                0 => Level::Whole,
                1 => Level::Masked,
                2 => Level::Offloaded,
                more => Level::Trimmed { limit: u32::from(*more) * 10 },
            };
            let body = smaller(old, *body);
            Edit::Reduce { message: kept.id, part: PartId(*part), body, level, errors: *errors }
        }
        EditTemplate::Restore { message, part } => {
            Edit::Restore { message: model.messages[pick(message)].id, part: PartId(*part) }
        }
        EditTemplate::Summarise { from, length, is_group_split, words } => {
            let from = pick(from);
            let stretch = &model.messages[from..(from + length).min(model.messages.len())];
            let whole = |message: &&ModelMessage| {
                let inside = |other: &ModelMessage| stretch.contains(other);
                let fits = model.messages.iter().filter(|other| other.group == message.group).all(inside);
                *is_group_split || message.role != Role::System && fits && !model.is_unanswered(message.group)
            };
            let messages: Vec<MessageId> = stretch.iter().filter(whole).map(|message| message.id).collect();
            if words % 3 == 2 {
                return Edit::Remove { messages };
            }
            let mut summary = Message::text(Role::User, "sum ".repeat(*words));
            summary.origin = Origin::Summary;
            Edit::Summarise { messages, summary: Box::new(summary) }
        }
        EditTemplate::Append { role, words } => {
            let role = [Role::User, Role::System, Role::Assistant][usize::from(*role)];
            let mut message = Message::text(role, "word ".repeat(*words));
            message.origin = Origin::Injected;
            Edit::Append(Box::new(message))
        }
    }
}

/// A new body for a part: none, a text, a shorter or longer one of the same kind, or one without images.
fn smaller(old: Option<&Body>, shape: u8) -> Option<Body> {
    if let (Some(Body::ToolCall { id, name, .. }), 0..3) = (old, shape) {
        let id = if shape == 0 { "another" } else { id.as_str() };
        let arguments = Arguments::Text("{}".into());
        return Some(Body::ToolCall { id: id.into(), name: name.clone(), arguments });
    }
    let Some(Body::ToolResult(result)) = old else {
        return [None, Some("é"), Some("a longer text than most")][usize::from(shape % 3)]
            .map(|text| Body::Text(text.into()));
    };
    let mut result = result.clone();
    match shape {
        0 => return None,
        1 => result.text = "é".into(),
        2 => result.attachments.clear(),
        3 => result.attachments = vec![Body::Text("[image]".into())],
        _ => result.text = format!("{} and more", result.text).into(),
    }
    Some(Body::ToolResult(result))
}

proptest! {
    #![proptest_config(generated::cases(200))]

    #[test]
    fn edits_change_exactly_what_they_name(
        events in generated::events(),
        batches in prop::collection::vec(prop::collection::vec(template(), 1..9), 1..6),
        chosen in prop::collection::vec((any::<Index>(), 0u32..3), 0..4),
    ) {
        let counter = TokenCounter::default();
        let mut conversation = Conversation::with_invariant_checks();
        for message in generated::transcript(&events).messages {
            if message.resets {
                conversation.reset();
            }
            conversation.push(message, &counter);
        }
        let ids: Vec<MessageId> = conversation.entries().iter().map(Entry::id).collect();
        let protected: Vec<_> = chosen.iter().map(|(at, part)| (ids[at.index(ids.len())], PartId(*part))).collect();
        for (message, part) in &protected {
            conversation.protect(*message, *part);
        }
        let messages = conversation.entries().iter().map(ModelMessage::of).collect();
        let arrived = Model { messages, waiting: 0, is_waiting: false, protected: protected.clone(), last_reply: None };
        let last_reply = arrived.newest_reply().map(|reply| reply.id);
        let mut is_waiting = false;
        for wishes in batches {
            let messages = conversation.entries().iter().map(ModelMessage::of).collect();
            let mut model = Model { messages, waiting: 0, is_waiting, protected: protected.clone(), last_reply };
            let before = model.clone();
            let edits: Vec<Edit> = wishes.iter().map(|template| edit(template, &before)).collect();
            let expected = edits.iter().filter(|edit| model.apply(edit)).count();
            is_waiting = model.is_waiting;
            let receipts = conversation.apply(edits.clone(), &counter);
            prop_assert_eq!(receipts.len(), expected, "{:?}", edits);
            prop_assert_eq!(conversation.take_violations(), Vec::new(), "{:?}", edits);
            let strip = |message: &ModelMessage| (message.role, message.origin, message.parts.clone());
            let kept: Vec<ModelMessage> = conversation.entries().iter().map(ModelMessage::of).collect();
            prop_assert_eq!(kept.iter().map(strip).collect::<Vec<_>>(), model.messages.iter().map(strip).collect::<Vec<_>>());
            let stayed = model.messages.iter().zip(&kept).filter(|(one, _)| one.id != MessageId(u32::MAX));
            for (expected, kept) in stayed {
                prop_assert_eq!((expected.id, expected.group), (kept.id, kept.group));
            }
            // The incremental sizes must equal a full count.
            for entry in conversation.entries() {
                prop_assert_eq!(entry.tokens(), counter.message(entry.message()));
                for (id, part) in entry.parts() {
                    prop_assert_eq!(entry.part_tokens(id, &counter), counter.body(&part.body));
                }
            }
            let total: u64 = conversation.entries().iter().map(Entry::tokens).sum();
            prop_assert_eq!(conversation.tokens(), total);
            let replaced = receipts.iter().map(|receipt| match receipt.change {
                Change::Summarised(count) | Change::Removed(count) => count,
                Change::Reduced(_) | Change::Restored(_) | Change::Appended => 0,
            });
            let adds = |change: Change| matches!(change, Change::Summarised(_) | Change::Appended);
            let put = receipts.iter().filter(|receipt| adds(receipt.change)).count() - model.waiting;
            prop_assert_eq!(before.messages.len() + put - replaced.sum::<usize>(), kept.len());
        }
    }
}
