"""Aider, with OpenAI chat completions as a stream. It calls no tools: the replies of the script stay texts."""

from harness import faults, script
from harness.client import Client, openai_environment

STAGES = [
    script.Stage("Explain the notes.", [script.Step("The notes name bread, keys and a lamp.")]),
    script.Stage("Which line names the lamp?", [script.Step("The third line does.")]),
]

# Each prompt has one call, so each fault has a prompt.
FAULTY = [script.with_faults(STAGES[at % 2], {1: fault}) for at, fault in enumerate((faults.LIMITED, faults.FAILED, faults.CUT))]


def command(place, prompt, continues):
    quiet = ["--no-check-update", "--analytics-disable", "--no-show-model-warnings", "--no-show-release-notes", "--no-git"]
    arguments = [place.bin("aider"), "--model", "openai/gpt-4.1", "--message", prompt, "--yes-always", *quiet]
    return [*arguments, *(["--restore-chat-history"] if continues else []), "notes.txt"]


CLIENT = Client(
    name="aider",
    registry="pypi",
    package="aider-chat",
    version="0.86.2",
    format="aider",
    tools={},
    command=command,
    environment=openai_environment,
    recordings=lambda place, _run: sorted(place.folder.glob(".aider.chat.history.md")),
    documented={
        "system": "the system prompt is not recorded",
        "models": "the model is recorded with its provider",
        "usage": "the numbers of tokens are counted by Aider, and rounded",
    },
    stages=STAGES,
    faulty=FAULTY,
    is_side=lambda _request: False,
)
