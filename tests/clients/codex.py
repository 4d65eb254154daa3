"""Codex CLI, with OpenAI Responses as a stream."""

from harness import script
from harness.client import Client, oldest

TOOLS = {
    "read": lambda path, folder: ("exec_command", {"cmd": f"cat {folder / path}"}),
    "run": lambda command, _folder: ("exec_command", {"cmd": command}),
}

CONFIG = """model = "gpt-5.1-codex"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "{base}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
"""


def prepare(place):
    place.write(".codex/config.toml", CONFIG.format(base=place.base))


# A sandbox cannot be had everywhere.
PERMISSIONS = """approval_policy = "never"
sandbox_mode = "danger-full-access"
"""


# The provider that Codex has by itself, which tries a WebSocket first.
BUILT_IN = """model = "gpt-5.1-codex"
openai_base_url = "{base}/v1"
"""


def prepare_built_in(place):
    place.write(".codex/config.toml", BUILT_IN.format(base=place.base))
    place.write(".codex/auth.json", {"OPENAI_API_KEY": "sk-none", "auth_mode": "apikey"})


def prepare_page(place):
    prepare_built_in(place)
    place.write(".codex/config.toml", BUILT_IN.format(base=place.base) + PERMISSIONS)


def command(place, prompt, continues):
    arguments = [place.bin("codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    return [*arguments, "resume", "--last", prompt] if continues else [*arguments, prompt]


def fork(place, prompt):
    session = oldest(recordings(place, None)).stem[-36:]
    first, *options = command(place, prompt, False)[:-1]
    return [first, *options, "fork", session, prompt]


def recordings(place, _run):
    return sorted(place.home.glob(".codex/sessions/**/*.jsonl"))


CLIENT = Client(
    name="codex",
    registry="npm",
    package="@openai/codex",
    version="0.169.0",
    format="codex",
    runs_long=True,
    tools=TOOLS,
    prepare=prepare,
    command=command,
    fork=fork,
    environment=lambda _place: {"LOCAL_KEY": "sk-none"},
    recordings=recordings,
    documented={
        "system": "the rollout has the instructions as they are before Codex drops sections about tools that it does not offer",
        "tools": "tools are not recorded",
    },
    ways={"built-in": {"prepare": prepare_built_in, "environment": lambda _place: {}, "stages": [script.FIRST, script.SECOND]}},
    page={"prepare": prepare_page, "environment": lambda _place: {}},
    stages=[script.FIRST, script.until_full(260_000), script.THIRD],
)
