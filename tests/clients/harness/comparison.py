"""Compares the wire with what Trimtab reads, call by call."""

from dataclasses import dataclass, field
from itertools import zip_longest

from . import script

ASPECTS = ("system", "calls", "models", "usage", "tool calls", "results", "failures", "tools", "prompts", "beside", "agents", "compactions")


@dataclass
class Verdict:
    """`counts` has, for each aspect, how many items are equal and how many were on the wire."""

    counts: dict = field(default_factory=dict)
    differences: list = field(default_factory=list)
    documented: list = field(default_factory=list)

    @property
    def equal(self):
        return not self.differences


def compare(client, session, conversations):
    """The verdict on one session. A documented difference that does not occur is a difference too."""
    verdict = Verdict()
    verdict.differences += session.trouble
    found = {aspect: [] for aspect in ASPECTS}
    wire = {part: [one for one in session.exchanges if one.part == part] for part in ("main", "agent", "side", "summary")}
    agent_ids = {client.recorded_id(call) for one in wire["agent"] for call in one.answer.calls}
    agents = [one for one in conversations if agent_ids & {call.id for call in one.calls()}]
    mains = [one for one in conversations if one not in agents]
    main = Main(mains)

    def count(aspect, pairs):
        """Counts equal pairs of wire and reading, and keeps the others with their name."""
        equal = 0
        total = 0
        for name, sent, read in pairs:
            total += sent is not None
            equal += sent == read and sent is not None
            if sent != read:
                found[aspect].append(f"{name}: {short(sent)} on the wire, {short(read)} read")
        verdict.counts[aspect] = (equal, total)

    sent_calls = wire["main"]
    asked = {client.recorded_id(call): call for one in sent_calls for call in one.answer.calls}
    names = {call.id: name for name, call in asked.items()}
    sent_results = {names.get(id, id): text for id, text in results_of(sent_calls).items()}
    count("calls", [("model calls", len(sent_calls), len(main.replies))])
    pairs = list(zip_longest(sent_calls, main.replies))
    count("models", [(f"call {at}", sent and sent.answer.model, read and read.model) for at, (sent, read) in enumerate(pairs, 1)])
    count("usage", [(f"call {at}", sent and sent.answer.usage.counts(), usage(read)) for at, (sent, read) in enumerate(pairs, 1)])
    count(
        "tool calls",
        [
            (f"call {at}, tool call {nth}", one and plain(one, client.recorded_id), other and plain(other))
            for at, (sent, read) in enumerate(pairs, 1)
            for nth, (one, other) in enumerate(zip_longest(sent.answer.calls if sent else [], read.calls if read else []), 1)
        ],
    )
    # The results of the last reply were not sent if the client ended with it.
    unsent = {names[call.id] for one in sent_calls[-1:] for call in one.answer.calls}
    ids = [id for id in dict.fromkeys([*sent_results, *main.results]) if id in sent_results or id not in unsent]
    expected = {id: client.recorded_result(text, asked.get(id)) for id, text in sent_results.items()}
    count("results", [(f"result of {id}", expected.get(id), main.results.get(id)) for id in ids])
    failing = {names[one.id] for one in fails(client, sent_calls)}
    count("failures", [(f"failure of {id}", id in failing or None, id in main.failed or None) for id in ids])
    declared = list(dict.fromkeys(tool for one in sent_calls for tool in one.request.tools))
    count("tools", [(f"tool {name}", name if name in declared else None, name if name in main.tools else None) for name in dict.fromkeys([*declared, *main.tools])])
    sent_text = "\n".join(one.request.user_text() for one in sent_calls)
    if client.recorded_prompt:
        prompts = zip_longest(map(client.recorded_prompt, session.prompts), main.prompts)
    else:
        prompts = ((sent, as_sent(sent, read, sent_text)) for sent, read in zip_longest(session.prompts, main.prompts))
    count("prompts", [(f"prompt {at}", *pair) for at, pair in enumerate(prompts, 1)])
    system = client.recorded_system(sent_calls[0].request.system) if sent_calls else ""
    count("system", [("system prompt", words(system), words(main.system))])
    aside = [*wire["side"], *wire["summary"]]
    beside = [one for conversation in conversations for one in conversation.beside]
    count("beside", unordered([one.answer.usage.counts() for one in aside], [one.usage_counts() for one in beside]))
    sent_agent, read_agent = wire["agent"], [reply for one in agents for reply in one.replies]
    count("agents", [(f"agent call {at}", sent and sent.answer.usage.counts(), usage(read)) for at, (sent, read) in enumerate(zip_longest(sent_agent, read_agent), 1)])
    count("compactions", [("compactions", session.compactions or None, main.resets or None)])
    if not sent_calls:
        verdict.differences.append("no model call of the conversation was seen on the wire")
    for aspect, differences in found.items():
        reason = client.documented.get(aspect)
        if reason is None:
            verdict.differences += [f"{aspect}: {one}" for one in differences]
        elif differences:
            verdict.documented.append(f"{aspect}: {reason}")
        else:
            verdict.differences.append(f"{aspect}: the documented difference ({reason}) does not occur")
    return verdict


class Main:
    """The transcripts of the main conversation as one."""

    def __init__(self, conversations):
        self.replies = [reply for one in conversations for reply in one.replies]
        self.results = {id: text for one in conversations for id, text in one.results.items()}
        self.failed = {id for one in conversations for id in one.failed}
        self.tools = list(dict.fromkeys(tool for one in conversations for tool in one.tools))
        self.prompts = [prompt for one in conversations for prompt in one.prompts]
        self.system = "".join(one.system for one in conversations[:1])
        self.resets = sum(one.resets for one in conversations)


def as_sent(prompt, read, sent_text):
    """The prompt, if what was read has it, and was sent with all that the client put around it."""
    return prompt if prompt and read and prompt in read and read.strip() in sent_text else read


def plain(call, recorded_id=lambda call: call.id):
    return recorded_id(call), call.name, call.arguments


def words(text):
    """The text without its white space, which clients change where they join the pieces of a system prompt."""
    return "".join(text.split()) or None


def usage(reply):
    return reply and reply.usage_counts()


def results_of(exchanges):
    """The text with which each result was first sent."""
    results = {}
    for exchange in exchanges:
        for message in exchange.request.messages:
            for id, text in message.results.items():
                results.setdefault(id, text)
    return results


def fails(client, exchanges):
    """The calls that the script makes fail."""
    arguments = [client.tools[verb](argument, client.folder) for verb, argument in script.FAILING if verb in client.tools]
    return [call for one in exchanges for call in one.answer.calls if (call.name, call.arguments) in arguments]


def unordered(sent, read):
    """Pairs of equal items first, then what has no equal on the other side."""
    left, pairs = list(read), []
    for one in sent:
        if one in left:
            left.remove(one)
            pairs.append(("call beside the conversation", one, one))
        else:
            pairs.append(("call beside the conversation", one, None))
    return [*pairs, *(("call beside the conversation", None, one) for one in left)]


def short(value, width=110):
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else str(value)
    return repr(text[: width - 1] + "…" if len(text) > width else text) if isinstance(value, str) else text[:width]
