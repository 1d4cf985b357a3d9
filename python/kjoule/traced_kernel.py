"""Writes the operators of torch that a function calls as a model, which kjoule measures on a CPU."""
from __future__ import annotations

import json
import pathlib
import zipfile
from typing import Any

import torch
from torch.utils import _pytree

from .errors import Error, describe_user_error


class _Repeated(torch.nn.Module):
    """Runs capture(state) several times. The tensors of the state are buffers, so that they are part of the model's file."""

    def __init__(self, state: Any, capture: Any, times: int) -> None:
        super().__init__()
        self._leaves, self._form = _pytree.tree_flatten(state)
        for number, leaf in enumerate(self._leaves):
            if isinstance(leaf, torch.Tensor):
                self.register_buffer(f"state_{number}", leaf)
        self._capture, self._times = capture, times

    def forward(self) -> Any:
        state = _pytree.tree_unflatten([getattr(self, f"state_{number}", leaf) for number, leaf in enumerate(self._leaves)], self._form)
        result = None
        for _ in range(self._times):
            result = self._capture(state)
        return result if isinstance(result, torch.Tensor) else torch.zeros(())


def write_traced_kernel(name: str, setup: Any, capture: Any, times: int, path: pathlib.Path) -> None:
    """Runs setup() and, `times` times, capture(state), and writes the operators that were called to `path`. Raises Error, with the error of the
    function and its line, if a function fails or uses a GPU."""
    try:
        with torch.no_grad():
            model = _Repeated(setup(), capture, times)
            if any(buffer.is_cuda for buffer in model.buffers()):
                raise RuntimeError("the state is on a GPU, but CUDA finds none")
            traced = torch.jit.trace(model, (), check_trace=False)  # type: ignore[no-untyped-call]
    except Exception as error:
        raise Error(f"{name}: {describe_user_error(error)}; correct setup_func or capture_func") from error
    torch.jit.save(traced, str(path))
    metadata = {"format": "kjoule-model", "version": 1, "inputs": [], "baked": []}
    with zipfile.ZipFile(path, "a") as archive:
        root = archive.namelist()[0].split("/")[0]
        archive.writestr(f"{root}/extra/kjoule.json", json.dumps(metadata))
