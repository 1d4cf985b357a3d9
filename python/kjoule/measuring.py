"""One function for each command of kjoule that measures or predicts."""
from __future__ import annotations

import os
import pathlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, TypeVar

from .errors import Error
from .kernel_table import KernelTable
from .reading import read
from .report import Report
from .reports import (ComparisonReport, Difference, EnergyReport, FullModelTiming, GpuEnergyReport, IsolatedKernelsTiming, Layers, PredictOperator,
                      PredictStep, RunReport)
from .running import Output, run_kjoule

Path: TypeAlias = "str | os.PathLike[str]"
Value: TypeAlias = "str | int | float | os.PathLike[str]"
#: Command line of a program, as a list of words or one text.
Program: TypeAlias = "str | Sequence[Value]"
#: Value of an option of a command: True for an option without a value, a list for an option that is repeated, a dictionary for NAME=VALUE.
#: False is the option --no-NAME, and None leaves the option out.
Option: TypeAlias = "Value | Sequence[Value] | Mapping[str, Value] | None"

R = TypeVar("R")


@dataclass(frozen=True)
class Comparison(Report):
    """Result of compare(): that of an iteration if one was found, otherwise that of the program's whole run."""

    _rows: ClassVar[str | None] = "kernels"

    folder: pathlib.Path
    """Folder with the results, which diff() compares with another one."""
    iteration: ComparisonReport | None
    """Sum and whole of one iteration; None if only the whole run was measured."""
    run: RunReport | None
    """The whole run, with its phases and windows; None if an iteration was measured."""

    @property
    def verdict(self) -> str | None:
        """Whether the kernels add up: "adds up", "does not add up" or "inconclusive"; None if nothing was replayed."""
        judged = self._judged
        return judged.verdict if judged else None

    @property
    def verdict_reason(self) -> str | None:
        """Sentence with the numbers from which the verdict follows; None if nothing was replayed."""
        judged = self._judged
        return judged.verdict_reason if judged else None

    @property
    def kernels(self) -> tuple[Any, ...]:
        """The kernels of the iteration, or of the run."""
        return self.iteration.top_kernels if self.iteration else self.run.kernels if self.run else ()

    @property
    def _judged(self) -> Any:
        return self.iteration or (self.run and self.run.replayed)


def compare(program: Program | None = None, **options: Option) -> Comparison:
    """Measures whether the kernels of a program or model add up, in time and energy (`kjoule compare`).

    program: command line of the program, as a list of words or one text.
    options: the options of `kjoule compare`, with _ instead of -: model="m.pt", time_limit=10, energy=False.

    Raises Error if nothing was measured.
    """
    words = ["compare", "--json", *_measuring_words({"top": 10**6, **options})]
    return _json(run_kjoule(words + _program_words(program)), _comparison_reader(options))


def _comparison_reader(options: Mapping[str, Option]) -> Callable[[Any], Comparison]:
    folder = pathlib.Path(str(options.get("output_dir") or options.get("resume") or "results"))

    def make(data: Any) -> Comparison:
        if "sum_us" in data:
            return Comparison(folder, read(ComparisonReport, data), None)
        return Comparison(folder, None, read(RunReport, data))

    return make


def full(program: Program | None = None, **options: Option) -> FullModelTiming:
    """Times the iterations of a program or model without replay (`kjoule full`). See compare() for the arguments."""
    return _json(run_kjoule(["full", "--json", *_measuring_words(options), *_program_words(program)]), lambda data: read(FullModelTiming, data))


def isolated(program: Program | None = None, **options: Option) -> IsolatedKernelsTiming:
    """Times each kernel in isolation (`kjoule isolated`). See compare() for the arguments."""
    return _json(run_kjoule(["isolated", "--json", *_measuring_words(options), *_program_words(program)]), lambda data: read(IsolatedKernelsTiming, data))


def kernels(source: Path | Sequence[Value], **options: Option) -> KernelTable:
    """Returns the kernels of a recording, results folder, trace or kernel table, or of the whole run of a program (`kjoule kernels`).

    source: path of the file or folder; or the command line of a program as a list of words.
    """
    path, program = ([os.fspath(source)], None) if isinstance(source, (str, os.PathLike)) else ([], source)
    return _json(run_kjoule(["kernels", *path, "--json", *_words(options), *_program_words(program)]), KernelTable.read)


def diff(before: Comparison | Path, after: Comparison | Path, **options: Option) -> Difference:
    """Returns what changed between two measurements (`kjoule diff`): comparisons, their folders, or files of `kjoule baseline`."""
    words = [str(one.folder) if isinstance(one, Comparison) else os.fspath(one) for one in (before, after)]
    return _json(run_kjoule(["diff", *words, "--json", *_words(options)]), lambda data: read(Difference, data))


