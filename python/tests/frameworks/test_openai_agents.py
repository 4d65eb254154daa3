"""The adapter for the OpenAI Agents SDK, in real runs with a scripted model."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents", reason="needs openai-agents, see openai_agents.txt")

from agents import Agent, ModelRetrySettings, ModelSettings, RunConfig, Runner, SQLiteSession, function_tool, retry_policies
from agents import set_tracing_disabled
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import Response, ResponseCompletedEvent, ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from openai.types.responses import ResponseReasoningItem, ResponseTextDeltaEvent, ResponseUsage
from openai.types.responses.response_reasoning_item import Summary
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

import trimtab
from trimtab.openai_agents import InputFilter, RunStopped, input_filter

from common import CODING_POLICY, CODING_PROMPTS, CODING_TURNS, CODING_WINDOW, POLICY, Line
from common import call_text, check_coding_requests, simulated, write_note

set_tracing_disabled(True)
#: A reply: items, or an error.
Reply = Sequence[Any] | Exception
#: How the placeholder of a masked result begins.
MASKED = "[tool result for read"


class Scripted(Model):
    """Gives its replies one after the other, and keeps what it gets. Whoever asks for a summary gets one."""

    def __init__(self, *replies: Reply) -> None:
        self.replies, self.summaries, self.cached = list(replies), 0, 0
        self.seen: list[list[Any]] = []
        self.instructions: list[str | None] = []
        self.size: int | None = None

    def _next(self, instructions: str | None, items: Any) -> tuple[list[Any], int]:
        if instructions and "Reply with the summary only" in instructions:
            self.summaries += 1
            return [said(f"Summary {self.summaries}.", f"summary_{self.summaries}")], 9
        self.seen.append(list(items))
        self.instructions.append(instructions)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return list(reply), self.size or len(json.dumps(items)) // 4

    async def get_response(self, system_instructions: str | None, input: Any, *_: Any, **__: Any) -> ModelResponse:
        output, size = self._next(system_instructions, input)
        details = InputTokensDetails(cached_tokens=self.cached, cache_write_tokens=0)
        usage = Usage(requests=1, input_tokens=size, output_tokens=9, total_tokens=size + 9, input_tokens_details=details)
        return ModelResponse(output=output, usage=usage, response_id=None)

    async def stream_response(self, system_instructions: str | None, input: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        output, size = self._next(system_instructions, input)
        for item in output:
            for part in item.content if isinstance(item, ResponseOutputMessage) else ():
                yield ResponseTextDeltaEvent(
                    type="response.output_text.delta", delta=part.text, item_id=item.id, output_index=0, content_index=0,
                    sequence_number=0, logprobs=[],
                )  # fmt: skip
        usage = ResponseUsage(
            input_tokens=size, output_tokens=9, total_tokens=size + 9,
            input_tokens_details=InputTokensDetails(cached_tokens=0, cache_write_tokens=0),
            output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
        )  # fmt: skip
        response = Response(
            id="r", created_at=0, model="m", object="response", output=output, tools=[], tool_choice="auto", parallel_tool_calls=True,
            usage=usage,
        )  # fmt: skip
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=1)


def said(text: str, id: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id=id, role="assistant", status="completed", type="message", content=[part])


def thought(number: int) -> ResponseReasoningItem:
    summary = [Summary(text=f"I need page {number}.", type="summary_text")]
    return ResponseReasoningItem(id=f"rs_{number}", type="reasoning", summary=summary, encrypted_content=f"signed {number}")


def call(number: int, name: str = "read", **arguments: Any) -> ResponseFunctionToolCall:
    text = json.dumps(arguments or {"page": number})
    return ResponseFunctionToolCall(id=f"fc_{number}", call_id=f"call_{number}", name=name, arguments=text, type="function_call")


def turns(count: int, first: int = 1) -> list[Reply]:
    """Replies with reasoning, a text and two parallel calls, and an answer."""
    numbers = range(first, first + count)
    calling: list[Reply] = [[thought(n), said(f"Page {n}.", f"m_{n}"), call(2 * n), call(2 * n + 1)] for n in numbers]
    return [*calling, [said("All read.", f"end_{first}")]]


def read(page: int) -> str:
    """Reads a page."""
    return f"Page {page} begins. " + "A line of the report. " * 80 + f"Page {page} ends."


def agent(model: Model, *tools: Any, **options: Any) -> Agent[Any]:
    return Agent(name="reader", model=model, tools=[function_tool(read), *tools], **{"instructions": "You read reports.", **options})


def run(reader: Agent[Any], edits: InputFilter, streams: bool = False, **options: Any) -> Any:
    config = RunConfig(call_model_input_filter=edits)
    options = {"input": "Read the report.", "run_config": config, "hooks": edits, "max_turns": 99, **options}
    if not streams:
        return asyncio.run(Runner.run(reader, **options))

    async def streamed() -> Any:
        result = Runner.run_streamed(reader, **options)
        data = [event.data async for event in result.stream_events() if event.type == "raw_response_event"]
        return result, [event.delta for event in data if isinstance(event, ResponseTextDeltaEvent)]

    return asyncio.run(streamed())


def compiled(rule: str) -> trimtab.Policy:
    return trimtab.compile(f"edition 2026\n\npolicy p {{\n  rule r {{\n    {rule}\n  }}\n}}\n")


def written(folder: Path, text: str = POLICY) -> Path:
    path = folder / "policy.trim"
    path.write_text(text)
    return path


def lines(items: list[Any], instructions: str | None = None) -> list[Line]:
    found: list[Line] = [] if instructions is None else [("system", instructions)]
    for item in items:
        match item:
            case {"type": "function_call"}:
                found.append(("assistant", call_text(item["name"], json.loads(item["arguments"]))))
            case {"type": "function_call_output"}:
                found.append(("tool", item["output"]))
            case {"type": "reasoning"}:
                found.append(("assistant", item["summary"][0]["text"]))
            case {"content": str(text)}:
                found.append((item["role"], text))
            case _:
                found += [(item["role"], part["text"]) for part in item["content"]]
    return found


def sent(model: Scripted) -> list[list[Line]]:
    return [lines(items, instructions) for items, instructions in zip(model.seen, model.instructions, strict=True)]


def joined(contexts: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Contexts whose instructions are one text."""
    after: list[list[Line]] = []
    for context in contexts:
        count = next(at for at, (role, _) in enumerate(context) if role != "system")
        after.append([("system", "\n\n".join(text for _, text in context[:count])), *context[count:]])
    return after


