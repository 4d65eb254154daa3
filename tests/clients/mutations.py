#!/usr/bin/env python3
"""Checks that the comparison finds every kind of difference: it compares a session with itself, and with changed copies.

    python3 tests/clients/mutations.py
"""

import copy
import dataclasses
import json
import sys
from pathlib import Path

import pages
from harness import openai_chat
from harness.client import Client
from harness.comparison import compare
from harness.exchange import Call, Message, Request
from harness.passages import compare as compare_passages
from harness.reading import Conversation, Reply
from harness.relay import Passage
from harness.script import FIRST, Script
from harness.session import Session

CLIENT = Client(
    name="none",
    registry="npm",
    package="none",
    version="0",
    format="openai_chat",
    tools={
        "read": lambda path, folder: ("read", {"path": str(folder / path)}),
        "run": lambda command, _folder: ("run", {"command": command}),
    },
    command=None,
    environment=None,
    recordings=None,
    folder=Path("folder"),
)


def session():
    """What a client would send that runs the first stage, with a title aside, and the conversation that it would record."""
    script = Script(CLIENT)
    script.begin(FIRST)
    messages = [Message("system", "Be brief."), Message("user", FIRST.prompt)]
    conversation = Conversation("one", model="model", system="Be brief.", tools=["read", "run"], prompts=[FIRST.prompt])
    while script.steps:
        answer = script.answer(openai_chat, Request("model", True, ["read", "run"], list(messages), "Be brief.", 4000))
        messages.append(Message("assistant", answer.text, answer.calls))
        for call in answer.calls:
            text = f"result of {call.id}"
            messages.append(Message("tool", results={call.id: text}))
            conversation.results[call.id] = text
            if ("read", "absent.txt") == (call.name, Path(call.arguments.get("path", "")).name) or "exit 3" in str(call.arguments):
                conversation.failed.add(call.id)
        conversation.replies.append(Reply("model", answer.usage.counts(), copy.deepcopy(answer.calls)))
    title = script.answer(openai_chat, Request("model", False, [], [Message("user", "A title, please.")], size=400))
    conversation.beside.append(Reply("model", title.usage.counts(), []))
    return Session(script.exchanges, [FIRST.prompt], 0, [], []), conversation


def swap_usage(one):
    one.replies[0].usage, one.replies[1].usage = one.replies[1].usage, one.replies[0].usage


def lose_a_result(one):
    del one.results[next(iter(one.results))]


def change_a_result(one):
    one.results[next(iter(one.results))] += "\n"


MUTATIONS = {
    "a reply is lost": lambda one: one.replies.pop(1),
    "a reply is repeated": lambda one: one.replies.append(one.replies[-1]),
    "the usage of two calls is swapped": swap_usage,
    "cache reads count as input": lambda one: one.replies[1].usage.update(input=1, cache_read=0),
    "a usage is missing": lambda one: setattr(one.replies[2], "usage", None),
    "another model": lambda one: setattr(one.replies[0], "model", "other"),
    "parallel calls change places": lambda one: one.replies[1].calls.reverse(),
    "an argument differs": lambda one: one.replies[0].calls[0].arguments.update(path="other"),
    "a call has another id": lambda one: setattr(one.replies[0].calls[0], "id", "other"),
    "a call is invented": lambda one: one.replies[3].calls.append(Call("more", "run", {})),
    "a result is lost": lose_a_result,
    "a result differs in a line break": change_a_result,
    "a failure is not marked": lambda one: one.failed.pop(),
    "a success is marked as a failure": lambda one: one.failed.update(one.results),
    "a tool is lost": lambda one: one.tools.pop(),
    "a prompt of the harness counts": lambda one: one.prompts.append("<note>"),
    "a prompt is lost": lambda one: one.prompts.pop(),
    "the title is lost": lambda one: one.beside.pop(),
    "the title counts twice": lambda one: one.beside.append(one.beside[0]),
    "a reset without a compaction": lambda one: setattr(one, "resets", 1),
    "the system prompt is lost": lambda one: setattr(one, "system", ""),
}


LIMIT = 150


def passages():
    """What a relay and a server would have seen of three requests, of which two were sent with an edit."""
    messages = [{"role": "user", "content": "Read the notes."}]
    sent, received = [], []
    for number in (1, 2, 3):
        body = json.dumps({"model": "model", "messages": messages}).encode()
        headers = {"x-api-key": "sk-none"}
        seen = {"status": 200, "answer": b"{}", "is_whole": True}
        sent.append(Passage(number, "POST", "/v1/chat/completions", headers, body, **seen))
        edited = body.replace(b"long " * 20, b"cut")
        other = Passage(number, "POST", "/v1/chat/completions", dict(headers), edited, **seen)
        received.append(dataclasses.replace(other, part="main", dialect=openai_chat))
        messages += [{"role": "assistant", "content": f"Call {number}."}]
        messages += [{"role": "tool", "tool_call_id": f"call_{number}", "content": "long " * 20 if number == 1 else "short"}]
    return sent, received


