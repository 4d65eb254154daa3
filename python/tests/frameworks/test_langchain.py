"""The adapter for LangChain, in real agents with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain", reason="needs langchain and langgraph, see langchain.txt")

from langchain.agents import create_agent
from langchain.agents.middleware import ModelRetryMiddleware
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain.tools import tool
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.runtime import Runtime

import trimtab
from trimtab.langchain import TrimtabMiddleware

from common import CODING_POLICY, CODING_PROMPTS, CODING_TURNS, CODING_WINDOW, POLICY, Line
from common import call_text, check_coding_requests, simulated, write_note

#: A reply: content and calls, or an error.
Reply = AIMessage | Exception


class Scripted(BaseChatModel):
    """Gives its replies one after the other, and keeps what it gets. Whoever asks for a summary gets one."""

    replies: list[Any]
    seen: list[Any] = []
    tools: list[Any] = []
    summaries: list[Any] = []

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Any:
        self.tools.append([tool["name"] if isinstance(tool, dict) else tool.name for tool in tools])
        return self

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        if messages and "Reply with the summary only" in messages[0].text:
            self.summaries.append(messages)
            return AIMessage(f"Summary {len(self.summaries)}.")
        self.seen.append(messages)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        size = sum(len(message.text) for message in messages) // 4
        usage: Any = {"input_tokens": size, "output_tokens": 9, "total_tokens": size + 9}
        copy: AIMessage = reply.model_copy(update={"usage_metadata": usage})
        return copy

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])


class Streaming(Scripted):
    """Writes word by word."""

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        reply = self._next(messages)
        for word in reply.text.split():
            yield ChatGenerationChunk(message=AIMessageChunk(word + " "))
        chunks: Any = [
            {"name": call["name"], "args": f'{{"page": {call["args"]["page"]}}}', "id": call["id"], "index": at}
            for at, call in enumerate(reply.tool_calls)
        ]
        yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=chunks, usage_metadata=reply.usage_metadata))


@tool
def read(page: int) -> str:
    """Reads a page."""
    return f"Page {page} begins. " + "A line of the report. " * 80 + f"Page {page} ends."


def call(number: int) -> Any:
    return {"name": "read", "args": {"page": number}, "id": f"call_{number}"}


def turns(count: int, first: int = 1) -> list[Reply]:
    """Replies with a text and two parallel calls, and an answer."""
    numbers = range(first, first + count)
    return [*(AIMessage(f"Pages of turn {n}.", tool_calls=[call(2 * n), call(2 * n + 1)]) for n in numbers), AIMessage("All read.")]


def compiled(rule: str) -> trimtab.Policy:
    return trimtab.compile(f"edition 2026\n\npolicy p {{\n  rule r {{\n    {rule}\n  }}\n}}\n")


def model(*replies: Reply, kind: type[Scripted] = Scripted) -> Scripted:
    return kind(replies=list(replies), seen=[], tools=[], summaries=[])


def agent(script: Scripted, *middleware: Any, tools: Sequence[Any] = (read,), **options: Any) -> Any:
    return create_agent(script, tools, middleware=middleware, **{"system_prompt": "You read reports.", **options})


def thread(name: str = "a/b") -> Any:
    return {"configurable": {"thread_id": name}}


def ask(prompt: str = "Read the report.") -> Any:
    return {"messages": [HumanMessage(prompt)]}


#: How the placeholder of a masked result begins.
MASKED = "[tool result for read"


def lines(messages: Sequence[BaseMessage]) -> list[Line]:
    found: list[Line] = []
    for message in messages:
        role = {"human": "user", "ai": "assistant"}.get(message.type, message.type)
        parts = [message.content] if isinstance(message.content, str) else message.content
        found += [(role, part if isinstance(part, str) else part["text"]) for part in parts if part or role == "tool"]
        found += [(role, call_text(one["name"], one["args"])) for one in getattr(message, "tool_calls", ())]
    return found


def joined(contexts: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Contexts whose system prompt is one text."""
    after: list[list[Line]] = []
    for context in contexts:
        count = next(at for at, (role, _) in enumerate(context) if role != "system")
        after.append([("system", "\n\n".join(text for _, text in context[:count])), *context[count:]])
    return after


