//! What a format has no place for.

use std::collections::BTreeMap;

use trimtab_base::conversation::{Body, Message, Origin, Role};
use trimtab_recordings::transcript::Transcript;

/// Something that a conversion loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// The id, the context window or the start of a session.
    Session,
    /// Answers and events of a live session.
    Live,
    /// The time of a message.
    Time,
    /// The usage of a reply or of a call of the harness.
    Usage,
    /// The model of a reply, if it is not that of the transcript.
    Model,
    /// The reasoning effort of a reply.
    Effort,
    /// A compaction or a clearing by the harness.
    HarnessEdit,
    /// Who made a message, or that it begins a run.
    Mark,
    /// Unknown keys of a header or a message.
    Extra,
    /// A system message that is moved, joined with another one or given another role.
    System,
    /// Reasoning.
    Thinking,
    /// An image, whose data no transcript contains.
    Image,
    /// A part of another kind.
    Other,
    /// A text part without text.
    EmptyText,
    /// The order of the parts of a message.
    PartOrder,
    /// The boundary between two messages of the same role.
    Boundary,
    /// Arguments that are not a JSON object.
    Arguments,
    /// That a tool result is an error.
    Error,
    /// The tool that a result names.
    ToolName,
}

impl Loss {
    /// What is lost, in the plural.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Session => "ids, windows and starts of sessions",
            Self::Live => "records of live sessions",
            Self::Time => "times of messages",
            Self::Usage => "usage of replies and of calls of the harness",
            Self::Model => "models of replies",
            Self::Effort => "reasoning efforts of replies",
            Self::HarnessEdit => "compactions and clearings",
            Self::Mark => "marks of messages: run, harness, origin",
            Self::Extra => "unknown keys of headers and messages",
            Self::System => "system messages moved, joined or given another role",
            Self::Thinking => "thinking",
            Self::Image => "images",
            Self::Other => "parts of other kinds",
            Self::EmptyText => "empty texts",
            Self::PartOrder => "messages whose parts change their order",
            Self::Boundary => "boundaries between messages of one role",
            Self::Arguments => "calls whose arguments are not a JSON object",
            Self::Error => "error marks of tool results",
            Self::ToolName => "names of tools on results",
        }
    }
}

/// How often each thing is lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses(pub BTreeMap<Loss, usize>);

impl Losses {
    /// Adds one.
    pub(super) fn add(&mut self, loss: Loss) {
        *self.0.entry(loss).or_default() += 1;
    }

    fn add_if(&mut self, is_lost: bool, loss: Loss) {
        if is_lost {
            self.add(loss);
        }
    }

    /// Adds those of another transcript.
    pub fn join(&mut self, other: &Self) {
        for (loss, number) in &other.0 {
            *self.0.entry(*loss).or_default() += number;
        }
    }

    /// Whether something of this kind is lost.
    #[cfg(test)]
    pub fn has(&self, loss: Loss) -> bool {
        self.0.contains_key(&loss)
    }

    /// Adds a part that cannot be written.
    pub(super) fn add_body(&mut self, body: &Body) {
        match body {
            Body::Image { .. } => self.add(Loss::Image),
            Body::Thinking { .. } => self.add(Loss::Thinking),
            _ => self.add(Loss::Other),
        }
    }

    /// Adds what requests to a model have no place for, whatever their format.
    pub(super) fn add_of_requests(&mut self, transcript: &Transcript) {
        let Transcript { id, window, started, live, events, harness_calls, extra, .. } = transcript;
        self.add_if(!id.is_empty() || window.is_some() || started.is_some(), Loss::Session);
        self.add_if(!extra.is_empty(), Loss::Extra);
        self.add_if(live.is_some() || !events.is_empty(), Loss::Live);
        for _ in harness_calls {
            self.add(Loss::Usage);
        }
        for message in &transcript.messages {
            self.add_of_message(message, transcript);
        }
    }

    fn add_of_message(&mut self, message: &Message, transcript: &Transcript) {
        self.add_if(message.at.is_some(), Loss::Time);
        self.add_if(message.usage.is_some(), Loss::Usage);
        self.add_if(message.model.is_some() && message.model != transcript.model, Loss::Model);
        self.add_if(message.effort.is_some(), Loss::Effort);
        self.add_if(message.resets || message.harness_edits.is_some(), Loss::HarnessEdit);
        let has_mark = message.run.is_some() || message.harness || message.sent.is_some();
        self.add_if(has_mark || message.origin != Origin::Recorded, Loss::Mark);
        let is_kept = |key: &String| message.role == Role::System && key == "name";
        self.add_if(message.extra.keys().any(|key| !is_kept(key)), Loss::Extra);
        for result in message.results() {
            self.add_if(result.name.is_some(), Loss::ToolName);
            result.attachments.iter().for_each(|body| self.add_body(body));
        }
    }
}
