//! Events of version 0: actions and observations.

use serde::Deserialize;
use serde_json::Value as Json;
use smol_str::{SmolStr, ToSmolStr};
use trimtab_base::conversation::{Arguments, Body, Message, Part, Role, ToolResult};

use super::builder::{Condensation, MessageBuilder, Reply};
use crate::transcript::record::Skipped;
use crate::transcript::wire::{self, Count, Fields, Flag, Indexed, List, Raw, Str, Text};
use crate::transcript::{image, openai_chat, time, tool};

#[derive(Deserialize, Default)]
#[serde(default)]
struct Event<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    timestamp: Str<'a>,
    source: Str<'a>,
    action: Str<'a>,
    observation: Str<'a>,
    cause: Str<'a>,
    content: Text,
    args: Option<Raw<'a>>,
    #[serde(deserialize_with = "wire::lenient")]
    extras: Extras<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    tool_call_metadata: CallMetadata<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Args<'a> {
    content: Text,
    thought: Text,
    final_thought: Text,
    #[serde(borrow)]
    image_urls: List<'a>,
    tools: Option<Raw<'a>>,
    forgotten_event_ids: List<'a>,
    forgotten_events_start_id: Count,
    forgotten_events_end_id: Count,
    summary: Text,
    summary_offset: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Extras<'a> {
    #[serde(deserialize_with = "wire::lenient")]
    metadata: CommandMetadata,
    exit_code: Option<Raw<'a>>,
    #[serde(borrow)]
    image_urls: List<'a>,
    error: Flag,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CommandMetadata {
    exit_code: Option<Json>,
}

/// The call that an event belongs to, and the response with it.
#[derive(Deserialize, Default)]
#[serde(default)]
struct CallMetadata<'a> {
    #[serde(borrow)]
    function_name: Str<'a>,
    tool_call_id: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    model_response: Response<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    model: Str<'a>,
    choices: List<'a>,
    usage: Option<Raw<'a>>,
}

/// Keys of an action that are not arguments of the tool.
const OWN_ARGS: [&str; 7] =
    ["thought", "final_thought", "confirmation_state", "security_risk", "blocking", "hidden", "is_static"];

/// Adds an event.
pub(super) fn add(raw: Raw<'_>, builder: &mut MessageBuilder, skipped: &mut Skipped) {
    let event: Event<'_> = raw.object().unwrap_or_default();
    match (event.action.get(), event.observation.get()) {
        (Some(action), _) => add_action(&event, action, builder, skipped),
        (None, Some(observation)) => add_observation(&event, observation, builder, skipped),
        (None, None) => skipped.count("event without action or observation"),
    }
}

fn at(event: &Event<'_>) -> Option<SmolStr> {
    event.timestamp.get().filter(|at| !at.is_empty()).map(time::from_naive)
}

fn add_action(event: &Event<'_>, action: &str, builder: &mut MessageBuilder, skipped: &mut Skipped) {
    let args: Args<'_> = wire::parse_or_default(event.args);
    let is_agent = event.source.as_str() == "agent";
    let is_call = event.tool_call_metadata.tool_call_id.get().is_some();
    let id = SmolStr::new(event.id.as_str());
    match action {
        "system" => {
            builder.tools = tool::parse_tools(args.tools);
            let content = args.content.0.unwrap_or_default();
            builder.push(id, Message { at: at(event), ..Message::text(Role::System, content) });
        }
        "condensation" => builder.condense(condensation(&args, at(event))),
        "message" if !is_agent => {
            let harness = event.source.as_str() != "user";
            builder.push(id, Message { at: at(event), harness, ..Message::new(Role::User, content(&args)) });
        }
        // What the harness does by itself.
        "recall" | "change_agent_state" | "condensation_request" | "null" | "start" => {
            if action == "recall" {
                builder.push_unread(id);
            }
            skipped.count(&format!("action:{action}"));
        }
        _ if is_agent => builder.push_reply(reply(event, action, &args, is_call)),
        _ => skipped.count(&format!("action of the {}:{action}", event.source.as_str())),
    }
}

fn content(args: &Args<'_>) -> Vec<Part> {
    let text = args.content.0.clone().filter(|text| !text.is_empty()).map(Part::text);
    text.into_iter().chain(images(&args.image_urls).map(Part::new)).collect()
}

fn images(urls: &List<'_>) -> impl Iterator<Item = Body> {
    let urls = urls.0.iter().flatten().filter_map(|raw| raw.text());
    urls.map(|url| image::from_url(&url)).collect::<Vec<_>>().into_iter()
}

