"""Builds single decoder layers."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from transformers import OPTConfig
from transformers.models.opt.modeling_opt import OPTDecoderLayer

from .errors import USAGE, ExportError
from .inputs import InputSpec
from .table import DECODER_LAYERS, DecoderLayerRow

DEFAULT_TOKENS = 2048


def find_decoder_layer(name: str) -> DecoderLayerRow | None:
    """Returns the row of this name, or None."""
    return next((row for row in DECODER_LAYERS if row.name == name), None)


def layer_config(row: DecoderLayerRow, request: Any) -> OPTConfig:
    """Returns the configuration with the requested sizes; throws ExportError for an option that a single layer does not have."""
    for option in ("layers", "vocab"):
        if getattr(request, option) is not None:
            raise ExportError(f"{row.name} has no --{option}; omit --{option}", USAGE)
    if request.pretrained:
        raise ExportError(f"{row.name} has random weights only; omit --pretrained", USAGE)
    hidden = request.hidden or row.hidden
    heads = request.heads or max(1, hidden * row.heads // row.hidden)
    if hidden % heads:
        raise ExportError(f"--hidden {hidden} cannot be divided among {heads} heads; choose a multiple of {heads}", USAGE)
    config = OPTConfig(hidden_size=hidden, num_attention_heads=heads, ffn_dim=4 * hidden, num_hidden_layers=1, dropout=0.0)
    config._attn_implementation = "sdpa"
    return config


def make_decoder_layer(row: DecoderLayerRow, request: Any) -> tuple[nn.Module, list[InputSpec], dict[str, Any]]:
    """Returns the layer with random weights, its input, and its sizes for `kjoule.json`."""
    config = layer_config(row, request)
    tokens = request.seq_len or DEFAULT_TOKENS
    dtype = request.dtype or "float32"
    torch.manual_seed(request.seed)
    layer = OPTDecoderLayer(config, layer_idx=0).to(getattr(torch, dtype))
    sizes = {"hidden": config.hidden_size, "heads": config.num_attention_heads, "tokens": tokens}
    if not row.decodes:
        prompt = InputSpec("hidden_states", dtype, (request.batch, tokens, config.hidden_size), ("batch", "seq_len", "hidden"))
        return layer, [prompt], sizes
    token = InputSpec("hidden_states", dtype, (request.batch, 1, config.hidden_size), ("batch", "token", "hidden"))
    return WithCache(layer, request.batch, tokens), [token], sizes


class WithCache(nn.Module):
    """A layer with a cache that processes one token of each sequence. The token's keys and values are always written to the last place.

    The cache has the batch with which the layer is exported, so the batch cannot be changed afterwards.
    """

    def __init__(self, layer: OPTDecoderLayer, batch: int, tokens: int):
        super().__init__()
        self.layer = layer
        attention = layer.self_attn
        kept = (batch, attention.num_heads, tokens, attention.head_dim)
        dtype = attention.k_proj.weight.dtype
        self.register_buffer("keys", torch.randn(kept).to(dtype))
        self.register_buffer("values", torch.randn(kept).to(dtype))
        self.register_buffer("place", torch.tensor([tokens - 1]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x, past_key_values=self)

    def update(self, keys: torch.Tensor, values: torch.Tensor, layer: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Stores the keys and values of the token and returns all of them, as transformers requires of a cache."""
        self.keys.index_copy_(2, self.place, keys)
        self.values.index_copy_(2, self.place, values)
        return self.keys, self.values
