"""The tools that are compared: how each is started and what is read from what it writes."""
import functools
import importlib.metadata
import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import kineto_trace
import ncu_output

PROGRAM = pathlib.Path(__file__).resolve().parent / "program.py"
NCU_PLACES = ["/usr/local/cuda/bin/ncu", "/usr/local/cuda-*/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu"]
NCU_OUTPUT = ["--metrics", ncu_output.METRIC, "--csv", "--page", "raw", "--print-units", "base"]
NCU_AS_FOUND = ["--clock-control", "none", "--cache-control", "none"]


@dataclass(frozen=True)
class Reading:
    """The figures of one row, in us. What the tool does not measure is None."""

    sum_us: float | None = None
    whole_us: float | None = None
    launches: int | None = None  # kernels for ncu, which does not see copies; None when a whole range is one workload
    more: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Programs:
    """Where the programs are that the tools need; None for one that was not found."""

    kjoule: pathlib.Path
    ncu: pathlib.Path | None


@dataclass(frozen=True)
class Tool:
    """One process that measures the iteration.

    `command` returns the options to show and the whole command line; `read` returns a reading for each title, from the folder that the process wrote
    to and from its output. Both raise RuntimeError or ValueError with the reason when the tool cannot measure.
    """

    titles: tuple[str, ...]
    command: Callable[[Programs, pathlib.Path], tuple[list, list]]
    read: Callable[[pathlib.Path, str], list[Reading]]
    version: Callable[[Programs], str]


def find_ncu(named):
    """Returns the path of ncu: the one that was named, else that in PATH, else the newest in NVIDIA's usual folders. None when there is none."""
    if named is not None:
        return named if named.is_file() else None
    found = shutil.which("ncu")
    if found:
        return pathlib.Path(found)
    return next((path for place in NCU_PLACES for path in sorted(pathlib.Path("/").glob(place[1:]), reverse=True)), None)


