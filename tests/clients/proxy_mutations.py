"""Changed copies of what a relay and a server have seen, for `mutations.py`."""

import dataclasses
import json
from types import SimpleNamespace

import proxy
from harness import faults, openai_chat, script
from harness.passages import Verdict
from harness.passages import compare as compare_passages
from harness.relay import Passage
from harness.route import Through

LIMIT = 150
# A long result, and what was sent in its place.
LONG, SHORT = b'"%s"' % (b"long " * 20), b'"cut"'


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


def change(at=-1, **fields):
    """A mutation of a request that the server has received, the last one unless told."""

    def mutate(received):
        received[at] = dataclasses.replace(received[at], **fields)

    return mutate


def replace(old, new, at=-1):
    """A mutation of its body."""

    def mutate(received):
        received[at] = dataclasses.replace(received[at], body=received[at].body.replace(old, new))

    return mutate


PASSAGE_MUTATIONS = {
    "a request is lost": lambda received: received.pop(),
    "a request is sent twice": lambda received: received.append(received[-1]),
    "a request goes around the proxy": lambda received: received.append(dataclasses.replace(received[-1], number=0)),
    "another path": change(path="/v1/responses"),
    "a header is lost": change(headers={}),
    "another status": change(status=500),
    "another answer": change(answer=b"[]"),
    "another header of the answer": change(answer_headers={"retry-after": "2"}),
    "an answer is cut, and the client gets a whole one": change(fault=faults.CUT),
    "an edit is withdrawn": replace(SHORT, LONG),
    "a result is too long": replace(SHORT, b'"%s"' % (b"long " * 40)),
    "another edit beside the messages": replace(b'"model": "model"', b'"model": "other"'),
    "a message of the person is edited": replace(b"Read the notes.", b"Read."),
    "a message is left out": replace(b'{"role": "assistant", "content": "Call 1."}, ', b""),
    "a request that is never edited is edited": change(part="summary"),
}


def rejected():
    """Passages of which the second was rejected with its edit and repeated without, after which nothing is edited."""
    sent, received = passages()
    first, second, third = received
    fault = dataclasses.replace(second, status=400, answer=b"no", fault=faults.REJECTED)
    unedited = [dataclasses.replace(one, body=two.body) for one, two in zip((second, third), sent[1:])]
    return sent, [first, fault, *unedited]


REJECTION_MUTATIONS = {
    "the rejected request is not repeated": lambda received: received.pop(2),
    "the rejected request is repeated twice": lambda received: received.insert(2, received[2]),
    "the rejected request has no edit": replace(SHORT, LONG, 1),
    "the rejected request lacks a header": change(1, headers={}),
    "another request is repeated": change(1, fault=faults.FAILED),
    "the repetition is edited": replace(LONG, SHORT, 2),
    "the repetition lacks a header": change(2, headers={}),
    "the client gets another status than that of the repetition": change(2, status=400),
    "a later request is edited": replace(LONG, SHORT),
}


def forked():
    """Passages whose last two each go on from the first, which has an edit that only the first of them changes."""
    sent, received = passages()
    sent, received = sent[1:], received[1:]
    later, other = (dataclasses.replace(one[-1], number=4) for one in (sent, received))
    stages = [dataclasses.replace(one, stage=stage) for stage, one in enumerate([*received, other], 1)]
    stages[1] = dataclasses.replace(stages[1], body=stages[1].body.replace(SHORT, b'"mask"'))
    return [*sent, later], stages


FORK_MUTATIONS = {
    "an edit is withdrawn in the first fork": replace(b'"mask"', LONG, 1),
    "an edit is withdrawn in the second fork": replace(SHORT, LONG),
    "an edit goes back to an earlier one in a fork": change(stage=2),
}


def cut():
    """Passages of which the last has an answer that was cut."""
    sent, received = passages()
    sent[-1] = dataclasses.replace(sent[-1], is_whole=False, error="IncompleteRead")
    received[-1] = dataclasses.replace(received[-1], fault=faults.CUT)
    return sent, received


CUT_MUTATIONS = {
    "an answer is cut that the server has sent whole": change(fault=None),
    "a cut answer lacks what the server has sent": change(answer=b"{} "),
}

# What is compared, and whether the session is forked.
SCENARIOS = [
    (passages, False, PASSAGE_MUTATIONS),
    (cut, False, CUT_MUTATIONS),
    (rejected, False, REJECTION_MUTATIONS),
    (forked, True, FORK_MUTATIONS),
]


