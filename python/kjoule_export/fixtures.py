"""Writes the tiny TorchScript models that kjoule's own tests run: `python -m kjoule_export.fixtures DIR`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import nn

from . import fixture_modules as modules
from .build import EagerModel, Request, build, model_facts
from .check import Runner
from .cli import silence_libraries
from .errors import FAILED, USAGE, ExportError, first_line
from .export import check_and_describe
from .formats import TorchScriptFile
from .inputs import InputSpec, pictures, random_inputs, token_ids
from .outputs import output_file
from .tracing import patch_for_tracing

SEED = 0
SIZES = {"layers": 2, "hidden": 64, "heads": 2, "vocab": 100}
TOKENS = token_ids(batch=1, seq_len=5, vocab=SIZES["vocab"])
FEATURES = InputSpec("x", "float32", (4, 16), ("batch", "features"))


@dataclass(frozen=True)
class Fixture:
    """One tiny model: traced, or scripted if its control flow depends on values."""

    make: Callable[[], nn.Module]
    inputs: InputSpec = FEATURES
    scripted: bool = False
    training: bool = False
    config: Mapping[str, int] = field(default_factory=dict)


def language_model(name: str) -> Fixture:
    """Returns a fixture with the sizes `SIZES` of a model in the table of models."""
    return Fixture(lambda: build(Request(name, seed=SEED, **SIZES)).module, TOKENS, config=SIZES)


FIXTURES = {
    "resnet_tiny": Fixture(modules.SmallResNet, pictures(2, (3, 16, 16), "float32")),
    "batchnorm_train": Fixture(modules.BatchNormTraining, pictures(2, (3, 8, 8), "float32"), training=True),
    "inplace": Fixture(modules.InPlace),
    "views": Fixture(modules.Views),
    "dropout": Fixture(modules.RandomNumbers, training=True),
    "throws": Fixture(modules.StaleIndex),
    "throws_later": Fixture(modules.ThrowsLater),
    "varying": Fixture(modules.Varying, scripted=True),
    "gather": Fixture(modules.Gather, token_ids(2, 6, 50)),
    "dtypes": Fixture(modules.MixedTypes),
    "lists": Fixture(modules.Lists),
    "bloom_tiny": language_model("bloom"),
    "gpt2_tiny": language_model("gpt2"),
}


def make_model(fixture: Fixture) -> nn.Module:
    """Returns the fixture's model in its initial state, which is always the same, and does not change the random generator."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        return fixture.make().train(fixture.training).requires_grad_(False)


def fresh_runner(load: Callable[[], nn.Module]) -> Runner:
    """Returns a runner that loads its model again at every call, so that no state is left from the previous call."""
    return lambda inputs: load()(*inputs)


def write_fixture(name: str, target: Path) -> None:
    """Writes the fixture `name` with its `kjoule.json` to `target`; throws ExportError if it differs from the eager model."""
    fixture = FIXTURES[name]
    model = make_model(fixture)
    facts = model_facts(
        model,
        name=f"fixture:{name}",
        config=dict(fixture.config),
        seed=SEED,
        dtype="float32",
        device="cpu",
        training=fixture.training,
    )
    built = EagerModel(model, [fixture.inputs], {}, facts)
    with output_file(target) as path, patch_for_tracing():
        file = TorchScriptFile(path)
        file.save(torch.jit.script(model) if fixture.scripted else model, random_inputs(built.inputs, SEED, "cpu"))
        metadata = check_and_describe(built, file, fresh_runner(lambda: make_model(fixture)), fresh_runner(file.load))
        file.describe(metadata)


def main(arguments: list[str]) -> int:
    """Writes all fixtures to the folder in `arguments`, which is created if necessary; returns the exit code."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        return fail("usage: python -m kjoule_export.fixtures DIR", USAGE)
    folder = Path(arguments[0])
    silence_libraries()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in FIXTURES:
            write_fixture(name, folder / f"{name}.pt")
    except ExportError as error:
        return fail(str(error), error.status)
    except Exception as error:  # every exception of a library is reported in one line
        return fail(f"the fixtures could not be written to {folder}: {first_line(error)}", FAILED)
    print(f"{len(FIXTURES)} fixtures in {folder}")
    return 0


def fail(message: str, status: int) -> int:
    """Prints an error and returns `status`."""
    print(f"kjoule_export.fixtures: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
