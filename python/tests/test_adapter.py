"""What the adapters share."""

import logging
from pathlib import Path
from typing import Any

import pytest
from command import contexts

import trimtab
from trimtab._adapter import Adapter

POLICY = "edition 2026\npolicy p { rule mask { when context.tokens > 1k tokens do mask results keep 0 results } }\n"


def messages(calls: int) -> list[dict[str, Any]]:
    all: list[dict[str, Any]] = [{"role": "user", "content": "Read."}]
    for index in range(calls):
        function = {"name": "read", "arguments": "{}"}
        all.append({"role": "assistant", "content": None, "tool_calls": [{"id": f"c{index}", "type": "function", "function": function}]})
        all.append({"role": "tool", "tool_call_id": f"c{index}", "content": f"page {index} " * 500})
    return all


def adapter(**options: Any) -> Adapter:
    return Adapter(trimtab.compile(POLICY), "openai_chat", window=8_000, **options)


def step(conversation: Any, calls: int) -> list[Any]:
    request = conversation.before(messages(calls))
    conversation.after(request, {"choices": [{"message": messages(calls + 1)[-2]}]})
    return request.body


def test_wrong_options_are_an_error_at_once() -> None:
    with pytest.raises(ValueError, match="load"):
        adapter(facts={"load": 1})
    with pytest.raises(trimtab.RequestError):
        Adapter(trimtab.compile(POLICY), "nothing")


def test_a_failure_of_the_policy_is_logged_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    conversation = adapter().conversation("a")
    with caplog.at_level(logging.ERROR, "trimtab"):
        no_message: Any = 3
        assert conversation.before([no_message]) is None
        conversation.after(None, {})
    assert "the policy p has failed" in caplog.text


def test_conversations_are_known_by_their_key_and_the_oldest_are_forgotten() -> None:
    all = adapter(conversations=2)
    first = all.conversation("a")
    assert all.conversation("b") is not first and all.conversation("a") is first
    all.conversation("c")
    assert all.conversation("a") is first
    assert len(all._known) == 2


def test_a_conversation_that_another_process_has_continued_is_restored() -> None:
    here, there = adapter(), adapter()
    begun = here.conversation("a")
    step(begun, 1)
    saved = begun.save()
    assert here.conversation("a", saved) is begun
    other = there.conversation("a", saved)
    step(other, 2)
    newer = other.save()
    assert here.conversation("a", newer) is not begun
    assert there.conversation("a", newer) is other and there.conversation("a", saved) is other


def test_data_that_is_damaged_begins_a_conversation_anew(caplog: pytest.LogCaptureFixture) -> None:
    conversation = adapter().conversation("a")
    step(conversation, 1)
    saved = conversation.save()
    assert saved is not None
    for damaged in (b"", b"x", saved[:-9], saved[:9] + b"?" + saved[10:]):
        with caplog.at_level(logging.WARNING, "trimtab"):
            assert step(adapter().conversation("a", damaged), 1)
        assert "begins anew" in caplog.text
        caplog.clear()


def test_a_process_that_ends_before_it_saves_leaves_no_part_twice_in_the_recording(tmp_path: Path) -> None:
    records = tmp_path / "records"
    conversation = adapter(record=records).conversation("a key/with: signs")
    sent = [step(conversation, 1)]
    saved = conversation.save()
    step(conversation, 2)
    # This process ends here, and the next one repeats the last request.
    conversation = adapter(record=records).conversation("a key/with: signs", saved)
    sent += [step(conversation, calls) for calls in (2, 3)]
    (recording,) = records.iterdir()
    assert recording.stat().st_mode & 0o777 == 0o600 and records.stat().st_mode & 0o777 == 0o700
    policy = tmp_path / "p.trim"
    policy.write_text(POLICY)
    results = [[part["content"] for message in context["messages"] for part in message["content"] if part["type"] == "tool_result"]
               for context in contexts(policy, recording)]
    # The first request has a reply to a call before it.
    assert results[1:] == [[message["content"] for message in request if message["role"] == "tool"] for request in sent]
