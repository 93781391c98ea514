"""The audit of bricks in worker processes."""

from races.environments.audit.contract import Effort
from races.environments.registry import Pool
from races.resources.processes.brick_audits import audits
from tests.support.cases import ORACLES

LITTLE = Effort(draws=10, other_outputs=20, per_level=1, seed="little")


def test_a_brick_that_never_ends_or_ends_its_process_is_a_finding_and_no_other_brick_suffers(wider_pool: Pool) -> None:
    names = ["digit_sum", "stuck_in_sum", "vanishes", "gcd_pair"]
    assert set(names) <= set(wider_pool)
    # Long enough for a worker to find all that a sound brick needs on a busy machine.
    results = list(audits(names, LITTLE, ORACLES, count=2, seconds=3.0))
    assert [result.brick for result in results] == names
    assert [result.sound for result in results] == [True, False, False, True]
    for result in results[1:3]:
        (finding,) = result.faults["work_stays_within_reach"]
        assert finding == "expected an audit to end within 3 s, got the end of its process"


def test_the_findings_depend_on_no_number_of_workers() -> None:
    names = ["run_lengths", "median", "digit_sum"]
    assert list(audits(names, LITTLE, ORACLES, count=1)) == list(audits(names, LITTLE, ORACLES, count=3))
