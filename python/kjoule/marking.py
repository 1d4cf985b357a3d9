"""Marks iterations and modules of a program by ranges, which kjoule and other profilers see."""
from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from .arguments import Form, Name, checked
from .errors import Error

if TYPE_CHECKING:
    import torch

ITERATION = "kjoule.iteration"
"""Name of the NVTX range that kjoule takes for an iteration without an option."""

RangeFunctions = tuple[Callable[[str], Any], Callable[[], Any]]


def nvtx_functions() -> RangeFunctions:
    """Returns push(name) and pop() of torch if it was imported, otherwise of the package nvtx if it is installed, otherwise of torch, whose import
    takes seconds. Raises Error if no package has them."""
    for name in ("torch", "nvtx") if "torch" in sys.modules else ("nvtx", "torch"):
        try:
            package = importlib.import_module(name)
        except ImportError:
            continue
        if name == "nvtx":
            return package.push_range, package.pop_range
        if _torch_has_nvtx(package):
            return package.cuda.nvtx.range_push, package.cuda.nvtx.range_pop
    raise Error("NVTX ranges cannot be written, because neither nvtx nor a torch for CUDA is installed for this Python; pip install nvtx")


def _torch_has_nvtx(torch_package: Any) -> bool:
    return hasattr(torch_package._C, "_nvtx")


@contextlib.contextmanager
def iteration() -> Iterator[None]:
    """Marks an iteration: `with kjoule.iteration(): step()`. kjoule then measures one of these iterations instead of searching for a loop.

    A program that kjoule does not measure runs unchanged. Raises Error if the program is measured, but its Python has no package for NVTX.
    """
    push, pop = _functions_if_observed()
    push(ITERATION)
    try:
        yield
    finally:
        pop()


def _functions_if_observed() -> RangeFunctions:
    """Returns the functions of NVTX. If there are none, returns functions that do nothing, unless a tool waits for ranges."""
    try:
        return nvtx_functions()
    except Error:
        if "NVTX_INJECTION64_PATH" in os.environ:
            raise
        return (lambda name: None), (lambda: None)


def _module_functions() -> RangeFunctions:
    """Returns push(name) and pop() for the ranges of modules: of NVTX if torch has it, otherwise of torch.profiler."""
    import torch

    if _torch_has_nvtx(torch):
        return torch.cuda.nvtx.range_push, torch.cuda.nvtx.range_pop
    open_ranges: list[Any] = []

    def push(name: str) -> None:
        entered = torch.autograd.profiler.record_function(name)
        entered.__enter__()  # type: ignore[no-untyped-call]
        open_ranges.append(entered)

    return push, lambda: open_ranges.pop().__exit__(None, None, None)


class Ranges:
    """The ranges that ranges() has added to a model. They end with remove(), or with the block of a `with` statement."""

    def __init__(self, handles: list[Any]) -> None:
        self._handles = handles

    def remove(self) -> None:
        """Removes the ranges; the model is then as it was."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def __enter__(self) -> Ranges:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


@checked
def ranges(model: Annotated[torch.nn.Module, Form("a torch.nn.Module")], name: Name | None = None) -> Ranges:
    """Puts a range around the forward pass of each module of a torch model, without a change to the model.

    The range of the model has the name `name` (default: that of its class), that of each submodule the name of its attribute, within the range
    of the module that contains it: ResNet > layer1 > 0 > conv1. With a torch for CUDA, these are NVTX ranges: `kjoule compare` reports the time
    and energy of each. Otherwise, they are ranges of torch.profiler (record_function). Compiled (TorchScript) modules have no ranges of their
    own. The backward pass is outside of the ranges.
    """
    import torch

    functions = _module_functions()
    handles: list[Any] = []
    named = [("", model), *((path, module) for path, module in model.named_modules() if path)]
    for path, module in named:
        if not isinstance(module, torch.jit.ScriptModule):
            handles += _range_hooks(module, path.rpartition(".")[2] or name or type(model).__name__, functions)
    return Ranges(handles)


def _range_hooks(module: torch.nn.Module, name: str, functions: RangeFunctions) -> list[Any]:
    push, pop = functions

    def before(_: Any, __: Any) -> None:
        push(name)

    def after(_: Any, __: Any, ___: Any) -> None:
        pop()

    # prepend: the range contains the module's other hooks; always_call: it ends even if the module fails.
    return [module.register_forward_pre_hook(before, prepend=True), module.register_forward_hook(after, always_call=True)]
