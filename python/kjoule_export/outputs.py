"""The place of an exported file: what may be replaced there, and how. No other module writes a file that the user named."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import USAGE, ExportError
from .formats import METADATA_FILE, METADATA_KEY


@contextmanager
def output_file(target: Path) -> Iterator[Path]:
    """Yields the path of a file in a hidden folder next to `target`, and renames this file to `target` if the `with` block succeeds.

    Throws ExportError before the block if `target` cannot be written, or if it exists and is no exported model.
    """
    folder = hidden_folder(target)
    try:
        yield Path(folder) / target.name
        refuse_foreign(target)  # another program may have created it meanwhile
        os.replace(Path(folder) / target.name, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_output(target: Path) -> None:
    """Throws ExportError if `target` cannot be written, or if it exists and is no exported model."""
    os.rmdir(hidden_folder(target))


def hidden_folder(target: Path) -> str:
    """Makes a hidden folder next to `target`. Throws ExportError if `target` cannot be written, or exists and is no exported model."""
    parent = target.parent
    if parent.exists() and not parent.is_dir():
        raise ExportError(f"{parent} is not a folder; choose another place with -o", USAGE)
    if not parent.is_dir():
        raise ExportError(f"the folder {parent} does not exist; create it first", USAGE)
    refuse_foreign(target)
    try:
        return tempfile.mkdtemp(prefix=".kjoule-export-", dir=parent)
    except OSError as error:
        raise ExportError(f"the folder {parent} cannot be written ({error.strerror}); choose another with -o", USAGE) from error


def refuse_foreign(target: Path) -> None:
    """Throws ExportError if something that `kjoule export` did not write is in the place of `target`."""
    if target.is_symlink():
        raise ExportError(f"{target} is a symbolic link, which is not followed; remove it, or choose another file", USAGE)
    if target.is_dir():
        raise ExportError(f"{target} is a folder; name a file", USAGE)
    if target.exists() and not target.is_file():
        raise ExportError(f"{target} is a pipe or a device, not a regular file; choose another file", USAGE)
    if target.exists() and target.stat().st_size > 0 and not is_exported(target):
        raise ExportError(f"{target}: this file exists, was not written by kjoule export, and was not replaced; choose another file with -o")


def is_exported(path: Path) -> bool:
    """Returns whether the file is a model that `kjoule export` wrote: TorchScript with its description, or a package with it."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if any(name.endswith(f"/extra/{METADATA_FILE}") for name in names):
                return True
            packed = [name for name in names if name.endswith("_metadata.json")]
            return any(f'"{METADATA_KEY}"'.encode() in archive.read(name) for name in packed)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return False
