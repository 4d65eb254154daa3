"""The dialect of OpenAI Responses."""

import base64
import json
import re

from .exchange import Call, Message, Request, joined, pieces

NAME = "openai_responses"
PATH = re.compile(r"/responses$")
CACHE_WRITES = False


def request(body, _path):
    given = body.get("input") or []
    if isinstance(given, str):
        given = [{"type": "message", "role": "user", "content": given}]
    messages = []
    for item in given:
        kind = item.get("type", "message")
        if kind == "message":
            messages.append(Message(item["role"], joined(item.get("content"))))
        elif kind == "function_call":
            call = Call(item["call_id"], item["name"], json.loads(item["arguments"]))
            messages.append(Message("assistant", calls=[call]))
        elif kind == "custom_tool_call":
            messages.append(Message("assistant", calls=[Call(item["call_id"], item["name"], item["input"])]))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            messages.append(Message("tool", results={item["call_id"]: joined(item.get("output"))}))
    tools = [tool.get("name") or tool["type"] for tool in body.get("tools") or []]
    written = [message.text for message in messages if message.role in ("system", "developer")]
    system = body.get("instructions") or "".join(written)
    return Request(body.get("model", ""), bool(body.get("stream")), tools, messages, system)


def whole(answer, _body):
    output = []
    if answer.thinking:
        output.append(
            {
                "type": "reasoning",
                "id": f"rs_{answer.id}",
                "summary": [{"type": "summary_text", "text": answer.thinking}],
                "encrypted_content": base64.b64encode(f"reasoning of {answer.id}".encode() * 6).decode(),
            }
        )
    if answer.text:
        content = [{"type": "output_text", "text": answer.text, "annotations": []}]
        output.append(
            {"type": "message", "id": f"msg_{answer.id}", "role": "assistant", "status": "completed", "content": content}
        )
    for call in answer.calls:
        output.append(
            {
                "type": "function_call",
                "id": f"fc_{call.id}",
                "call_id": call.id,
                "name": call.name,
                "arguments": json.dumps(call.arguments),
                "status": "completed",
            }
        )
    usage = answer.usage
    total = usage.input + usage.cache_read
    return {
        "id": answer.id,
        "object": "response",
        "created_at": 1_790_000_000,
        "model": answer.model,
        "status": "completed",
        "output": output,
        "usage": {
            "input_tokens": total,
            "input_tokens_details": {"cached_tokens": usage.cache_read},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": total + usage.output,
        },
    }


def events(reply, _body):
    """The server-sent events of a streamed response."""
    numbered = []

    def add(name, **data):
        numbered.append((name, json.dumps({"type": name, "sequence_number": len(numbered), **data})))

    add("response.created", response={**reply, "status": "in_progress", "output": [], "usage": None})
    for index, item in enumerate(reply["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        kind = item["type"]
        hidden = {"message": "content", "function_call": "arguments", "reasoning": "summary"}[kind]
        begun = {**item, hidden: "" if kind == "function_call" else []}
        add("response.output_item.added", output_index=index, item=begun)
        if kind == "message":
            part = item["content"][0]
            place["content_index"] = 0
            add("response.content_part.added", **place, part={**part, "text": ""})
            for piece in pieces(part["text"]):
                add("response.output_text.delta", **place, delta=piece)
            add("response.output_text.done", **place, text=part["text"])
            add("response.content_part.done", **place, part=part)
        elif kind == "function_call":
            for piece in pieces(item["arguments"]):
                add("response.function_call_arguments.delta", **place, delta=piece)
            add("response.function_call_arguments.done", **place, arguments=item["arguments"])
        else:
            part = item["summary"][0]
            place["summary_index"] = 0
            add("response.reasoning_summary_part.added", **place, part={**part, "text": ""})
            for piece in pieces(part["text"]):
                add("response.reasoning_summary_text.delta", **place, delta=piece)
            add("response.reasoning_summary_text.done", **place, text=part["text"])
            add("response.reasoning_summary_part.done", **place, part=part)
        add("response.output_item.done", output_index=index, item=item)
    add("response.completed", response=reply)
    return numbered
