"""What the model says in a session: steps for each prompt, with usage that no two calls share."""

import re
from dataclasses import dataclass, field, replace

from . import faults
from .exchange import Answer, Call, Exchange, Usage

NOTES = "Bread is on the upper shelf.\nKeys hang behind the door.\nThe cellar lamp needs a new bulb.\n"
LONG = "".join(f"{number:04} crate {number * 7919 % 1000:03} weighs {number * 31 % 97} kg\n" for number in range(1, 401))
SUMMARY = "The notes were read and the crates listed. The person wants the notes counted next."
AGENT_TASK = "Errand for a sub-agent: count the lines of the notes."
SUMMARY_REQUEST = re.compile(
    r"(?i)summar(y|i[sz]e)[^.\n]{0,40}\b(conversation|session)|context checkpoint|handoff summary|<state_snapshot>"
)


@dataclass
class Step:
    """One reply: its text, and the actions that become parallel tool calls."""

    text: str
    actions: list = field(default_factory=list)
    # The tokens that it states as its context, if they are not those of the request.
    context: int = 0
    # The faulty answers that requests get before this reply.
    faults: list = field(default_factory=list)


@dataclass
class Stage:
    """A prompt of the person, and the replies that it gets."""

    prompt: str
    steps: list


FIRST = Stage(
    "Read the notes, list the crates, and say when all is done.",
    [
        Step("I begin with the notes.", [("read", "notes.txt")]),
        Step("Now the crates, and a file that is absent.", [("run", "cat crates.txt"), ("read", "absent.txt")]),
        Step("", [("run", "echo stops here; exit 3")]),
        Step("The notes are read, the crates are listed, and one command failed."),
    ],
)
SECOND = Stage(
    "How many lines do the notes have?",
    [Step("I count them.", [("run", "wc -l notes.txt")]), Step("There are three lines.")],
)


def until_full(tokens, step=-1):
    """The second stage, in which the reply of a step states so many tokens of context, to make the client compact."""
    steps = [replace(one) for one in SECOND.steps]
    steps[step].context = tokens
    return Stage(SECOND.prompt, steps)


COMPACT, COMPRESS = Stage("/compact", []), Stage("/compress", [])
THIRD = Stage(
    "Which line names the lamp?",
    [Step("I look again.", [("run", "grep -n lamp notes.txt")]), Step("The third line does.")],
)
AGENT = Stage(
    "Let a sub-agent count the lines.",
    [Step("A sub-agent will count.", [("agent", AGENT_TASK)]), Step("The sub-agent found three lines.")],
)
# What the pages of `docs/agents` ask.
PAGE = Stage(
    "Read the notes and list the crates.",
    [
        Step("I begin with the notes.", [("read", "notes.txt")]),
        Step("Now the crates.", [("run", "cat crates.txt")]),
        Step("I count the lines.", [("run", "wc -l notes.txt crates.txt")]),
        Step("There are 3 notes and 400 crates."),
    ],
)
AGENT_STEPS = [Step("Counting.", [("run", "wc -l notes.txt")]), Step("Three lines.")]


def of_calls(number):
    """A stage with so many calls, which look at the crates in turn; each third one is two at once."""
    steps = []
    for at in range(number):
        actions = [("run", f"sed -n {1 + 6 * at},{30 + 6 * at}p crates.txt")]
        if at % 3 == 2:
            actions.append(("run", f"grep -n ' {at}. ' crates.txt"))
        steps.append(Step(f"Part {at + 1}.", actions))
    return Stage("Look at the crates in parts.", [*steps, Step("Each crate was looked at.")])


def with_faults(stage, by_reply):
    """The stage with a faulty answer before each reply whose number is in `by_reply`."""
    steps = enumerate(stage.steps, 1)
    return Stage(stage.prompt, [replace(step, faults=[by_reply[at]] if at in by_reply else []) for at, step in steps])


# In enforce, each request that gets a faulty answer has edited results.
FAULTY = with_faults(of_calls(6), {3: faults.LIMITED, 4: faults.FAILED, 5: faults.CUT})
FAULTY_EACH = [with_faults(of_calls(3), {3: fault}) for fault in (faults.LIMITED, faults.FAILED, faults.CUT)]
REJECTED = with_faults(of_calls(6), {4: faults.REJECTED})


# A session has about 20; a client that asks without end is stopped.
MOST_CALLS = 60

# The actions of the script that must fail.
FAILING = [("read", "absent.txt"), ("run", "echo stops here; exit 3")]


class Script:
    """Answers requests in the order in which they come, and remembers each exchange."""

    def __init__(self, client, most_calls=MOST_CALLS):
        self.client = client
        self.most_calls = most_calls
        self.exchanges = []
        self.steps = []
        self.agent_steps = list(AGENT_STEPS)
        self.context = {}
        # How many stages have begun.
        self.stage = 0

    def begin(self, stage):
        """Makes the steps of the stage those that the main conversation gets next."""
        self.steps = list(stage.steps)
        self.stage += 1

    def part_of(self, request):
        """What the request is for: the summary of a compaction, a sub-agent, the main conversation, or something aside."""
        if self.client.is_summary(request):
            return "summary"
        if self.client.is_side(request):
            return "side"
        is_agent = AGENT_TASK in request.user_text() and not any(
            stage.prompt in request.user_text() for stage in (FIRST, AGENT)
        )
        return "agent" if is_agent else "main"

    def answer(self, dialect, request):
        part = self.part_of(request)
        number = len(self.exchanges) + 1
        if number > self.most_calls:
            raise RuntimeError(f"more than {self.most_calls} model calls")
        step, fault = self.next_step(part, request)
        thinks = request.thinks or dialect.NAME in ("openai_responses", "gemini_contents")
        thinking = f"Reply {number} needs some thought." if thinks and part == "main" else ""
        calls = [
            Call(self.call_id(number, at), *self.client.call(action, request))
            for at, action in enumerate(step.actions, 1)
        ]
        answer = Answer(
            id=f"{self.client.reply_prefix}{number:04}",
            model=request.model,
            usage=self.usage(part, step, dialect, request, number, bool(thinking)),
            text=step.text,
            thinking=thinking,
            calls=calls,
        )
        self.exchanges.append(Exchange(part, dialect.NAME, request, answer, fault))
        return answer

    def call_id(self, number, at):
        return f"{self.client.call_prefix}{number:02}{at:02}" if self.client.names_calls else ""

    def next_step(self, part, request):
        """The reply, and the fault that is answered instead."""
        if part == "summary":
            return Step(self.client.summary_text), None
        if part == "side":
            return Step(self.client.side_text(request)), None
        steps = self.agent_steps if part == "agent" else self.steps
        if not steps:
            return Step("Nothing is left to do."), None
        if steps[0].faults:
            fault, *later = steps[0].faults
            steps[0] = replace(steps[0], faults=later)
            return steps[0], fault
        return steps.pop(0), None

    def usage(self, part, step, dialect, request, number, thinks):
        """Counts that follow the size of the request and that differ from call to call."""
        total = (step.context or request.size // 4) + number
        before = self.context.get(part, 0)
        read = before if part in ("main", "agent") and before < total - 10 else 0
        self.context[part] = total
        rest = total - read
        write = max(rest - 3 - number, 0) if dialect.CACHE_WRITES else 0
        reasoning = 5 + number if thinks else 0
        return Usage(rest - write, read, write, 40 + 3 * number + reasoning, reasoning)
