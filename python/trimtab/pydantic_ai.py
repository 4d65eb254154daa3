"""Context policies in agents of Pydantic AI."""

from __future__ import annotations

import copy
import json
from contextvars import ContextVar
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from ._adapter import PART, Adapter, Options, PolicySource, logger, missing
from ._session import Stopped, Summarise
from ._trimtab import Edit, Summary

if TYPE_CHECKING or find_spec("pydantic_ai"):
    from pydantic_ai import FunctionToolset, RunContext, RunUsage, SkipModelRequest, UsageLimitExceeded
    from pydantic_ai import messages as m
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.direct import model_request
    from pydantic_ai.models import Model, ModelRequestContext, ModelRequestParameters
    from typing_extensions import Unpack

    Capability = AbstractCapability[Any]
else:
    Capability = missing("Pydantic AI", "pydantic-ai")

#: The model of the request that is prepared, which writes summaries, and the usage of its run.
_MODEL: ContextVar[tuple[Model, RunUsage]] = ContextVar("_MODEL")


class TrimtabCapability(Capability):
    """Edits each request of an agent as a policy says; the history that the agent keeps stays as it is.

    A conversation is known by its `conversation_id`. The policy does not see the system prompt and the instructions; they stay.
    A rule that stops the run ends it with the reason as the output or, if the output is no plain text, with UsageLimitExceeded.
    A message of the assistant that a rule adds at the end is sent as one of the user, since the framework rejects it there.
    """

    def __init__(self, policy: PolicySource, *, summarise: Summarise | Literal["model"] | None = None, **options: Unpack[Options]) -> None:
        """`summarise="model"` asks the model of the request for summaries, whose usage counts in the run."""
        self._adapter = Adapter(policy, "anthropic_messages", summarise=_by_model if summarise == "model" else summarise, **options)
        self._request: Any = None

    def save(self, conversation_id: str) -> bytes | None:
        """A conversation as data, to be stored with its messages; None before its first request. It contains the conversation."""
        return self._adapter.conversation(conversation_id).save()

    def restore(self, conversation_id: str, saved: bytes) -> None:
        """Continues a conversation that `save` has saved, unless it is known. Data of another policy is logged and ignored."""
        self._adapter.conversation(conversation_id, saved)

    async def for_run(self, ctx: RunContext[Any]) -> TrimtabCapability:
        return copy.copy(self)

    def get_toolset(self) -> FunctionToolset[Any] | None:
        return FunctionToolset([self.recall]) if self._adapter.policy.offloads else None

    async def recall(self, ctx: RunContext[Any], id: str) -> str:
        """Returns the full content of a tool result that was moved out of the context. The placeholder in its place names the id."""
        return self._adapter.conversation(ctx.conversation_id or "").recall(id)

    async def before_model_request(self, ctx: RunContext[Any], request_context: ModelRequestContext) -> ModelRequestContext:
        self._request, parameters = None, request_context.model_request_parameters
        if isinstance(request_context.messages[-1], m.ModelResponse):
            return request_context  # The provider goes on with a reply that it has suspended.
        _MODEL.set((request_context.model, ctx.usage))
        try:
            return await self._edited(ctx, request_context, parameters)
        except Stopped as stopped:
            if not parameters.allow_text_output or parameters.output_mode not in ("text", "tool"):
                raise UsageLimitExceeded(str(stopped)) from stopped
            raise SkipModelRequest(m.ModelResponse([m.TextPart(stopped.reason)], finish_reason="stop")) from stopped
        except Exception:
            logger.exception("the policy %s has failed; the request is sent without it", self._adapter.policy.name)
            return request_context

    async def _edited(self, ctx: RunContext[Any], context: ModelRequestContext, parameters: ModelRequestParameters) -> ModelRequestContext:
        tools = [tool.name for tool in parameters.function_tools]
        conversation = self._adapter.conversation(ctx.conversation_id or "", tools=tools)
        request = await conversation.abefore([_element(message) for message in context.messages])
        if request is None:
            return context
        if hidden := request.hidden_tools:
            parameters = replace(parameters, function_tools=[tool for tool in parameters.function_tools if tool.name not in hidden])
        if texts := request.prompt_additions:
            added = [m.InstructionPart(text, dynamic=True) for text in texts]
            parameters = replace(parameters, instruction_parts=[*(parameters.instruction_parts or []), *added])
        messages = _applied(context.messages, request.edits)
        self._request = request
        return replace(context, messages=messages, model_request_parameters=parameters)

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: m.ModelResponse
    ) -> m.ModelResponse:
        usage, read, write = response.usage, response.usage.cache_read_tokens, response.usage.cache_write_tokens
        # Here the cache is a part of the input.
        tokens = {"input_tokens": max(usage.input_tokens - read - write, 0), "output_tokens": usage.output_tokens}
        tokens |= {"cache_read_input_tokens": read, "cache_creation_input_tokens": write}
        reply = {**_element(response), "model": response.model_name, "usage": tokens if usage.has_values() else None}
        await self._adapter.conversation(ctx.conversation_id or "").aafter(self._request, reply)
        return response


