"""Hooks of MkDocs: what the site shows besides the pages in docs/.

The pages link to files of the repository the way GitHub follows them (`../environments/reward.py`). In the site such a
file has a page of its own below source/, the README is the home page, and the notebooks keep their folder.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent
# A repository's file outside docs/ and the page of the site that is made of it.
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md"}
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
HREF = re.compile(r'(?<= href=")(?![a-z]+:|#)([^"#]+)(#[^"]*)?(?=")')
LANGUAGES = {".py": "python", ".toml": "toml", ".sql": "sql"}


@event_priority(100)  # before the plugin that makes pages of notebooks
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the README, the notebooks, and every file of the repository that a page links to."""
    for file, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / file)))
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        # The plugin does not see the content of a generated file.
        files.append(File(f"notebooks/{notebook.name}", str(ROOT), config.site_dir, config.use_directory_urls))
    linked = {target for file in files if file.src_uri.endswith(".md") for target in _linked_sources(file)}
    for path in sorted(linked):
        files.append(File.generated(config, _source_page(path), content=_source(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point every link to a file of the repository at its page of the site."""
    return LINK.sub(lambda link: _of_site(link, page.file), markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The same for a notebook, which is HTML by now."""
    if not page.file.src_uri.endswith(".ipynb"):
        return html

    def of_site(link: re.Match[str]) -> str:
        target = files.get_file_from_path(os.path.normpath(Path(page.file.src_uri).parent / _of_site(link, page.file)))
        return target.url_relative_to(page.file) if target else link[0]

    return HREF.sub(of_site, html)


def _of_site(link: re.Match[str], file: File) -> str:
    """What a link of a page leads to in the site, relative to the page."""
    path = _repository_path(_folder(file), link[1])
    if path is None:
        return link[0]
    return os.path.relpath(_page_of(path), Path(file.src_uri).parent) + (link[2] or "")


def _folder(file: File) -> Path:
    """The folder of the repository that a page's links start from."""
    return Path(file.abs_src_path).parent if file.abs_src_path else ROOT


def _repository_path(folder: Path, link: str) -> Path | None:
    """The file or folder of the repository that a link leads to, relative to its root."""
    path = (folder / link).resolve()
    return path.relative_to(ROOT) if path.exists() and path.is_relative_to(ROOT) else None


def _page_of(path: Path) -> str:
    """The source of the page or the asset that stands for a file of the repository."""
    if path.parts[0] == "docs":
        return str(path.relative_to("docs"))
    if path.parts[0] == "notebooks":
        return str(path)
    return PAGES.get(str(path)) or _source_page(path)


def _source_page(path: Path) -> str:
    return f"source/{path}.md"


def _source(path: Path) -> str:
    """The page of a file, its text; of a folder, a list of its files."""
    if (ROOT / path).is_dir():
        return "\n".join(
            [f"# `{path}`\n", *(f"- [`{each.name}`]({path.name}/{each.name}.md)" for each in _listed(path))]
        )
    text = (ROOT / path).read_text()
    return f"# `{path}`\n\n``````{LANGUAGES.get(path.suffix, 'text')}\n{text}\n``````\n"


def _listed(folder: Path) -> list[Path]:
    return sorted(each.relative_to(ROOT) for each in (ROOT / folder).iterdir() if each.suffix in LANGUAGES)


def _linked_sources(file: File) -> Iterator[Path]:
    """The files and folders outside docs/ that a page links to and that have no page of their own."""
    for link in LINK.finditer(file.content_string):
        path = _repository_path(_folder(file), link[1])
        if path and path.parts[0] not in ("docs", "notebooks") and str(path) not in PAGES:
            yield path
            if (ROOT / path).is_dir():
                yield from _listed(path)
