"""Make the pictures of the README again, from the UI that `make ui` serves after a `make run`.

Chromium must be installed (`apt-get install chromium`); the two packages go into an environment of their own:

    python3 -m venv /tmp/pictures && /tmp/pictures/bin/pip install playwright pillow
    /tmp/pictures/bin/python docs/screenshot.py [http://127.0.0.1:3000]
"""

import json
import os
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

HERE = Path(__file__).parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
WIDTH = 1600  # pixels of a picture
QUERY = "{ assetNodes { assetKey { path } groupName } }"
SETTINGS = {
    # Fewer lines in a node leave the graph flat, and its names large at the width of a README.
    "asset-node-facets": ["status", "kind-tag"],
    "asset-graph-direction": "horizontal",
    "large-screen-nav-open": False,
}
# Dagster draws lineage so pale that it is lost when a README shows the picture smaller.
DARKER_LINES = ":root, body, svg { --color-lineage-edge: #8a93a8 !important; }"
DRAWN = 'count => document.querySelectorAll("svg foreignObject").length >= count'
BOUNDS = """() => {
    const boxes = [...document.querySelectorAll("svg foreignObject")].map(each => each.getBoundingClientRect());
    const left = Math.min(...boxes.map(box => box.left)), top = Math.min(...boxes.map(box => box.top));
    const right = Math.max(...boxes.map(box => box.right)), bottom = Math.max(...boxes.map(box => box.bottom));
    return {x: left - 12, y: top - 12, width: right - left + 24, height: bottom - top + 24};
}"""


def opened(browser: Browser, address: str, width: int, height: int) -> Page:
    """A page of the UI, light and at twice the resolution, with our settings."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, device_scale_factor=2, color_scheme="light"
    )
    stored = json.dumps({name: json.dumps(value) for name, value in SETTINGS.items()})
    context.add_init_script(f"for (const [name, value] of Object.entries({stored})) localStorage.setItem(name, value)")
    page = context.new_page()
    page.goto(address)
    return page


def save(page: Page, name: str, clip: FloatRect) -> None:
    """Store a part of the page as a small PNG of the usual width."""
    shot = Image.open(BytesIO(page.screenshot(clip=clip))).convert("RGB")
    shot = shot.resize((WIDTH, round(shot.height * WIDTH / shot.width)), Image.Resampling.LANCZOS)
    # Of the methods of Pillow this one keeps rare colours, such as the green of a tick.
    shot.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(HERE / name, optimize=True)


def asset_graph(browser: Browser, ui: str) -> None:
    """The whole lineage with every group open."""
    page = opened(browser, f"{ui}/asset-groups", 1900, 1600)
    nodes = page.request.post(f"{ui}/graphql", data={"query": QUERY}).json()["data"]["assetNodes"]
    groups = {node["groupName"] for node in nodes}
    page.wait_for_function(DRAWN, arg=len(groups))
    page.wait_for_timeout(2000)
    page.keyboard.press("Alt+e")  # opens every group
    page.wait_for_function(DRAWN, arg=len(groups) + len(nodes))
    page.wait_for_timeout(3000)  # until the graph has moved into place
    page.add_style_tag(content=DARKER_LINES)
    page.mouse.move(5, 5)
    save(page, "asset_graph.png", page.evaluate(BOUNDS))


def problems_asset(browser: Browser, ui: str) -> None:
    """The page of the problems, without their columns."""
    page = opened(browser, f"{ui}/assets/problems?view=overview", 1500, 850)
    page.get_by_text("Columns", exact=True).click()
    page.get_by_text("Lineage", exact=True).last.wait_for()
    page.wait_for_timeout(3000)
    page.mouse.move(5, 5)
    save(page, "problems_asset.png", {"x": 0, "y": 0, "width": 1500, "height": 850})


def main(ui: str = "http://127.0.0.1:3000") -> None:
    """Make both pictures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        asset_graph(browser, ui)
        problems_asset(browser, ui)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
