"""Live sessions: a policy over the requests of an agent."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta, timezone
from typing import Any, Generic, TypeAlias, TypeVar, cast

from . import _trimtab
from ._trimtab import Call, Edit, Failure, Firing, Step, Summary

#: A request or a reply: JSON as text or bytes, or what `json.loads` makes of it.
AnyBody: TypeAlias = str | bytes | dict[str, Any] | list[Any]
Body = TypeVar("Body", bound=AnyBody)
Facts: TypeAlias = Mapping[str, bool | int | float | str | timedelta]
#: The name of a sub-agent, and how many agents are above it: one if only the name is given.
SubAgent: TypeAlias = str | tuple[str, int]
#: Returns the text of a summary. One that returns an awaitable works with the methods whose names begin with `a`.
Summarise: TypeAlias = Callable[[Summary], str | Awaitable[str]]
#: Returns whether a person lets a rule act, given its name and its question. The same holds for an awaitable.
Confirm: TypeAlias = Callable[[str, str], bool | Awaitable[bool]]
#: A time in RFC 3339, or a datetime with a time zone; None is the current time.
Now: TypeAlias = str | datetime | None
#: What JSON text in UTF-8 has as an escape only.
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
#: Yields steps that need a summary or an answer of a person, and gets the step after it.
_Questions: TypeAlias = Generator[Step, Step, Step]
#: The sessions that wait for what the current task does.
_ASKED: ContextVar[tuple[Session, ...]] = ContextVar("_ASKED", default=())


class Stopped(Exception):
    """A rule has stopped the run. A message of a person, after a reply without tool calls, begins the next one."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(f"{rule} stops the run: {reason}")
        #: The name of the rule.
        self.rule = rule
        #: Its reason.
        self.reason = reason


class Request(Generic[Body]):
    """A request that is ready to be sent."""

    def __init__(self, body: Body, prepared: _trimtab.Prepared) -> None:
        #: The request to send, of the type that was given; the same object if nothing was edited.
        self.body: Body = body
        self._prepared = prepared

    @property
    def firings(self) -> list[Firing]:
        """What rules have done since the last request."""
        return self._prepared.firings

    @property
    def failed_summaries(self) -> list[Failure]:
        """The summaries that have failed since the last request."""
        return self._prepared.failed_summaries

    @property
    def edits(self) -> list[Edit]:
        """What becomes of each element of the list of messages, in the order of the new list."""
        return self._prepared.edits

    @property
    def hidden_tools(self) -> list[str]:
        """The tools that are not offered for this request. A body has no declaration of them any more."""
        return self._prepared.hidden_tools

    @property
    def prompt_additions(self) -> list[str]:
        """Texts to add at the end of the system prompt, in dialects that have it beside the list. Empty if a body was given."""
        return self._prepared.prompt_additions

    @property
    def tokens(self) -> int:
        """The estimated size of the context in tokens."""
        return self._prepared.tokens

    @property
    def call(self) -> Call:
        """Names this request for `after_reply`, for hosts whose requests overlap."""
        return self._prepared.call


