"""The adapter for Strands, in real agents with a scripted model."""

# pyright: reportMissingTypeStubs=false
from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("strands", reason="needs strands-agents, see strands.txt")

from pydantic import BaseModel
from strands import Agent, ModelRetryStrategy, tool  # pyright: ignore[reportUnknownVariableType]
from strands.agent.conversation_manager import NullConversationManager
from strands.hooks import BeforeInvocationEvent
from strands.middleware import InvokeModelContext, InvokeModelStage, ModelStopReason
from strands.models import Model
from strands.session.file_session_manager import FileSessionManager
from strands.types.exceptions import ModelThrottledException

import trimtab
from trimtab import strands as adapter
from trimtab.strands import TrimtabHook

from common import CODING_POLICY, CODING_PROMPTS, CODING_TURNS, CODING_WINDOW, POLICY, Line
from common import call_text, check_coding_requests, simulated, write_note


@pytest.fixture
def anyio_backend() -> str:
    """For the plugin of AnyIO, which Strands depends on."""
    return "asyncio"


#: A reply: texts and calls, or an error.
Reply = Sequence[str | dict[str, Any]] | Exception


class Scripted(Model):
    """Gives its replies one after the other, and keeps what it gets. Whoever asks for a summary gets one."""

    def __init__(self, *replies: Reply) -> None:
        self.replies, self.summaries = list(replies), 0
        self.seen: list[list[Any]] = []
        self.systems: list[Any] = []
        self.tools: list[list[str]] = []

    def update_config(self, **model_config: Any) -> None: ...

    def get_config(self) -> Any:
        return {"model_id": "claude-sonnet-4-5"}

    def structured_output(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: str | None = None, **options: Any
    ) -> AsyncGenerator[Any, None]:
        if system_prompt and "Reply with the summary only" in system_prompt:
            self.summaries += 1
            reply: Reply = [f"Summary {self.summaries}."]
        else:
            self.seen.append(copy.deepcopy(messages))
            self.systems.append(options.get("system_prompt_content"))
            self.tools.append([spec["name"] for spec in tool_specs or ()])
            reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        yield {"messageStart": {"role": "assistant"}}
        for part in reply:
            if isinstance(part, str):
                for piece in (part[:3], part[3:]):
                    yield {"contentBlockDelta": {"delta": {"text": piece}}}
            elif "thinking" in part:
                yield {"contentBlockDelta": {"delta": {"reasoningContent": {"text": part["thinking"]}}}}
                yield {"contentBlockDelta": {"delta": {"reasoningContent": {"signature": "signed"}}}}
            else:
                yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": part["id"], "name": part["name"]}}}}
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": part["input"]}}}}
            yield {"contentBlockStop": {}}
        is_call = any(isinstance(part, dict) and "name" in part for part in reply)
        yield {"messageStop": {"stopReason": "tool_use" if is_call else "end_turn"}}
        size = sum(len(str(message["content"])) for message in messages) // 4
        yield {"metadata": {"usage": {"inputTokens": size, "outputTokens": 9, "totalTokens": size + 9}, "metrics": {"latencyMs": 1}}}


def call(number: int, name: str = "read", argument: str = "page") -> dict[str, Any]:
    return {"id": f"call_{number}", "name": name, "input": f'{{"{argument}": {number}}}'}


def turns(count: int, first: int = 1) -> list[Reply]:
    """Replies with thinking, a text and two parallel calls, and an answer."""
    numbers = range(first, first + count)
    calling: list[Reply] = [[{"thinking": f"I need page {n}."}, f"Page {n}.", call(2 * n), call(2 * n + 1)] for n in numbers]
    return [*calling, ["All read."]]


@tool
def read(page: int) -> str:
    """Reads a page."""
    return f"Page {page} begins. " + "A line of the report. " * 80 + f"Page {page} ends."


def agent(model: Model, hook: TrimtabHook, **options: Any) -> Agent:
    options = {"tools": [read], "conversation_manager": NullConversationManager(), "callback_handler": None, **options}
    return Agent(model=model, hooks=[hook], retry_strategy=ModelRetryStrategy(initial_delay=0), **options)


