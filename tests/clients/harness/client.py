"""What a file of this folder says about its client."""

import json
import operator
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

from . import script
from .install import node_package


@dataclass
class Place:
    """Where a session runs: the installed client, its home and working directory, and the address of the model."""

    installed: Path
    home: Path
    folder: Path
    base: str
    # Folders of programs that are found first.
    programs: tuple = ()

    def bin(self, name):
        """An executable of the installed package."""
        found = [self.installed / "node_modules" / ".bin" / name, self.installed / "bin" / name]
        return str(next((path for path in found if path.exists()), found[0]))

    def write(self, path, content):
        """Writes a file below the home; anything but a text becomes JSON."""
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(target)


def no_preparation(_place):
    pass


@dataclass
class Client:
    """A coding agent: how to install it, start it, and find what it recorded."""

    name: str
    # `npm` or `pypi`, the package, and its version.
    registry: str
    package: str
    version: str
    format: str
    # The tool call for each verb of the script: a function from the argument and the folder to name and arguments.
    tools: dict
    # The arguments after `Place`: the prompt, and whether it continues the session.
    command: Callable
    environment: Callable
    # The recordings, given the place and a function that runs a command of the client.
    recordings: Callable
    prepare: Callable = no_preparation
    # Commands before and after the session, such as one that stops a server that the client leaves.
    first: Optional[Callable] = None
    last: Optional[Callable] = None
    stages: list = field(default_factory=lambda: [script.FIRST, script.SECOND])
    # The stages in which the server answers with faults, and those in which it rejects an edit.
    faulty: list = field(default_factory=lambda: [script.FAULTY, script.SECOND])
    rejected: list = field(default_factory=lambda: [script.REJECTED, script.SECOND])
    # The faults that make it end with an error.
    gives_up: tuple = ()
    # Those after which it ends or goes on, which depends on the time at which it learns of them.
    may_give_up: tuple = ()
    # Whether a resumed session sends its history as before. If not, its recording begins with calls that were not sent.
    keeps_history: bool = True
    # The command that goes on from the first stage, and not from a later one, with a prompt. None if that needs a terminal.
    fork: Optional[Callable] = None
    # What the recording cannot show, or shows otherwise, by aspect of the comparison; each with the reason.
    documented: dict = field(default_factory=dict)
    # Whether the recording has the result that was sent, given both texts.
    is_same_result: Callable = operator.eq
    # What the recording has for a prompt, and for the system prompt on the wire.
    recorded_prompt: Optional[Callable] = None
    recorded_system: Callable = lambda text: text
    # The id that the recording has for a call.
    recorded_id: Callable = lambda call: call.id
    is_side: Callable = lambda request: not request.tools
    is_summary: Callable = lambda request: bool(script.SUMMARY_REQUEST.search(request.last_text()))
    summary_text: str = f"<summary>\n{script.SUMMARY}\n</summary>"
    side_text: Callable = lambda _request: "Notes and crates"
    # How many calls write the summary of one compaction.
    summary_calls: int = 1
    is_compaction_prompt: Callable = lambda stage: stage.prompt.startswith("/")
    call_prefix: str = "call_"
    reply_prefix: str = "reply_"
    models: tuple = ()
    timeout: int = 120
    # The Node.js that the client needs, if it is newer than the oldest that is still in use.
    node: str = ""
    # The oldest Python that the client runs on.
    python: tuple = (3, 9)
    folder: Optional[Path] = None
    # Whether `trimtab run` can point it at a proxy. Others read the address from a file or a variable of their own.
    is_launched: bool = True
    # Whether a session of many calls is run too.
    runs_long: bool = False
    # Whether the calls that the model asks for have ids.
    names_calls: bool = True
    # Other ways in which it is pointed at a server or speaks to it: what is different, by the name of the way.
    ways: dict = field(default_factory=dict)
    # What is different when its page in `docs/agents` is run.
    page: dict = field(default_factory=dict)

    def call(self, action, request):
        verb, argument = action
        return self.tools[verb](argument, self.folder)


def oldest(recordings):
    """The recording of the session that was left first."""
    return min(recordings, key=lambda path: path.stat().st_mtime_ns)


def search_path(place):
    """The directories of programs: those of the place, `node`, `git` and the system's tools; a `node` of the client comes first."""
    own = [*place.programs, place.installed / "node_modules" / node_package() / "bin"]
    found = [str(Path(path).parent) for path in map(shutil.which, ("node", "git")) if path]
    return os.pathsep.join([*(str(path) for path in own if path.exists()), *found, "/usr/local/bin", "/usr/bin", "/bin"])


def openai_environment(place):
    """What most clients read to reach a server with the dialects of OpenAI."""
    base = f"{place.base}/v1"
    return {"OPENAI_API_KEY": "sk-none", "OPENAI_API_BASE": base, "OPENAI_BASE_URL": base, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
