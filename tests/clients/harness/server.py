"""A model server on the loopback interface, which answers from a script in four dialects, as a stream or as a whole."""

import gzip
import json
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from . import anthropic_messages, gemini_contents, openai_chat, openai_responses
from .relay import NUMBER, OF_CONNECTION, Passage, body_of, headers_of

DIALECTS = [anthropic_messages, openai_chat, openai_responses, gemini_contents]


class ModelServer(ThreadingHTTPServer):
    """Serves until `stop`. `log` is a folder for each request and its answer."""

    daemon_threads = True

    def __init__(self, script, log):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.log = log
        self.lock = threading.Lock()
        self.others = []
        self.faults = []
        # Every request with its answer, in the order in which they came.
        self.passages = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def stop(self):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    passage = None

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.begin(b"")
        self.send_whole(200, b"")

    def do_GET(self):
        self.begin(body_of(self))
        if self.headers.get("upgrade"):
            # 426 is the only refusal of a WebSocket that Codex takes at the first attempt.
            return self.send_json(426, {"error": {"message": "no WebSocket here"}})
        self.server.others.append(f"GET {self.path}")
        if self.path.partition("?")[0].endswith("/models"):
            names = self.server.script.client.models
            return self.send_json(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in names]})
        self.send_json(404, {"error": {"type": "not_found_error", "message": self.path}})

    def do_POST(self):
        sent = self.read_body()
        path = self.path.partition("?")[0]
        dialect = next((one for one in DIALECTS if one.PATH.search(path)), None)
        if dialect is None:
            self.server.others.append(f"POST {self.path}")
            if path.endswith(("/count_tokens", ":countTokens")):
                return self.send_json(200, {"input_tokens": len(sent) // 4, "totalTokens": len(sent) // 4})
            return self.send_json(404, {"error": {"type": "not_found_error", "message": path}})
        try:
            body = json.loads(sent)
            request = dialect.request(body, path)
            request.size = len(sent)
            request.headers = {name.lower(): value for name, value in self.headers.items()}
            with self.server.lock:
                answer = self.server.script.answer(dialect, request)
                number = len(self.server.script.exchanges)
            reply = dialect.whole(answer, body)
        except Exception as error:  # The session must fail with the cause, and not with a lost connection.
            self.server.faults.append(f"{type(error).__name__}: {error} in POST {path}")
            return self.send_json(500, {"error": {"message": str(error)}})
        exchange = self.server.script.exchanges[number - 1]
        part, fault = exchange.part, exchange.fault
        self.passage.part, self.passage.dialect, self.passage.fault = part, dialect, fault
        self.passage.context = answer.usage.input + answer.usage.cache_read + answer.usage.cache_write
        record = {"part": part, "path": self.path, "headers": request.headers, "request": body, "reply": reply}
        record["fault"] = fault and fault.name
        record["headers"] = {name: value for name, value in request.headers.items() if "auth" not in name}
        (self.server.log / f"{number:03}.json").write_text(json.dumps(record, indent=1))
        is_cut = bool(fault) and fault.is_cut
        if fault and not is_cut:
            self.send_json(fault.status, fault.body(dialect), fault.headers)
        elif request.streams:
            self.send_stream(list(dialect.events(reply, body)), is_cut)
        else:
            self.send_json(200, reply, is_cut=is_cut)

    def begin(self, body):
        number = int(self.headers.get(NUMBER, 0))
        self.passage = Passage(number, self.command, self.path, headers_of(self.headers), body)
        self.passage.stage = self.server.script.stage
        self.server.passages.append(self.passage)

    def read_body(self):
        sent = body_of(self)
        self.begin(sent)
        coding = self.headers.get("content-encoding")
        return gzip.decompress(sent) if coding == "gzip" else zlib.decompress(sent) if coding == "deflate" else sent

    def send_header(self, name, value):
        super().send_header(name, value)
        if self.passage and name.lower() not in OF_CONNECTION:
            self.passage.answer_headers[name.lower()] = value

    def send_json(self, status, value, headers=None, is_cut=False):
        self.send_whole(status, json.dumps(value).encode(), headers, is_cut)

    def send_whole(self, status, content, headers=None, is_cut=False):
        """Sends an answer whose length is known; its connection closes in the middle if it is cut."""
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        sent = content[: len(content) // 2] if is_cut else content
        self.passage.status, self.passage.answer = status, sent
        if self.command != "HEAD":
            self.wfile.write(sent)
        self.close_connection |= is_cut

    def send_stream(self, events, is_cut):
        """Sends server-sent events; the connection closes in the middle of one of them if the stream is cut."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.passage.status = 200
        cut_at = len(events) * 2 // 3 if is_cut else None
        for at, (name, data) in enumerate(events):
            content = ((f"event: {name}\n" if name else "") + f"data: {data}\n\n").encode()
            if at == cut_at:
                content = content[: len(content) // 2]
            self.passage.answer += content
            self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
            self.wfile.flush()
            if at == cut_at:
                self.close_connection = True
                return
        self.wfile.write(b"0\r\n\r\n")
