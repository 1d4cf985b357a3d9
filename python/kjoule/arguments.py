"""Checks the arguments of the package's functions against their declared types, before any work."""
from __future__ import annotations

import collections.abc
import functools
import inspect
import math
import numbers
import os
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ParamSpec, TypeAlias, TypeVar

from .errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")

_LONGEST_NAME = 200  # bytes, so that NAME.log is a possible file name
_LONGEST_PATH = 4095  # bytes
_SHOWN = 40  # characters of a value in a message


@dataclass(frozen=True)
class AtLeast:
    """The smallest value of a number."""

    least: float

    def mistake(self, value: Any) -> str | None:
        """Returns what the number must be, or None if it is right."""
        return None if value >= self.least else f"a number of at least {self.least}"


@dataclass(frozen=True)
class Above:
    """A limit above which a number must be."""

    limit: float

    def mistake(self, value: Any) -> str | None:
        """Returns what the number must be, or None if it is right."""
        return None if value > self.limit else f"a number above {self.limit}"


@dataclass(frozen=True)
class OneLine:
    """A name that is part of messages and of file names."""

    def mistake(self, value: Any) -> str | None:
        """Returns what the name must be, or None if it is right."""
        is_right = value.isprintable() and 0 < len(os.fsencode(value)) <= _LONGEST_NAME
        return None if is_right else f"a name of 1 to {_LONGEST_NAME} bytes without control characters"


@dataclass(frozen=True)
class PathLength:
    """The longest path that the system opens."""

    def mistake(self, value: Any) -> str | None:
        """Returns what the path must be, or None if it is right."""
        return None if len(os.fsencode(value)) <= _LONGEST_PATH else f"a path of at most {_LONGEST_PATH} bytes"


@dataclass(frozen=True)
class Form:
    """How a value is written, for messages."""

    text: str

    def mistake(self, _: Any) -> str | None:
        """Returns None: the type alone says what is right."""
        return None


Path: TypeAlias = Annotated[str | os.PathLike[str], PathLength()]
Name: TypeAlias = Annotated[str, OneLine()]
Count: TypeAlias = Annotated[int, AtLeast(1)]
Size: TypeAlias = Annotated[float, AtLeast(0)]
Seconds: TypeAlias = Annotated[float, Above(0)]
Index: TypeAlias = Annotated[int, AtLeast(0)]
Value: TypeAlias = str | int | float | os.PathLike[str]
#: Command line of a program, as a list of words or one text.
Program: TypeAlias = str | Sequence[Value]
#: Value of an option of a command: True for an option without a value, a list for an option that is repeated, a dictionary for NAME=VALUE.
#: False is the option --no-NAME, and None leaves the option out.
Option: TypeAlias = Value | bool | Sequence[Value] | Mapping[str, Value] | None


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Lets a function raise UsageError if an argument has not the declared type. A text must be one that a command line can contain, and a number
    must be finite; True and False are no numbers."""

    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            given = signature.bind(*arguments, **named).arguments
        except TypeError:  # an argument is missing or not known
            return function(*arguments, **named)
        hints = typing.get_type_hints(function, localns=_namespace(), include_extras=True)
        for name, value in given.items():
            kind = signature.parameters[name].kind
            entries = value if kind is inspect.Parameter.VAR_KEYWORD else {name: value}
            for place, entry in entries.items():
                wrong = _mistake(hints[name], entry, place) if name in hints else None
                if wrong:
                    raise UsageError(f"{function.__name__}(): {wrong.place} is {wrong.found}; give {wrong.expected}")
        return function(*arguments, **named)

    return call


@dataclass(frozen=True)
class _Mistake:
    place: str
    found: str
    expected: str
    is_precise: bool = False  # about the value or a part of it, not about its type


def _mistake(kind: Any, value: Any, place: str) -> _Mistake | None:
    """Returns what is wrong with a value of this type, or None."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return None
    if origin is Annotated:
        wrong = _mistake(arguments[0], value, place)
        if wrong:
            return wrong if wrong.is_precise else _Mistake(place, _described(value), _expected(kind))
        expected = next(filter(None, (rule.mistake(value) for rule in arguments[1:])), None)
        return _Mistake(place, _described(value), expected, is_precise=True) if expected else None
    if origin in (typing.Union, types.UnionType):
        mistakes = [_mistake(one, value, place) for one in arguments]
        if None in mistakes:
            return None
        return next((one for one in mistakes if one and one.is_precise), _Mistake(place, _described(value), _expected(kind)))
    if not _is_instance(origin or kind, value) or (origin is tuple and len(value) != len(arguments)):
        return _Mistake(place, _described(value), _expected(kind))
    return _mistake_within(origin, arguments, value, place)


