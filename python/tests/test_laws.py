"""Laws: results equal the JSON of the command, and what a session sends is what a simulation of its recording shows.

`TRIMTAB_CASES` is the number of cases.
"""

import json
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from command import contexts, result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

import trimtab

CASES = settings(max_examples=int(os.environ.get("TRIMTAB_CASES", "50")), deadline=None, suppress_health_check=list(HealthCheck))

conditions = some.sampled_from(
    [
        "context.tokens > {n}0 tokens",
        "context.results > {n}",
        "context.messages >= {n}",
        "failures >= {n}",
        "iteration >= {n}",
        "repeats >= {n}",
        "context.ratio >= {n}%",
        "context.wrong > {n}",
        "context.results > {n} and not failures >= 1",
    ]
)
effects = some.sampled_from(
    [
        "do mask results keep {n} results",
        "do trim results to {n}0 chars",
        "do slide recent {n} messages",
        "do drop older keep {n} messages",
        "do summarise older keep {n} messages\n    on_failure keep",
        'do inject "call {{iteration}}"',
        'do inject "for one step" for step',
        'do stop "after {n}"',
        "do offload results over {n}0 chars",
        "do maks results",
    ]
)
guards = some.sampled_from(["", "", "", "cooldown {n} iterations", "limit {n}", "every {n} iterations"])
number = some.integers(0, 12)


@some.composite
def policies(draw: some.DrawFn) -> str:
    """The text of a policy, which may be invalid."""
    rules = [
        f"  rule r{index} {{\n    when {draw(conditions).format(n=draw(number))}\n    {draw(effects).format(n=draw(number))}\n"
        f"    {draw(guards).format(n=draw(number))}\n  }}\n"
        for index in range(draw(some.integers(1, 4)))
    ]
    return f"edition 2026\n\npolicy p {{\n{''.join(rules)}}}\n"


#: With lone surrogates, which `json.loads` makes of escapes, and which UTF-8 cannot express.
texts = some.text(some.characters() | some.sampled_from("\ud83d\ude00\udcff"), max_size=12)


@some.composite
def conversations(draw: some.DrawFn) -> list[dict[str, Any]]:
    """The messages of a chat, as a client sends them: each model call answers all messages before it."""
    messages: list[dict[str, Any]] = []
    for run in range(draw(some.integers(1, 3))):
        messages.append({"role": "user", "content": f"{run} {draw(texts)}"})
        for step in range(draw(some.integers(0, 5))):
            ids = [f"c{run}.{step}.{index}" for index in range(draw(some.integers(1, 3)))]
            function = {"name": draw(some.sampled_from(["read", "bash"])), "arguments": json.dumps({"n": draw(number)})}
            calls = [{"id": id, "type": "function", "function": function} for id in ids]
            messages.append({"role": "assistant", "content": draw(some.sampled_from([None, "Next."])), "tool_calls": calls})
            messages += [{"role": "tool", "tool_call_id": id, "content": draw(texts) * draw(some.integers(0, 90))} for id in ids]
        messages.append({"role": "assistant", "content": f"Done with {run}."})
    return messages


def replaced(text: str) -> str:
    """A text as recordings have it: with replacement characters in place of lone surrogates."""
    # JSON makes one character of a pair.
    return re.sub(r"[\ud800-\udfff]", "\ufffd", json.loads(json.dumps(text)))


def parts_of_chat(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The texts of messages in the form of OpenAI Chat, each with its role."""
    parts = []
    for message in messages:
        content = [] if message.get("content") is None else message["content"]
        blocks = [{"text": content}] if isinstance(content, str) else content
        parts += [(message["role"], replaced(block["text"])) for block in blocks if block["text"] or message["role"] == "tool"]
        parts += [("call", call["id"]) for call in message.get("tool_calls", [])]
    return parts


def parts_of_context(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The same of messages in the form of recordings."""
    parts = []
    for message in messages:
        for part in message["content"]:
            if part["type"] == "tool_call":
                parts.append(("call", part["id"]))
            elif part["type"] == "tool_result":
                content = part["content"]
                text = content if isinstance(content, str) else "".join(one.get("text", "") for one in content)
                parts.append(("tool", text))
            elif part["text"]:
                parts.append((message["role"], part["text"]))
    return parts


@CASES
@given(policies())
def test_findings_equal_those_of_the_command(text: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "p.trim"
        path.write_text(text)
        expected = result("validate", str(path), "--isolated")
        try:
            policy = trimtab.compile_file(path)
        except trimtab.PolicyError as error:
            assert error.diagnostics == expected["diagnostics"] != []
            return
        assert policy.validate() == expected
        assert policy.lint(select=["all"]) == result("lint", str(path), "--isolated", "--select", "all")
        assert json.loads(policy.to_json()) == result("compile", str(path), "--isolated")


@CASES
@given(policies(), conversations(), some.integers(500, 5_000))
def test_what_is_sent_is_what_a_simulation_of_the_recording_shows(text: str, messages: list[dict[str, Any]], window: int) -> None:
    try:
        policy = trimtab.compile(text)
    except trimtab.PolicyError:
        return
    session = policy.session("openai_chat", window=window, summarise=lambda summary: f"A summary of {len(summary.transcript)} characters.")
    sent: list[list[tuple[str, str]]] = []
    for at, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        try:
            sent.append(parts_of_chat(session.before_request(messages[:at]).body))
        except trimtab.Stopped:
            break
        session.after_reply(message, usage={"prompt_tokens": 10 * at, "completion_tokens": 3})
    recorded = session.take_recording()
    assert recorded is not None and session.take_recording() is None
    with TemporaryDirectory() as folder:
        paths = Path(folder) / "p.trim", Path(folder) / "recording.jsonl"
        for path, content in zip(paths, (text, recorded[1])):
            path.write_text(content)
        simulated = [parts_of_context(context["messages"]) for context in contexts(*paths)]
    assert simulated == sent


@CASES
@given(policies(), conversations(), some.integers(0, 40))
def test_a_restored_session_goes_on(text: str, messages: list[dict[str, Any]], cut: int) -> None:
    try:
        policy = trimtab.compile(text)
    except trimtab.PolicyError:
        return
    session = policy.session("openai_chat", window=2_000)
    other = session
    for at, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        outcomes = []
        for one in (session, other):
            try:
                outcomes.append(one.before_request(messages[:at], now="2026-01-01T00:00:00Z").body)
            except trimtab.Stopped as stopped:
                outcomes.append(str(stopped))
            if one is other:
                break
        assert outcomes[0] == outcomes[-1]
        if isinstance(outcomes[0], str):
            break
        for one in {id(session): session, id(other): other}.values():
            one.after_reply(message, now="2026-01-01T00:00:00Z")
        if at == cut and (saved := session.save()) is not None:
            other = policy.restore(saved, "openai_chat", window=2_000)
