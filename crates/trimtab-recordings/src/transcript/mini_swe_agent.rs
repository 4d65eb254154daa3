//! Trajectories of mini-swe-agent: one object with `info` and `messages`, or a bare list of messages.
//!
//! Version 2 records tool calls in the shape of OpenAI. In version 1 a reply contains one fenced command, which becomes
//! a call of the shell without an id; the next message is its output.

use serde::Deserialize;
use trimtab_base::conversation::{Body, Message, Part, Role};

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::swe_agent::{command_parts, has_open_action, into_result};
use super::wire::{self, Fields, List, Raw, Str};
use super::{Format, ReadError, Reader, Transcript, error, line, openai_chat, time};

/// Trajectories of mini-swe-agent.
pub(super) static MINI_SWE_AGENT: Format = Format {
    name: "mini_swe_agent",
    title: "mini-swe-agent trajectories",
    summary: "`.traj.json` files of mini-swe-agent, versions 1 and 2",
    sniff,
    reader: Reader::File(read),
    line: Some(|text| line::by_key(text, &["messages"], &["role"])),
    quirks: &[],
};

/// The openings of a fenced command.
const FENCES: [&str; 2] = ["```mswea_bash_command", "```bash"];

/// What the output of a command begins with.
const RETURN_CODE: &str = "<returncode>";

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_trajectory) || {
        // Neither string is written with escapes.
        let contents = |text| {
            let mentions = sample.messages().iter().filter(move |message| message.mentions("content", text));
            mentions.filter_map(|message| message.string("content"))
        };
        contents(FENCES[0]).next().is_some() && contents("returncode").any(|content| content.starts_with(RETURN_CODE))
    }
}

fn is_trajectory(record: &ShallowValue<'_>) -> bool {
    let is_mini = |format: &str| format.starts_with("mini-swe-agent");
    record.string("trajectory_format").is_some_and(|format| is_mini(&format))
        || record.has("messages") && record.field("info").is_some_and(|info| info.has("mini_version"))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Trajectory<'a> {
    #[serde(borrow)]
    messages: List<'a>,
    instance_id: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    info: Info<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Info<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    config: Config<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Config<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    model: ModelConfig<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ModelConfig<'a> {
    #[serde(borrow)]
    model_name: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entry<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    extra: Extra<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Extra<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    response: Response<'a>,
    returncode: Str<'a>,
    /// Seconds since the Unix epoch.
    timestamp: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    model: Str<'a>,
    usage: Option<Raw<'a>>,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let transcripts = match input.array() {
        Some(messages) if messages.clone().next().is_some_and(is_message) => {
            let messages = messages.collect();
            let trajectory = Trajectory { messages: List(Some(messages)), ..Trajectory::default() };
            vec![read_trajectory(&trajectory, &mut skipped)]
        }
        _ => read_records(input, &mut skipped),
    };
    error::with_skipped(transcripts, skipped, "mini_swe_agent", input)
}

fn is_message(raw: Raw<'_>) -> bool {
    raw.object::<Fields<'_>>().is_some_and(|fields| fields.get("role").is_some())
}

