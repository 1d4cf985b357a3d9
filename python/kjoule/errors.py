"""The errors of this package."""
from __future__ import annotations

import pathlib
import sys
import traceback
from typing import Any


class Error(RuntimeError):
    """An error of kjoule. Its text is the line that the program printed, without "kjoule: ": the cause, then the remedy.

    exit_code: exit code of the program; None if the package itself found the error.
    partial: the report that the program wrote in spite of the error, for example that of a network of which one layer failed;
        None if there is none.
    """

    def __init__(self, text: str, exit_code: int | None = None, partial: Any = None) -> None:
        super().__init__(text)
        self.exit_code = exit_code
        self.partial = partial


class UsageError(Error):
    """An argument of a wrong type or value (exit_code is None), or options that kjoule does not know or that conflict with each other (exit code 2)."""


def describe_user_error(error: BaseException) -> str:
    """Returns type, text and line of an error of the user's functions, on one line."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_users(frame.filename)]
    where = f" (line {frames[-1].lineno} of {pathlib.Path(frames[-1].filename).name})" if frames else ""
    try:
        text = " ".join(str(error).split("\n")[0].splitlines())
    except Exception:  # of the user's own class
        text = ""
    return f"{type(error).__name__}: {text}{where}"


def _is_users(file: str) -> bool:
    """Whether a file is neither of torch, nor of Python itself, nor of the packages that call the user's functions."""
    own = pathlib.Path(__file__).parent
    torch = getattr(sys.modules.get("torch"), "__file__", None)
    of_torch = torch is not None and file.startswith(f"{pathlib.Path(torch).parent}/")
    return not of_torch and not file.startswith("<frozen ") and pathlib.Path(file).parent not in (own, own.parent / "kjoule_pipelines")
