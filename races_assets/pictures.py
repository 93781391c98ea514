"""Small pictures for the pages of assets, as SVG inside Markdown, because each is kept in the event log."""

import base64
import html
import io
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from races.resources.extras import check_extra
from races.resources.store import markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """An SVG, which needs no file beside the page that shows it."""

    title: str
    svg: str

    @property
    def source(self) -> str:
        """Its address: itself. In an image no script of an SVG runs."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg.encode()).decode()}"

    @property
    def markdown(self) -> str:
        """It as a Markdown image."""
        return f"![{markdown.text(self.title)}]({self.source})"


def type_graph_picture(pairs: Iterable[tuple[str, str]], size: int = 760) -> Picture:
    """The types on a circle; an arrow's width says how many bricks lead from one type to another.

    pairs: domain and codomain of every brick.
    """
    bricks = Counter(pairs)
    names = sorted({name for pair in bricks for name in pair})
    angle = {name: 2 * math.pi * place / len(names) for place, name in enumerate(names)}
    middle, radius = size / 2, size / 2 - 80

    def at(name: str, reach: float = radius) -> tuple[float, float]:
        return middle + reach * math.cos(angle[name]), middle + reach * math.sin(angle[name])

    lines = []
    for (first, second), count in sorted(bricks.items()):
        (x1, y1), (x2, y2) = at(first), at(second)
        if first == second:
            x, y = at(first, radius - 7)
            lines.append(
                f'<circle cx="{x:.0f}" cy="{y:.0f}" r="7" fill="none" stroke="#0a7" stroke-width="{count / 4}"/>'
            )
        else:
            bent = f"M{x1:.0f} {y1:.0f} Q{middle:.0f} {middle:.0f} {x2:.0f} {y2:.0f}"
            lines.append(
                f'<path d="{bent}" fill="none" stroke="#357" stroke-opacity="0.3" stroke-width="{min(4, count)}"/>'
            )
    for name in names:
        x, y = at(name, radius + 10)
        turn = math.degrees(angle[name])
        flip = 90 < turn < 270
        anchor, turned = ("end", turn + 180) if flip else ("start", turn)
        lines.append(
            f'<text x="{x:.0f}" y="{y:.0f}" font-size="12" font-family="sans-serif" text-anchor="{anchor}" '
            f'transform="rotate({turned:.0f} {x:.0f} {y:.0f})" dominant-baseline="middle">{html.escape(name)}</text>'
        )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" width="{size}" height="{size}">'
    return Picture("types and bricks", f'{head}<rect width="100%" height="100%" fill="white"/>{"".join(lines)}</svg>')


def bars(what: str, counts: dict[str, float], width: int = 24) -> str:
    """Horizontal bars in a Markdown table, one a name, in the order given; short enough to be shown at once."""
    top = max(counts.values(), default=0) or 1
    rows = [
        markdown.row((markdown.text(name), f"{'█' * round(width * count / top)} {count:,.0f}"))
        for name, count in counts.items()
    ]
    return "\n".join([f"| {what} | |", "| --- | --- |", *rows])


def figure(width: float, height: float) -> "Figure":
    """An empty matplotlib figure of so many inches; made without pyplot, whose figures live in the process for ever.

    SettingError where matplotlib is not installed.
    """
    check_extra("matplotlib", "report")
    from matplotlib.figure import Figure

    return Figure((width, height), layout="constrained")


def drawn(picture: "Figure", title: str) -> Picture:
    """A matplotlib figure as a picture."""
    import matplotlib as mpl

    # Text stays text, and ids do not depend on the clock: equal figures make equal pictures.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": title}), io.StringIO() as file:
        _laid_out(picture)
        picture.savefig(file, format="svg", metadata={"Date": None})
        return Picture(title, file.getvalue())


def _laid_out(picture: "Figure") -> None:
    """Lay a figure out, and round where that put the axes: its solver sums in an order that changes between calls."""
    picture.draw_without_rendering()
    picture.set_layout_engine("none")
    for axes in picture.axes:
        left, bottom, width, height = (round(each, 4) for each in axes.get_position().bounds)
        axes.set_position((left, bottom, width, height))


def differences_picture(names: Sequence[str], rows: Sequence[Mapping[str, Any]], axis: str, title: str = "") -> Picture:
    """Differences with their intervals, a name and a line each. axis: what a difference is. title: of the panel."""
    picture = figure(7, 0.9 + 0.28 * max(1, len(rows)))
    axes = picture.subplots()
    values = [row["difference"] for row in rows]
    reach = [
        [abs(row[end] - row["difference"]) if row[end] is not None else 0 for row in rows] for end in ("low", "high")
    ]
    axes.errorbar(values, range(len(rows)), xerr=reach, fmt="o", markersize=3)
    axes.set_yticks(range(len(rows)), names)
    axes.axvline(0, linewidth=0.8)
    axes.set(title=title, xlabel=axis)
    return drawn(picture, ", ".join(filter(None, ("differences", title))))


def curve(values: Sequence[float], title: str) -> Picture:
    """Rewards by step, from 1 on, and the mean of each with the nine before it."""
    picture = figure(6, 2.4)
    axes = picture.subplots()
    steps = range(1, len(values) + 1)
    axes.plot(steps, values, linewidth=0.7, alpha=0.5)
    axes.plot(steps, [fmean(values[max(0, place - 9) : place + 1]) for place in range(len(values))], linewidth=1.6)
    axes.set(xlabel="step", ylabel="reward", ylim=(0, 1))
    axes.set_title(title, fontsize="medium")
    return drawn(picture, title)


def examples(rollouts: Sequence[Mapping[str, Any]], count: int) -> str:
    """A Markdown table of the best and the worst of the last rollouts."""
    last = max((row["step"] for row in rollouts), default=0)
    found = sorted((row for row in rollouts if row["step"] == last), key=lambda row: -row["score"])
    chosen = [*found[:count], *found[count:][-count:]]
    lines = [
        markdown.row((f"{row['score']:.2f}", row["status"], cell(row["prompt"]), cell(row["response"])))
        for row in chosen
    ]
    return "\n".join([f"| score at step {last} | status | prompt | response |", "| --- | --- | --- | --- |", *lines])


def cell(text: str, longest: int = 400) -> str:
    """A text as a cell of a Markdown table, with its lines, cut where it is long."""
    short = text if len(text) <= longest else f"{text[: longest // 2]} ... {text[-longest // 2 :]}"
    return "<br>".join(map(markdown.text, short.split("\n")))