def first_words(command, pick):
    """Returns the line of a command's output that `pick` selects; an empty text when the command fails."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.splitlines() if done.returncode == 0 else []
    return next((line.strip() for line in lines if pick(line)), "")


def package_version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


@functools.cache
def ncu_version(programs):
    return first_words([programs.ncu, "--version"], lambda line: line.startswith("Version")).removeprefix("Version ").partition(" ")[0]


def kjoule_version(programs):
    return first_words([programs.kjoule, "--version"], bool).removeprefix("kjoule ")


def torch_version(_programs):
    return package_version("torch")


def profiler_version(programs):
    cupti = package_version("nvidia-cuda-cupti") or package_version("nvidia-cuda-cupti-cu12")
    return ", CUPTI ".join(version for version in (torch_version(programs), cupti) if version)


def python_program(mode):
    """Returns the command of a tool that is a mode of the program itself."""
    return lambda programs, folder: ([f"program.py {mode}"], [sys.executable, PROGRAM, mode, "--out", folder])


def ncu(title, mode, options, is_range=False):
    """Returns ncu with options over a mode of the program. A range or a graph is one workload, whose duration is a whole; else kernels are added up."""

    def command(programs, folder):
        if programs.ncu is None:
            raise RuntimeError(f"ncu is not installed: it is not in PATH, {', '.join(NCU_PLACES)}; --ncu PATH names it")
        shown = [*options, *NCU_OUTPUT]
        return [*shown, f"program.py {mode}"], [programs.ncu, *shown, "--log-file", folder / "ncu.log", sys.executable, PROGRAM, mode]

    def read(folder, output):
        durations = ncu_output.durations_us(ncu_text(folder, output))
        if not is_range:
            return [Reading(sum_us=sum(durations), launches=len(durations))]
        if len(durations) != 1:
            raise ValueError(f"ncu profiled {len(durations)} workloads instead of one")
        return [Reading(whole_us=durations[0])]

    return Tool((title,), command, read, ncu_version)


def ncu_text(folder, output):
    """Returns what ncu wrote to its log, followed by what was printed: ncu prints errors of its command line."""
    log = folder / "ncu.log"
    return (log.read_text(encoding="utf-8", errors="replace") + "\n" if log.exists() else "") + output


def read_pace(folder, _output):
    found = json.loads((folder / "pace.json").read_text())
    return [Reading(whole_us=found["whole_us"], more={key: found[key] for key in ("iterations", "events_us", "host_us", "spread_percent")})]


def read_profile(folder, _output):
    """Returns CUPTI's durations with and without gaps, and torch.profiler's total."""
    timeline = kineto_trace.read_timeline(folder / "trace.json")
    total = json.loads((folder / "profiler.json").read_text())["self_cuda_us"]
    return [Reading(timeline.durations_us, timeline.span_us, timeline.launches), Reading(sum_us=total, launches=timeline.launches)]


def read_graph_profile(folder, _output):
    timeline = kineto_trace.read_timeline(folder / "trace.json")
    return [Reading(timeline.durations_us, timeline.span_us, timeline.launches)]


def kjoule_command(programs, folder):
    if not os.access(programs.kjoule, os.X_OK):
        raise RuntimeError(f"{programs.kjoule} is missing: make build, or name another with --kjoule PATH")
    options = ["compare", "--no-energy", "--loop-seconds", "2"]
    return [*options, "program.py loop"], [programs.kjoule, *options, "--top", "0", "-o", folder / "results", "--", sys.executable, PROGRAM, "loop"]


def read_kjoule(folder, _output):
    report = json.loads((folder / "results/comparison_report.json").read_text())
    kept = ("verdict", "sum_half_width_percent", "sum_error_percent", "undisturbed_whole_us", "whole_clock_mhz", "paused_s", "findings")
    return [Reading(report["sum_us"], report["whole_us"], report["verification"]["launches"], {"kjoule": {key: report.get(key) for key in kept}})]


REFERENCE = "the program itself: CUDA graph back to back, CUDA events"

# In the order in which they run. ncu's defaults come last because they lock the GPU's clocks while they profile.
TOOLS = {
    "reference": Tool((REFERENCE,), python_program("pace"), read_pace, torch_version),
    "kjoule": Tool(("kjoule compare",), kjoule_command, read_kjoule, kjoule_version),
    "profiler": Tool(("CUPTI, eager: durations; with gaps", "torch.profiler, eager: self CUDA time"), python_program("profile-eager"), read_profile,
                     profiler_version),
    "profiler-graph": Tool(("CUPTI, CUDA graph: durations; with gaps",), python_program("profile-graph"), read_graph_profile, profiler_version),
    "ncu-as-found": ncu("ncu, clocks and caches as found", "eager", ["--profile-from-start", "off", *NCU_AS_FOUND]),
    "ncu-graph": ncu("ncu, whole CUDA graph", "graph", ["--profile-from-start", "off", "--graph-profiling", "graph", *NCU_AS_FOUND], is_range=True),
    "ncu-range": ncu("ncu, range replay", "eager", ["--replay-mode", "range", *NCU_AS_FOUND], is_range=True),
    "ncu-app-range": ncu("ncu, application range replay", "eager", ["--replay-mode", "app-range", *NCU_AS_FOUND], is_range=True),
    "ncu-app-range-graph": ncu("ncu, application range replay of the CUDA graph", "graph", ["--replay-mode", "app-range", *NCU_AS_FOUND], is_range=True),
    "ncu-clocks-as-found": ncu("ncu, clocks as found, caches flushed", "eager", ["--profile-from-start", "off", "--clock-control", "none"]),
    "ncu-defaults": ncu("ncu, defaults: base clocks, caches flushed", "eager", ["--profile-from-start", "off"]),
    "reference-again": Tool((f"{REFERENCE}, at the end",), python_program("pace"), read_pace, torch_version),
}
