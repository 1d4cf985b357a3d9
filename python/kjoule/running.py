"""Runs the program kjoule: its progress is shown, its errors are raised, and an interruption ends it."""
from __future__ import annotations

import contextlib
import contextvars
import errno
import fcntl
import json
import os
import pty
import re
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import termios
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import Error, UsageError
from .programs import environment as environment_of_wheel
from .programs import find_program

_ERASE = "\r\033[K"  # the bar of kjoule begins with it, and so does every line that replaces the bar
_PREFIX = "kjoule: "
_USAGE = 2  # exit code of a wrong command line
_PIECE = 1 << 16


@dataclass(frozen=True)
class Output:
    """What a run of kjoule printed on stdout, its exit code, and its error without "kjoule: " (one line for each part of the work that failed);
    None if it printed none."""

    text: str
    exit_code: int
    error: str | None

    def json(self) -> Any:
        """Returns the JSON value that was printed, or None if there is none."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None

    def exception(self, partial: Any = None) -> Error:
        """Returns the exception for the error of this run."""
        kind = UsageError if self.exit_code == _USAGE else Error
        return kind(self.error or self._without_report(), self.exit_code, partial)

    def _without_report(self) -> str:
        if self.exit_code == 0:
            return f"{find_program()}: printed no report; set KJOULE to the path of the program kjoule, of the package's version"
        if self.exit_code < 0:
            return f"kjoule was ended by signal {-self.exit_code}; run it again, and report it if it ends again"
        return f"kjoule ended with exit code {self.exit_code}; its last lines are above"


#: Variables of the environment that the programs of this thread get in addition to those of the process.
_variables: contextvars.ContextVar[Mapping[str, str]] = contextvars.ContextVar("variables", default=types.MappingProxyType({}))


@contextlib.contextmanager
def variables_of_programs(variables: Mapping[str, str]) -> Iterator[None]:
    """Gives these variables of the environment to the programs that run_kjoule() starts within the block. The environment of this process, which
    its threads share, remains as it is."""
    before = _variables.set({**_variables.get(), **variables})
    try:
        yield
    finally:
        _variables.reset(before)


def run_kjoule(arguments: Sequence[str]) -> Output:
    """Runs `kjoule ARGUMENTS` to its end. What it prints on stderr is shown here, except its error.

    If this is interrupted (KeyboardInterrupt), kjoule is interrupted too: it ends all processes that it started, and removes its temporary
    files. Then KeyboardInterrupt is raised again.
    """
    words = [str(find_program()), *arguments]
    with _Screen() as screen:
        process = _start(words, screen.end_of_program)
        try:
            screen.started()
            text = _read_all(process, screen)
            code = process.wait()
        except BaseException:
            _interrupt(process, screen)
            raise
    if code == 0:
        screen.show_errors()
    return Output(text, code, "\n".join(screen.errors) or None)


def _start(words: list[str], stderr: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
                                env={**os.environ, **environment_of_wheel(), **_variables.get()})
    except OSError as error:
        remedy = "give shorter arguments" if error.errno == errno.E2BIG else "set KJOULE to the path of the program kjoule"
        raise Error(f"{words[0]}: cannot be started ({error.strerror}); {remedy}") from error


def _read_all(process: subprocess.Popen[bytes], screen: _Screen) -> str:
    """Returns stdout, and shows stderr, until kjoule ends. A process that the measured program left running may keep both open."""
    assert process.stdout is not None
    written, has_ended = b"", False
    with selectors.DefaultSelector() as selector, _end_of(process) as end:
        for source in (process.stdout.fileno(), screen.descriptor, end):
            selector.register(source, selectors.EVENT_READ)
        while (ready := selector.select(0 if has_ended else None)) or not has_ended:
            for key, _ in ready:
                has_ended = has_ended or key.fd == end
                piece = b"" if key.fd == end else _read_piece(key.fd)
                if not piece:
                    selector.unregister(key.fd)
                elif key.fd == screen.descriptor:
                    screen.show(piece)
                else:
                    written += piece
    return written.decode(errors="replace")


@contextlib.contextmanager
def _end_of(process: subprocess.Popen[bytes]) -> Iterator[int]:
    """Opens a file descriptor that can be read once the process has ended."""
    descriptor = os.pidfd_open(process.pid)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _read_piece(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _PIECE)
    except OSError:  # the program's end of a pseudo-terminal is closed
        return b""


def _interrupt(process: subprocess.Popen[bytes], screen: _Screen) -> None:
    """Interrupts kjoule as Ctrl-C does, and waits until it has ended its processes and itself. Shows its last line, which says what is kept."""
    process.send_signal(signal.SIGINT)  # does nothing if kjoule has ended
    while process.returncode is None:
        try:
            _read_all(process, screen)
            process.wait()
        except KeyboardInterrupt:  # kjoule is already ending
            continue
    screen.show_errors()


class _Screen:
    """The stderr of a run of kjoule. On a terminal and in a notebook, kjoule writes to a pseudo-terminal, so that it shows a bar."""

    def __init__(self) -> None:
        self._is_notebook = type(sys.stderr).__module__.startswith("ipykernel")
        is_terminal = self._is_notebook or sys.stderr.isatty()
        self.descriptor, self.end_of_program = pty.openpty() if is_terminal else os.pipe()
        if is_terminal:
            columns, lines = shutil.get_terminal_size()
            fcntl.ioctl(self.end_of_program, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self._is_open = True
        self._rest = b""  # bytes that do not form a complete line yet
        self._bar = ""  # what is shown of a bar
        self.errors: list[str] = []

    def __enter__(self) -> _Screen:
        return self

    def __exit__(self, *_: object) -> None:
        self.started()
        os.close(self.descriptor)
        self._replace_bar("")

    def started(self) -> None:
        """Closes this process's copy of the end to which kjoule writes."""
        if self._is_open:
            os.close(self.end_of_program)
            self._is_open = False

    def show(self, piece: bytes) -> None:
        """Shows complete lines and the newest state of the bar; keeps a line of an error for the exception."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._show_line(line.decode(errors="replace").rstrip("\r").rpartition(_ERASE)[2])
        text = self._rest.decode(errors="replace")
        if _ERASE in text:
            self._replace_bar(text.rpartition(_ERASE)[2])

    def show_errors(self) -> None:
        """Shows the errors for which no exception is raised."""
        for error in self.errors:
            print(_PREFIX + error, file=sys.stderr, flush=True)

    def _show_line(self, line: str) -> None:
        self._replace_bar("")
        if line.startswith(_PREFIX) and not line.startswith(f"{_PREFIX}warning: "):
            self.errors.append(line.removeprefix(_PREFIX))
        elif line:
            print(line, file=sys.stderr, flush=True)

    def _replace_bar(self, text: str) -> None:
        plain = re.sub(r"\033\[[0-9;]*[A-Za-z]", "", text) if self._is_notebook else text
        if plain != self._bar:
            # A notebook does not know the sequence that erases a line.
            erase = f"\r{' ' * len(self._bar)}\r" if self._is_notebook else _ERASE
            print(erase + plain, end="", file=sys.stderr, flush=True)
            self._bar = plain
