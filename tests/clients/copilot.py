"""Copilot CLI, with Anthropic Messages as a stream from a provider of one's own, without a login."""

from harness import script
from harness.client import Client

TOOLS = {
    "read": lambda path, folder: ("view", {"path": str(folder / path)}),
    "run": lambda command, _folder: ("bash", {"command": command, "description": "Run a command"}),
}


def command(place, prompt, continues):
    arguments = [place.bin("copilot"), "-p", prompt, "--allow-all-tools", "--no-auto-update"]
    return [*arguments, "--continue"] if continues else arguments


def environment(place):
    return {
        "COPILOT_PROVIDER_TYPE": "anthropic",
        "COPILOT_PROVIDER_BASE_URL": place.base,
        "COPILOT_PROVIDER_API_KEY": "sk-none",
        "COPILOT_MODEL": "claude-sonnet-4.5",
    }


def way(interface):
    """A provider that speaks an interface of OpenAI."""

    def environment_of_way(place):
        provider = {"COPILOT_PROVIDER_TYPE": "openai", "COPILOT_PROVIDER_BASE_URL": f"{place.base}/v1"}
        return {**environment(place), **provider, "COPILOT_PROVIDER_WIRE_API": interface, "COPILOT_MODEL": "gpt-5.1"}

    return {"environment": environment_of_way, "stages": [script.FIRST, script.SECOND]}


def recordings(place, _run):
    return sorted(place.home.glob(".copilot/session-state/*/events.jsonl"))


# A compaction runs beside the session, and ends only if the session goes on.
UNTIL_FULL = script.Stage(
    script.SECOND.prompt,
    [
        script.Step("I count them.", [("run", "wc -l notes.txt")], context=260_000),
        script.Step("I wait.", [("run", "sleep 2")]),
        script.Step("There are three lines."),
    ],
)



def is_same_result(sent, read):
    """The error of an absent file is recorded in other words than those that the model sees."""
    is_absent = sent.endswith("does not exist. Please provide a valid path.")
    return sent == read or is_absent and read == "Path does not exist"


def environment_of_page(place):
    """With what a person would be asked for otherwise."""
    return {**environment(place), "COPILOT_ALLOW_ALL": "1", "COPILOT_AUTO_UPDATE": "false"}


CLIENT = Client(
    name="copilot",
    registry="npm",
    package="@github/copilot",
    version="1.0.102",
    format="copilot",
    tools=TOOLS,
    command=command,
    environment=environment,
    recordings=recordings,
    is_same_result=is_same_result,
    documented={"tools": "tools are not recorded"},
    stages=[script.FIRST, UNTIL_FULL, script.THIRD],
    # It sends the error of an absent file as it has recorded it.
    keeps_history=False,
    ways={"responses": way("responses"), "chat": way("completions")},
    page={"environment": environment_of_page},
    call_prefix="toolu_",
    reply_prefix="msg_",
)
