"""The experiments behind the papers' tables, as studies of this benchmark: read from TOML files."""

from dataclasses import dataclass, field
from functools import cache

from ..errors import UserError
from .methods import resolve_method
from .published import PAPERS, read_paper
from .study import make_study

# What a table of a paper may say of its study, or leave to the paper.
_SHARED = {"protocol": "nested", "protocol-options": {}, "scale": 1.0, "notes": []}


@dataclass(frozen=True)
class Experiment:
    """A printed table: which data, methods and protocol make it again.

    Attributes
    ----------
    paper, table : str
    datasets : dict
        Registered name → printed name.
    methods : dict
        Printed name → definition (see `resolve_method`).
    protocol : str
    options : dict
        Settings of the protocol. Its name is that of the table unless tables share columns, so that
        a ledger holds one protocol of a table.
    compare : {"accuracy", "ranks", "ranks among 179"}
        What the table prints.
    scale : float
        What turns a printed accuracy into percent.
    notes : list of str
    doubtful : dict
        Method, or "all" → printed names of the sets whose printed figures no sound run gives.
    """

    paper: str
    table: str
    datasets: dict
    methods: dict
    protocol: str
    options: dict
    compare: str = "accuracy"
    scale: float = 1.0
    notes: list = field(default_factory=list)
    doubtful: dict = field(default_factory=dict)

    @property
    def target(self):
        """The name to reproduce it by."""
        return f"{self.paper}/{self.table}"

    def study(self, only=None):
        """Return the study; `only` keeps the data sets of these printed or registered names."""
        chosen = [
            name
            for name, printed in self.datasets.items()
            if not only or only_names(name, printed) & set(only)
        ]
        if not chosen:
            raise UserError(f"{self.target} has none of the data sets {', '.join(only)}.")
        return make_study(
            chosen,
            list(self.methods),
            self.protocol,
            protocol_options=self.options,
            variants=self.methods,
        )


def only_names(name, printed):
    """Return the names by which a data set of a table may be chosen."""
    return {name, name.rpartition("/")[2], printed}


@cache
def list_experiments():
    """Return every experiment by its target."""
    found = [
        _read(paper, table, content)
        for paper in PAPERS
        for table, content in read_paper(paper)["run"].items()
    ]
    return {experiment.target: experiment for experiment in found}


def _read(paper, table, content):
    about = read_paper(paper)
    said = {key: content.get(key, about.get(key, default)) for key, default in _SHARED.items()}
    if "datasets" in about:
        datasets = {name: name.rpartition("/")[2] for name in about["datasets"]}
    else:
        printed = content.get("data", about.get("data"))
        datasets = {name: label for label, name in printed.items()}
    return Experiment(
        paper=paper,
        table=table,
        datasets=datasets,
        methods={name: _as_published(method) for name, method in content["method"].items()},
        protocol=said["protocol"],
        options={"name": f"{paper}/{table}", **said["protocol-options"]},
        compare=content.get("compare", "accuracy"),
        scale=said["scale"],
        notes=said["notes"],
        doubtful=about.get("doubtful", {}),
    )


def _as_published(method):
    """Return the definition of a method with the paper's settings for what it does not give."""
    known = resolve_method(method["base"]).build(seed=0).get_params(deep=False)
    if "preset" not in known:
        return method
    return {**method, "params": {"preset": "paper", **method.get("params", {})}}
