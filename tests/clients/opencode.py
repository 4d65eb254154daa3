"""OpenCode, with Anthropic Messages as a stream."""

import sqlite3
from contextlib import closing

from harness import script
from harness.client import Client

DATABASE = ".local/share/opencode/opencode.db"

TOOLS = {
    "read": lambda path, folder: ("read", {"filePath": str(folder / path)}),
    "run": lambda command, _folder: ("bash", {"command": command, "description": "Run a command"}),
    "agent": lambda task, _folder: (
        "task",
        {"description": "Count lines", "prompt": task, "subagent_type": "general"},
    ),
}


def prepare(place, package="@ai-sdk/anthropic"):
    model = {"name": "local", "tool_call": True, "reasoning": True, "limit": {"context": 100000, "output": 8000}}
    provider = {
        "name": "local",
        "npm": package,
        "options": {"baseURL": f"{place.base}/v1", "apiKey": "sk-none"},
        "models": {"claude-sonnet-4-5": model},
    }
    place.write(
        ".config/opencode/opencode.json",
        {
            "autoupdate": False,
            "share": "disabled",
            "model": "local/claude-sonnet-4-5",
            "permission": {"edit": "allow", "bash": "allow", "external_directory": "allow"},
            "provider": {"local": provider},
        },
    )


def command(place, prompt, continues):
    arguments = [place.bin("opencode"), "run", prompt]
    return [*arguments, "--continue"] if continues else arguments


def fork(place, prompt):
    with closing(sqlite3.connect(place.home / DATABASE)) as database:
        session = database.execute("SELECT id FROM session ORDER BY time_created").fetchone()[0]
    return [*command(place, prompt, False), "--session", session, "--fork"]


def way(package):
    """Another package, which speaks another dialect."""
    return {"prepare": lambda place: prepare(place, package), "stages": [script.FIRST, script.SECOND]}


CLIENT = Client(
    name="opencode",
    registry="npm",
    package="opencode-ai",
    version="1.18.33",
    format="opencode",
    runs_long=True,
    tools=TOOLS,
    prepare=prepare,
    command=command,
    fork=fork,
    environment=lambda _place: {"OPENCODE_DISABLE_AUTOUPDATE": "1"},
    recordings=lambda place, _run: [place.home / DATABASE],
    documented={
        "system": "the system prompt is not recorded",
        "tools": "tools are not recorded",
        "beside": "the call that writes the title is not recorded",
    },
    stages=[script.FIRST, script.AGENT, script.until_full(99_000), script.THIRD],
    ways={"responses": way("@ai-sdk/openai"), "chat": way("@ai-sdk/openai-compatible")},
    call_prefix="toolu_",
    reply_prefix="msg_",
)