fn read_records(input: &Input<'_>, skipped: &mut Skipped) -> Vec<Transcript> {
    let mut transcripts = Vec::new();
    for record in input.deep_records(skipped) {
        match record.parse::<Trajectory<'_>>() {
            Some(trajectory) if trajectory.messages.0.is_some() => {
                transcripts.push(read_trajectory(&trajectory, skipped));
            }
            Some(_) => skipped.count("record without messages"),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    transcripts
}

fn read_trajectory(trajectory: &Trajectory<'_>, skipped: &mut Skipped) -> Transcript {
    let mut messages: Vec<Message> = Vec::new();
    for raw in trajectory.messages.0.iter().flatten() {
        if !skipped.accepts(raw) {
            continue;
        }
        let entry: Entry<'_> = raw.object().unwrap_or_default();
        match openai_chat::parse_message(*raw) {
            // It ends the run and is not sent.
            Some(_) if entry.role.as_str() == "exit" => skipped.count("exit message"),
            Some(message) => messages.push(complete(message, &entry, &messages)),
            None => skipped.count("message without a role"),
        }
    }
    Transcript {
        id: trajectory.instance_id.as_str().to_owned(),
        model: trajectory.info.config.model.model_name.non_empty(),
        messages: messages.into_iter().map(Into::into).collect(),
        ..Transcript::default()
    }
}

/// Completes a message with what the format records beside it.
fn complete(mut message: Message, entry: &Entry<'_>, before: &[Message]) -> Message {
    let extra = &entry.extra;
    let seconds = || extra.timestamp.get()?.parse().ok();
    message.at = message.at.or_else(|| time::from_seconds(seconds()?));
    match message.role {
        Role::Assistant => {
            message.usage = message.usage.or_else(|| openai_chat::parse_usage(extra.response.usage));
            message.model = message.model.or_else(|| extra.response.model.non_empty());
            if message.calls().next().is_none()
                && let Some(parts) = split_command(&message.plain_text())
            {
                message.parts.retain(|part| !matches!(part.body, Body::Text(_)));
                message.parts.extend(parts);
            }
        }
        Role::User if has_open_action(before) => {
            message = into_result(message);
            set_error(&mut message, extra);
        }
        Role::User => message.harness = before.iter().any(|earlier| earlier.role == Role::Assistant),
        Role::Tool => set_error(&mut message, extra),
        Role::System => {}
    }
    message
}

/// Splits the text of a reply into the thought and the command. Returns `None` if the reply does not have exactly one
/// command.
fn split_command(text: &str) -> Option<Vec<Part>> {
    let (thought, rest) = FENCES.iter().find_map(|fence| text.split_once(fence))?;
    let (command, rest) = rest.split_once("\n```")?;
    let has_another = FENCES.iter().any(|fence| rest.contains(fence));
    (!has_another).then(|| command_parts(thought, command.trim()))
}

/// Marks the result of a command whose return code is not 0.
fn set_error(message: &mut Message, extra: &Extra<'_>) {
    let Some(Part { body: Body::ToolResult(result), .. }) = message.parts.first_mut() else { return };
    let in_text = || result.text.trim_start().strip_prefix(RETURN_CODE)?.split_once('<').map(|(code, _)| code.trim());
    let code = extra.returncode.get().or_else(in_text);
    result.is_error = code.is_some_and(|code| code != "0");
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};
    use trimtab_base::conversation::{Arguments, Usage};

    use super::*;
    use crate::transcript;

    fn read_one(json: &Json) -> Transcript {
        let mut file = transcript::read(json.to_string().as_bytes(), None).expect("reads");
        assert_eq!(file.format, "mini_swe_agent");
        file.transcripts.remove(0)
    }

    fn message(role: &str, content: &str) -> Json {
        json!({"role": role, "content": content})
    }

    fn roles(transcript: &Transcript) -> String {
        transcript.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
    }

    #[test]
    fn a_bare_list_with_fenced_commands_is_a_trajectory() {
        let read = read_one(&json!([
            message("system", "s"),
            message("user", "fix"),
            message("assistant", "I look.\n\n```mswea_bash_command\nls\n```"),
            message("user", "<returncode>2</returncode>\n<output>no</output>"),
        ]));
        assert_eq!(roles(&read), "suat");
        assert_eq!(
            read.messages[2].parts,
            [Part::text("I look."), Part::call("", "bash", Arguments::Text("ls".into()))]
        );
        assert!(read.messages[3].results().all(|result| result.is_error));
    }

    #[test]
    fn a_reply_with_two_commands_has_no_call() {
        let two = "```mswea_bash_command\nls\n```\n```mswea_bash_command\npwd\n```";
        let messages = [message("assistant", two), message("user", "Give exactly one command.")];
        let read = read_one(&json!({"messages": messages, "trajectory_format": "mini-swe-agent-1"}));
        assert_eq!(roles(&read), "au");
        assert!(read.messages[1].harness);
    }

    #[test]
    fn tool_calls_have_usage_times_and_return_codes() {
        let call =
            json!({"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{\"command\":\"ls\"}"}});
        let usage = json!({"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}});
        let read = read_one(&json!({
            "info": {"mini_version": "2.0.0", "config": {"model": {"model_name": "m"}}},
            "messages": [
                {"role": "assistant", "content": null, "tool_calls": [call], "extra": {"timestamp": 1.5, "response": {"model": "n", "usage": usage}}},
                {"role": "tool", "tool_call_id": "c", "content": "x", "extra": {"returncode": 1}},
                {"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}},
            ],
            "trajectory_format": "mini-swe-agent-1.1",
        }));
        assert_eq!(roles(&read), "at");
        assert_eq!(read.messages[0].usage, Some(Usage { input: 6, cache_read: 4, output: 2, ..Usage::default() }));
        assert_eq!(read.messages[0].at.as_deref(), Some("1970-01-01T00:00:01.500Z"));
        assert!(read.messages[1].results().all(|result| result.is_error));
        assert_eq!(read.skipped.get("exit message"), Some(&1));
    }
}
