"""The model calls that recordings state, read from their raw records without any code of Trimtab.

`calls_of` returns the calls of a file as pairs of a model, which may be unknown, and the tokens (uncached input, cache write,
the part of it for an hour, cache read, output). SWE-agent records totals only.
"""

import json
import re

import raw_traces
from raw_json import anthropic, count, documents, openai, records, walk


def claude_code(text):
    """Records of one message are one call, with the largest output."""
    calls = {}
    for at, record in enumerate(claude_records(text)):
        # A sub-agent's turns may be wrapped in records of its progress.
        agent = record.get("parent_tool_use_id")
        if record.get("type") == "progress" and isinstance(record.get("data"), dict):
            agent = record["data"].get("agentId")
            record = record["data"].get("message") or {}
        message = record.get("message") if isinstance(record, dict) else None
        if not isinstance(message, dict) or "assistant" not in (record.get("type"), message.get("role")):
            continue
        if message.get("model") == "<synthetic>" or not message.get("usage"):
            continue
        key = (agent, record.get("isSidechain"), message.get("id") or at, record.get("requestId"))
        usage = anthropic(message["usage"])
        if key not in calls or usage[4] >= calls[key][0][1][4]:
            calls[key] = [(message.get("model"), usage), *inner_calls(message["usage"], message.get("model"))]
    return [call for response in calls.values() for call in response]


def inner_calls(usage, model):
    """Calls that the provider bills besides the reply: of a compaction, or of another model."""
    inner = [one for one in usage.get("iterations") or [] if one.get("type", "message") != "message"]
    return [(one.get("model") or model, anthropic(one)) for one in inner]


def claude_records(text):
    for document in documents(text):
        inner = document.get("loglines") if isinstance(document, dict) else document
        for record in inner if isinstance(inner, list) else [document]:
            if isinstance(record, dict):
                yield record


def codex(text):
    """Each `token_count` with another total than the one before it states a call."""
    calls, model, last = [], None, None
    for record in records(text):
        payload = record.get("payload") or {}
        if record.get("type") == "turn_context":
            model = payload.get("model") or model
        if record.get("type") == "event_msg" and payload.get("type") == "token_count" and payload.get("info"):
            info = payload["info"]
            total = json.dumps(info.get("total_token_usage"), sort_keys=True)
            if total != last:
                usage = info["last_token_usage"]
                read = usage.get("cached_input_tokens") or 0
                calls.append((model, (usage["input_tokens"] - read, 0, 0, read, usage["output_tokens"])))
            last = total
    return calls


def opencode(text):
    calls = []
    for message in json.loads(text)["messages"]:
        info = message["info"]
        for part in message["parts"]:
            if part.get("type") == "step-finish":
                tokens = part["tokens"]
                cache = tokens.get("cache") or {}
                # The output contains the reasoning, in newer versions in the total only.
                context = tokens["input"] + count(cache, "write") + count(cache, "read")
                output = max(tokens["output"], count(tokens, "total") - context)
                usage = (tokens["input"], count(cache, "write"), 0, count(cache, "read"), output)
                calls.append((info.get("modelID"), usage))
    return calls


def pi(text):
    calls = []
    for record in records(text):
        message = record.get("message") or {}
        if record.get("type") == "message" and message.get("role") == "assistant" and message.get("usage"):
            calls.append((message.get("model"), pi_usage(message["usage"])))
        if record.get("type") in ("compaction", "branch_summary") and record.get("usage"):
            calls.append((None, pi_usage(record["usage"])))
    return calls


def pi_usage(usage):
    return count(usage, "input"), count(usage, "cacheWrite"), 0, count(usage, "cacheRead"), count(usage, "output")


def openclaw(text):
    """The end of each turn repeats the messages of its session."""
    calls = {}
    for record in records(text):
        for message in record.get("messages") or []:
            if message.get("role") == "assistant" and message.get("usage"):
                key = (record.get("sessionKey"), json.dumps(message, sort_keys=True))
                calls[key] = (message.get("model"), pi_usage(message["usage"]))
    return list(calls.values())


def anthropic_messages(text):
    """Usage of a reply or of a response; that of Cline includes what is cached."""
    calls = []
    for document in documents(text):
        for holder, model in walk(document):
            if isinstance(holder.get("usage"), dict):
                calls.append((model, anthropic(holder["usage"])))
                calls += inner_calls(holder["usage"], model)
            elif isinstance(holder.get("metrics"), dict):
                usage = holder["metrics"]
                read, write = count(usage, "cacheReadTokens"), count(usage, "cacheWriteTokens")
                uncached = max(0, count(usage, "inputTokens") - read - write)
                model = (holder.get("modelInfo") or {}).get("id") or model
                calls.append((model, (uncached, write, 0, read, count(usage, "outputTokens"))))
    return calls


