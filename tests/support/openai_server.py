"""An OpenAI-compatible server for tests: its answers come from a function of the messages, and it can be killed.

A reply is a text, a status that is not 200, or fields of the choice's message, its finish_reason and the usage;
or the status as "error" with fields of the error.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = dict[str, Any] | str  # fields of the answer's choice and message, or its text


def handler(
    model: str, reply: Callable[[dict[str, Any]], Reply | int], seen: list[dict[str, Any]], **entry: Any
) -> Any:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(200, {"object": "list", "data": [{"id": model, "object": "model", **entry}]})

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append(asked | {"authorization": self.headers.get("Authorization")})
            found = reply(asked)
            if isinstance(found, int):
                self._send(found, {"error": {"message": f"planned failure {found}"}})
                return
            told = {"content": found} if isinstance(found, str) else dict(found)
            if "error" in told:
                self._send(told.pop("error"), {"error": {"code": "context_length_exceeded"} | told})
                return
            reason = told.pop("finish_reason", "stop")
            usage = told.pop("usage", {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10})
            choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", **told}}
            body = {"id": "1", "object": "chat.completion", "created": 0, "model": model, "choices": [choice]}
            self._send(200, body | ({"usage": usage} if usage else {}))

        def _send(self, status: int, body: dict[str, Any]) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # a client that was killed, or waits no longer
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def served(
    reply: Callable[[dict[str, Any]], Reply | int], model: str = "m", port: int = 0, **entry: Any
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address of a server, and the requests that it got. entry: what it says of its model besides the name."""
    seen: list[dict[str, Any]] = []
    server = ThreadingHTTPServer(("127.0.0.1", port), handler(model, reply, seen, **entry))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
