"""Claude Code, with Anthropic Messages as a stream. Its title requests are not in its session files."""

import re

from harness import script
from harness.client import Client, oldest

TOOLS = {
    "read": lambda path, folder: ("Read", {"file_path": str(folder / path)}),
    "run": lambda command, _folder: ("Bash", {"command": command, "description": "Run a command"}),
    "agent": lambda task, _folder: (
        "Agent",
        {"description": "Count lines", "prompt": task, "subagent_type": "general-purpose"},
    ),
}


# A model whose prices are known everywhere.
MODEL = "claude-sonnet-4-5"


def command(place, prompt, continues):
    arguments = [place.bin("claude"), "-p", prompt, "--model", MODEL, "--allowedTools", "Read,Bash,Agent"]
    return [*arguments, "--continue"] if continues else arguments


def fork(place, prompt):
    session = oldest(recordings(place, None)).stem
    return [*command(place, prompt, False), "--resume", session, "--fork-session"]


def environment(place):
    return {"ANTHROPIC_BASE_URL": place.base, "ANTHROPIC_API_KEY": "sk-none", "DISABLE_AUTOUPDATER": "1"}


def recordings(place, _run):
    return sorted(place.home.glob(".claude/projects/**/*.jsonl"))


def recorded_system(text):
    """The system prompt without the block that says who is billed, which is not recorded."""
    return re.sub(r"^x-anthropic-billing-header:[^;]*;[^;]*;", "", text)


def prepare_settings(place):
    """An address in the settings, which win over the environment."""
    place.write(".claude/settings.json", {"env": {"ANTHROPIC_BASE_URL": place.base}})


def environment_beside_settings(_place):
    return {"ANTHROPIC_API_KEY": "sk-none", "DISABLE_AUTOUPDATER": "1"}


def prepare_page(place):
    """What a person would be asked for otherwise."""
    place.write(".claude/settings.json", {"permissions": {"allow": ["Read", "Bash"]}})


CLIENT = Client(
    name="claude_code",
    registry="npm",
    package="@anthropic-ai/claude-code",
    version="2.1.332",
    format="claude_code",
    runs_long=True,
    tools=TOOLS,
    command=command,
    fork=fork,
    environment=environment,
    recordings=recordings,
    recorded_system=recorded_system,
    documented={"beside": "the usage of the call that writes the summary is not recorded"},
    stages=[script.FIRST, script.SECOND, script.AGENT, script.COMPACT, script.THIRD],
    ways={"settings": {"prepare": prepare_settings, "environment": environment_beside_settings, "stages": [script.FIRST]}},
    page={"prepare": prepare_page},
    call_prefix="toolu_",
    reply_prefix="msg_",
)
