"""The frontier search: extensions that it accepts in a second, every run metered."""

from collections.abc import Iterator, Sequence
from functools import partial

from perf.measure import Effort, Measurement, rate
from races.environments.composition.frontier import CompatibleBricks, SearchSettings, Shard, ShardResult, explore
from races.environments.registry import pool

NAME = "search"
TARGET = 5_000
WITNESSES = 24


def measurements(effort: Effort) -> Iterator[Measurement]:
    """Accepted extensions in a second, without probe inputs and with as many as the assets use."""
    names = sorted(pool())
    shards = [Shard(name, number % 5) for number, name in enumerate(names[:: effort.of(40, 4)])]
    offers = CompatibleBricks(pool(), "subtype")
    for probes, target in ((0, TARGET), (WITNESSES, None)):
        settings = SearchSettings(probes=probes, seed="benchmarks", longest=effort.of(4, 12))
        results = _grown(shards, offers, settings)
        tried = sum(sum(each.rejections.values()) for each in results)
        accepted = sum(len(each.found) for each in results)
        runs = sum(each.executions for each in results)
        measured = rate(partial(_accepted, shards, offers, settings), effort.repeats)
        yield Measurement(
            NAME,
            f"accepted, {probes} probe inputs" if probes else "accepted, no probe inputs",
            measured,
            "extensions/s",
            target,
            note=f"{accepted} accepted, {tried} rejected, {measured * runs / max(1, accepted):,.0f} runs/s",
        )


def _accepted(shards: Sequence[Shard], offers: CompatibleBricks, settings: SearchSettings) -> int:
    return sum(len(each.found) for each in _grown(shards, offers, settings))


def _grown(shards: Sequence[Shard], offers: CompatibleBricks, settings: SearchSettings) -> list[ShardResult]:
    return [explore(shard, offers, settings) for shard in shards]
