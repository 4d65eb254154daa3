"""Simulations over files, which run in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, cast

Json: TypeAlias = dict[str, Any]
#: Called with the number of conversations that are done, and a line about the newest.
Progress: TypeAlias = Callable[[int, str], None]


class SimulationError(RuntimeError):
    """No recording could be simulated, or an option is wrong. The text is the message of the command."""


class Simulation:
    """The result of a simulation, in the form of `trimtab simulate --format json`."""

    def __init__(self, result: Json, notes: str) -> None:
        self._result = result
        #: What the command says beside the result, such as which files could not be read.
        self.notes = notes

    def __repr__(self) -> str:
        return f"<trimtab.Simulation of {self._result['policy']['name']}: {len(self.transcripts)} transcripts>"

    def to_dict(self) -> Json:
        """The whole result."""
        return self._result

    @property
    def verdict(self) -> Json:
        """The outcome over all transcripts."""
        verdict: Json = self._result["total"]["verdict"]
        return verdict

    @property
    def rules(self) -> list[Json]:
        """What each rule did over all transcripts, in the order of the policy."""
        rules: list[Json] = self._result["total"]["rules"]
        return rules

    @property
    def transcripts(self) -> list[Json]:
        """The result of each transcript."""
        transcripts: list[Json] = self._result["transcripts"]
        return transcripts

    @property
    def errors(self) -> list[Json]:
        """The recordings that could not be simulated."""
        errors: list[Json] = self._result["errors"]
        return errors

    def to_arrow(self, rows: str = "transcripts") -> Any:
        """A table of PyArrow with a row for each of the `transcripts`, `rules` (in each transcript) or `calls` (with `per_call=True`).

        Columns are the scalar values, named by their path, such as `before.peak_tokens`.
        """
        # Imported here, since only tables need it.
        pyarrow: Any = import_module("pyarrow")
        if rows == "transcripts":
            table = [_flat(one) for one in self.transcripts]
        elif rows in ("rules", "calls"):
            key = "per_call" if rows == "calls" else rows
            table = [{"transcript": one["id"], **_flat(row)} for one in self.transcripts for row in one.get(key, ())]
        else:
            raise ValueError(f"`rows` is `transcripts`, `rules` or `calls`, not `{rows}`")
        # A column has a value of the first row that has one, so all rows are asked for their columns.
        columns = dict.fromkeys(name for row in table for name in row)
        return pyarrow.table({name: [row.get(name) for row in table] for name in columns})


def _flat(value: Mapping[str, Any], path: str = "") -> Json:
    """The scalars in an object, named by their path."""
    flat: Json = {}
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            flat |= _flat(cast(Json, inner), f"{path}{name}.")
        elif not isinstance(inner, list):
            flat[path + name] = inner
    return flat


def simulate(
    plan: str,
    file: str,
    paths: Iterable[str | os.PathLike[str]],
    options: Sequence[str],
    progress: Progress | None,
) -> Simulation:
    """Runs the command with a compiled plan, which stands in the result under the name of its file."""
    with TemporaryDirectory() as folder:
        policy, out = Path(folder) / "plan.json", Path(folder) / "result.json"
        policy.write_text(plan, encoding="utf-8")
        words = [*options, "--isolated", "--format", "json", "-o", str(out)]
        words += ["--json-progress"] if progress else []
        program = [sys.executable, str(Path(__file__).with_name("_command.py"))]
        command = [*program, "simulate", *words, "--", str(policy), *(os.fspath(path) for path in paths)]
        streams: Any = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, "encoding": "utf-8", "errors": "replace"}
        with subprocess.Popen(command, **streams) as run:
            try:
                notes = _notes(run, progress)
            except BaseException:
                run.kill()
                raise
        if run.returncode not in (0, 1) or not out.exists():
            raise SimulationError(notes.strip() or f"the simulation ended with exit code {run.returncode}")
        result: Json = json.loads(out.read_text(encoding="utf-8"))
    result["policy"]["file"] = file
    return Simulation(result, notes)


def _notes(run: subprocess.Popen[str], progress: Progress | None) -> str:
    """The messages of the command, while what it reports as done is passed on."""
    notes, done = "", 0
    assert run.stderr is not None
    for line in run.stderr:
        report = _report(line) if progress else None
        if progress is None or report is None:
            notes += line
        elif "message" in report:
            notes += f"{report['message']}\n"
        else:
            done += 1
            progress(done, f"{report['transcript']}: {report['format']}, {report['calls']} calls")
    return notes


def _report(line: str) -> Json | None:
    """A line of `--json-progress`; None for one that the command prints where it has no options yet."""
    try:
        return cast(Json, json.loads(line)) if line.startswith("{") else None
    except ValueError:
        return None
