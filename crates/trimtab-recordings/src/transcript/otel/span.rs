//! Spans, in whatever way they were exported.

use serde::Deserialize;
use smol_str::SmolStr;

use super::attribute::Attributes;
use crate::transcript::record::{Input, Skipped};
use crate::transcript::time;
use crate::transcript::wire::{self, Count, List, Raw, Str};

/// A span with its events.
#[derive(Debug, Default)]
pub(super) struct Span {
    pub(super) trace: SmolStr,
    pub(super) id: SmolStr,
    pub(super) parent: SmolStr,
    pub(super) name: String,
    pub(super) start: Moment,
    pub(super) end: Moment,
    pub(super) attributes: Attributes,
    pub(super) events: Vec<(SmolStr, Attributes)>,
    pub(super) failed: bool,
}

/// A time, to sort by and as RFC 3339.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Moment {
    pub(super) nanos: i128,
    pub(super) text: Option<SmolStr>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireSpan<'a> {
    #[serde(borrow, rename = "traceId", alias = "trace_id")]
    trace: Str<'a>,
    #[serde(rename = "spanId", alias = "span_id")]
    span: Str<'a>,
    id: Str<'a>,
    #[serde(rename = "parentSpanId", alias = "parent_span_id", alias = "parent_id", alias = "parentId")]
    parent: Str<'a>,
    #[serde(rename = "spanContext", alias = "context", deserialize_with = "wire::lenient")]
    context: Context<'a>,
    #[serde(rename = "parentSpanContext", deserialize_with = "wire::lenient")]
    parent_context: Context<'a>,
    name: Str<'a>,
    #[serde(rename = "startTimeUnixNano", alias = "start_time_unix_nano", alias = "startTime", alias = "start_time")]
    start: Option<Raw<'a>>,
    #[serde(rename = "endTimeUnixNano", alias = "end_time_unix_nano", alias = "endTime", alias = "end_time")]
    end: Option<Raw<'a>>,
    #[serde(rename = "span_kind")]
    kind: Str<'a>,
    attributes: Option<Raw<'a>>,
    events: List<'a>,
    status: Option<Raw<'a>>,
    status_code: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Context<'a> {
    #[serde(borrow, rename = "traceId", alias = "trace_id")]
    trace: Str<'a>,
    #[serde(rename = "spanId", alias = "span_id")]
    span: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireEvent<'a> {
    #[serde(borrow)]
    name: Str<'a>,
    attributes: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Status<'a> {
    #[serde(borrow, alias = "status_code")]
    code: Str<'a>,
}

/// The groups of spans in OTLP, from the outside to the inside.
const GROUPS: [&str; 9] = [
    "resourceSpans",
    "resource_spans",
    "scopeSpans",
    "scope_spans",
    "instrumentationLibrarySpans",
    "spans",
    "batches",
    "data",
    "traces",
];

/// Finds the spans of a file, in the order in which they began.
pub(super) fn read_spans(input: &Input<'_>, skipped: &mut Skipped) -> Vec<Span> {
    let mut spans = Vec::new();
    for raw in input.deep_records(skipped) {
        add_spans(raw, 5, &mut spans, skipped);
    }
    spans.sort_by_key(|span| span.start.nanos);
    spans
}

fn add_spans<'a>(raw: Raw<'a>, depth: usize, spans: &mut Vec<Span>, skipped: &mut Skipped) {
    let fields: wire::Fields<'_> = raw.object().unwrap_or_default();
    let groups: Vec<_> = GROUPS.iter().filter_map(|key| fields.get(key)).filter(|raw| raw.is_array()).collect();
    let is_span = |raw: &Raw<'_>| raw.object::<wire::Fields<'_>>().is_some_and(|span| span.get("attributes").is_some());
    let has_spans = groups.is_empty() && fields.get("attributes").is_none();
    // Under a name there is a span, or a list of them.
    let under = |raw: Raw<'a>| if raw.is_array() { raw.elements().collect() } else { vec![raw] };
    let named = fields.0.iter().filter(|_| has_spans).flat_map(|(_, raw)| under(*raw));
    let named: Vec<_> = named.filter(is_span).collect();
    if !named.is_empty() {
        for raw in named {
            add_spans(raw, 0, spans, skipped);
        }
    } else if groups.is_empty() {
        if skipped.accepts(&raw) {
            match parse_span(raw) {
                Some(span) => spans.push(span),
                None => skipped.count("non-span record"),
            }
        }
    } else if depth > 0 {
        for raw in groups.into_iter().flat_map(Raw::elements) {
            add_spans(raw, depth - 1, spans, skipped);
        }
    }
}

