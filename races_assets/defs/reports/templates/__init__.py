"""The pages that reports are written as."""

from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape

from races.resources.store import markdown


def template(name: str) -> Template:
    """A template by the name of its file; what is put into HTML is escaped."""
    pages = Environment(
        loader=PackageLoader(__name__, "."),
        autoescape=select_autoescape(enabled_extensions=("html", "html.j2")),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    # The name of each says what a page makes of a text: part of a line, code, a block.
    pages.filters |= {"text": markdown.text, "code": markdown.code, "fenced": markdown.fenced}
    return pages.get_template(name)
