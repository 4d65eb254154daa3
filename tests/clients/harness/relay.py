"""A relay on the loopback interface: it passes requests and answers on as they are, and keeps their bytes."""

import http.client
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

# The number of a request, by which the one that the server receives is known again.
NUMBER = "x-relay-number"
# Headers that are about one connection, and what the relay or a proxy says of the body.
OF_CONNECTION = {"connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}


@dataclass
class Passage:
    """A request with its answer, as one side has seen it."""

    number: int
    method: str
    path: str
    headers: dict
    # The bytes of the body as they were sent, perhaps compressed.
    body: bytes
    status: int = 0
    answer: bytes = b""
    # Whether the answer has come to its end, or why it has not.
    is_whole: bool = False
    error: str = ""
    # What a model request is for, and its dialect.
    part: str = ""
    dialect: Any = None
    # The tokens of context that the answer states.
    context: int = 0
    # The stage of the session, and the `Fault` that was answered.
    stage: int = 0
    fault: Any = None
    # The headers of the answer, as those of the request.
    answer_headers: dict = field(default_factory=dict)


def headers_of(message):
    """The headers besides those of the connection and of the relay, in lower case."""
    return {name.lower(): value for name, value in message.items() if name.lower() not in OF_CONNECTION | {NUMBER}}


def chunks(file):
    """The chunks of a body in this transfer coding."""
    while size := int(file.readline().split(b";")[0], 16):
        yield file.read(size)
        file.readline()
    while file.readline().strip():
        pass


def body_of(handler):
    """The bytes of the body of a request, as they were sent."""
    if "chunked" in handler.headers.get("transfer-encoding", "").lower():
        return b"".join(chunks(handler.rfile))
    return handler.rfile.read(int(handler.headers.get("content-length", 0)))


class Relay(ThreadingHTTPServer):
    """Serves until `stop`. `upstream` gives the address to which it passes a request."""

    daemon_threads = True

    def __init__(self, upstream):
        super().__init__(("127.0.0.1", 0), RelayHandler)
        self.upstream = upstream
        self.passages = []
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def begin(self, handler, body):
        with self.lock:
            number = len(self.passages) + 1
            passage = Passage(number, handler.command, handler.path, headers_of(handler.headers), body)
            self.passages.append(passage)
        return passage

    def handle_error(self, request, client_address):
        """A client that ends leaves its connections, which is no fault."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def stop(self):
        self.shutdown()
        self.server_close()


class RelayHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def relay(self):
        body = body_of(self)
        passage = self.server.begin(self, body)
        address = urlsplit(self.server.upstream())
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=300)
        unpassed = OF_CONNECTION - {"connection", "te", "upgrade"}
        try:
            connection.putrequest(self.command, self.path, skip_accept_encoding=True, skip_host=True)
            connection.putheader("host", address.netloc)
            connection.putheader(NUMBER, str(passage.number))
            for name, value in self.headers.items():
                if name.lower() not in unpassed:
                    connection.putheader(name, value)
            if body or self.command in ("POST", "PUT", "PATCH"):
                connection.putheader("content-length", str(len(body)))
            connection.endheaders(body)
            self.pass_answer(connection.getresponse(), passage)
        except (OSError, http.client.HTTPException) as error:
            passage.error = f"{type(error).__name__}: {error}"
            self.close_connection = True
        finally:
            connection.close()

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = relay

    def pass_answer(self, response, passage):
        passage.status, passage.answer_headers = response.status, headers_of(response.headers)
        length = response.headers.get("content-length")
        has_body = self.command != "HEAD" and response.status not in (204, 304)
        is_chunked = has_body and length is None
        self.send_response_only(response.status, response.reason)
        for name, value in response.headers.items():
            if name.lower() not in ("connection", "keep-alive", "transfer-encoding"):
                self.send_header(name, value)
        if is_chunked:
            self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        while has_body and (data := response.read1(1 << 16)):
            passage.answer += data
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if is_chunked else data)
            self.wfile.flush()
        if is_chunked:
            self.wfile.write(b"0\r\n\r\n")
        elif has_body and len(passage.answer) < int(length):
            raise http.client.IncompleteRead(passage.answer, int(length) - len(passage.answer))
        passage.is_whole = True
