"""The adapter for Pydantic AI, in real agents with a scripted model."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs pydantic-ai-slim, see pydantic_ai.txt")

from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, ModelRetry, RunContext, UsageLimitExceeded
from pydantic_ai import messages as m
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import RetryModelRequest
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.usage import RequestUsage

import trimtab
from trimtab.pydantic_ai import TrimtabCapability

from common import CODING_POLICY, CODING_PROMPTS, CODING_TURNS, CODING_WINDOW, POLICY, Line
from common import call_text, check_coding_requests, simulated, write_note

#: The parts of a reply, or an error.
Reply = Sequence[m.ModelResponsePart] | Exception
PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000280000001e0")


class Script:
    """Gives its replies one after the other, and keeps what it gets. Whoever asks for a summary gets one."""

    def __init__(self, *replies: Reply) -> None:
        self.replies, self.summaries = list(replies), 0
        self.seen: list[list[m.ModelMessage]] = []
        self.infos: list[AgentInfo] = []
        self.model = FunctionModel(self.reply, stream_function=self.stream, model_name="claude-sonnet-4-5")

    def reply(self, messages: list[m.ModelMessage], info: AgentInfo) -> m.ModelResponse:
        if "Reply with the summary only" in str(messages[0].parts[0]):
            self.summaries += 1
            return m.ModelResponse([m.TextPart(f"Summary {self.summaries}.")], usage=RequestUsage(input_tokens=7_000_000))
        self.seen.append(copy.deepcopy(messages))
        self.infos.append(info)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        size = sum(len(line[1]) for line in lines(messages)) // 4
        return m.ModelResponse(list(reply), usage=RequestUsage(input_tokens=size, cache_read_tokens=size // 2, output_tokens=9))

    async def stream(self, messages: list[m.ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for index, part in enumerate(self.reply(messages, info).parts):
            match part:
                case m.ThinkingPart():
                    yield {index: DeltaThinkingPart(content=part.content, signature=part.signature)}
                case m.ToolCallPart():
                    yield {index: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)}
                case m.TextPart():
                    for piece in (part.content[:3], part.content[3:]):
                        yield piece
                case _:
                    raise NotImplementedError


def lines(messages: Sequence[m.ModelMessage]) -> list[Line]:
    """What the model gets besides the system prompt."""
    found: list[Line] = []
    for message in messages:
        role = "assistant" if isinstance(message, m.ModelResponse) else "user"
        for part in message.parts:
            match part:
                case m.ToolCallPart():
                    found.append((role, call_text(part.tool_name, part.args_as_dict())))
                case m.ToolReturnPart():
                    found.append(("tool", part.model_response_str(wrap_if_error=False)))
                case m.UserPromptPart() if not isinstance(part.content, str):
                    found += [(role, item if isinstance(item, str) else "") for item in part.content]
                case m.TextPart() | m.UserPromptPart() | m.ThinkingPart():
                    found.append((role, str(part.content)))
                case _:
                    pass
    return found


def parts(message: m.ModelMessage) -> list[Any]:
    return list(message.parts)


def call(*pages: int) -> list[m.ModelResponsePart]:
    """A reply that calls the tool once for each page, in parallel."""
    thinking = m.ThinkingPart(f"I need {pages}.", signature="signed", provider_name="function")
    return [thinking, *(m.ToolCallPart("read", {"page": page}, f"c{page}") for page in pages)]


def turns(count: int, first: int = 1) -> list[Reply]:
    """Replies with reasoning and two parallel calls, and an answer."""
    numbers = range(first, first + count)
    return [*(call(2 * n, 2 * n + 1) for n in numbers), [m.TextPart("All read.")]]


def agent(script: Script, *capabilities: AbstractCapability[Any], **options: Any) -> Agent[None, Any]:
    made: Agent[None, Any] = Agent(script.model, system_prompt="You read reports.", capabilities=list(capabilities), **options)

    @made.tool_plain
    def read(page: int) -> str:
        return f"page {page} " + "of the report " * 200

    return made


def policy(text: str) -> trimtab.Policy:
    return trimtab.compile(f"edition 2026\npolicy p {{ {text} }}")


class Spy(AbstractCapability[Any]):
    """Keeps what is sent, as the same objects, with the history of the agent."""

    def __init__(self) -> None:
        self.sent: list[list[m.ModelMessage]] = []
        self.history: list[list[m.ModelMessage]] = []

    async def before_model_request(self, ctx: RunContext[Any], request_context: ModelRequestContext) -> ModelRequestContext:
        self.sent.append(list(request_context.messages))
        self.history.append(list(ctx.messages))
        return request_context


TEN = [call(1, 2), *(call(page) for page in range(3, 11))]


async def run(made: Agent[None, Any], prompt: str, stream: bool, history: Sequence[m.ModelMessage] = ()) -> list[m.ModelMessage]:
    if not stream:
        return (await made.run(prompt, message_history=list(history))).all_messages()
    async with made.run_stream(prompt, message_history=list(history)) as result:
        assert [text async for text in result.stream_text(delta=True)]
        return result.all_messages()


@pytest.mark.parametrize("stream", [False, True])
def test_what_is_sent_is_what_a_simulation_says(tmp_path: Path, stream: bool) -> None:
    file, script = tmp_path / "policy.trim", Script(*TEN, [m.TextPart("Ten pages.")], call(11), [m.TextPart("Eleven.")])
    file.write_text(POLICY)
    made = agent(script, TrimtabCapability(file, summarise="model", window=20_000, record=tmp_path / "records"))

    async def twice() -> list[m.ModelMessage]:
        return await run(made, "One more.", stream, await run(made, "Read ten pages.", stream))

    history = asyncio.run(twice())
    expected = simulated(file, tmp_path / "records")
    assert [lines(messages) for messages in script.seen] == expected
    sent = [text for messages in expected for _, text in messages]
    assert script.summaries == 2 and any("Summary 1." in text for text in sent) and any("Summary 2." in text for text in sent)
    assert any("Stop and think" in text for text in sent) and any("[trimmed]" in text for text in sent)
    assert any(text.startswith("[tool result") for text in sent) and "Summary" not in str(history) and "Stop and think" not in str(history)
    assert all(isinstance(messages[0].parts[0], m.SystemPromptPart) for messages in script.seen), "the system prompt stays"


def test_runs_under_the_policy_for_coding_agents_send_what_a_simulation_says(tmp_path: Path) -> None:
    first, second = CODING_TURNS
    script = Script(*turns(first), *turns(second, first + 1))
    capability = TrimtabCapability(CODING_POLICY, summarise="model", window=CODING_WINDOW, record=tmp_path / "records")
    made, history = agent(script, capability, tools=[write_note]), list[m.ModelMessage]()
    for prompt in CODING_PROMPTS:
        history = asyncio.run(run(made, prompt, stream=False, history=history))
    assert script.summaries == 1
    check_coding_requests([lines(messages) for messages in script.seen], simulated(CODING_POLICY, tmp_path / "records"))


MASK = "rule mask { when iteration >= 2 do mask results keep 1 results }"


def test_messages_without_edits_are_the_same_objects() -> None:
    spy, script = Spy(), Script(call(1, 2), call(3), call(4), [m.TextPart("Done.")])
    result = agent(script, TrimtabCapability(policy(MASK)), spy).run_sync("Go.")
    sent, history = spy.sent[-1], spy.history[-1]
    assert [one is other for one, other in zip(sent, history)] == [True, True, False, True, False, True, True]
    edited, original = sent[2], history[2]
    assert len(edited.parts) == 2 and "page 1 of" in parts(original)[0].content
    for part, raw in zip(parts(edited), parts(original)):
        assert part.content != raw.content
        part.content = raw.content
    assert edited == original, "nothing but the content has changed"
    assert m.ModelMessagesTypeAdapter.validate_json(result.all_messages_json()) == result.all_messages()


def test_parts_of_an_edited_message_that_have_no_edit_are_the_same_objects() -> None:
    spy, script = Spy(), Script(call(1, 2), call(3), [m.TextPart("Done.")])
    rule = "rule mask { when iteration >= 1 do mask results keep 2 results }"
    agent(script, TrimtabCapability(policy(rule)), spy).run_sync("Go.")
    edited, original = spy.sent[-1][2], spy.history[-1][2]
    assert edited is not original and [a is b for a, b in zip(edited.parts, original.parts)] == [False, True]


def test_calls_and_reasoning_are_edited() -> None:
    spy, script = Spy(), Script(call(1), [m.TextPart("Done.")], [m.TextPart("Done again.")])
    script.replies[0] = [m.ThinkingPart("long", signature="signed"), m.ToolCallPart("read", {"page": 1, "why": "a" * 500}, "c1", id="i")]
    rules = "rule t { do drop thinking keep 1 interaction } rule c { do mask calls keep 1 interaction }"
    made = agent(script, TrimtabCapability(policy(rules)), spy)
    made.run_sync("And again.", message_history=made.run_sync("Go.").all_messages())
    edited, original = spy.sent[-1][1], spy.history[-1][1]
    assert isinstance(edited, m.ModelResponse) and isinstance(original, m.ModelResponse)
    assert [part.part_kind for part in original.parts] == ["thinking", "tool-call"]
    (part,) = edited.parts
    assert isinstance(part, m.ToolCallPart) and (part.tool_call_id, part.id) == ("c1", "i")
    assert len(part.args_as_json_str()) < 300 < len(str(original.parts[1]))
    assert (edited.usage, edited.model_name, edited.timestamp) == (original.usage, original.model_name, original.timestamp)


class TryAgain(AbstractCapability[Any]):
    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> m.ModelResponse:
        raise RetryModelRequest()


def test_a_request_that_is_tried_again_is_edited_in_the_same_way(tmp_path: Path) -> None:
    file, script = tmp_path / "policy.trim", Script(*TEN, RuntimeError("overloaded"), RuntimeError("again"), [m.TextPart("Done.")])
    file.write_text(POLICY)
    capability = TrimtabCapability(file, summarise="model", window=20_000, record=tmp_path / "records")
    agent(script, capability, TryAgain()).run_sync("Read ten pages.")
    assert lines(script.seen[-1]) == lines(script.seen[-2]) == lines(script.seen[-3])
    assert [lines(messages) for messages in script.seen[:-2]] == simulated(file, tmp_path / "records")


def test_a_failed_run_is_tried_again() -> None:
    script = Script(call(1, 2), call(3), RuntimeError("overloaded"), [m.TextPart("Done.")])
    made = agent(script, TrimtabCapability(policy(MASK)))
    from pydantic_ai import capture_run_messages

    with capture_run_messages() as messages, pytest.raises(RuntimeError):
        made.run_sync("Go.")
    made.run_sync(message_history=messages)
    assert lines(script.seen[-1]) == lines(script.seen[-2])


def test_a_tool_that_asks_for_another_try_has_failed() -> None:
    script = Script(call(1), call(2), call(3), call(4), [m.TextPart("Done.")])
    made = Agent(script.model, capabilities=[TrimtabCapability(policy(MASK))], retries=3)

    @made.tool_plain
    def read(page: int) -> str:
        if page == 1:
            raise ModelRetry("No such page. " * 30)
        return "long " * 200

    made.run_sync("Go.")
    results = [text for role, text in lines(script.seen[-1]) if role == "tool"]
    assert results[0].startswith("No such page."), "error results are kept"
    assert len(results[1]) < 300 < len(results[3])


SUMMARISE = "rule s { when context.messages >= 18 do summarise older keep 4 messages on_failure keep cooldown 20 iterations }"


def test_a_saved_conversation_goes_on_in_another_process() -> None:
    first = Script(*TEN, [m.TextPart("Ten pages.")])
    capability = TrimtabCapability(policy(SUMMARISE), summarise="model")
    result = agent(first, capability).run_sync("Read ten pages.")
    history, saved = result.all_messages_json(), capability.save(result.conversation_id)
    assert first.summaries == 1 and isinstance(saved, bytes)

    messages = m.ModelMessagesTypeAdapter.validate_json(history)
    for is_restored in (True, False):
        second, capability = Script([m.TextPart("Yes.")]), TrimtabCapability(policy(SUMMARISE), summarise="model")
        second.summaries = 1
        if is_restored:
            capability.restore(result.conversation_id, saved)
        agent(second, capability).run_sync("Is that all?", message_history=messages)
        assert second.summaries == (1 if is_restored else 2)
        before, after = lines(first.seen[-1]), lines(second.seen[0])
        assert (after[: len(before)] == before) is is_restored
    capability = TrimtabCapability(policy(MASK))
    capability.restore("c", saved)
    assert capability.save("c") is None, "a conversation of another policy begins anew"


def test_the_model_of_the_request_writes_summaries() -> None:
    script = Script(*TEN, [m.TextPart("Done.")])
    result = agent(script, TrimtabCapability(policy(SUMMARISE), summarise="model")).run_sync("Go.")
    assert script.summaries == 1 and any("Summary 1." in text for _, text in lines(script.seen[-1]))
    assert 7_000_000 < result.usage.input_tokens < 7_100_000, "summaries count in the usage of the run"


def test_a_function_writes_summaries() -> None:
    async def summarise(summary: trimtab.Summary) -> str:
        await asyncio.sleep(0)
        return f"{len(summary.transcript)} characters"

    script = Script(*TEN, [m.TextPart("Done.")])
    agent(script, TrimtabCapability(policy(SUMMARISE), summarise=summarise)).run_sync("Go.")
    assert any("characters\n" in text for _, text in lines(script.seen[-1]))


def test_an_empty_summary_is_a_failure() -> None:
    script = Script(*TEN, [m.TextPart("Done.")])
    made = agent(script, TrimtabCapability(policy(SUMMARISE), summarise=lambda summary: ""))
    assert lines(made.run_sync("Go.").all_messages()[:-1]) == lines(script.seen[-1])


STOP = 'rule enough { when iteration >= 1 do stop "one call is enough" }'


@pytest.mark.parametrize("stream", [False, True])
def test_a_stop_ends_the_run_with_its_reason(stream: bool) -> None:
    script = Script(call(1), call(2))
    made = agent(script, TrimtabCapability(policy(STOP)))

    async def go() -> None:
        history = await run(made, "Go.", stream)
        assert len(script.seen) == 1
        assert isinstance(history[-1], m.ModelResponse) and history[-1].text == "one call is enough"
        # A new request of a person begins a new run.
        history = await run(made, "Go on.", stream, history)
        assert len(script.seen) == 2 and lines(history)[-1] == ("assistant", "one call is enough")

    asyncio.run(go())


class Answer(BaseModel):
    pages: int


def test_a_stop_is_an_error_if_the_output_is_no_text() -> None:
    script = Script(call(1), call(2))
    with pytest.raises(UsageLimitExceeded, match="enough stops the run: one call is enough"):
        agent(script, TrimtabCapability(policy(STOP)), output_type=Answer).run_sync("Go.")
    assert len(script.seen) == 1
    script = Script(call(1), call(2))
    assert agent(script, TrimtabCapability(policy(STOP)), output_type=[str, Answer]).run_sync("Go.").output == "one call is enough"


@pytest.mark.parametrize("fault", ["_raw.before_request", "_raw.after_reply", "element"])
def test_a_failure_of_the_policy_does_not_end_the_run(
    fault: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: Any, **options: Any) -> Any:
        raise RuntimeError("broken")

    if fault == "element":
        monkeypatch.setattr("trimtab.pydantic_ai._applied", fail)
    else:
        name = fault.removeprefix("_raw.")
        monkeypatch.setattr(trimtab.Session, "abefore_request" if name == "before_request" else "aafter_reply", fail)
    script = Script(call(1, 2), call(3), [m.TextPart("Done.")])
    result = agent(script, TrimtabCapability(policy(MASK))).run_sync("Go.")
    assert result.output == "Done." and "broken" in caplog.text
    assert (lines(script.seen[-1]) == lines(result.all_messages()[:-1])) is (fault != "_raw.after_reply")


def test_additions_to_the_system_prompt_and_hidden_tools() -> None:
    rules = 'rule mode { when iteration == 1 do set mode "review" } rule tools { when iteration == 2 do tools hide [read] }'
    script = Script(call(1), call(2), call(3), [m.TextPart("Done.")])
    result = agent(script, TrimtabCapability(policy(rules)), instructions="Be brief.").run_sync("Go.")
    instructions = [info.instructions or "" for info in script.infos]
    assert all(text.startswith("Be brief.") for text in instructions)
    assert ["review" in text for text in instructions] == [False, True, False, False]
    assert [len(info.function_tools) for info in script.infos] == [1, 1, 0, 1]
    assert "review" not in str([message.parts for message in result.all_messages()])


def test_images_are_masked() -> None:
    image = BinaryContent(PNG, media_type="image/png")
    script = Script(call(1), call(2), [m.TextPart("Done.")], call(3), call(4), [m.TextPart("Done.")])
    rule = "rule images { do mask images keep 3 messages }"
    spy = Spy()
    made: Agent[None, str] = Agent(script.model, capabilities=[TrimtabCapability(policy(rule)), spy])

    @made.tool_plain
    def read(page: int) -> list[Any]:
        return [{"page": page}, image, "the end"]

    made.run_sync("Go on.", message_history=made.run_sync(["Look:", image, "and think.", image]).all_messages())
    prompt = parts(spy.sent[-1][0])[0]
    assert (prompt.content[0], prompt.content[2]) == ("Look:", "and think.") and image not in prompt.content
    assert len(prompt.content) == 4 and "image/png" in prompt.content[1]
    contents: list[Any] = [part.content for message in spy.sent[-1] for part in parts(message) if part.part_kind == "tool-return"]
    assert len(contents) == 4 and contents[0] == [{"page": 1}, prompt.content[1], "the end"]
    assert contents[-1] == [{"page": 4}, image, "the end"] and parts(script.seen[-1][-1])[0].content == contents[-1]


def test_offloaded_results_are_recalled() -> None:
    script = Script(call(1), call(2), [m.ToolCallPart("recall", {"id": "r2"}, "c3")], [m.TextPart("Done.")])
    rule = "rule o { when iteration >= 1 do offload results keep 1 results }"
    made = agent(script, TrimtabCapability(policy(rule)))
    made.run_sync("Go.")
    assert [tool.name for tool in script.infos[0].function_tools] == ["read", "recall"]
    results = [text for role, text in lines(script.seen[-1]) if role == "tool"]
    assert 'recall("r2")' in results[0] and results[2].startswith("page 1 of the report")
    assert not any(tool.name == "recall" for tool in _tools(MASK))


def _tools(rules: str) -> list[Any]:
    script = Script([m.TextPart("Done.")])
    agent(script, TrimtabCapability(policy(rules))).run_sync("Go.")
    return script.infos[0].function_tools


def test_a_message_of_the_assistant_at_the_end_is_one_of_the_user() -> None:
    script = Script(call(1), [m.TextPart("Done.")])
    rule = 'rule r { when iteration == 1 do inject "Now I answer." as assistant for step }'
    assert agent(script, TrimtabCapability(policy(rule))).run_sync("Go.").output == "Done."
    assert lines(script.seen[-1])[-1] == ("user", "Now I answer.")


def test_a_removed_message_leaves_its_system_prompt() -> None:
    script = Script(*([m.TextPart(f"Answer {at}.")] for at in range(3)))
    made, history = agent(script, TrimtabCapability(policy("rule r { do drop older keep 2 messages }"))), list[m.ModelMessage]()
    for at in range(3):
        history = made.run_sync(f"Question {at}.", message_history=history).all_messages()
    first, *rest = script.seen[-1]
    assert isinstance(parts(first)[0], m.SystemPromptPart) and "Question 0." not in str(script.seen[-1])
    assert lines([first, *rest]) == [("user", "Question 1."), ("assistant", "Answer 1."), ("user", "Question 2.")]


def test_a_summary_comes_after_the_system_prompt() -> None:
    script = Script(*([m.TextPart(f"Answer {at}. " * 200)] for at in range(3)))
    rule = "rule r { when context.messages >= 5 do summarise older keep 1 messages pin none on_failure keep }"
    made, history = agent(script, TrimtabCapability(policy(rule), summarise="model")), list[m.ModelMessage]()
    for at in range(3):
        history = made.run_sync(f"Question {at}.", message_history=history).all_messages()
    assert [part.part_kind for part in parts(script.seen[-1][0])] == ["system-prompt", "user-prompt", "user-prompt"]
    assert "Summary 1." in str(script.seen[-1]) and "Question 1." not in str(script.seen[-1])


def test_conversations_do_not_mix(tmp_path: Path) -> None:
    capability = TrimtabCapability(policy(MASK), record=tmp_path)

    async def one(page: int) -> None:
        script = Script(call(page), call(page + 1), call(page + 2), [m.TextPart("Done.")])
        await agent(script, capability).run(f"Go to {page}.")
        results = [text for role, text in lines(script.seen[-1]) if role == "tool"]
        assert [f"page {page + at}" in text for at, text in enumerate(results)] == [True] * 3
        assert [len(text) < 300 for text in results] == [True, True, False]

    async def all_at_once() -> None:
        await asyncio.gather(*(one(page) for page in (10, 20, 30)))

    asyncio.run(all_at_once())
    assert len(list(tmp_path.iterdir())) == 3
