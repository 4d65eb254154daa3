//! Simulations of tau2-bench: one object with the messages of a run, or a file of results with many.
//!
//! The person is a model too and may call tools of its own. The agent's model sees neither these calls nor their
//! results, so they are skipped.

use serde::Deserialize;
use trimtab_base::conversation::{Body, Message, Part, Role};

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Flag, Indexed, List, Raw, Str, Text};
use super::{Format, Quirk, ReadError, Reader, Tool, Transcript, error, first_model, line, openai_chat, time, tool};

/// Simulations of tau2-bench.
pub(super) static TAU2: Format = Format {
    name: "tau2",
    title: "tau2 simulations",
    summary: "simulations and result files of tau2-bench; calls of the simulated user are left out",
    sniff,
    reader: Reader::File(read),
    line: Some(|text| line::by_key(text, &["messages", "simulations"], &[])),
    quirks: &[Quirk::Selective],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_simulation)
}

fn is_simulation(record: &ShallowValue<'_>) -> bool {
    let is_run = |record: &ShallowValue<'_>| record.has("task_id") && record.has("termination_reason");
    let first = || record.field("simulations")?.elements(1).pop();
    is_run(record) || first().is_some_and(|first| is_run(&first))
}

/// A simulation, or results that contain many.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Simulation<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    start_time: Str<'a>,
    messages: List<'a>,
    policy: Text,
    simulations: List<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    info: ResultInfo<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResultInfo<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    agent_info: AgentInfo<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    environment_info: EnvironmentInfo<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct AgentInfo<'a> {
    #[serde(borrow)]
    llm: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct EnvironmentInfo<'a> {
    policy: Text,
    #[serde(borrow)]
    tool_defs: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Entry<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    id: Str<'a>,
    requestor: Str<'a>,
    error: Flag,
    timestamp: Str<'a>,
    /// Several results in one message.
    tool_messages: List<'a>,
    tool_calls: List<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    raw_data: RawData<'a>,
}

/// The response of the provider.
#[derive(Deserialize, Default)]
#[serde(default)]
struct RawData<'a> {
    #[serde(borrow)]
    model: Str<'a>,
    usage: Option<Raw<'a>>,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcripts = Vec::new();
    for record in input.deep_records(&mut skipped) {
        match record.parse::<Simulation<'_>>() {
            Some(results) if results.simulations.0.is_some() => {
                let simulations = results.simulations.0.iter().flatten().filter_map(|raw| raw.object());
                transcripts
                    .extend(simulations.map(|simulation| read_simulation(&simulation, &results.info, &mut skipped)));
            }
            Some(simulation) if simulation.messages.0.is_some() => {
                transcripts.push(read_simulation(&simulation, &ResultInfo::default(), &mut skipped));
            }
            Some(_) => skipped.count("record without messages"),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    error::with_skipped(transcripts, skipped, "tau2", input)
}

fn read_simulation(simulation: &Simulation<'_>, info: &ResultInfo<'_>, skipped: &mut Skipped) -> Transcript {
    let policy = simulation.policy.0.clone().or_else(|| info.environment_info.policy.0.clone());
    let mut messages: Vec<Message> = policy.map(|policy| Message::text(Role::System, policy)).into_iter().collect();
    for raw in simulation.messages.0.iter().flatten() {
        add_message(*raw, &mut messages, skipped);
    }
    mark_greeting(&mut messages);
    let messages: Vec<_> = messages.into_iter().map(Into::into).collect();
    Transcript {
        id: simulation.id.as_str().to_owned(),
        model: first_model(&messages).or_else(|| info.agent_info.llm.non_empty()),
        tools: tools(info.environment_info.tool_defs),
        started: simulation.start_time.get().map(time::from_naive),
        messages,
        ..Transcript::default()
    }
}

/// The declared tools, a list or the JSON text of one.
fn tools(raw: Option<Raw<'_>>) -> Vec<Tool> {
    match raw.and_then(Raw::text) {
        Some(text) => tool::parse_tools(Indexed::of(&text).as_ref().map(Indexed::raw)),
        None => tool::parse_tools(raw),
    }
}

/// Marks the greeting with which the benchmark begins a conversation: no model was called for it.
fn mark_greeting(messages: &mut [Message]) {
    let first = messages.iter_mut().find(|message| message.role != Role::System);
    if let Some(first) = first.filter(|first| first.role == Role::Assistant) {
        first.harness = first.usage.is_none() && first.model.is_none() && first.calls().next().is_none();
    }
}