@pytest.mark.parametrize("streams", [False, True])
def test_a_simulation_of_the_recording_says_what_was_sent(tmp_path: Path, streams: bool) -> None:
    mode = '  rule mode {\n    when iteration >= 1\n    do set mode "review"\n  }\n}\n'
    policy = written(tmp_path, POLICY.rstrip().removesuffix("}") + mode)
    model = Scripted(*turns(9))
    result = run(agent(model), input_filter(policy, window=8_000, summarise="model", record=tmp_path / "recordings"), streams)
    contexts = sent(model)
    assert contexts == joined(simulated(policy, tmp_path / "recordings"))
    texts = [text for _, text in contexts[-1]]
    assert model.summaries and any("Summary 1." in text for text in texts) and any(text.startswith(MASKED) for text in texts)
    assert any("[trimmed]" in text for _, text in contexts[2]) and "<mode>" in texts[0]
    assert ("user", "Stop and think before the next call.") in [line for context in contexts for line in context]
    if streams:
        result, deltas = result
        assert "All read." in deltas and not any("Summary" in delta for delta in deltas)
    outputs = [item["output"] for item in result.to_input_list() if item.get("type") == "function_call_output"]
    assert len(outputs) == 18 and all(len(output) > 1_000 for output in outputs), "the history of the run has no edits"


def test_runs_under_the_policy_for_coding_agents_send_what_a_simulation_says(tmp_path: Path) -> None:
    first, second = CODING_TURNS
    model, session = Scripted(*turns(first), *turns(second, first + 1)), SQLiteSession("s")
    edits = input_filter(CODING_POLICY, window=CODING_WINDOW, summarise="model", record=tmp_path / "recordings")
    for prompt in CODING_PROMPTS:
        run(agent(model, function_tool(write_note)), edits, session=session, input=prompt)
    assert model.summaries == 1
    check_coding_requests(sent(model), joined(simulated(CODING_POLICY, tmp_path / "recordings")))


