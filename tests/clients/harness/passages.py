"""Compares what a client has sent and got with what the server behind the proxy has received and answered."""

import hashlib
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field

from . import anthropic_messages, gemini_contents, openai_chat, openai_responses
from .exchange import joined

LISTS = {anthropic_messages: "messages", openai_chat: "messages", openai_responses: "input", gemini_contents: "contents"}
PROVIDER = re.compile(r"^/(?:anthropic|openai|gemini)(?=/)")
SPACE = re.compile(r"[ \t\r\n]*")
# Keys that clients move from element to element.
MARKS = ("cache_control",)
# The parts of a session whose requests may be edited.
EDITABLE = ("main", "agent")


@dataclass
class Verdict:
    """What differs, and the numbers of the table."""

    differences: list = field(default_factory=list)
    # Requests of the client, those of a model, and those that were sent with edits.
    requests: int = 0
    of_models: int = 0
    edited: int = 0
    # Elements of requests that were edited.
    elements: int = 0
    # Of each request that an enforced policy may edit, its name and the texts of the results that the server was sent.
    results: list = field(default_factory=list)


def compare(sent, received, limit=None):
    """Compares `sent`, what the relay has passed, with `received`, what the server was sent. `limit` is the most characters of
    a result under an enforced policy; without one no request may differ."""
    verdict = Verdict(requests=len(sent))
    found = defaultdict(list)
    for passage in received:
        found[passage.number].append(passage)
    verdict.differences += [f"{one.method} {one.path} went around the proxy" for one in found.pop(0, [])]
    edits = limit and Edits(verdict, limit)
    for passage in sent:
        name = f"request {passage.number}, {passage.method} {passage.path}"
        if passage.error or not passage.is_whole:
            verdict.differences.append(f"{name}: the answer was cut: {passage.error}")
        reached = found[passage.number]
        if passage.status == 426 and not reached:
            # The proxy itself refuses a WebSocket.
            continue
        if len(reached) != 1:
            verdict.differences.append(f"{name}: {len(reached)} requests reached the server, status {passage.status}")
        for other in reached:
            of_model = other.dialect is not None
            verdict.of_models += of_model
            is_edited = other.body != passage.body
            verdict.edited += is_edited
            verdict.differences += [f"{name}: {one}" for one in unlike(passage, other, may_edit=bool(edits) and of_model)]
            if edits and of_model:
                edits.add(name, passage, other)
    if edits:
        edits.finish()
    return verdict


def unlike(passage, other, may_edit):
    """What differs between the two sides of a passage."""
    sides = {
        "method": (passage.method, other.method),
        "path": (PROVIDER.sub("", passage.path), other.path),
        "headers": (passage.headers, other.headers),
        "status": (passage.status, other.status),
        "answer": (digest(passage.answer), digest(b"" if passage.method == "HEAD" else other.answer)),
    }
    if not may_edit:
        sides["body"] = (digest(passage.body), digest(other.body))
    elif other.body != passage.body:
        # An edited body is sent without the compression.
        sides["headers"] = tuple({**one, "content-encoding": ""} for one in sides["headers"])
    return [f"{name}: {one} sent, {two} received" for name, (one, two) in sides.items() if one != two]


def digest(content):
    return hashlib.sha256(content).hexdigest()


class Edits:
    """Follows each element of the requests: what was sent of it must stay until another edit."""

    def __init__(self, verdict, limit):
        self.verdict = verdict
        self.limit = limit
        # What was sent in place of an element: by its place and its bytes, and by its place and meaning.
        self.versions = defaultdict(list)
        # The texts of the results of each request that may be edited.
        self.results = verdict.results
        self.is_simulated = True

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
            self.versions["bytes", at, before].append((name, after, before != after))
            self.versions["meaning", at, plain(before)].append((name, plain(after), before != after))
            if before != after and not result_texts([before]):
                differences.append(f"{name}: element {at} has no result, and was edited")
        results = result_texts(two[1])
        if self.is_simulated:
            self.results.append((name, results))
        # After tokens that the script has made up, a simulation assumes that the client has reset its context.
        self.is_simulated &= other.context <= len(other.body)
        for text in results:
            if len(text) > self.limit:
                differences.append(f"{name}: a result of {len(text)} characters, more than {self.limit}: {text[:60]!r}")

    def finish(self):
        """Looks for elements that were sent otherwise after an edit."""
        for (kind, at, _), versions in self.versions.items():
            changes = [versions[0], *(two for one, two in zip(versions, versions[1:]) if one[1] != two[1])]
            self.verdict.elements += kind == "bytes" and any(is_edited for _, _, is_edited in versions)
            is_withdrawn = any(one[2] and not two[2] for one, two in zip(changes, changes[1:]))
            if is_withdrawn or len({after for _, after, _ in changes}) < len(changes):
                names = ", ".join(name for name, _, _ in changes)
                self.verdict.differences.append(f"element {at} goes back to other {kind}: {names}")
        if self.verdict.elements == 0:
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
