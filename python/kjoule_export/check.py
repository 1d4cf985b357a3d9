"""Compares an exported model with the eager model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from .errors import ExportError
from .inputs import FREE_SIZES, InputSpec, random_inputs

# Runs one forward pass. A model with state starts from the same state at every call.
Runner = Callable[[list[torch.Tensor]], torch.Tensor]

# Largest allowed difference, as a share of the largest absolute output, or of 1 if all outputs are smaller.
TOLERANCES = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-1}
ROUNDS = 2  # TorchScript optimises a model after its first pass, so a second pass is also checked


class Checker:
    """Compares an eager model with the exported model on random inputs.

    `dtype` determines the tolerance. Both models run with the same state of the random generator.
    """

    def __init__(self, eager: Runner, exported: Runner, specs: list[InputSpec], dtype: str, device: str, seed: int):
        self._eager = eager
        self._exported = exported
        self._specs = specs
        self._tolerance = TOLERANCES[dtype]
        self._device = device
        self._seed = seed

    def largest_difference(self) -> float:
        """Returns the largest absolute difference of the outputs; throws ExportError if it is too large, or for NaN."""
        largest = 0.0
        for round_index in range(ROUNDS):
            inputs = random_inputs(self._specs, self._seed + 1 + round_index, self._device)
            expected = self._run(self._eager, inputs)
            if expected.isnan().any():
                raise ExportError(
                    "the eager model returns NaN, so its export cannot be checked; try --dtype float32 or another --seed"
                )
            difference, allowed = self._compare(expected, self._run(self._exported, inputs))
            if not difference <= allowed:
                raise ExportError(
                    f"the exported model differs from the eager one by {difference:.3g} (allowed: {allowed:.3g}); "
                    "no file was written; try --dtype float32 or the other file type (.pt, .pt2)"
                )
            largest = max(largest, difference)
        return largest

    def baked_sizes(self, limits: dict[str, int]) -> list[str]:
        """Returns the sizes that cannot be changed in the exported model. Each is changed alone, then all changeable ones at once.

        `limits` are the largest sizes that the eager model accepts.
        """
        current = {dim: size for spec in self._specs for dim, size in zip(spec.dims, spec.shape) if dim in FREE_SIZES}
        trials = {dim: trial_sizes(size, limits.get(dim)) for dim, size in current.items()}
        free = [dim for dim, sizes in trials.items() if sizes and all(self._agrees({dim: size}) for size in sizes)]
        if len(free) > 1 and not self._agrees({dim: trials[dim][0] for dim in free}):
            free = []
        return [dim for dim in current if dim not in free]

    def _agrees(self, sizes: dict[str, int]) -> bool:
        inputs = random_inputs([spec.resized(sizes) for spec in self._specs], self._seed, self._device)
        try:
            difference, allowed = self._compare(self._run(self._eager, inputs), self._run(self._exported, inputs))
        except Exception:  # a model may throw anything for a size that it does not accept
            return False
        return difference <= allowed

    def _run(self, runner: Runner, inputs: Sequence[torch.Tensor]) -> torch.Tensor:
        torch.manual_seed(self._seed)
        with torch.no_grad():
            return runner([tensor.clone() for tensor in inputs])

    def _compare(self, expected: torch.Tensor, actual: torch.Tensor) -> tuple[float, float]:
        """Returns the largest absolute difference, which is infinite if the shapes differ, and the allowed difference."""
        if expected.shape != actual.shape:
            return float("inf"), 0.0
        scale = max(1.0, expected.abs().max().item())
        return (expected - actual).abs().max().item(), self._tolerance * scale


def trial_sizes(size: int, limit: int | None) -> list[int]:
    """Returns up to two other values for a size, none above `limit`; large sizes are not doubled, to save memory."""
    wanted = [size + 3, 2 * size if size <= 256 else size // 2, size - 1]
    return [trial for trial in wanted if trial >= 1 and (limit is None or trial <= limit)][:2]
