"""The dialect of the Gemini API."""

import json
import re

from .exchange import Call, Message, Request, joined

NAME = "gemini_contents"
PATH = re.compile(r":(?:streamGenerateContent|generateContent)$")
CACHE_WRITES = False


def request(body, path):
    messages = []
    for sent in body.get("contents", []):
        message = Message("assistant" if sent.get("role") == "model" else "user")
        for part in sent.get("parts", []):
            if "functionCall" in part:
                call = part["functionCall"]
                message.calls.append(Call(call.get("id"), call["name"], call.get("args")))
            elif "functionResponse" in part:
                response = part["functionResponse"]
                message.results[response.get("id")] = result_text(response.get("response") or {})
            elif not part.get("thought"):
                message.text += part.get("text", "")
        messages.append(message)
    declared = [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations", [])]
    model, _, method = path.rsplit("/", 1)[-1].partition(":")
    system = joined((body.get("systemInstruction") or {}).get("parts"))
    return Request(model, method.startswith("stream"), [tool["name"] for tool in declared], messages, system)


def result_text(response):
    """The text of a result: the API wraps it in an object, under `output` or `error`."""
    text = response.get("output", response.get("error"))
    return text if isinstance(text, str) else json.dumps(response)


def whole(answer, _body):
    parts = [{"text": answer.thinking, "thought": True}] if answer.thinking else []
    parts += [{"text": answer.text}] if answer.text else []
    for call in answer.calls:
        function = {"name": call.name, "args": call.arguments, **({"id": call.id} if call.id else {})}
        parts.append({"functionCall": function, "thoughtSignature": "c2lnbmF0dXJl"})
    usage = answer.usage
    prompt = usage.input + usage.cache_read
    return {
        "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": prompt,
            "cachedContentTokenCount": usage.cache_read,
            "candidatesTokenCount": usage.output - usage.reasoning,
            "thoughtsTokenCount": usage.reasoning,
            "totalTokenCount": prompt + usage.output,
        },
        "modelVersion": answer.model,
        "responseId": answer.id,
    }


def events(reply, _body):
    """A chunk for each part; only the last has a reason to stop."""
    candidate = reply["candidates"][0]
    parts = candidate["content"]["parts"]
    for at, part in enumerate(parts):
        one = {"index": 0, "content": {"role": "model", "parts": [part]}}
        if at + 1 == len(parts):
            one["finishReason"] = candidate["finishReason"]
        yield None, json.dumps({**reply, "candidates": [one]})