class Session:
    """A live session. Make one with `Policy.session` or `Policy.restore`.

    Clients send the whole history with each request. The session recognises what it has seen, edits it again in the same way, and
    follows a history that departs from an earlier one. It does no I/O. Threads may share it, and so may tasks: while one waits for a
    summary, the others of its event loop wait for it.
    """

    def __init__(
        self,
        raw: _trimtab.Session,
        dialect: str,
        facts: Facts | None,
        summarise: Summarise | None,
        confirm: Confirm | None = None,
    ) -> None:
        self._raw = raw
        self._usage_key = "usageMetadata" if dialect == "gemini_contents" else "usage"
        self._summarise = summarise
        self._confirm = confirm
        # A question and its answer belong together.
        self._lock = threading.RLock()
        #: The same for the asynchronous methods, in each event loop.
        self._turns: dict[asyncio.AbstractEventLoop, asyncio.Lock] = {}
        for name, value in (facts or {}).items():
            raw.set_fact(name, value)

    def set_fact(self, name: str, value: bool | int | float | str | timedelta | None) -> None:
        """Supplies the value of a fact that the policy declares; None clears it."""
        self._raw.set_fact(name, value)

    def before_request(self, body: Body, now: Now = None) -> Request[Body]:
        """Takes in a request, a whole body or the list of messages alone, and runs the rules before the call.

        Returns the request to send. A request that is repeated gives the same result. Raises Stopped if a rule stops the run, and
        RequestError if the body is no request in the dialect.
        """
        with self._lock:
            return _request(body, self._settle(self._begun(body, _time(now))))

    async def abefore_request(self, body: Body, now: Now = None) -> Request[Body]:
        """The same, with a `summarise` that may return an awaitable."""
        async with self._turn():
            return _request(body, await self._asettle(self._begun(body, _time(now))))

    def after_reply(self, reply: str | bytes | dict[str, Any], usage: Mapping[str, Any] | None = None, *, call: Call | None = None, now: Now = None) -> None:
        """Adds the reply to the last request, or to the one that `call` names: a whole response body, or the message in it alone.

        Rules on replies run. `usage` is the usage of a message that is given alone, in the form of the provider. A reply that is repeated
        counts once. A rule that stops the run is raised at the next request.
        """
        with self._lock:
            self._settle(self._raw.after_reply(call, self._reply(reply, usage), _time(now)))

    async def aafter_reply(
        self, reply: str | bytes | dict[str, Any], usage: Mapping[str, Any] | None = None, *, call: Call | None = None, now: Now = None
    ) -> None:
        """The same, with a `summarise` that may return an awaitable."""
        async with self._turn():
            await self._asettle(self._raw.after_reply(call, self._reply(reply, usage), _time(now)))

    def rejected(self, request: Request[Body]) -> Request[Body] | None:
        """Reports that the provider has rejected a request as too long, and returns what to send in its place.

        None if no rule on `overflow` has shortened it; such rules are tried once for each call.
        """
        with self._lock:
            return _shortened(request, self._settle(self._raw.rejected(request.call)))

    async def arejected(self, request: Request[Body]) -> Request[Body] | None:
        """The same, with a `summarise` that may return an awaitable."""
        async with self._turn():
            return _shortened(request, await self._asettle(self._raw.rejected(request.call)))

    def add(self, messages: str | list[Any], now: Now = None) -> None:
        """Adds messages that are not replies. A host that sends them with its next request need not add them before."""
        with self._lock:
            self._settle(self._raw.add(_text(messages), _time(now)))

    def end_iteration(self) -> None:
        """Ends the iteration of the last call, so that its rules run now and not before the next call."""
        with self._lock:
            self._settle(self._raw.end_iteration())

    def recall(self, id: str) -> str:
        """The offloaded content with this id, as it arrived. Raises KeyError, whose text is meant for the agent."""
        return self._raw.recall(id)

    def take_firings(self) -> list[Firing]:
        """What rules have done since the last request was prepared, for a host that makes no further request."""
        return self._raw.take_firings()

    def take_recording(self) -> tuple[int, str] | None:
        """What has happened since the last call of this method, in the form of recordings, with the number of its branch."""
        return self._raw.take_recording()

    def save(self) -> bytes | None:
        """The session as data, to be continued with `Policy.restore`; None before the first request. It contains the conversation."""
        return self._raw.save()

    def _begun(self, body: AnyBody, now: str) -> Step:
        """What the session needs for a request."""
        if not isinstance(body, (str, bytes)):
            return self._raw.before_request_value(body, _dumps, now)
        try:
            return self._raw.before_request(body, now)
        except UnicodeEncodeError:
            # Not looked for before, since a request is long.
            return self._raw.before_request(_text(body), now)

    def _reply(self, reply: str | bytes | dict[str, Any], usage: Mapping[str, Any] | None) -> str:
        if usage is None:
            return _text(reply)
        message = cast("dict[str, Any]", json.loads(reply) if isinstance(reply, (str, bytes)) else reply)
        return _text({**message, self._usage_key: dict(usage)})

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None, None]:
        """The turn of a task among those of its event loop."""
        if self in _ASKED.get():
            raise _trimtab.RequestError("the summariser uses the session that waits for it")
        # A lock refers to its loop, so neither of them would be freed.
        for loop in [loop for loop in [*self._turns] if loop.is_closed()]:
            self._turns.pop(loop, None)
        async with self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            token = _ASKED.set((*_ASKED.get(), self))
            try:
                yield
            finally:
                _ASKED.reset(token)

    def _settle(self, step: Step) -> Step:
        """Answers the questions of the session until it needs nothing but a model call."""
        questions = self._questions(step)
        try:
            asked = next(questions)
            while True:
                asked = questions.send(self._answer(asked))
        except StopIteration as settled:
            return cast(Step, settled.value)

    async def _asettle(self, step: Step) -> Step:
        questions = self._questions(step)
        try:
            asked = next(questions)
            while True:
                asked = questions.send(await self._aanswer(asked))
        except StopIteration as settled:
            return cast(Step, settled.value)

    def _questions(self, step: Step) -> _Questions:
        while step.question is not None:
            if step.kind == "ask":
                # `on_failure ask` without a person: the failure stands.
                step = self._raw.decide(step.question, False)
            else:
                step = yield step
        return step

    def _answer(self, asked: Step) -> Step:
        if asked.kind == "confirm":
            return self._confirmed(asked, self._confirmation(asked))
        return self._answered(asked, *self._summary(asked))

    async def _aanswer(self, asked: Step) -> Step:
        if asked.kind == "confirm":
            return self._confirmed(asked, await self._aconfirmation(asked))
        return self._answered(asked, *await self._asummary(asked))

    def _confirmed(self, asked: Step, is_confirmed: bool) -> Step:
        assert asked.question is not None
        return self._raw.confirm(asked.question, is_confirmed)

    def _confirmation(self, asked: Step) -> bool:
        """Whether the rule acts. Without an answer it does not."""
        if self._confirm is None:
            return False
        confirmed = self._confirm(asked.rule or "", asked.reason or "")
        if isinstance(confirmed, bool):
            return confirmed
        if isinstance(confirmed, Coroutine):
            confirmed.close()
        raise TypeError("`confirm` is asynchronous: use the methods whose names begin with `a`")

    async def _aconfirmation(self, asked: Step) -> bool:
        if self._confirm is None:
            return False
        confirmed = self._confirm(asked.rule or "", asked.reason or "")
        return confirmed if isinstance(confirmed, bool) else await confirmed

    def _answered(self, asked: Step, summary: str | None, failure: str) -> Step:
        assert asked.question is not None
        if summary is None:
            return self._raw.fail(asked.question, _unicode(failure))
        return self._raw.answer(asked.question, _unicode(summary))

    def _summary(self, asked: Step) -> tuple[str | None, str]:
        """The summary, or why there is none."""
        assert asked.summary is not None
        if self._summarise is None:
            return None, "the session has no summariser"
        try:
            summary = self._summarise(asked.summary)
        except Exception as error:
            return None, str(error) or type(error).__name__
        if not isinstance(summary, str):
            if isinstance(summary, Coroutine):
                summary.close()
            return None, "the summariser is asynchronous: use the methods whose names begin with `a`"
        return summary, ""

    async def _asummary(self, asked: Step) -> tuple[str | None, str]:
        assert asked.summary is not None
        if self._summarise is None:
            return None, "the session has no summariser"
        try:
            summary: Any = self._summarise(asked.summary)
            summary = summary if isinstance(summary, str) else await summary
        except Exception as error:
            return None, str(error) or type(error).__name__
        return (summary, "") if isinstance(summary, str) else (None, "the summary is no text")


