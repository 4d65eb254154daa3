"""Compares what a client has sent and got with what the server behind the proxy has received and answered."""

import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass, field

from . import faults
from .edits import Edits

PROVIDER = re.compile(r"^/(?:anthropic|openai|gemini)(?=/)")


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
    # Whether they are those of all such requests.
    is_simulated: bool = True
    # The faults that the server has answered, in their order.
    faults: list = field(default_factory=list)


def compare(sent, received, limit=None, is_forked=False):
    """Compares `sent`, what the relay has passed, with `received`, what the server was sent. `limit` is the most characters of
    a result under an enforced policy; without one no request may differ. In a forked session each stage goes on from the first."""
    verdict = Verdict(requests=len(sent))
    found = defaultdict(list)
    for passage in received:
        found[passage.number].append(passage)
    verdict.differences += [f"{one.method} {one.path} went around the proxy" for one in found.pop(0, [])]
    edits = limit and Edits(verdict, limit, is_forked)
    for passage in sent:
        name = f"request {passage.number}, {passage.method} {passage.path}"
        reached = found[passage.number]
        verdict.faults += [other.fault for other in reached if other.fault]
        is_cut = bool(reached and reached[-1].fault and reached[-1].fault.is_cut)
        if is_cut == passage.is_whole or bool(passage.error) != is_cut:
            verdict.differences.append(f"{name}: the answer was {'not ' * is_cut}cut: {passage.error}")
        if passage.status == 426 and not reached:
            # The proxy itself refuses a WebSocket.
            continue
        if edits and len(reached) == 2 and reached[0].fault == faults.REJECTED:
            # The proxy repeats a rejected edit as the client has sent it.
            rejected = reached.pop(0)
            verdict.of_models += 1
            verdict.edited += 1
            verdict.differences += [f"{name}: {one}" for one in unlike_requests(passage, rejected, may_edit=True)]
            if rejected.body == passage.body:
                verdict.differences.append(f"{name}: a request without an edit was repeated")
            edits.add(name, passage, rejected)
            edits.are_withdrawn = True
        if len(reached) != 1:
            verdict.differences.append(f"{name}: {len(reached)} requests reached the server, status {passage.status}")
        for other in reached:
            if other.fault == faults.REJECTED:
                verdict.differences.append(f"{name}: the rejected request was not repeated")
            of_model = other.dialect is not None
            verdict.of_models += of_model
            is_edited = other.body != passage.body
            verdict.edited += is_edited
            may_edit = bool(edits) and of_model and not edits.are_withdrawn
            verdict.differences += [f"{name}: {one}" for one in unlike(passage, other, may_edit)]
            if may_edit:
                edits.add(name, passage, other)
    if edits:
        edits.finish()
    return verdict


def unlike(passage, other, may_edit):
    """What differs between the two sides of a passage."""
    sides = {
        "status": (passage.status, other.status),
        "headers of the answer": (passage.answer_headers, other.answer_headers),
        "answer": (digest(passage.answer), digest(b"" if passage.method == "HEAD" else other.answer)),
    }
    return unlike_requests(passage, other, may_edit) + different(sides)


def unlike_requests(passage, other, may_edit):
    """What differs between the two sides of a request."""
    sides = {
        "method": (passage.method, other.method),
        "path": (PROVIDER.sub("", passage.path), other.path),
        "headers": (passage.headers, other.headers),
    }
    if not may_edit:
        sides["body"] = (digest(passage.body), digest(other.body))
    elif other.body != passage.body:
        # An edited body is sent without the compression.
        sides["headers"] = tuple({**one, "content-encoding": ""} for one in sides["headers"])
    return different(sides)


def different(sides):
    return [f"{name}: {one} sent, {two} received" for name, (one, two) in sides.items() if one != two]


def digest(content):
    return f"{len(content)} bytes, SHA-256 " + hashlib.sha256(content).hexdigest()
