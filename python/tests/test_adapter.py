"""What the adapters share."""

import base64
import importlib
import json
import logging
import os
import sys
import zlib
from importlib.metadata import metadata
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
    not_data: Any = {"a": 1}
    for damaged in (b"", b"x", saved[:-9], saved[:9] + b"?" + saved[10:], "no base64", "\ud800", not_data):
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


def saved_as(name: Any, lengths: Any, state: bytes | None) -> bytes:
    assert state is not None
    return zlib.compress(json.dumps([name, lengths]).encode() + b"\n" + state)


def test_a_conversation_is_saved_as_text_too() -> None:
    here = adapter()
    conversation = here.conversation("a")
    assert conversation.save_text() is None
    step(conversation, 1)
    text, saved = conversation.save_text(), conversation.save()
    assert text is not None and saved == base64.b64decode(text)
    assert here.conversation("a", text) is conversation and here.conversation("a", saved) is conversation
    assert step(adapter().conversation("a", text), 2) == step(conversation, 2)


def test_saved_data_of_others_names_no_file_outside_the_folder(tmp_path: Path) -> None:
    victim = tmp_path / "victim.0.jsonl"
    victim.write_text("precious")
    conversation = adapter().conversation("a")
    step(conversation, 1)
    state = conversation._session.save()
    for index, name in enumerate(["../victim", str(tmp_path / "victim"), "..", "", "a\0b", "x" * 5_000, "C:\\victim", "\u202e\ud800"]):
        records = tmp_path / f"records{index}"
        records.mkdir()
        step(adapter(record=records).conversation("a", saved_as(name, {"0": 0}, state)), 2)
        assert victim.read_text() == "precious" and [*tmp_path.glob("victim*")] == [victim]
        (recording,) = records.iterdir()
        assert recording.stat().st_size > 0


@pytest.mark.parametrize("lengths", [{"0": -5}, {"0": 1 << 80}, {"x": 1}, {"0": None}, {"9" * 300: 1}, [1], 3, None], ids=repr)
def test_saved_data_of_others_never_stops_an_agent(tmp_path: Path, lengths: Any) -> None:
    first = adapter(record=tmp_path).conversation("a")
    step(first, 1)
    data = saved_as(first._name, lengths, first._session.save())
    assert step(adapter(record=tmp_path).conversation("a", data), 2)
    assert step(adapter(record=tmp_path).conversation("a", zlib.compress(b"[" * 1_000_000)), 2)


@pytest.mark.skipif(sys.platform == "win32", reason="has neither pipes nor links among files")
def test_a_recording_that_is_no_file_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    target = tmp_path / "target"
    target.write_text("precious")
    for make in (os.mkfifo, lambda path: path.symlink_to(target)):
        first = adapter(record=tmp_path / make.__name__).conversation("a")
        step(first, 1)
        saved = first.save()
        (recording,) = (tmp_path / make.__name__).iterdir()
        recording.unlink()
        make(recording)
        # Opening a pipe would wait for a reader for ever.
        with caplog.at_level(logging.ERROR, "trimtab"):
            step(first, 2)
            step(adapter(record=tmp_path / make.__name__).conversation("a", saved), 2)
        assert "could not be written" in caplog.text and target.read_text() == "precious"
        caplog.clear()


@pytest.mark.skipif(sys.platform == "win32", reason="has no limit on the size of files")
def test_a_full_disk_loses_no_line_and_leaves_no_part_of_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    import resource

    def recorded(folder: Path) -> list[Any]:
        (recording,) = folder.iterdir()
        lines = [json.loads(line) for line in recording.read_text().splitlines()]
        return [{key: value for key, value in line.items() if key not in ("at", "started")} for line in lines]

    full, free = (adapter(record=tmp_path / name).conversation("a") for name in ("full", "free"))
    for calls in range(1, 6):
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        if calls in (2, 3):
            (recording,) = (tmp_path / "full").iterdir()
            # Room for a part of a line.
            resource.setrlimit(resource.RLIMIT_FSIZE, (recording.stat().st_size + 100, limits[1]))
        with caplog.at_level(logging.CRITICAL):
            try:
                sent = step(full, calls)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert sent == step(free, calls)
        if calls in (2, 3):
            assert len(recorded(tmp_path / "full")) < len(recorded(tmp_path / "free"))
    assert recorded(tmp_path / "full") == recorded(tmp_path / "free")
    assert full._lengths == {0: next((tmp_path / "full").iterdir()).stat().st_size}


def test_a_recording_that_cannot_be_written_keeps_one_part_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "recordings"
    folder.write_text("a file in place of the folder")
    conversation = adapter(record=folder).conversation("a")
    take, taken = conversation._session.take_recording, []

    def counted() -> Any:
        taken.append(take())
        return taken[-1]

    monkeypatch.setattr(conversation._session, "take_recording", counted)
    for calls in range(1, 6):
        step(conversation, calls)
    assert len(taken) == 1
    folder.unlink()
    step(conversation, 6)
    (recording,) = folder.iterdir()
    (transcript,) = trimtab.read_transcripts(recording.read_bytes())
    assert trimtab.compile(POLICY).replay(transcript)["calls"] == 7


def test_a_conversation_that_cannot_be_saved_stops_nothing(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    conversation = adapter().conversation("a")
    step(conversation, 1)

    def fails() -> bytes:
        raise RuntimeError("no room")

    monkeypatch.setattr(conversation._session, "save", fails)
    with caplog.at_level(logging.ERROR, "trimtab"):
        assert conversation.save() is None and conversation.save_text() is None
    assert "the policy p has not saved a conversation" in caplog.text


def test_recalling_nothing_is_an_answer() -> None:
    conversation = adapter().conversation("a")
    for id in ("r1", "\ud800"):
        assert isinstance(conversation.recall(id), str)


@pytest.mark.parametrize(
    ("module", "name", "extra"),
    [
        ("google_adk", "TrimtabPlugin", "google-adk"),
        ("langchain", "TrimtabMiddleware", "langchain"),
        ("litellm", "TrimtabCallback", "litellm"),
        ("openai_agents", "input_filter", "openai-agents"),
        ("pydantic_ai", "TrimtabCapability", "pydantic-ai"),
        ("strands", "TrimtabHook", "strands"),
    ],
)
def test_an_adapter_without_its_framework_says_what_to_install(module: str, name: str, extra: str) -> None:
    make = getattr(importlib.import_module(f"trimtab.{module}"), name)
    with pytest.raises(ImportError, match=rf"needs .*: pip install 'trimtab\[{extra}\]'"):
        make(trimtab.compile(POLICY))
    assert extra in (metadata("trimtab").get_all("Provides-Extra") or [])
