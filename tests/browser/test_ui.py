"""The front door in a real browser: the graph, an asset's page, a launch with changed settings, staleness, errors.

With RACES_PICTURES=<folder> (`make pictures`) the first of them look at what `make run` has left in this checkout, and
write the README's pictures.
"""

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import dagster as dg
import pytest
from PIL import Image
from playwright.sync_api import Browser, FloatRect, Page, expect, sync_playwright

from races.assets.checks import gold_answers_score_one
from races.assets.definitions import definitions
from races.assets.tables.table_catalog import MODELS
from tests.browser.front import (
    FLAGS,
    PATIENCE,
    Front,
    chromium,
    launch,
    launchpad,
    opened,
    overview,
    set_by_hand,
    small_front,
    whole_front,
)

# Dagster warns of itself where it takes in an observable source.
pytestmark = pytest.mark.filterwarnings("ignore:Property `OpDefinition.version` is deprecated")

PICTURES = os.environ.get("RACES_PICTURES")
WIDTH = 1600  # pixels of a picture
# Dagster draws lineage so pale that it is lost when a README shows the picture smaller.
DARKER_LINES = ":root, body, svg { --color-lineage-edge: #8a93a8 !important; }"
BOUNDS = """() => {
    const boxes = [...document.querySelectorAll("svg foreignObject")].map(each => each.getBoundingClientRect());
    const left = Math.min(...boxes.map(box => box.left)), top = Math.min(...boxes.map(box => box.top));
    const right = Math.max(...boxes.map(box => box.right)), bottom = Math.max(...boxes.map(box => box.bottom));
    return {x: left - 12, y: top - 12, width: right - left + 24, height: bottom - top + 24};
}"""
DRAWN = 'count => document.querySelectorAll("svg foreignObject").length >= count'
STILL = f"""() => {{
    const now = JSON.stringify(({BOUNDS})()), before = window.boundsBefore;
    window.boundsBefore = now;
    return now === before;
}}"""
# A node is of this colour until its state is known, and for good where it stands for files that no run makes.
STATES = 'most => document.querySelectorAll("svg [style*=--color-background-light]").length <= most'
BROKEN = '''"""A brick that cannot be run."""

from races.environments import environment
from races.environments.types import IntList


@environment()
def share_of_nothing(values: IntList) -> IntList:
    """Divide every entry of the list by nothing."""
    return tuple(value // 0 for value in values)
'''


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = chromium()
    if not executable:
        pytest.skip("expected a Chromium, found none: apt-get install chromium, or name yours in CHROMIUM")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield made
        made.close()


