"""Builds the eager model that a user asks for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from torch import nn

from .decoder_layers import decoder_layer, decoder_layer_named
from .errors import USAGE, ExportError, first_line
from .inputs import InputSpec, pictures, token_ids
from .table import DECODER_LAYERS, ROWS, SIZE_OPTIONS, DecoderLayerRow, ModelRow, chosen_sizes, row_named, row_of_family

DEFAULT_SEQ_LEN = 5


@dataclass(frozen=True)
class Request:
    """What a user asked for. `model` is a name of the table, a hub name or a folder; None leaves a value to the model's row."""

    model: str
    layers: int | None = None
    hidden: int | None = None
    heads: int | None = None
    vocab: int | None = None
    seq_len: int | None = None
    batch: int = 1
    dtype: str | None = None
    device: str = "cpu"
    seed: int = 0
    pretrained: bool = False

    @property
    def sizes(self) -> dict[str, int | None]:
        """Returns the sizes that have an option of their own."""
        return {name: getattr(self, name) for name in SIZE_OPTIONS}


@dataclass(frozen=True)
class Built:
    """An eager model in evaluation mode, ready to be exported.

    `limits` are the largest values of sizes that it takes; `facts` go into `kjoule.json` as they are.
    """

    module: nn.Module
    inputs: list[InputSpec]
    limits: dict[str, int]
    facts: dict[str, Any]


class OneTensor(nn.Module):
    """A transformers model whose forward takes its inputs by position and returns its first output."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.model(x, return_dict=False)[0]


def build(request: Request) -> Built:
    """Builds the model of `request`, seeded or pretrained; throws ExportError for what cannot be built."""
    if request.device == "cuda" and not torch.cuda.is_available():
        raise ExportError("--device cuda: PyTorch sees no GPU here; use --device cpu, or ask `kjoule doctor`", USAGE)
    layer = decoder_layer_named(request.model)
    if layer is not None:
        return build_layer(layer, request)
    source = pretrained_source(request)
    row, config = random_config(request) if source is None else pretrained_config(request, source)
    limits = sequence_limit(row, config, request)
    inputs = [input_of(row, config, request)]
    model = random_model(row, config, request) if source is None else pretrained_model(row, config, source, request)
    if row.adapt is not None:
        row.adapt(model)
    model = model.to(device=request.device).requires_grad_(False)
    facts = {
        "model": row.name if source is None or request.model == row.name else row.family,
        "config": {name: getattr(config, key) for name, key in row.keys.items()},
        "weights": "random" if source is None else "pretrained",
        "source": source,
        "seed": request.seed,
        "dtype": dtype_of(row, request),
        "device": request.device,
        "training": False,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
    }
    return Built(OneTensor(model).eval(), inputs, limits, facts)


def build_layer(row: DecoderLayerRow, request: Request) -> Built:
    """Builds a decoder layer with random weights."""
    module, inputs, sizes = decoder_layer(row, request)
    module = module.to(device=request.device).requires_grad_(False).eval()
    facts = {
        "model": row.name,
        "config": sizes,
        "weights": "random",
        "source": None,
        "seed": request.seed,
        "dtype": request.dtype or "float32",
        "device": request.device,
        "training": False,
        "parameters": sum(parameter.numel() for parameter in module.parameters()),
    }
    return Built(module, inputs, {}, facts)


def pretrained_source(request: Request) -> str | None:
    """Returns the hub name or folder of the weights, None for random ones; throws ExportError for a name that means nothing."""
    row = row_named(request.model)
    if row is not None:
        return row.hub if request.pretrained else None
    if os.path.isdir(request.model):
        return request.model
    if request.model.startswith((".", "/", "~")):
        raise ExportError(f"the folder {request.model} does not exist", USAGE)
    if "/" not in request.model:
        known = ", ".join(entry.name for entry in (*ROWS, *DECODER_LAYERS))
        raise ExportError(f"unknown model '{request.model}'; use one of {known}, a hub name (OWNER/NAME) or a folder", USAGE)
    return request.model


def dtype_of(row: ModelRow, request: Request) -> str:
    """Returns the dtype asked for, or the row's."""
    return request.dtype or row.dtype


