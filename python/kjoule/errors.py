"""The errors of this package."""
from __future__ import annotations

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
    """Options that kjoule does not know or that conflict with each other (exit code 2)."""
