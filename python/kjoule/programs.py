"""Where the program kjoule is."""
from __future__ import annotations

import os
import pathlib
import shutil

from .errors import Error

PACKAGE = pathlib.Path(__file__).resolve().parent


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
