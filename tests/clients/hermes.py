"""Hermes, with OpenAI chat completions as a stream.

Trimtab reads what is in the context: after a compaction it lacks the calls before, so the session has none.
"""

from harness import script
from harness.client import Client, openai_environment

TOOLS = {
    "read": lambda path, folder: ("read_file", {"path": str(folder / path)}),
    "run": lambda command, _folder: ("terminal", {"command": command}),
}

CONFIG = """model:
  default: gpt-4.1
  provider: custom
  base_url: {base}/v1
  api_key: sk-none
  context_length: 128000
"""


def command(place, prompt, continues):
    arguments = [place.bin("hermes"), "chat", "-q", prompt, "--yolo", "-Q"]
    return [*arguments, "--continue"] if continues else arguments


CLIENT = Client(
    name="hermes",
    registry="pypi",
    package="hermes-agent",
    version="0.19.0",
    format="openai_chat",
    is_launched=False,
    tools=TOOLS,
    prepare=lambda place: place.write(".hermes/config.yaml", CONFIG.format(base=place.base)),
    command=command,
    environment=openai_environment,
    recordings=lambda place, _run: [place.home / ".hermes/state.db"],
    documented={
        "tools": "tools are not recorded",
        "usage": "usage is recorded for the whole session only",
        "failures": "OpenAI chat does not mark failed results",
    },
    stages=[script.FIRST, script.SECOND],
)
