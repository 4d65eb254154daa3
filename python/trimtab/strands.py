"""Context policies in agents of Strands."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import AsyncGenerator, Iterable
from contextvars import ContextVar
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, cast
from weakref import WeakSet

from ._adapter import PART, Adapter, Conversation, Messages, Options, PolicySource, apply, logger, missing
from ._session import Request, Stopped, Summarise
from ._trimtab import Summary

if TYPE_CHECKING or find_spec("strands"):
    from strands import ToolContext, tool  # pyright: ignore[reportUnknownVariableType]
    from strands.hooks import BeforeInvocationEvent, HookRegistry
    from strands.middleware import InvokeModelContext, InvokeModelStage, MiddlewareNext, ModelStopReason, TypedEvent
    from strands.models import Model
    from typing_extensions import Unpack

    Hook = object
else:
    Hook = missing("Strands", "strands")

#: The model for summaries of the agent whose request is prepared.
_MODEL: ContextVar[Model] = ContextVar("_MODEL")


class TrimtabHook(Hook):
    """Edits each request of an agent as a policy says; the messages of the agent, and those that it saves, stay as they are.

    Give it to an agent as one of its `hooks`, with a conversation manager that removes nothing, such as `NullConversationManager`. A
    conversation is known by its session and agent, and saved as `trimtab` in the state of the agent. A rule that stops the run ends it
    with the stop reason `cancelled` and a message that says why. The system prompt is not seen by the policy. Messages of one role that
    edits bring together become one, since Bedrock takes no others. `Agent.structured_output` and `BidiAgent` call the model without it.
    """

    def __init__(self, policy: PolicySource, *, summarise: Summarise | Literal["model"] | None = None, **options: Unpack[Options]) -> None:
        """The summariser `model` is `Agent.aux_model`."""
        self._adapter = Adapter(policy, "anthropic_messages", summarise=_by_model if summarise == "model" else summarise, **options)
        self._agents: WeakSet[Any] = WeakSet()

    def register_hooks(self, registry: HookRegistry, **kwargs: Any) -> None:
        registry.add_callback(BeforeInvocationEvent, self._attach)

    def _attach(self, event: BeforeInvocationEvent) -> None:
        agent: Any = event.agent
        if agent not in self._agents:
            self._agents.add(agent)
            # Behind what else changes a request.
            agent.add_middleware(InvokeModelStage, self._call)
            if self._adapter.policy.offloads and "recall" not in agent.tool_names:
                agent.tool_registry.process_tools([tool(name="recall", context=True)(self._recall)])

    def _recall(self, id: str, tool_context: ToolContext[Any]) -> str:
        """Returns the full content of a tool result that was moved out of the context. The placeholder in its place names the id."""
        return self._conversation(tool_context.agent).recall(id)

    def _conversation(self, agent: Any, tools: list[str] | None = None) -> Conversation:
        return self._adapter.conversation(f"{agent.session_id}/{agent.agent_id}", agent.state.get("trimtab"), tools)

    async def _call(self, context: InvokeModelContext, call: MiddlewareNext[Any, TypedEvent]) -> AsyncGenerator[TypedEvent, None]:
        agent: Any = context.agent
        conversation = self._conversation(agent, [tool["name"] for tool in context.tool_specs])
        _MODEL.set(agent.aux_model)
        request, sent = None, context
        try:
            request, sent = await _prepared(conversation, context)
        except Stopped as stopped:
            _save(agent, conversation)
            usage: Any = dict.fromkeys(("inputTokens", "outputTokens", "totalTokens"), 0)
            yield ModelStopReason("cancelled", {"role": "assistant", "content": [{"text": str(stopped)}]}, usage, {"latencyMs": 0})
            return
        except Exception:
            logger.exception("the request is sent without the policy %s", self._adapter.policy.name)
        async for event in call(sent):
            # What a cancelled call has left is no reply; the next request shows it.
            if isinstance(event, ModelStopReason) and event.stop_reason != "cancelled":
                await conversation.aafter(request, _reply(context.model, event))
                _save(agent, conversation)
            yield event


def _save(agent: Any, conversation: Conversation) -> None:
    if saved := conversation.save_text():
        agent.state.set("trimtab", saved)


async def _prepared(conversation: Conversation, context: InvokeModelContext) -> tuple[Request[Messages] | None, InvokeModelContext]:
    messages: list[Any] = list(context.messages)
    brief: list[Any] = []
    if count := context.dynamic_trailing_blocks:
        # Blocks for this call alone are no part of the history.
        blocks = messages[-1]["content"]
        messages[-1], brief = {**messages[-1], "content": blocks[:-count]}, blocks[-count:]
    request = await conversation.abefore([{"role": message["role"], "content": _numbered(message["content"])} for message in messages])
    if request is None:
        return None, context
    changes: dict[str, Any] = {}
    if any(edit.kind != "keep" for edit in request.edits):
        changes["messages"] = _edited(messages, request, brief)
    if request.prompt_additions:
        prompt = [{"text": context.system_prompt}] if isinstance(context.system_prompt, str) else context.system_prompt or []
        changes["system_prompt"] = [*prompt, *({"text": text} for text in request.prompt_additions)]
    if request.hidden_tools:
        hidden = {*request.hidden_tools} - {cast(Any, context.tool_choice or {}).get("tool", {}).get("name")}
        changes["tool_specs"] = [tool for tool in context.tool_specs if tool["name"] not in hidden]
    return request, context.replace(**changes) if changes else context


def _edited(messages: list[Any], request: Request[Messages], brief: list[Any]) -> list[Any]:
    last: dict[str, Any] = {"content": []}

    def replaced(old: dict[str, Any], text: str) -> dict[str, Any]:
        nonlocal last
        last = old
        return {**old, "content": _blocks(old["content"], json.loads(text)["content"])}

    def inserted(text: str) -> dict[str, Any]:
        # After a message that was added inside of another one, this is the rest of the other one.
        return {"role": (new := json.loads(text))["role"], "content": _blocks(last["content"], new["content"])}

    places = (edit.index for edit in request.edits if edit.kind != "remove")
    edited = [*zip(places, apply(messages, request.edits, replaced, inserted), strict=True)]
    joined: list[Any] = []
    before: int | None = None
    for place, message in [*edited, (None, {"role": "user", "content": brief})] if brief else edited:
        if joined and joined[-1]["role"] == message["role"] and (before is None or place != before + 1):
            message = {**joined[-1], **message, "content": [*joined.pop()["content"], *message["content"]]}
        joined.append(message)
        before = place
    return joined


async def _by_model(summary: Summary) -> str:
    system, text = summary.prompt()
    stream = _MODEL.get().stream([{"role": "user", "content": [{"text": text}]}], system_prompt=system)
    return "".join([event.get("contentBlockDelta", {}).get("delta", {}).get("text", "") async for event in stream])


def _numbered(blocks: Iterable[Any]) -> list[dict[str, Any]]:
    return [{**_block(block), PART: number} for number, block in enumerate(blocks)]


def _block(block: dict[str, Any]) -> dict[str, Any]:
    match block:
        case {"text": text}:
            return {"type": "text", "text": text}
        case {"json": value}:
            return {"type": "text", "text": json.dumps(value, ensure_ascii=False)}
        case {"toolUse": use}:
            return {"type": "tool_use", "id": use["toolUseId"], "name": use["name"], "input": use["input"]}
        case {"toolResult": {"toolUseId": id, "content": content, **rest}}:
            return {"type": "tool_result", "tool_use_id": id, "is_error": rest.get("status") == "error", "content": _numbered(content)}
        case {"reasoningContent": {"reasoningText": text}}:
            return {"type": "thinking", "thinking": text.get("text", ""), "signature": text.get("signature") or ""}
        case {"reasoningContent": {"redactedContent": data}}:
            return {"type": "redacted_thinking", "data": b64encode(data).decode()}
        case {"image": {"format": kind, "source": {"bytes": data}}}:
            return {"type": "image", "source": {"type": "base64", "media_type": f"image/{kind}", "data": b64encode(data).decode()}}
        case _:
            # What no rule changes, such as documents and cache points.
            return {"type": next(iter(block)), "content": json.loads(json.dumps(block, default=lambda data: f"{len(data)} bytes"))}


def _blocks(old: list[Any], content: Any) -> list[Any]:
    """The blocks of an edited content. Those without an edit are the same objects."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    after: list[Any] = []
    for block in blocks:
        # A text in place of an image has no number.
        part: dict[str, Any] = old[block.pop(PART)] if PART in block else {}
        if not part or block != _block(part):
            if block["type"] == "tool_use":
                part = {"toolUse": {**part["toolUse"], "input": block["input"]}}
            elif block["type"] == "tool_result":
                part = {"toolResult": {**part["toolResult"], "content": _blocks(part["toolResult"]["content"], block["content"])}}
            else:
                part = {"text": block["text"]}
        after.append(part)
    return after


def _reply(model: Model, event: ModelStopReason) -> dict[str, Any]:
    usage, read, write = event.usage, event.usage.get("cacheReadInputTokens", 0), event.usage.get("cacheWriteInputTokens", 0)
    # Some providers report the cache as a part of the input.
    cached = read + write if usage["inputTokens"] + usage["outputTokens"] == usage["totalTokens"] else 0
    counts = {"input_tokens": max(usage["inputTokens"] - cached, 0), "output_tokens": usage["outputTokens"]}
    counts |= {"cache_read_input_tokens": read, "cache_creation_input_tokens": write}
    config: Any = model.get_config()
    reply = {"role": "assistant", "content": _numbered(event.message["content"]), "usage": counts if usage["totalTokens"] else None}
    return {**reply, "model": config.get("model_id") if hasattr(config, "get") else None}
