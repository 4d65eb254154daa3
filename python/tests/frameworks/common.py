"""What the tests of adapters share: a policy with every kind of edit, and what a simulation says that was sent."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
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
