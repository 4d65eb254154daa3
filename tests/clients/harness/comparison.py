"""Compares the wire with what Trimtab reads, call by call."""

from dataclasses import dataclass, field
from itertools import zip_longest

from . import script

ASPECTS = (
    "system",
    "calls",
    "models",
    "usage",
    "tool calls",
    "results",
    "failures",
    "tools",
    "prompts",
    "beside",
    "agents",
    "compactions",
)


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
    """The verdict on one session. A documented difference covers what was sent, not what was only read; one that does not occur
    is a difference too."""
    verdict = Verdict(differences=list(session.trouble))
    if not any(one.part == "main" for one in session.exchanges):
        verdict.differences.append("no call of the conversation was seen on the wire")
    for aspect, pairs in Sides(client, session, conversations).aspects().items():
        pairs = list(pairs)
        unequal = [(name, short(sent), short(read)) for name, sent, read in pairs if sent != read]
        differences = [f"{name}: {sent} on the wire, {read} read" for name, sent, read in unequal]
        sent = [pair for pair in pairs if pair[1] is not None]
        verdict.counts[aspect] = (sum(one == other for _, one, other in sent), len(sent))
        reason = client.documented.get(aspect)
        invented = [f"{aspect}: {name}: {short(read)} read, and never sent" for name, one, read in pairs if one is None and read]
        if reason is None:
            verdict.differences += [f"{aspect}: {one}" for one in differences]
        elif differences:
            verdict.documented.append(f"{aspect}: {reason}")
            verdict.differences += invented
        else:
            verdict.differences.append(f"{aspect}: the documented difference ({reason}) does not occur")
    return verdict


class Sides:
    """Both sides of a session, and for each aspect the pairs to compare: a name, what was sent, and what was read."""

    def __init__(self, client, session, conversations):
        self.client, self.session, self.conversations = client, session, conversations
        parts = ("main", "agent", "side", "summary")
        self.wire = {part: [one for one in session.exchanges if one.part == part] for part in parts}
        self.sent = self.wire["main"]
        self.asked = {client.recorded_id(call): call for one in self.sent for call in one.answer.calls}
        of_agents = {client.recorded_id(call) for one in self.wire["agent"] for call in one.answer.calls}
        self.agents = [one for one in conversations if of_agents & {call.id for call in one.calls()}]
        self.main = Main([one for one in conversations if one not in self.agents])
        self.calls = list(zip_longest(self.sent, self.main.replies))

    def aspects(self):
        """The pairs of each aspect, in the order of the table."""
        methods = (self.system, self.number, self.models, self.usage, self.tool_calls, self.results, self.failures)
        methods += (self.tools, self.prompts, self.beside, self.of_agents, self.compactions)
        return {aspect: method() for aspect, method in zip(ASPECTS, methods)}

    def system(self):
        sent = self.client.recorded_system(self.sent[0].request.system) if self.sent else ""
        yield "system prompt", words(sent), words(self.main.system)

    def number(self):
        yield "model calls", len(self.sent), len(self.main.replies)

    def models(self):
        for at, (sent, read) in enumerate(self.calls, 1):
            yield f"call {at}", sent and sent.answer.model, read and read.model

    def usage(self):
        yield from usages("call", self.sent, self.main.replies)

    def tool_calls(self):
        for at, (sent, read) in enumerate(self.calls, 1):
            both = zip_longest(sent.answer.calls if sent else [], read.calls if read else [])
            for nth, (one, other) in enumerate(both, 1):
                expected = one and (self.client.recorded_id(one), one.name, one.arguments)
                yield f"call {at}, tool call {nth}", expected, other and (other.id, other.name, other.arguments)

    def sent_results(self):
        """The text with which each result was first sent, by the id that the recording has."""
        names = {call.id: name for name, call in self.asked.items()}
        results = {}
        for exchange in self.sent:
            for message in exchange.request.messages:
                for id, text in message.results.items():
                    results.setdefault(names.get(id, id), text)
        return results

    def result_ids(self):
        """The ids of all results, but for those of the last reply if the client ended with it, so that they were not sent."""
        sent = self.sent_results()
        last = {self.client.recorded_id(call) for one in self.sent[-1:] for call in one.answer.calls}
        return [id for id in dict.fromkeys([*sent, *self.main.results]) if id in sent or id not in last]

    def results(self):
        sent = self.sent_results()
        for id in self.result_ids():
            one, other = sent.get(id), self.main.results.get(id)
            is_same = None not in (one, other) and self.client.is_same_result(one, other)
            yield f"result of {id}", one, one if is_same else other

    def failures(self):
        tools, folder = self.client.tools, self.client.folder
        failing = [tools[verb](argument, folder) for verb, argument in script.FAILING if verb in tools]
        failed = {id for id, call in self.asked.items() if (call.name, call.arguments) in failing}
        for id in self.result_ids():
            yield f"failure of {id}", id in failed or None, id in self.main.failed or None

    def tools(self):
        declared = list(dict.fromkeys(tool for one in self.sent for tool in one.request.tools))
        for name in dict.fromkeys([*declared, *self.main.tools]):
            yield f"tool {name}", name if name in declared else None, name if name in self.main.tools else None

    def prompts(self):
        text = "\n".join(one.request.user_text() for one in self.sent)
        for at, (sent, read) in enumerate(zip_longest(self.session.prompts, self.main.prompts), 1):
            if sent and self.client.recorded_prompt:
                yield f"prompt {at}", self.client.recorded_prompt(sent), read
            else:
                yield f"prompt {at}", sent, as_sent(sent, read, text)

    def beside(self):
        """Pairs of equal calls first, then those that have no equal on the other side."""
        name = "call beside the conversation"
        left = [usage(one) for conversation in self.conversations for one in conversation.beside]
        for sent in (one.answer.usage.counts() for one in [*self.wire["side"], *self.wire["summary"]]):
            found = sent in left
            if found:
                left.remove(sent)
            yield name, sent, sent if found else None
        yield from ((name, None, one) for one in left)

    def of_agents(self):
        yield from usages("agent call", self.wire["agent"], [reply for one in self.agents for reply in one.replies])

    def compactions(self):
        yield "compactions", self.session.compactions or None, self.main.resets or None


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


def words(text):
    """The text without its white space, which clients change where they join the pieces of a system prompt."""
    return "".join(text.split()) or None


def usage(reply):
    return reply and reply.usage_counts()


def usages(name, sent, read):
    """The usage of each call, in order."""
    for at, (one, other) in enumerate(zip_longest(sent, read), 1):
        yield f"{name} {at}", one and one.answer.usage.counts(), usage(other)


def short(value, width=110):
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else str(value)
    return repr(text[: width - 1] + "…" if len(text) > width else text) if isinstance(value, str) else text[:width]