@pytest.mark.parametrize("kind", [Scripted, Streaming])
@pytest.mark.parametrize("is_asynchronous", [False, True])
def test_a_simulation_of_the_recording_says_what_was_sent(tmp_path: Path, kind: type[Scripted], is_asynchronous: bool) -> None:
    policy = tmp_path / "everything.trim"
    policy.write_text(POLICY.rstrip().removesuffix("}") + '  rule mode {\n    when iteration >= 1\n    do set mode "review"\n  }\n}\n')
    script = model(*turns(9), kind=kind)
    reader = agent(script, TrimtabMiddleware(policy, window=8_000, summarise="model", record=tmp_path / "recordings"))
    result = asyncio.run(reader.ainvoke(ask())) if is_asynchronous else reader.invoke(ask())
    sent = [lines(messages) for messages in script.seen]
    assert sent == joined(simulated(policy, tmp_path / "recordings"))
    assert script.summaries and len(result["messages"]) == 1 + 9 * 3 + 1, "the state has every message"
    texts = [text for _, text in sent[-1]]
    assert any("Summary 1." in text for text in texts) and any(text.startswith(MASKED) for text in texts)
    assert any("[trimmed]" in text for _, text in sent[2])
    assert "<mode>" in sent[-1][0][1] and ("user", "Stop and think before the next call.") in [line for lines in sent for line in lines]
    assert all(len(text) > 1_000 for message in result["messages"] if message.type == "tool" for text in [message.text])


def test_runs_under_the_policy_for_coding_agents_send_what_a_simulation_says(tmp_path: Path) -> None:
    first, second = CODING_TURNS
    script = model(*turns(first), *turns(second, first + 1))
    middleware = TrimtabMiddleware(CODING_POLICY, window=CODING_WINDOW, summarise="model", record=tmp_path / "recordings")
    reader = agent(script, middleware, tools=[read, write_note], checkpointer=InMemorySaver())
    for prompt in CODING_PROMPTS:
        reader.invoke(ask(prompt), thread())
    assert len(script.summaries) == 1
    sent = [lines(messages) for messages in script.seen]
    check_coding_requests(sent, joined(simulated(CODING_POLICY, tmp_path / "recordings")))


def test_objects_without_edits_are_the_same_and_edited_ones_keep_all_else() -> None:
    middleware = TrimtabMiddleware(compiled("when iteration >= 0\n do mask results keep 1 results\n then mask calls keep 2 messages"))
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "signed"}
    use = {"type": "tool_use", "id": "c1", "name": "read", "input": {"text": "x" * 900}}
    calls: Any = [{"name": "read", "args": {"text": "x" * 900}, "id": "c1"}, {"name": "read", "args": {"page": 2}, "id": "c2"}]
    content: Any = [thought, "A", {"type": "text", "text": "B", "cache_control": {"type": "ephemeral"}}, use]
    image = {"type": "image", "base64": "TWFu", "mime_type": "image/png"}
    said = AIMessage(content, tool_calls=calls, id="ai", response_metadata={"model_name": "m"}, additional_kwargs={"k": 1})
    parts: Any = [{"type": "text", "text": "y" * 900, "id": "t"}, image]
    first = ToolMessage(parts, tool_call_id="c1", id="one", artifact={"rows": 1}, name="read")
    second = ToolMessage("z" * 900, tool_call_id="c2", id="two")
    messages: Any = [HumanMessage("Go.", id="h"), said, first, second]
    system = SystemMessage("You read reports.")
    seen: list[ModelRequest[Any]] = []

    def handler(request: ModelRequest[Any]) -> ModelResponse[Any]:
        seen.append(request)
        return ModelResponse([AIMessage("Done.")])

    state: Any = {"messages": messages}
    request: Any = ModelRequest(
        model=model(), messages=messages, system_message=system, tools=[read], state=state, runtime=Runtime()
    )
    middleware.wrap_model_call(request, handler)
    [got] = seen
    assert got.system_message is system and got.messages[0] is messages[0] and got.messages[3] is second
    assert got.tools == [read]
    edited: Any = got.messages[2]
    assert edited is not first and isinstance(edited, ToolMessage)
    assert (edited.id, edited.artifact, edited.name, edited.tool_call_id) == ("one", {"rows": 1}, "read", "c1")
    assert edited.content[0]["id"] == "t" and edited.content[0]["text"].startswith(MASKED)
    reply: Any = got.messages[1]
    assert (reply.id, reply.response_metadata, reply.additional_kwargs) == ("ai", {"model_name": "m"}, {"k": 1})
    assert [reply.content[at] is said.content[at] for at in range(3)] == [True, True, True], "signed reasoning, texts and marks stay"
    assert list(reply.tool_calls[0]["args"]) == ["masked"] and reply.content[3]["input"] == reply.tool_calls[0]["args"]
    assert reply.tool_calls[1] == said.tool_calls[1]
    assert first.content == parts and said.content == content and use["input"] == {"text": "x" * 900}, "what was given stays"