def compiled(rule: str) -> trimtab.Policy:
    return trimtab.compile(f"edition 2026\n\npolicy p {{\n  rule r {{\n    {rule}\n  }}\n}}\n")


def lines(messages: list[Any]) -> list[Line]:
    found: list[Line] = []
    for message in messages:
        for block in message["content"]:
            match block:
                case {"toolUse": use}:
                    found.append((message["role"], call_text(use["name"], use["input"])))
                case {"toolResult": result}:
                    found.append(("tool", "\n".join(part["text"] for part in result["content"])))
                case {"reasoningContent": reasoning}:
                    found.append((message["role"], reasoning["reasoningText"]["text"]))
                case _:
                    found.append((message["role"], block["text"]))
    return found


def policy_file(folder: Path, text: str = POLICY) -> Path:
    path = folder / "policy.trim"
    path.write_text(text)
    return path


@pytest.mark.parametrize("is_async", [False, True])
def test_the_model_gets_what_a_simulation_of_the_recording_says(tmp_path: Path, is_async: bool) -> None:
    model, path = Scripted(*turns(8), ["Yes."]), policy_file(tmp_path)
    hook = TrimtabHook(path, summarise="model", record=tmp_path / "record", window=100_000)
    reader = agent(model, hook)
    for prompt in ("Read the report.", "Is that all?"):
        asyncio.run(reader.invoke_async(prompt)) if is_async else reader(prompt)
    assert model.summaries >= 1
    sent = [lines(messages) for messages in model.seen]
    assert sent == simulated(path, tmp_path / "record")
    texts = [text for call in sent for _, text in call]
    for mark in ("… [trimmed]", "[tool result for read", "Stop and think", "Summary 1."):
        assert any(mark in text for text in texts), mark
    roles = [[message["role"] for message in messages] for messages in model.seen]
    assert all(one != next for call in roles for one, next in zip(call, call[1:], strict=False))


def test_the_agent_keeps_its_own_messages(tmp_path: Path) -> None:
    with_policy = agent(Scripted(*turns(8)), TrimtabHook(policy_file(tmp_path), summarise="model", window=100_000))
    without = Agent(
        model=Scripted(*turns(8)), tools=[read], conversation_manager=NullConversationManager(), callback_handler=None
    )
    with_policy("Read the report.")
    without("Read the report.")
    assert lines(with_policy.messages) == lines(without.messages)


def test_runs_under_the_policy_for_coding_agents_send_what_a_simulation_says(tmp_path: Path) -> None:
    first, second = CODING_TURNS
    model = Scripted(*turns(first), *turns(second, first + 1))
    hook = TrimtabHook(CODING_POLICY, summarise="model", record=tmp_path / "record", window=CODING_WINDOW)
    reader = agent(model, hook, tools=[read, tool(write_note)])
    for prompt in CODING_PROMPTS:
        reader(prompt)
    assert model.summaries == 1
    check_coding_requests([lines(messages) for messages in model.seen], simulated(CODING_POLICY, tmp_path / "record"))


async def both_sides(hook: TrimtabHook, messages: list[Any]) -> tuple[list[Any], list[Any]]:
    """The messages of a call before and behind the adapter."""
    model = Scripted(["Done."])
    seen: list[list[Any]] = [[], []]
    reader = agent(model, hook, messages=messages)

    def watch(side: int) -> Any:
        async def wrap(context: InvokeModelContext, call: Any) -> AsyncGenerator[Any, None]:
            seen[side] = context.messages
            async for event in call(context):
                yield event

        return wrap

    reader.add_middleware(InvokeModelStage, watch(0))
    hook._attach(BeforeInvocationEvent(agent=reader))  # pyright: ignore[reportPrivateUsage]
    reader.add_middleware(InvokeModelStage, watch(1))
    await reader.invoke_async("And now?")
    return seen[0], seen[1]