def layers(network: Path, **options: Option) -> Layers:
    """Returns time and energy of each layer of a network (`kjoule layers`).

    network: name of a bundled network, or a YAML or Python file.
    options: the options of `kjoule layers`, such as batch=32.

    Raises Error if a layer was not measured; its `partial` has the others. Raises ValueError if several batches, data types or pipelines were
    measured (see layers_of_each()).
    """
    found = layers_of_each([network], **options)
    if len(found) != 1:
        raise ValueError(f"{len(found)} networks were measured, but layers() returns one; call layers_of_each()")
    return found[0]


def layers_of_each(networks: Sequence[Path], **options: Option) -> tuple[Layers, ...]:
    """Returns the layers of each network with each batch and data type, in this order: layers_of_each(["resnet50"], batch=[1, 32])."""
    output = run_kjoule(["layers", *[os.fspath(network) for network in networks], "--json", *_measuring_words(options)])
    return _json(output, lambda data: tuple(read(Layers, one) for one in (data if isinstance(data, list) else [data])))


def layers_of_program(program: Program, **options: Option) -> Layers:
    """Returns time and energy of the NVTX ranges of a program (`kjoule layers --range NAME -- PROGRAM`)."""
    return _json(run_kjoule(["layers", "--json", *_measuring_words(options), *_program_words(program)]), lambda data: read(Layers, data))


def energy(power_log: Path, timing: Path, **options: Option) -> EnergyReport | GpuEnergyReport:
    """Computes joules from a power log and the timestamps of a timing file or results folder (`kjoule energy`).

    Returns the report of the whole for full_model_timing.json, and that of kernels for a folder or file with kernels. Raises Error if an energy
    is missing; its `partial` has the others.
    """
    words = ["energy", "--power-log", os.fspath(power_log), "--timing", os.fspath(timing), "--json", *_words(options)]
    return _json(run_kjoule(words), _energy_report)


def _energy_report(data: Any) -> EnergyReport | GpuEnergyReport:
    return read(GpuEnergyReport, data) if "per_kernel" in data else read(EnergyReport, data)


def sample(configuration: Path, **options: Option) -> dict[str, Any]:
    """Measures an operator over a sweep of shapes (`kjoule sample`), and returns the summary that `kjoule sample --json` prints.

    configuration: name of an operator, or a YAML file.
    """
    return _json(run_kjoule(["sample", os.fspath(configuration), "--json", *_words(options)]), dict[str, Any])


def train(data: Path, **options: Option) -> list[dict[str, Any]]:
    """Trains regressors on the tables of a folder (`kjoule train`), and returns the errors of each model as `kjoule train --json` prints them."""
    return _json(run_kjoule(["train", os.fspath(data), "--json", *_words(options)]), list[dict[str, Any]])


def predict(gpu: str, operator: str, precision: str, direction: str, shape: Sequence[float], **options: Option) -> PredictOperator:
    """Predicts time and energy of an operator for a shape that was never run (`kjoule predict operator`)."""
    words = ["predict", "operator", gpu, operator, precision, direction, *map(_word, shape), "--json", *_words(options)]
    return _json(run_kjoule(words), lambda data: read(PredictOperator, data))


def predict_step(configuration: Path, **options: Option) -> PredictStep:
    """Predicts time and energy of a training step (`kjoule predict step`): a bundled example or a YAML file."""
    return _json(run_kjoule(["predict", "step", os.fspath(configuration), "--json", *_words(options)]), lambda data: read(PredictStep, data))


def _json(output: Output, make: Callable[[Any], R]) -> R:
    """Returns what `make` makes of the JSON of the run. Raises the error of the run, with what was reported in spite of it."""
    data = output.json()
    result = None if data is None else make(data)
    if result is None or (output.exit_code != 0 and output.error):
        raise output.exception(result)
    return result


def _measuring_words(options: Mapping[str, Option]) -> list[str]:
    """Returns the words of the options of a command that measures energy unless --no-energy is given, and has no option --energy."""
    return _words({name: value for name, value in options.items() if (name, value) != ("energy", True)})


def _words(options: Mapping[str, Option]) -> list[str]:
    return [word for name, value in options.items() for word in _option(name.replace("_", "-"), value)]


def _option(name: str, value: Option) -> list[str]:
    if value is None:
        return []
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    if isinstance(value, Mapping):
        return [word for key, entry in value.items() for word in (f"--{name}", f"{key}={_word(entry)}")]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [word for entry in value for word in (f"--{name}", _word(entry))]
    return [f"--{name}", _word(value)]


def _word(value: Value) -> str:
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else repr(value)


def _program_words(program: Program | None) -> list[str]:
    if program is None:
        return []
    words = shlex.split(program) if isinstance(program, str) else [_word(word) for word in program]
    if not words:
        raise Error("the program is an empty command line; give its name and arguments as a list of words")
    return ["--", *words]
