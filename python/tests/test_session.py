"""Live sessions."""

import asyncio
import json
import threading
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

import trimtab

POLICY = """edition 2026

policy reader {
  rule mask {
    when context.tokens > 1k tokens
    do mask results keep 1 results
  }

  rule summarise {
    when context.messages >= 12
    do summarise older keep 4 messages
    on_failure keep
    cooldown 8 iterations
  }

  rule nine_calls {
    when iteration >= 9
    do stop "nine calls are enough"
  }
}
"""
USAGE = {"prompt_tokens": 100, "completion_tokens": 5}


def policy(text: str = POLICY) -> trimtab.Policy:
    return trimtab.compile(text)


def reply(index: int) -> dict[str, Any]:
    function = {"name": "read", "arguments": json.dumps({"page": index})}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{index}", "type": "function", "function": function}]}


def history(calls: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Read the report."}]
    for index in range(calls):
        messages += [reply(index), {"role": "tool", "tool_call_id": f"c{index}", "content": f"page {index} " * 300}]
    return messages


def body(calls: int) -> dict[str, Any]:
    return {"model": "gpt-5", "messages": history(calls)}


def test_a_request_without_edits_is_the_same_object() -> None:
    given = body(1)
    request = policy().session("openai_chat", window=8_000).before_request(given)
    assert request.body is given and request.firings == []
    text = json.dumps(given)
    assert policy().session("openai_chat", window=8_000).before_request(text).body is text


def test_an_edited_request_has_the_type_that_was_given() -> None:
    for given in (body(4), body(4)["messages"], json.dumps(body(4))):
        request = policy().session("openai_chat", window=8_000).before_request(given)
        assert type(request.body) is type(given)
        sent = json.loads(request.body) if isinstance(request.body, str) else request.body
        messages = sent["messages"] if isinstance(sent, dict) else sent
        assert len(messages) == 9 and len(messages[2]["content"]) < 200 < len(messages[-1]["content"])
        assert {firing.rule for firing in request.firings} == {"mask"}
        assert all(firing.tokens_saved > 0 and firing.edits == 1 for firing in request.firings)
        assert [edit.kind for edit in request.edits].count("replace") == 3
        assert request.tokens < 2_000
    assert body(4) == body(4), "what is given is not changed"


def test_a_session_edits_again_what_it_has_edited() -> None:
    session = policy().session("openai_chat", window=8_000)
    first = session.before_request(body(3)).body
    session.after_reply(reply(3), usage=USAGE)
    second = session.before_request(body(4)).body
    assert second["messages"][: len(first["messages"]) - 1] == first["messages"][:-1]
    assert session.before_request(body(4)).body == second, "a repeated request gives the same result"


def test_a_stop_is_an_exception() -> None:
    session = policy().session("openai_chat", window=200_000)
    for calls in range(9):
        session.before_request(body(calls))
        session.after_reply(reply(calls))
    with pytest.raises(trimtab.Stopped, match="nine_calls stops the run: nine calls are enough") as stopped:
        session.before_request(body(9))
    assert (stopped.value.rule, stopped.value.reason) == ("nine_calls", "nine calls are enough")


def test_summaries() -> None:
    asked: list[trimtab.Summary] = []

    def summarise(summary: trimtab.Summary) -> str:
        asked.append(summary)
        return "The pages say nothing."

    request = policy().session("openai_chat", window=8_000, summarise=summarise).before_request(body(6))
    assert "The pages say nothing." in json.dumps(request.body)
    assert asked[0].instructions and "page" in asked[0].transcript and asked[0].previous is None

    def fails(_: trimtab.Summary) -> str:
        raise RuntimeError("no model")

    for summarise_, reason in ((fails, "no model"), (None, "the session has no summariser")):
        request = policy().session("openai_chat", window=8_000, summarise=summarise_).before_request(body(6))
        assert [(failed.rule, failed.reason) for failed in request.failed_summaries] == [("summarise", reason)]


def test_asynchronous_summaries() -> None:
    async def summarise(_: trimtab.Summary) -> str:
        await asyncio.sleep(0)
        return "The pages say nothing."

    async def request() -> trimtab.Request[dict[str, Any]]:
        return await policy().session("openai_chat", window=8_000, summarise=summarise).abefore_request(body(6))

    assert "The pages say nothing." in json.dumps(asyncio.run(request()).body)
    synchronous = policy().session("openai_chat", window=8_000, summarise=summarise).before_request(body(6))
    assert "asynchronous" in synchronous.failed_summaries[0].reason


def test_tasks_take_turns() -> None:
    asking = 0

    async def summarise(_: trimtab.Summary) -> str:
        nonlocal asking
        asking += 1
        assert asking == 1, "one task asks for a summary at a time"
        await asyncio.sleep(0.01)
        asking -= 1
        return "The pages say nothing."

    async def requests(session: trimtab.Session) -> list[Any]:
        # Sub-agents of one session, whose histories differ from the first message on.
        bodies = [body(6) for _ in range(3)]
        for index, one in enumerate(bodies):
            one["messages"][0]["content"] += f" Part {index}."
        return await asyncio.gather(*(session.abefore_request(one) for one in [*bodies, bodies[0]]))

    session = policy().session("openai_chat", window=8_000, summarise=summarise)
    # Each run has an event loop of its own.
    for _ in range(3):
        prepared = asyncio.run(requests(session))
        assert all("The pages say nothing." in json.dumps(one.body) and not one.failed_summaries for one in prepared)
        assert prepared[0].body == prepared[3].body
    assert len(session._turns) == 1, "closed loops are forgotten"


def test_a_cancelled_task_leaves_the_session_in_order() -> None:
    waits = True

    async def summarise(_: trimtab.Summary) -> str:
        await asyncio.sleep(30 if waits else 0)
        return "The pages say nothing."

    async def requests() -> trimtab.Request[dict[str, Any]]:
        nonlocal waits
        session = policy().session("openai_chat", window=8_000, summarise=summarise)
        first, second = (asyncio.create_task(session.abefore_request(body(6))) for _ in range(2))
        await asyncio.sleep(0.05)
        waits = False
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        return await second

    assert "The pages say nothing." in json.dumps(asyncio.run(requests()).body)


def test_a_summariser_that_uses_its_own_session_fails() -> None:
    session = policy().session("openai_chat", window=8_000, summarise=lambda _: again())

    async def again() -> str:
        # Waiting for its turn would take for ever.
        await asyncio.gather(session.abefore_request(body(6)))
        return "never"

    request = asyncio.run(session.abefore_request(body(6)))
    assert [failed.reason for failed in request.failed_summaries] == ["the summariser uses the session that waits for it"]


def test_the_prompt_of_a_summary() -> None:
    prompts: list[tuple[str, str]] = []

    def summarise(summary: trimtab.Summary) -> str:
        prompts.append(summary.prompt())
        assert summary.instructions in prompts[0][0] and summary.transcript.strip() in prompts[0][1]
        return "The pages say nothing."

    policy().session("openai_chat", window=8_000, summarise=summarise).before_request(body(6))
    ((system, user),) = prompts
    assert "Reply with the summary only." in system
    assert user.startswith("<transcript>\n") and user.endswith("\n</transcript>")


def test_lone_surrogates_are_sent_as_they_were_given() -> None:
    given = body(4)
    given["messages"][0]["content"] = "Read \ud800 and \U0001f600."
    for one in (given, json.dumps(given), json.dumps(given, ensure_ascii=False)):
        request = policy().session("openai_chat", window=8_000).before_request(one)
        assert request.firings, "the request is edited"
        sent = json.loads(request.body) if isinstance(request.body, str) else request.body
        assert sent["messages"][0] == given["messages"][0]
        assert "\ud800" not in request.body, "a text can be encoded"
    few = {"messages": [{"role": "user", "content": "\udfff"}]}
    session = policy().session("openai_chat", window=8_000)
    assert session.before_request(few).body is few or session.before_request(few).body == few
    session.after_reply({"role": "assistant", "content": "\ud800"}, usage={**USAGE, "note": "\ud800"})
    recorded = session.take_recording()
    assert recorded is not None and "\ufffd" in recorded[1]


def test_lone_surrogates_in_summaries_are_replaced() -> None:
    def fails(_: trimtab.Summary) -> str:
        raise RuntimeError("no \ud800")

    request = policy().session("openai_chat", window=8_000, summarise=lambda _: "So \udc00.").before_request(body(6))
    assert "So \ufffd." in json.dumps(request.body, ensure_ascii=False)
    request = policy().session("openai_chat", window=8_000, summarise=fails).before_request(body(6))
    assert [failed.reason for failed in request.failed_summaries] == ["no \ufffd"]


def test_a_summariser_that_returns_no_text_has_failed() -> None:
    async def summarise(_: trimtab.Summary) -> Any:
        return None

    async def request() -> trimtab.Request[dict[str, Any]]:
        return await policy().session("openai_chat", window=8_000, summarise=summarise).abefore_request(body(6))

    assert [failed.reason for failed in asyncio.run(request()).failed_summaries] == ["the summary is no text"]


def test_a_saved_session_goes_on() -> None:
    session = policy().session("openai_chat", window=8_000)
    assert session.save() is None
    session.before_request(body(4))
    session.after_reply(reply(4), usage=USAGE)
    saved = session.save()
    assert saved is not None
    again = policy().restore(saved, "openai_chat")
    assert again.before_request(body(5)).body == session.before_request(body(5)).body
    other = policy("edition 2026\npolicy p { rule r { do mask results } }")
    with pytest.raises(trimtab.RestoreError):
        other.restore(saved, "openai_chat")
    for damaged in (b"", b"{}", saved[:-20], b"\xff"):
        with pytest.raises(trimtab.RestoreError):
            policy().restore(damaged, "openai_chat")


def test_wrong_input_is_an_exception_with_its_reason() -> None:
    session = policy().session("openai_chat")
    for wrong in ("", "{", "[1]", '{"messages": 3}'):
        with pytest.raises(trimtab.RequestError):
            session.before_request(wrong)
    with pytest.raises(trimtab.RequestError, match="a request before its reply"):
        session.after_reply(reply(0))
    with pytest.raises(trimtab.RequestError, match="unknown dialect `cohere`; expected one of"):
        policy().session("cohere")
    with pytest.raises(trimtab.RequestError, match="RFC 3339"):
        session.before_request(body(1), now="yesterday")
    with pytest.raises(ValueError, match="no time zone"):
        session.before_request(body(1), now=datetime(2026, 1, 1))
    with pytest.raises(TypeError):
        session.before_request({"messages": {1, 2}})  # a set is no JSON
    with pytest.raises(KeyError, match="r1"):
        session.recall("r1")


def test_times() -> None:
    text = "edition 2026\npolicy p { rule idle { when idle ?? 0s >= 10m do mask results keep 0 results } }"
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    for pause, firings in ((timedelta(minutes=5), 0), (timedelta(minutes=15), 1)):
        session = policy(text).session("openai_chat", window=8_000)
        session.before_request(body(1), now=start)
        session.after_reply(reply(1), now=start)
        assert len(session.before_request(body(2), now=start + pause).firings) == firings


def test_values_text_and_bytes_give_the_same_request() -> None:
    sessions = [policy().session("openai_chat", window=8_000) for _ in range(3)]

    def same(given: Any) -> None:
        text = json.dumps(given, ensure_ascii=False)
        value, of_text, of_bytes = (one.before_request(body).body for one, body in zip(sessions, (given, text, text.encode()), strict=True))
        assert isinstance(of_text, str) and isinstance(of_bytes, bytes)
        assert json.dumps(value) == json.dumps(json.loads(of_text)) == json.dumps(json.loads(of_bytes))
        assert value is not given, "the rule has fired"

    given = body(4)
    same(given)
    messages = given["messages"]
    # In place, also by a value that is equal and has another text, and in the order of keys.
    for change in (
        lambda: messages[0].update(content="Something else – in place."),
        lambda: messages[1].update(extra=[1, {"two": 2}]),
        lambda: messages[1]["extra"].__setitem__(0, True),
        lambda: messages[1]["extra"][1].update(two=2.0),
        lambda: messages[1].update(extra=dict(reversed(messages[1].items()))),
        lambda: messages.extend(history(6)[len(messages) :]),
        lambda: messages.insert(0, {"role": "system", "content": "First."}),
        lambda: messages.pop(),
        lambda: given.update(tools=[]),
        lambda: messages.__setitem__(-1, dict(messages[-1])),
    ):
        change()
        same(given)


def test_a_value_that_contains_itself_is_an_error() -> None:
    content: list[Any] = []
    content += [content, content]
    with pytest.raises(ValueError, match="[Cc]ircular"):
        policy().session("openai_chat").before_request({"messages": [{"role": "user", "content": content}]})


def test_bytes_that_are_no_text_are_an_error() -> None:
    with pytest.raises(trimtab.RequestError, match="utf-8"):
        policy().session("openai_chat").before_request(b'{"messages": ["\xff"]}')


@pytest.mark.parametrize(
    ("sub_agent", "expected"), [(None, "main 0"), ("explore", "explore 1"), (("explore", 3), "explore 3"), (("explore", 0), "explore 1")]
)
def test_a_session_may_be_that_of_a_sub_agent(sub_agent: Any, expected: str) -> None:
    plan = policy('edition 2026\npolicy p { rule say { do notify "{agent.name ?? \\"main\\"} {agent.depth}" } }')
    session = plan.session("openai_chat", sub_agent=sub_agent)
    assert {firing.notice for firing in session.before_request(body(1)).firings} == {expected}
    saved = session.save()
    assert saved is not None
    restored = plan.restore(saved, "openai_chat", sub_agent=sub_agent)
    assert {firing.notice for firing in restored.before_request(body(2)).firings} == {expected}
    recording = session.take_recording()
    assert recording is not None
    header = json.loads(recording[1].splitlines()[0])
    # The depth is written if it is not that of most sub-agents.
    name = header.get("agent", "main")
    assert f"{name} {header.get('agent_depth', int(name != 'main'))}" == expected


def test_facts_of_the_host() -> None:
    declared = {"load: share": 0.9, "queue: count": 5, "room: tokens": 5, "age: duration": timedelta(hours=1), "spent: money": 5.0,
                "mode: text": "calm", "busy: bool": True}
    for declaration, value in declared.items():
        name, kind = declaration.split(": ")
        text = f"edition 2026\nagent {{ fact {name} {kind} }}\npolicy p {{ rule r {{ when known(host.{name}) do mask results keep 0 results }} }}"
        assert len(policy(text).session("openai_chat", facts={name: value}).before_request(body(1)).firings) == 1, declaration
        session = policy(text).session("openai_chat")
        assert session.before_request(body(1)).firings == []
        with pytest.raises(ValueError, match="nothing"):
            session.set_fact("nothing", 1)
        with pytest.raises((TypeError, ValueError)):
            session.set_fact(name, [])  # type: ignore[arg-type]


def test_threads_share_a_session() -> None:
    session = policy().session("openai_chat", window=8_000)
    expected = policy().session("openai_chat", window=8_000).before_request(body(4)).body
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(session.before_request(body(4)).body)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and all(one == expected for one in results)


def test_other_threads_run_while_a_session_works() -> None:
    large = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": "Read."}, *history(2000)[1:]]})
    text = "edition 2026\npolicy p { rule r { when context.tokens > 1M tokens do mask results } }"
    session = policy(text).session("openai_chat", window=10_000_000)
    done = threading.Event()
    turns = 0

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        session.before_request(large)
    finally:
        done.set()
        thread.join()
    # Holding the GIL for the whole call would leave the other thread next to no turns.
    assert turns > 10
