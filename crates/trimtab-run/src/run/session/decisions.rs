//! The decision log of a session. Another process can resume the session from it when the client resends its history.
//!
//! The log is append-only JSON Lines: the events of each branch, with a digest in place of each message. Its size depends on
//! the number of events and not on the size of the messages, and each event is written once.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};
use trimtab_base::conversation::{Arguments, Body, Message, Part, Role};
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript;

use super::Session;
use super::branch::fork::Progress;
use super::branch::{Branch, Record};
use super::same_message::prompt_len;
use super::saved::{RestoreError, SavedEnvironment, SavedRecord, restored, saved_record};
use super::summaries::KnownSummaries;
use crate::run::answer::Answer;

/// The version of the log format.
const VERSION: u32 = 1;

/// What has happened in a branch since it was last logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlogged {
    branch: u64,
    /// The lines.
    pub text: String,
    /// The number of events of the branch that are logged with them.
    end: usize,
}

/// A line of a log.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// How the session began.
    Begin { version: u32, plan: String, environment: Box<SavedEnvironment> },
    /// More events of a branch, after the first `after` ones.
    Branch { number: u64, after: usize, events: Vec<SavedRecord<LoggedMessage>> },
}

/// A message without its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LoggedMessage {
    /// Its [`message_digest`].
    digest: String,
    /// Whether it is a system message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_system: bool,
    /// Its other fields in the recording format, such as the usage of a reply.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    fields: Map<String, Json>,
}

impl LoggedMessage {
    fn of(message: &Message) -> Self {
        let Json::Object(mut fields) = transcript::message_json(message) else { return Self::empty(message) };
        fields.retain(|key, _| !matches!(key.as_str(), "role" | "content") && !message.extra.contains_key(key));
        Self { fields, ..Self::empty(message) }
    }

    fn empty(message: &Message) -> Self {
        Self { digest: message_digest(message), is_system: message.role == Role::System, fields: Map::new() }
    }

    /// Whether a message that a client has resent is this one.
    fn matches(&self, sent: &Message) -> bool {
        message_digest(sent) == self.digest
    }

    /// The message that a client has resent, with the fields that were logged.
    fn filled(&self, sent: &Message) -> Option<Arc<Message>> {
        let Json::Object(mut json) = transcript::message_json(sent) else { return None };
        json.extend(self.fields.clone());
        transcript::read_message(&Json::Object(json)).map(Arc::new)
    }
}

