//! Runs of `LangSmith`: a tree of chains, tools and model calls, nested or as a list.

use serde::Deserialize;
use trimtab_base::conversation::{Message, Role};

use super::{list_of_messages, read_messages};
use crate::transcript::history::{Histories, ModelCall};
use crate::transcript::record::Skipped;
use crate::transcript::wire::{self, Fields, List, Raw, Str};
use crate::transcript::{Transcript, openai_chat, tool};

#[derive(Deserialize, Default)]
#[serde(default)]
struct Run<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    trace_id: Str<'a>,
    #[serde(rename = "run_type")]
    kind: Str<'a>,
    start_time: Str<'a>,
    end_time: Str<'a>,
    inputs: Option<Raw<'a>>,
    outputs: Option<Raw<'a>>,
    child_runs: List<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    extra: Extra<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Extra<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    metadata: Metadata<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    invocation_params: InvocationParams<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metadata<'a> {
    #[serde(borrow)]
    thread_id: Str<'a>,
    session_id: Str<'a>,
    conversation_id: Str<'a>,
    lc_agent_name: Str<'a>,
    ls_model_name: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct InvocationParams<'a> {
    #[serde(borrow)]
    tools: Option<Raw<'a>>,
}

/// How deep runs may be nested.
const MAX_DEPTH: usize = 100;

/// Reads the conversations of the model calls among runs, or those of the outermost runs if there are no such calls.
pub(super) fn read(raw: &[Raw<'_>], skipped: &mut Skipped) -> Vec<Transcript> {
    let mut runs = Vec::new();
    for raw in raw {
        collect(*raw, "", MAX_DEPTH, &mut runs);
    }
    runs.sort_by(|(_, a), (_, b)| a.start_time.as_str().cmp(b.start_time.as_str()));
    let is_model_call = |run: &Run<'_>| matches!(run.kind.as_str(), "llm" | "chat_model");
    let has_model_calls = runs.iter().any(|(_, run)| is_model_call(run));
    let mut histories = Histories::default();
    for (root, run) in &runs {
        let is_root = root == run.id.as_str();
        if !is_model_call(run) && (has_model_calls || !is_root) {
            skipped.count(&format!("run:{}", run.kind.as_str()));
            continue;
        }
        let call = model_call(run, root, skipped);
        if call.input.is_empty() && call.reply.is_none() {
            skipped.count("run without messages");
        } else {
            histories.add(call, skipped);
        }
    }
    let transcripts = histories.into_transcripts();
    if transcripts.is_empty() { vec![Transcript::default()] } else { transcripts }
}

/// Collects a run and the runs in it, each with the id of the outermost one.
fn collect<'a>(raw: Raw<'a>, root: &str, depth: usize, runs: &mut Vec<(String, Run<'a>)>) {
    let Some(mut run) = raw.object::<Run<'a>>() else { return };
    let children = run.child_runs.0.take().unwrap_or_default();
    let own = run.trace_id.get().unwrap_or(run.id.as_str());
    let root = if root.is_empty() { own.to_owned() } else { root.to_owned() };
    runs.push((root.clone(), run));
    if depth > 0 {
        for raw in children {
            collect(raw, &root, depth - 1, runs);
        }
    }
}

fn model_call(run: &Run<'_>, root: &str, skipped: &mut Skipped) -> ModelCall {
    let metadata = &run.extra.metadata;
    let ids = [&metadata.thread_id, &metadata.session_id, &metadata.conversation_id];
    let mut input = run.inputs.map(|raw| messages(raw, skipped)).unwrap_or_default();
    for message in &mut input {
        message.at = run.start_time.non_empty();
    }
    let output = run.outputs.map(|raw| outputs(raw, skipped)).unwrap_or_default();
    let mut reply = output.into_iter().rev().find(|message| message.role == Role::Assistant);
    if let Some(reply) = &mut reply {
        reply.at = run.end_time.non_empty();
        reply.usage = reply.usage.or_else(|| run.outputs.and_then(usage));
        reply.model = reply.model.take().or_else(|| metadata.ls_model_name.non_empty());
    }
    ModelCall {
        conversation: ids.into_iter().find_map(Str::get).unwrap_or(root).to_owned(),
        agent: metadata.lc_agent_name.non_empty(),
        input,
        reply,
        tools: tool::parse_tools(run.extra.invocation_params.tools),
    }
}

/// The messages of inputs. A list of lists has one list for each call of a batch, of which only the first is read.
fn messages(raw: Raw<'_>, skipped: &mut Skipped) -> Vec<Message> {
    let fields: Fields<'_> = raw.object().unwrap_or_default();
    let list = list_of_messages(raw, &fields).unwrap_or_default();
    match list.first() {
        Some(first) if first.is_array() => read_messages(&first.elements().collect::<Vec<_>>(), skipped),
        _ => read_messages(&list, skipped),
    }
}

/// The messages of outputs: of the first generation, of a completion of `OpenAI`, a single message, or a list.
fn outputs(raw: Raw<'_>, skipped: &mut Skipped) -> Vec<Message> {
    let fields: Fields<'_> = raw.object().unwrap_or_default();
    let first = |raw: Raw<'_>, key: &str| -> Option<Message> {
        let mut first = raw.elements().next()?;
        if first.is_array() {
            first = first.elements().next()?;
        }
        let fields: Fields<'_> = first.object()?;
        super::message::parse(fields.get(key)?)?.pop()
    };
    let generation = fields.get("generations").and_then(|raw| first(raw, "message"));
    let choice = || fields.get("choices").and_then(|raw| first(raw, "message"));
    let single = || ["message", "output"].iter().find_map(|key| super::message::parse(fields.get(key)?)?.pop());
    match generation.or_else(choice).or_else(single) {
        Some(message) => vec![message],
        None => messages(raw, skipped),
    }
}

/// The usage beside the generations.
fn usage(raw: Raw<'_>) -> Option<trimtab_base::conversation::Usage> {
    let fields: Fields<'_> = raw.object()?;
    let output: Fields<'_> = fields.get("llm_output").and_then(Raw::object).unwrap_or_default();
    let usage = output.get("token_usage").or_else(|| fields.get("usage")).or_else(|| fields.get("usage_metadata"));
    openai_chat::parse_usage(usage)
}
