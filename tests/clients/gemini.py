"""Gemini CLI, with the Gemini API as a stream. Its router asks a side call before each prompt."""

import json

from harness import faults, script
from harness.client import Client, oldest

TOOLS = {
    "read": lambda path, folder: ("read_file", {"file_path": str(folder / path)}),
    "run": lambda command, _folder: ("run_shell_command", {"command": command}),
}

SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"disableAutoUpdate": True},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}


def command(place, prompt, continues):
    arguments = [place.bin("gemini"), "--approval-mode", "yolo", "-p", prompt]
    return [*arguments, "--resume", "latest"] if continues else arguments


def fork(place, prompt):
    session = str(oldest(recordings(place, None)))
    return [*command(place, prompt, False), "--session-file", session]


def environment(place):
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": place.base, "GEMINI_CLI_TRUST_WORKSPACE": "true"}


def recordings(place, _run):
    return sorted(place.home.glob(".gemini/tmp/*/chats/*.json*"))


def side_text(_request):
    """What the router wants to know."""
    return json.dumps({"complexity_reasoning": "A few commands.", "complexity_score": 20})


def prepare_page(place):
    """With what a person would be asked for otherwise."""
    place.write(".gemini/settings.json", {**SETTINGS, "tools": {"allowed": ["run_shell_command"]}})


CLIENT = Client(
    name="gemini",
    registry="npm",
    package="@google/gemini-cli",
    version="0.61.0",
    format="gemini_chat",
    runs_long=True,
    tools=TOOLS,
    prepare=lambda place: place.write(".gemini/settings.json", SETTINGS),
    command=command,
    fork=fork,
    environment=environment,
    recordings=recordings,
    side_text=side_text,
    # The second call looks for what the first has left out.
    summary_calls=2,
    recorded_id=lambda call: f"{call.name}__{call.id}",
    documented={
        "system": "the system prompt is not recorded",
        "tools": "tools are not recorded",
        "failures": "a command that ends with an exit code other than 0 is a success, and its code is only in the text",
        "beside": "the calls of the router, and those that write a summary, are not recorded",
    },
    gives_up=(faults.CUT,),
    # It sends each earlier result twice.
    keeps_history=False,
    # The API may leave out the ids of calls; Gemini CLI makes some up.
    ways={"without ids": {"names_calls": False, "stages": [script.FIRST, script.SECOND]}},
    page={"prepare": prepare_page},
    stages=[script.FIRST, script.until_full(2_000_000, 0), script.THIRD],
)
