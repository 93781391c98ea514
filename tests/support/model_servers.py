"""Requests to model servers, and a server that only lists models, for tests of how benchmarks reach a model."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from races.resources.evaluation.serving.servers import Endpoint, Remote, TransformersServer, VllmServer

KEY = "sk-a-key-that-nobody-may-see"


def post(endpoint: Endpoint, **fields: Any) -> dict[str, Any]:
    """What a chat request is answered."""
    body = {"model": endpoint.model, "messages": [{"role": "user", "content": "Hello world"}], **fields}
    headers = {"Content-Type": "application/json"}
    if endpoint.key_variable:
        headers["Authorization"] = f"Bearer {os.environ[endpoint.key_variable]}"
    connection = HTTPConnection(urlsplit(endpoint.base_url).netloc, timeout=120)
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        found: dict[str, Any] = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return found


def refuses(url: str) -> bool:
    address = urlsplit(url)
    with socket.socket() as tried:
        return tried.connect_ex((address.hostname, address.port)) != 0


class Listing(BaseHTTPRequestHandler):
    """Lists two models to those who have the key."""

    status, body = 200, json.dumps({"data": [{"id": "one", "max_model_len": 8192}, {"id": "two"}]})
    key, location, wait = KEY, "", threading.Event()
    asked: list[tuple[str, str | None]]

    def do_GET(self) -> None:
        type(self).asked.append((self.path, self.headers["Authorization"]))
        if self.status == 0:
            self.wait.wait(20)
            return
        known = not self.key or self.headers["Authorization"] == f"Bearer {self.key}"
        self.send_response(self.status if known else 401)
        if self.location:
            self.send_header("Location", self.location)
        self.end_headers()
        self.wfile.write((self.body if known else f"wrong key: {self.headers['Authorization']}").encode())

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def listing(**how: Any) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """Its base URL, and the paths and keys that it was asked with."""
    handler = type("Handler", (Listing,), {"asked": [], "wait": threading.Event(), **how})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", handler.asked
        finally:
            handler.wait.set()
            server.shutdown()
            thread.join()


def enter(serving: Remote | VllmServer | TransformersServer) -> Endpoint:
    with serving.serve() as endpoint:
        return endpoint