def random_config(request: Request) -> tuple[ModelRow, Any]:
    """Returns the row that `request` names and a configuration of the sizes asked for."""
    row = row_named(request.model)
    sizes = chosen_sizes(row, request.sizes)
    values = {row.keys[name]: size for name, size in sizes.items()}
    values.update({key: int(multiple * sizes["hidden"]) for key, multiple in row.multiples.items()})
    values.update(row.extra)
    config = getattr(transformers, row.config)(**values)
    if row.positions and request.seq_len:
        setattr(config, row.positions, max(request.seq_len, getattr(config, row.positions)))
    return row, for_inference(config)


def pretrained_config(request: Request, source: str) -> tuple[ModelRow, Any]:
    """Returns the row and the configuration of the pretrained model at `source`; throws ExportError if it cannot be read."""
    given = [f"--{name}" for name, size in request.sizes.items() if size is not None]
    if given:
        raise ExportError(f"a pretrained model has its own sizes; leave out {' '.join(given)}", USAGE)
    try:
        config = transformers.AutoConfig.from_pretrained(source)
    except (OSError, ValueError) as error:
        raise ExportError(unreadable(source, error)) from error
    return row_of_family(config.model_type, source), for_inference(config)


def for_inference(config: Any) -> Any:
    """Returns `config` without the key-value cache, which would be a second output."""
    if hasattr(config, "use_cache"):
        config.use_cache = False
    return config


def sequence_limit(row: ModelRow, config: Any, request: Request) -> dict[str, int]:
    """Returns the longest sequence that the model takes, if it has one; throws ExportError if more is asked."""
    if row.positions is None:
        return {}
    limit = getattr(config, row.positions)
    if (request.seq_len or DEFAULT_SEQ_LEN) > limit:
        raise ExportError(f"--seq-len {request.seq_len} is more than the model's {limit} positions", USAGE)
    return {"seq_len": limit}


def input_of(row: ModelRow, config: Any, request: Request) -> InputSpec:
    """Returns the model's input in the shape asked for."""
    if row.image is None:
        return token_ids(request.batch, request.seq_len or DEFAULT_SEQ_LEN, getattr(config, row.keys["vocab"]))
    if request.seq_len is not None:
        raise ExportError(f"{row.name} takes pictures and has no --seq-len; leave it out", USAGE)
    return pictures(request.batch, row.image, dtype_of(row, request))


def random_model(row: ModelRow, config: Any, request: Request) -> nn.Module:
    """Returns the model with random weights, the same for the same seed on every device."""
    torch.manual_seed(request.seed)
    config._attn_implementation = row.attention
    return getattr(transformers, row.model)(config).to(getattr(torch, dtype_of(row, request)))


def pretrained_model(row: ModelRow, config: Any, source: str, request: Request) -> nn.Module:
    """Returns the model with the weights at `source`; throws ExportError if some are missing or cannot be read."""
    dtype = getattr(torch, dtype_of(row, request))
    try:
        model, loaded = getattr(transformers, row.model).from_pretrained(
            source, config=config, dtype=dtype, attn_implementation=row.attention, output_loading_info=True
        )
    except (OSError, ValueError) as error:
        raise ExportError(unreadable(source, error)) from error
    missing = sorted(loaded["missing_keys"])
    if missing:
        raise ExportError(f"{source} lacks weights of {row.model}: {missing[0]} and {len(missing) - 1} more; use a complete one")
    return model


def unreadable(source: str, error: Exception) -> str:
    """Returns the line for a pretrained model that cannot be read."""
    if os.path.isdir(source):
        return f"the folder {source} holds no model that transformers can read ({first_line(error)})"
    return f"cannot fetch {source} ({first_line(error)}); check its name and the network, or give a folder that holds it"
