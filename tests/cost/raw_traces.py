"""The model calls of traces, whose records are events or spans: OpenHands, OpenTelemetry and Inspect."""

import io
import json
import zipfile

from raw_json import count, documents, openai, walk


def openhands(text):
    """A response is recorded with each of its actions, or in metrics with its id."""
    calls, models = {}, {}
    for document in documents(text):
        for holder, model in walk(document):
            response = (holder.get("tool_call_metadata") or {}).get("model_response")
            if isinstance(response, dict) and response.get("usage"):
                calls[response["id"]] = (response.get("model"), openai(response["usage"]))
            for usage in holder.get("token_usages") or []:
                if usage.get("response_id"):
                    read, write = count(usage, "cache_read_tokens"), count(usage, "cache_write_tokens")
                    kinds = (usage["prompt_tokens"] - read - write, write, 0, read, count(usage, "completion_tokens"))
                    calls.setdefault(usage["response_id"], (usage.get("model"), kinds))
    return list(calls.values())


SPAN_TOKENS = {
    "input": ("gen_ai.usage.input_tokens", "llm.token_count.prompt", "ai.usage.inputTokens", "ai.usage.promptTokens"),
    "output": ("gen_ai.usage.output_tokens", "llm.token_count.completion", "ai.usage.outputTokens"),
    "read": ("gen_ai.usage.cache_read.input_tokens", "ai.usage.cachedInputTokens"),
    "write": ("gen_ai.usage.cache_creation.input_tokens",),
}


def otel(text):
    """The innermost spans with tokens: a span around a call may repeat them."""
    spans = {}
    for document in documents(text):
        for holder, _ in walk(document):
            context = holder.get("spanContext") or holder.get("context") or holder
            span = context.get("spanId") or context.get("span_id")
            if span and "attributes" in holder:
                spans[span] = (holder, attributes(holder["attributes"]))
    counts = {span: tokens(values) for span, (_, values) in spans.items()}
    parents = {span: parent(holder) for span, (holder, _) in spans.items()}
    around = {parents[span] for span, found in counts.items() if found}
    calls = []
    for span, (_, values) in spans.items():
        # The Vercel AI SDK calls a model in operations such as `ai.generateText.doGenerate`.
        operation = values.get("ai.operationId", ".do")
        if counts[span] and span not in around and ".do" in operation:
            model = values.get("gen_ai.response.model") or values.get("gen_ai.request.model")
            calls.append((model, counts[span]))
    return calls


def parent(holder):
    context = holder.get("parentSpanContext") or {}
    return holder.get("parentSpanId") or holder.get("parent_id") or context.get("spanId")


def attributes(raw):
    if isinstance(raw, dict):
        return raw
    return {entry["key"]: next(iter(entry["value"].values()), None) for entry in raw}


def tokens(values):
    found = {kind: next((int(values[key]) for key in keys if key in values), 0) for kind, keys in SPAN_TOKENS.items()}
    if not found["input"]:
        return None
    uncached = found["input"] - found["read"] - found["write"]
    return uncached, found["write"], 0, found["read"], found["output"]


def inspect(data):
    """The model events of each sample outside its scorers; without events, the output of the sample."""
    calls = []
    for sample in samples(data):
        pooled = sample.get("events") or []
        events = [event for event in pooled if event.get("event") == "model" and event.get("output")]
        if not events:
            calls += output_call(sample.get("output") or {})
        scored = scorer_events(pooled)
        for event in events:
            if id(event) not in scored:
                calls += output_call(event["output"])
    return calls


def scorer_events(events):
    """The events in the span of a scorer, or in older logs between the steps of one."""
    spans, found, steps = scorer_spans(events), set(), 0
    for event in events:
        if event.get("event") == "step" and event.get("type") == "scorer":
            steps += 1 if event["action"] == "begin" else -1
        if steps or event.get("span_id") in spans:
            found.add(id(event))
    return found


def output_call(output):
    usage = output.get("usage")
    if not usage:
        return []
    read, write = count(usage, "input_tokens_cache_read"), count(usage, "input_tokens_cache_write")
    # Whether the input includes the cache depends on the provider; the total always does.
    uncached = usage["total_tokens"] - usage["output_tokens"] - read - write
    return [(output.get("model"), (uncached, write, 0, read, usage["output_tokens"]))]


def samples(data):
    if isinstance(data, str):
        return json.loads(data).get("samples") or []
    archive = zipfile.ZipFile(io.BytesIO(data))
    names = [name for name in archive.namelist() if name.startswith("samples/")]
    return [json.loads(archive.read(name)) for name in names]


def scorer_spans(events):
    """The spans of scorers and all spans in them."""
    begun = {event["id"]: event for event in events if event.get("event") == "span_begin"}
    found = set()
    for span in begun:
        at, seen = span, set()
        while at in begun and at not in seen:
            seen.add(at)
            if begun[at].get("type") in ("scorer", "scorers"):
                found.add(span)
            at = begun[at].get("parent_id")
    return found
