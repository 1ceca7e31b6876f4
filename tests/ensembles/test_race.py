"""Which members of a race grow: those that earn weight, and those that may earn it yet."""

from types import SimpleNamespace

from kernsemble.ensembles.race import Entrant, _growing, _leaders
from kernsemble.members.library import PLANS


class Result:
    """Standings of members given as name → (log-loss, weight)."""

    def __init__(self, pooled, members, told=None):
        self.pooled, self.members, self.told = pooled, members, told or {}
        self.runners = [SimpleNamespace(name=name) for name in members]
        self.pool = SimpleNamespace(weights=[weight for _, weight in members.values()])

    def log_loss(self):
        return self.pooled

    def own_losses(self):
        return {name: loss for name, (loss, _) in self.members.items()}

    def told_promises(self):
        return self.told

    def ahead(self):
        return [name for name, (_, weight) in self.members.items() if weight >= 0.05]


def entrants_of(*names):
    return [Entrant(name, PLANS[name], 0) for name in names]


def test_the_best_member_of_a_plan_grows_once_unless_it_is_far_behind():
    found = Result(
        0.1,
        {
            "gaussian": (0.25, 0.0),
            "laplace_l1": (0.2, 0.0),
            "ranks gaussian": (1.1, 0.0),
            "boosted": (0.12, 0.9),
            "forest": (0.15, 0.1),
        },
    )
    assert _leaders(found, entrants_of(*found.members)) == ["laplace_l1", "boosted"]


def test_members_of_weight_grow_while_they_gain():
    before = Result(0.30, {"boosted": (0.32, 0.6), "forest": (0.33, 0.4)})
    found = Result(0.28, {"boosted": (0.29, 0.7), "forest": (0.3299, 0.3)})
    assert _growing(found, before, same_rows=True) == ["boosted"]
    # The member itself knows that its last trees gained nothing.
    found.told = {"boosted": 0.0}
    assert _growing(found, before, same_rows=True) == []


def test_nobody_grows_when_the_pool_has_stopped_improving():
    before = Result(0.280, {"boosted": (0.30, 0.6)})
    found = Result(0.279, {"boosted": (0.28, 0.7)})
    assert _growing(found, before, same_rows=True) == []


def test_a_member_without_weight_grows_if_it_may_overtake_the_pool():
    before = Result(0.20, {"gaussian": (0.40, 0.0), "laplace_l1": (0.80, 0.0)})
    found = Result(0.20, {"gaussian": (0.25, 0.0), "laplace_l1": (0.50, 0.0)})
    # Both fall by three eighths: the one to 0.16 the next time, the other to 0.31.
    assert _growing(found, before, same_rows=True) == ["gaussian"]


def test_with_other_rows_large_weights_go_on():
    before = Result(0.40, {"forest": (0.50, 0.5), "gaussian": (0.50, 0.5)})
    found = Result(0.35, {"forest": (0.45, 0.9), "gaussian": (0.45, 0.1)})
    assert _growing(found, before, same_rows=False) == ["forest"]


def test_members_that_will_see_more_rows_grow_although_more_of_the_same_would_not_help():
    before = Result(0.40, {"boosted": (0.50, 0.8), "forest": (0.50, 0.2)})
    told = {"boosted": 0.0, "forest": 0.0}
    found = Result(0.35, {"boosted": (0.45, 0.8), "forest": (0.45, 0.2)}, told)
    assert _growing(found, before, same_rows=False) == []
    assert _growing(found, before, same_rows=False, widened={"boosted"}) == ["boosted"]


def test_a_small_gain_is_worth_a_size_where_it_is_sure():
    before = Result(0.40, {"boosted": (0.42, 1.0)})
    found = Result(0.35, {"boosted": (0.35, 1.0)}, {"boosted": 0.004})
    assert _growing(found, before, same_rows=True) == []
    assert _growing(found, before, same_rows=True, least=0.003) == ["boosted"]