def _mistake_within(origin: Any, kinds: tuple[Any, ...], value: Any, place: str) -> _Mistake | None:
    """Returns what is wrong with the parts of a value of the right type, or with the value itself."""
    parts: list[tuple[Any, Any, str]] = []
    if origin is tuple:
        parts = [(kind, part, f"{place}[{number}]") for number, (kind, part) in enumerate(zip(kinds, value))]
    elif origin is collections.abc.Sequence:
        parts = [(kinds[0], part, f"{place}[{number}]") for number, part in enumerate(value)]
    elif origin in (collections.abc.Mapping, collections.abc.MutableMapping):
        parts = [(kinds[0], key, f"a key of {place}") for key in value] + [(kinds[1], part, f"{place}[{_described(key)}]") for key, part in value.items()]
    elif isinstance(value, (str, os.PathLike)):
        if not _is_word(os.fspath(value)):
            return _Mistake(place, _described(value), "a text without NUL and unpaired surrogates", is_precise=True)
    elif isinstance(value, numbers.Real) and not math.isfinite(value):
        return _Mistake(place, _described(value), "a finite number", is_precise=True)
    wrong = next(filter(None, (_mistake(*part) for part in parts)), None)
    return wrong and _Mistake(wrong.place, wrong.found, wrong.expected, is_precise=True)


def _is_instance(kind: Any, value: Any) -> bool:
    if kind is float:
        return isinstance(value, numbers.Real) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if kind is os.PathLike:
        return isinstance(value, os.PathLike) and isinstance(os.fspath(value), str)
    if kind is tuple:  # a pair may be written as a list
        return isinstance(value, (list, tuple))
    if kind is collections.abc.Sequence:
        return isinstance(value, collections.abc.Sequence) and not isinstance(value, (str, bytes, bytearray))
    return isinstance(value, kind)


def _is_word(text: str) -> bool:
    """Whether a command line can contain the text."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _described(value: Any) -> str:
    """Returns a short text for a value, on one line."""
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)[:_SHOWN]
    if isinstance(value, (str, bytes)):
        text = ascii(value)
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}.."
    kind = type(value).__name__
    return f"a {kind} of length {len(value)}" if isinstance(value, (list, tuple)) else f"of type {kind}"


_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "True or False", type(None): "None", os.PathLike: "a path",
          collections.abc.Mapping: "a dictionary", collections.abc.MutableMapping: "a dictionary", collections.abc.Callable: "a function"}


def _expected(kind: Any) -> str:
    """Returns what values of a type are, in words."""
    *first, last = dict.fromkeys(_alternatives(kind))
    return f"{', '.join(first)} or {last}" if first else last


def _alternatives(kind: Any) -> list[str]:
    """Returns the types of a union, or the type itself, each in words."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        form = next((rule for rule in arguments[1:] if isinstance(rule, Form)), None)
        return [form.text] if form else _alternatives(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return [text for one in arguments for text in _alternatives(one)]
    if origin is collections.abc.Sequence:
        each = _alternatives(arguments[0])
        return ["a list" if len(each) > 1 else f"a list, each entry {each[0]}"]
    return [_NAMES.get(origin or kind) or f"a {kind.__module__}.{kind.__qualname__}".replace("a builtins.", "a ")]


def _namespace() -> dict[str, Any]:
    """Returns the packages that annotations name, but this package does not import. If one is not imported, no value has its types."""
    absent = types.SimpleNamespace(dtype=type("dtype", (), {"__module__": "torch"}), nn=types.SimpleNamespace(Module=type("Module", (), {"__module__": "torch.nn"})))
    return {"torch": sys.modules.get("torch", absent)}
