"""The pages that reports are written as."""

from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape


def template(name: str) -> Template:
    """A template by the name of its file; what is put into HTML is escaped."""
    pages = Environment(
        loader=PackageLoader(__name__, "."),
        autoescape=select_autoescape(enabled_extensions=("html", "html.j2")),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    return pages.get_template(name)
