"""What the tests of adapters share: policies, what a simulation says that was sent, and a long run of a coding agent."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

#: Trims, masks and injects, and summarises.
POLICY = """edition 2026

policy everything {
  rule trim_long {
    when context.messages >= 5
    do trim results over 1000 chars to 300 chars keep 1 results
  }

  rule mask_old {
    when iteration >= 3
    do mask results keep 2 results
  }

  rule think {
    when iteration == 2 or iteration == 5
    do inject "Stop and think before the next call."
  }

  rule summarise_older {
    when context.messages >= 12
    do summarise older keep 4 messages
    on_failure keep
    cooldown 20 iterations
  }
}
"""

#: The project's policy for coding agents.
CODING_POLICY = Path(__file__).resolve().parents[3] / "policies" / "coding_agent.trim"
#: A context window that is small enough for `CODING_POLICY` to mask results in the first of the two runs below.
CODING_WINDOW = 16_000
#: The prompts of two runs of one conversation. The second has more than 8,000 tokens and cannot be masked, so a summary is needed.
CODING_PROMPTS = ("Read the report.", "Compare the report with these notes. " + "A line of the notes. " * 1_600)
#: The number of replies with tool calls in each run, which its answer follows. The reminder of notes comes after 12 iterations.
CODING_TURNS = (13, 5)

#: A role and a text: that of a text part, a result or reasoning, or a call as `name {"argument": 1}`.
Line = tuple[str, str]


def call_text(name: str, arguments: Any) -> str:
    """The text that stands for a call."""
    return f"{name} {json.dumps(arguments, sort_keys=True)}"


def simulated(policy: str | Path, folder: Path) -> list[list[Line]]:
    """What the only recording in a folder says that each model call got."""
    (recording,) = folder.iterdir()
    command = [sys.executable, "-m", "trimtab", "simulate", str(policy), str(recording), "--isolated", "--contexts", "-"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [_lines(json.loads(line)["messages"]) for line in run.stdout.splitlines()]


def write_note(text: str) -> str:
    """Saves a note."""
    return f"Saved {len(text)} characters."


def check_coding_requests(sent: Sequence[Sequence[Line]], expected: Sequence[Sequence[Line]]) -> None:
    """Checks that the requests of the two runs equal their simulation and contain the edits of `CODING_POLICY`."""
    assert len(sent) == len(expected) == sum(turns + 1 for turns in CODING_TURNS)
    for number, (request, simulation) in enumerate(zip(sent, expected, strict=True), 1):
        difference = next((pair for pair in zip_longest(request, simulation) if pair[0] != pair[1]), None)
        assert difference is None, f"request {number} differs from the simulation: {difference}"

    first_run, last = sent[: CODING_TURNS[0] + 1], sent[-1]
    results = [[text for role, text in request if role == "tool"] for request in first_run]
    masked = [sum(text.startswith("[tool result for read: ") for text in texts) for texts in results]
    assert not any(masked[:7]), "the context is below 60% of the window"
    assert masked[-1] >= 9, f"the requests have {masked} masked results"
    assert masked == sorted(masked), "masked results stay masked"
    assert not any(text.startswith("[") for text in results[-1][-6:]), "the newest results are not masked"
    reminders = [sum(text.startswith("Use write_note to save") for role, text in request if role == "user") for request in first_run]
    assert reminders == [0] * 12 + [1] * (len(first_run) - 12)

    first_prompt, second_prompt = (("user", prompt) for prompt in CODING_PROMPTS)
    assert all(first_prompt in request for request in first_run)
    assert first_prompt not in last and second_prompt in last, "a summary keeps the prompt of the current run"
    assert [text.count("Summary 1.") for role, text in last if role == "user" and "Summary" in text] == [1]


def _lines(messages: Sequence[dict[str, Any]]) -> list[Line]:
    lines: list[Line] = []
    for message in messages:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        lines += [(message["role"], _text(part)) for part in parts]
    return lines


def _text(part: dict[str, Any]) -> str:
    match part["type"]:
        case "tool_call":
            arguments = part["arguments"]
            # The APIs of OpenAI have arguments as text.
            return call_text(part["name"], json.loads(arguments) if isinstance(arguments, str) else arguments)
        case "tool_result":
            return str(part["content"])
        case _:
            return str(part.get("text", ""))
