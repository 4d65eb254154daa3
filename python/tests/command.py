"""The command of the package, run in this process."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trimtab._trimtab import command


def result(*arguments: str) -> Any:
    """The JSON that the command prints for these arguments, of which the first is the subcommand."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        form = [] if arguments[0] == "compile" else ["--format", "json"]
        code = command(["trimtab", *arguments, *form, "-o", str(out)])
        assert code in (0, 1), f"exit code {code}"
        return json.loads(out.read_text())


def contexts(policy: Path, recording: Path) -> list[dict[str, Any]]:
    """What a simulation says was sent at each model call."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "contexts.jsonl"
        code = command(["trimtab", "simulate", str(policy), str(recording), "--isolated", "-q", "--contexts", str(out), "-o", str(Path(folder) / "report")])
        assert code == 0, f"exit code {code}"
        return [json.loads(line) for line in out.read_text().splitlines()]
