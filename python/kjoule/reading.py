"""Makes dataclasses from the JSON of kjoule's reports."""
from __future__ import annotations

import collections.abc
import dataclasses
import functools
import math
import types
import typing
from typing import Any, TypeVar

from .errors import Error

T = TypeVar("T")


def read(kind: type[T], data: Any, place: str | None = None) -> T:
    """Returns the dataclass `kind` with the values of a JSON object. A key that the class lacks is ignored, because a newer program may write
    it. Raises Error, which names the value by `place` (default: the name of the class), if a value is missing or of another type."""
    value: T = _value(kind, data, place or kind.__name__)
    return value


def read_object(data: Any, place: str) -> dict[str, Any]:
    """Returns a JSON object of any contents. Raises Error, which names it by `place`, for other JSON."""
    return dict(_checked(isinstance(data, dict), data, place))


def _value(kind: Any, data: Any, place: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return _object(kind, data, place)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _alternative(arguments, data, place)
    if origin is typing.Literal:
        return _checked(data in arguments, data, place)
    if origin is tuple:
        _checked(isinstance(data, list), data, place)
        kinds = [arguments[0]] * len(data) if arguments[1:] == (...,) else list(arguments)
        _checked(len(kinds) == len(data), data, place)
        return tuple(_value(one, entry, f"{place}[{number}]") for number, (one, entry) in enumerate(zip(kinds, data)))
    if origin is collections.abc.Mapping:
        _checked(isinstance(data, dict), data, place)
        return {key: _value(arguments[1], entry, f"{place}.{key}") for key, entry in data.items()}
    if kind is Any:
        return data
    if kind is float:
        return float(_checked(isinstance(data, (int, float)) and not isinstance(data, bool), data, place))
    if kind is int:
        # A whole number may be written as 3.0.
        return int(_checked(isinstance(data, (int, float)) and not isinstance(data, bool) and math.isfinite(data) and data == int(data), data, place))
    return _checked(isinstance(data, kind), data, place)


def _object(kind: Any, data: Any, place: str) -> Any:
    _checked(isinstance(data, dict), data, place)
    hints, values = _hints(kind), {}
    for field in dataclasses.fields(kind):
        key = field.name.rstrip("_")  # from_ stands for from, which is a word of Python
        if key in data:
            values[field.name] = _value(hints[field.name], data[key], f"{place}.{key}")
        elif field.default is dataclasses.MISSING:
            raise Error(f"{place}.{key}: is missing in kjoule's report; {_REMEDY}")
    return kind(**values)


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _alternative(kinds: tuple[Any, ...], data: Any, place: str) -> Any:
    if data is None and type(None) in kinds:
        return None
    others = [kind for kind in kinds if kind is not type(None)]
    for kind in others[:-1]:
        try:
            return _value(kind, data, place)
        except Error:
            continue
    return _value(others[-1], data, place)


_REMEDY = "install a package and a program of the same version (KJOULE names the program)"


def _checked(is_right: bool, data: Any, place: str) -> Any:
    if not is_right:
        raise Error(f"{place}: has an unexpected value in kjoule's report ({ascii(data)[:40]}); {_REMEDY}")
    return data
