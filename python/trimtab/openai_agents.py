"""Context policies in agents of the OpenAI Agents SDK."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextvars import ContextVar
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

from ._adapter import Adapter, Conversation, Messages, Options, PolicySource, apply, logger, missing
from ._session import Request, Stopped, Summarise
from ._trimtab import Summary

if TYPE_CHECKING or find_spec("agents"):
    from agents import Agent, AgentsException, ModelResponse, RunContextWrapper, RunHooks, Runner, Tool, function_tool
    from agents.run import CallModelData, ModelInputData
    from typing_extensions import Unpack

    Hooks = RunHooks[Any]
else:
    AgentsException, Hooks = Exception, missing("the OpenAI Agents SDK", "openai-agents")

#: Names the conversation of a call.
Key: TypeAlias = "Callable[[CallModelData[Any]], str]"
#: The agent of the call that is prepared, for summaries.
_AGENT: ContextVar[Agent[Any]] = ContextVar("_AGENT")
#: The conversation of the current run, and its last request.
_CALL: ContextVar[tuple[Conversation, Request[Messages] | None]] = ContextVar("_CALL")


class RunStopped(Stopped, AgentsException):
    """A rule has stopped the run.

    A session has no message that ends the run. Before the next run, add `item` to it, since the rule is raised again until the history
    has a reply without tool calls.
    """

    def __init__(self, stopped: Stopped) -> None:
        super().__init__(stopped.rule, stopped.reason)
        #: A message of the assistant that says why the run has ended.
        self.item: Any = {"type": "message", "role": "assistant", "content": str(stopped)}


class InputFilter(Hooks):
    """A `call_model_input_filter`, and hooks for `Runner.run`, with which sizes are as the provider counts them."""

    def __init__(self, adapter: Adapter, key: str | Key) -> None:
        self._adapter = adapter
        self._key = key
        #: The tool `recall`, if the policy offloads results. Give it to the agents.
        self.tools: list[Tool] = [function_tool(self._recall, name_override="recall")] if adapter.policy.offloads else []

    def save(self, key: str) -> bytes | None:
        """A conversation as data, to be stored with its session; None before its first request. It contains the conversation."""
        return self._adapter.conversation(key).save()

    def restore(self, key: str, saved: bytes) -> None:
        """Continues a conversation that `save` has saved, unless it is known. Data of another policy is logged and ignored."""
        self._adapter.conversation(key, saved)

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        key = self._key if isinstance(self._key, str) else self._key(data)
        conversation = self._adapter.conversation(key, tools=[tool.name for tool in data.agent.tools])
        given = data.model_data
        prompt = [] if given.instructions is None else [{"role": "system", "content": given.instructions}]
        items = [*prompt, *cast("Messages", given.input)]
        token = _AGENT.set(data.agent)
        try:
            request = await conversation.abefore(items)
        except Stopped as stopped:
            raise RunStopped(stopped) from stopped
        finally:
            _AGENT.reset(token)
        _CALL.set((conversation, request))
        try:
            return given if request is None else _edited(given, items, request)
        except Exception:
            logger.exception("the edits of a request cannot be applied; it is sent without them")
            return given

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse) -> None:
        if called := _CALL.get(None):
            usage: dict[str, Any] = {"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens}
            usage["input_tokens_details"] = {"cached_tokens": response.usage.input_tokens_details.cached_tokens}
            items = response.to_input_items()
            await called[0].aafter(called[1], {"output": items, "usage": usage} if response.usage.input_tokens else {"output": items})

    async def _recall(self, id: Annotated[str, "The id in the placeholder."]) -> str:
        """Returns the full content of a tool result that was moved out of the context. The placeholder in its place names the id."""
        # A run that continues with an approved call has had no request yet.
        called = _CALL.get(None)
        conversation = called[0] if called else self._adapter.conversation(self._key if isinstance(self._key, str) else "")
        return conversation.recall(id)


def input_filter(
    policy: PolicySource, *, key: str | Key = "", summarise: Summarise | Literal["model"] | None = None, **options: Unpack[Options]
) -> InputFilter:
    """A filter of the input of model calls, for `RunConfig.call_model_input_filter`. Items of sessions and results stay as they are.

    Give it to `Runner.run` as `hooks` too. `key` names the conversation, such as the id of the session; a function gets what the
    filter gets. The summariser `model` is the model of the agent.

    A rule that stops the run raises RunStopped. The SDK does not let a filter hide tools: `do tools` has no effect. Runs whose history
    is on the server (`conversation_id`, `previous_response_id`) send the filter new items only, and are not for a policy.
    """
    adapter = Adapter(policy, "openai_responses", summarise=_by_model if summarise == "model" else summarise, **options)
    return InputFilter(adapter, key)


def _edited(given: ModelInputData, items: Messages, request: Request[Messages]) -> ModelInputData:
    if all(edit.kind == "keep" for edit in request.edits) and not request.prompt_additions:
        return given
    edited = apply(items, request.edits, lambda _, text: json.loads(text), json.loads)
    kept = [edit.index for edit in request.edits if edit.kind != "remove"]
    first = int(given.instructions is not None and kept[:1] == [0])
    # What rules add to the instructions comes as system messages. A summary at the start is a message of the user.
    last = next((at for at in range(first, len(kept)) if kept[at] is not None or edited[at].get("role") != "system"), first)
    texts = [content if isinstance(content := item["content"], str) else content[0]["text"] for item in edited[:last]]
    return ModelInputData(input=cast(Any, edited[last:]), instructions="\n\n".join(texts + request.prompt_additions) or None)


async def _by_model(summary: Summary) -> str:
    instructions, text = summary.prompt()
    writer: Agent[Any] = Agent(name="Summary", instructions=instructions, model=_AGENT.get().model)
    return str((await Runner.run(writer, text)).final_output)
