"""Context policies in LiteLLM: its proxy, and its asynchronous functions."""

from __future__ import annotations

import hashlib
import json
import sys
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from contextvars import ContextVar
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, cast

from ._adapter import Adapter, Conversation, Messages, Options, PolicySource, apply, missing
from ._session import Request, Stopped, Summarise
from ._trimtab import Summary

if TYPE_CHECKING or find_spec("litellm"):
    import litellm
    from litellm.exceptions import BadRequestError, ModifyResponseException
    from litellm.integrations.custom_logger import CustomLogger
    from litellm.types.utils import CallTypes, ModelResponse  # pyright: ignore[reportMissingTypeStubs]
    from typing_extensions import Unpack

    Logger = CustomLogger
else:
    Logger = missing("LiteLLM", "litellm")

#: The dialects of the calls that are edited.
_DIALECTS = {"completion": "openai_chat", "acompletion": "openai_chat", "anthropic_messages": "anthropic_messages"}
#: The keys of a request that a session reads or edits.
_KEYS = ("model", "system", "messages", "tools", "tool_choice")
#: The keys of a call of a function that are needed to reach its model.
_ACCESS = ("api_key", "api_base", "base_url", "api_version", "custom_llm_provider")
#: Whether the calls of this task are edited already, or are those of a summariser.
_DONE: ContextVar[bool] = ContextVar("_DONE", default=False)
#: The request that is prepared.
_MODEL: ContextVar[dict[str, Any]] = ContextVar("_MODEL")


class TrimtabCallback(Logger):
    """Edits each request for chat completions and for Anthropic messages as a policy says, streamed or not.

    Name it under `callbacks` of the proxy, or add it to `litellm.callbacks` for `acompletion` and `anthropic_messages`, called with
    keywords; no callback can edit the calls of `completion`. A conversation is known by the key of its user and the session id
    that the client sends (`litellm_session_id`, or `session_id` in the metadata), else by its system prompt and its first other message.
    It is kept in memory: after a restart, or in another worker, the policy runs over the history from its beginning. The proxy
    answers for a rule that stops the run with a reply that says why, or with the error 400 to a streamed Anthropic request;
    functions raise Stopped. Policies that offload are refused, since no client could answer `recall`.
    """

    def __init__(self, policy: PolicySource, *, summarise: Summarise | Literal["model"] | None = None, **options: Unpack[Options]) -> None:
        """The summariser `model` is the model of the request. Each of the two APIs keeps its newest `conversations`.

        Raises ValueError if the policy offloads.
        """
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        summariser = _by_model if summarise == "model" else summarise
        dialects = "openai_chat", "anthropic_messages"
        self._adapters = {dialect: Adapter(policy, dialect, summarise=summariser, **options) for dialect in dialects}
        if self._adapters["openai_chat"].policy.offloads:
            raise ValueError("the policy offloads results, but a client of LiteLLM cannot recall them")
        # Of several callbacks whose public attributes are equal, LiteLLM reports replies to one.
        self.key = uuid.uuid4().hex
        self._limit = options.get("conversations", 1_000)
        self._calls: OrderedDict[str, tuple[str, Conversation, Request[Messages]]] = OrderedDict()

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str) -> dict[str, Any]:
        """Edits a request to the proxy."""
        _DONE.set(True)
        try:
            await self._edit(data, call_type, str(getattr(user_api_key_dict, "token", None)))
        except Stopped as stopped:
            if call_type == "anthropic_messages" and data.get("stream"):
                # LiteLLM would write the reply as one event, which no client reads.
                raise BadRequestError(str(stopped), data.get("model"), None) from stopped
            raise ModifyResponseException(str(stopped), data.get("model", ""), data) from stopped
        return data

    async def async_pre_call_deployment_hook(self, kwargs: dict[str, Any], call_type: CallTypes | None) -> dict[str, Any] | None:
        """Edits a call of a function of LiteLLM that is no request to the proxy."""
        if _DONE.get() or call_type is None:
            return None
        edited = dict(kwargs)
        await self._edit(edited, call_type.value, "")
        return edited

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> None:
        await self._after(data, response)

    async def async_log_success_event(self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any) -> None:
        await self._after(kwargs, response_obj)

    async def _edit(self, data: dict[str, Any], call_type: str, owner: str) -> None:
        dialect = _DIALECTS.get(call_type)
        messages: list[Any] | None = data.get("messages")
        if dialect is None or not isinstance(messages, list):
            return
        # LiteLLM has made dictionaries of messages that are its own objects.
        body = {key: data[key] for key in _KEYS if data.get(key) is not None}
        conversation = self._adapters[dialect].conversation(f"{owner[:16]}/{_session_id(data) or _opening(body)}")
        _MODEL.set(data)
        # A session takes whole bodies, too.
        request = await conversation.abefore(cast(Any, body))
        if request is None:
            return
        sent: dict[str, Any] = cast(Any, request.body)
        if any(edit.kind != "keep" for edit in request.edits):
            data["messages"] = apply(messages, request.edits, lambda _, text: json.loads(text), json.loads)
        for key in ("system", "tools", "tool_choice"):
            if sent.get(key) != body.get(key):
                data.pop(key, None)
                data.update({key: sent[key]} if key in sent else {})
        self._calls[str(data.get("litellm_call_id"))] = dialect, conversation, request
        while len(self._calls) > self._limit:
            self._calls.popitem(last=False)

    async def _after(self, data: Mapping[str, Any], response: Any) -> None:
        id = str(data.get("litellm_call_id"))
        if id in self._calls and (reply := _reply(self._calls[id][0], response)):
            _, conversation, request = self._calls.pop(id)
            await conversation.aafter(request, reply)


