"""A race of members: all start small, are pooled, and those that earn weight are brought up.

Every round fits its members on the rows of one stage and pools them by their honest scores. The
race ends when no member has a larger size, when the pool has stopped improving, or when the time is
over.
"""

import time
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from ..calibration import fit_temperature, probabilities
from ..combine import Judged, Pooled, judge, pool_judged
from ..members.library import has_many_sizes, has_more_rows

# Members of less weight in the pool of a round do not grow.
MIN_WEIGHT = 0.05
# A further round is worth its time when the last one lowered the log-loss by this share of it, and
# a further size of a member when its weight times what its last size gained is at least this; the
# last number is for more rows than can be scored, where what is gained is sure.
MIN_GAIN, MIN_PROMISE, SURE_PROMISE = 0.01, 0.006, 0.003
# Share of its log-loss that the next size of a member takes off when nothing is known of it,
# because its last size had fewer rows.
UNKNOWN_GAIN = 0.05
# A member whose own log-loss falls by this share from one round to the next may grow anyway, if
# another such fall would make it better than the pool.
STEEP = 0.25
# A size twice as large takes off about this many times the share of a member's log-loss that the
# last quarter of its size did.
TAIL_GAINS = 2.0
MAX_ROUNDS = 5
# The best member of a plan is brought up once whatever its weight, unless its log-loss is more than
# this many times that of the pool.
MAX_RATIO = 10.0


class Entrant(NamedTuple):
    """What takes part in a race: a name, the plan that fits it, and its seed."""

    name: str
    plan: Any
    seed: int


class Runner(NamedTuple):
    """A member of one size.

    Attributes
    ----------
    name : str
    member : Member
    state : object
        What a larger size starts from.
    seconds : float
        Time that all sizes took so far.
    pace : float
        Seconds for a unit of cost.
    earlier : ndarray or None
        See `Grown`.
    """

    name: str
    member: Any
    state: Any
    seconds: float
    pace: float
    earlier: np.ndarray | None = None


class Round(NamedTuple):
    """What a round of the race came to.

    Attributes
    ----------
    rows : int
        Number of rows on which members were compared.
    members : int
        Number of members that were fitted anew.
    log_loss : float
        Honest log-loss of the pool.
    seconds : float
        Time since the race began.
    """

    rows: int
    members: int
    log_loss: float
    seconds: float


class Standings(NamedTuple):
    """The members of a round on the rows of its stage, and their pool.

    Attributes
    ----------
    numbers : ndarray of int
        Numbers of the rows among those that can be scored.
    codes, sample_weight : ndarray of shape (n_rows,)
        Classes and weights of these rows.
    runners : list of Runner
    honest : ndarray of shape (n_runners, n_rows, n_outputs)
    judged : list of Judged
    pool : Pooled
    rounds : tuple of Round
        The race up to here.
    """

    numbers: np.ndarray
    codes: np.ndarray
    sample_weight: np.ndarray | None
    runners: list
    honest: np.ndarray
    judged: list[Judged]
    pool: Pooled
    rounds: tuple[Round, ...] = ()

    @classmethod
    def of(cls, stage, runners, known):
        """Return the standings of runners on the rows of a stage; some are judged already."""
        codes, weights = stage.table.all.codes, stage.table.all.sample_weight
        honest = np.stack([r.member.decode(r.member.honest_scores) for r in runners])
        judged = [known.get(id(r)) or judge(S, codes, weights) for r, S in zip(runners, honest)]
        pool = pool_judged(judged, weights)
        return cls(stage.numbers, codes, weights, runners, honest, judged, pool)

    def judgements(self):
        """Return the identity of each runner → its `Judged`."""
        return {id(runner): member for runner, member in zip(self.runners, self.judged)}

    def after(self, rounds, n_fresh, seconds):
        """Return these standings with the rounds before them and their own."""
        own = Round(len(self.codes), n_fresh, self.log_loss(), seconds)
        return self._replace(rounds=(*rounds, own))

    def log_loss(self, numbers=None):
        """Return the log-loss of the pool, on all rows or on those with the given numbers."""
        some = slice(None) if numbers is None else np.searchsorted(self.numbers, numbers)
        pooled = sum(w * member.own[some] for w, member in zip(self.pool.weights, self.judged))
        weights = None if self.sample_weight is None else self.sample_weight[some]
        return _mean_loss(pooled, weights)

    def own_losses(self):
        """Return name → log-loss of every member by itself."""
        return {
            runner.name: _mean_loss(member.own, self.sample_weight)
            for runner, member in zip(self.runners, self.judged)
        }

    def told_promises(self):
        """Return name → share of its log-loss that its next size will take off, where known."""
        now, promises = self.own_losses(), {}
        for runner in self.runners:
            if runner.earlier is not None:
                S = runner.member.decode(runner.earlier)
                P = probabilities(S, fit_temperature(S, self.codes, self.sample_weight))
                then = _mean_loss(P[np.arange(len(S)), self.codes], self.sample_weight)
                promises[runner.name] = TAIL_GAINS * _gain(now[runner.name], then)
        return promises

    def ahead(self):
        """Return the names of the members that earn weight, the largest weight first."""
        order = np.argsort(-self.pool.weights, kind="stable")
        return [self.runners[k].name for k in order if self.pool.weights[k] >= MIN_WEIGHT]


