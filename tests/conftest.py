"""The shared data folder, when it lies beside the checkout, and what several modules use."""

import os
from pathlib import Path

import pytest

from kernsemble.fitting.kernel_method import KernelMethod
from kernsemble.maps.views import UnchangedView

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
if SHARED.is_dir():
    os.environ.setdefault("KERNSEMBLE_DATA", str(SHARED))


@pytest.fixture
def data_folder():
    """Return the folder of csv.gz sets; the test is skipped where there is none."""
    folder = os.environ.get("KERNSEMBLE_DATA")
    if not folder:
        pytest.skip("KERNSEMBLE_DATA is not set")
    return Path(folder)


@pytest.fixture
def unscaled(monkeypatch):
    """Leave all columns as they are, as the equations of the references do."""
    monkeypatch.setattr(KernelMethod, "_fit_view", lambda self, table: UnchangedView())
