"""Continue CLI, with Anthropic Messages as a stream."""

from harness import faults, script
from harness.client import Client, oldest

TOOLS = {
    "read": lambda path, folder: ("Read", {"filepath": str(folder / path)}),
    "run": lambda command, _folder: ("Bash", {"command": command}),
}

CONFIG = """name: local
version: 0.0.1
schema: v1
models:
  - name: local
    provider: anthropic
    model: claude-sonnet-4-5
    apiBase: {base}/v1/
    apiKey: sk-none
    roles: [chat]
    capabilities: [tool_use]
"""


def command(place, prompt, continues):
    config = str(place.home / ".continue" / "config.yaml")
    arguments = [place.bin("cn"), "--config", config, "--auto", "-p", prompt]
    return [*arguments, "--resume"] if continues else arguments


def fork(place, prompt):
    return [*command(place, prompt, False), "--fork", oldest(recordings(place, None)).stem]


def recordings(place, _run):
    found = sorted(place.home.glob(".continue/sessions/*.json"))
    return [path for path in found if path.name != "sessions.json"]


CLIENT = Client(
    name="continue_dev",
    registry="npm",
    package="@continuedev/cli",
    version="1.5.47",
    format="continue",
    is_launched=False,
    tools=TOOLS,
    prepare=lambda place: place.write(".continue/config.yaml", CONFIG.format(base=place.base)),
    command=command,
    fork=fork,
    environment=lambda _place: {},
    recordings=recordings,
    documented={
        "system": "the system prompt is not recorded",
        "tools": "tools are not recorded",
        "failures": "a command that ends with an exit code other than 0 is a success, and its code is not recorded",
    },
    stages=[script.FIRST, script.until_full(190_000, 0), script.THIRD],
    faulty=script.FAULTY_EACH,
    gives_up=(faults.LIMITED,),
    call_prefix="toolu_",
    reply_prefix="msg_",
)
