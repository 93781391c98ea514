"""Stands in for `vllm serve MODEL --host H --port P ... --behaviour B`, and writes what it was given into a file."""

import json
import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
START = time.monotonic()
GIVEN = {
    word.removeprefix("--"): sys.argv[place + 1] for place, word in enumerate(sys.argv[:-1]) if word.startswith("--")
}
BEHAVIOUR = GIVEN.get("behaviour", "")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/health":
            return self.say(503 if BEHAVIOUR == "never healthy" or time.monotonic() < START + 0.4 else 200)
        if self.path == "/version":
            return self.say(200, {"version": "0.24.0"})
        if self.headers["Authorization"] != f"Bearer {os.environ['VLLM_API_KEY']}":
            return self.say(401, {"error": "Unauthorized"})
        return self.say(200, {"data": [{"id": GIVEN["served-model-name"], "max_model_len": 4321}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked["model"] == "end yourself":
            os._exit(5)
        if BEHAVIOUR == "no template":
            return self.say(400, {"error": {"message": "the model has no chat template"}})
        return self.say(200, {"choices": [{"message": {"content": "a"}}], "usage": {"completion_tokens": 1}})

    def say(self, status: int, body: object = None) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def main() -> None:
    if BEHAVIOUR == "dies":
        sys.exit("ValueError: no GPU of ours was found")
    child = subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, start_new_session=True)
    assert child.stdout is not None
    child.stdout.readline()
    with ThreadingHTTPServer((GIVEN["host"], int(GIVEN["port"])), Handler) as server:
        said = {"arguments": sys.argv[1:], "variables": dict(os.environ)}
        Path(sys.argv[0]).with_name("given.json").write_text(json.dumps(said))
        Path(sys.argv[0]).with_name("pids").write_text(f"{os.getpid()} {child.pid}\n")
        server.serve_forever()


main()