def _mean_loss(own, sample_weight):
    return -float(np.average(np.log(np.maximum(own, np.finfo(float).tiny)), weights=sample_weight))


def run_race(training, entrants, run, clock):
    """Return the `Standings` at the end of a race.

    Parameters
    ----------
    training : TrainingViews
    entrants : list of Entrant
    run : callable
        List of tasks → iterator over pairs (result, seconds) in their order; a task that was not
        started because the time was over has the result None.
    clock : Clock
    """
    by_name = {entrant.name: entrant for entrant in entrants}
    known: dict[str, Runner] = {}
    best, growing, began = None, list(by_name), time.perf_counter()
    for level in range(MAX_ROUNDS):
        bundles = _plan_round(training, level, [by_name[name] for name in growing], known, clock)
        fresh = _run_round(bundles, known, run, clock, first=level == 0)
        if not fresh:
            break
        same_rows = best is not None and not training.grows(level)
        found = _stand(training.stage(level), best if same_rows else None, fresh, by_name)
        known = {runner.name: runner for runner in found.runners}
        if best is not None and _is_worse(found, best, clock):
            break
        rounds = () if best is None else best.rounds
        before, best = best, found.after(rounds, len(fresh), time.perf_counter() - began)
        if clock.is_over():
            break
        if level == 0:
            growing = [*found.ahead(), *_leaders(found, entrants)]
        else:
            widened = {e.name for e in entrants if has_more_rows(e.plan, training, level + 1)}
            least = SURE_PROMISE if training.has_others else MIN_PROMISE
            growing = _growing(found, before, same_rows, widened, least)
        growing = [name for name in dict.fromkeys(growing) if name in fresh]
    return best


def _stand(stage, before, fresh, names):
    """Return the standings with the better size of every member.

    Members of an earlier round on the same rows stay. A fresh size replaces an earlier one unless
    it is worse, as trees that are boosted for too long are.
    """
    known = {} if before is None else {runner.name: runner for runner in before.runners}
    runners = {name: {**known, **fresh}[name] for name in names if name in known or name in fresh}
    judged = {} if before is None else before.judgements()
    found = Standings.of(stage, list(runners.values()), judged)
    if before is not None:
        losses, now = before.own_losses(), found.own_losses()
        worse = {name for name in fresh if now[name] > losses.get(name, now[name])}
        if worse:
            runners = {name: known[name] if name in worse else runners[name] for name in runners}
            judged = {**judged, **found.judgements()}
            found = Standings.of(stage, list(runners.values()), judged)
    return found


def _leaders(found, entrants):
    """Return for every plan with many sizes its best member, which may need them to show."""
    losses, most = found.own_losses(), MAX_RATIO * found.log_loss()
    best: dict[int, str] = {}
    for entrant in entrants:
        name, plan = entrant.name, id(entrant.plan)
        if name not in losses or losses[name] > most or not has_many_sizes(entrant.plan):
            continue
        if plan not in best or losses[name] < losses[best[plan]]:
            best[plan] = name
    return list(best.values())


def _growing(found, before, same_rows, widened=(), least=MIN_PROMISE):
    """Return the names of the members that a larger size may help, the largest weight first.

    These are members that earn weight and whose weight times what they gained from their last size
    promises a gain of the pool; and members whose own log-loss falls so fast that they may earn
    weight yet. Of members with the names in `widened`, the next size has more rows; `least` is the
    smallest gain of the pool that is worth a further size.
    """
    now, then, pooled = found.own_losses(), before.own_losses(), found.log_loss()
    gains = {name: _gain(loss, then.get(name, loss)) for name, loss in now.items()}
    # What a larger size of the same rows would bring says nothing of more rows.
    told = {name: own for name, own in found.told_promises().items() if name not in widened}
    falls = {name: min(gain, told.get(name, 1.0)) for name, gain in gains.items()}
    steep = [
        name for name, fall in falls.items() if fall >= STEEP and (1.0 - fall) * now[name] <= pooled
    ]
    if same_rows and _gain(pooled, before.log_loss()) < MIN_GAIN:
        return steep
    # What members of other rows gained says nothing of what they will gain.
    promises = {**(gains if same_rows else dict.fromkeys(gains, UNKNOWN_GAIN)), **told}
    weights = {runner.name: w for runner, w in zip(found.runners, found.pool.weights)}
    promising = [name for name in found.ahead() if weights[name] * promises[name] >= least]
    return [*promising, *steep]


