"""The error that is reported to the user."""

from __future__ import annotations

USAGE = 2
FAILED = 1


class ExportError(Exception):
    """An error whose message is one line with its cause and remedy; `status` is the exit code of the program."""

    def __init__(self, message: str, status: int = FAILED):
        super().__init__(message)
        self.status = status


def first_line(error: BaseException) -> str:
    """Returns the first line of the message of `error`, or its type's name if it has no message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
