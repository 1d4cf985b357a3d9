"""One function for each command of kjoule that measures or predicts."""
from __future__ import annotations

import numbers
import os
import pathlib
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from .arguments import Name, Option, Path, Program, Size, Value, checked
from .errors import UsageError
from .kernel_table import KernelTable
from .reading import read, read_object
from .report import Report
from .reports import (ComparisonReport, Difference, EnergyReport, FullModelTiming, GpuEnergyReport, IsolatedKernelsTiming, Layers, PredictOperator,
                      PredictStep, RunReport)
from .running import Output, run_kjoule

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


@checked
def compare(program: Program | None = None, **options: Option) -> Comparison:
    """Measures whether the kernels of a program or model add up, in time and energy (`kjoule compare`).

    program: command line of the program, as a list of words or one text.
    options: the options of `kjoule compare`, with _ instead of -: model="m.pt", time_limit=10, energy=False.

    Raises Error if nothing was measured.
    """
    words = ["compare", *_measuring_words({"top": 10**6, **options}), *_program_words(program)]
    return _json(_run(words, options), _comparison_reader(options))


def _comparison_reader(options: Mapping[str, Option]) -> Callable[[Any], Comparison]:
    folder = pathlib.Path(str(options.get("output_dir") or options.get("resume") or "results"))

    def make(data: Any) -> Comparison:
        if isinstance(data, dict) and "sum_us" in data:
            return Comparison(folder, read(ComparisonReport, data), None)
        return Comparison(folder, None, read(RunReport, data))

    return make


@checked
def full(program: Program | None = None, **options: Option) -> FullModelTiming:
    """Times the iterations of a program or model without replay (`kjoule full`). See compare() for the arguments."""
    return _json(_run(["full", *_measuring_words(options), *_program_words(program)], options), lambda data: read(FullModelTiming, data))


@checked
def isolated(program: Program | None = None, **options: Option) -> IsolatedKernelsTiming:
    """Times each kernel in isolation (`kjoule isolated`). See compare() for the arguments."""
    return _json(_run(["isolated", *_measuring_words(options), *_program_words(program)], options), lambda data: read(IsolatedKernelsTiming, data))


@checked
def kernels(source: Path | Sequence[Value], **options: Option) -> KernelTable:
    """Returns the kernels of a recording, results folder, trace or kernel table, or of the whole run of a program (`kjoule kernels`).

    source: path of the file or folder; or the command line of a program as a list of words.
    """
    if "by" in options:
        raise UsageError("kernels(): by groups the lines that the program prints, but a KernelTable has each kernel; group the rows of its to_pandas()")
    path, program = ([_file(source)], None) if isinstance(source, (str, os.PathLike)) else ([], source)
    return _json(_run(["kernels", *path, *_words(options), *_program_words(program)], options), KernelTable.read)


@checked
def diff(before: Comparison | Path, after: Comparison | Path, **options: Option) -> Difference:
    """Returns what changed between two measurements (`kjoule diff`): comparisons, their folders, or files of `kjoule baseline`."""
    words = [_file(one.folder if isinstance(one, Comparison) else one) for one in (before, after)]
    return _json(_run(["diff", *words, *_words(options)], options), lambda data: read(Difference, data))


@checked
def layers(network: Path, **options: Option) -> Layers:
    """Returns time and energy of each layer of a network (`kjoule layers`).

    network: name of a bundled network, or a YAML or Python file.
    options: the options of `kjoule layers`, such as batch=32.

    Raises Error if a layer was not measured; its `partial` has the others. Raises UsageError if several batches, data types or pipelines were
    measured (see layers_of_each()); its `partial` has all of them.
    """
    found = layers_of_each([network], **options)
    if len(found) != 1:
        raise UsageError(f"{len(found)} networks were measured, but layers() returns one; call layers_of_each()", partial=found)
    return found[0]


@checked
def layers_of_each(networks: Sequence[Path], **options: Option) -> tuple[Layers, ...]:
    """Returns the layers of each network with each batch and data type, in this order: layers_of_each(["resnet50"], batch=[1, 32])."""
    output = _run(["layers", *map(_file, networks), *_measuring_words(options)], options)
    return _json(output, lambda data: tuple(read(Layers, one) for one in (data if isinstance(data, list) else [data])))


@checked
def layers_of_program(program: Program, **options: Option) -> Layers:
    """Returns time and energy of the NVTX ranges of a program (`kjoule layers --range NAME -- PROGRAM`)."""
    return _json(_run(["layers", *_measuring_words(options), *_program_words(program)], options), lambda data: read(Layers, data))


@checked
def energy(power_log: Path, timing: Path, **options: Option) -> EnergyReport | GpuEnergyReport:
    """Computes joules from a power log and the timestamps of a timing file or results folder (`kjoule energy`).

    Returns the report of the whole for full_model_timing.json, and that of kernels for a folder or file with kernels. Raises Error if an energy
    is missing; its `partial` has the others.
    """
    words = ["energy", "--power-log", _file(power_log), "--timing", _file(timing), *_words(options)]
    return _json(_run(words, options), _energy_report)


