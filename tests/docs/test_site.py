"""The site of the documentation: it builds without a warning, and every link in it leads somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html

from tests.support.pages import ROOT

FETCHED = "//script/@src | //img/@src | //iframe/@src | //link[@rel='stylesheet' or @rel='preconnect']/@href"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built in strict mode as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    # Material announces its successor on stderr.
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, html.HtmlElement]:
    return {file: html.parse(file).getroot() for file in site.rglob("*.html")}


def broken_links(pages: dict[Path, html.HtmlElement], site: Path) -> list[str]:
    """Links inside the site that lead to no file or to no anchor of it."""
    anchors = {file: {*page.xpath("//@id"), *page.xpath("//a/@name")} for file, page in pages.items()}
    found = []
    for file, page in pages.items():
        if file.name == "404.html":  # its links are from the root of whatever serves it
            continue
        for link in {*page.xpath("//a/@href"), *page.xpath("//img/@src"), *page.xpath("//script/@src")}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            known = anchors.get(target, {""})
            if not target.is_relative_to(site) or not target.is_file():
                found.append(f"{file.relative_to(site)}: {link}")
            elif parts.fragment and unquote(parts.fragment) not in known:
                found.append(f"{file.relative_to(site)}: {link} (no such anchor)")
    return sorted(found)


def test_every_link_and_anchor_of_the_site_leads_somewhere(site: Path, pages: dict[Path, html.HtmlElement]) -> None:
    assert len(pages) > 25
    assert broken_links(pages, site) == []


def test_a_broken_link_and_a_broken_anchor_are_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text('<p id="here"><a href="#here">a</a><a href="#there">b</a><a href="gone.html">c</a></p>')
    found = broken_links({page: html.parse(page).getroot()}, tmp_path)
    assert found == ["page.html: #there (no such anchor)", "page.html: gone.html"]


def test_the_site_fetches_nothing_from_elsewhere(pages: dict[Path, html.HtmlElement]) -> None:
    assert [url for page in pages.values() for url in page.xpath(FETCHED) if urlsplit(url).netloc] == []


def test_files_of_the_repository_that_a_page_links_to_are_in_the_site(pages: dict[Path, html.HtmlElement]) -> None:
    links = {link for page in pages.values() for link in page.xpath("//a/@href")}
    assert "source/environments/reward.py.html" in links
    assert "index.html" not in {link for link in links if link.endswith(("README.md", "CONTRIBUTING.md"))}


def test_the_reference_and_the_notebooks_are_rendered(site: Path) -> None:
    rewards = html.parse(site / "reference" / "rewards.html").getroot()
    assert {"races.compute_score", "races.trl_reward_for"} <= set(rewards.xpath("//h2/@id"))
    notebook = (site / "notebooks" / "pool_and_composition.html").read_text()
    assert "10859696468" in re.sub(r"<[^>]+>|,", "", notebook)


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= 700
