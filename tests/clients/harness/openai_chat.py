"""The dialect of OpenAI chat completions."""

import json
import re

from .exchange import Call, Message, Request, joined, pieces

NAME = "openai_chat"
PATH = re.compile(r"/chat/completions$")
CACHE_WRITES = False


def request(body, _path):
    messages = []
    for sent in body.get("messages", []):
        message = Message(sent["role"])
        if sent["role"] == "tool":
            message.results[sent["tool_call_id"]] = joined(sent.get("content"))
        else:
            message.text = joined(sent.get("content"))
        for call in sent.get("tool_calls") or []:
            function = call["function"]
            message.calls.append(Call(call["id"], function["name"], json.loads(function["arguments"])))
        messages.append(message)
    tools = [tool["function"]["name"] for tool in body.get("tools") or []]
    system = "".join(message.text for message in messages if message.role in ("system", "developer"))
    return Request(body.get("model", ""), bool(body.get("stream")), tools, messages, system)


def usage_of(usage):
    prompt = usage.input + usage.cache_read
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def whole(answer, _body):
    message = {"role": "assistant", "content": answer.text or None}
    if answer.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
            for call in answer.calls
        ]
    finish = "tool_calls" if answer.calls else "stop"
    return {
        "id": answer.id,
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": answer.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage_of(answer.usage),
    }


def events(reply, body):
    """The chunks of a streamed reply. The usage follows in a chunk of its own if the client asks for it."""
    head = {**{key: reply[key] for key in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    choice = reply["choices"][0]
    message = choice["message"]

    def chunk(delta, finish=None):
        return None, json.dumps({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield chunk({"role": "assistant", "content": ""})
    if message["content"]:
        for part in pieces(message["content"]):
            yield chunk({"content": part})
    for index, call in enumerate(message.get("tool_calls", [])):
        function = call["function"]
        yield chunk({"tool_calls": [{**call, "index": index, "function": {"name": function["name"], "arguments": ""}}]})
        for part in pieces(function["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield chunk({}, choice["finish_reason"])
    if (body.get("stream_options") or {}).get("include_usage"):
        yield None, json.dumps({**head, "choices": [], "usage": reply["usage"]})
    yield None, "[DONE]"
