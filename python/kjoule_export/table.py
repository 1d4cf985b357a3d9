"""The table of the models that `kjoule export` knows by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import USAGE, ExportError

SIZE_OPTIONS = ("layers", "hidden", "heads", "vocab")


def relu_in_place(model: Any) -> None:
    """Makes every ReLU of `model` overwrite its input, as in torchvision's networks."""
    from torch import nn

    for module in model.modules():
        if isinstance(module, nn.ReLU):
            module.inplace = True


@dataclass(frozen=True)
class ModelRow:
    """The data from which one model is built with the transformers library.

    Without `image`, the model's input is token ids of shape [batch, seq_len]; with `image`, it is pictures of this shape
    (channels, height, width). The model's forward must accept its input as the first argument, and `return_dict`.
    """

    name: str  # the model's name for the user
    family: str  # `model_type` of its configuration, by which the row of a pretrained model is found
    config: str  # class of its configuration in the transformers library
    model: str  # class of the model in the transformers library
    hub: str  # hub name of the weights for `--pretrained`
    keys: Mapping[str, str]  # name of a size -> its key in the configuration
    sizes: Mapping[str, int]  # name of a size -> its default
    multiples: Mapping[str, float] = field(default_factory=dict)  # key in the configuration -> its value / hidden
    extra: Mapping[str, Any] = field(default_factory=dict)  # further keys of the configuration
    positions: str | None = None  # key of the longest sequence; None if the model has no limit
    image: tuple[int, int, int] | None = None
    attention: str = "sdpa"  # transformers' implementation of attention
    dtype: str = "float32"  # the default data type
    adapt: Callable[[Any], None] | None = None  # called with the built model to change it


ROWS = (
    ModelRow(
        name="bloom",
        family="bloom",
        config="BloomConfig",
        model="BloomForCausalLM",
        hub="bigscience/bloom-560m",
        keys={"layers": "n_layer", "hidden": "hidden_size", "heads": "n_head", "vocab": "vocab_size"},
        sizes={"layers": 24, "hidden": 1024, "heads": 16, "vocab": 250880},
        attention="eager",
    ),
    ModelRow(
        name="gpt2",
        family="gpt2",
        config="GPT2Config",
        model="GPT2LMHeadModel",
        hub="openai-community/gpt2",
        keys={"layers": "n_layer", "hidden": "n_embd", "heads": "n_head", "vocab": "vocab_size"},
        sizes={"layers": 12, "hidden": 768, "heads": 12, "vocab": 50257},
        positions="n_positions",
    ),
    ModelRow(
        name="opt",
        family="opt",
        config="OPTConfig",
        model="OPTForCausalLM",
        hub="facebook/opt-125m",
        keys={"layers": "num_hidden_layers", "hidden": "hidden_size", "heads": "num_attention_heads", "vocab": "vocab_size"},
        sizes={"layers": 12, "hidden": 768, "heads": 12, "vocab": 50272},
        multiples={"ffn_dim": 4, "word_embed_proj_dim": 1},
        positions="max_position_embeddings",
    ),
    ModelRow(
        name="resnet18",
        family="resnet",
        config="ResNetConfig",
        model="ResNetForImageClassification",
        hub="microsoft/resnet-18",
        keys={"classes": "num_labels"},
        sizes={"classes": 1000},
        extra={"hidden_sizes": [64, 128, 256, 512], "depths": [2, 2, 2, 2], "layer_type": "basic"},
        image=(3, 224, 224),
        attention="eager",
        adapt=relu_in_place,
    ),
    ModelRow(
        name="resnet50",
        family="resnet",
        config="ResNetConfig",
        model="ResNetForImageClassification",
        hub="microsoft/resnet-50",
        keys={"classes": "num_labels"},
        sizes={"classes": 1000},
        extra={"hidden_sizes": [256, 512, 1024, 2048], "depths": [3, 4, 6, 3], "layer_type": "bottleneck"},
        image=(3, 224, 224),
        attention="eager",
        adapt=relu_in_place,
    ),
    ModelRow(
        name="vit-b16",
        family="vit",
        config="ViTConfig",
        model="ViTForImageClassification",
        hub="google/vit-base-patch16-224",
        keys={"layers": "num_hidden_layers", "hidden": "hidden_size", "heads": "num_attention_heads", "classes": "num_labels"},
        sizes={"layers": 12, "hidden": 768, "heads": 12, "classes": 1000},
        multiples={"intermediate_size": 4},
        image=(3, 224, 224),
    ),
)


@dataclass(frozen=True)
class DecoderLayerRow:
    """One layer of an OPT model that is too large to be exported whole, with random weights. It processes a whole prompt, or, if
    `decodes`, one token after a prompt whose keys and values are cached."""

    name: str
    decodes: bool
    hidden: int = 9216
    heads: int = 72


DECODER_LAYERS = (DecoderLayerRow("opt-66b-layer-prefill", decodes=False), DecoderLayerRow("opt-66b-layer-decode", decodes=True))


# Networks for pictures that the transformers library does not contain; picture_networks.py builds them.
PICTURE_NETWORKS = ("mobilenetv3-small", "efficientnet-b0", "replknet-31b")


def all_names() -> list[str]:
    """Returns the names of all models in this file."""
    return [*(row.name for row in ROWS), *PICTURE_NETWORKS, *(row.name for row in DECODER_LAYERS)]


def find_row(name: str) -> ModelRow | None:
    """Returns the row of this name, or None."""
    return next((row for row in ROWS if row.name == name), None)


def find_row_of_family(family: str, source: str) -> ModelRow:
    """Returns the row for a pretrained model of `family`, which came from `source`; throws ExportError if there is none."""
    for row in ROWS:
        if row.family == family:
            return row
    known = ", ".join(sorted({row.family for row in ROWS}))
    raise ExportError(f"{source} is a '{family}' model, which kjoule cannot export; it can export: {known}", USAGE)


def choose_sizes(row: ModelRow, asked: Mapping[str, int | None]) -> dict[str, int]:
    """Returns the row's sizes, replaced by those that are `asked` for.

    If `hidden` is given without `heads`, each head keeps the size that it has in the row. Throws ExportError for a size that the
    row does not have, or if `hidden` cannot be divided among the heads.
    """
    given = {name: size for name, size in asked.items() if size is not None}
    for name in given:
        if name not in row.sizes:
            raise ExportError(f"{row.name} has no --{name}; omit --{name}", USAGE)
    sizes = {**row.sizes, **given}
    if "heads" not in sizes:
        return sizes
    if "heads" not in given:
        head_size = row.sizes["hidden"] // row.sizes["heads"]
        if sizes["hidden"] % head_size:
            problem = f"--hidden {sizes['hidden']} is not a multiple of the head size {head_size}"
            raise ExportError(f"{problem}; give --heads, too", USAGE)
        sizes["heads"] = sizes["hidden"] // head_size
    if sizes["hidden"] % sizes["heads"]:
        problem = f"--hidden {sizes['hidden']} cannot be divided among {sizes['heads']} heads"
        raise ExportError(f"{problem}; choose a multiple of {sizes['heads']}", USAGE)
    return sizes
