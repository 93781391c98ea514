"""The named sub-pools, and that nothing held out is trained on."""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from itertools import combinations, islice, pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from races.assets.defs.composition.sub_pools import sub_pools
from races.environments.composition.build_subpools import CORE_SIZE, HELD_OUT_SIZE, choose
from races.environments.composition.frontier import CompatibleBricks, SearchSettings, explore, shards
from races.environments.composition.type_graph import type_graph
from races.environments.errors import UnknownName
from races.environments.generation.attempts import generate_chunk
from races.environments.generation.chunks import chunks
from races.environments.operators import FROM_POOL
from races.environments.registry import pool
from races.environments.subpools import HELD_OUT, explicit_subpools, subpool, subpool_names

ROOT = Path(__file__).parents[2]
SIZES = (50, 100, 150, 200, 250, 300)
DRAWS = [f"_{draw:02d}" for draw in range(1, 51)]


def test_every_sub_pool_is_of_the_pool() -> None:
    for name in subpool_names():
        assert set(subpool(name)) <= set(pool())
    assert len(set(subpool_names())) == len(subpool_names())


def random_subpool(size: int, draw: str = "") -> set[str]:
    return set(subpool(f"random_{size:03d}{draw}"))


@pytest.mark.parametrize("draw", ["", *DRAWS])
def test_the_random_sub_pools_of_a_draw_hold_one_another(draw: str) -> None:
    subpools = [random_subpool(size, draw) for size in SIZES] + [set(subpool("random_all"))]
    assert [len(sub_pool) for sub_pool in subpools[:-1]] == list(SIZES)
    assert all(small < large for small, large in pairwise(subpools))
    assert not subpools[-1] & set(subpool(HELD_OUT))


def test_draws_are_independent_and_have_every_brick_about_as_often_as_any_other() -> None:
    """A brick is in a sub-pool of s of n bricks in Binomial(50, s/n) draws; two sub-pools share s * s/n on average."""
    everything = subpool("random_all")
    for size in SIZES:
        subpools = [random_subpool(size, draw) for draw in DRAWS]
        share = size / len(everything)
        counts = Counter(name for sub_pool in subpools for name in sub_pool)
        spread = (50 * share * (1 - share)) ** 0.5
        assert all(abs(counts[name] - 50 * share) < 4.5 * spread for name in everything)
        variance = sum((counts[name] - 50 * share) ** 2 for name in everything) / len(everything)
        assert 0.75 < variance / spread**2 < 1.25
        shared = [len(one & two) for one, two in combinations(subpools, 2)]
        assert sum(shared) / len(shared) == pytest.approx(size * share, rel=0.03)
        assert max(shared) < size


DIGESTS = """
import hashlib
from races.environments.subpools import subpool, subpool_names
subpools = [(name, sorted(subpool(name))) for name in subpool_names() if name.startswith("random_")]
print(hashlib.sha256(repr(subpools).encode()).hexdigest())
"""


def test_random_sub_pools_are_the_same_under_two_hash_seeds() -> None:
    subpools = [(name, sorted(subpool(name))) for name in subpool_names() if name.startswith("random_")]
    today = hashlib.sha256(repr(subpools).encode()).hexdigest()
    for seed in ("0", "4711"):
        settings = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", DIGESTS]
        done = subprocess.run(command, env=settings, cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == today


def test_a_brick_that_is_declared_later_is_in_no_random_sub_pool(tmp_path: Path) -> None:
    """It belongs to `all` and `training` from then on, and to random sub-pools once the script writes them again."""
    (tmp_path / "later.py").write_text(
        "from races.environments import environment\nfrom races.environments.types import Nat\n\n\n"
        "@environment()\ndef added_later(number: Nat) -> Nat:\n"
        '    """Add one to the number."""\n    return number + 1\n'
    )
    code = "import json; from races.environments.subpools import subpool; "
    code += "print(json.dumps([sorted(subpool(name)) for name in "
    code += repr(["training", "random_all", "random_150", "random_300_07"]) + "]))"
    settings = os.environ | {"RACES_BRICKS": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=settings, cwd=ROOT, capture_output=True, text=True, check=True
    )
    training, *others = json.loads(done.stdout)
    assert "added_later" in training
    assert others == [sorted(subpool(name)) for name in ("random_all", "random_150", "random_300_07")]


def test_a_search_takes_a_random_sub_pool_and_the_table_has_it() -> None:
    settings = SearchSettings(pool="random_050_07", longest=3, probes=0, roots=1)
    bricks = subpool(settings.pool)
    for shard in shards(bricks, settings)[::10]:
        found = explore(shard, CompatibleBricks(bricks, "subtype"), settings).found
        assert {each.name for path in found for each in path.path.environments} <= set(bricks)
    rows = sub_pools()
    assert isinstance(rows, pa.Table)
    written = {(row["pool"], row["name"]) for row in rows.to_pylist()}
    assert written == {(sub_pool, name) for sub_pool in subpool_names() for name in subpool(sub_pool)}
    assert len({sub_pool for sub_pool, _ in written if sub_pool.startswith("random_150")}) == 51


def test_what_is_held_out_is_in_no_sub_pool_that_is_trained_on() -> None:
    held = set(subpool(HELD_OUT))
    assert len(held) == HELD_OUT_SIZE
    assert SearchSettings().pool == "training"
    for name in subpool_names():
        if name not in ("all", "everyday", "micro_unseen", HELD_OUT):
            assert not held & set(subpool(name)), name
    for operator in FROM_POOL:
        problems = [
            p
            for c in islice(chunks(operator, 1 if operator == "single" else 4, "test", []), 10)
            for p in generate_chunk(c).problems
        ]
        assert not held & {name for problem in problems for name in problem.environments}


def test_the_core_is_small_and_nearly_all_its_types_reach_one_another() -> None:
    components = type_graph(subpool("core_50")).components()
    assert len(subpool("core_50")) == CORE_SIZE
    assert len(components[0]) >= 31


def test_the_sub_pools_are_those_that_the_script_chooses_today() -> None:
    assert {name: list(names) for name, names in explicit_subpools().items()} == choose()


def test_an_unknown_sub_pool_is_an_error_that_names_the_known_ones() -> None:
    for name in ("core_5", "random_150_51", "random_150_00", "random_350", "random_50", "random_150_1"):
        with pytest.raises(UnknownName, match=r"core_50, .* random_NNN"):
            subpool(name)
