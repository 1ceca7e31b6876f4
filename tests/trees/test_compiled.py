"""Compiled code is kept on disk, and no state of the disk keeps a function from running."""

import ctypes
import errno
import gc
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core import event
from numba.core.caching import IndexDataCacheFile

import kernsemble
from kernsemble import code_cache
from kernsemble.compiled import compiled

ROOT = Path(kernsemble.__file__).parents[1]


def _add_one(number):
    return number + 1


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return a new folder that numba uses as its cache."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def compilations(*numbers):
    """Call a new copy of the compiled function; return how often numba compiled it."""
    add_one = compiled(_add_one, entry=True)
    with event.install_recorder("numba:compile") as recorder:
        for number in numbers:
            assert add_one(number) == number + 1
    return sum(moment.is_start for _, moment in recorder.buffer)


@pytest.mark.parametrize("collecting", [True, False])
def test_loading_compiled_code_leaves_garbage_collection_as_it_was(collecting):
    was = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        assert compiled(_add_one, entry=True)(1) == 2
        assert gc.isenabled() == collecting
    finally:
        (gc.enable if was else gc.disable)()


def test_code_is_compiled_once_for_each_signature(cache):
    assert compilations(1, 2, 3) == 1
    assert compilations(1) == 0
    assert compilations(1, 1.5) == 1
    assert compilations(1.5, 1) == 0


DAMAGES = {
    "empty": lambda content: b"",
    "first half": lambda content: content[: len(content) // 2],
    "all but the end": lambda content: content[:-20],
    "other bytes": lambda content: bytes(255 - byte for byte in content),
    "text": lambda content: b"not compiled code",
    "one byte changed": lambda content: (
        content[: len(content) // 2]
        + bytes([content[len(content) // 2] ^ 1])
        + content[len(content) // 2 + 1 :]
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("suffixes", [(".nbi",), (".nbc",), (".nbi", ".nbc")], ids="".join)
def test_damaged_files_are_replaced(cache, suffixes, damage):
    assert compilations(1) == 1
    for path in [path for path in cache.rglob("*.nb?") if path.suffix in suffixes]:
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert compilations(1) == 1
    assert compilations(1) == 0


def test_code_with_a_changed_byte_is_not_run(cache):
    assert compilations(1) == 1
    (path,) = cache.rglob("*.nbc")
    content = path.read_bytes()
    for place in range(0, len(content), len(content) // 15):
        changed = bytearray(content)
        changed[place] ^= 0x10
        path.write_bytes(changed)
        compilations(1)


def test_missing_files_are_written_again(cache):
    for suffix in (".nbi", ".nbc"):
        assert compilations(1) == 1
        for path in cache.rglob(f"*{suffix}"):
            path.unlink()
    assert compilations(1) == 1
    assert compilations(1) == 0


def test_code_of_another_signature_is_not_run(cache):
    # Two processes that compile different signatures at once may write to the same file.
    assert compilations(1, 1.5) == 2
    first, second = cache.rglob("*.nbc")
    contents = first.read_bytes(), second.read_bytes()
    first.write_bytes(contents[1])
    second.write_bytes(contents[0])
    assert compilations(1, 1.5) == 2
    assert compilations(1, 1.5) == 0


def test_code_of_changed_source_files_is_compiled_again(cache, monkeypatch):
    assert compilations(1) == 1
    monkeypatch.setattr(code_cache, "_SOURCES", hashlib.sha256(b"another version"))
    assert compilations(1) == 1
    assert compilations(1) == 0


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_code_that_cannot_be_stored_runs(cache, monkeypatch, number):
    def save(self, key, data):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(IndexDataCacheFile, "save", save)
    assert compilations(1) == 1
    assert not list(cache.rglob("*.nbi"))


SMALL = """
from kernsemble.compiled import compiled

@compiled(entry=True)
def add_one(number):
    return number + 1
"""
CALL = """
import sys
sys.dont_write_bytecode = True
from numba.core import event
with event.install_recorder("numba:compile") as recorder:
    from small import add_one
    assert add_one(int(sys.argv[1])) == int(sys.argv[1]) + 1
print(sum(moment.is_start for _, moment in recorder.buffer))
"""
NO_HOME = "import pwd; pwd.getpwuid = {}.__getitem__\n"


@pytest.fixture
def small(tmp_path):
    """Return a folder with a module `small`, which has one compiled function."""
    folder = tmp_path / "module"
    folder.mkdir()
    (folder / "small.py").write_text(SMALL)
    return folder


def start(code, folder, **variables):
    """Start a process in `folder` that may write only where the permissions of a folder say so."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    for name in ("HOME", "XDG_CACHE_HOME"):
        kept.pop(name, None)
    environment = {**kept, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), **variables}
    return subprocess.Popen(
        [sys.executable, "-c", code, "1"],
        env=environment,
        cwd=folder.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_give_up_writing_everywhere if os.geteuid() == 0 else None,
    )


def _give_up_writing_everywhere():
    drop_from_bounding_set, may_override_permissions = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, may_override_permissions)


def finish(process):
    """Return what the process printed; fail with its error if it failed."""
    try:
        printed, errors = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    return printed.strip()


@pytest.fixture
def read_only():
    """Return a function that makes a folder read-only until the test ends."""
    folders = []

    def make_read_only(folder):
        folders.append(folder)
        folder.chmod(0o555)
        probe = f"import os; print(os.access({str(folder)!r}, os.W_OK))"
        if finish(start(probe, folder)) == "True":
            pytest.skip("this user may write everywhere")

    yield make_read_only
    for folder in folders:
        folder.chmod(0o755)


def test_processes_may_compile_at_once(small, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    processes = [start(CALL, small, **cache) for _ in range(3)]
    assert {finish(process) for process in processes} <= {"0", "1"}
    assert finish(start(CALL, small, **cache)) == "0"


def test_a_read_only_cache_folder_is_left_alone(small, tmp_path, read_only):
    cache = tmp_path / "cache"
    assert finish(start(CALL, small, NUMBA_CACHE_DIR=str(cache))) == "1"
    (folder,) = cache.iterdir()
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:100])
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for place in (small, folder, cache):
        read_only(place)
    # Neither this folder nor that of the module can be written, so nothing is stored.
    assert finish(start(CALL, small, NUMBA_CACHE_DIR=str(cache), HOME=str(cache))) == "1"
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_functions_run_uncompiled_for_debugging(small):
    assert finish(start(CALL, small, NUMBA_DISABLE_JIT="1")) == "0"


def test_no_home_directory_is_needed(small, tmp_path, read_only):
    read_only(small)
    assert finish(start(NO_HOME + CALL, small)) == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["module"]
