"""Context policies in agents of LangChain."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ._adapter import PART, Adapter, Conversation, Messages, Options, PolicySource, apply, logger, missing
from ._session import Request, Stopped, Summarise
from ._trimtab import Summary

if TYPE_CHECKING or find_spec("langchain"):
    from langchain.agents.middleware import internal_call_transformer as internal
    from langchain.agents.middleware import types as t
    from langchain.tools import ToolRuntime
    from langchain_core import messages as m
    from langchain_core.language_models import BaseChatModel
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.tools import StructuredTool
    from langgraph.types import Command
    from typing_extensions import Unpack

    class _State(t.AgentState[Any], total=False):
        #: The saved conversation as text, since servers also send a state as JSON.
        trimtab: Annotated[str, t.PrivateStateAttr]

    Middleware = t.AgentMiddleware[t.AgentState[Any], Any, Any]
else:
    Middleware = missing("LangChain", "langchain")

#: The model of the request that is prepared, for summaries, and whether it is called asynchronously.
_MODEL: ContextVar[tuple[BaseChatModel, bool]] = ContextVar("_MODEL")
#: Blocks that the dialect has beside the content: reasoning, and copies of calls with the key of their arguments.
_REASONING = ("reasoning", "thinking", "redacted_thinking", "reasoning_content")
_CALLS = {"tool_use": "input", "tool_call": "args", "function_call": "arguments", "input_json_delta": "partial_json"}


class TrimtabMiddleware(Middleware):
    """Edits each request of an agent as a policy says; the messages in the state of the agent stay as they are.

    Put it last, so that it sees what other middleware has made of a request. A conversation is known by its thread and its first
    message; with a checkpointer, it is saved in the state of the thread. A rule that stops the run ends it with a reply that says why.
    Not every provider takes a system message that `inject … as system` adds in the middle of a conversation.
    """

    def __init__(self, policy: PolicySource, *, summarise: Summarise | Literal["model"] | None = None, **options: Unpack[Options]) -> None:
        """The summariser `model` is the model of the request."""
        self._adapter = Adapter(policy, "openai_chat", summarise=_by_model if summarise == "model" else summarise, **options)
        self.state_schema = _State
        self.tools = [StructuredTool.from_function(self._recall, name="recall")] if self._adapter.policy.offloads else []
        self.transformers = (internal.InternalCallTransformer,)

    def wrap_model_call(self, request: t.ModelRequest[Any], handler: Callable[[Any], Any]) -> t.ExtendedModelResponse[Any]:
        conversation = self._conversation(request.state, request.runtime, request.tools)
        _MODEL.set((request.model, False))
        try:
            prepared = conversation.before([*map(_element, _given(request))])
        except Stopped as stopped:
            return _saved(conversation, request, t.ModelResponse([m.AIMessage(str(stopped))]))
        response = handler(_edited(request, prepared))
        conversation.after(prepared, _reply(response))
        return _saved(conversation, request, response)

    async def awrap_model_call(self, request: t.ModelRequest[Any], handler: Callable[[Any], Any]) -> t.ExtendedModelResponse[Any]:
        conversation = self._conversation(request.state, request.runtime, request.tools)
        _MODEL.set((request.model, True))
        try:
            prepared = await conversation.abefore([*map(_element, _given(request))])
        except Stopped as stopped:
            return _saved(conversation, request, t.ModelResponse([m.AIMessage(str(stopped))]))
        response = await handler(_edited(request, prepared))
        await conversation.aafter(prepared, _reply(response))
        return _saved(conversation, request, response)

    def _conversation(self, state: Mapping[str, Any], runtime: Any, tools: Iterable[Any] = ()) -> Conversation:
        key = f"{getattr(runtime.execution_info, 'thread_id', None) or ''}.{next((message.id for message in state['messages']), '')}"
        return self._adapter.conversation(key, state.get("trimtab"), [name for name in map(_name, tools) if name])

    def _recall(self, id: Annotated[str, "The id in the placeholder."], runtime: ToolRuntime[Any, Any]) -> str:
        """Returns the full content of a tool result that was moved out of the context. The placeholder in its place names the id."""
        return self._conversation(runtime.state, runtime).recall(id)


def _name(tool: Any) -> Any:
    return tool.name if hasattr(tool, "name") else tool.get("name") or tool.get("function", {}).get("name")


def _saved(conversation: Conversation, request: t.ModelRequest[Any], response: t.ModelResponse[Any]) -> t.ExtendedModelResponse[Any]:
    saved = conversation.save_text() if getattr(request.runtime.execution_info, "thread_id", None) else None
    return t.ExtendedModelResponse(response, Command(update={"trimtab": saved}) if saved else None)


def _given(request: t.ModelRequest[Any]) -> list[Any]:
    return [*([request.system_message] if request.system_message else []), *request.messages]


def _edited(request: t.ModelRequest[Any], prepared: Request[Messages] | None) -> t.ModelRequest[Any]:
    if prepared is None:
        return request
    try:
        after = apply(_given(request), prepared.edits, _replaced, lambda text: m.convert_to_messages([json.loads(text)])[0])
    except Exception:
        logger.exception("the edits of a request cannot be applied; it is sent without them")
        return request
    kept = [edit.index for edit in prepared.edits if edit.kind != "remove"]
    first = int(request.system_message is not None and kept[0] == 0)
    # What rules add to the system prompt comes as system messages. A summary at the start is a message of the user.
    last = next((at for at in range(first, len(kept)) if kept[at] is not None or after[at].type != "system"), first)
    prompt = after[0] if last else None
    if last > 1:
        texts = [message.text for message in after[:last]]
        parts = [*after[0].content, *({"type": "text", "text": text} for text in texts[1:])]
        prompt = after[0].model_copy(update={"content": "\n\n".join(texts) if isinstance(after[0].content, str) else parts})
    tools = [tool for tool in request.tools if _name(tool) not in prepared.hidden_tools]
    return request.override(system_message=prompt, messages=after[last:], tools=tools)


def _element(message: Any) -> dict[str, Any]:
    """A message in the dialect. The blocks of its content have their index in it."""
    element: dict[str, Any] = {"role": {"ai": "assistant"}.get(message.type, message.type), "content": message.content}
    if not isinstance(message.content, str):
        blocks = [*map(_block, message.content)]
        thoughts = [block.get("thinking") or block.get("reasoning") or block for block in blocks if block.get("type") in _REASONING]
        parts = [{**block, PART: at} for at, block in enumerate(blocks) if block.get("type") not in (*_REASONING, *_CALLS)]
        element |= {"content": parts, "reasoning_content": "\n".join(map(str, thoughts))}
    if isinstance(message, m.ToolMessage):
        element |= {"tool_call_id": message.tool_call_id, "is_error": message.status == "error"}
    if isinstance(message, m.AIMessage):
        calls: list[tuple[Any, str]] = [(call, json.dumps(call["args"], ensure_ascii=False)) for call in message.tool_calls]
        calls += [(call, call["args"] or "") for call in message.invalid_tool_calls]
        element["tool_calls"] = [{"id": call["id"], "function": {"name": call["name"], "arguments": text}} for call, text in calls]
    return element


def _block(block: Any) -> dict[str, Any]:
    if isinstance(block, str) or block.get("type") != "image":
        return {"type": "text", "text": block} if isinstance(block, str) else block
    image = block.get("source", block)
    data, kind = image.get("base64") or image.get("data"), image.get("mime_type") or image.get("media_type")
    return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}" if data else image.get("url", "")}}


def _replaced(message: Any, text: str) -> Any:
    old, new = _element(message), json.loads(text)
    calls = zip(old.get("tool_calls", ()), new.get("tool_calls", ()), strict=True)
    edited = {call["id"]: json.loads(call["function"]["arguments"]) for before, call in calls if call != before}
    update: dict[str, Any] = {"content": new["content"] or ""}
    if edited:
        update["tool_calls"] = [{**call, "args": edited.get(call["id"], call["args"])} for call in message.tool_calls]
    if not isinstance(message.content, str) and not (new["content"] and isinstance(new["content"], str)):
        pieces = [(piece.pop(PART, -1), piece) for piece in new["content"] or ()]
        blocks = [(at, message.content[at] if at >= 0 and piece == _block(message.content[at]) else piece) for at, piece in pieces]
        beside = _CALLS if old["reasoning_content"] and not new.get("reasoning_content") else (*_REASONING, *_CALLS)
        for at, block in enumerate(map(_block, message.content)):
            key, id = _CALLS.get(block.get("type", "")), block.get("call_id") or block.get("id")
            if key and id in edited:
                blocks.append((at, {**block, key: json.dumps(edited[id]) if isinstance(block[key], str) else edited[id]}))
            elif block.get("type") in beside:
                blocks.append((at, message.content[at]))
        update["content"] = [block for _, block in sorted(blocks, key=lambda block: block[0])]
    return message.model_copy(update=update)


def _reply(response: t.ModelResponse[Any]) -> dict[str, Any]:
    reply = next((message for message in response.result if isinstance(message, m.AIMessage)), m.AIMessage(""))
    body: dict[str, Any] = {"choices": [{"message": _element(reply)}], "model": reply.response_metadata.get("model_name")}
    if usage := reply.usage_metadata:
        cache = usage.get("input_token_details", {})
        body["usage"] = {"prompt_tokens": usage["input_tokens"], "completion_tokens": usage["output_tokens"]}
        body["usage"] |= {"cache_read_input_tokens": cache.get("cache_read"), "cache_creation_input_tokens": cache.get("cache_creation")}
    return body


def _by_model(summary: Summary) -> str | Awaitable[str]:
    model, is_asynchronous = _MODEL.get()
    messages = list(zip(("system", "human"), summary.prompt(), strict=True))
    config: Any = {"tags": ["nostream"], "metadata": {"lc_source": "summarization", **internal.internal_call_metadata()}}
    writer = model | StrOutputParser()
    return writer.ainvoke(messages, config) if is_asynchronous else writer.invoke(messages, config)
