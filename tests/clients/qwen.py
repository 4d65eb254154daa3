"""Qwen Code, with OpenAI chat completions as a stream."""

from harness import script
from harness.client import Client, oldest, openai_environment

TOOLS = {
    "read": lambda path, folder: ("read_file", {"file_path": str(folder / path)}),
    "run": lambda command, _folder: ("run_shell_command", {"command": command, "is_background": False}),
}


def command(place, prompt, continues):
    arguments = [place.bin("qwen"), "-y", "--auth-type", "openai"]
    return [*arguments, "--continue", prompt] if continues else [*arguments, prompt]


def fork(place, prompt):
    session = oldest(recordings(place, None)).stem
    return [*command(place, prompt, False)[:-1], "--resume", session, "--fork-session", prompt]


def recordings(place, _run):
    return sorted(place.home.glob(".qwen/projects/*/chats/*.jsonl"))


CLIENT = Client(
    name="qwen",
    registry="npm",
    package="@qwen-code/qwen-code",
    version="0.24.4",
    format="qwen",
    tools=TOOLS,
    command=command,
    fork=fork,
    environment=lambda place: {**openai_environment(place), "OPENAI_MODEL": "qwen3-coder-plus"},
    recordings=recordings,
    summary_text="<state_snapshot><overall_goal>Count the notes.</overall_goal></state_snapshot>",
    documented={"system": "the system prompt is not recorded", "tools": "tools are not recorded"},
    stages=[script.FIRST, script.SECOND, script.COMPRESS, script.THIRD],
    # It resumes without the date in its first message, so that the proxy takes the session for another conversation.
    rejected=[script.REJECTED],
)