fn parse_span(raw: Raw<'_>) -> Option<Span> {
    let wire: WireSpan<'_> = raw.object()?;
    let raw_attributes = wire.attributes?;
    let mut attributes = Attributes::of(raw_attributes.value());
    if let Some(kind) = wire.kind.get() {
        attributes.add_missing(&Attributes::of(serde_json::json!({ super::SPAN_KIND: kind })));
    }
    let id = |ids: [&Str<'_>; 3]| ids.into_iter().find_map(Str::non_empty).unwrap_or_default();
    let none = Str::default();
    let status: Status<'_> = wire::parse_or_default(wire.status.filter(|raw| raw.is_object()));
    let status_text = wire.status.filter(|raw| raw.is_string()).and_then(Raw::parse::<Str<'_>>);
    let codes = [status.code.as_str(), wire.status_code.as_str(), status_text.as_ref().map_or("", Str::as_str)];
    Some(Span {
        trace: id([&wire.context.trace, &wire.trace, &none]),
        id: id([&wire.context.span, &wire.span, &wire.id]),
        parent: id([&wire.parent_context.span, &wire.parent, &none]),
        name: wire.name.as_str().to_owned(),
        start: wire.start.map(parse_moment).unwrap_or_default(),
        end: wire.end.map(parse_moment).unwrap_or_default(),
        attributes,
        events: wire.events.0.iter().flatten().filter_map(|raw| parse_event(*raw)).collect(),
        failed: codes.iter().any(|code| matches!(*code, "2" | "ERROR" | "STATUS_CODE_ERROR" | "StatusCode.ERROR")),
    })
}

fn parse_event(raw: Raw<'_>) -> Option<(SmolStr, Attributes)> {
    let event: WireEvent<'_> = raw.object()?;
    let attributes = event.attributes.map(|raw| Attributes::of(raw.value())).unwrap_or_default();
    Some((event.name.non_empty()?, attributes))
}

/// Parses a time: RFC 3339, a number since the Unix epoch, or a list of seconds and nanoseconds.
fn parse_moment(raw: Raw<'_>) -> Moment {
    let parts: Vec<_> = raw.elements().filter_map(|raw| raw.parse::<Count>()?.0).collect();
    if let &[seconds, nanos] = parts.as_slice() {
        return at_nanos(i128::from(seconds) * 1_000_000_000 + i128::from(nanos));
    }
    let text = raw.parse::<Str<'_>>().and_then(|text| text.non_empty()).unwrap_or_default();
    if let Ok(number) = text.parse::<u64>() {
        return at_nanos(to_nanos(number));
    }
    let nanos = text.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_nanosecond);
    Moment { nanos: nanos.unwrap_or_default(), text: Some(text).filter(|text| !text.is_empty()) }
}

/// Nanoseconds, from a number of seconds, milliseconds, microseconds or nanoseconds since the Unix epoch. Between 1973
/// and 5138 they have different numbers of digits.
fn to_nanos(number: u64) -> i128 {
    let factor = match number {
        0..100_000_000_000 => 1_000_000_000,
        100_000_000_000..100_000_000_000_000 => 1_000_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1000,
        _ => 1,
    };
    i128::from(number) * factor
}

fn at_nanos(nanos: i128) -> Moment {
    let millis = u64::try_from(nanos / 1_000_000).unwrap_or_default();
    Moment { nanos, text: Some(millis).filter(|millis| *millis > 0).and_then(time::from_millis) }
}
