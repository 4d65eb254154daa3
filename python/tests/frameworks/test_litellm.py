"""The adapter for LiteLLM, in its real proxy on the loopback interface, and in its functions."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
from __future__ import annotations

import asyncio
import json
import os
import threading
import time
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("litellm", reason="needs litellm with its proxy, see litellm.txt")
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import httpx
import litellm
import uvicorn
from litellm.proxy import proxy_server

import trimtab
from trimtab.litellm import TrimtabCallback

from common import CODING_POLICY, CODING_PROMPTS, CODING_TURNS, CODING_WINDOW, POLICY, Line
from common import call_text, check_coding_requests, simulated

#: The proxy refuses to start without a key.
KEY = f"sk-{uuid.uuid4().hex}"
ROUTER = {"num_retries": 2, "retry_after": 0}
API = {"chat": "/v1/chat/completions", "claude": "/v1/messages"}


class Upstream:
    """A model server with both APIs. Each conversation reads pages; whoever asks for a summary gets one."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.summaries = self.failures = 0
        #: The numbers of the requests, from 1, whose replies have no calls.
        self.answers: set[int] = set()
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None: ...

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status, kind, data = upstream.answer(body, is_claude="messages" in self.path)
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, body: dict[str, Any], is_claude: bool) -> tuple[int, str, bytes]:
        if self.failures:
            self.failures -= 1
            return 503, "application/json", b'{"error": {"message": "overloaded", "type": "overloaded_error"}}'
        texts = [text for _, text in lines(body, is_claude)]
        if any("Reply with the summary only" in text for text in texts) or "summary only" in str(body.get("system")):
            self.summaries += 1
            text, calls = f"Summary {self.summaries}.", []
        else:
            self.bodies.append(body)
            number = len(self.bodies)
            numbers = [] if body.get("tools") is None or number in self.answers else [number * 2, number * 2 + 1]
            text, calls = ("Pages." if numbers else "All read."), [(f"call_{n}", {"page": n}) for n in numbers]
        size = sum(len(text) for text in texts) // 4
        reply = claude(text, calls, size) if is_claude else chat(text, calls, size)
        if not body.get("stream"):
            return 200, "application/json", json.dumps(reply).encode()
        events = claude_events(reply) if is_claude else chat_events(reply)
        return 200, "text/event-stream", "".join(events).encode()


def chat(text: str, calls: list[Any], size: int) -> dict[str, Any]:
    functions = [{"id": id, "type": "function", "function": {"name": "read", "arguments": json.dumps(given)}} for id, given in calls]
    message = {"role": "assistant", "content": text, **({"tool_calls": functions} if calls else {})}
    choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
    usage = {"prompt_tokens": size, "completion_tokens": 9, "total_tokens": size + 9}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [choice], "usage": usage}


def chat_events(reply: dict[str, Any]) -> list[str]:
    message = reply["choices"][0]["message"]
    calls = [{"index": number, **call} for number, call in enumerate(message.get("tool_calls", []))]
    deltas = [{"role": "assistant", "content": message["content"]}, *({"tool_calls": [call]} for call in calls)]
    chunk = {**reply, "object": "chat.completion.chunk", "usage": None}
    chunks = [{**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reply["choices"][0]["finish_reason"]}]})
    chunks.append({**chunk, "choices": [], "usage": reply["usage"]})
    return [*(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks), "data: [DONE]\n\n"]


def claude(text: str, calls: list[Any], size: int) -> dict[str, Any]:
    uses = [{"type": "tool_use", "id": id, "name": "read", "input": given} for id, given in calls]
    usage = {"input_tokens": size - 1, "cache_read_input_tokens": 1, "cache_creation_input_tokens": 0, "output_tokens": 9}
    head = {"id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_sequence": None}
    content = [{"type": "text", "text": text}, *uses]
    return {**head, "content": content, "stop_reason": "tool_use" if calls else "end_turn", "usage": usage}


def claude_events(reply: dict[str, Any]) -> list[str]:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**reply, "content": [], "stop_reason": None}}]
    for index, block in enumerate(reply["content"]):
        is_text = block["type"] == "text"
        start: dict[str, Any] = {**block, "text": ""} if is_text else {**block, "input": {}}
        whole = {"type": "text_delta", "text": block.get("text")}
        delta = whole if is_text else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": reply["stop_reason"]}, "usage": {"output_tokens": 9}})
    events.append({"type": "message_stop"})
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]


