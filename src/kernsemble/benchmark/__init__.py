"""Data sets × methods × protocol: run them once, keep every result, compare with the right test.

The data moves `config` → `runner` → `ledger` → `results` → `statistics`; `kernsemble.report` draws
what comes out. It needs the optional packages of ``pip install "kernsemble[bench]"``.
"""
