//! Trajectories of SWE-agent: one object with the `history` that was sent to the model and the steps of the run.
//!
//! In the function-calling style a reply has tool calls in the shape of OpenAI. In the older style the text of a reply
//! ends with a command, the action, and the next message is its output. Such an action becomes a call of the tool
//! [`SHELL`] without an id, and its output the result. Messages of demonstrations are part of the prompt.

use serde::Deserialize;
use trimtab_base::conversation::{Arguments, Body, Message, Part, Role, ToolResult};

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Indexed, List, Raw, Str, Text};
use super::{Format, Quirk, ReadError, Reader, Transcript, block, error, line, openai_chat};

/// The tool that a command in the text of a reply is a call of. SWE-agent runs all of them in one shell.
pub(super) const SHELL: &str = "bash";

/// Trajectories of SWE-agent.
pub(super) static SWE_AGENT: Format = Format {
    name: "swe_agent",
    title: "SWE-agent trajectories",
    summary: "`.traj` files of SWE-agent, with tool calls or with commands in the text of the replies",
    sniff,
    reader: Reader::File(read),
    line: Some(|text| line::by_key(text, &["history", "trajectory"], &[])),
    quirks: &[Quirk::UnmarkedErrors],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_trajectory)
}

fn is_trajectory(record: &ShallowValue<'_>) -> bool {
    let is_entry = |entry: &ShallowValue<'_>| entry.has("role") && entry.has("agent");
    let history = record.field("history").map(|history| history.elements(1));
    match history.as_deref().and_then(<[_]>::first) {
        Some(first) => first.has("role") && record.has("trajectory") || is_entry(first),
        None => record.has("trajectory") && record.has("environment"),
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Trajectory<'a> {
    #[serde(borrow)]
    history: List<'a>,
    #[serde(rename = "trajectory")]
    steps: List<'a>,
    replay_config: Option<Raw<'a>>,
}

/// The settings of the run that a trajectory contains.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ReplayConfig<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    agent: AgentConfig<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    problem_statement: Named<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct AgentConfig<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    model: Named<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Named<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    name: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entry<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    thought: Text,
    action: Text,
    is_demo: wire::Flag,
    tool_calls: List<'a>,
    tool_call_ids: List<'a>,
    thinking_blocks: List<'a>,
}

/// A step of the run. The history contains it too.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Step {
    action: Text,
    observation: Text,
    thought: Text,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcripts = Vec::new();
    for record in input.deep_records(&mut skipped) {
        match record.parse::<Trajectory<'_>>() {
            Some(trajectory) if trajectory.history.0.is_some() || trajectory.steps.0.is_some() => {
                transcripts.push(read_trajectory(&trajectory, &mut skipped));
            }
            Some(_) => skipped.count("record without a history"),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    error::with_skipped(transcripts, skipped, "swe_agent", input)
}

fn read_trajectory(trajectory: &Trajectory<'_>, skipped: &mut Skipped) -> Transcript {
    let mut messages = Vec::new();
    for raw in trajectory.history.0.iter().flatten() {
        if !skipped.accepts(raw) {
            continue;
        }
        match raw.object::<Entry<'_>>().and_then(|entry| read_entry(*raw, &entry, &messages)) {
            Some(message) => messages.push(message),
            None => skipped.count("message without a role"),
        }
    }
    if messages.is_empty() {
        let steps = trajectory.steps.0.iter().flatten().filter_map(|raw| raw.object());
        messages = steps.flat_map(|step| read_step(&step)).collect();
    }
    let config = trajectory.replay_config;
    // Some versions write the settings as a string of JSON.
    let nested = config.and_then(Raw::text);
    let nested = nested.as_deref().and_then(Indexed::of);
    let config = nested.as_ref().map(Indexed::raw).or(config);
    let config: ReplayConfig<'_> = config.and_then(Raw::object).unwrap_or_default();
    Transcript {
        id: config.problem_statement.id.as_str().to_owned(),
        model: config.agent.model.name.non_empty(),
        messages: messages.into_iter().map(Into::into).collect(),
        ..Transcript::default()
    }
}

fn read_entry(raw: Raw<'_>, entry: &Entry<'_>, before: &[Message]) -> Option<Message> {
    let mut message = openai_chat::parse_message(raw)?;
    if entry.is_demo.0 {
        return Some(demonstration(message));
    }
    match message.role {
        Role::Assistant => add_action(&mut message, entry),
        Role::Tool => set_result_id(&mut message, entry),
        Role::User if has_open_action(before) => return Some(into_result(message)),
        Role::User => message.harness = before.iter().any(|earlier| earlier.role == Role::Assistant),
        Role::System => {}
    }
    Some(message)
}

/// A message of a demonstration. No model was called for it, so its calls and results are texts.
fn demonstration(message: Message) -> Message {
    let role = if message.role == Role::System { Role::System } else { Role::User };
    let as_text = |part: Part| match part.body {
        Body::ToolCall { name, arguments, .. } => Part::text(format!("{name} {}", arguments.text())),
        Body::ToolResult(result) => Part::text(result.text),
        _ => part,
    };
    Message { harness: role == Role::User, ..Message::new(role, message.parts.into_iter().map(as_text).collect()) }
}

/// Adds the thinking blocks, and the action if the reply has no calls.
fn add_action(message: &mut Message, entry: &Entry<'_>) {
    let thinking = entry.thinking_blocks.0.iter().flatten().map(|raw| Part::new(block::parse_plain_block(*raw)));
    let thinking: Vec<_> = thinking.collect();
    let action = entry.action.0.as_deref().map(str::trim).filter(|action| !action.is_empty());
    if entry.tool_calls.0.as_ref().is_none_or(Vec::is_empty)
        && let Some(action) = action
    {
        message.parts = command_parts(entry.thought.0.as_deref().unwrap_or_default(), action);
    }
    message.parts.splice(0..0, thinking);
}

