//! What happened in the messages to summarise, by their roles and parts and never by their text.

use foldhash::{HashMap, HashMapExt};
use trimtab_base::conversation::{Body, Entry, GroupId, Message, Origin, Role};
use trimtab_language::effect::summary_text;

use super::call::Call;

/// What happened in the messages to summarise.
#[derive(Debug, Default)]
pub(super) struct Activity {
    /// In order.
    pub events: Vec<Event>,
    /// Summaries of what came before, written by a rule or by the recorded harness.
    pub earlier_summaries: Vec<String>,
    /// The characters of the messages that are not summaries.
    pub chars: usize,
}

/// Something that happened.
#[derive(Debug)]
pub(super) enum Event {
    /// A person wrote.
    Request(String),
    /// A harness wrote on behalf of a person.
    HarnessRequest(String),
    /// The agent wrote.
    Reply(Reply),
    /// The agent called a tool.
    Call(Call, CallOutcome),
}

/// A text of the agent.
#[derive(Debug)]
pub(super) struct Reply {
    pub text: String,
    /// Whether the agent waits for a person.
    pub ends_turn: bool,
    /// Whether one of its calls may have changed something.
    pub changes: bool,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallOutcome {
    /// There is no result.
    Open,
    Succeeded,
    /// The message, unless a rule has removed it.
    Failed(Option<String>),
}

impl Activity {
    /// Reads messages in one pass.
    pub(super) fn read(entries: &[Entry]) -> Self {
        let mut activity = Self::default();
        // A result belongs to the last call of its group with its id, as in the conversation.
        let mut open: HashMap<(GroupId, &str), usize> = HashMap::new();
        let mut only: HashMap<GroupId, Option<usize>> = HashMap::new();
        for entry in entries {
            let message = entry.message();
            if is_summary(message) {
                activity.earlier_summaries.push(summary_text(&message.plain_text()).to_owned());
                continue;
            }
            activity.chars += message.chars();
            match entry.role() {
                Role::System => {}
                Role::User => activity.read_request(message),
                Role::Assistant => {
                    let first = activity.read_reply(entry);
                    for (at, (id, ..)) in (first..).zip(entry.recorded().calls()) {
                        open.insert((entry.group(), id), at);
                        only.entry(entry.group()).and_modify(|one| *one = None).or_insert(Some(at));
                    }
                }
                Role::Tool => {
                    let id = message.results().next().map_or("", |result| &result.id);
                    let known = if id.is_empty() { only.get(&entry.group()).copied().flatten() } else { None };
                    let call = known.or_else(|| open.get(&(entry.group(), id)).copied());
                    activity.read_result(entry, call);
                }
            }
        }
        activity.note_turns();
        activity
    }

    /// Some recordings split a reply into messages: a text ends a turn only if the agent does not go on.
    fn note_turns(&mut self) {
        let mut goes_on = false;
        for event in self.events.iter_mut().rev() {
            if let Event::Reply(reply) = event {
                reply.ends_turn &= !goes_on;
            }
            goes_on = matches!(event, Event::Reply(_) | Event::Call(..));
        }
    }

    fn read_request(&mut self, message: &Message) {
        let text = message.plain_text();
        if text.trim().is_empty() || message.origin != Origin::Recorded {
            return;
        }
        self.events.push(if message.is_person() { Event::Request(text) } else { Event::HarnessRequest(text) });
    }

    /// Reads the texts and the calls of a reply. Returns the index of the first call.
    fn read_reply(&mut self, entry: &Entry) -> usize {
        let texts = entry.message().parts.iter().filter_map(|part| match &part.body {
            Body::Text(text) => Some(text.as_ref()),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        // The recorded arguments: a rule masks them to save tokens, and a path or a command costs few.
        let calls: Vec<Call> =
            entry.recorded().calls().map(|(_, tool, arguments)| Call::read(tool, arguments)).collect();
        let is_agent = entry.message().origin == Origin::Recorded;
        if !text.trim().is_empty() && is_agent {
            let (ends_turn, changes) = (calls.is_empty(), calls.iter().any(|call| call.changes));
            self.events.push(Event::Reply(Reply { text, ends_turn, changes }));
        }
        let first = self.events.len();
        self.events.extend(calls.into_iter().map(|call| Event::Call(call, CallOutcome::Open)));
        first
    }

    fn read_result(&mut self, entry: &Entry, call: Option<usize>) {
        let Some((result, level)) = entry.message().parts.iter().find_map(|part| match &part.body {
            Body::ToolResult(result) => Some((result, part.level)),
            _ => None,
        }) else {
            return;
        };
        let outcome = if result.is_error {
            CallOutcome::Failed((!level.is_replaced()).then(|| result.text.to_string()))
        } else {
            CallOutcome::Succeeded
        };
        if let Some(Event::Call(_, known)) = call.and_then(|at| self.events.get_mut(at)) {
            *known = outcome;
        } else {
            let tool = entry.tool().map_or("", |tool| tool);
            self.events.push(Event::Call(Call { changes: false, ..Call::read(tool, &no_arguments()) }, outcome));
        }
    }

    /// The texts of the agent, the newest first.
    pub(super) fn newest_replies(&self) -> impl Iterator<Item = &Reply> {
        self.events.iter().rev().filter_map(|event| match event {
            Event::Reply(reply) => Some(reply),
            _ => None,
        })
    }

    /// The calls with their outcomes, the oldest first.
    pub(super) fn calls(&self) -> impl DoubleEndedIterator<Item = (&Call, &CallOutcome)> {
        self.events.iter().filter_map(|event| match event {
            Event::Call(call, outcome) => Some((call, outcome)),
            _ => None,
        })
    }
}

/// Whether a message summarises what came before it.
fn is_summary(message: &Message) -> bool {
    let by_rule = matches!(message.origin, Origin::Summary | Origin::RunningSummary);
    by_rule || (message.role == Role::User && message.resets && !message.is_person())
}

fn no_arguments() -> trimtab_base::conversation::Arguments {
    trimtab_base::conversation::Arguments::from(serde_json::Value::Null)
}
