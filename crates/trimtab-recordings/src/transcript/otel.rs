//! OpenTelemetry traces of model calls: OTLP in JSON, dumps of the SDKs and of Phoenix.
//!
//! The span of each model call carries all its messages, so that a conversation is put together from what is new in each
//! call (see `history`). A conversation has a recorded id, or else is a trace; the calls of each agent in it are a
//! transcript of their own. Spans of agents, tools and others are skipped and counted; they tell which results failed.

mod attribute;
mod call;
mod message;
mod span;

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message};

use super::history::{Histories, ModelCall};
use super::record::{Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::{Format, ReadError, Reader, Transcript, error};
use span::Span;

/// Traces of OpenTelemetry.
pub(super) static OTEL: Format = Format {
    name: "otel",
    title: "OpenTelemetry",
    summary: "traces of OpenTelemetry as OTLP JSON, or dumped by an SDK or by Phoenix: GenAI, OpenInference, Traceloop and \
              Vercel attributes",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

/// The attribute with the kind of a span in `OpenInference`.
const SPAN_KIND: &str = "openinference.span.kind";

/// The attributes with the id of a conversation.
const CONVERSATION_IDS: [&str; 6] = [
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "ai.telemetry.metadata.sessionId",
];

fn sniff(sample: &Sample<'_>) -> bool {
    // A document may also have a span, or a list of spans, under each name.
    let has_spans = |record: &ShallowValue<'_>| match record {
        ShallowValue::Object(fields) => fields.0.iter().take(20).any(|(_, raw)| {
            let value = ShallowValue::of(*raw);
            is_record(&value) || value.elements(1).first().is_some_and(is_record)
        }),
        _ => false,
    };
    sample.records().iter().any(|record| is_record(record) || has_spans(record))
}

fn is_record(record: &ShallowValue<'_>) -> bool {
    let has_all = |keys: [&str; 2]| keys.iter().all(|key| record.has(key));
    ["resourceSpans", "resource_spans"].iter().any(|key| record.has(key))
        || ["spanContext", "context", "spanId", "span_id"].iter().any(|key| has_all([key, "attributes"]))
            && !record.has("role")
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let spans = span::read_spans(input, &mut skipped);
    if spans.is_empty() {
        return Err(error::no_record("otel", input));
    }
    let trace = Trace::of(&spans);
    let mut histories = Histories::default();
    for span in &spans {
        if !is_model_call(span) {
            skipped.count(&format!("span:{}", kind(span)));
            continue;
        }
        let call = trace.model_call(span);
        if call.input.is_empty() && call.reply.as_ref().is_none_or(|reply| reply.parts.is_empty()) {
            skipped.count("model call without content");
        } else {
            histories.add(call, &mut skipped);
        }
    }
    let mut transcripts = histories.into_transcripts();
    let failed = failed_calls(&spans);
    for message in transcripts.iter_mut().flat_map(|transcript| &mut transcript.messages) {
        mark_failed(message, &failed);
    }
    if transcripts.is_empty() {
        transcripts.push(Transcript::default());
    }
    if let Some(first) = transcripts.first_mut() {
        first.skipped = skipped.0;
    }
    Ok(transcripts)
}

/// Returns whether a span is a model call, and not that of an agent that repeats the messages of its calls.
fn is_model_call(span: &Span) -> bool {
    let attributes = &span.attributes;
    if let Some(kind) = attributes.text(&[SPAN_KIND]) {
        return kind.eq_ignore_ascii_case("llm");
    }
    if let Some(operation) = attributes.text(&["ai.operationId"]) {
        return [".doGenerate", ".doStream"].iter().any(|end| operation.ends_with(end));
    }
    if let Some(operation) = attributes.text(&["gen_ai.operation.name", "llm.request.type"]) {
        return matches!(operation, "chat" | "text_completion" | "completion" | "generate_content");
    }
    let has_prompt = attributes.has("gen_ai.prompt.0.role") || attributes.has("gen_ai.input.messages");
    has_prompt || span.events.iter().any(|(name, _)| name == "gen_ai.choice")
}

/// A short name for what a span records.
fn kind(span: &Span) -> String {
    let keys = ["gen_ai.operation.name", "ai.operationId", SPAN_KIND, "traceloop.span.kind"];
    span.attributes.text(&keys).map_or_else(|| "other".to_owned(), str::to_lowercase)
}

/// The links between spans.
struct Trace<'a>(HashMap<(&'a str, &'a str), &'a Span>);

impl<'a> Trace<'a> {
    fn of(spans: &'a [Span]) -> Self {
        Self(spans.iter().map(|span| ((span.trace.as_str(), span.id.as_str()), span)).collect())
    }

    /// A span and its ancestors, the nearest first.
    fn lineage(&self, span: &'a Span) -> impl Iterator<Item = &'a Span> {
        let parent = |span: &&'a Span| self.0.get(&(span.trace.as_str(), span.parent.as_str())).copied();
        // The links may form a cycle.
        std::iter::successors(Some(span), parent).take(100)
    }

    fn model_call(&self, span: &'a Span) -> ModelCall {
        let id = self.lineage(span).find_map(|span| span.attributes.text(&CONVERSATION_IDS));
        let mut complete = Span { attributes: span.attributes.clone(), ..Span::default() };
        // Newer conventions record the messages in an event.
        let details = span.events.iter().filter(|(name, _)| name == "gen_ai.client.inference.operation.details");
        for (_, attributes) in details {
            complete.attributes.add_missing(attributes);
        }
        complete.events.clone_from(&span.events);
        (complete.start, complete.end) = (span.start.clone(), span.end.clone());
        ModelCall {
            conversation: id.unwrap_or(&span.trace).to_owned(),
            agent: self.lineage(span).find_map(agent),
            input: call::input(&complete),
            reply: call::reply(&complete),
            tools: call::tools(&complete.attributes),
        }
    }
}

/// The agent that a span names.
fn agent(span: &Span) -> Option<SmolStr> {
    let attributes = &span.attributes;
    let is_agent = |key: &str| attributes.text(&[key]).is_some_and(|kind| kind.eq_ignore_ascii_case("agent"));
    let named = attributes.short_text(&["gen_ai.agent.name", "gen_ai.agent.id", "agent.name"]);
    let entity = || attributes.short_text(&["traceloop.entity.name"]).filter(|_| is_agent("traceloop.span.kind"));
    named.or_else(entity).or_else(|| Some(SmolStr::new(&span.name)).filter(|_| is_agent(SPAN_KIND)))
}

/// The ids of the tool calls whose spans have the status of an error.
fn failed_calls(spans: &[Span]) -> HashSet<SmolStr> {
    let keys = ["gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"];
    let failed = spans.iter().filter(|span| span.failed || span.attributes.has("error.type"));
    failed.filter_map(|span| span.attributes.short_text(&keys)).collect()
}

fn mark_failed(message: &mut Arc<Message>, failed: &HashSet<SmolStr>) {
    if !message.results().any(|result| failed.contains(&result.id)) {
        return;
    }
    for part in &mut Arc::make_mut(message).parts {
        if let Body::ToolResult(result) = &mut part.body {
            result.is_error |= failed.contains(&result.id);
        }
    }
}

#[cfg(test)]
mod tests;
