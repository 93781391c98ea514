"""The UI as a newcomer meets it: a server over a small store that is made for it, and pages of a real browser."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.asset_processes import end_group, process, receive, send, settled
from tests.support.asset_runs import (
    HERE,
    OTHERS,
    OWN_THEME,
    SHORT,
    Place,
    filter_step,
    new_place,
    pool_step,
    problems_step,
    search_step,
    step,
)
from tests.support.asset_server import HOME

# Runs start at once, without the daemon and whatever its sensors would ask for meanwhile.
SETTINGS = """telemetry: {enabled: false}
nux: {enabled: false}
run_coordinator: {module: dagster._core.run_coordinator, class: DefaultRunCoordinator}
"""
STEPS = (
    step("environment_sources"),
    pool_step(),
    step(*OTHERS),
    search_step(**SHORT),
    search_step(longest=3),
    filter_step(),
    problems_step("single"),
)
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
PATIENCE = 60_000  # milliseconds until a page must show what is waited for, on a machine that is busy with other tests
REMEMBERED = {
    # Fewer lines in a node leave the graph flat, and its names large at the width of a README.
    "asset-node-facets": ["status", "kind-tag"],
    "asset-graph-direction": "horizontal",
    "large-screen-nav-open": False,
}


@dataclass(frozen=True)
class Front:
    """A server: its address, its log, and the code and store that it is over; no place for those of the checkout."""

    address: str
    log: Path
    place: Place | None = None

    @property
    def own(self) -> Place:
        assert self.place, "this server is over the store of the checkout"
        return self.place

    @property
    def bricks(self) -> Path:
        """The folder for bricks of one's own."""
        return self.own.folder / "bricks"


def chromium() -> str | None:
    """The browser of the system: CHROMIUM, or else the first of the usual names on the path."""
    named = os.environ.get("CHROMIUM")
    names = [named] if named else ["chromium", "chromium-browser", "google-chrome"]
    return next((found for name in names if (found := shutil.which(name))), None)


@contextmanager
def small_front(folder: Path) -> Iterator[Front]:
    """A server over a few themes and the tables that have been made of them, some twice."""
    place, home = new_place(folder), folder / "home"
    place.theme("own").write_text(OWN_THEME)
    home.mkdir()
    (home / "dagster.yaml").write_text(SETTINGS)
    (folder / "bricks").mkdir()
    bricks = folder / "bricks/quiet.py"
    bricks.write_text('"""No brick yet."""\n')
    with process(place, variables={HOME: str(home), "RACES_BRICKS": str(bricks.parent)}) as running:
        for asked in STEPS:
            send(running, asked)
            assert receive(running)["errors"] == []
    variables = {
        "DAGSTER_HOME": str(home),
        "RACES_BRICKS": str(bricks.parent),
        "RACES_TRAINING": str(folder / "training"),
        "RACES_WAREHOUSE": str(place.store),
    }
    with served(folder, settled(place, variables=variables)) as (address, log):
        yield Front(address, log, place)


@contextmanager
def whole_front(folder: Path) -> Iterator[Front]:
    """A server over what `make run` has left in this checkout, to look at."""
    variables = {**os.environ, "DAGSTER_HOME": str(HERE / "dagster_home"), "PYTHONPATH": str(HERE)}
    with served(folder, variables) as (address, log):
        yield Front(address, log)


@contextmanager
def served(folder: Path, variables: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """The address and the log of a server that ends with the block, with all that it has started."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, log = f"http://127.0.0.1:{port}", folder / "server.log"
    command = [sys.executable, "-m", "dagster_webserver", "-w", str(HERE / "workspace.yaml"), "-h", "127.0.0.1"]
    with log.open("w") as file:
        running = subprocess.Popen(
            [*command, "-p", str(port)],
            cwd=folder,
            env=dict(variables),
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _await_answer(address, running, log)
        yield address, log
    finally:
        os.killpg(running.pid, signal.SIGTERM)
        try:
            running.wait(15)
        finally:
            end_group(running.pid)
            running.wait()


def _await_answer(address: str, running: "subprocess.Popen[bytes]", log: Path, seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            with urlopen(f"{address}/server_info"):  # noqa: S310  # our own server
                return
        except (URLError, ConnectionError):
            assert running.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.1)


def opened(browser: Browser) -> BrowserContext:
    """A visitor whose browser remembers our settings; pictures have twice the resolution."""
    context = browser.new_context(
        viewport={"width": 1900, "height": 2100}, device_scale_factor=2, color_scheme="light", reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE)
    stored = json.dumps({name: json.dumps(value) for name, value in REMEMBERED.items()})
    context.add_init_script(f"for (const [name, value] of Object.entries({stored})) localStorage.setItem(name, value)")
    return context


def overview(page: Page, front: Front, asset: str) -> None:
    """Open the page of an asset."""
    page.goto(f"{front.address}/assets/{asset}?view=overview")
    page.get_by_role("button", name="Definition").wait_for()


def launchpad(page: Page) -> None:
    """Open the launchpad from the page of an asset."""
    page.get_by_role("button", name="Materialize").first.locator("xpath=following::button[1]").click()
    page.get_by_text("Open launchpad").click()
    page.get_by_text("Launchpad (configure assets)").wait_for()
    # What is typed before the settings are there and checked is lost when the page draws itself anew.
    page.locator(".CodeMirror-line").first.wait_for()
    expect(page.get_by_text("No errors")).to_be_visible()


def set_by_hand(page: Page, **settings: object) -> None:
    """Type over the values of these settings in the launchpad."""
    for name, value in settings.items():
        page.locator(".CodeMirror-line").filter(has_text=f"{name}:").click()
        page.keyboard.press("End")
        page.keyboard.press("Shift+Home")
        page.keyboard.insert_text(f"{name}: {value}")
        expect(page.locator(".CodeMirror-line").filter(has_text=f"{name}: {value}")).to_be_visible()


def launch(page: Page) -> None:
    """Press the button of the launchpad and wait on the page of the run until it has ended."""
    page.get_by_role("dialog").get_by_role("button", name="Materialize").click()
    page.wait_for_url("**/runs/*")
    page.get_by_text("Process for run exited").wait_for()