/// The parts of a reply that consists of a thought and a command.
pub(super) fn command_parts(thought: &str, command: &str) -> Vec<Part> {
    let thought = Some(thought.trim()).filter(|thought| !thought.is_empty()).map(Part::text);
    let call = Part::call("", SHELL, Arguments::Text(command.into()));
    thought.into_iter().chain([call]).collect()
}

/// Whether the last message is a reply with a command in its text.
pub(super) fn has_open_action(messages: &[Message]) -> bool {
    let is_action = |message: &Message| message.calls().any(|(id, ..)| id.is_empty());
    messages.last().is_some_and(|last| last.role == Role::Assistant && is_action(last))
}

/// The output of a command as its result.
pub(super) fn into_result(message: Message) -> Message {
    let (text, attachments) = block::join_texts(message.parts.into_iter().map(|part| part.body).collect());
    let result = ToolResult { id: "".into(), name: None, text, attachments, is_error: false };
    Message { at: message.at, ..Message::new(Role::Tool, vec![Part::new(Body::ToolResult(Box::new(result)))]) }
}

/// Sets the id of a result, which SWE-agent writes as a list.
fn set_result_id(message: &mut Message, entry: &Entry<'_>) {
    let mut ids = entry.tool_call_ids.0.iter().flatten();
    let id = ids.find_map(|raw| raw.parse::<Str<'_>>()?.non_empty());
    if let (Some(id), Some(Part { body: Body::ToolResult(result), .. })) = (id, message.parts.first_mut()) {
        result.id = id;
    }
}

/// The messages of a step, for a trajectory without a history.
fn read_step(step: &Step) -> Vec<Message> {
    let text = |text: &Text| text.0.as_deref().unwrap_or_default().to_owned();
    let reply = Message::new(Role::Assistant, command_parts(&text(&step.thought), text(&step.action).trim()));
    vec![reply, into_result(Message::text(Role::User, text(&step.observation)))]
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::transcript;

    fn read_one(json: &Json) -> Transcript {
        let mut file = transcript::read(json.to_string().as_bytes(), None).expect("reads");
        assert_eq!(file.format, "swe_agent");
        file.transcripts.remove(0)
    }

    fn entry(role: &str, content: &str) -> Json {
        json!({"role": role, "content": content, "agent": "main"})
    }

    fn action(thought: &str, action: &str) -> Json {
        let content = format!("{thought}\n```\n{action}\n```");
        json!({"role": "assistant", "content": content, "thought": thought, "action": action, "agent": "main"})
    }

    fn roles(transcript: &Transcript) -> String {
        transcript.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
    }

    #[test]
    fn a_command_in_the_text_is_a_call_and_the_next_message_its_result() {
        let history = [entry("system", "s"), entry("user", "fix"), action("look", "ls\n"), entry("user", "a.py")];
        let read = read_one(&json!({"history": history, "trajectory": [], "info": {}}));
        assert_eq!(roles(&read), "suat");
        let expected = [Part::text("look"), Part::call("", SHELL, Arguments::Text("ls".into()))];
        assert_eq!(read.messages[2].parts, expected);
        assert_eq!(read.messages[3].parts, [Part::result("", "a.py", false)]);
    }

    #[test]
    fn a_message_after_a_reply_without_a_command_is_from_the_harness() {
        let history = [entry("user", "fix"), action("hm", ""), entry("user", "Your output could not be parsed.")];
        let read = read_one(&json!({"history": history, "trajectory": []}));
        assert_eq!(roles(&read), "uau");
        assert!(read.messages[2].harness && !read.messages[0].harness);
    }

    #[test]
    fn messages_of_a_demonstration_are_part_of_the_prompt() {
        let mut demo = action("look", "ls");
        demo["is_demo"] = true.into();
        let read = read_one(&json!({"history": [entry("system", "s"), demo, entry("user", "fix")], "trajectory": []}));
        assert_eq!(roles(&read), "suu");
        assert!(read.messages[1].harness && !read.messages[2].harness);
    }

    #[test]
    fn tool_calls_are_paired_by_the_first_id_of_the_list() {
        let call = json!({"id": "c", "type": "function", "function": {"name": "open", "arguments": "{}"}});
        let mut reply = action("look", "open");
        reply["tool_calls"] = json!([call]);
        reply["thinking_blocks"] = json!([{"type": "thinking", "thinking": "t", "signature": "s"}]);
        let mut result = entry("tool", "text");
        result["tool_call_ids"] = json!(["c"]);
        let config = json!({"agent": {"model": {"name": "m"}}, "problem_statement": {"id": "p"}});
        let read = read_one(&json!({"history": [reply, result], "replay_config": config.to_string()}));
        assert_eq!(read.messages[0].parts.len(), 3, "thinking, text and call");
        assert_eq!(read.messages[1].parts, [Part::result("c", "text", false)]);
        assert_eq!((read.model.as_deref(), read.id.as_str()), (Some("m"), "p"));
    }

    #[test]
    fn a_trajectory_without_a_history_is_read_from_its_steps() {
        let step = json!({"action": "ls", "observation": "a.py", "thought": "look"});
        let read = read_one(&json!({"environment": "e", "trajectory": [step], "history": []}));
        assert_eq!(roles(&read), "at");
    }
}