def history() -> list[Any]:
    """Two turns with every kind of block."""
    image = {"image": {"format": "png", "source": {"bytes": b"\x89PNG" + b"0" * 400}}}
    document = {"document": {"format": "pdf", "name": "report", "source": {"bytes": b"%PDF"}}}
    thinking = {"reasoningContent": {"reasoningText": {"text": "Two tools.", "signature": "signed"}}}
    hidden = {"reasoningContent": {"redactedContent": b"secret"}}
    use = {"toolUse": {"toolUseId": "a", "name": "read", "input": {"page": 1}, "reasoningSignature": "bound"}}
    other: dict[str, Any] = {"toolUse": {"toolUseId": "b", "name": "look", "input": {}}}
    long = {"toolResult": {"toolUseId": "a", "status": "success", "content": [{"text": "long " * 300}]}}
    mixed = {"toolResult": {"toolUseId": "b", "status": "success", "content": [{"json": {"size": [1, 2.5]}}, image]}}
    failed = {"toolResult": {"toolUseId": "c", "status": "error", "content": [{"text": "broken " * 300}]}}
    return [
        {"role": "user", "content": [{"text": "Look."}, image, document, {"cachePoint": {"type": "default"}}], "tracking_id": "m0"},
        {
            "role": "assistant",
            "content": [thinking, hidden, {"text": "I look."}, use, other],
            "tracking_id": "m1",
            "metadata": {"custom": {"mine": 1}},
        },
        {
            "role": "user",
            "content": [long, mixed, {"cachePoint": {"type": "default"}}],
            "tracking_id": "m2",
            "metadata": {"custom": {"mine": 2}},
        },
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "read", "input": {"page": 2}}}]},
        {"role": "user", "content": [failed]},
        {"role": "assistant", "content": [{"text": "Done."}]},
    ]


@pytest.mark.anyio
async def test_what_has_no_edit_is_the_same_object_and_the_rest_of_an_edited_one_stays() -> None:
    given, sent = await both_sides(TrimtabHook(compiled("do mask results keep 0 results except [look]"), window=100_000), history())
    assert [one is other for one, other in zip(given, sent, strict=True)] == [True, True, False, True, True, True, True]
    before, after = given[2], sent[2]
    assert {key: after[key] for key in after if key != "content"} == {key: before[key] for key in before if key != "content"}
    assert after["content"][1] is before["content"][1] and after["content"][2] is before["content"][2]
    result = after["content"][0]["toolResult"]
    assert (result["toolUseId"], result["status"]) == ("a", "success")
    assert result["content"][0]["text"].startswith("[tool result for read")


@pytest.mark.anyio
async def test_arguments_images_and_reasoning() -> None:
    policy = trimtab.compile(
        "edition 2026\n\npolicy p {\n  rule a { do mask images keep 0 messages }\n  rule b { do drop thinking keep 0 interactions }\n"
        "  rule c { do mask calls keep 0 messages }\n}\n"
    )
    messages = history()
    messages[1]["content"][3]["toolUse"]["input"] = {"page": "p" * 400}
    given, sent = await both_sides(TrimtabHook(policy, window=100_000), messages)
    first, reply, results = sent[:3]
    assert first["content"][0] is given[0]["content"][0] and first["content"][2] is given[0]["content"][2]
    assert list(first["content"][1]) == ["text"] and first["content"][3] == {"cachePoint": {"type": "default"}}
    assert [next(iter(block)) for block in reply["content"]] == ["text", "toolUse", "toolUse"]
    use = reply["content"][1]["toolUse"]
    assert (use["toolUseId"], use["reasoningSignature"]) == ("a", "bound") and use["input"] != messages[1]["content"][3]["toolUse"]["input"]
    assert reply["metadata"] == {"custom": {"mine": 1}} and reply["tracking_id"] == "m1"
    mixed = results["content"][1]["toolResult"]["content"]
    assert mixed[0] == {"json": {"size": [1, 2.5]}} and list(mixed[1]) == ["text"]


@pytest.mark.anyio
async def test_own_neighbours_of_one_role_stay_apart() -> None:
    messages = [{"role": "user", "content": [{"text": "Look."}]}, *history()]
    given, sent = await both_sides(TrimtabHook(compiled("do mask results keep 0 results except [look]"), window=100_000), messages)
    assert [one is other for one, other in zip(given, sent, strict=True)] == [True, True, True, False, True, True, True, True]