@pytest.fixture(scope="module")
def seen(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A server to look at."""
    with (whole_front if PICTURES else small_front)(tmp_path_factory.mktemp("front")) as front:
        yield front


@pytest.fixture
def front(seen: Front) -> Front:
    """A server to launch runs on."""
    if PICTURES:
        pytest.skip("no run is launched on the store of the checkout")
    return seen


@pytest.fixture
def page(browser: Browser, seen: Front, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Page]:
    """A page, of which a picture and the server's log are kept where a test fails."""
    failed_before = request.session.testsfailed
    context = opened(browser)
    made = context.new_page()
    yield made
    if request.session.testsfailed > failed_before:
        made.screenshot(path=tmp_path / "page.png")
        print(f"{made.url} as it was: {tmp_path / 'page.png'}\n{seen.log.read_text()[-5000:]}")  # noqa: T201
    context.close()


def picture(page: Page, name: str, clip: FloatRect) -> None:
    """Store a part of the page as a small PNG of the usual width, if pictures are asked for."""
    if PICTURES:
        shot = Image.open(BytesIO(page.screenshot(clip=clip, animations="disabled"))).convert("RGB")
        shot = shot.resize((WIDTH, round(shot.height * WIDTH / shot.width)), Image.Resampling.LANCZOS)
        # Of the methods of Pillow this one keeps rare colours, such as the green of a tick.
        shot = shot.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        shot.save(Path(PICTURES) / name, optimize=True)


def shows(text: str, name: str) -> bool:
    """Whether a node of the graph has this name, of which a long one is cut in the middle."""
    lines = [line.partition("…") for line in text.splitlines()]
    return any(name == first or (cut and name.startswith(first) and name.endswith(last)) for first, cut, last in lines)


def test_the_graph_opens_with_its_groups_and_every_asset_in_them(page: Page, seen: Front) -> None:
    graph = definitions("nowhere").resolve_asset_graph()
    keys = [key.to_user_string() for key in graph.get_all_asset_keys()]
    groups = {graph.get(dg.AssetKey(key)).group_name for key in keys}
    page.goto(f"{seen.address}/asset-groups")
    for group in groups:
        expect(page.locator(f"svg [data-tooltip='{group}']")).to_be_visible()
    page.wait_for_function(STILL, polling=500)
    page.keyboard.press("Alt+e")  # opens every group
    page.wait_for_function(DRAWN, arg=len(groups) + len(keys))
    drawn = page.locator("svg foreignObject > *").all_inner_texts()
    missing = [key for key in keys if not any(shows(text, key) for text in drawn)]
    assert missing == []
    page.wait_for_function(STATES, arg=len(keys) - len(graph.materializable_asset_keys))
    expect(page.locator("svg [style*=--color-background-green]").first).to_be_visible()  # what has been materialised
    page.wait_for_function(STILL, polling=500)
    page.add_style_tag(content=DARKER_LINES)
    page.mouse.move(5, 5)
    picture(page, "asset_graph.png", page.evaluate(BOUNDS))


def test_the_page_of_an_asset_says_what_a_row_is_and_shows_columns_and_row_counts(page: Page, seen: Front) -> None:
    overview(page, seen, "discovered_paths")
    expect(page.get_by_text(str(MODELS["discovered_paths"].__doc__))).to_be_visible()
    for text in ("paths", "Parquet"):  # its group and its kind
        expect(page.get_by_text(text, exact=True).first).to_be_visible()
    for name, column in MODELS["discovered_paths"].to_schema().columns.items():
        row = page.locator("tr", has=page.get_by_text(name, exact=True)).first
        expect(row).to_contain_text(str(column.description))
    expect(page.get_by_text("paths by number of bricks")).to_be_visible()
    page.get_by_role("button", name="Plots").click()
    expect(page.get_by_text("dagster/row_count", exact=True)).to_be_visible()


def test_a_picture_is_shown_on_the_page_of_its_asset(page: Page, seen: Front) -> None:
    overview(page, seen, "types")
    page.locator("tr", has=page.get_by_text("picture", exact=True)).get_by_text("[Show Markdown]").click()
    drawn = page.get_by_role("dialog").get_by_role("img", name="types and bricks")
    expect(drawn).to_be_visible()
    drawn.evaluate("image => image.decode()")  # which fails where it is no picture


def test_the_checks_of_an_asset_are_shown_with_their_results(page: Page, seen: Front) -> None:
    overview(page, seen, "problems")
    expect(page.get_by_text("Latest check results")).to_be_visible()
    page.set_viewport_size({"width": 1500, "height": 850})
    page.get_by_text("Columns", exact=True).click()
    page.mouse.move(5, 5)
    picture(page, "problems_asset.png", {"x": 0, "y": 0, "width": 1500, "height": 850})
    page.get_by_role("tab", name="Checks").click()
    (spec,) = gold_answers_score_one.check_specs
    expect(page.get_by_text(str(spec.description))).to_be_visible()
    expect(page.get_by_text("Passed", exact=True)).to_be_visible()
    expect(page.locator("tr", has=page.get_by_text("scored", exact=True))).to_be_visible()


def test_what_is_typed_in_the_launchpad_is_what_is_made(page: Page, front: Front) -> None:
    overview(page, front, "problems")
    launchpad(page)
    page.get_by_placeholder("Partition").fill("single")
    page.get_by_role("menuitem", name="single").or_(page.get_by_role("option", name="single")).first.click()
    page.get_by_text("partition: single").wait_for()
    set_by_hand(page, per_cell=7, seed="typed by hand", answer_style="boxed", workers=1)
    expect(page.get_by_text("No errors")).to_be_visible()
    launch(page)
    expect(page.get_by_text("Success", exact=True)).to_be_visible()
    rows = front.own.warehouse.read("problems", {"operator": "single"}, ["prompt", "key"]).to_pylist()
    assert len(rows) == 7
    assert all("'typed by hand'" in row["key"] and "\\boxed" in row["prompt"] for row in rows)


def test_a_setting_that_makes_no_sense_is_refused_before_the_launch(page: Page, front: Front) -> None:
    overview(page, front, "audits")
    launchpad(page)
    set_by_hand(page, draws="many")
    expect(page.get_by_text("No errors")).to_be_hidden()
    expect(page.get_by_role("dialog").get_by_role("button", name="Materialize")).to_be_disabled()


def test_a_brick_that_was_edited_is_named_and_its_table_shows_as_stale(page: Page, front: Front) -> None:
    overview(page, front, "environments")
    expect(page.get_by_text("Unsynced")).to_be_hidden()
    front.own.edit("own", "DAYS = 7", "DAYS = 8")
    overview(page, front, "environment_sources")
    page.get_by_role("button", name="Observe").click()
    page.get_by_text("Launched run").wait_for()
    overview(page, front, "environments")
    page.get_by_text("Unsynced (1)").hover()
    expect(page.get_by_text("has a new data version")).to_be_visible()
    overview(page, front, "environment_sources")
    changed = page.locator("tr", has=page.get_by_text("new_or_changed_bricks", exact=True))
    expect(changed.locator("td").last).to_have_text("week_later")


def test_the_run_that_a_brick_has_failed_names_the_brick_and_the_reason(page: Page, front: Front) -> None:
    broken = front.bricks / "broken.py"
    broken.write_text(BROKEN)
    try:
        overview(page, front, "environments")
        launchpad(page)
        launch(page)
    finally:
        broken.unlink()
    expect(page.get_by_text("Failure", exact=True)).to_be_visible()
    reason = "share_of_nothing: expected answers to its own inputs at level 3, got none: crashed: ZeroDivisionError"
    expect(page.get_by_text(reason).first).to_be_visible()