def openai_chat(text):
    calls = []
    for document in documents(text):
        for holder, model in walk(document):
            if isinstance(holder.get("usage"), dict):
                calls.append((model, openai(holder["usage"])))
    return calls


def mini_swe_agent(text):
    return [call for call in openai_chat(text) if sum(call[1][:4])]


def openai_responses(text):
    calls = []
    for document in documents(text):
        for holder, model in walk(document):
            if isinstance(holder.get("usage"), dict):
                usage = holder["usage"]
                read = count(usage.get("input_tokens_details") or {}, "cached_tokens")
                calls.append((model, (usage["input_tokens"] - read, 0, 0, read, usage["output_tokens"])))
    return calls


def gemini_chat(text):
    """Messages with the same id are versions of one message, of which the last counts."""
    calls = {}
    for document in documents(text):
        for at, message in enumerate(document.get("messages") or [document]):
            tokens = message.get("tokens")
            if message.get("type") == "gemini" and tokens:
                read = count(tokens, "cached")
                output = count(tokens, "output") + count(tokens, "thoughts")
                calls[message.get("id", at)] = (message.get("model"), (tokens["input"] - read, 0, 0, read, output))
    return list(calls.values())


def gemini_contents(text):
    calls = []
    for document in documents(text):
        for holder, _ in walk(document):
            usage = holder.get("usageMetadata") or holder.get("usage_metadata")
            if usage:
                read = count(usage, "cachedContentTokenCount")
                output = count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount")
                calls.append((holder.get("modelVersion"), (usage["promptTokenCount"] - read, 0, 0, read, output)))
    return calls


def copilot(text):
    """The recorded API calls, and those that wrote the summaries of compactions. Older versions have totals for other calls."""
    calls = []
    for record in records(text):
        data = record.get("data") or {}
        usage = data.get("usage") if record.get("type") == "session.usage_record" else None
        if usage:
            read, write = count(usage, "cacheReadTokens"), count(usage, "cacheWriteTokens")
            uncached = count(usage, "inputTokens") - read - write
            calls.append((usage.get("model"), (uncached, write, 0, read, count(usage, "outputTokens"))))
        used = data.get("compactionTokensUsed")
        if used:
            read, write = count(used, "cachedInput") or count(used, "cacheReadTokens"), count(used, "cacheWriteTokens")
            whole = count(used, "input") or count(used, "inputTokens")
            output = count(used, "output") or count(used, "outputTokens")
            calls.append((used.get("model"), (whole - read - write, write, 0, read, output)))
    return calls


def atif(text):
    """Copied steps repeat calls of an earlier file; the metrics of several calls in one step are not those of a request."""
    calls, trajectories = [], documents(text)
    while trajectories:
        trajectory = trajectories.pop()
        trajectories += trajectory.get("subagent_trajectories") or []
        for step in trajectory["steps"]:
            metrics = step.get("metrics")
            if metrics and not step.get("is_copied_context") and step.get("llm_call_count", 1) == 1:
                read = count(metrics, "cached_tokens")
                write = count(metrics.get("extra") or {}, "cache_creation_input_tokens")
                uncached = metrics["prompt_tokens"] - read - write
                model = step.get("model_name") or (trajectory.get("agent") or {}).get("model_name")
                calls.append((model, (uncached, write, 0, read, count(metrics, "completion_tokens"))))
    return calls


def tau2(text):
    """The calls of the agent. The simulated user is another model, which the evaluation pays."""
    calls = []
    for document in documents(text):
        for simulation in document.get("simulations") or [document]:
            for message in simulation["messages"]:
                raw = message.get("raw_data") or {}
                usage = raw.get("usage") or message.get("usage")
                if message["role"] == "assistant" and usage:
                    calls.append((raw.get("model"), openai(usage)))
    return calls


def langchain(text):
    calls = []
    for document in documents(text):
        for holder, _ in walk(document):
            usage = holder.get("usage_metadata")
            if isinstance(usage, dict):
                details = usage.get("input_token_details") or {}
                read, write = count(details, "cache_read"), count(details, "cache_creation")
                model = (holder.get("response_metadata") or {}).get("model_name")
                calls.append((model, (usage["input_tokens"] - read - write, write, 0, read, usage["output_tokens"])))
    return calls


def aider(text):
    """Lines such as `> Tokens: 26k sent, 1.2k cache hit, 680 received.`"""
    calls, model = [], None
    for line in text.splitlines():
        named = re.match(r"> (?:Main model|Models?): (\S+)", line)
        model = named.group(1) if named else model
        if line.startswith("> Tokens:"):
            amounts = dict((kind, amount(number)) for number, kind in re.findall(
                r"([\d.,]+[kM]?) (sent|cache write|cache hit|received)", line))
            write, read = amounts.get("cache write", 0), amounts.get("cache hit", 0)
            calls.append((model, (amounts["sent"] - read - write, write, 0, read, amounts["received"])))
    return calls