def test_reasoning_and_images_can_be_removed() -> None:
    policy = compiled("when iteration >= 0\n do drop thinking keep 1 messages\n then drop images keep 1 messages")
    script = model(AIMessage("Done."))
    thinking: Any = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Yes."}]
    source = {"type": "base64", "media_type": "image/png", "data": "TWFu"}
    image: Any = [{"type": "text", "text": "This?"}, {"type": "image", "source": source}]
    history = [HumanMessage(image), AIMessage(thinking), HumanMessage("Go on.")]
    agent(script, TrimtabMiddleware(policy)).invoke({"messages": history})
    assert [message.content for message in script.seen[0][1:]] == [image[:1], thinking[1:], "Go on."]


def test_blocks_without_edits_are_the_same() -> None:
    policy = compiled("when iteration >= 0\n do trim results to 100 chars keep 0 results")
    script = model(AIMessage("Done."))
    image = {"type": "image", "base64": "TWFu", "mime_type": "image/png"}
    result: Any = ToolMessage(["y" * 900, image], tool_call_id="call_2")
    history = [HumanMessage("Go."), AIMessage("", tool_calls=[call(2)]), result]
    agent(script, TrimtabMiddleware(policy)).invoke({"messages": history})
    text, same = script.seen[0][-1].content
    assert text["text"].endswith("[trimmed]") and same is result.content[1]


@pytest.mark.parametrize("is_asynchronous", [False, True])
def test_a_stop_ends_the_run_with_its_reason_and_the_next_run_goes_on(tmp_path: Path, is_asynchronous: bool) -> None:
    policy = tmp_path / "stop.trim"
    policy.write_text('edition 2026\n\npolicy p {\n  rule r {\n    when iteration == 2\n    do stop "two are enough"\n  }\n}\n')
    script = model(*turns(2))
    reader = agent(script, TrimtabMiddleware(policy, record=tmp_path / "recordings"), checkpointer=InMemorySaver())

    def run() -> Any:
        result = asyncio.run(reader.ainvoke(ask(), thread())) if is_asynchronous else reader.invoke(ask(), thread())
        return result["messages"][-1]

    last = run()
    assert isinstance(last, AIMessage) and last.text == "r stops the run: two are enough" and not last.tool_calls
    assert len(script.seen) == 2
    script.replies[:] = [AIMessage("Again.")]
    assert run().text == "Again."
    assert [lines(messages) for messages in script.seen] == simulated(policy, tmp_path / "recordings")


@pytest.mark.parametrize("place", ["outside", "inside"])
def test_a_call_that_is_tried_again_is_one_call(tmp_path: Path, place: str) -> None:
    policy = tmp_path / "everything.trim"
    policy.write_text(POLICY)
    replies = turns(6)
    replies.insert(4, RuntimeError("overloaded"))
    script = model(*replies)
    middleware: list[Any] = [TrimtabMiddleware(policy, summarise="model", record=tmp_path / "recordings")]
    middleware.insert(0 if place == "outside" else 1, ModelRetryMiddleware(initial_delay=0, max_retries=1, on_failure="error"))
    agent(script, *middleware).invoke(ask())
    sent = [lines(messages) for messages in script.seen]
    assert sent[4] == sent[5], "the call is repeated as it was"
    assert sent[:4] + sent[5:] == simulated(policy, tmp_path / "recordings")


def test_a_saved_thread_continues_in_another_process(tmp_path: Path) -> None:
    policy = tmp_path / "everything.trim"
    policy.write_text(POLICY)
    saver = InMemorySaver()
    for run in range(2):
        script = model(*turns(5, 10 * run))
        summaries = ["the first process"] if run == 0 else []
        middleware = TrimtabMiddleware(policy, record=tmp_path / "recordings", summarise=lambda summary, texts=summaries: texts[0])
        result = agent(script, middleware, checkpointer=saver).invoke(ask(), thread())
        assert "trimtab" not in result, "the saved conversation is private"
    assert "the first process" in str(lines(script.seen[0])), "a summary is not written again"
    assert [lines(messages) for messages in script.seen] == simulated(policy, tmp_path / "recordings")[-len(script.seen) :]


def test_conversations_of_different_threads_are_apart(tmp_path: Path) -> None:
    middleware = TrimtabMiddleware(compiled("when iteration >= 3\n do mask results keep 1 results"), record=tmp_path)
    script = model(*turns(2), *turns(2))
    reader = agent(script, middleware, checkpointer=InMemorySaver())
    reader.invoke(ask(), thread("one"))
    reader.invoke(ask(), thread("two"))
    assert len(list(tmp_path.iterdir())) == 2
    assert MASKED not in str(script.seen)


