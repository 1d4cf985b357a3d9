"""Measures pipelines of kernels, under the names of the script that kjoule replaces."""
from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import os
import pathlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeAlias

from .arguments import Form, Index, Name, Path, Seconds, checked
from .errors import Error, describe_user_error
from .layer_tests import KernelTest, device, visible_gpu
from .reading import read
from .report import Report
from .running import run_kjoule

Phase: TypeAlias = tuple[Name, Callable[[], KernelTest]]
Pipeline: TypeAlias = Annotated[tuple[Name, Sequence[Phase]], Form("a pipeline (name, [(phase, function), ..])")]
IDLE_SECONDS = 5.0  # for which idle power is measured


@dataclass(frozen=True)
class PipelineTest(Report):
    """Times and energies of the phases of a pipeline."""

    _rows: ClassVar[str | None] = "results"

    name: str
    """Name of the pipeline."""
    results: tuple[KernelTest, ...]
    """The phases that were measured, in order."""
    errors: tuple[tuple[str, str], ...]
    """Name of each phase that was not measured, with the reason."""
    idle_W: float | None
    """Idle power; None if there is no power meter. Unit: W."""

    @property
    def pipeline_latency_ms(self) -> float | None:
        """Sum of the times of all phases; None if a phase has none. Unit: ms."""
        return None if self.errors else sum(one.avg_latency_ms for one in self.results)

    @property
    def bottleneck_latency_ms(self) -> float | None:
        """Time of the slowest phase; None if a phase has no time. Unit: ms."""
        return None if self.errors else max((one.avg_latency_ms for one in self.results), default=None)

    @property
    def pipeline_energy_J(self) -> float | None:
        """Sum of the energies of all phases; None if a phase has none. Unit: J."""
        joules = [one.avg_energy_J for one in self.results if one.avg_energy_J is not None]
        return sum(joules) if not self.errors and len(joules) == len(self.results) > 0 else None

    @property
    def pipeline_energy_with_idle_J(self) -> float | None:
        """pipeline_energy_J, plus the energy of phases that wait for the slowest one if each has a GPU of its own. Unit: J."""
        joules, longest = self.pipeline_energy_J, self.bottleneck_latency_ms
        if joules is None or longest is None or self.idle_W is None:
            return None
        return joules + self.idle_W * sum(longest - one.avg_latency_ms for one in self.results) * 1e-3


@checked
def pipeline_benchmark(output_dir: Path, pipelines: Sequence[Pipeline], device_index: Index = 0) -> tuple[PipelineTest, ...]:
    """Measures each phase of each pipeline by itself.

    output_dir: folder for the run log of each pipeline (NAME.log) and for summary.csv, which has a line for each pipeline.
    pipelines: names, each with a list of phases. A phase is a name and a function that returns a KernelTest, such as
        lambda: test_matmul_iter("fc", M=1000, K=2048, N=1).
    device_index: number of the GPU, as nvidia-smi counts; among those of CUDA_VISIBLE_DEVICES if it is set.

    A phase that cannot be measured, or whose function fails, is an entry of `errors`; the other phases are measured. If the folder has results, it is renamed first. Raises
    Error if it contains other files, or cannot be written.
    """
    folder = pathlib.Path(os.path.abspath(output_dir))
    names = [_file_name(name) for name, _ in pipelines]
    if len(set(names)) < len(names):
        raise Error(f"two pipelines have the same name ({', '.join(names)}); give each its own, because it names the run log")
    _make_folder(folder)
    tests: list[PipelineTest] = []
    with device(device_index):
        try:
            idle_W = profile_device_idle_power(device_index)
        except Error as error:
            print(f"idle power was not measured: {error}", file=sys.stderr)
            idle_W = None
        for name, phases in pipelines:
            tests.append(_measured(name, phases, idle_W, folder / f"{_file_name(name)}.log"))
            _write(folder / "summary.csv", _summary(tests))
    return tuple(tests)


@checked
def profile_device_idle_power(device_index: Index = 0, duration: Seconds = IDLE_SECONDS, source: str | None = None) -> float:
    """Returns the idle power of a GPU, in W, measured for `duration` seconds (`kjoule power idle`). Raises Error if there is no power meter.

    source: the meter, as --source names it; default: the first one that is available.
    """
    meter = [f"--source={source}"] if source else ["--gpu", visible_gpu(device_index)]
    output = run_kjoule(["power", "idle", "--json", "--duration", repr(float(duration)), *meter])
    found = output.json()
    if output.exit_code != 0 or not found:
        raise output.exception()
    return read(tuple[_IdleMeter, ...], found, "idle power")[0].mean_w


