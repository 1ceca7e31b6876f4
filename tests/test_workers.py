"""Workers take tasks in order, and parts of earlier tasks before later tasks."""

import threading
from contextlib import nullcontext

import pytest

from kernsemble.workers import Team, spread, work_clock


def run(function, tasks, n_workers=2):
    team = Team(n_workers, nullcontext)
    try:
        return list(team.map(function, tasks))
    finally:
        team.close(wait=True)


def test_parts_are_computed_in_order_outside_of_a_team():
    seen = []
    assert spread(lambda part: seen.append(part) or -part, range(3)) == [0, -1, -2]
    assert seen == [0, 1, 2]


@pytest.mark.parametrize("n_workers", [1, 2, 5])
def test_results_are_those_of_a_loop_whoever_computes_them(n_workers):
    def task(number):
        return spread(lambda part: spread(lambda own: number + part + own, range(3)), range(4))

    expected = [[[n + part + own for own in range(3)] for part in range(4)] for n in range(6)]
    assert run(task, [(number,) for number in range(6)], n_workers) == expected


def test_an_idle_worker_helps():
    """Two parts that wait for each other need two threads."""
    together = threading.Barrier(2, timeout=60)

    def part(_number):
        together.wait()
        return threading.get_ident()

    ((first, second),) = run(lambda: spread(part, range(2)), [()])
    assert first != second


def test_parts_of_an_earlier_task_go_before_those_of_a_later_one():
    """The second task begins while the first waits, and offers its parts after those of the first.

    A single further worker has to choose, and the first task's parts end only by its help.
    """
    begun, together, order = threading.Event(), threading.Barrier(2, timeout=60), []

    def task(number):
        if number == 1:
            begun.set()
            offered.wait(60)
            return spread(lambda part: order.append((1, part)), range(2))
        begun.wait(60)
        return spread(wait_together, range(2))

    offered = threading.Event()

    def wait_together(part):
        offered.set()
        together.wait()
        order.append((0, part))

    run(task, [(0,), (1,)])
    assert {number for number, _ in order[:1]} == {0} and len(order) == 4


def test_an_error_in_a_part_is_that_of_its_task():
    def part(number):
        if number == 3:
            raise RuntimeError("part 3")
        return number

    with pytest.raises(RuntimeError, match="part 3"):
        run(lambda: spread(part, range(8)), [(), ()])


def test_the_clock_counts_the_work_of_helpers():
    """Both parts last until both have begun, so that half of their time is a helper's."""
    together, pause = threading.Barrier(2, timeout=60), threading.Event()

    def part(_number):
        together.wait()
        pause.wait(0.05)
        return 0

    def task():
        start = work_clock()
        spread(part, range(2))
        return work_clock() - start

    (seconds,) = run(task, [()])
    assert seconds > 0.08