def _shortened(request: Request[Body], step: Step) -> Request[Body] | None:
    if step.kind == "ready":
        return None
    shortened = _request(request.body, step)
    return None if shortened.body is request.body else shortened


def _request(body: Body, step: Step) -> Request[Body]:
    if step.kind == "stop":
        raise Stopped(step.rule or "", step.reason or "")
    prepared = step.request
    if prepared is None:
        raise _trimtab.RequestError("the session has no request")
    is_unedited = prepared.is_unedited
    if prepared.is_given(_text(body)) if is_unedited is None else is_unedited:
        return Request(body, prepared)
    if isinstance(body, bytes):
        return Request(cast(Body, prepared.json_bytes), prepared)
    return Request(cast(Body, prepared.json if isinstance(body, str) else json.loads(prepared.json)), prepared)


def _text(body: AnyBody) -> str:
    """A body as JSON text of which UTF-8 can be made."""
    if not isinstance(body, (str, bytes)):
        return _dumps(body)
    text = body.decode() if isinstance(body, bytes) else body
    return text if _is_unicode(text) else _escaped(text)


def _dumps(value: object) -> str:
    """The same of any value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if _is_unicode(text) else _escaped(text)


def _escaped(text: str) -> str:
    """JSON text with escapes in place of lone surrogates."""
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _is_unicode(text: str) -> bool:
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _unicode(text: str) -> str:
    """A text of people, with replacement characters in place of lone surrogates."""
    return text if _is_unicode(text) else _LONE_SURROGATE.sub("\ufffd", text)


def _time(now: Now) -> str:
    if isinstance(now, str):
        return now
    now = datetime.now(timezone.utc) if now is None else now
    if now.tzinfo is None:
        raise ValueError("the time has no time zone")
    return now.isoformat()