@dataclass(frozen=True)
class _IdleMeter:
    mean_w: float


def _file_name(name: str) -> str:
    return name.replace("/", "_")


def _make_folder(folder: pathlib.Path) -> None:
    """Makes an empty folder. One that has results is renamed first."""
    try:
        if folder.exists() and any(folder.iterdir()):
            summary = folder / "summary.csv"
            if not summary.is_file() or not summary.read_text(encoding="utf-8", errors="replace").startswith("pipeline,"):
                raise Error(f"{folder}: contains files that are no results of pipelines; choose another output_dir")
            aside = next(path for number in itertools.count(1) if not (path := folder.with_name(f"{folder.name}.{number}")).exists())
            folder.rename(aside)
            print(f"older results were moved to {aside}", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # ValueError: the root folder has no name
        cause = error.strerror if isinstance(error, OSError) else str(error)
        raise Error(f"{folder}: cannot be made a folder for results ({cause}); choose another output_dir") from error


def _write(path: pathlib.Path, text: str) -> None:
    """Writes a file of the new folder, or replaces an earlier state of it. A link in its place is not followed."""
    try:
        path.unlink(missing_ok=True)
        with path.open("x", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    except OSError as error:
        raise Error(f"{path}: cannot be written ({error.strerror}); free space, or choose another output_dir") from error


def _measured(name: str, phases: Sequence[Phase], idle_W: float | None, log: pathlib.Path) -> PipelineTest:
    results, errors, lines = [], [], ""
    for phase, test in phases:
        try:
            results.append(dataclasses.replace(_result(test), name=phase))
            lines += f"{_line(results[-1])}\n"
        except Exception as error:  # the function is the user's
            cause = str(error) if isinstance(error, Error) else describe_user_error(error)
            errors.append((phase, cause))
            lines += f"{phase}: was not measured: {cause}\n"
        _write(log, lines)
    done = PipelineTest(name, tuple(results), tuple(errors), idle_W)
    _write(log, f"{lines}{_sums(done)}\n")
    return done


def _result(test: Callable[[], KernelTest]) -> KernelTest:
    result = test()
    if not isinstance(result, KernelTest):
        raise Error(f"its function returns {type(result).__name__}; return the result of test_kernel_iter() or a similar function")
    return result


def _line(one: KernelTest) -> str:
    energy = "energy not measured" if one.avg_energy_J is None else f"{one.avg_power_W:.1f} W, {one.avg_energy_J:.6g} J"
    return f"{one.name}: {one.avg_latency_ms:.6f} ms, {energy} ({one.iters} iterations)"


def _sums(done: PipelineTest) -> str:
    parts = {"sum": (done.pipeline_latency_ms, "ms"), "slowest phase": (done.bottleneck_latency_ms, "ms"), "energy": (done.pipeline_energy_J, "J"),
             "energy as a pipeline": (done.pipeline_energy_with_idle_J, "J")}
    return f"{done.name}: " + ", ".join(f"{name} {value:.6g} {unit}" if value is not None else f"{name} not measured"
                                        for name, (value, unit) in parts.items())


def _distinct(names: Sequence[str]) -> list[str]:
    """Returns the names, each different from the others: a name that occurs again gets a number, as in "relu (2)"."""
    taken, distinct = set(names), []
    for name in names:
        if name in distinct:
            name = next(other for number in itertools.count(2) if (other := f"{name} ({number})") not in taken)
            taken.add(name)
        distinct.append(name)
    return distinct


def _summary(tests: Sequence[PipelineTest]) -> str:
    """Returns summary.csv, with the columns of `kjoule layers`."""
    rows = []
    for done in tests:
        row: dict[str, Any] = {"pipeline": done.name}
        for name, one in zip(_distinct([one.name for one in done.results]), done.results):
            row |= {f"layer_avg_latency_ms__{name}": one.avg_latency_ms, f"layer_avg_energy_J__{name}": one.avg_energy_J,
                    f"layer_avg_power_W__{name}": one.avg_power_W}
        row |= {"pipeline_latency_ms": done.pipeline_latency_ms, "pipeline_energy_J": done.pipeline_energy_J,
                "bottleneck_latency_ms": done.bottleneck_latency_ms, "pipeline_energy_with_idle_J": done.pipeline_energy_with_idle_J}
        rows.append(row)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