/// The reply that an action belongs to.
fn reply(event: &Event<'_>, action: &str, args: &Args<'_>, is_call: bool) -> Reply {
    let response = &event.tool_call_metadata.model_response;
    let choice = response.choices.0.iter().flatten().next().and_then(|raw| raw.object::<Fields<'_>>());
    let recorded = choice
        .and_then(|choice| openai_chat::parse_message(choice.get("message")?))
        .filter(|message| message.role == Role::Assistant);
    let parts = match recorded {
        Some(message) => message.parts,
        None => action_parts(event, action, args, is_call),
    };
    Reply {
        event: SmolStr::new(event.id.as_str()),
        response: response.id.non_empty().unwrap_or_default(),
        parts,
        usage: openai_chat::parse_usage(response.usage),
        model: response.model.non_empty(),
        at: at(event),
    }
}

/// The parts of an action without its response: the thought, and a call whose id is that of the event unless another
/// is recorded.
fn action_parts(event: &Event<'_>, action: &str, args: &Args<'_>, is_call: bool) -> Vec<Part> {
    let texts = [&args.thought, &args.final_thought].into_iter().filter_map(|text| text.0.clone());
    let mut parts: Vec<Part> = texts.filter(|text| !text.is_empty()).take(1).map(Part::text).collect();
    if !is_call && matches!(action, "message" | "finish" | "reject") {
        parts.extend(content(args));
        return parts;
    }
    let metadata = &event.tool_call_metadata;
    let id = metadata.tool_call_id.non_empty().unwrap_or_else(|| event.id.as_str().to_smolstr());
    let name = metadata.function_name.get().unwrap_or(action);
    let fields: Fields<'_> = event.args.and_then(Raw::object).unwrap_or_default();
    let fields = fields.0.into_iter().filter(|(key, _)| !OWN_ARGS.contains(&key.as_ref()));
    let arguments = Json::Object(fields.map(|(key, raw)| (key.into_owned(), raw.value())).collect());
    parts.push(Part::call(id, name, Arguments::from(arguments)));
    parts
}

fn condensation(args: &Args<'_>, at: Option<SmolStr>) -> Condensation {
    let ids = args.forgotten_event_ids.0.iter().flatten();
    let ids = ids.filter_map(|raw| raw.parse::<Str<'_>>()?.non_empty());
    let range = args.forgotten_events_start_id.0.zip(args.forgotten_events_end_id.0);
    // A file cannot have more events than this.
    let range = range.filter(|(start, end)| end.saturating_sub(*start) < 1_000_000);
    let range = range.map(|(start, end)| start..=end).into_iter().flatten();
    let forgotten = ids.chain(range.map(|id| id.to_smolstr())).collect();
    let (summary, offset) = (args.summary.0.clone(), args.summary_offset.0);
    Condensation { forgotten, summary, offset, at, ..Condensation::default() }
}

fn add_observation(event: &Event<'_>, observation: &str, builder: &mut MessageBuilder, skipped: &mut Skipped) {
    // Shown to the person; the knowledge that `recall` adds to the prompt is not in the text of its event.
    if matches!(observation, "agent_state_changed" | "null" | "recall" | "condense" | "success") {
        if observation == "recall" {
            builder.push_unread(SmolStr::new(event.id.as_str()));
        }
        skipped.count(&format!("observation:{observation}"));
        return;
    }
    let id = event.tool_call_metadata.tool_call_id.non_empty().or_else(|| event.cause.non_empty());
    let result = ToolResult {
        id: id.unwrap_or_default(),
        name: None,
        text: event.content.0.clone().unwrap_or_default(),
        attachments: images(&event.extras.image_urls).collect(),
        is_error: observation == "error" || event.extras.error.0 || has_failed(&event.extras),
    };
    let inferred = !result.is_error && looks_failed(observation, &result.text);
    builder.push_result(event.id.as_str().to_smolstr(), result, inferred, at(event));
}

/// Whether a tool of OpenHands says in the text of its observation that it failed. Its editor and its Python session write a
/// mark, and an MCP server states it in its answer.
fn looks_failed(observation: &str, text: &str) -> bool {
    match observation {
        "edit" | "read" | "write" | "run_ipython" => ["ERROR:\n", "ERROR: "].iter().any(|mark| text.starts_with(mark)),
        "mcp" => Indexed::of(text.trim()).is_some_and(|json| {
            let answer: Fields<'_> = json.raw().object().unwrap_or_default();
            answer.get("isError").is_some_and(|flag| flag.get() == "true")
        }),
        _ => false,
    }
}

/// Whether a command ended with an exit code other than 0. The code -1 means that it still runs.
fn has_failed(extras: &Extras<'_>) -> bool {
    let code = extras.metadata.exit_code.as_ref().and_then(Json::as_i64);
    let code = code.or_else(|| extras.exit_code?.parse());
    code.is_some_and(|code| code != 0 && code != -1)
}
