"""Where the program kjoule is, and the command kjoule of a wheel."""
from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
import sys

from .errors import Error

PACKAGE = pathlib.Path(__file__).resolve().parent
_OF_WHEEL = PACKAGE / "bin/kjoule"  # in a wheel, the package contains the programs


def find_program() -> pathlib.Path:
    """Returns the path of the program kjoule: the file that the environment variable KJOULE names, otherwise the one within the package (of a
    wheel), of the installation or source tree that contains the package, or of PATH. Raises Error if there is none."""
    named = os.environ.get("KJOULE")
    if named:
        if not os.access(named, os.X_OK) or pathlib.Path(named).is_dir():
            raise Error(f"KJOULE={named}: is not a program; give the path of the program kjoule")
        return pathlib.Path(named).absolute()
    # In an installation, the package is in share/kjoule/python; in a source tree, in python.
    for near in ["bin/kjoule", "../../../../bin/kjoule", "../../build/bin/kjoule"]:
        if os.access(PACKAGE / near, os.X_OK):
            return (PACKAGE / near).resolve()
    on_path = shutil.which("kjoule")
    if on_path:
        return pathlib.Path(on_path).absolute()
    raise Error("the program kjoule was not found next to the package or in PATH; set KJOULE to its path, or build it (make build)")


def environment() -> dict[str, str]:
    """Returns the variables by which the program of a wheel finds this Python and its torch; those that are set already remain. Returns nothing if
    the package is not from a wheel: other builds know their Python and torch."""
    if not _OF_WHEEL.exists():
        return {}
    found = {"KJOULE_PYTHON": sys.executable, "KJOULE_TORCH": _torch_folder()}
    return {name: value for name, value in found.items() if value and not os.environ.get(name)}


def main() -> None:
    """The command kjoule of a wheel: runs the program in place of this process. Raises SystemExit with one line if the wheel has no program."""
    if not _OF_WHEEL.exists():
        sys.exit(f"kjoule: {_OF_WHEEL} does not exist; install the wheel again")
    os.execve(_OF_WHEEL, [str(_OF_WHEEL), *sys.argv[1:]], {**os.environ, **environment()})


def _torch_folder() -> str:
    """Returns the folder of this Python's torch package without importing it; empty if there is none."""
    found = importlib.util.find_spec("torch")
    folders = (found.submodule_search_locations if found else None) or []
    return next((folder for folder in folders if os.path.exists(f"{folder}/lib/libtorch_cpu.so")), "")
