"""The compiled part of the package. Results are JSON texts."""

import os
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, final

__all__ = [
    "Call",
    "Edit",
    "Failure",
    "Firing",
    "Handle",
    "Plan",
    "PolicyError",
    "PolicyFile",
    "Prepared",
    "RequestError",
    "RestoreError",
    "Session",
    "Step",
    "Summary",
    "Transcript",
    "command",
    "compile",
    "compile_file",
    "format",
    "read_transcripts",
]

class PolicyError(ValueError):
    """A policy or a plan is invalid. `diagnostics` are those of `trimtab validate --format json`."""

    diagnostics: list[dict[str, object]]

class RequestError(ValueError):
    """The JSON is not a request or a reply in the dialect."""

class RestoreError(ValueError):
    """A saved session cannot be continued under this policy."""

@final
class PolicyFile:
    def has_errors(self) -> bool: ...
    def policies(self) -> list[str]: ...
    def plan(self, policy: str | None) -> Plan: ...
    def validate(self) -> str: ...
    def render(self) -> str | None: ...
    def lint(self, select: Sequence[str], ignore: Sequence[str]) -> str: ...
    def test(self) -> str: ...

@final
class Plan:
    @staticmethod
    def from_json(text: str) -> Plan: ...
    def to_json(self) -> str: ...
    @property
    def policy(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def hash(self) -> str: ...
    @property
    def rules(self) -> list[str]: ...
    @property
    def offloads(self) -> bool: ...
    def diff(self, after: Plan, transcripts: Sequence[Transcript]) -> str: ...
    def simulate(self, transcript: Transcript, window: int | None, model: str | None, summary: str | None) -> str: ...

@final
class Transcript:
    """One recorded conversation."""

    @property
    def id(self) -> str:
        """Its id; empty if it is the only conversation of its file."""
    @property
    def format(self) -> str:
        """The format from which it was read."""
    @property
    def model(self) -> str | None:
        """The model that wrote most replies, if it is recorded."""
    @property
    def window(self) -> int | None:
        """The context window in tokens, if it is recorded."""
    def __len__(self) -> int:
        """The number of messages."""
    def to_jsonl(self) -> str:
        """The conversation in the form of Trimtab's own recordings."""

@final
class Handle: ...
@final
class Call: ...

@final
class Summary:
    """A request for a summary."""

    @property
    def instructions(self) -> str:
        """The instructions for the model."""
    @property
    def previous(self) -> str | None:
        """The existing summary that the new one updates."""
    @property
    def transcript(self) -> str:
        """The messages to summarise as text."""
    @property
    def at_most(self) -> int | None:
        """The maximum length of the summary in tokens."""
    def prompt(self) -> tuple[str, str]:
        """The system prompt and the message of the user that ask a model for the summary."""

@final
class Edit:
    """What becomes of an element of the list of messages."""

    @property
    def kind(self) -> str:
        """`keep`, `replace`, `remove` or `insert`."""
    @property
    def index(self) -> int | None:
        """The index of the element in the list that was given; none for `insert`."""
    @property
    def json(self) -> str | None:
        """The new element of `replace` and `insert`."""

@final
class Firing:
    """What one rule did at one moment."""

    @property
    def rule(self) -> str:
        """The name of the rule."""
    @property
    def edits(self) -> int:
        """The number of edits."""
    @property
    def tokens_saved(self) -> int:
        """The tokens that the edits removed; negative if they added some."""
    @property
    def notice(self) -> str | None:
        """The text for the host, if the rule sent one."""

@final
class Failure:
    """A summary that failed."""

    @property
    def rule(self) -> str:
        """The name of the rule."""
    @property
    def reason(self) -> str:
        """Why the last attempt failed."""

@final
class Prepared:
    def is_given(self, text: str) -> bool: ...
    @property
    def is_unedited(self) -> bool | None: ...
    @property
    def json_bytes(self) -> bytes: ...
    @property
    def json(self) -> str: ...
    @property
    def edits(self) -> list[Edit]: ...
    @property
    def hidden_tools(self) -> list[str]: ...
    @property
    def prompt_additions(self) -> list[str]: ...
    @property
    def tokens(self) -> int: ...
    @property
    def firings(self) -> list[Firing]: ...
    @property
    def failed_summaries(self) -> list[Failure]: ...
    @property
    def call(self) -> Call: ...

@final
class Step:
    kind: str
    request: Prepared | None
    summary: Summary | None
    rule: str | None
    reason: str | None
    question: Handle | None

@final
class Session:
    def __new__(
        cls,
        plan: Plan,
        dialect: str,
        window: int | None,
        model: str | None,
        tools: Sequence[str] | None,
        overhead: int | None,
        sub_agent: tuple[str, int] | None,
    ) -> Session: ...
    @staticmethod
    def restore(
        plan: Plan,
        dialect: str,
        saved: bytes,
        window: int | None,
        model: str | None,
        tools: Sequence[str] | None,
        overhead: int | None,
        sub_agent: tuple[str, int] | None,
    ) -> Session: ...
    def set_fact(self, name: str, value: bool | int | float | str | timedelta | None) -> None: ...
    def before_request(self, body: str | bytes, now: str | None) -> Step: ...
    def before_request_value(self, body: object, dumps: Callable[[Any], str], now: str | None) -> Step: ...
    def after_reply(self, call: Call | None, reply: str, now: str | None) -> Step: ...
    def rejected(self, call: Call) -> Step: ...
    def add(self, messages: str, now: str | None) -> Step: ...
    def answer(self, question: Handle, summary: str) -> Step: ...
    def fail(self, question: Handle, reason: str) -> Step: ...
    def decide(self, question: Handle, retry: bool) -> Step: ...
    def confirm(self, question: Handle, is_confirmed: bool) -> Step: ...
    def end_iteration(self) -> Step: ...
    def recall(self, id: str) -> str: ...
    def take_firings(self) -> list[Firing]: ...
    def take_recording(self) -> tuple[int, str] | None: ...
    def save(self) -> bytes | None: ...

def compile(name: str, text: str) -> PolicyFile: ...
def compile_file(path: str | os.PathLike[str]) -> PolicyFile: ...
def format(name: str, text: str) -> str | None: ...
def read_transcripts(data: bytes, format: str | None = None) -> list[Transcript]:
    """Reads the conversations of a recording. Without a format, the first format that recognises the file is used.

    Raises ValueError if the file is empty or truncated, no format recognises it, or it has no record of the given format.
    """

def command(arguments: Sequence[str]) -> int: ...