def _energy_report(data: Any) -> EnergyReport | GpuEnergyReport:
    return read(GpuEnergyReport, data) if isinstance(data, dict) and "per_kernel" in data else read(EnergyReport, data)


@checked
def sample(configuration: Path, **options: Option) -> dict[str, Any]:
    """Measures an operator over a sweep of shapes (`kjoule sample`), and returns the summary that `kjoule sample --json` prints.

    configuration: name of an operator, or a YAML file.
    """
    return _json(_run(["sample", _file(configuration), *_words(options)], options), lambda data: read_object(data, "sample"))


@checked
def train(data: Path, **options: Option) -> list[dict[str, Any]]:
    """Trains regressors on the tables of a folder (`kjoule train`), and returns the errors of each model as `kjoule train --json` prints them."""
    make = lambda found: [read_object(model, "train") for model in read(tuple[Any, ...], found, "train")]
    return _json(_run(["train", _file(data), *_words(options)], options), make)


@checked
def predict(gpu: Name, operator: Name, precision: Name, direction: Name, shape: Sequence[Size], **options: Option) -> PredictOperator:
    """Predicts time and energy of an operator for a shape that was never run (`kjoule predict operator`)."""
    names = {"gpu": gpu, "operator": operator, "precision": precision, "direction": direction}
    for argument, text in names.items():
        if text.startswith("-"):
            raise UsageError(f"predict(): {argument} is {ascii(text)}, which the program would take for an option; give a name")
    words = ["predict", "operator", *names.values(), *map(_word, shape), *_words(options)]
    return _json(_run(words, options), lambda data: read(PredictOperator, data))


@checked
def predict_step(configuration: Path, **options: Option) -> PredictStep:
    """Predicts time and energy of a training step (`kjoule predict step`): a bundled example or a YAML file."""
    return _json(_run(["predict", "step", _file(configuration), *_words(options)], options), lambda data: read(PredictStep, data))


def _run(words: list[str], options: Mapping[str, Option]) -> Output:
    """Runs kjoule with these words, of which those after "--" are a program, and --json. Raises UsageError if an option that needs a value is
    True, because the program would take the next word for the value."""
    without_value = [name for name, value in options.items() if value is True]
    command = words[:2] if words[0] == "predict" else words[:1]
    described = run_kjoule([*command, "--help"]).text if without_value else ""
    for name in without_value:
        if re.search(rf"--{_dashed(name)}(,\S+)? [A-Z]{{2}}", described):
            raise UsageError(f"{name} is True, but this option needs a value; kjoule {' '.join(command)} --help describes it")
    end = words.index("--") if "--" in words else len(words)
    return run_kjoule([*words[:end], "--json", *words[end:]])


def _json(output: Output, make: Callable[[Any], R]) -> R:
    """Returns what `make` makes of the JSON of the run. Raises the error of the run, with what was reported in spite of it."""
    data = output.json()
    result = None if data is None else make(data)
    if result is None or (output.exit_code != 0 and output.error):
        raise output.exception(result)
    return result


def _measuring_words(options: Mapping[str, Option]) -> list[str]:
    """Returns the words of the options of a command that measures energy unless --no-energy is given, and has no option --energy."""
    return _words({name: value for name, value in options.items() if name != "energy" or value is not True})


def _words(options: Mapping[str, Option]) -> list[str]:
    """Returns the words of options."""
    for name in options:
        if not re.fullmatch("[a-z][a-z0-9_]*", name):
            raise UsageError(f"{ascii(name)[:40]} is not the name of an option; write the option's name with _ instead of -")
        if name in _OF_THE_PACKAGE:
            raise UsageError(f"{name} changes what the program prints, but the package reads its report; leave it out, or run kjoule in a shell")
    return [word for name, value in options.items() for word in _option(_dashed(name), value)]


#: Options that change the form of what is printed.
_OF_THE_PACKAGE = ("csv", "help", "json", "jsonl", "list", "markdown")


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _option(name: str, value: Option) -> list[str]:
    if value is None:
        return []
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    if isinstance(value, Mapping):
        return [word for key, entry in value.items() for word in _valued(name, f"{key}={_word(entry)}")]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [word for entry in value for word in _valued(name, _word(entry))]
    return _valued(name, _word(value))


def _valued(name: str, word: str) -> list[str]:
    """Returns an option with its value. A value that begins with - is in the option's word, where it is not taken for another option."""
    return [f"--{name}={word}"] if word.startswith("-") else [f"--{name}", word]


def _word(value: Value) -> str:
    """Returns a value as a word of the command line. Numbers may be of other packages, such as numpy."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    return str(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))


def _file(path: Path) -> str:
    """Returns a path as a word that is not taken for an option."""
    word = os.fspath(path)
    return f"./{word}" if word.startswith("-") else word


def _program_words(program: Program | None) -> list[str]:
    if program is None:
        return []
    try:
        words = shlex.split(program) if isinstance(program, str) else [_word(word) for word in program]
    except ValueError as error:  # a quotation mark without its end
        raise UsageError(f"the program is a text that a shell could not divide ({error}); give its name and arguments as a list of words") from error
    if not words:
        raise UsageError("the program is an empty command line; give its name and arguments as a list of words")
    return ["--", *words]
