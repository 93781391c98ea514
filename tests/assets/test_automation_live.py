"""The automation as `make ui` runs it: the web server with its daemon, over a graph that people have made."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from tests.support.asset_processes import end_group, settled
from tests.support.asset_runs import HERE, OWN_THEME, Place, new_place

TABLES = ("environments", "changes", "sub_pools", "type_graph")
EDITED = "return day + timedelta(days - 1)"


def made_by_people(folder: Path) -> Place:
    """A graph that people have made, with an instance as `make ui` has one."""
    place = new_place(folder / "place", ("dates",))
    place.theme("own").write_text(OWN_THEME)
    home = place.folder / "home"
    home.mkdir()
    (home / "dagster.yaml").write_text((HERE / "dagster_home/dagster.yaml").read_text())
    for names in (["environment_sources"], TABLES):
        command = [sys.executable, "-m", "races.assets.run", *names]
        # Elsewhere the bricks of this folder would come before those of the place.
        subprocess.run(command, cwd=place.folder, env=variables(place), check=True)
    return place


@pytest.mark.slow
def test_a_daemon_rebuilds_what_an_edit_changed_and_loses_no_failed_run(tmp_path: Path) -> None:
    place = made_by_people(tmp_path)
    home = place.folder / "home"
    with served(place) as ask, dg.DagsterInstance.from_config(str(home)) as instance:
        wait_for(lambda: ask(STATES)["sensorsOrError"].get("results"), "the code location")
        states = {each["name"]: each["sensorState"]["status"] for each in ask(STATES)["sensorsOrError"]["results"]}
        assert states == {"notice_edits": "RUNNING", "rebuild_what_changed": "RUNNING"}

        before = runs(instance)
        time.sleep(12)
        assert runs(instance) == before  # what is up to date stays so

        place.edit("own", "return day + timedelta(days)", EDITED)
        wait_for(lambda: rebuilds(place) == 2 and fresh(ask), "the rebuild after an edit")
        assert made_by(instance, before) == {*TABLES, "environment_sources"}

        # A table that cannot be written, as with a full disk, fails once, and not again and again.
        folder = place.store / "type_graph"
        folder.rename(place.folder / "spoilt")
        folder.write_text("not a folder")
        before = runs(instance)
        place.edit("own", EDITED, "return day + timedelta(days - 2)")
        wait_for(lambda: rebuilds(place) == 3 and failed(instance), "the failed run")
        time.sleep(15)
        assert len(failed(instance)) == 1
        assert not fresh(ask)

        # Mended, it is made again with the next brick that changes.
        folder.unlink()
        (place.folder / "spoilt").rename(folder)
        place.edit("own", "timedelta(days - 2)", "timedelta(days - 3)")
        wait_for(lambda: rebuilds(place) == 4 and fresh(ask), "the rebuild after a failure")
        settled_at = runs(instance)
        place.edit("own", "DAYS = 7", "DAYS = 7  # of a week")
        wait_for(lambda: len(runs(instance) - settled_at) == 1, "the observation of a remark")
        time.sleep(15)
        assert made_by(instance, settled_at) == {"environment_sources"}
    assert len(failed(instance)) == 1


STATES = '{ sensorsOrError(repositorySelector: {repositoryName: "__repository__", repositoryLocationName: "races"}) '
STATES += "{ ... on Sensors { results { name sensorState { status } } } } }"
STALE = "{ assetNodes { assetKey { path } staleStatus } }"


def variables(place: Place) -> dict[str, str]:
    home = {"DAGSTER_HOME": str(place.folder / "home"), "RACES_WAREHOUSE": str(place.store), "RACES_TICK": "1"}
    return settled(place, variables=home)


@contextmanager
def served(place: Place) -> Iterator[Callable[[str], Any]]:
    """The server as `make ui` starts it; gives what answers a GraphQL query, None while nothing does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "dagster", "dev", "-w", str(HERE / "workspace.yaml"), "-p", str(port)]
    with (place.folder / "server.log").open("w") as log:
        started = subprocess.Popen(
            command, cwd=place.folder, env=variables(place), stdout=log, stderr=log, start_new_session=True
        )

    def ask(query: str) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/graphql",
            json.dumps({"query": query}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310  # our own server
            return json.load(answer)["data"]

    try:
        wait_for(lambda: answers(port), "the web server")
        yield ask
    finally:
        started.terminate()
        try:
            started.wait(timeout=20)
        finally:
            end_group(started.pid)
            started.wait()


def answers(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def wait_for(happens: Callable[[], object], what: str, seconds: float = 240) -> None:
    until = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(1)


def runs(instance: dg.DagsterInstance) -> set[str]:
    return {run.run_id for run in instance.get_runs()}


def failed(instance: dg.DagsterInstance) -> list[str]:
    return [run.run_id for run in instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE]))]


def made_by(instance: dg.DagsterInstance, before: set[str]) -> set[str]:
    """What the runs since then were to make or observe."""
    later = [run for run in instance.get_runs() if run.run_id not in before]
    return {
        key.to_user_string() for run in later for key in run.asset_selection or {dg.AssetKey("environment_sources")}
    }


def rebuilds(place: Place) -> int:
    (row,) = place.warehouse.query("select max(rebuild) as number from changes").to_pylist()
    return int(row["number"])


def fresh(ask: Callable[[str], Any]) -> bool:
    """Whether Dagster says of every table that was made that it is up to date."""
    status = {node["assetKey"]["path"][0]: node["staleStatus"] for node in ask(STALE)["assetNodes"]}
    return all(status[name] == "FRESH" for name in TABLES)