def test_items_without_edits_are_the_same_and_edited_ones_keep_all_else() -> None:
    from agents.run import CallModelData, ModelInputData

    items: list[Any] = [
        {"role": "user", "content": "Go."},
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "signed"},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "read", "arguments": '{"page": 1}', "status": "completed"},
        {"type": "function_call_output", "call_id": "c1", "output": "x" * 900, "id": "out", "status": "completed"},
        {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "read", "arguments": '{"page": 2}'},
        {"type": "function_call_output", "call_id": "c2", "output": "y" * 900},
    ]
    before = copy.deepcopy(items)

    def asked(rule: str) -> tuple[CallModelData[Any], ModelInputData]:
        given = ModelInputData(input=list(items), instructions="You read reports.")
        data: CallModelData[Any] = CallModelData(model_data=given, agent=agent(Scripted()), context=None)
        return data, asyncio.run(input_filter(compiled(rule))(data))

    data, got = asked("when iteration >= 0\n do mask results keep 1 results")
    assert got.instructions == "You read reports." and len(got.input) == 6
    assert [new is old for new, old in zip(got.input, items, strict=True)] == [True, True, True, False, True, True]
    edited: Any = got.input[3]
    assert edited["output"].startswith(MASKED) and {**edited, "output": ""} == {**items[3], "output": ""}
    assert items == before, "what was given stays"
    data, got = asked("when iteration >= 9\n do mask results")
    assert got is data.model_data


@pytest.mark.parametrize("streams", [False, True])
def test_a_stop_ends_the_run_with_its_reason_and_the_next_run_goes_on(tmp_path: Path, streams: bool) -> None:
    policy = written(tmp_path, 'edition 2026\n\npolicy p {\n  rule r {\n    when iteration == 2\n    do stop "two are enough"\n  }\n}\n')
    model, session = Scripted(*turns(2)), SQLiteSession("s")
    edits = input_filter(policy, key="s", record=tmp_path / "recordings")
    with pytest.raises(RunStopped, match="r stops the run: two are enough") as caught:
        run(agent(model), edits, streams, session=session)
    stopped = caught.value
    assert isinstance(stopped, trimtab.Stopped) and (stopped.rule, stopped.reason) == ("r", "two are enough")
    assert stopped.run_data and len(stopped.run_data.raw_responses) == 2 and len(model.seen) == 2
    asyncio.run(session.add_items([stopped.item]))
    model.replies[:] = [[said("Again.", "m_9")]]
    assert run(agent(model), edits, session=session, input="Go on.").final_output == "Again."
    assert sent(model) == simulated(policy, tmp_path / "recordings")


def test_a_stop_is_raised_again_until_the_history_has_a_reply() -> None:
    model, session = Scripted(*turns(2)), SQLiteSession("s")
    edits = input_filter(compiled('when iteration == 2\n do stop "two are enough"'))
    for text in ("Go.", "Go on."):
        with pytest.raises(RunStopped):
            run(agent(model), edits, session=session, input=text)
    assert len(model.seen) == 2


@pytest.mark.parametrize("streams", [False, True])
def test_a_call_that_is_tried_again_is_one_call(tmp_path: Path, streams: bool) -> None:
    policy = written(tmp_path)
    replies = turns(6)
    replies.insert(4, RuntimeError("overloaded"))
    model = Scripted(*replies)
    retry = ModelRetrySettings(max_retries=1, backoff={"initial_delay": 0}, policy=lambda _: True)
    reader = agent(model, model_settings=ModelSettings(retry=retry))
    run(reader, input_filter(policy, summarise="model", record=tmp_path / "recordings"), streams)
    contexts = sent(model)
    assert contexts[4] == contexts[5], "the call is repeated as it was"
    assert contexts[:4] + contexts[5:] == simulated(policy, tmp_path / "recordings")