def amount(number):
    scale = {"k": 1000, "M": 1_000_000}.get(number[-1], 1)
    return round(float(number.rstrip("kM").replace(",", "")) * scale)


def vercel(text):
    """Usage that the application stores with a message, if the message has one step."""
    calls = []
    for document in documents(text):
        for holder, _ in walk(document):
            metadata = holder.get("metadata")
            steps = [part for part in holder.get("parts") or [] if part.get("type") == "step-start"]
            if isinstance(metadata, dict) and isinstance(metadata.get("usage"), dict) and len(steps) <= 1:
                usage = metadata["usage"]
                read = count(usage, "cachedInputTokens")
                calls.append((metadata.get("model"), (usage["inputTokens"] - read, 0, 0, read, usage["outputTokens"])))
    return calls


def trimtab(text):
    calls, model = [], None
    for record in records(text):
        model = record.get("model") if "trimtab" in record else model
        record = record.get("harness_call") or record
        usage = record.get("usage")
        if usage:
            kinds = ("input", "cache_write", "cache_write_1h", "cache_read", "output")
            calls.append((record.get("model") or model, tuple(count(usage, kind) for kind in kinds)))
    return calls


def gemini_usage(usage, prompt, cached, candidates, thoughts):
    """Usage of the Gemini API under the names of a client."""
    read = count(usage, cached)
    return count(usage, prompt) - read, 0, 0, read, count(usage, candidates) + count(usage, thoughts)


def adk(text):
    names = ("prompt_token_count", "cached_content_token_count", "candidates_token_count", "thoughts_token_count")
    events = [event for document in documents(text) for event in document.get("events") or [] if not event.get("partial")]
    used = [event for event in events if event.get("usage_metadata")]
    return [(event.get("model_version"), gemini_usage(event["usage_metadata"], *names)) for event in used]


def qwen(text):
    """The thoughts are part of the candidates."""
    calls = []
    for record in records(text):
        usage = record.get("usageMetadata")
        if usage:
            used = gemini_usage(usage, "promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "")
            calls.append((record.get("model"), used))
    return calls


def beside_cache(usage, write, read):
    """Usage in the names of JavaScript clients, whose input excludes the cache."""
    return count(usage, "inputTokens"), count(usage, write), 0, count(usage, read), count(usage, "outputTokens")


def amp(text):
    messages = [message for document in documents(text) for message in document.get("messages") or []]
    used = [message["usage"] for message in messages if message.get("usage")]
    return [(usage.get("model"), beside_cache(usage, "cacheCreationInputTokens", "cacheReadInputTokens")) for usage in used]


def bedrock(text):
    calls = []
    for document in documents(text):
        usage = (document.get("response") or {}).get("usage")
        if usage:
            used = beside_cache(usage, "cacheWriteInputTokens", "cacheReadInputTokens")
            calls.append((document.get("modelId", "").removeprefix("anthropic.").removesuffix("-v1:0"), used))
    return calls


def continue_dev(text):
    calls = []
    for document in documents(text):
        for item in document.get("history") or []:
            usage = (item.get("message") or {}).get("usage")
            if usage:
                details = usage.get("promptTokensDetails") or {}
                read, write = count(details, "cachedTokens"), count(details, "cacheWriteTokens")
                uncached = count(usage, "promptTokens") - read - write
                used = (uncached, write, 0, read, count(usage, "completionTokens"))
                calls.append((document.get("chatModelTitle"), used))
    return calls


def pydantic_ai(text):
    calls = []
    for document in documents(text):
        for message in document if isinstance(document, list) else [document]:
            usage = message.get("usage")
            if usage:
                read, write = count(usage, "cache_read_tokens"), count(usage, "cache_write_tokens")
                uncached = count(usage, "input_tokens") - read - write
                calls.append((message.get("model_name"), (uncached, write, 0, read, count(usage, "output_tokens"))))
    return calls


READERS = {
    reader.__name__: reader
    for reader in (
        claude_code, codex, copilot, opencode, pi, openclaw, anthropic_messages, openai_chat, openai_responses, gemini_chat,
        gemini_contents, atif, tau2, mini_swe_agent, langchain, aider, vercel, trimtab,
        adk, qwen, amp, bedrock, pydantic_ai,
        raw_traces.openhands, raw_traces.otel, raw_traces.inspect,
    )
} | {"claude_stream": claude_code, "claude_web": claude_code, "continue": continue_dev}


def calls_of(path, kind):
    """The calls of a file in a format; a call whose record states no input is left out."""
    if kind not in READERS:
        return []
    content = path.read_bytes()
    data = content if content.startswith(b"PK") else content.decode(errors="replace")
    return [call for call in READERS[kind](data) if sum(call[1][index] for index in (0, 1, 3))]
