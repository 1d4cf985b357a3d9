"""Builds networks for pictures that the transformers library does not contain, with random weights.

Each has the same layers as the network of the same name in `data/networks`, which `kjoule layers NAME --check FILE` checks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from .errors import USAGE, ExportError
from .inputs import InputSpec, pictures
from .table import PICTURE_NETWORKS, SIZE_OPTIONS

PICTURE = (3, 224, 224)
CLASSES = 1000

Activation = Callable[[], nn.Module]
RELU = partial(nn.ReLU, inplace=True)
SILU = partial(nn.SiLU, inplace=True)
HARDSWISH = partial(nn.Hardswish, inplace=True)


def conv_norm(inputs: int, outputs: int, window: int = 1, stride: int = 1, groups: int = 1, act: Activation | None = None, eps: float = 1e-5) -> nn.Sequential:
    """Returns a convolution with batch norm and activation. Its output has the size of its input divided by `stride`."""
    conv = nn.Conv2d(inputs, outputs, window, stride, (window - 1) // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs, eps=eps), *([act()] if act else []))


class SqueezeExcitation(nn.Module):
    """Scales each channel by a gate that is computed from the mean of all channels."""

    def __init__(self, channels: int, squeezed: int, act: Activation, gate: Activation):
        super().__init__()
        self.gates = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, squeezed, 1), act(), nn.Conv2d(squeezed, channels, 1), gate()
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.gates(x) * x


class Residual(nn.Module):
    """Adds the output of `inner` to its input."""

    def __init__(self, inner: nn.Module):
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x) + x


def inverted_residual(
    inputs: int, expanded: int, outputs: int, window: int, stride: int, act: Activation, excitation: nn.Module | None, eps: float
) -> nn.Module:
    """Returns the block of MobileNetV3 and EfficientNet: expand, depthwise convolution, excitation, project."""
    steps = [] if expanded == inputs else [conv_norm(inputs, expanded, act=act, eps=eps)]
    steps.append(conv_norm(expanded, expanded, window, stride, groups=expanded, act=act, eps=eps))
    if excitation is not None:
        steps.append(excitation)
    steps.append(conv_norm(expanded, outputs, eps=eps))
    block = nn.Sequential(*steps)
    return Residual(block) if stride == 1 and inputs == outputs else block


def multiple_of_8(number: float) -> int:
    """Returns the nearest multiple of 8 that is not below 0.9 times `number`."""
    nearest = max(8, int(number + 4) // 8 * 8)
    return nearest + 8 if nearest < 0.9 * number else nearest


def mobilenetv3_small() -> nn.Module:
    """Returns MobileNetV3-Small (Howard et al. 2019, table 2) as in torchvision."""
    eps = 0.001
    blocks = [  # window, expanded, outputs, excitation, activation, stride
        (3, 16, 16, True, RELU, 2),
        (3, 72, 24, False, RELU, 2),
        (3, 88, 24, False, RELU, 1),
        (5, 96, 40, True, HARDSWISH, 2),
        (5, 240, 40, True, HARDSWISH, 1),
        (5, 240, 40, True, HARDSWISH, 1),
        (5, 120, 48, True, HARDSWISH, 1),
        (5, 144, 48, True, HARDSWISH, 1),
        (5, 288, 96, True, HARDSWISH, 2),
        (5, 576, 96, True, HARDSWISH, 1),
        (5, 576, 96, True, HARDSWISH, 1),
    ]
    width = 16
    steps = [conv_norm(3, width, 3, 2, act=HARDSWISH, eps=eps)]
    for window, expanded, outputs, excites, act, stride in blocks:
        excitation = SqueezeExcitation(expanded, multiple_of_8(expanded / 4), RELU, nn.Hardsigmoid) if excites else None
        steps.append(inverted_residual(width, expanded, outputs, window, stride, act, excitation, eps))
        width = outputs
    steps.append(conv_norm(width, 6 * width, act=HARDSWISH, eps=eps))
    head = [nn.Linear(6 * width, 1024), HARDSWISH(), nn.Linear(1024, CLASSES)]
    return nn.Sequential(*steps, nn.AdaptiveAvgPool2d(1), nn.Flatten(), *head)


def efficientnet_b0() -> nn.Module:
    """Returns EfficientNet-B0 (Tan and Le 2019, table 1) as in torchvision."""
    stages = [  # expansion, window, stride of the first block, outputs, blocks
        (1, 3, 1, 16, 1),
        (6, 3, 2, 24, 2),
        (6, 5, 2, 40, 2),
        (6, 3, 2, 80, 3),
        (6, 5, 1, 112, 3),
        (6, 5, 2, 192, 4),
        (6, 3, 1, 320, 1),
    ]
    width = 32
    steps = [conv_norm(3, width, 3, 2, act=SILU)]
    for expansion, window, stride, outputs, blocks in stages:
        for block in range(blocks):
            expanded = expansion * width
            excitation = SqueezeExcitation(expanded, max(1, width // 4), SILU, nn.Sigmoid)
            steps.append(inverted_residual(width, expanded, outputs, window, stride if block == 0 else 1, SILU, excitation, 1e-5))
            width = outputs
    steps.append(conv_norm(width, 4 * width, act=SILU))
    return nn.Sequential(*steps, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4 * width, CLASSES))


def large_kernel_block(width: int, window: int) -> nn.Sequential:
    """Returns a block of RepLKNet, whose small kernel is merged into the large one, and the following feed-forward block."""
    large = nn.Conv2d(width, width, window, padding=window // 2, groups=width)
    convolutions = nn.Sequential(nn.BatchNorm2d(width), conv_norm(width, width, act=RELU), large, RELU(), conv_norm(width, width))
    feed_forward = nn.Sequential(nn.BatchNorm2d(width), conv_norm(width, 4 * width, act=nn.GELU), conv_norm(4 * width, width))
    return nn.Sequential(Residual(convolutions), Residual(feed_forward))


def replknet_31b() -> nn.Module:
    """Returns RepLKNet-31B (Ding et al. 2022) in its form for inference, in which branches are merged."""
    widths, blocks, windows = (128, 256, 512, 1024), (2, 2, 18, 2), (31, 29, 27, 13)
    first = widths[0]
    steps = [
        conv_norm(3, first, 3, 2, act=RELU),
        conv_norm(first, first, 3, groups=first, act=RELU),
        conv_norm(first, first, act=RELU),
        conv_norm(first, first, 3, 2, groups=first, act=RELU),
    ]
    for stage, (width, number, window) in enumerate(zip(widths, blocks, windows)):
        if stage > 0:
            steps += [conv_norm(widths[stage - 1], width, act=RELU), conv_norm(width, width, 3, 2, groups=width, act=RELU)]
        steps += [large_kernel_block(width, window) for _ in range(number)]
    return nn.Sequential(*steps, nn.BatchNorm2d(widths[-1]), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(widths[-1], CLASSES))


NETWORKS = dict(zip(PICTURE_NETWORKS, (mobilenetv3_small, efficientnet_b0, replknet_31b)))


def make_picture_network(request: Any) -> tuple[nn.Module, list[InputSpec], dict[str, Any]]:
    """Returns the network of `request`, its input, and its sizes for `kjoule.json`; throws ExportError for options that it lacks."""
    for option in (*SIZE_OPTIONS, "seq_len"):
        if getattr(request, option) is not None:
            raise ExportError(f"{request.model} has no --{option.replace('_', '-')}; omit this option", USAGE)
    if request.pretrained:
        raise ExportError(f"{request.model} has random weights only; omit --pretrained", USAGE)
    dtype = request.dtype or "float32"
    torch.manual_seed(request.seed)
    return NETWORKS[request.model]().to(getattr(torch, dtype)), [pictures(request.batch, PICTURE, dtype)], {"classes": CLASSES}
