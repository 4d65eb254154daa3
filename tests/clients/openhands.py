"""OpenHands CLI, with OpenAI chat completions that are not streamed."""

from harness import script
from harness.client import Client

# What every call states besides its own arguments.
COMMON = {"security_risk": "LOW", "summary": "Look at the folder"}

TOOLS = {
    "read": lambda path, folder: ("file_editor", {**COMMON, "command": "view", "path": str(folder / path)}),
    "run": lambda command, _folder: ("terminal", {**COMMON, "command": command}),
}


def command(place, prompt, continues):
    arguments = [place.bin("openhands"), "--headless", "--override-with-envs", "-t", prompt]
    return [*arguments, "--resume", "--last"] if continues else arguments


def environment(place):
    return {
        "LLM_API_KEY": "sk-none",
        "LLM_BASE_URL": f"{place.base}/v1",
        "LLM_MODEL": "openai/gpt-4.1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }


def recordings(place, _run):
    return sorted(place.home.glob(".openhands/conversations/*/base_state.json"))


CLIENT = Client(
    name="openhands",
    registry="pypi",
    package="openhands",
    version="1.16.0",
    python=(3, 12),
    format="openhands",
    is_launched=False,
    tools=TOOLS,
    command=command,
    environment=environment,
    recordings=recordings,
    documented={"models": "the model is recorded with its provider"},
    stages=[script.FIRST, script.SECOND],
)
