"""numba's cache of compiled code on disk, safe against damaged and outdated files.

numba itself raises an error if it cannot read a file of its cache, may crash if the machine code in
it is damaged, and does not notice that a function called by the cached one has changed. The cache
here stores a checksum of the code and of the source files. Code that does not match it is discarded
and compiled again.
"""

import hashlib
import pickle
from contextlib import suppress
from pathlib import Path

from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

#: Source files with functions that are compiled.
COMPILED = ("compiled.py", "trees/*.py", "kernels/city_block.py", "explain/compiled_products.py")


def _hash_of_sources():
    """Return a hash object of all source files with functions that are compiled."""
    digest = hashlib.sha256()
    for pattern in COMPILED:
        for path in sorted(Path(__file__).parent.glob(pattern)):
            digest.update(path.read_bytes())
    return digest


_SOURCES = _hash_of_sources()


def _checksum(code):
    digest = _SOURCES.copy()
    digest.update(code)
    return digest.digest()


class _CheckedCode(CompileResultCacheImpl):
    """Compiled code as bytes, with a checksum."""

    def reduce(self, cres):
        code = dumps(super().reduce(cres))
        return _checksum(code), code

    def rebuild(self, target_context, payload):
        checksum, code = payload
        if checksum != _checksum(code):
            raise ValueError("The compiled code is damaged or outdated.")
        return super().rebuild(target_context, pickle.loads(code))


class CheckedCache(FunctionCache):
    """A cache that never ends a call: code that it cannot load is compiled again."""

    _impl_class = _CheckedCode

    def load_overload(self, sig, target_context):
        """Return the code for a signature, or None if there is none that can be used."""
        # Reading damaged bytes can raise any error.
        with suppress(Exception):
            found = super().load_overload(sig, target_context)
            # Two processes that compile different signatures at once may choose the same file.
            if found is None or found.signature.args == tuple(sig):
                return found
        # An empty index replaces the present one, which may be the damaged file.
        with suppress(OSError):
            self.flush()
        return None

    def save_overload(self, sig, data):
        """Store compiled code, unless the folder is read-only, full or damaged by now."""
        with suppress(Exception):
            super().save_overload(sig, data)
