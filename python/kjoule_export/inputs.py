"""The inputs of models: their descriptions, and random values for them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import torch

FREE_SIZES = ("batch", "seq_len")  # the sizes that a user of an exported model may want to change


@dataclass(frozen=True)
class InputSpec:
    """One input tensor. Its values are integers from `low` to `high` - 1, or normally distributed if both are None."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    dims: tuple[str, ...]
    low: int | None = None
    high: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Returns the entry of this input in `kjoule.json`."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    def resized(self, sizes: dict[str, int]) -> InputSpec:
        """Returns the same input in which the dims in `sizes` have these sizes."""
        return replace(self, shape=tuple(sizes.get(dim, size) for dim, size in zip(self.dims, self.shape)))

    def random(self, generator: torch.Generator, device: str) -> torch.Tensor:
        """Returns a new tensor on `device`; its values depend only on the CPU `generator`."""
        dtype = getattr(torch, self.dtype)
        if self.low is not None:
            tensor = torch.randint(self.low, self.high, self.shape, generator=generator)
        else:
            tensor = torch.randn(self.shape, generator=generator)
        return tensor.to(device=device, dtype=dtype)


def token_ids(batch: int, seq_len: int, vocab: int) -> InputSpec:
    """Returns the input of a language model."""
    return InputSpec("input_ids", "int64", (batch, seq_len), ("batch", "seq_len"), 0, vocab)


def pictures(batch: int, size: tuple[int, int, int], dtype: str) -> InputSpec:
    """Returns the input of a vision model whose pictures have `size` (channels, height, width)."""
    return InputSpec("pixel_values", dtype, (batch, *size), ("batch", "channels", "height", "width"))


def random_inputs(specs: list[InputSpec], seed: int, device: str) -> list[torch.Tensor]:
    """Returns one tensor for each of `specs`; the values depend only on `seed`."""
    generator = torch.Generator().manual_seed(seed)
    return [spec.random(generator, device) for spec in specs]
