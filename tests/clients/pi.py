"""pi, with Anthropic Messages as a stream."""

from harness import script
from harness.client import Client, no_preparation, oldest

TOOLS = {
    "read": lambda path, folder: ("read", {"path": str(folder / path)}),
    "run": lambda command, _folder: ("bash", {"command": command}),
}


def prepare(place):
    place.write(".pi/agent/models.json", {"providers": {"anthropic": {"baseUrl": place.base}}})
    # So short a session has nothing to compact otherwise.
    place.write(".pi/agent/settings.json", {"compaction": {"enabled": True, "keepRecentTokens": 50}})


def command(place, prompt, continues):
    arguments = [place.bin("pi"), "-p", "--provider", "anthropic", "--model", "claude-sonnet-4-5"]
    return [*arguments, "--continue", prompt] if continues else [*arguments, prompt]


def fork(place, prompt):
    session = str(oldest(recordings(place, None)))
    return [*command(place, prompt, False)[:-1], "--fork", session, prompt]


def recordings(place, _run):
    return sorted(place.home.glob(".pi/agent/sessions/**/*.jsonl"))


CLIENT = Client(
    name="pi",
    registry="npm",
    package="@earendil-works/pi-coding-agent",
    version="1.3.0",
    node="24.9.0",
    format="pi",
    is_launched=False,
    tools=TOOLS,
    prepare=prepare,
    command=command,
    fork=fork,
    environment=lambda _place: {"ANTHROPIC_API_KEY": "sk-none", "PI_OFFLINE": "1"},
    recordings=recordings,
    is_summary=lambda request: request.system.startswith("You are a context summarization assistant"),
    stages=[script.FIRST, script.until_full(995_000), script.THIRD],
    # The page says how it is pointed at the proxy.
    page={"prepare": no_preparation},
    call_prefix="toolu_",
    reply_prefix="msg_",
)