def test_a_stream_has_the_reply_and_not_the_summary(tmp_path: Path) -> None:
    policy = tmp_path / "everything.trim"
    policy.write_text(POLICY)
    script = model(*turns(6), kind=Streaming)
    reader = agent(script, TrimtabMiddleware(policy, summarise="model"))
    chunks = [chunk.text for chunk, _ in reader.stream(ask(), stream_mode="messages") if isinstance(chunk, AIMessageChunk)]
    assert script.summaries and "Summary" not in "".join(chunks)
    assert "".join(chunks).endswith("All read. ")
    stopped = agent(model(*turns(3), kind=Streaming), TrimtabMiddleware(compiled('when iteration >= 2\n do stop "enough"')))
    assert [message.text for message, _ in stopped.stream(ask(), stream_mode="messages")][-1] == "r stops the run: enough"


@pytest.mark.parametrize("name", ["before_request", "abefore_request", "after_reply", "aafter_reply"])
def test_a_failure_of_the_policy_does_not_end_the_run(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr(trimtab.Session, name, fail)
    script = model(*turns(3))
    policy = compiled("when iteration >= 1\n do mask results keep 0 results")
    reader = agent(script, TrimtabMiddleware(policy), checkpointer=InMemorySaver())
    result = asyncio.run(reader.ainvoke(ask(), thread())) if name in ("abefore_request", "aafter_reply") else reader.invoke(ask(), thread())
    assert result["messages"][-1].text == "All read."
    assert "the policy p has" in caplog.text
    if "before" in name:
        assert MASKED not in str(script.seen)


def test_edits_that_cannot_be_applied_are_left_out(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("trimtab.langchain._replaced", lambda message, text: 1 / 0)
    script = model(*turns(3))
    result = agent(script, TrimtabMiddleware(compiled("when iteration >= 1\n do mask results keep 0 results"))).invoke(ask())
    assert result["messages"][-1].text == "All read." and "sent without them" in caplog.text and MASKED not in str(script.seen)


def test_hidden_tools_are_not_offered() -> None:
    script = model(*turns(2))
    agent(script, TrimtabMiddleware(compiled("when iteration >= 2\n do tools hide [read]"))).invoke(ask())
    assert script.tools == [["read"], ["read"]] and len(script.seen) == 3, "no tools are bound for the last call"


def test_additions_are_at_the_end_of_the_system_prompt() -> None:
    policy = compiled('when iteration >= 0\n do set mode "review"')
    marked: Any = [{"type": "text", "text": "You read reports.", "cache_control": {"type": "ephemeral"}}]
    for prompt, texts in (("You read reports.", None), (SystemMessage(marked, id="s"), marked), (None, None)):
        script = model(AIMessage("Done."))
        agent(script, TrimtabMiddleware(policy), system_prompt=prompt).invoke(ask())
        system, *rest = script.seen[0]
        assert isinstance(system, SystemMessage) and system.text.endswith("</variables>")
        assert [message.type for message in rest] == ["human"]
        assert texts is None or system.content[:1] == texts and system.id == "s"
        assert prompt is None or system.text.startswith("You read reports.")


def test_offloaded_content_can_be_recalled_also_in_another_process() -> None:
    policy = compiled("when iteration >= 2\n do offload results over 100 chars keep 2 results")
    saver = InMemorySaver()
    script = model(*turns(2))
    agent(script, TrimtabMiddleware(policy), checkpointer=saver).invoke(ask(), thread())
    assert script.tools[0] == ["recall", "read"]
    placeholder = next(text for role, text in lines(script.seen[-1]) if role == "tool")
    id = placeholder.split('recall("')[1].split('"')[0]
    for is_asynchronous in (False, True):
        recall: Any = {"name": "recall", "args": {"id": id}, "id": "r"}
        script = model(AIMessage("", tool_calls=[recall]), AIMessage("Done."))
        reader = agent(script, TrimtabMiddleware(policy), checkpointer=saver)
        result = asyncio.run(reader.ainvoke(ask(), thread())) if is_asynchronous else reader.invoke(ask(), thread())
        assert result["messages"][-2].text == read.invoke({"page": 2})


def test_sizes_are_those_of_the_provider() -> None:
    class Usage(Scripted):
        def _next(self, messages: list[BaseMessage]) -> AIMessage:
            details: Any = {"cache_read": 4_000, "cache_creation": 500}
            usage: Any = {"input_tokens": 9_000, "output_tokens": 10, "total_tokens": 9_010, "input_token_details": details}
            return super()._next(messages).model_copy(update={"usage_metadata": usage})

    policy = compiled("when context.tokens >= 9k tokens\n do mask results keep 0 results")
    script = model(*turns(2), kind=Usage)
    agent(script, TrimtabMiddleware(policy, window=200_000)).invoke(ask())
    assert [MASKED in str(messages) for messages in script.seen] == [False, True, True]
