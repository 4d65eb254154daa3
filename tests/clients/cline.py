"""Cline CLI, with OpenAI chat completions as a stream."""

from harness import script
from harness.client import Client, openai_environment

TOOLS = {
    "read": lambda path, folder: ("read_files", {"files": [{"path": str(folder / path)}]}),
    "run": lambda command, _folder: ("run_commands", {"commands": [command]}),
}


def command(place, prompt, continues):
    arguments = [place.bin("cline"), "-P", "openai-compatible", "-k", "sk-none", "-m", "gpt-4.1", prompt]
    return arguments


def recordings(place, _run):
    return sorted(place.home.glob(".cline/**/*.json"))


CLIENT = Client(
    name="cline",
    registry="npm",
    package="cline",
    version="3.0.65",
    format="anthropic_messages",
    tools=TOOLS,
    command=command,
    environment=openai_environment,
    recordings=recordings,
    stages=[script.FIRST],
)
