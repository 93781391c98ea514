"""The type graph: counts of paths and components agree with brute force and networkx."""

import itertools
from random import Random

import networkx as nx  # type: ignore[import-untyped]  # it ships no types
import pytest

from races.environments import Environment, pool
from races.environments.composition.path import Matching, fits
from races.environments.composition.type_graph import type_graph
from races.environments.types import VOCABULARY
from tests.support import bricks_for_tests as declared

TWO = declared.plus_two
both = pytest.mark.parametrize("matching", ["exact", "subtype"])

# The type graph


def small_pool() -> list[Environment]:
    return [*Random("small pool").sample(list(pool().values()), 14), declared.some_divisor, declared.spaces, TWO]


@both
def test_the_numbers_of_paths_agree_with_enumeration(matching: Matching) -> None:
    bricks = small_pool()
    counts = type_graph(bricks, matching).paths(4)
    for length in (1, 2, 3, 4):
        chains = itertools.product(bricks, repeat=length)
        assert counts[length] == sum(
            all(not a.terminal and fits(a.codomain, b.domain, matching) for a, b in itertools.pairwise(chain))
            for chain in chains
        )


@both
def test_the_numbers_of_paths_of_the_pool_agree_with_powers_of_a_matrix(matching: Matching) -> None:
    bricks = list(pool().values())
    graph = type_graph(pool(), matching)
    follows = nx.DiGraph([(i, j) for i, row in enumerate(graph.followers) for j in row])
    follows.add_nodes_from(range(len(bricks)))
    assert graph.edges == follows.number_of_edges()
    matrix = nx.to_numpy_array(follows, nodelist=range(len(bricks))).astype(int).astype(object)
    walks = (matrix[0] * 0) + 1
    for count in graph.paths(8).values():
        assert count == walks.sum()
        walks = matrix @ walks


def test_subtyping_adds_edges_and_takes_none_away() -> None:
    exact, wide = type_graph(pool(), "exact"), type_graph(pool(), "subtype")
    assert all(set(few) <= set(many) for few, many in zip(exact.followers, wide.followers, strict=True))
    assert exact.edges < wide.edges
    assert exact.paths(1) == wide.paths(1) == {1: len(pool())}


@both
@pytest.mark.parametrize("count", [8, 14, 20, 30, 10_000])
def test_the_components_are_those_of_networkx(matching: Matching, count: int) -> None:
    bricks = Random(f"components {count}").sample(list(pool().values()), min(count, len(pool())))
    graph = nx.DiGraph([(each.domain.name, each.codomain.name) for each in bricks])
    if matching == "subtype":
        for name in list(graph):
            graph.add_edges_from(
                (name, wide.name) for wide in VOCABULARY[name].supertypes() if wide.name in graph and wide.name != name
            )
    ours = type_graph(bricks, matching).components()
    assert {frozenset(kind.name for kind in each) for each in ours} == set(
        map(frozenset, nx.strongly_connected_components(graph))
    )
    assert [len(each) for each in ours] == sorted(map(len, ours), reverse=True)


@both
def test_degrees_count_producers_and_consumers(matching: Matching) -> None:
    for name, (producers, consumers) in type_graph(pool(), matching).degrees().items():
        kind = VOCABULARY[name]
        assert producers == sum(fits(each.codomain, kind, matching) for each in pool().values())
        assert consumers == sum(fits(kind, each.domain, matching) for each in pool().values())