def unseen_in_passages():
    """The mutations of passages that are not seen, in both modes."""
    unseen = []
    for scenario, is_forked, mutations in SCENARIOS:
        sent, received = scenario()
        differences = compare_passages(sent, received, LIMIT, is_forked).differences
        unseen += [f"the passages `{scenario.__name__}` differ from themselves: {one}" for one in differences]
        for name, mutate in mutations.items():
            changed = list(received)
            mutate(changed)
            if not compare_passages(sent, changed, LIMIT, is_forked).differences:
                unseen.append(f"not seen: {name}")
    sent, received = passages()
    if compare_passages(sent, sent).differences:
        unseen.append("unedited passages differ")
    if not compare_passages(sent, received).differences:
        unseen.append("not seen: a request is edited where none may be")
    if not compare_passages(sent, [dataclasses.replace(one, body=two.body) for one, two in zip(received, sent)], LIMIT).differences:
        unseen.append("not seen: nothing is edited")
    sent, received = rejected()
    sent[1] = dataclasses.replace(sent[1], status=400, answer=b"no")
    if not compare_passages(sent[:2], received[:2], LIMIT).differences:
        unseen.append("not seen: the client gets the rejection of an edit")
    return unseen


# A client that repeats its request after each fault, and two that do otherwise.
CLIENT = SimpleNamespace(stages=[script.FAULTY], gives_up=(), may_give_up=(), keeps_history=True)
ENDING = SimpleNamespace(stages=[script.FAULTY], gives_up=(faults.CUT,), may_give_up=())
EITHER = SimpleNamespace(stages=[script.FAULTY], gives_up=(), may_give_up=(faults.CUT,))
FORGETFUL = SimpleNamespace(keeps_history=False)
KEPT, LOST = ["a", "b"], ["c"]
SIMULATED = Verdict(results=[("request 1", KEPT)])
ENDED = ["`agent` ended with exit code 1", "stage 1 ended with 2 replies not asked for"]


def pages_after(repeated=1, withdrawn=1):
    """A route with the pages of a proxy that has repeated and withdrawn so often in the first stage."""
    route = Through("trimtab", "enforce")
    route.is_rejected = True
    conversations = {str(at): {"edits_disabled": at < withdrawn} for at in range(2)}
    pages = {"health": {"status": "ok", "failures": 0}, "sessions": {"conversations": conversations}}
    route.pages = [{**pages, "metrics": {"retried_total": str(number)}} for number in (repeated, 0)]
    return route


def last_stage(*prompts):
    """What a server has received in the last stage."""
    body = " ".join(prompts).encode()
    return [Passage(9, "POST", "/v1/responses", {}, body, part="main", stage=3)]


# What a check finds: in what is right, and in what is not.
CHECKS = {
    "a simulation lacks a request": (
        proxy.unlike_simulation(CLIENT, SIMULATED, [KEPT]),
        proxy.unlike_simulation(CLIENT, SIMULATED, []),
    ),
    "a simulation has another request": (
        proxy.unlike_simulation(FORGETFUL, SIMULATED, [KEPT, LOST]),
        proxy.unlike_simulation(CLIENT, SIMULATED, [KEPT, LOST]),
    ),
    "a fault is not answered": (
        proxy.unanswered(ENDING, Verdict(faults=[faults.LIMITED, faults.FAILED, faults.CUT])),
        proxy.unanswered(ENDING, Verdict(faults=[faults.LIMITED, faults.CUT])),
    ),
    "a client ends that goes on otherwise": (proxy.unexpected(ENDING, ENDED), proxy.unexpected(CLIENT, ENDED)),
    "a client that ends or goes on has other trouble": (
        [*proxy.unexpected(EITHER, ENDED), *proxy.unexpected(EITHER, [])],
        proxy.unexpected(EITHER, ["`agent` did not end within 300 s"]),
    ),
    "a client goes on that ends otherwise": (proxy.unexpected(CLIENT, []), proxy.unexpected(ENDING, [])),
    "a client does not end in time": (
        proxy.unexpected(ENDING, ENDED),
        proxy.unexpected(ENDING, [*ENDED, "`agent` did not end within 300 s"]),
    ),
    "a fork goes on from another one": (
        proxy.unforked(last_stage(script.FIRST.prompt, script.THIRD.prompt)),
        proxy.unforked(last_stage(script.FIRST.prompt, script.SECOND.prompt, script.THIRD.prompt)),
    ),
    "a fork begins anew": (
        proxy.unforked(last_stage(script.FIRST.prompt, script.THIRD.prompt)),
        proxy.unforked(last_stage(script.THIRD.prompt)),
    ),
    "a fork has no request": (proxy.unforked(last_stage(script.FIRST.prompt)), proxy.unforked([])),
    "no edits are withdrawn": (pages_after().trouble(), pages_after(withdrawn=0).trouble()),
    "the edits of another conversation are withdrawn": (pages_after().trouble(), pages_after(withdrawn=2).trouble()),
    "no request is repeated": (pages_after().trouble(), pages_after(repeated=0).trouble()),
    "two requests are repeated": (pages_after().trouble(), pages_after(repeated=2).trouble()),
}


NUMBER = sum(map(len, [CHECKS, *(mutations for _, _, mutations in SCENARIOS)])) + 3


def unseen_in_checks():
    """The checks that find something in what is right, or nothing in what is not."""
    unseen = [f"not seen: {name}" for name, (_, wrong) in CHECKS.items() if not wrong]
    return unseen + [f"{name}: what is right is different: {right}" for name, (right, _) in CHECKS.items() if right]
