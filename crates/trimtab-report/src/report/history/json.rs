//! Histories as JSON.

use serde_json::{Map, Value as Json, json};
use trimtab_analysis::recording::{CallContent, CallHistory, ContentGroup, HeldPart, History, ToolHistory};
use trimtab_simulate::simulate::ResetCause;

use super::{HistoryPart, NamedHistory};

/// The history of one transcript.
pub(super) fn history(one: &NamedHistory, part: HistoryPart) -> Json {
    let History { trace, calls, tools, largest, content } = &one.history;
    let mut json = json!({
        "id": one.id,
        "file": one.file,
        "format": trace.format,
        "model": trace.model,
        "window": trace.window.map(|(window, _)| window),
        "counter": trace.counter.name,
        "overhead_source": trace.counter.overhead.word(),
        "model_calls": calls.len(),
    });
    let (key, value) = match part {
        HistoryPart::Calls => ("calls", (0..calls.len()).map(|at| call(&one.history, at)).collect()),
        HistoryPart::Content(_) => ("content", content.as_ref().map_or(Json::Null, content_json)),
        HistoryPart::Tools => ("tools", tools.iter().map(tool).collect()),
        HistoryPart::Largest => ("largest", largest.iter().map(held).collect()),
    };
    json[key] = value;
    json
}

fn call(history: &History, at: usize) -> Json {
    let CallHistory { recorded, counted, added, added_tokens, errors, inferred_errors, tools } = &history.calls[at];
    let trace = &history.trace;
    let size = trace.calls.get(at);
    let reset = trace.resets.iter().find(|reset| reset.call == at).map(|reset| cause(reset.cause));
    let cleared: usize = trace.clearings.iter().filter(|one| one.call == at).map(|one| one.results).sum();
    json!({
        "call": at,
        "run": size.map(|call| call.run),
        "tokens": size.map(|call| call.before),
        "overhead": size.map(|call| call.overhead),
        "counted": counted,
        "recorded": recorded,
        "added": added,
        "added_tokens": added_tokens,
        "errors": errors,
        "inferred_errors": inferred_errors,
        "tools": tools.iter().map(|(name, times)| (name.to_string(), json!(times))).collect::<Map<_, _>>(),
        "reset": reset,
        "cleared": cleared,
    })
}

/// The word for the cause of a reset.
const fn cause(cause: ResetCause) -> &'static str {
    match cause {
        ResetCause::Compaction(_) => "compaction",
        ResetCause::Cleared => "cleared",
        ResetCause::Unexplained => "unexplained",
    }
}

fn content_json(content: &CallContent) -> Json {
    json!({
        "call": content.call,
        "roles": content.roles.iter().map(group).collect::<Vec<_>>(),
        "tools": content.tools.iter().map(group).collect::<Vec<_>>(),
        "largest": content.largest.iter().map(held).collect::<Vec<_>>(),
    })
}

fn group(group: &ContentGroup) -> Json {
    json!({ "name": group.name, "messages": group.messages, "tokens": group.tokens })
}

fn tool(tool: &ToolHistory) -> Json {
    json!({
        "name": tool.name, "calls": tool.calls, "errors": tool.errors,
        "inferred_errors": tool.inferred_errors, "tokens": tool.tokens, "final_tokens": tool.final_tokens,
    })
}

fn held(part: &HeldPart) -> Json {
    json!({
        "message": part.message, "role": part.role, "kind": part.kind, "tool": part.tool, "tokens": part.tokens,
        "calls": part.calls, "preview": part.preview,
    })
}