def test_a_saved_conversation_continues_in_another_process(tmp_path: Path) -> None:
    policy, session = written(tmp_path), SQLiteSession("s")
    model = Scripted(*turns(5))
    first = input_filter(policy, key="s", record=tmp_path / "recordings", summarise=lambda summary: "The first process.")
    run(agent(model), first, session=session)
    saved = first.save("s")
    assert saved and first.save("t") is None
    model = Scripted(*turns(5, 10))
    second = input_filter(policy, key="s", record=tmp_path / "recordings")
    second.restore("s", saved)
    run(agent(model), second, session=session, input="Go on.")
    contexts = sent(model)
    assert "The first process." in str(contexts[0]), "a summary is not written again"
    assert contexts == simulated(policy, tmp_path / "recordings")[-len(contexts) :]


def test_conversations_of_different_keys_are_apart(tmp_path: Path) -> None:
    edits = input_filter(compiled("when iteration >= 3\n do mask results"), key=lambda data: str(data.context), record=tmp_path)
    model = Scripted(*turns(2), *turns(2))
    for key in ("one", "two/three"):
        run(agent(model), edits, context=key)
    assert sorted(path.name.split("-")[0] for path in tmp_path.iterdir()) == ["one", "two_three"]
    assert MASKED not in str(model.seen)


@pytest.mark.parametrize("name", ["abefore_request", "aafter_reply"])
def test_a_failure_of_the_policy_does_not_end_the_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr(trimtab.Session, name, fail)
    model = Scripted(*turns(3))
    result = run(agent(model), input_filter(compiled("when iteration >= 1\n do mask results keep 0 results")))
    assert result.final_output == "All read." and "the policy p has" in caplog.text
    assert (MASKED in str(model.seen)) == (name == "aafter_reply")


def test_edits_that_cannot_be_applied_are_left_out(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("trimtab.openai_agents.apply", lambda *_: 1 / 0)
    model = Scripted(*turns(3))
    result = run(agent(model), input_filter(compiled("when iteration >= 1\n do mask results keep 0 results")))
    assert result.final_output == "All read." and "sent without them" in caplog.text and MASKED not in str(model.seen)


def test_additions_are_at_the_end_of_the_instructions() -> None:
    policy = compiled('when iteration >= 0\n do set mode "review"')
    for instructions, start in (("You read reports.", "You read reports.\n\n<variables>"), (None, "<variables>")):
        model = Scripted([said("Done.", "m")])
        run(agent(model, instructions=instructions), input_filter(policy))
        [[context]] = [sent(model)]
        assert context[0][0] == "system" and context[0][1].startswith(start) and context[1:] == [("user", "Read the report.")]


def test_sections_of_the_instructions_can_be_hidden() -> None:
    model = Scripted([said("Done.", "m")])
    instructions = "<examples>\nMany.\n</examples>\nRead."
    run(agent(model, instructions=instructions), input_filter(compiled("when iteration >= 0\n do systems hide [examples]")))
    assert model.instructions[0] and "Many." not in model.instructions[0] and "Read." in model.instructions[0]


def test_offloaded_content_can_be_recalled_also_in_another_process() -> None:
    policy = compiled("when iteration >= 2\n do offload results over 100 chars keep 2 results")
    model, session = Scripted(*turns(2)), SQLiteSession("s")
    edits = input_filter(policy, key="s")
    assert input_filter(compiled("when iteration >= 2\n do mask results")).tools == []
    run(agent(model, *edits.tools), edits, session=session)
    placeholder = next(text for role, text in sent(model)[-1] if role == "tool")
    id, saved = placeholder.split('recall("')[1].split('"')[0], edits.save("s")
    assert saved
    model = Scripted([call(99, "recall", id=id)], [said("Done.", "m_done")])
    again = input_filter(policy, key="s")
    again.restore("s", saved)
    result = run(agent(model, *again.tools), again, session=session, input="Once more.")
    assert result.to_input_list()[-2]["output"] == read(2)


def test_sizes_are_those_of_the_provider() -> None:
    policy = compiled("when context.tokens >= 9k tokens\n do mask results keep 0 results")
    for hooks, masks in ((True, [False, True, True]), (False, [False, False, False])):
        model = Scripted(*turns(2))
        model.size, model.cached = 9_000, 4_000
        edits = input_filter(policy, window=200_000)
        run(agent(model), edits, **({} if hooks else {"hooks": None}))
        assert [MASKED in str(items) for items in model.seen] == masks
