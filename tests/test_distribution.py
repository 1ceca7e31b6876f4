"""What is distributed works by itself: a wheel in a new environment runs the README's ten lines."""

import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    if not (ROOT / "README.md").exists():
        pytest.skip("the sources are not beside the tests")
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module", params=["*.whl", "*.tar.gz"])
def interpreter(request, distributions, tmp_path_factory):
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = next(path for path in folder.glob("*/python*") if path.stem == "python")
    (built,) = distributions.glob(request.param)
    run(python, "-m", "pip", "install", "--quiet", f"{built}[bench]")
    return python


def test_the_ten_lines_run_where_only_the_distribution_is(interpreter, tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    (tmp_path / "ten_lines.py").write_text(example, encoding="utf-8")
    answer = run(interpreter, "ten_lines.py", cwd=tmp_path)
    assert float(answer.split()[0]) > 0.9


def test_the_command_runs_where_only_the_distribution_is(interpreter, tmp_path):
    command = interpreter.with_name("kernsemble" + interpreter.suffix)
    run(command, "bench", "--quick", "-d", "iris", "-m", "KernelRidge", cwd=tmp_path)
