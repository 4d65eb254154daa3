"""Cline CLI, with OpenAI chat completions as a stream. It continues a session only in a terminal."""

from harness import faults, script
from harness.client import Client, openai_environment

TOOLS = {
    "read": lambda path, folder: ("read_files", {"files": [{"path": str(folder / path)}]}),
    "run": lambda command, _folder: ("run_commands", {"commands": [command]}),
}


def command(place, prompt, _continues):
    return [place.bin("cline"), "-P", "openai-compatible", "-m", "gpt-4.1", prompt]


def authenticate(place):
    base = ["-k", "sk-none", "-m", "gpt-4.1", "-b", f"{place.base}/v1"]
    return [place.bin("cline"), "auth", "openai-compatible", *base]


def recordings(place, _run):
    return sorted(place.home.glob(".cline/data/sessions/*/*.messages.json"))


def is_same_result(sent, read):
    """Long results are sent without their middle, and recorded whole."""
    begin, cut, end = sent.partition("\\n\\n...[truncated ")
    end = end.partition(" chars]...\\n\\n")[2]
    return sent == read or bool(cut and end) and read.startswith(begin) and read.endswith(end)


CLIENT = Client(
    name="cline",
    registry="npm",
    package="cline",
    version="3.0.65",
    format="anthropic_messages",
    is_launched=False,
    tools=TOOLS,
    command=command,
    environment=openai_environment,
    recordings=recordings,
    is_same_result=is_same_result,
    documented={"tools": "tools are not recorded"},
    # The prompt is recorded in a tag that is not sent.
    recorded_prompt=lambda prompt: f'<user_input mode="act">{prompt}</user_input>',
    stages=[script.FIRST],
    # It repeats the request, and joins what it then gets to the part of an event that it got before, if it has read that part.
    may_give_up=(faults.CUT,),
    faulty=[script.FAULTY],
    rejected=[script.REJECTED],
    first=authenticate,
    last=lambda place: [place.bin("cline"), "hub", "stop"],
)