def change(**fields):
    """A mutation of the last request that the server has received."""

    def mutate(received):
        received[-1] = dataclasses.replace(received[-1], **fields)

    return mutate


def replace(old, new):
    """A mutation of its body."""

    def mutate(received):
        received[-1] = dataclasses.replace(received[-1], body=received[-1].body.replace(old, new))

    return mutate


PASSAGE_MUTATIONS = {
    "a request is lost": lambda received: received.pop(),
    "a request is sent twice": lambda received: received.append(received[-1]),
    "a request goes around the proxy": lambda received: received.append(dataclasses.replace(received[-1], number=0)),
    "another path": change(path="/v1/responses"),
    "a header is lost": change(headers={}),
    "another status": change(status=500),
    "another answer": change(answer=b"[]"),
    "an edit is withdrawn": replace(b'"cut"', b'"%s"' % (b"long " * 20)),
    "a result is too long": replace(b'"cut"', b'"%s"' % (b"long " * 40)),
    "another edit beside the messages": replace(b'"model": "model"', b'"model": "other"'),
    "a message of the person is edited": replace(b"Read the notes.", b"Read."),
    "a message is left out": replace(b'{"role": "assistant", "content": "Call 1."}, ', b""),
    "a request that is never edited is edited": change(part="summary"),
}


SHOWN = ["...", "4 requests in 1 conversation", "  Saves money", "  cost  $0.090, -14.1%", "sessions/0123456789abcdef.jsonl", "..."]
PRINTED = ["noise", *SHOWN[1:3], "  cost    $1,234.5, +3%", "sessions/fedcba9876543210-1.jsonl", "noise", "noise"]

LINE_MUTATIONS = {
    "a line is lost": lambda lines: lines.pop(2),
    "a line is added": lambda lines: lines.insert(2, "noise"),
    "lines change places": lambda lines: lines.insert(1, lines.pop(2)),
    "another number of requests": lambda lines: lines.insert(1, lines.pop(1).replace("4", "5")),
    "another verdict": lambda lines: lines.insert(2, lines.pop(2).replace("Saves", "Costs")),
    "a figure is missing": lambda lines: lines.insert(3, lines.pop(3).replace("+3%", "")),
    "another folder": lambda lines: lines.insert(4, lines.pop(4).replace("sessions", "enforced")),
}


def unseen_in_pages():
    """The mutations of what a command prints that are not seen."""
    unseen = [] if pages.is_shown(SHOWN, PRINTED) else ["lines that are shown count as different"]
    for name, mutate in LINE_MUTATIONS.items():
        changed = list(PRINTED)
        mutate(changed)
        if pages.is_shown(SHOWN, changed):
            unseen.append(f"not seen: {name}")
    return unseen


def unseen_in_passages():
    """The mutations of passages that are not seen, in both modes."""
    sent, received = passages()
    unseen = [f"the passages differ from themselves: {one}" for one in compare_passages(sent, received, LIMIT).differences]
    if compare_passages(sent, sent).differences:
        unseen.append("unedited passages differ")
    if not compare_passages(sent, received).differences:
        unseen.append("not seen: a request is edited where none may be")
    if not compare_passages(sent, [dataclasses.replace(one, body=two.body) for one, two in zip(received, sent)], LIMIT).differences:
        unseen.append("not seen: nothing is edited")
    for name, mutate in PASSAGE_MUTATIONS.items():
        changed = list(received)
        mutate(changed)
        if not compare_passages(sent, changed, LIMIT).differences:
            unseen.append(f"not seen: {name}")
    return unseen


def main():
    sent, read = session()
    unmodified = compare(CLIENT, sent, [read]).differences
    unseen = [f"the session differs from itself: {one}" for one in unmodified]
    for name, mutate in MUTATIONS.items():
        changed = copy.deepcopy(read)
        mutate(changed)
        if compare(CLIENT, sent, [changed]).equal:
            unseen.append(f"not seen: {name}")
    unseen += unseen_in_passages() + unseen_in_pages()
    print("\n".join(unseen) or f"{len(MUTATIONS) + len(PASSAGE_MUTATIONS) + 2 + len(LINE_MUTATIONS)} differences seen")
    sys.exit(1 if unseen else 0)


if __name__ == "__main__":
    main()
