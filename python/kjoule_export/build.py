"""Builds the eager model that the user requests."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from torch import nn

from .decoder_layers import find_decoder_layer, make_decoder_layer
from .errors import USAGE, ExportError, first_line
from .inputs import InputSpec, pictures, token_ids
from .picture_networks import make_picture_network
from .table import PICTURE_NETWORKS, SIZE_OPTIONS, ModelRow, all_names, choose_sizes, find_row, find_row_of_family

DEFAULT_SEQ_LEN = 5


@dataclass(frozen=True)
class Request:
    """The requested model. `model` is a name in the table, a hub name or a folder; None means the default of the model's row."""

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
        """Returns the sizes in SIZE_OPTIONS by name; None for those that were not requested."""
        return {name: getattr(self, name) for name in SIZE_OPTIONS}


@dataclass(frozen=True)
class EagerModel:
    """An eager model in evaluation mode, ready to be exported.

    `limits` are the largest sizes that the model accepts, by name; `facts` are written to `kjoule.json` unchanged.
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


def build(request: Request) -> EagerModel:
    """Builds the model of `request` with random or pretrained weights; throws ExportError if it cannot be built."""
    if request.device == "cuda" and not torch.cuda.is_available():
        raise ExportError("--device cuda: PyTorch finds no GPU; use --device cpu, or see what `kjoule doctor` reports", USAGE)
    layer = find_decoder_layer(request.model)
    if layer is not None:
        return finish_random(request, *make_decoder_layer(layer, request))
    if request.model in PICTURE_NETWORKS:
        return finish_random(request, *make_picture_network(request))
    source = pretrained_source(request)
    row, config = random_config(request) if source is None else pretrained_config(request, source)
    limits = sequence_limit(row, config, request)
    inputs = [make_input(row, config, request)]
    model = random_model(row, config, request) if source is None else pretrained_model(row, config, source, request)
    if row.adapt is not None:
        row.adapt(model)
    model = model.to(device=request.device).requires_grad_(False)
    facts = model_facts(
        model,
        name=row.name if source is None or request.model == row.name else row.family,
        config={name: getattr(config, key) for name, key in row.keys.items()},
        source=source,
        seed=request.seed,
        dtype=choose_dtype(row, request),
        device=request.device,
    )
    return EagerModel(OneTensor(model).eval(), inputs, limits, facts)


def finish_random(request: Request, module: nn.Module, inputs: list[InputSpec], sizes: dict[str, Any]) -> EagerModel:
    """Moves a module with random weights to its device, and returns it with its facts."""
    module = module.to(device=request.device).requires_grad_(False).eval()
    dtype = request.dtype or "float32"
    facts = model_facts(module, name=request.model, config=sizes, seed=request.seed, dtype=dtype, device=request.device)
    return EagerModel(module, inputs, {}, facts)


def model_facts(
    module: nn.Module,
    *,
    name: str,
    config: dict[str, Any],
    seed: int,
    dtype: str,
    device: str,
    source: str | None = None,
    training: bool = False,
) -> dict[str, Any]:
    """Returns the facts about `module` for `kjoule.json`. `source` is the origin of pretrained weights; None for random ones."""
    return {
        "model": name,
        "config": config,
        "weights": "random" if source is None else "pretrained",
        "source": source,
        "seed": seed,
        "dtype": dtype,
        "device": device,
        "training": training,
        "parameters": sum(parameter.numel() for parameter in module.parameters()),
    }


def pretrained_source(request: Request) -> str | None:
    """Returns the hub name or folder of the weights, or None for random weights; throws ExportError for an unknown name."""
    row = find_row(request.model)
    if row is not None:
        return row.hub if request.pretrained else None
    if os.path.isdir(request.model):
        return request.model
    if request.model.startswith((".", "/", "~")):
        raise ExportError(f"the folder {request.model} does not exist; check its path", USAGE)
    if "/" not in request.model:
        raise ExportError(f"unknown model '{request.model}'; use one of {', '.join(all_names())}, a hub name (OWNER/NAME) or a folder", USAGE)
    return request.model


def choose_dtype(row: ModelRow, request: Request) -> str:
    """Returns the requested dtype, or else the row's."""
    return request.dtype or row.dtype


