"""Context-window policies of LLM agents: check, lint, test and simulate them, and run them in an agent."""

from ._policy import Policy, compile, compile_file, format, from_json
from ._session import Request, Session, Stopped
from ._simulation import Simulation, SimulationError
from ._trimtab import Edit, Failure, Firing, PolicyError, RequestError, RestoreError, Summary, Transcript, read_transcripts

__all__ = [
    "Edit",
    "Failure",
    "Firing",
    "Policy",
    "PolicyError",
    "Request",
    "RequestError",
    "RestoreError",
    "Session",
    "Simulation",
    "SimulationError",
    "Stopped",
    "Summary",
    "Transcript",
    "compile",
    "compile_file",
    "format",
    "from_json",
    "read_transcripts",
]