def _session_id(data: Mapping[str, Any]) -> str | None:
    metadata: dict[str, Any] = {**(data.get("metadata") or {}), **(data.get("litellm_metadata") or {})}
    # One that the proxy has made for a single request identifies no conversation.
    found = None if metadata.get("litellm_session_id_generated") else data.get("litellm_session_id") or metadata.get("session_id")
    return str(found) if found else None


def _opening(body: Mapping[str, Any]) -> str:
    """Identifies a conversation by its system prompt and its first message of another role."""
    prompts = [message for message in body["messages"] if message.get("role") in ("system", "developer")]
    others = [message for message in body["messages"] if message not in prompts]
    opening = json.dumps([body.get("system"), prompts, others[:1]], default=str)
    return hashlib.sha256(opening.encode()).hexdigest()[:16]


def _reply(dialect: str, response: Any) -> dict[str, Any] | None:
    """A response as the body of a reply; None if it is a stream, whose whole response comes later."""
    if isinstance(response, ModelResponse):
        body = cast(Any, response).model_dump(exclude_none=True)
        return cast("dict[str, Any]", body) if dialect == "openai_chat" else _message(body)
    if isinstance(response, Mapping) and dialect == "anthropic_messages" and "content" in response:
        return dict(cast("Mapping[str, Any]", response))
    return None


def _message(body: Any) -> dict[str, Any]:
    """The form that LiteLLM gives a streamed Anthropic message as an Anthropic message again."""
    message, usage = body["choices"][0]["message"], body.get("usage")
    content: list[Any] = [*message.get("thinking_blocks", ())]
    if message.get("content"):
        content.append({"type": "text", "text": message["content"]})
    for call in message.get("tool_calls", ()):
        function = call["function"]
        content.append({"type": "tool_use", "id": call["id"], "name": function["name"], "input": json.loads(function["arguments"] or "{}")})
    reply = {"role": "assistant", "content": content, "model": body.get("model")}
    if not usage:
        return reply
    # Here the cache is a part of the input.
    read, write = usage.get("cache_read_input_tokens", 0), usage.get("cache_creation_input_tokens", 0)
    counts = {"input_tokens": max(usage["prompt_tokens"] - read - write, 0), "output_tokens": usage["completion_tokens"]}
    return {**reply, "usage": {**counts, "cache_read_input_tokens": read, "cache_creation_input_tokens": write}}


async def _by_model(summary: Summary) -> str:
    system, text = summary.prompt()
    data = _MODEL.get()
    # The proxy knows its models by other names.
    router = getattr(sys.modules.get("litellm.proxy.proxy_server"), "llm_router", None) if "proxy_server_request" in data else None
    call: Any = (router or litellm).acompletion
    access = {key: data[key] for key in _ACCESS if data.get(key) and not router}
    messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    token = _DONE.set(True)
    try:
        response = await call(model=data["model"], messages=messages, **access)
    finally:
        _DONE.reset(token)
    return str(response.choices[0].message.content or "")