def test_an_insertion_inside_of_a_message() -> None:
    result = {"toolResult": {"toolUseId": "a", "status": "success", "content": [{"text": "Page 1."}]}}
    message: dict[str, Any] = {"role": "user", "content": [result, {"text": "Page 1 first."}], "tracking_id": "m"}
    first, second = adapter._numbered(message["content"])  # pyright: ignore[reportPrivateUsage]
    new = [("replace", 0, [first]), ("insert", None, "Think."), ("insert", None, [second])]
    edits = [SimpleNamespace(kind=kind, index=at, json=json.dumps({"role": "user", "content": content})) for kind, at, content in new]
    request: Any = SimpleNamespace(edits=edits)
    (sent,) = adapter._edited([message], request, [])  # pyright: ignore[reportPrivateUsage]
    assert sent == {"role": "user", "content": [result, {"text": "Think."}, {"text": "Page 1 first."}], "tracking_id": "m"}
    assert sent["content"][0] is result and sent["content"][2] is message["content"][1]


@pytest.mark.anyio
async def test_without_edits_the_context_is_the_same() -> None:
    given, sent = await both_sides(TrimtabHook(compiled("when iteration > 90\n    do mask results"), window=100_000), history())
    assert given is sent


def test_a_repeated_call_gets_the_same_request(tmp_path: Path) -> None:
    replies = turns(6)
    replies[4:4] = [ModelThrottledException("slow down"), ModelThrottledException("slow down")]
    model, path = Scripted(*replies), policy_file(tmp_path)
    agent(model, TrimtabHook(path, summarise="model", record=tmp_path / "record", window=100_000))("Read.")
    assert model.seen[4] == model.seen[5] == model.seen[6]
    sent = [lines(messages) for messages in model.seen]
    assert [*sent[:5], *sent[7:]] == simulated(path, tmp_path / "record")


@pytest.mark.parametrize("through", ["session", "snapshot"])
def test_a_saved_agent_continues_in_another_process(tmp_path: Path, through: str) -> None:
    path, model, alone = policy_file(tmp_path), Scripted(*turns(6), *turns(2, first=7)), Scripted(*turns(6), *turns(2, first=7))

    def opened() -> Agent:
        hook = TrimtabHook(path, summarise="model", record=tmp_path / "record", window=100_000)
        if through == "snapshot":
            return agent(model, hook)
        return agent(model, hook, session_manager=FileSessionManager("s1", storage_dir=str(tmp_path / "sessions")))

    first = opened()
    first("Read the report.")
    second = opened()
    if through == "snapshot":
        second.load_snapshot(first.take_snapshot(preset="session"))
    assert lines(second.messages) == lines(first.messages)
    second("Go on.")
    sent = [lines(messages) for messages in model.seen]
    assert sent == simulated(path, tmp_path / "record")

    undivided = agent(alone, TrimtabHook(path, summarise="model", window=100_000))
    undivided("Read the report.")
    undivided("Go on.")
    assert sent == [lines(messages) for messages in alone.seen]
    assert model.summaries == alone.summaries > 0


def test_the_saved_state_of_another_policy_begins_anew(tmp_path: Path) -> None:
    model = Scripted(*turns(2), ["Yes."], ["No."])
    first = agent(model, TrimtabHook(policy_file(tmp_path), window=100_000))
    first("Read.")
    second = agent(model, TrimtabHook(compiled("do mask results keep 0 results"), window=100_000))
    second.load_snapshot(first.take_snapshot(preset="session"))
    second("And?")
    assert any(role == "tool" and text.startswith("[tool result") for role, text in lines(model.seen[-1]))
    third = agent(model, TrimtabHook(compiled("do mask results keep 0 results"), window=100_000))
    third.state.set("trimtab", "bm8gc3RhdGU=")
    assert third("Now?").stop_reason == "end_turn"