def random_config(request: Request) -> tuple[ModelRow, Any]:
    """Returns the row that `request` names, and a configuration with the requested sizes."""
    row = find_row(request.model)
    sizes = choose_sizes(row, request.sizes)
    values = {row.keys[name]: size for name, size in sizes.items()}
    values.update({key: int(multiple * sizes["hidden"]) for key, multiple in row.multiples.items()})
    values.update(row.extra)
    config = getattr(transformers, row.config)(**values)
    if row.positions and request.seq_len:
        setattr(config, row.positions, max(request.seq_len, getattr(config, row.positions)))
    return row, disable_cache(config)


def pretrained_config(request: Request, source: str) -> tuple[ModelRow, Any]:
    """Returns the row and the configuration of the pretrained model at `source`; throws ExportError if it cannot be read."""
    given = [f"--{name}" for name, size in request.sizes.items() if size is not None]
    if given:
        raise ExportError(f"the sizes of a pretrained model cannot be changed; omit {' '.join(given)}", USAGE)
    try:
        config = transformers.AutoConfig.from_pretrained(source, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise ExportError(describe_read_error(source, error)) from error
    return find_row_of_family(config.model_type, source), disable_cache(config)


def disable_cache(config: Any) -> Any:
    """Returns `config` without the key-value cache, which would be a second output."""
    if hasattr(config, "use_cache"):
        config.use_cache = False
    return config


def sequence_limit(row: ModelRow, config: Any, request: Request) -> dict[str, int]:
    """Returns the model's limit of the sequence length, if any; throws ExportError if a longer sequence is requested."""
    if row.positions is None:
        return {}
    limit = getattr(config, row.positions)
    if (request.seq_len or DEFAULT_SEQ_LEN) > limit:
        raise ExportError(f"--seq-len {request.seq_len} is more than the model's {limit} positions; choose at most {limit}", USAGE)
    return {"seq_len": limit}


def make_input(row: ModelRow, config: Any, request: Request) -> InputSpec:
    """Returns the model's input in the requested shape."""
    if row.image is None:
        return token_ids(request.batch, request.seq_len or DEFAULT_SEQ_LEN, getattr(config, row.keys["vocab"]))
    if request.seq_len is not None:
        raise ExportError(f"{row.name} takes pictures and has no --seq-len; omit --seq-len", USAGE)
    return pictures(request.batch, row.image, choose_dtype(row, request))


def random_model(row: ModelRow, config: Any, request: Request) -> nn.Module:
    """Returns the model with random weights, which depend only on the seed, not on the device."""
    torch.manual_seed(request.seed)
    config._attn_implementation = row.attention
    return getattr(transformers, row.model)(config).to(getattr(torch, choose_dtype(row, request)))


def pretrained_model(row: ModelRow, config: Any, source: str, request: Request) -> nn.Module:
    """Returns the model with the weights at `source`; throws ExportError if some are missing or cannot be read."""
    dtype = getattr(torch, choose_dtype(row, request))
    try:
        model, loaded = getattr(transformers, row.model).from_pretrained(
            source, config=config, dtype=dtype, attn_implementation=row.attention, output_loading_info=True
        )
    except (OSError, ValueError) as error:
        raise ExportError(describe_read_error(source, error)) from error
    missing = sorted(loaded["missing_keys"])
    if missing:
        raise ExportError(f"{source} lacks weights of {row.model}: {missing[0]} and {len(missing) - 1} more; use a complete model")
    return model


def describe_read_error(source: str, error: Exception) -> str:
    """Returns the message for a pretrained model that cannot be read."""
    if os.path.isdir(source):
        return f"the folder {source} contains no model that transformers can read ({first_line(error)}); give another folder"
    return f"cannot fetch {source} ({first_line(error)}); check its name and the network, or give a folder that contains it"
