"""Model files as an attacker writes them: any object, any description, any bytes."""

import io
import json
import zipfile

import numpy as np
import skops.io

from kernsemble.frames.model_audit import without_numbers

__all__ = ["array_bytes", "edit", "part", "plain", "unpack", "write", "write_object"]


def unpack(path):
    """Return the entries of a model file: name → bytes, and the description of its parts."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    return entries, json.loads(entries["schema.json"])


def write(path, entries, schema=None, compression=zipfile.ZIP_STORED):
    """Write entries as a model file, with another description where one is given."""
    if schema is not None:
        entries = {**entries, "schema.json": json.dumps(schema).encode()}
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def edit(path, change, **entries):
    """Change the description of a model file in place, and add or replace entries."""
    old, schema = unpack(path)
    schema = change(schema) or schema
    return write(path, {**old, **entries}, schema)


def write_object(value, path):
    """Write any object the way `save_model` does, without its checks."""
    buffer = io.BytesIO()
    skops.io.dump(value, buffer)
    entries, schema = unpack(buffer)
    return write(path, entries, without_numbers(schema))


def part(loader, full_name, **content):
    """Return the description of a part."""
    module, _, name = full_name.rpartition(".")
    return {"__loader__": loader, "__module__": module, "__class__": name, **content}


def plain(value):
    """Return the description of a number, a text, a list of them …"""
    return part("JsonNode", "builtins.str", content=json.dumps(value), is_json=True)


def array_bytes(array):
    """Return an array as the bytes of a .npy file."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()