class Clock:
    """The time that is left until a deadline, by the clock that machines of a cluster share."""

    def __init__(self, seconds, n_workers):
        self.deadline = None if seconds is None else time.time() + seconds
        self.n_workers = n_workers

    def is_over(self):
        """Return whether the time is over."""
        return self.deadline is not None and time.time() >= self.deadline

    def allows(self, seconds):
        """Return whether work of so many seconds of one worker can be finished in time."""
        if self.deadline is None:
            return True
        return time.time() + seconds / self.n_workers <= self.deadline


def _plan_round(training, level, entrants, known, clock):
    """Return the bundles of a round, those of the largest weight first, while time allows."""
    planned, seconds = [], 0.0
    # Members of one plan are fitted together.
    order = {id(entrant.plan): place for place, entrant in reversed(list(enumerate(entrants)))}
    together = sorted(entrants, key=lambda entrant: order[id(entrant.plan)])
    for _, group in groupby(together, key=lambda entrant: id(entrant.plan)):
        own = list(group)
        states = {e.name: known[e.name].state if e.name in known else None for e in own}
        for bundle in own[0].plan(training, level, states, own[0].seed):
            paces = [known[name].pace for name in bundle.names if name in known]
            expected = max(paces, default=0.0) * bundle.cost
            # What has never run has no pace; its tasks look at the clock when they start.
            if expected == 0.0 or clock.allows(seconds + expected):
                planned.append(bundle)
                seconds += expected
    return planned


def _run_round(bundles, known, run, clock, first):
    """Return name → `Runner` of the members whose tasks have all been finished."""
    tasks = [
        (task, None if first and number == 0 else clock.deadline)
        for number, bundle in enumerate(bundles)
        for task in bundle.tasks
    ]
    if clock.deadline is None:
        finished = _run_longest_first(tasks, [_task_seconds(b, known) for b in bundles], run)
    else:
        finished = _run_while_time_allows(tasks, bundles, run, clock, first)
    fresh: dict[str, Runner] = {}
    for bundle in bundles:
        own, finished = finished[: len(bundle.tasks)], finished[len(bundle.tasks) :]
        if len(own) < len(bundle.tasks) or any(result is None for result, _ in own):
            continue
        seconds = sum(spent for _, spent in own)
        for name, grown in bundle.join([result for result, _ in own]).items():
            share = seconds / len(bundle.names)
            before = known[name].seconds if name in known else 0.0
            pace = seconds / max(bundle.cost, 1.0)
            fresh[name] = Runner(
                name, grown.member, grown.state, before + share, pace, grown.earlier
            )
    return fresh


def _task_seconds(bundle, known):
    """Return for every task of a bundle how long it may take: those of known pace by that."""
    # What has never run is ordered by the number of its tasks: what is not divided takes longest.
    pace = max((known[name].pace for name in bundle.names if name in known), default=0.0)
    n_tasks = len(bundle.tasks)
    return n_tasks * [(pace * bundle.cost / n_tasks, -n_tasks)]


def _run_longest_first(tasks, seconds, run):
    """Return the results in the order of the tasks; no long task is left for the end."""
    lengths = [own for bundle in seconds for own in bundle]
    order = sorted(range(len(tasks)), key=lambda place: lengths[place], reverse=True)
    found = dict(zip(order, run([tasks[place] for place in order])))
    return [found[place] for place in range(len(tasks))]


def _run_while_time_allows(tasks, bundles, run, clock, first):
    """Return the results of the first tasks, as many as were there at an interrupt."""
    finished: list = []
    try:
        for outcome in run(tasks):
            finished.append(outcome)
    except KeyboardInterrupt:
        # With a budget, an interrupted fit returns what it has.
        if first and len(finished) < len(bundles[0].tasks):
            raise
        clock.deadline = time.time()
    return finished


def _gain(now, then):
    """Return the share of a log-loss that the last round took off."""
    return 1.0 - now / max(then, np.finfo(float).tiny)


def _is_worse(found, best, clock):
    """Return whether a round that the clock cut short is worse than the one before."""
    if len(found.runners) >= len(best.runners) or not clock.is_over():
        return False
    return found.log_loss(best.numbers) > best.log_loss()
