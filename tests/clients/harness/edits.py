"""Follows what a proxy has edited in the requests of a session."""

import json
import re
from collections import defaultdict

from . import anthropic_messages, gemini_contents, openai_chat, openai_responses
from .exchange import joined

LISTS = {anthropic_messages: "messages", openai_chat: "messages", openai_responses: "input", gemini_contents: "contents"}
SPACE = re.compile(r"[ \t\r\n]*")
# Keys that clients move from element to element.
MARKS = ("cache_control",)
# The parts of a session whose requests may be edited.
EDITABLE = ("main", "agent")
# The stages of a forked session that go on from the first.
FORKS = (2, 3)


class Edits:
    """Follows each element of the requests: what was sent of it must stay until another edit."""

    def __init__(self, verdict, limit, is_forked):
        self.verdict = verdict
        self.limit = limit
        self.is_forked = is_forked
        # Whether the server has rejected an edit, after which none may be sent.
        self.are_withdrawn = False
        # What was sent in place of an element: by the fork, its place and its bytes, and by the fork, its place and its meaning.
        self.versions = defaultdict(list)
        # The texts of the results of each request that may be edited.
        self.results = verdict.results

    def add(self, name, passage, other):
        differences = self.verdict.differences
        if other.part not in EDITABLE:
            if other.body != passage.body:
                differences.append(f"{name}: a request of the part `{other.part}` was edited")
            return
        one, two = (divided(side.body.decode(), LISTS[other.dialect]) for side in (passage, other))
        if one[::2] != two[::2]:
            differences.append(f"{name}: an edit beside the list of messages")
        if len(one[1]) != len(two[1]):
            differences.append(f"{name}: {len(one[1])} elements sent, {len(two[1])} received")
            return
        for at, (before, after) in enumerate(zip(one[1], two[1])):
            for fork in self.forks_of(other.stage):
                self.versions[fork, "bytes", at, before].append((name, after, before != after))
                self.versions[fork, "meaning", at, plain(before)].append((name, plain(after), before != after))
            if before != after and not result_texts([before]):
                differences.append(f"{name}: element {at} has no result, and was edited")
        results = result_texts(two[1])
        # What is recorded has no request without a reply.
        if self.verdict.is_simulated and not other.fault:
            self.results.append((name, results))
        # After tokens that the script has made up, a simulation assumes that the client has reset its context.
        self.verdict.is_simulated &= other.context <= len(other.body)
        for text in results:
            if len(text) > self.limit:
                differences.append(f"{name}: a result of {len(text)} characters, more than {self.limit}: {text[:60]!r}")

    def forks_of(self, stage):
        """The forks of the session to which a stage belongs: the first one to all."""
        return [0] if not self.is_forked else FORKS if stage == 1 else [stage]

    def finish(self):
        """Looks for elements that were sent otherwise after an edit."""
        edited = set()
        for (_, kind, at, before), versions in self.versions.items():
            changes = [versions[0], *(two for one, two in zip(versions, versions[1:]) if one[1] != two[1])]
            if kind == "bytes" and any(is_edited for _, _, is_edited in versions):
                edited.add((at, before))
            is_withdrawn = any(one[2] and not two[2] for one, two in zip(changes, changes[1:]))
            if is_withdrawn or len({after for _, after, _ in changes}) < len(changes):
                names = ", ".join(name for name, _, _ in changes)
                self.verdict.differences.append(f"element {at} goes back to other {kind}: {names}")
        self.verdict.elements = len(edited)
        if not edited:
            self.verdict.differences.append("nothing was edited")


def result_texts(elements):
    """The texts of the results in these elements of a request, in their order."""
    found = []
    for element in map(json.loads, elements):
        content = element.get("content")
        if element.get("role") == "tool":
            found.append(joined(content, "\n"))
        elif element.get("type", "").endswith("_call_output"):
            found.append(joined(element.get("output"), "\n"))
        for part in [*(content if isinstance(content, list) else []), *element.get("parts", [])]:
            if part.get("type") == "tool_result":
                found.append(joined(part.get("content"), "\n"))
            elif "functionResponse" in part:
                found.append(gemini_contents.result_text(part["functionResponse"].get("response") or {}))
    return found


def plain(element):
    """The element without what clients write otherwise from call to call."""

    def strip(value):
        if isinstance(value, dict):
            kept = {key: strip(one) for key, one in value.items() if key not in MARKS}
            if isinstance(kept.get("content"), str):
                kept["content"] = [{"type": "text", "text": kept["content"]}]
            return kept
        return [strip(one) for one in value] if isinstance(value, list) else value

    return json.dumps(strip(json.loads(element)), sort_keys=True)


def divided(text, key):
    """The text before the list in a field of an object, that of each element, and the text after it."""
    decoder = json.JSONDecoder()

    def value(at):
        begin = SPACE.match(text, at).end()
        return begin, decoder.raw_decode(text, begin)[1]

    def after(at):
        return SPACE.match(text, at).end() + 1

    at = after(0)
    while True:
        begin, end = value(at)
        at = after(end)
        if json.loads(text[begin:end]) == key:
            break
        at = after(value(at)[1])
        if text[at - 1] == "}":
            return text, [], ""
    begin = SPACE.match(text, at).end()
    if text[begin] != "[":
        end = value(begin)[1]
        return text[:begin], [text[begin:end]], text[end:]
    elements, at = [], begin + 1
    while text[SPACE.match(text, at).end()] != "]":
        one, at = value(at)
        elements.append(text[one:at])
        at = SPACE.match(text, at).end()
        at += text[at] == ","
    return text[:begin], elements, text[at:]
