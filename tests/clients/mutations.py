#!/usr/bin/env python3
"""Checks that the comparison finds every kind of difference: it compares a session with itself, and with changed copies.

    python3 tests/clients/mutations.py
"""

import copy
import sys
from pathlib import Path

import pages
import proxy_mutations
from harness import openai_chat
from harness.client import Client
from harness.comparison import compare
from harness.exchange import Call, Message, Request
from harness.reading import Conversation, Reply
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


def main():
    sent, read = session()
    unmodified = compare(CLIENT, sent, [read]).differences
    unseen = [f"the session differs from itself: {one}" for one in unmodified]
    for name, mutate in MUTATIONS.items():
        changed = copy.deepcopy(read)
        mutate(changed)
        if compare(CLIENT, sent, [changed]).equal:
            unseen.append(f"not seen: {name}")
    unseen += proxy_mutations.unseen_in_passages() + proxy_mutations.unseen_in_checks() + unseen_in_pages()
    number = len(MUTATIONS) + len(LINE_MUTATIONS) + proxy_mutations.NUMBER
    print("\n".join(unseen) or f"{number} differences seen")
    sys.exit(1 if unseen else 0)


if __name__ == "__main__":
    main()
