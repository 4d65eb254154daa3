"""mini-swe-agent, with OpenAI chat completions that are not streamed. It has one tool, and cannot continue a session."""

import dataclasses

from harness import script
from harness.client import Client, openai_environment

TOOLS = {
    "read": lambda path, folder: ("bash", {"command": f"cat {folder / path}"}),
    "run": lambda command, _folder: ("bash", {"command": command}),
}

# The command with which a run ends.
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def command(place, prompt, _continues):
    arguments = ["-m", "openai/gpt-4.1", "-t", prompt, "-y", "--exit-immediately", "-o", str(place.home / "run.traj.json")]
    return [place.bin("mini"), *arguments]


def environment(place):
    return {**openai_environment(place), "MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors"}


LAST = script.Step("All is done.", [("run", SUBMIT)])


def submitted(stage):
    """The stage with a reply at its end that ends the run."""
    return dataclasses.replace(stage, steps=[*stage.steps[:-1], LAST])


CLIENT = Client(
    name="mini_swe_agent",
    registry="pypi",
    package="mini-swe-agent",
    version="2.4.6",
    format="mini_swe_agent",
    tools=TOOLS,
    command=command,
    environment=environment,
    recordings=lambda place, _run: sorted(place.home.glob("*.traj.json")),
    documented={"tools": "the only tool is not recorded"},
    stages=[submitted(script.FIRST)],
    faulty=[submitted(script.FAULTY)],
    rejected=[submitted(script.REJECTED)],
)