fn add_message(raw: Raw<'_>, messages: &mut Vec<Message>, skipped: &mut Skipped) {
    if !skipped.accepts(&raw) {
        return;
    }
    let entry: Entry<'_> = raw.object().unwrap_or_default();
    if let Some(results) = &entry.tool_messages.0 {
        for raw in results {
            add_message(*raw, messages, skipped);
        }
        return;
    }
    let Some(mut message) = openai_chat::parse_message(raw) else {
        skipped.count("message without a role");
        return;
    };
    message.at = entry.timestamp.get().filter(|at| !at.is_empty()).map(time::from_naive);
    match message.role {
        Role::Tool if entry.requestor.as_str() == "user" => {
            skipped.count("result of the simulated user");
            return;
        }
        Role::Tool => {
            if let Some(Part { body: Body::ToolResult(result), .. }) = message.parts.first_mut() {
                result.id = entry.id.as_str().into();
                result.is_error = entry.error.0;
            }
        }
        Role::Assistant => {
            message.usage = openai_chat::parse_usage(entry.raw_data.usage).or(message.usage);
            message.model = entry.raw_data.model.non_empty().or(message.model);
        }
        Role::User => {
            let calls = entry.tool_calls.0.as_ref().map_or(0, Vec::len);
            skipped.add("call of the simulated user", calls as u64);
            message.parts.retain(|part| !matches!(part.body, Body::ToolCall { .. }));
            if message.parts.is_empty() {
                return;
            }
        }
        Role::System => {}
    }
    messages.push(message);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};
    use trimtab_base::conversation::Usage;

    use super::*;
    use crate::transcript;

    fn read_file(json: &Json) -> Vec<Transcript> {
        let file = transcript::read(json.to_string().as_bytes(), None).expect("reads");
        assert_eq!(file.format, "tau2");
        file.transcripts
    }

    fn simulation(messages: &Json) -> Json {
        json!({"id": "s", "task_id": "1", "termination_reason": "user_stop", "policy": "Be kind.", "messages": messages})
    }

    fn roles(transcript: &Transcript) -> String {
        transcript.messages.iter().filter_map(|message| message.role.word().get(..1)).collect()
    }

    #[test]
    fn calls_of_the_simulated_user_are_left_out() {
        let call = json!({"id": "c", "name": "reboot", "arguments": {}, "requestor": "user"});
        let read = read_file(&simulation(&json!([
            {"role": "user", "content": "hi", "turn_idx": 0},
            {"role": "user", "content": null, "tool_calls": [call], "turn_idx": 1},
            {"role": "tool", "id": "c", "content": "ok", "requestor": "user", "error": false, "turn_idx": 2},
            {"role": "user", "content": "I did.", "tool_calls": null, "turn_idx": 3},
        ])));
        assert_eq!(roles(&read[0]), "suu");
        let skipped = json!({"call of the simulated user": 1, "result of the simulated user": 1});
        assert_eq!(json!(read[0].skipped), skipped);
    }

    #[test]
    fn the_greeting_of_the_benchmark_is_not_a_reply() {
        let reply = json!({"role": "assistant", "content": "Which one?", "raw_data": {"model": "m"}});
        let user = json!({"role": "user", "content": "hi"});
        let replies = |messages: &Json| -> Vec<bool> {
            read_file(&simulation(messages))[0].messages.iter().map(|message| message.is_reply()).collect()
        };
        let greeting = json!({"role": "assistant", "content": "How can I help you?"});
        assert_eq!(replies(&json!([greeting, user, greeting])), [false, false, false, true]);
        assert_eq!(replies(&json!([reply, user, reply])), [false, true, false, true]);
    }

    #[test]
    fn results_have_the_id_of_their_call_and_an_error_flag() {
        let call = |id: &str| json!({"id": id, "name": "find", "arguments": {"x": 1}, "requestor": "assistant"});
        let result = |id: &str, error: bool| json!({"role": "tool", "id": id, "content": "x", "requestor": "assistant", "error": error});
        let read = read_file(&simulation(&json!([
            {"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")], "timestamp": "2026-03-01T10:00:00.5",
             "usage": {"prompt_tokens": 10, "completion_tokens": 1},
             "raw_data": {"model": "m", "usage": {"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 4}}}},
            {"role": "tool", "tool_messages": [result("a", false), result("b", true)]},
        ])));
        assert_eq!(roles(&read[0]), "satt");
        let reply = &read[0].messages[1];
        assert_eq!(reply.usage, Some(Usage { input: 6, cache_read: 4, output: 1, ..Usage::default() }));
        assert_eq!((reply.model.as_deref(), reply.at.as_deref()), (Some("m"), Some("2026-03-01T10:00:00.5Z")));
        let results: Vec<_> = read[0].messages.iter().flat_map(|message| message.results()).collect();
        assert_eq!(
            results.iter().map(|result| (result.id.as_str(), result.is_error)).collect::<Vec<_>>(),
            [("a", false), ("b", true)]
        );
    }

    #[test]
    fn each_simulation_of_a_result_file_is_a_transcript() {
        let info = json!({"agent_info": {"llm": "m"}, "environment_info": {"policy": "Be brief."}});
        let mut other = simulation(&json!([{"role": "user", "content": "hi"}]));
        other["policy"] = Json::Null;
        let read = read_file(&json!({"info": info, "tasks": [], "simulations": [simulation(&json!([])), other]}));
        assert_eq!(read.len(), 2);
        assert_eq!(read[1].messages[0].plain_text(), "Be brief.");
        assert_eq!(read[1].model.as_deref(), Some("m"));
    }
}
