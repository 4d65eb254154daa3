"""The dialect of Anthropic Messages."""

import base64
import json
import re

from .exchange import Call, Message, Request, joined, pieces

NAME = "anthropic_messages"
PATH = re.compile(r"/messages$")
CACHE_WRITES = True


def request(body, _path):
    messages = []
    for sent in body.get("messages", []):
        content = sent.get("content") or []
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        message = Message(sent["role"])
        for block in content:
            kind = block.get("type")
            if kind == "text":
                message.text += block["text"] + "\n"
            elif kind == "tool_use":
                message.calls.append(Call(block["id"], block["name"], block["input"]))
            elif kind == "tool_result":
                message.results[block["tool_use_id"]] = joined(block.get("content"), "\n")
        messages.append(message)
    first = next((at for at, message in enumerate(messages) if message.role == "assistant"), len(messages))
    instructions = [message.text for message in messages[:first] if message.role == "system"]
    return Request(
        model=body.get("model", ""),
        streams=bool(body.get("stream")),
        # Tools that are only named are not in the context before the client looks them up.
        tools=[tool["name"] for tool in body.get("tools") or [] if not tool.get("defer_loading")],
        system="".join([joined(body.get("system")), *instructions]),
        messages=messages,
        thinks=(body.get("thinking") or {}).get("type") in ("enabled", "adaptive"),
    )


def whole(answer, _body):
    content = []
    if answer.thinking:
        signature = base64.b64encode(f"signature of {answer.id}".encode() * 4).decode()
        content.append({"type": "thinking", "thinking": answer.thinking, "signature": signature})
    if answer.text:
        content.append({"type": "text", "text": answer.text})
    for call in answer.calls:
        content.append({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
    usage = answer.usage
    return {
        "id": answer.id,
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": content,
        "stop_reason": "tool_use" if answer.calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.input,
            "cache_creation_input_tokens": usage.cache_write,
            "cache_read_input_tokens": usage.cache_read,
            "cache_creation": {"ephemeral_5m_input_tokens": usage.cache_write, "ephemeral_1h_input_tokens": 0},
            "output_tokens": usage.output,
        },
    }


def events(reply, _body):
    """The server-sent events of a streamed reply. Its first usage counts one token of output, as the API does."""
    usage = reply["usage"]
    begun = {**reply, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield event("message_start", message=begun)
    for index, block in enumerate(reply["content"]):
        kind = block["type"]
        if kind == "thinking":
            empty = {**block, "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": part} for part in pieces(block["thinking"])]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        elif kind == "text":
            empty = {**block, "text": ""}
            deltas = [{"type": "text_delta", "text": part} for part in pieces(block["text"])]
        else:
            empty = {**block, "input": {}}
            parts = pieces(json.dumps(block["input"]))
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        yield event("content_block_start", index=index, content_block=empty)
        for delta in deltas:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    stop = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=stop, usage={"output_tokens": usage["output_tokens"]})
    yield event("message_stop")


def event(name, **data):
    return name, json.dumps({"type": name, **data})
