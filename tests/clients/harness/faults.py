"""Faulty answers of a model server: errors as a provider reports them, and an answer whose connection closes in its middle."""

from dataclasses import dataclass, field

from . import anthropic_messages, gemini_contents


@dataclass(frozen=True)
class Fault:
    """A faulty answer. One with status 200 begins like the right answer, and is cut."""

    name: str
    status: int
    # What the dialects call the error.
    kind: str = ""
    gemini_status: str = ""
    message: str = ""
    headers: dict = field(default_factory=dict, hash=False)

    @property
    def is_cut(self):
        return self.status == 200

    def body(self, dialect):
        """The body of the answer in a dialect."""
        if dialect is anthropic_messages:
            return {"type": "error", "error": {"type": self.kind, "message": self.message}}
        if dialect is gemini_contents:
            return {"error": {"code": self.status, "message": self.message, "status": self.gemini_status}}
        return {"error": {"message": self.message, "type": self.kind, "param": None, "code": None}}


LIMITED = Fault("429", 429, "rate_limit_error", "RESOURCE_EXHAUSTED", "Too many requests.", {"retry-after": "1"})
FAILED = Fault("500", 500, "api_error", "INTERNAL", "Internal error.")
CUT = Fault("cut", 200)
# A request whose edit the provider does not accept. Its repetition gets the right answer.
REJECTED = Fault("rejected", 400, "invalid_request_error", "INVALID_ARGUMENT", "a block is bound to a different conversation")
