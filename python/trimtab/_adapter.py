"""What the adapters for frameworks share: their conversations, and the way back from edits to a framework's own objects."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import stat
import threading
import uuid
import zlib
from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypedDict, TypeVar

from ._policy import Policy, compile_file
from ._session import Confirm, Facts, Request, Session, Stopped, SubAgent, Summarise
from ._trimtab import Edit

if TYPE_CHECKING:
    from typing_extensions import Unpack

logger = logging.getLogger("trimtab")
Element = TypeVar("Element")
#: A policy, or the path of its file.
PolicySource: TypeAlias = Policy | str | os.PathLike[str]
#: The messages of a request, as JSON objects of a dialect.
Messages: TypeAlias = list[dict[str, Any]]

#: The key that tells which part of a framework's message a part of its JSON is. A session keeps keys that it does not know.
PART = "trimtab_part"
#: The largest saved conversation in bytes, when it is unpacked.
_MAX_SAVED = 1 << 30


def missing(framework: str, extra: str) -> Any:
    """A base for the class of an adapter whose framework is not installed: making one is an error that says what to install."""

    class Missing:
        def __new__(cls, *_: Any, **__: Any) -> NoReturn:
            raise ImportError(f"{cls.__name__} needs {framework}: pip install 'trimtab[{extra}]'")

    return Missing


class Options(TypedDict, total=False):
    """Options of all adapters."""

    #: The context window in tokens.
    window: int | None
    #: The name of the model, which the table of models knows.
    model: str | None
    #: The name of the agent, if it is a sub-agent, or its name and how many agents are above it.
    sub_agent: SubAgent | None
    #: Values of facts that the policy declares.
    facts: Facts | None
    #: Asks a person the question of a rule.
    confirm: Confirm | None
    #: A directory for recordings, which contain the conversations: a simulation of one under the same policy shows what was sent.
    record: str | os.PathLike[str] | None
    #: How many conversations are kept in memory: the newest ones, 1,000 by default.
    conversations: int


class Adapter:
    """The policy of an agent, and its conversations.

    A failure of the policy never ends a run: it is logged, and the request is sent as the framework has made it.
    """

    def __init__(self, policy: PolicySource, dialect: str, *, summarise: Summarise | None = None, **options: Unpack[Options]) -> None:
        self.policy = policy if isinstance(policy, Policy) else compile_file(policy)
        self._dialect = dialect
        record, self._limit = options.pop("record", None), options.pop("conversations", 1_000)
        self._options: dict[str, Any] = {**options, "summarise": summarise}
        self._folder = None if record is None else Path(record)
        self._known: OrderedDict[str, Conversation] = OrderedDict()
        self._lock = threading.Lock()
        # So that wrong options are an error here and not in a run.
        self.policy.session(dialect, **self._options)

    def conversation(self, key: str, saved: bytes | str | None = None, tools: Sequence[str] | None = None) -> Conversation:
        """The conversation with this key: the one that is known, else the saved one, else a new one.

        One that another process has continued and saved meanwhile is restored. Saved data that cannot be restored is logged.
        """
        data = None if saved is None else _data(saved)
        with self._lock:
            known = self._known.get(key)
            is_current = known is not None and (data is None or known.has_saved(data))
            found = (known if is_current else None) or self._restored(data, tools) or known or self._begun(key, tools)
            self._known[key] = found
            self._known.move_to_end(key)
            while len(self._known) > self._limit:
                self._known.popitem(last=False)
            return found

    def _begun(self, key: str, tools: Sequence[str] | None) -> Conversation:
        session = self.policy.session(self._dialect, tools=tools, **self._options)
        # No two conversations share a recording, also with those of another process.
        return Conversation(self.policy.name, session, self._folder, f"{_file_name(key)[:80]}-{uuid.uuid4().hex[:8]}")

    def _restored(self, saved: bytes | None, tools: Sequence[str] | None) -> Conversation | None:
        if saved is None:
            return None
        # The data may be anybody's: frameworks keep it where the agent's own data is.
        try:
            head, _, state = _unpacked(saved).partition(b"\n")
            name, lengths = json.loads(head)
            session = self.policy.restore(state, self._dialect, tools=tools, **self._options)
            conversation = Conversation(self.policy.name, session, self._folder, _file_name(name))
            conversation.continue_from(saved, {int(branch): int(length) for branch, length in lengths.items()})
            return conversation
        except Exception as error:
            logger.warning("a conversation begins anew: %s", error)
            return None


class Conversation:
    """One conversation of an agent. Nothing in it raises an exception but Stopped."""

    def __init__(self, policy: str, session: Session, folder: Path | None, name: str) -> None:
        self._policy, self._session, self._folder, self._name = policy, session, folder, name
        #: The lengths of its recordings in bytes, by branch.
        self._lengths: dict[int, int] = {}
        #: What has been taken from the session and could not be written yet, with its branch.
        self._unwritten: tuple[int, str] | None = None
        self._writing = threading.Lock()
        #: Digests of what it has been saved as, the newest last.
        self._saves: OrderedDict[bytes, None] = OrderedDict()

    def before(self, messages: Messages) -> Request[Messages] | None:
        """The request to send in place of these messages; None if the policy has failed. Raises Stopped."""
        with self._guarded("has failed; the request is sent without it"):
            return self._session.before_request(messages)
        return None

    async def abefore(self, messages: Messages) -> Request[Messages] | None:
        """The same, with a summariser that may be asynchronous."""
        with self._guarded("has failed; the request is sent without it"):
            return await self._session.abefore_request(messages)
        return None

    def after(self, request: Request[Messages] | None, reply: Mapping[str, Any]) -> None:
        """Adds the reply to a request, a whole response body."""
        with self._guarded("has not read a reply"):
            if request is not None:
                self._session.after_reply(dict(reply), call=request.call)

    async def aafter(self, request: Request[Messages] | None, reply: Mapping[str, Any]) -> None:
        """The same, with a summariser that may be asynchronous."""
        with self._guarded("has not read a reply"):
            if request is not None:
                await self._session.aafter_reply(dict(reply), call=request.call)

    def recall(self, id: str) -> str:
        """The offloaded content with this id, or why there is none, for the agent."""
        try:
            return self._session.recall(id)
        except KeyError as error:
            return str(error.args[0])
        except Exception as error:
            return str(error)

    def save(self) -> bytes | None:
        """The conversation as data, to be given to `Adapter.conversation`; None before its first request, or if it cannot be saved."""
        with self._guarded("has not saved a conversation"):
            state = self._session.save()
            if state is None:
                return None
            saved = zlib.compress(json.dumps([self._name, self._lengths]).encode() + b"\n" + state)
            self._remember(saved)
            return saved
        return None

    def save_text(self) -> str | None:
        """The same as text, for frameworks that store JSON."""
        saved = self.save()
        return None if saved is None else b64encode(saved).decode()

    def has_saved(self, saved: bytes) -> bool:
        """Whether this data is of this conversation, as it is or as it was recently."""
        return hashlib.sha256(saved).digest() in self._saves

    def continue_from(self, saved: bytes, lengths: Mapping[int, int]) -> None:
        """Continues the recordings where they were when this was saved."""
        self._remember(saved)
        self._lengths = dict(lengths)
        if self._folder is None:
            return
        try:
            for branch, length in lengths.items():
                path = self._path(branch)
                # What another process has written after it saved the conversation, this one writes again.
                if path.exists() and path.stat().st_size > length:
                    with open(path, "r+b", opener=_private) as file:
                        file.truncate(length)
        except Exception:
            logger.exception("the recording %s cannot be continued", self._name)

    @contextmanager
    def _guarded(self, failure: str) -> Generator[None, None, None]:
        """Logs a failure of the policy, and records what has happened."""
        try:
            yield
        except Stopped:
            raise
        except Exception:
            logger.exception("the policy %s %s", self._policy, failure)
        finally:
            self._record()

    def _remember(self, saved: bytes) -> None:
        self._saves[hashlib.sha256(saved).digest()] = None
        while len(self._saves) > 1_000:
            self._saves.popitem(last=False)

    def _path(self, branch: int) -> Path:
        return (self._folder or Path()) / f"{self._name}.{branch}.jsonl"

    def _record(self) -> None:
        """Appends what has happened to the recording of its branch.

        If that fails, no more is taken from the session, which keeps its history anyway: a full disk costs the memory of one part.
        """
        if self._folder is None:
            return
        try:
            with self._writing:
                while (part := self._unwritten or self._session.take_recording()) is not None:
                    self._unwritten = part
                    branch, text = part
                    self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                    self._lengths[branch] = _append(self._path(branch), text.encode())
                    self._unwritten = None
        except Exception:
            logger.exception("the recording %s could not be written", self._name)


def _append(path: Path, data: bytes) -> int:
    """Appends all of the data or, after an error, nothing. Returns the length of the file."""
    with open(path, "ab", buffering=0, opener=_private) as file:
        start = file.tell()
        try:
            left = memoryview(data)
            while left:
                left = left[file.write(left) :]
        except BaseException:
            file.truncate(start)
            raise
        return file.tell()


def _private(path: str, flags: int) -> int:
    """Opens a file that only its owner can read. One that blocks, such as a pipe, or that is elsewhere is an error."""
    # Not on Windows.
    flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    opened = os.open(path, flags, mode=0o600)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(f"{path} is not a regular file")
    return opened


def _file_name(text: str) -> str:
    """A text as a part of a file name in the folder of recordings."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", text)[:100]


def _data(saved: bytes | str) -> bytes:
    """Saved data, which may be text. Of what is neither nothing can be restored."""
    try:
        return saved if isinstance(saved, bytes) else b64decode(saved)
    except (TypeError, ValueError):
        return b""


def _unpacked(saved: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    data = unpacking.decompress(saved, _MAX_SAVED)
    if not unpacking.eof:
        raise ValueError("the saved data is incomplete or has more than 1 GiB")
    return data


def apply(
    objects: Sequence[Element],
    edits: Sequence[Edit],
    replaced: Callable[[Element, str], Element],
    inserted: Callable[[str], Element],
) -> list[Element]:
    """The objects after edits of the messages that were made of them, one of each. Objects without an edit are the same ones."""
    after: list[Element] = []
    for edit in edits:
        if edit.index is None:
            after.append(inserted(edit.json or ""))
        elif edit.kind != "remove":
            kept = objects[edit.index]
            after.append(kept if edit.json is None else replaced(kept, edit.json))
    return after