STOPPING = """edition 2026

policy stopping {
  rule mask { do mask results keep 1 results }
  rule stop {
    when iteration >= 2
    do stop "two calls are enough"
    limit 1
  }
}
"""


class Answer(BaseModel):
    """An answer."""

    text: str


class Number(BaseModel):
    """A number."""

    value: int


@pytest.mark.parametrize("structured", [None, Answer])
def test_a_stop_ends_the_run(structured: type[BaseModel] | None) -> None:
    model = Scripted(*turns(3)[:3], ["A new run."], [call(9, "Answer")])
    reader = agent(model, TrimtabHook(compiled('when iteration >= 2\n    do stop "two calls are enough"'), window=100_000))
    result = reader("Read.", structured_output_model=structured)
    assert (result.stop_reason, len(model.seen)) == ("cancelled", 2)
    assert "two calls are enough" in str(result)
    assert "two calls are enough" in str(reader.messages[-1]["content"])
    model.replies[:] = [["A new run."]]
    assert str(reader("Go on.")).strip() == "A new run."


def test_a_stopped_agent_continues_in_another_process(tmp_path: Path) -> None:
    model, path = Scripted(*turns(4)[:2], *turns(1, first=5)), policy_file(tmp_path, STOPPING)
    first = agent(model, TrimtabHook(path, record=tmp_path / "record", window=100_000))
    assert first("Read.").stop_reason == "cancelled"
    second = agent(model, TrimtabHook(path, record=tmp_path / "record", window=100_000))
    second.load_snapshot(first.take_snapshot(preset="session"))
    second("Go on.")
    assert [lines(messages) for messages in model.seen] == simulated(path, tmp_path / "record")


def test_what_a_cancelled_call_has_left_is_no_reply(tmp_path: Path) -> None:
    model, path = Scripted(["A long answer."], ["Done."]), policy_file(tmp_path)
    reader = agent(model, TrimtabHook(path, record=tmp_path / "record", window=100_000))

    def cancel(**event: Any) -> None:
        if "data" in event and len(model.seen) == 1:
            reader.cancel(message="Cancelled.")

    reader.callback_handler = cancel
    assert reader("Read.").stop_reason == "cancelled"
    reader("Go on.")
    assert lines(model.seen[-1])[1] == ("assistant", "Cancelled.")
    simulated(path, tmp_path / "record")


@pytest.mark.anyio
async def test_streams() -> None:
    model = Scripted(*turns(2))
    reader = agent(model, TrimtabHook(compiled("do mask results keep 0 results"), window=100_000))
    pieces = [event["data"] async for event in reader.stream_async("Read.") if "data" in event]
    assert "".join(pieces) == "Page 1.Page 2.All read."
    assert len(pieces) == 6
    assert any(text.startswith("[tool result") for _, text in lines(model.seen[-1]))


@pytest.mark.parametrize("broken", ["abefore_request", "aafter_reply"])
def test_a_failure_of_the_policy_does_not_end_the_run(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **options: Any) -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr(trimtab.Session, broken, fail)
    model = Scripted(*turns(3))
    reader = agent(model, TrimtabHook(compiled("do mask results keep 0 results"), window=100_000))
    assert str(reader("Read.")).strip() == "All read."
    if broken == "abefore_request":
        assert lines(model.seen[-1]) == lines(reader.messages[:-1])


@pytest.mark.parametrize(
    "block", [{"toolUse": {"toolUseId": "a", "name": "read", "input": {1}}}, {"reasoningContent": {"redactedContent": 1}}]
)
def test_a_message_that_is_no_json_is_sent_unedited(block: Any) -> None:
    model = Scripted(["Done."])
    messages: Any = [{"role": "user", "content": [{"text": "Read."}]}, {"role": "assistant", "content": [block]}]
    if "toolUse" in block:
        messages.append({"role": "user", "content": [{"toolResult": {"toolUseId": "a", "status": "success", "content": []}}]})
    reader = agent(model, TrimtabHook(compiled("do mask results"), window=100_000), messages=messages)
    assert str(reader("Go.")).strip() == "Done."
    assert model.seen[0][1]["content"] == [block]