def lines(body: dict[str, Any], is_claude: bool) -> list[Line]:
    found: list[Line] = []
    for message in body["messages"]:
        content: Any = message.get("content") or []
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            match block:
                case {"type": "tool_use", "name": name, "input": given}:
                    found.append((message["role"], call_text(name, given)))
                case {"type": "tool_result", "content": result}:
                    found.append(("tool", result if isinstance(result, str) else "\n".join(part["text"] for part in result)))
                case _:
                    found.append((message["role"], block["text"]))
        calls: Any = message.get("tool_calls") or []
        for call in calls:
            found.append((message["role"], call_text(call["function"]["name"], json.loads(call["function"]["arguments"]))))
    return found


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    upstream = Upstream()
    yield upstream
    upstream.server.shutdown()


@pytest.fixture(scope="module")
def proxy(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    base = f"http://127.0.0.1:{upstream.server.server_port}"
    models = [("chat", "openai/gpt-4o"), ("claude", "anthropic/claude-sonnet-4-5")]
    access = {"api_base": base, "api_key": "none"}
    entries = [{"model_name": name, "litellm_params": {"model": model, **access}} for name, model in models]
    config = tmp_path_factory.mktemp("proxy") / "config.yaml"
    config.write_text(json.dumps({"model_list": entries, "router_settings": ROUTER, "general_settings": {"master_key": KEY}}))
    os.environ["CONFIG_FILE_PATH"] = str(config)
    server = uvicorn.Server(uvicorn.Config(proxy_server.app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the proxy has not started"
        time.sleep(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(autouse=True)
def no_callbacks(upstream: Upstream) -> Iterator[None]:
    upstream.bodies.clear()
    upstream.answers.clear()
    upstream.summaries = upstream.failures = 0
    before = litellm.callbacks
    yield
    litellm.callbacks = before


def compiled(rule: str) -> trimtab.Policy:
    return trimtab.compile(f"edition 2026\n\npolicy p {{\n  rule r {{\n    {rule}\n  }}\n}}\n")


def use(callback: TrimtabCallback) -> TrimtabCallback:
    litellm.callbacks = [callback]
    return callback


def settled(callback: TrimtabCallback) -> None:
    """Waits until the callback has the last reply, which comes after the end of a stream."""
    until = time.monotonic() + 20
    while callback._calls and time.monotonic() < until:  # pyright: ignore[reportPrivateUsage]
        time.sleep(0.02)
    assert not callback._calls  # pyright: ignore[reportPrivateUsage]


def tools(model: str, *names: str) -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {"page": {"type": "integer"}}}
    if model == "claude":
        return [{"name": name, "description": "A tool.", "input_schema": schema} for name in names]
    return [{"type": "function", "function": {"name": name, "description": "A tool.", "parameters": schema}} for name in names]


class Client:
    """An agent that reads pages with the tools of a model."""

    def __init__(self, proxy: str, model: str, stream: bool = False, **options: Any) -> None:
        self.url, self.model, self.stream, self.options = proxy + API[model], model, stream, options
        self.messages: list[dict[str, Any]] = []

    def send(self) -> dict[str, Any]:
        """The message of one reply, which joins the history."""
        body = {"model": self.model, "messages": self.messages, "stream": self.stream, "max_tokens": 100, **self.options}
        body.setdefault("tools", tools(self.model, "read"))
        response = httpx.post(self.url, json=body, headers={"authorization": f"Bearer {KEY}"}, timeout=120)
        assert response.status_code == 200, response.text
        message = self.streamed(response.text) if self.stream else response.json()
        message = message["choices"][0]["message"] if "choices" in message else message
        message = {key: message[key] for key in ("role", "content", "tool_calls") if message.get(key)}
        self.messages.append(message)
        return message

    def streamed(self, text: str) -> dict[str, Any]:
        chunks = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
        if self.model == "chat":
            whole: Any = litellm.stream_chunk_builder(chunks)
            return {"choices": [{"message": whole.choices[0].message.model_dump()}]}
        content: list[dict[str, Any]] = []
        for chunk in chunks:
            match chunk:
                case {"type": "content_block_start", "content_block": block}:
                    content.append(dict(block))
                case {"type": "content_block_delta", "delta": {"text": piece}}:
                    content[-1]["text"] += piece
                case {"type": "content_block_delta", "delta": {"partial_json": piece}}:
                    content[-1]["input"] = json.loads(piece)
                case _:
                    pass
        return {"role": "assistant", "content": content}

    def answer(self, message: dict[str, Any]) -> None:
        """Adds the results of the calls in a message, or what a person says."""
        if self.model == "chat":
            calls = [(call["id"], json.loads(call["function"]["arguments"])["page"]) for call in message.get("tool_calls", [])]
            self.messages += [{"role": "tool", "tool_call_id": id, "content": page(number)} for id, number in calls]
        else:
            uses = [block for block in message["content"] if block["type"] == "tool_use"]
            results = [{"type": "tool_result", "tool_use_id": use["id"], "content": page(use["input"]["page"])} for use in uses]
            if results:
                self.messages.append({"role": "user", "content": results})

    def run(self, prompt: str, calls: int, callback: TrimtabCallback) -> None:
        self.messages.append({"role": "user", "content": prompt})
        for _ in range(calls):
            message = self.send()
            settled(callback)
            self.answer(message)


def page(number: int) -> str:
    return f"Page {number} begins. " + "A line of the report. " * 80 + f"Page {number} ends."


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("model", ["chat", "claude"])
def test_the_model_gets_what_a_simulation_of_the_recording_says(
    proxy: str, upstream: Upstream, tmp_path: Path, model: str, stream: bool
) -> None:
    path = tmp_path / "policy.trim"
    path.write_text(POLICY)
    callback = use(TrimtabCallback(path, summarise="model", record=tmp_path / "record", window=100_000))
    client = Client(proxy, model, stream)
    client.run("Read the report.", 8, callback)
    sent = [lines(body, model == "claude") for body in upstream.bodies]
    assert upstream.summaries >= 1
    assert sent == simulated(path, tmp_path / "record")
    texts = [text for call in sent for _, text in call]
    for mark in ("… [trimmed]", "[tool result for read", "Stop and think", "Summary 1."):
        assert any(mark in text for text in texts), mark
    (recording,) = (tmp_path / "record").iterdir()
    usages = [entry["usage"] for line in recording.read_text().splitlines() if "usage" in (entry := json.loads(line))]
    assert len(usages) >= 8 and all(usage["output"] == 9 for usage in usages[:8])
    assert all(usage["cache_read"] == (model == "claude") for usage in usages[:8])
    sizes = [sum(len(text) for _, text in call) // 4 for call in sent]
    assert [usage["input"] + usage["cache_read"] for usage in usages[:8]] == sizes[:8]


@pytest.mark.parametrize("model", ["chat", "claude"])
def test_runs_under_the_policy_for_coding_agents_send_what_a_simulation_says(
    proxy: str, upstream: Upstream, tmp_path: Path, model: str
) -> None:
    callback = use(TrimtabCallback(CODING_POLICY, summarise="model", record=tmp_path / "record", window=CODING_WINDOW))
    client = Client(proxy, model, tools=tools(model, "read", "write_note"))
    first, second = CODING_TURNS
    upstream.answers = {first + 1, first + 1 + second + 1}
    for prompt, turns in zip(CODING_PROMPTS, CODING_TURNS, strict=True):
        client.run(prompt, turns + 1, callback)
    assert upstream.summaries == 1
    sent = [lines(body, model == "claude") for body in upstream.bodies]
    check_coding_requests(sent, simulated(CODING_POLICY, tmp_path / "record"))


@pytest.mark.parametrize("model", ["chat", "claude"])
def test_what_has_no_edit_stays(proxy: str, upstream: Upstream, model: str) -> None:
    callback = use(TrimtabCallback(compiled("when iteration == 2\n    do mask results keep 1 results"), window=100_000))
    client = Client(proxy, model)
    client.run("Read the report.", 3, callback)
    before, after = client.messages[: len(upstream.bodies[-1]["messages"])], upstream.bodies[-1]["messages"]
    changed = [number for number, (one, other) in enumerate(zip(before, after, strict=True)) if json.dumps(one) != json.dumps(other)]
    assert changed and all("tool" in json.dumps(before[number]) for number in changed)
    first, last = before[changed[0]], after[changed[0]]
    assert {key: last[key] for key in last if key != "content"} == {key: first[key] for key in first if key != "content"}


def test_a_retry_gets_the_same_request(proxy: str, upstream: Upstream, tmp_path: Path) -> None:
    path = tmp_path / "policy.trim"
    path.write_text(POLICY)
    callback = use(TrimtabCallback(path, record=tmp_path / "record", window=100_000))
    client = Client(proxy, "chat")
    client.run("Read the report.", 3, callback)
    upstream.failures = 1
    message = client.send()
    settled(callback)
    client.answer(message)
    client.send()
    settled(callback)
    assert [lines(body, False) for body in upstream.bodies] == simulated(path, tmp_path / "record")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("model", ["chat", "claude"])
def test_a_stop_is_answered_with_its_reason(proxy: str, upstream: Upstream, model: str, stream: bool) -> None:
    callback = use(TrimtabCallback(compiled('when iteration >= 1\n    do stop "one call is enough"'), window=100_000))
    client = Client(proxy, model, stream)
    client.run("Read the report.", 1, callback)
    if (model, stream) == ("claude", True):
        with pytest.raises(AssertionError, match="one call is enough"):
            client.send()
        assert len(upstream.bodies) == 1
        return
    assert "one call is enough" in json.dumps(client.send())
    assert len(upstream.bodies) == 1
    client.messages.append({"role": "user", "content": "Go on."})
    assert "one call is enough" not in json.dumps(client.send())


@pytest.mark.parametrize("broken", ["abefore_request", "aafter_reply"])
def test_a_failure_of_the_policy_does_not_fail_the_request(
    proxy: str, upstream: Upstream, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    async def fail(*args: Any, **options: Any) -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr(trimtab.Session, broken, fail)
    use(TrimtabCallback(compiled('do inject "Think."'), window=100_000))
    client = Client(proxy, "chat")
    client.messages.append({"role": "user", "content": "Read."})
    client.send()
    assert len(upstream.bodies[0]["messages"]) == (1 if broken == "abefore_request" else 2)


@pytest.mark.parametrize("model", ["chat", "claude"])
def test_additions_to_the_prompt_and_hidden_tools(proxy: str, upstream: Upstream, model: str) -> None:
    policy = trimtab.compile(
        'edition 2026\n\npolicy p {\n  rule a { do set mode "review" }\n  rule b { do tools hide [look] }\n}\n'
    )
    callback = use(TrimtabCallback(policy, window=100_000))
    client = Client(proxy, model, tools=tools(model, "read", "look"))
    client.run("Read.", 1, callback)
    (body,) = upstream.bodies
    assert "review" in json.dumps([body.get("system"), body["messages"][0]])
    assert "read" in json.dumps(body["tools"]) and "look" not in json.dumps(body["tools"])


def test_conversations_are_known_by_their_session_or_their_opening(proxy: str, tmp_path: Path) -> None:
    callback = use(TrimtabCallback(compiled('do inject "Think."'), record=tmp_path / "record", window=100_000))
    given: list[tuple[str, dict[str, Any]]] = [("a", {}), ("b", {})]
    given += [("c", {"litellm_session_id": "s1"}), ("d", {"metadata": {"session_id": "s1"}})]
    for prompt, options in given:
        Client(proxy, "chat", **options).run(prompt, 1, callback)
    known = callback._adapters["openai_chat"]._known  # pyright: ignore[reportPrivateUsage]
    assert len(known) == 3 and sum(key.endswith("/s1") for key in known) == 1


async def function(upstream: Upstream, messages: list[Any], **options: Any) -> Any:
    access = {"api_base": f"http://127.0.0.1:{upstream.server.server_port}", "api_key": "none"}
    return await litellm.acompletion(model="openai/gpt-4o", messages=messages, tools=tools("chat", "read"), **access, **options)


@pytest.mark.parametrize("stream", [False, True])
def test_functions(upstream: Upstream, tmp_path: Path, stream: bool) -> None:
    path = tmp_path / "policy.trim"
    path.write_text(POLICY)
    callback = use(TrimtabCallback(path, summarise="model", record=tmp_path / "record", window=100_000))

    async def run() -> None:
        messages: list[Any] = [{"role": "user", "content": "Read the report."}]
        for _ in range(7):
            response: Any = await function(upstream, messages, stream=stream)
            if stream:
                response = cast(Any, litellm.stream_chunk_builder([chunk async for chunk in response]))
            message = response.choices[0].message
            messages.append(message)
            for call in message.tool_calls:
                number = json.loads(call.function.arguments)["page"]
                messages.append({"role": "tool", "tool_call_id": call.id, "content": page(number)})
            while callback._calls:  # pyright: ignore[reportPrivateUsage]
                await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(run(), 120))
    assert upstream.summaries >= 1
    assert [lines(body, False) for body in upstream.bodies] == simulated(path, tmp_path / "record")


def test_a_stop_of_a_function_is_raised(upstream: Upstream) -> None:
    use(TrimtabCallback(compiled('do stop "nothing is enough"'), window=100_000))
    with pytest.raises(Exception, match="nothing is enough") as caught:
        asyncio.run(function(upstream, [{"role": "user", "content": "Read."}]))
    assert isinstance(caught.value, trimtab.Stopped) and not upstream.bodies


def test_a_policy_that_offloads_is_refused() -> None:
    with pytest.raises(ValueError, match="recall"):
        TrimtabCallback(compiled("do offload results keep 0 results"))
