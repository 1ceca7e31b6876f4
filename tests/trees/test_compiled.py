import gc

import pytest

from kernsemble.trees.compiled import compiled


@pytest.mark.parametrize("collecting", [True, False])
def test_loading_compiled_code_leaves_garbage_collection_as_it_was(collecting):
    was = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        assert compiled(_add_one, entry=True)(1) == 2
        assert gc.isenabled() == collecting
    finally:
        (gc.enable if was else gc.disable)()


def _add_one(number):
    return number + 1
