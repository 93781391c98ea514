"""The steps that make a selection of the graph, in its order: each a run of assets and at most one partition."""

from collections.abc import Mapping
from graphlib import TopologicalSorter
from typing import Any

import dagster as dg

Step = tuple[tuple[str, ...], str | None]  # assets, and their partition


def steps_of(
    selection: dg.AssetSelection, chosen: Mapping[dg.PartitionsDefinition[Any], list[str]], defs: dg.Definitions
) -> list[Step]:
    """The steps that make a selection, group after group; assets of a group without partitions are one step.

    chosen: the partitions to make, where they are not all.
    """
    graph = defs.resolve_asset_graph()
    steps: list[Step] = []
    last = ""  # the group of the last step, where that has no partition
    for keys in _ordered(selection, defs):
        node = graph.get(keys[0])
        names = tuple(key.to_user_string() for key in keys)
        if node.partitions_def is not None:
            steps += [
                (names, each) for each in chosen.get(node.partitions_def) or node.partitions_def.get_partition_keys()
            ]
            last = ""
        elif last == node.group_name and node.is_materializable:
            steps[-1] = (*steps[-1][0], *names), None
        else:
            steps.append((names, None))
            last = node.group_name if node.is_materializable else ""  # what is observed is a step of its own
    return steps


def _ordered(selection: dg.AssetSelection, defs: dg.Definitions) -> list[list[dg.AssetKey]]:
    """The selected assets in the order in which they are made, group by group; those that one op makes are together."""
    graph = defs.resolve_asset_graph()
    selected = selection.resolve(graph)
    group = {key: graph.get(key).group_name for key in sorted(graph.get_all_asset_keys())}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for key, name in group.items():
        sorter.add(name, *sorted({group[parent] for parent in graph.get(key).parent_keys} - {name}))
    rank = {name: number for number, name in enumerate(sorter.static_order())}
    found: dict[dg.AssetKey, list[dg.AssetKey]] = {}
    for level in graph.toposorted_asset_keys_by_level:
        for key in sorted(level & selected):
            node = graph.get(key)
            first = min(node.execution_set_asset_keys) if node.is_materializable else key
            found.setdefault(first, []).append(key)
    return sorted(found.values(), key=lambda keys: rank[group[keys[0]]])
