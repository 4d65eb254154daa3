"""Requests and answers of a model, independent of the dialect in which they are sent."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Call:
    """A tool call that the model asks for."""

    id: str
    name: str
    arguments: Any


@dataclass
class Usage:
    """Tokens of one model call. `input` excludes cache reads and writes; `output` includes `reasoning`."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0

    def counts(self):
        return {"input": self.input, "cache_read": self.cache_read, "cache_write": self.cache_write, "output": self.output}


@dataclass
class Message:
    """One message of a request. `results` maps the id of a call to the text of its result."""

    role: str
    text: str = ""
    calls: list = field(default_factory=list)
    results: dict = field(default_factory=dict)


@dataclass
class Request:
    """A model request."""

    model: str
    streams: bool
    tools: list
    messages: list
    # The text of the system prompt, in pieces as sent.
    system: str = ""
    size: int = 0
    thinks: bool = False
    headers: dict = field(default_factory=dict)

    def user_text(self):
        """The text of all user messages."""
        return "\n".join(message.text for message in self.messages if message.role == "user")

    def last_text(self):
        """The text of the last message."""
        return self.messages[-1].text if self.messages else ""


@dataclass
class Answer:
    """What the model answers."""

    id: str
    model: str
    usage: Usage
    text: str = ""
    thinking: str = ""
    calls: list = field(default_factory=list)


@dataclass
class Exchange:
    """A request with its answer, and its part in the session: `main`, `side`, `summary` or `agent`."""

    part: str
    dialect: str
    request: Request
    answer: Answer
    # The `Fault` that the client got instead of the answer.
    fault: Any = None


def joined(content, separator=""):
    """The text of a content that is a string or a list of blocks."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return next((joined(content[key], separator) for key in ("text", "content") if key in content), "")
    return separator.join(joined(block, separator) for block in content)


def pieces(text, number=3):
    """The text in at most `number` pieces, as a stream sends it."""
    width = -(-len(text) // number) or 1
    return [text[at : at + width] for at in range(0, len(text), width)] or [""]
