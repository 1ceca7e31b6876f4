"""Every result says which code made it: a commit, a commit with changes, or a version."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kernsemble

PACKAGE = Path(kernsemble.__file__).parent
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder, *arguments):
    names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *names, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def told_version(folder, **environment):
    done = subprocess.run(
        [sys.executable, "-c", "from kernsemble.environment import *; print(code_version())"],
        env={**os.environ, "PYTHONPATH": str(folder / "src"), **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def copied(tmp_path):
    """Return a folder with a copy of the package in its folder src."""
    shutil.copytree(
        PACKAGE, tmp_path / "src" / "kernsemble", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / ".gitignore").write_text("__pycache__\n")
    return tmp_path


def test_without_a_checkout_it_is_the_version(copied):
    assert told_version(copied) == kernsemble.__version__
    # Installed somewhere below the checkout of something else.
    git(copied, "init", "--quiet")
    git(copied, "add", ".gitignore")
    git(copied, "commit", "--quiet", "-m", "other")
    assert told_version(copied) == kernsemble.__version__
    assert told_version(copied, PATH="") == kernsemble.__version__


def test_in_a_checkout_it_is_the_commit_and_whether_files_have_changed(copied, tmp_path):
    git(copied, "init", "--quiet")
    git(copied, "add", ".")
    git(copied, "commit", "--quiet", "-m", "all")
    commit = git(copied, "rev-parse", "HEAD")
    assert told_version(copied) == commit
    (copied / "README.md").write_text("Not code.")
    assert told_version(copied) == commit
    # A program that git has started has these variables set to git's own checkout.
    assert told_version(copied, GIT_DIR=str(tmp_path / "elsewhere")) == commit
    (copied / "src" / "kernsemble" / "new.py").write_text("")
    assert told_version(copied) == f"{commit}+changes"
