"""The adapter for the Agent Development Kit, in real agents with a scripted model."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk", reason="needs google-adk, see google_adk.txt")

from google.adk.agents import LlmAgent, SequentialAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.events.event import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types
from pydantic import BaseModel, PrivateAttr

import trimtab
from trimtab.google_adk import TrimtabPlugin

from common import CODING_POLICY, CODING_PROMPTS, CODING_TURNS, CODING_WINDOW, POLICY, Line
from common import call_text, check_coding_requests, simulated, write_note

PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000280000001e0")
Reply = Sequence[types.Part] | Exception


class Script(BaseLlm):
    """Gives its replies one after the other, and keeps what it gets. Whoever asks for a summary gets one."""

    model: str = "gemini-2.5-pro"
    _replies: list[Reply] = PrivateAttr(default_factory=list)
    _seen: list[LlmRequest] = PrivateAttr(default_factory=list)
    _summaries: int = PrivateAttr(default=0)

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        if "Reply with the summary only" in str(llm_request.config.system_instruction):
            self._summaries += 1
            yield LlmResponse(content=types.ModelContent(f"Summary {self._summaries}."))
            return
        self._seen.append(llm_request.model_copy(update={"contents": copy.deepcopy(llm_request.contents)}))
        # The framework gives ids to the calls of a reply.
        reply = copy.deepcopy(self._replies.pop(0))
        if isinstance(reply, Exception):
            raise reply
        for part in reply if stream else ():
            if part.text:
                for text in (part.text[:3], part.text[3:]):
                    content = types.Content(role="model", parts=[types.Part(text=text, thought=part.thought)])
                    yield LlmResponse(content=content, partial=True)
        size = sum(len(text) for _, text in lines(llm_request)) // 4
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=size, cached_content_token_count=size // 2, candidates_token_count=9, total_token_count=size + 9
        )
        content = types.Content(role="model", parts=list(reply))
        yield LlmResponse(content=content, usage_metadata=usage, model_version=self.model)


def script(*replies: Reply) -> Script:
    made = Script()
    made._replies.extend(replies)
    return made


def lines(request: LlmRequest) -> list[Line]:
    """What the model gets besides the system instruction."""
    found: list[Line] = []
    for content in request.contents:
        role = "assistant" if content.role == "model" else "user"
        for part in content.parts or []:
            if part.thought_signature and not part.thought:
                found.append((role, ""))
            if part.function_call:
                found.append((role, call_text(part.function_call.name or "", part.function_call.args)))
            elif part.function_response:
                found.append(("tool", next(iter((part.function_response.response or {}).values()))))
            else:
                found.append((role, part.text or ""))
    return found


def call(*pages: int) -> list[types.Part]:
    """A reply that calls the tool once for each page, in parallel."""
    calls = [types.Part(function_call=types.FunctionCall(name="read", args={"page": page})) for page in pages]
    calls[0].thought_signature = b"\xffsigned"
    return [types.Part(text=f"I need {pages}.", thought=True), *calls]


def text(words: str) -> list[types.Part]:
    return [types.Part(text=words)]


def turns(count: int, first: int = 1) -> list[Reply]:
    """Replies with reasoning and two parallel calls, and an answer."""
    numbers = range(first, first + count)
    return [*(call(2 * n, 2 * n + 1) for n in numbers), text("All read.")]


def read(page: int) -> dict[str, str]:
    """Reads a page."""
    return {"result": f"page {page} " + "of the report " * 200}


def policy(rules: str) -> trimtab.Policy:
    return trimtab.compile(f"edition 2026\npolicy p {{ {rules} }}")


class Spy(BasePlugin):
    """Keeps contents as the same objects, and the state of the session at each request."""

    def __init__(self, name: str = "spy") -> None:
        super().__init__(name)
        self.contents: list[list[types.Content]] = []

    async def before_model_callback(self, *, callback_context: Any, llm_request: LlmRequest) -> None:
        self.contents.append(list(llm_request.contents))


class App:
    """A runner with a session in memory or, if a folder is given, in a file, as another process has it."""

    def __init__(
        self, model: Script, *plugins: BasePlugin, folder: Path | None = None, agent: Any = None, stream: bool = False, **options: Any
    ) -> None:
        memory: Any = InMemorySessionService
        self.service: BaseSessionService = memory() if folder is None else SqliteSessionService(str(folder / "sessions.db"))
        options = {"tools": [read], "instruction": "You read reports.", **options}
        agent = agent or LlmAgent(name="reader", model=model, **options)
        self.runner = Runner(app_name="app", agent=agent, session_service=self.service, plugins=list(plugins))
        self.config = RunConfig(streaming_mode=StreamingMode.SSE) if stream else RunConfig()

    async def say(self, words: str | list[types.Part], session: str = "s") -> list[Event]:
        known: dict[str, Any] = {"app_name": "app", "user_id": "u", "session_id": session}
        if await self.service.get_session(**known) is None:
            await self.service.create_session(**known)
        message = types.Content(role="user", parts=text(words) if isinstance(words, str) else words)
        run = self.runner.run_async(user_id="u", session_id=session, new_message=message, run_config=self.config)
        return [event async for event in run]

    async def events(self) -> list[Event]:
        session = await self.service.get_session(app_name="app", user_id="u", session_id="s")
        assert session is not None
        return session.events


def say(app: App, *words: str | list[types.Part]) -> list[Event]:
    """The events of the last run."""

    async def all_of_them() -> list[Event]:
        events: list[Event] = []
        for one in words:
            events = await app.say(one)
        return events

    return asyncio.run(all_of_them())


def results(request: LlmRequest) -> list[str]:
    return [words for role, words in lines(request) if role == "tool"]


TEN = [call(1, 2), *(call(page) for page in range(3, 11))]


@pytest.mark.parametrize("stream", [False, True])
def test_what_is_sent_is_what_a_simulation_says(tmp_path: Path, stream: bool) -> None:
    file, records = tmp_path / "policy.trim", tmp_path / "records"
    file.write_text(POLICY)
    model = script(*TEN, text("Ten pages."), call(11), text("Eleven."))
    plugin = TrimtabPlugin(file, summarise="model", window=20_000, record=records)
    app = App(model, plugin, stream=stream)
    events = say(app, "Read ten pages.", "One more.")
    assert any(event.partial for event in events) is stream
    expected = simulated(file, records)
    assert [lines(request) for request in model._seen] == expected
    sent = [words for messages in expected for _, words in messages]
    assert model._summaries == 2 and any("Summary 1." in words for words in sent) and any("Summary 2." in words for words in sent)
    assert any("Stop and think" in words for words in sent) and any("[trimmed]" in words for words in sent)
    assert any(words.startswith("[tool result") for words in sent)
    kept = str([event.content for event in asyncio.run(app.events())])
    assert "Summary" not in kept and "Stop and think" not in kept and "page 11" in kept
    assert all("You read reports." in str(request.config.system_instruction) for request in model._seen)


def test_runs_under_the_policy_for_coding_agents_send_what_a_simulation_says(tmp_path: Path) -> None:
    first, second = CODING_TURNS
    model = script(*turns(first), *turns(second, first + 1))
    plugin = TrimtabPlugin(CODING_POLICY, summarise="model", window=CODING_WINDOW, record=tmp_path / "records")
    say(App(model, plugin, tools=[read, write_note]), *CODING_PROMPTS)
    assert model._summaries == 1
    check_coding_requests([lines(request) for request in model._seen], simulated(CODING_POLICY, tmp_path / "records"))


MASK = "rule mask { when iteration >= 2 do mask results keep 1 results }"


def test_contents_without_edits_are_the_same_objects() -> None:
    before, after = Spy("before"), Spy("after")
    model = script(call(1, 2), call(3), call(4), text("Done."))
    say(App(model, before, TrimtabPlugin(policy(MASK)), after), "Go.")
    given, sent = before.contents[-1], after.contents[-1]
    assert [one is other for one, other in zip(sent, given)] == [True, True, False, True, False, True, True]
    edited, original = sent[2].parts or [], given[2].parts or []
    assert len(edited) == len(original) == 2
    for part, raw in zip(edited, original):
        assert part.function_response and raw.function_response and part.function_response.response != raw.function_response.response
        part.function_response.response = raw.function_response.response
    assert edited == original, "nothing but the content has changed"


def test_parts_of_an_edited_content_that_have_no_edit_are_the_same_objects() -> None:
    before, after = Spy("before"), Spy("after")
    rule = "rule mask { when iteration >= 1 do mask results keep 2 results }"
    say(App(script(call(1, 2), call(3), text("Done.")), before, TrimtabPlugin(policy(rule)), after), "Go.")
    edited, original = after.contents[-1][2], before.contents[-1][2]
    assert edited is not original and [a is b for a, b in zip(edited.parts or [], original.parts or [])] == [False, True]


def test_calls_are_edited_and_keep_their_signatures() -> None:
    long = types.Part(function_call=types.FunctionCall(name="read", args={"page": 1, "why": "a" * 500}), thought_signature=b"\xffs")
    before, after = Spy("before"), Spy("after")
    model = script([long], call(2), text("Done."))
    say(App(model, before, TrimtabPlugin(policy("rule c { do mask calls keep 2 messages }")), after), "Go.")
    (part,), (raw,) = after.contents[-1][1].parts or [], before.contents[-1][1].parts or []
    assert part.thought_signature == raw.thought_signature == b"\xffs"
    assert part.function_call and raw.function_call and part.function_call.id == raw.function_call.id
    assert len(str(part.function_call.args)) < 300 < len(str(raw.function_call.args))


def test_a_run_that_failed_goes_on(tmp_path: Path) -> None:
    file, records = tmp_path / "policy.trim", tmp_path / "records"
    file.write_text(POLICY)
    model = script(*TEN, RuntimeError("overloaded"), text("Done."), text("Yes."))
    app = App(model, TrimtabPlugin(file, summarise="model", window=20_000, record=records))
    with pytest.raises(RuntimeError, match="overloaded"):
        say(app, "Read ten pages.")
    say(app, "Try again.")
    failed, again = lines(model._seen[9]), lines(model._seen[10])
    assert again[: len(failed)] == failed and again[-1] == ("user", "Try again.")


class Retry(BasePlugin):
    """Answers an error with the reply of another model."""

    async def on_model_error_callback(self, *, callback_context: Any, llm_request: LlmRequest, error: Exception) -> LlmResponse:
        return LlmResponse(content=types.ModelContent(f"Sorry: {error}."))


def test_an_error_that_a_plugin_answers_is_a_reply(tmp_path: Path) -> None:
    file, records = tmp_path / "policy.trim", tmp_path / "records"
    file.write_text(POLICY)
    model = script(*TEN, RuntimeError("overloaded"), text("Yes."))
    app = App(model, TrimtabPlugin(file, summarise="model", window=20_000, record=records), Retry("retry"))
    say(app, "Read ten pages.", "Really?")
    assert [lines(request) for request in model._seen] == simulated(file, records)
    assert ("assistant", "Sorry: overloaded.") in lines(model._seen[-1])


SUMMARISE = "rule s { when context.messages >= 18 do summarise older keep 4 messages on_failure keep cooldown 20 iterations }"


def test_a_session_goes_on_in_another_process(tmp_path: Path) -> None:
    first = script(*TEN, text("Ten pages."))
    say(App(first, TrimtabPlugin(policy(SUMMARISE), summarise="model"), folder=tmp_path), "Read ten pages.")
    assert first._summaries == 1
    second = script(text("Yes."), text("Yes."))
    app = App(second, TrimtabPlugin(policy(SUMMARISE), summarise="model"), folder=tmp_path)
    say(app, "Is that all?")
    before, after = lines(first._seen[-1]), lines(second._seen[0])
    assert second._summaries == 0 and after[: len(before)] == before
    deltas = [event.actions.state_delta for event in asyncio.run(app.events())]
    assert sum("trimtab:reader" in delta for delta in deltas) == 2, "saved with each reply that ends a run"
    assert all(isinstance(value, str) for delta in deltas for value in delta.values())
    # Under another policy, the conversation begins anew.
    say(App(second, TrimtabPlugin(policy(MASK)), folder=tmp_path), "Sure?")
    assert len(results(second._seen[1])) == 10 and "Summary" not in str(lines(second._seen[1]))


def test_a_function_or_another_model_writes_summaries() -> None:
    async def summarise(summary: trimtab.Summary) -> str:
        await asyncio.sleep(0)
        return f"{len(summary.transcript)} characters"

    other = script()
    summarisers: list[tuple[Any, str]] = [(summarise, " characters\n"), (other, "Summary 1.")]
    for summariser, words in summarisers:
        model = script(*TEN, text("Done."))
        say(App(model, TrimtabPlugin(policy(SUMMARISE), summarise=summariser)), "Go.")
        assert any(words in line for _, line in lines(model._seen[-1])) and model._summaries == 0
    assert other._summaries == 1


STOP = 'rule enough { when iteration >= 1 do stop "one call is enough" }'


@pytest.mark.parametrize("stream", [False, True])
def test_a_stop_ends_the_run_with_its_reason(stream: bool) -> None:
    model = script(call(1), call(2))
    app = App(model, TrimtabPlugin(policy(STOP)), stream=stream)
    last = say(app, "Go.")[-1]
    assert len(model._seen) == 1 and last.content and last.content.parts and last.content.parts[0].text == "one call is enough"
    assert "trimtab:reader" in last.actions.state_delta
    # A new message begins a new run.
    last = say(app, "Go on.")[-1]
    assert len(model._seen) == 2 and lines(model._seen[-1])[-1] == ("user", "Go on.")


class Answer(BaseModel):
    pages: int


def test_a_stop_is_an_error_if_the_output_has_a_schema() -> None:
    model = script(text('{"pages": 1}'))
    rule = 'rule never { do stop "not today" }'
    app = App(model, TrimtabPlugin(policy(rule)), output_schema=Answer, output_key="answer", tools=[])
    last = say(app, "Go.")[-1]
    assert not model._seen and last.error_code == "TRIMTAB_STOP" and last.error_message == "never stops the run: not today"


@pytest.mark.parametrize("fault", ["abefore_request", "aafter_reply", "edits"])
def test_a_failure_of_the_policy_does_not_end_the_run(
    fault: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: Any, **options: Any) -> Any:
        raise RuntimeError("broken")

    if fault == "edits":
        monkeypatch.setattr("trimtab.google_adk._applied", fail)
    else:
        monkeypatch.setattr(trimtab.Session, fault, fail)
    model = script(call(1, 2), call(3), call(4), text("Done."))
    last = say(App(model, TrimtabPlugin(policy(MASK))), "Go.")[-1]
    assert last.content and last.content.parts and last.content.parts[0].text == "Done." and "broken" in caplog.text
    assert all(words.startswith("page") for words in results(model._seen[-1])) is (fault != "aafter_reply")


def test_additions_to_the_system_instruction_and_hidden_tools() -> None:
    def find(word: str) -> str:
        """Finds a word."""
        return word

    rules = """rule mode { when iteration == 1 do set mode "review" }
    rule some { when iteration == 2 do tools hide [read] } rule all { when iteration == 3 do tools hide [read, find] }"""
    model = script(call(1), call(2), call(3), call(4), text("Done."))
    say(App(model, TrimtabPlugin(policy(rules)), tools=[read, find]), "Go.")
    instructions = [str(request.config.system_instruction) for request in model._seen]
    assert all("You read reports." in words for words in instructions)
    assert ["review" in words for words in instructions] == [False, True, False, False, False]
    tools: list[list[Any]] = [list(request.config.tools or []) for request in model._seen]
    declared = [[function.name for tool in one for function in tool.function_declarations] for one in tools]
    assert declared == [["read", "find"], ["read", "find"], ["find"], [], ["read", "find"]]


def test_images_are_masked() -> None:
    image = types.Part.from_bytes(data=PNG, mime_type="image/png")
    model, spy = script(text("One."), text("Two."), text("Three.")), Spy()
    app = App(model, TrimtabPlugin(policy("rule images { do mask images keep 1 messages }")), spy)
    say(app, [types.Part(text="Look:"), image], "And now?", [types.Part(text="Again:"), image])
    first, last = spy.contents[-1][0].parts or [], spy.contents[-1][-1].parts or []
    assert first[0].text == "Look:" and "image/png" in (first[1].text or "") and first[1].inline_data is None
    assert last[1].inline_data and last[1].inline_data.data == PNG


def test_offloaded_results_are_recalled() -> None:
    recall = [types.Part(function_call=types.FunctionCall(name="recall", args={"id": "r2"}))]
    model = script(call(1), call(2), recall, text("Done."))
    rule = "rule o { when iteration >= 1 do offload results keep 1 results }"
    say(App(model, TrimtabPlugin(policy(rule))), "Go.")
    assert list(model._seen[0].tools_dict) == ["read", "recall"]
    found = results(model._seen[-1])
    assert 'recall("r2")' in found[0] and found[2].startswith("page 1 of the report")


def test_agents_have_conversations_of_their_own(tmp_path: Path) -> None:
    model = script(call(1), call(2), call(3), text("Done."), call(4), call(5), call(6), text("Done too."))
    agents: list[Any] = [LlmAgent(name=name, model=model, tools=[read], include_contents="none") for name in ("one", "two")]
    plugin = TrimtabPlugin(policy(MASK), record=tmp_path / "records")
    app = App(model, plugin, agent=SequentialAgent(name="both", sub_agents=agents))
    say(app, "Go.")
    for at in (3, 7):
        assert [len(words) < 300 for words in results(model._seen[at])] == [True, True, False]
    assert len(list((tmp_path / "records").iterdir())) == 2
    state = [key for event in asyncio.run(app.events()) for key in event.actions.state_delta]
    assert state == ["trimtab:one", "trimtab:two"]
