"""Policies: compiled, linted, tested, compared and simulated."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from . import _trimtab
from ._session import Session
from ._simulation import Json, Progress, Simulation, simulate

if TYPE_CHECKING:
    from ._session import Confirm, Facts, SubAgent, Summarise


def compile(text: str, name: str = "policy.trim", policy: str | None = None) -> Policy:
    """Compiles the text of a policy file.

    `name` stands in messages; one that ends in `.yaml` or `.yml` is read as YAML. `policy` names one of several policies in
    the text. Raises PolicyError.
    """
    return _checked(_trimtab.compile(name, text), policy, name)


def compile_file(path: str | os.PathLike[str], policy: str | None = None) -> Policy:
    """Compiles a policy file and the files that it imports.

    Imports stay inside the project: the nearest parent directory with `trimtab.toml` or `.git`. Raises PolicyError, and OSError if
    the file cannot be read.
    """
    return _checked(_trimtab.compile_file(path), policy, os.fspath(path))


def from_json(plan: str) -> Policy:
    """A policy from the output of `trimtab compile`, without its source: it has no findings and no tests. Raises PolicyError."""
    try:
        return Policy(_trimtab.Plan.from_json(plan), None, None)
    except _trimtab.PolicyError as error:
        raise _with([], str(error)) from None


def format(text: str, name: str = "policy.trim") -> str:
    """The text of a policy file in the layout of `trimtab fmt`, with the same meaning and the same comments. Raises PolicyError."""
    formatted = _trimtab.format(name, text)
    if formatted is None:
        file = _trimtab.compile(name, text)
        raise _invalid(file)
    return formatted


def _identity(sub_agent: SubAgent | None) -> tuple[str, int] | None:
    """The name and the depth of a sub-agent."""
    return (sub_agent, 1) if isinstance(sub_agent, str) else sub_agent


def _data(text: str) -> Json:
    data: Json = json.loads(text)
    return data


def _with(diagnostics: list[Json], message: str) -> _trimtab.PolicyError:
    error = _trimtab.PolicyError(message)
    error.diagnostics = diagnostics
    return error


def _invalid(file: _trimtab.PolicyFile) -> _trimtab.PolicyError:
    """The errors of a file, drawn as the command draws them."""
    diagnostics: list[Json] = json.loads(file.validate())["diagnostics"]
    return _with(diagnostics, (file.render() or "").rstrip("\n"))


def _checked(file: _trimtab.PolicyFile, policy: str | None, name: str) -> Policy:
    if file.has_errors():
        raise _invalid(file)
    try:
        return Policy(file.plan(policy), file, name)
    except _trimtab.PolicyError as error:
        raise _with([], str(error)) from None


class Policy:
    """A policy that is ready to run. Make one with `compile`, `compile_file` or `from_json`."""

    def __init__(self, plan: _trimtab.Plan, file: _trimtab.PolicyFile | None, name: str | None) -> None:
        self._plan = plan
        self._file = file
        self._name = name

    def __repr__(self) -> str:
        return f"<trimtab.Policy {self.name} {self.hash}>"

    @property
    def name(self) -> str:
        """The name of the policy."""
        return self._plan.policy

    @property
    def title(self) -> str | None:
        """The description of the policy."""
        return self._plan.title

    @property
    def hash(self) -> str:
        """A hash of everything that affects what the policy does."""
        return self._plan.hash

    @property
    def rules(self) -> list[str]:
        """The names of the rules in the order in which they are tried."""
        return self._plan.rules

    @property
    def offloads(self) -> bool:
        """Whether the policy moves results out of the context, so that the agent needs the tool `recall`."""
        return self._plan.offloads

    def to_json(self) -> str:
        """The policy as `trimtab compile` prints it."""
        return self._plan.to_json()

    def validate(self) -> Json:
        """The warnings of the file, in the form of `trimtab validate --format json`."""
        return _data(self._source().validate())

    def lint(self, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Json:
        """The findings of the file, in the form of `trimtab lint --format json`.

        `select` runs only these lints, `ignore` leaves some out: names, categories, or `all`.
        """
        return _data(self._source().lint(list(select), list(ignore)))

    def test(self) -> Json:
        """Runs the tests of the file, in the form of `trimtab test --coverage --format json`.

        Recordings that tests name are relative to the file, and inside its project only. Tests of a text cannot name any.
        """
        return _data(self._source().test())

    def diff(self, after: Policy, transcripts: Sequence[_trimtab.Transcript] = ()) -> Json:
        """How a later policy differs from this one, in the form of `trimtab diff --format json`, also on some transcripts."""
        return _data(self._plan.diff(after._plan, transcripts))

    def simulate(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        window: int | None = None,
        model: str | None = None,
        summariser: str | None = None,
        input_format: str | None = None,
        assertions: Iterable[str] = (),
        facts: Mapping[str, str] | None = None,
        jobs: int | None = None,
        per_call: bool = False,
        progress: Progress | None = None,
    ) -> Simulation:
        """Simulates the policy on recordings: files, directories and globs, as `trimtab simulate` reads them.

        It runs in a process of its own on all processors, or on `jobs`. `window` is in tokens. `summariser` is one that `trimtab simulate
        --summariser` takes, `assertions` are those of `--assert`, `facts` those of `--fact`. `per_call` adds the figures of each call.
        `progress` is called with the number of conversations that are done, and a line about the newest. Raises SimulationError.
        """
        values = {"--window": window, "--model": model, "--summariser": summariser, "--input-format": input_format, "--jobs": jobs}
        options = [f"{name}={value}" for name, value in values.items() if value is not None]
        options += [f"--assert={one}" for one in assertions] + [f"--fact={name}={value}" for name, value in (facts or {}).items()]
        options += ["--per-call"] if per_call else []
        paths = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        return simulate(self.to_json(), self._name or self.name, paths, options, progress)

    def replay(
        self,
        transcript: _trimtab.Transcript,
        *,
        window: int | None = None,
        model: str | None = None,
        summary: str | None = None,
    ) -> Json:
        """Replays one transcript: its entry in `trimtab simulate --format json`.

        `window` is in tokens. `summary` is the text of every summary; without it, summaries quote the conversation.
        """
        return _data(self._plan.simulate(transcript, window, model, summary))

    def session(
        self,
        dialect: str,
        *,
        window: int | None = None,
        model: str | None = None,
        tools: Sequence[str] | None = None,
        overhead: int | None = None,
        sub_agent: SubAgent | None = None,
        facts: Facts | None = None,
        summarise: Summarise | None = None,
        confirm: Confirm | None = None,
    ) -> Session:
        """A live session.

        `dialect` is `openai_chat`, `openai_responses`, `anthropic_messages` or `gemini_contents`. `window` and `overhead`, the
        tokens that are sent besides the messages, are in tokens. `sub_agent` is the name of a sub-agent, or its name and how many
        agents are above it, for the facts `agent.name` and `agent.depth`. `facts` are values of facts that the policy declares.
        `summarise` gets a `Summary` and returns a text; without it, or when it raises an exception, summaries fail, and
        `on_failure` of the rule says what happens. `confirm` gets the name and the question of a rule with `confirm` and
        returns whether the rule acts; without it, every question is declined.
        """
        raw = _trimtab.Session(self._plan, dialect, window, model, tools, overhead, _identity(sub_agent))
        return Session(raw, dialect, facts, summarise, confirm)

    def restore(
        self,
        saved: bytes,
        dialect: str,
        *,
        window: int | None = None,
        model: str | None = None,
        tools: Sequence[str] | None = None,
        overhead: int | None = None,
        sub_agent: SubAgent | None = None,
        facts: Facts | None = None,
        summarise: Summarise | None = None,
        confirm: Confirm | None = None,
    ) -> Session:
        """Continues a session that `Session.save` has saved. Raises RestoreError if it was saved under another policy."""
        raw = _trimtab.Session.restore(self._plan, dialect, saved, window, model, tools, overhead, _identity(sub_agent))
        return Session(raw, dialect, facts, summarise, confirm)

    def _source(self) -> _trimtab.PolicyFile:
        if self._file is None:
            raise ValueError("a policy that was made from a compiled plan has no source")
        return self._file