/// The digest by which a message is recognised when a client resends it. It ignores reasoning and metadata, and normalises JSON
/// arguments, because some clients reformat them when they resume.
pub fn message_digest(message: &Message) -> String {
    let parts = message.parts.iter().filter(|part| !matches!(part.body, Body::Thinking { .. }));
    let parts = parts.map(|part| match &part.body {
        Body::ToolCall { id, name, arguments } => {
            let arguments = match arguments.parsed() {
                Some(value) => Arguments::Json(Arc::new(value.clone())),
                None => arguments.clone(),
            };
            Part { body: Body::ToolCall { id: id.clone(), name: name.clone(), arguments }, ..part.clone() }
        }
        _ => part.clone(),
    });
    let compared = Message { parts: parts.collect(), origin: message.origin, ..Message::new(message.role, Vec::new()) };
    let mut json = transcript::message_json(&compared);
    json.sort_all_objects();
    let hash = Sha256::digest(json.to_string());
    hash[..16].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Session {
    /// What has happened in each branch since it was last logged, in the order in which it must be appended. It counts as
    /// logged after [`mark_logged`](Self::mark_logged).
    pub fn unlogged(&self) -> Vec<Unlogged> {
        let begin = Line::Begin {
            version: VERSION,
            plan: self.plan.hash.clone(),
            environment: Box::new(SavedEnvironment::of(&self.environment, self.overhead)),
        };
        let mut begin = (!self.is_logged).then(|| line(&begin));
        let unlogged = |branch: &Branch| {
            let events: Vec<&Record> = branch.unlogged().iter().collect();
            if events.is_empty() {
                return None;
            }
            let logged = |record: &&Record| saved_record(record, &self.plan, |message| LoggedMessage::of(message));
            let (number, after) = (branch.number(), branch.logged());
            let end = after + events.len();
            let events = events.iter().map(logged).collect();
            let text = begin.take().unwrap_or_default() + &line(&Line::Branch { number, after, events });
            Some(Unlogged { branch: number, text, end })
        };
        self.branches.iter().filter_map(unlogged).collect()
    }

    /// Marks a part as logged.
    pub fn mark_logged(&mut self, part: &Unlogged) {
        self.is_logged = true;
        if let Some(branch) = self.branches.iter_mut().find(|branch| branch.number() == part.branch) {
            branch.mark_logged(part.end);
        }
    }

    /// Resumes the session from a log, on the branch that shares the longest prefix with the history. A damaged line ends what
    /// is known of its branch. Returns `None` if the log is of another plan or version, or if no branch begins like the history.
    pub fn recovered(plan: &Arc<Plan>, log: &str, history: &[Arc<Message>]) -> Option<Self> {
        // A line is damaged if a process was killed or the disk was full. Its events are written again after it.
        let mut lines = log.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let Some(Line::Begin { version: VERSION, plan: hash, environment }) = lines.next() else { return None };
        if hash != plan.hash {
            return None;
        }
        let mut branches: Vec<LoggedBranch> = Vec::new();
        for line in lines {
            if let Line::Branch { number, after, events } = line {
                LoggedBranch::add(&mut branches, number, after, events);
            }
        }
        let next_branch = branches.iter().map(|branch| branch.number + 1).max()?;
        let branches = branches.iter().map(|branch| (branch.number, branch.matched(plan, history)));
        // Of several that match equally well, the last one is the newest.
        let best =
            branches.max_by_key(|(_, found)| (found.messages, found.is_whole, found.changed_prompt_len.is_none()));
        let (number, found) = best.filter(|(_, found)| found.messages > 0)?;
        // A history that diverges starts a new branch, so the old branch keeps its log and its recording.
        let (number, next_branch) = if found.is_whole { (number, next_branch) } else { (next_branch, next_branch + 1) };
        let (restored, overhead) = (environment.restored(&plan.agent.models), environment.overhead());
        let mut session = Self::new(Arc::clone(plan), restored.clone(), overhead);
        let branch = Branch::new(Arc::clone(plan), restored, overhead, number);
        let mut summaries = KnownSummaries::default();
        let logged = if found.is_whole { found.records.len() } else { 0 };
        let changed_prompt_len = found.changed_prompt_len.unwrap_or(0);
        let mut branch = branch.replayed_with(found.records, Progress::default(), &mut |request, answer| {
            if let Answer::Summary(text) = answer {
                summaries.insert(request, text);
            }
        });
        if !(0..changed_prompt_len).all(|at| branch.is_untouched(at)) {
            return None;
        }
        branch.mark_logged(logged);
        session.branches = vec![branch];
        (session.next_branch, session.summaries) = (next_branch, summaries);
        session.is_logged = true;
        Some(session)
    }
}

/// The events of a branch in a log.
struct LoggedBranch {
    number: u64,
    events: Vec<SavedRecord<LoggedMessage>>,
}

/// How much of a branch a history matches.
struct BranchMatch {
    /// The number of messages that match.
    messages: usize,
    /// The events up to the first message that does not match.
    records: Vec<Record>,
    /// Whether these are all events of the branch.
    is_whole: bool,
    /// The number of system messages with which the history begins, if they differ from those of the branch.
    changed_prompt_len: Option<usize>,
}

impl LoggedBranch {
    /// Adds events of a branch. Events that were written again replace the earlier ones. Events after a gap are left out.
    fn add(branches: &mut Vec<Self>, number: u64, after: usize, events: Vec<SavedRecord<LoggedMessage>>) {
        let at = branches.iter().position(|branch| branch.number == number).unwrap_or_else(|| {
            branches.push(Self { number, events: Vec::new() });
            branches.len() - 1
        });
        let known = &mut branches[at].events;
        if after <= known.len() {
            known.truncate(after);
            known.extend(events);
        }
    }

    /// Matches the branch with a history. As for a branch in memory, the system prompt may differ if a message after it is the
    /// same.
    fn matched(&self, plan: &Plan, history: &[Arc<Message>]) -> BranchMatch {
        // The messages before a compaction are in neither the log nor the history, so their events cannot be replayed.
        if self.events.iter().any(|event| matches!(event, SavedRecord::Compacted(_))) {
            return BranchMatch { messages: 0, is_whole: false, records: Vec::new(), changed_prompt_len: None };
        }
        let strict = self.matched_with(plan, history, 0);
        let prompt = prompt_len(history.iter());
        if strict.messages >= prompt {
            return strict;
        }
        let tolerant = self.matched_with(plan, history, prompt);
        if tolerant.messages > prompt { tolerant } else { strict }
    }

    /// Matches the branch with a history whose first `prompt` messages may be any system messages.
    fn matched_with(&self, plan: &Plan, history: &[Arc<Message>], prompt: usize) -> BranchMatch {
        let (mut messages, mut records) = (0, Vec::new());
        for event in &self.events {
            let fill = |logged: &LoggedMessage| {
                let is_same =
                    |sent: &&Arc<Message>| if messages < prompt { logged.is_system } else { logged.matches(sent) };
                let sent = history.get(messages).filter(is_same);
                let filled = sent.and_then(|sent| logged.filled(sent));
                messages += usize::from(filled.is_some());
                filled.ok_or(RestoreError::Message(messages))
            };
            match restored(event, plan, fill) {
                Ok(record) => records.push(record),
                Err(_) => break,
            }
        }
        let is_whole = records.len() == self.events.len();
        BranchMatch { messages, is_whole, records, changed_prompt_len: (prompt > 0).then_some(prompt) }
    }
}

fn line(line: &Line) -> String {
    // Serialising a line cannot fail.
    serde_json::to_string(line).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reformatted_arguments_have_the_same_digest() {
        let call = |text: &str| {
            let json = serde_json::json!({ "role": "assistant",
                "content": [{ "type": "tool_call", "id": "a", "name": "read", "arguments": text }] });
            message_digest(&transcript::read_message(&json).expect("a message"))
        };
        assert_eq!(call(r#"{"path": "a", "to": 3}"#), call(r#"{"to":3,"path":"a"}"#));
        assert_ne!(call(r#"{"path": "a"}"#), call(r#"{"path": "b"}"#));
        assert_ne!(call("not JSON"), call("not  JSON"));
    }
}
