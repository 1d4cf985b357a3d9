"""Exports a model: builds, writes, checks and describes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers

from .build import EagerModel, Request, build
from .check import Checker, Runner
from .formats import AotInductorPackage, TorchScriptFile, format_of
from .inputs import FREE_SIZES, InputSpec, random_inputs
from .outputs import output_file
from .tracing import patch_for_tracing

ReportStep = Callable[[str], None]
File = TorchScriptFile | AotInductorPackage


def export(request: Request, target: Path, report_step: ReportStep) -> dict[str, Any]:
    """Writes the model of `request` to `target` and returns its `kjoule.json`.

    `target` is created only when it is complete and checked. `report_step` is called with the name of each step. Throws ExportError
    if the model cannot be exported.
    """
    file_format = format_of(target)
    with output_file(target) as path, patch_for_tracing():
        file = file_format(path)
        report_step(f"building {request.model}")
        built = build(request)
        report_step(file.steps)
        file.save(built.module, random_inputs(built.inputs, request.seed, request.device))
        report_step("checking")
        metadata = check_and_describe(built, file, positional_runner(built.module), positional_runner(file.load()))
        file.describe(metadata)
    return metadata


def check_and_describe(built: EagerModel, file: File, eager: Runner, exported: Runner) -> dict[str, Any]:
    """Compares the exported model in `file` with the eager model, both run by the given runners; returns its `kjoule.json`.

    Throws ExportError if the models differ.
    """
    facts = built.facts
    checker = Checker(eager, exported, built.inputs, facts["dtype"], facts["device"], facts["seed"])
    difference = checker.largest_difference()
    baked = checker.baked_sizes(built.limits) if file.keeps_sizes_open else changeable_dims(built.inputs)
    return describe(facts, built.inputs, baked, difference)


def positional_runner(model: Callable[..., torch.Tensor]) -> Runner:
    """Returns a runner for a model that has no state."""
    return lambda inputs: model(*inputs)


def changeable_dims(specs: list[InputSpec]) -> list[str]:
    """Returns the dims of the inputs that are in FREE_SIZES."""
    return [dim for spec in specs for dim in spec.dims if dim in FREE_SIZES]


def describe(facts: dict[str, Any], specs: list[InputSpec], baked: list[str], difference: float) -> dict[str, Any]:
    """Returns the content of `kjoule.json`, version 1."""
    return {
        "format": "kjoule-model",
        "version": 1,
        **facts,
        "inputs": [spec.as_json() for spec in specs],
        "baked": baked,
        "largest_difference": difference,
        "versions": {"torch": str(torch.__version__), "transformers": transformers.__version__},
    }