async def _by_model(summary: Summary) -> str:
    model, usage = _MODEL.get()
    system, text = summary.prompt()
    response = await model_request(model, [m.ModelRequest([m.SystemPromptPart(system), m.UserPromptPart(text)])])
    usage.incr(response.usage)
    return response.text or ""


def _element(message: m.ModelMessage) -> dict[str, Any]:
    """A message as an Anthropic one."""
    blocks = [{**block, PART: number} for number, (_, _, block) in enumerate(_pieces(message))]
    return {"role": "assistant" if isinstance(message, m.ModelResponse) else "user", "content": blocks}


def _pieces(message: m.ModelMessage) -> list[tuple[int, int, dict[str, Any]]]:
    """The blocks of a message, each with the index of its part, and of its item in the content of a prompt."""
    pieces: list[tuple[int, int, dict[str, Any]]] = []
    for at, part in enumerate(message.parts):
        if isinstance(part, m.UserPromptPart) and not isinstance(part.content, str):
            pieces += [(at, item, _block(content)) for item, content in enumerate(part.content)]
        elif not isinstance(part, m.SystemPromptPart):
            pieces.append((at, 0, _block(part)))
    return pieces


def _block(part: m.ModelRequestPart | m.ModelResponsePart | m.UserContent) -> dict[str, Any]:
    match part:
        case (str() as text) | m.TextPart(content=text) | m.TextContent(content=text) | m.UserPromptPart(content=str() as text):
            return {"type": "text", "text": text}
        case m.RetryFeedbackPart():
            return {"type": "text", "text": part.model_response()}
        case m.ThinkingPart():
            return {"type": "thinking", "thinking": part.content, "signature": part.signature or ""}
        case m.ToolCallPart():
            return {"type": "tool_use", "id": part.tool_call_id, "name": part.tool_name, "input": part.args_as_dict()}
        case m.ToolReturnPart():
            items = part.content_items(mode="str", wrap_if_error=False) if part.files else []
            content = [_block(item) for item in items] or part.model_response_str(wrap_if_error=False)
            result = {"tool_use_id": part.tool_call_id, "content": content}
            return {"type": "tool_result", **result, "is_error": part.outcome in m.ERROR_OUTCOMES}
        case m.ImageUrl(url=url) | m.BinaryContent(is_image=True, data_uri=url) | m.FilePart(content=m.BinaryImage(data_uri=url)):
            return {"type": "image", "source": {"type": "url", "url": url}}
        case _:
            # What only the framework or one provider reads has a size, and no form that an edit could change.
            kind = getattr(part, "part_kind", None) or getattr(part, "kind", "")
            content = getattr(part, "content", None) or getattr(part, "args", None) or ""
            return {"type": kind, "content": "" if isinstance(content, m.BinaryContent) else str(content)}


def _applied(messages: list[m.ModelMessage], edits: list[Edit]) -> list[m.ModelMessage]:
    after, origin = list[m.ModelMessage](), messages[0]
    for edit in edits:
        origin = origin if edit.index is None else messages[edit.index]
        element: dict[str, Any] = json.loads(edit.json or "{}")
        content = element.get("content", [])
        if edit.kind == "keep":
            after.append(origin)
        elif not isinstance(content, str):
            # One in which a message was added is divided. Of one that is removed, the system prompt stays, and stays first.
            message = _rewritten(origin, content, () if edit.kind == "insert" else m.SystemPromptPart)
            at = 0 if edit.kind == "remove" and edit.index == 0 else len(after)
            after[at:at] = [message] if message.parts else []
        elif element["role"] == "assistant" and edit is not edits[-1]:
            after.append(m.ModelResponse([m.TextPart(content)]))
        else:
            after.append(m.ModelRequest.user_text_prompt(content))
    return after


def _rewritten(message: m.ModelMessage, blocks: list[dict[str, Any]], kept: type | tuple[()]) -> m.ModelMessage:
    copied, pieces, number = copy.copy(message), _pieces(message), -1
    left: list[dict[int, Any]] = [{} for _ in message.parts]
    for block in blocks:
        # A text in place of a file has no number.
        number = int(block.pop(PART, number + 1))
        at, item, old = pieces[number]
        left[at][item] = None if block == old else block
    copied.parts = [_changed(part, items) for part, items in zip(message.parts, left) if items or isinstance(part, kept)]
    return copied


def _changed(part: Any, items: dict[int, Any]) -> Any:
    copied, block = copy.copy(part), items.get(0)
    if part.part_kind == "user-prompt" and not isinstance(part.content, str):
        copied.content = [part.content[item] if block is None else block["text"] for item, block in items.items()]
    elif block is None or getattr(part, "tool_kind", None):
        return part  # The framework reads the content of its own tools.
    elif block["type"] == "tool_use":
        copied.args = block["input"]
    elif block["type"] == "tool_result" and not isinstance(block["content"], str):
        items, old = part.content_items(), _block(part)["content"]
        copied.content = [items[old.index(one)] if one in old else one["text"] for one in block["content"]]
    else:
        copied.content = block["content" if block["type"] == "tool_result" else "text"]
    return copied