@pytest.mark.parametrize("prompt", [None, "Be brief.", [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}]])
def test_additions_to_the_prompt(prompt: Any) -> None:
    model = Scripted(*turns(1))
    reader = agent(model, TrimtabHook(compiled('when iteration == 1\n    do set mode "review"'), window=100_000), system_prompt=prompt)
    reader("Read.")
    own = [{"text": prompt}] if isinstance(prompt, str) else prompt
    assert model.systems[0] == own
    assert model.systems[1][:-1] == (own or [])
    assert "review" in model.systems[1][-1]["text"]


@pytest.mark.parametrize(("total", "uncached"), [(110, 50), (160, 100)])
def test_usage_of_providers_that_count_the_cache_in_the_input_or_apart(total: int, uncached: int) -> None:
    usage: Any = {"inputTokens": 100, "outputTokens": 10, "totalTokens": total, "cacheReadInputTokens": 40, "cacheWriteInputTokens": 10}
    event = ModelStopReason("end_turn", {"role": "assistant", "content": []}, usage, {"latencyMs": 1})
    reply = adapter._reply(Scripted(), event)  # pyright: ignore[reportPrivateUsage]
    counts = {"input_tokens": uncached, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 10, "output_tokens": 10}
    assert reply == {"role": "assistant", "content": [], "model": "claude-sonnet-4-5", "usage": counts}


def test_hidden_tools() -> None:
    model = Scripted(*turns(2))

    @tool
    def look() -> str:
        """Looks."""
        return "seen"

    agent(model, TrimtabHook(compiled("when iteration == 1\n    do tools hide [look]"), window=100_000), tools=[read, look])("Read.")
    assert model.tools == [["read", "look"], ["read"], ["read", "look"]]


def test_a_tool_that_the_agent_has_to_use_is_not_hidden() -> None:
    model = Scripted(["All read."], [call(1, "Number", "value")])
    hook = TrimtabHook(compiled("do tools only [read] for run"), window=100_000)
    result = agent(model, hook)("Read.", structured_output_model=Number)
    assert (result.structured_output, model.tools) == (Number(value=1), [["read"], ["Number"]])


def test_recall() -> None:
    hook = TrimtabHook(compiled("do offload results keep 0 results"), window=100_000)
    model = Scripted([call(1)], [{"id": "r", "name": "recall", "input": '{"id": "r2"}'}], ["Done."])
    reader = agent(model, hook)
    reader("Read.")
    assert model.tools[0] == ["read", "recall"]
    offloaded, recalled = (text for role, text in lines(model.seen[-1]) if role == "tool")
    assert offloaded.startswith("[offloaded") and recalled == read(page=1)


def test_blocks_for_one_call_are_no_history(tmp_path: Path) -> None:
    model, path = Scripted(*turns(5)), policy_file(tmp_path)
    reader = agent(model, TrimtabHook(path, summarise="model", record=tmp_path / "record", window=100_000))

    def clock(context: InvokeModelContext) -> InvokeModelContext:
        last = context.messages[-1]
        messages: Any = [*context.messages[:-1], {**last, "content": [*last["content"], {"text": f"It is {len(model.seen)}."}]}]
        return context.replace(messages=messages, dynamic_trailing_blocks=1)

    reader.add_middleware(InvokeModelStage.Input, clock)
    reader("Read.")
    sent = [lines(messages) for messages in model.seen]
    assert [call[-1] for call in sent] == [("user", f"It is {number}.") for number in range(6)]
    assert [call[:-1] for call in sent] == simulated(path, tmp_path / "record")


def test_agents_do_not_share_conversations(tmp_path: Path) -> None:
    hook = TrimtabHook(compiled('when iteration >= 1\n    do stop "one"'), record=tmp_path, window=100_000)
    first, second = Scripted(*turns(1)), Scripted(*turns(1))
    assert agent(first, hook)("Read.").stop_reason == "cancelled"
    assert agent(second, hook)("Read.").stop_reason == "cancelled"
    assert len(first.seen) == len(second.seen) == 1
    assert len({recording.name.split("_default")[0] for recording in tmp_path.iterdir()}) == 2
