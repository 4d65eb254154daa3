"""Context policies in agents of the Agent Development Kit of Google."""

from __future__ import annotations

import json
from contextvars import ContextVar
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from ._adapter import PART, Adapter, Conversation, Messages, Options, PolicySource, logger, missing
from ._session import Request, Stopped, Summarise
from ._trimtab import Edit, Summary

if TYPE_CHECKING or (find_spec("google") and find_spec("google.adk")):
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_request import LlmRequest
    from google.adk.models.llm_response import LlmResponse
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.tools.function_tool import FunctionTool
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types
    from typing_extensions import Unpack
else:
    BasePlugin = missing("the Agent Development Kit of Google", "google-adk")

#: The agent of the request that is prepared, whose model writes summaries, and the name of the model in the request.
_AGENT: ContextVar[tuple[Any, str | None]] = ContextVar("_AGENT")


class TrimtabPlugin(BasePlugin):
    """Edits each request of the agents of a runner as a policy says; the events of a session stay as they are.

    Each agent of a session has a conversation, which is saved in the state of the session with each reply that has no calls.
    A rule that stops the run ends it with a reply that says why or, for an agent whose output has a schema, with an error.
    The policy does not see the system instruction, which stays, nor live sessions. A request that goes on with an interaction
    that the server has stored is sent as it is.
    """

    def __init__(
        self,
        policy: PolicySource,
        *,
        summarise: Summarise | BaseLlm | Literal["model"] | None = None,
        name: str = "trimtab",
        **options: Unpack[Options],
    ) -> None:
        """The summariser is a function, a model, or `model`, which is that of the agent. A runner needs distinct names of plugins."""
        super().__init__(name)
        by_model = None if summarise is None else _by_model(summarise)
        self._adapter = Adapter(policy, "gemini_contents", summarise=by_model, **options)
        self._requests: WeakKeyDictionary[Conversation, Request[Messages]] = WeakKeyDictionary()

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> LlmResponse | None:
        try:
            if not llm_request.previous_interaction_id:
                await self._edit(callback_context, llm_request)
        except Stopped as stopped:
            self._save(callback_context)
            if llm_request.config.response_schema or llm_request.config.response_json_schema:
                return LlmResponse(error_code="TRIMTAB_STOP", error_message=str(stopped))
            return LlmResponse(content=types.ModelContent(stopped.reason), finish_reason=types.FinishReason.STOP)
        except Exception:
            logger.exception("the policy %s has failed; the request is sent without it", self._adapter.policy.name)
        return None

    async def after_model_callback(self, *, callback_context: CallbackContext, llm_response: LlmResponse) -> LlmResponse | None:
        # A part of a streamed reply is repeated in the whole reply.
        if llm_response.content is None or llm_response.partial:
            return None
        try:
            reply: dict[str, Any] = {"candidates": [{"content": _element(llm_response.content)}]}
            if llm_response.usage_metadata is not None:
                reply["usageMetadata"] = _json(llm_response.usage_metadata)
            if llm_response.model_version:
                reply["modelVersion"] = llm_response.model_version
            conversation = self._conversation(callback_context)
            await conversation.aafter(self._requests.pop(conversation, None), reply)
            if not llm_response.get_function_calls():
                self._save(callback_context)
        except Exception:
            logger.exception("the policy %s has not read a reply", self._adapter.policy.name)
        return None

    async def _edit(self, context: CallbackContext, llm_request: LlmRequest) -> None:
        if self._adapter.policy.offloads and "recall" not in llm_request.tools_dict:
            llm_request.append_tools([FunctionTool(self.recall)])
        conversation = self._conversation(context, list(llm_request.tools_dict))
        self._requests.pop(conversation, None)
        _AGENT.set((context.get_invocation_context().agent, llm_request.model))
        request = await conversation.abefore([_element(content) for content in llm_request.contents])
        if request is None:
            return
        contents = _applied(llm_request.contents, request.edits)
        if hidden := request.hidden_tools:
            given: list[Any] = list(llm_request.config.tools or [])
            tools = [_without(tool, hidden) for tool in given]
            llm_request.config.tools = [tool for tool in tools if tool is not None] or None
        llm_request.append_instructions(request.prompt_additions)
        llm_request.contents = contents
        self._requests[conversation] = request

    async def recall(self, id: str, tool_context: ToolContext) -> str:
        """Returns the full content of a tool result that was moved out of the context. The placeholder in its place names the id."""
        return self._conversation(tool_context).recall(id)

    def _conversation(self, context: CallbackContext, tools: list[str] | None = None) -> Conversation:
        session = context.session
        saved = context.state.get(_state_key(context))
        return self._adapter.conversation(f"{session.app_name}/{session.user_id}/{session.id}/{context.agent_name}", saved, tools)

    def _save(self, context: CallbackContext) -> None:
        if saved := self._conversation(context).save_text():
            context.state[_state_key(context)] = saved


def _state_key(context: CallbackContext) -> str:
    # A state with a schema takes names with a colon.
    return f"trimtab:{context.agent_name}"


def _by_model(summarise: Summarise | BaseLlm | Literal["model"]) -> Summarise:
    """A function for summaries, given one or a model."""
    if callable(summarise):
        return summarise

    async def summary(asked: Summary) -> str:
        agent, name = _AGENT.get()
        model: BaseLlm = agent.canonical_model if isinstance(summarise, str) else summarise
        system, text = asked.prompt()
        config = types.GenerateContentConfig(system_instruction=system)
        name = name if isinstance(summarise, str) else model.model
        request = LlmRequest(model=name, contents=[types.UserContent(text)], config=config)
        contents = [reply.content async for reply in model.generate_content_async(request) if reply.content and not reply.partial]
        return "".join(part.text or "" for content in contents for part in content.parts or [] if not part.thought)

    return summary


def _without(tool: Any, hidden: list[str]) -> Any:
    """A tool of a request without the functions that are hidden; None if none is left."""
    declared = getattr(tool, "function_declarations", None)
    if not declared or all(function.name not in hidden for function in declared):
        return tool
    left = [function for function in declared if function.name not in hidden]
    copied = tool.model_copy(update={"function_declarations": left or None})
    return copied if _json(copied) else None


def _json(model: Any) -> dict[str, Any]:
    data: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True, fallback=str)
    return data


def _element(content: types.Content) -> dict[str, Any]:
    """A content as JSON, with the index of each part."""
    return {"role": content.role, "parts": [{**_json(part), PART: number} for number, part in enumerate(content.parts or [])]}


def _applied(contents: list[types.Content], edits: list[Edit]) -> list[types.Content]:
    after: list[types.Content] = []
    origin = types.Content()
    for edit in edits:
        if edit.index is not None:
            origin = contents[edit.index]
        if edit.kind == "keep":
            after.append(origin)
        elif edit.json is not None:
            element = json.loads(edit.json)
            # Also the rest of a content inside of which another one was added has parts of the origin.
            parts = [_part(block, origin.parts or []) for block in element["parts"]]
            after.append(types.Content(role=element["role"], parts=parts))
    return after


def _part(block: dict[str, Any], parts: list[types.Part]) -> types.Part:
    """The part that a block is: the same object if nothing has changed in it."""
    number: int | None = block.pop(PART, None)
    if number is not None and _json(parts[number]) == block:
        return parts[number]
    # As text, so that bytes are read from base64.
    part: types.Part = types.Part.model_validate_json(json.dumps(block))
    return part
