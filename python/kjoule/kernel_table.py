"""The kernels that `kjoule kernels` lists."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .reading import read
from .report import Report
from .reports import RunReport


@dataclass(frozen=True)
class Kernel:
    """A kernel, copy or memset. A value that is not known for the kind of source is None."""

    name: str
    """Full name of the kernel, or kind of the copy."""
    short_name: str
    """Short name of the kernel, different from those of the other kernels."""
    count: float
    """Launches in one iteration; in the whole run for a program, and in the whole trace or table if its number of iterations is unknown."""
    tier: Any
    """Origin of the kernel: 1 CUDA runtime, 2 vendor library, 3 framework, or "unknown"."""
    category: str | None = None
    """What the kernel does, such as gemm or softmax."""
    operator: str | None = None
    """Operator that launched the kernel."""
    mean_us: float | None = None
    """Mean time of one launch by the profiler. Unit: us."""
    each_us: float | None = None
    """Mean time of one launch in context, measured by replay. Unit: us."""
    total_us: float | None = None
    """Time of all `count` launches: in context if the source has this time, otherwise by the profiler, where it is count x mean_us. Unit: us."""
    half_width_us: float | None = None
    """Half-width of the 95 % interval of total_us. Unit: us."""
    isolated_each_us: float | None = None
    """Mean time of one launch that is repeated back to back. Unit: us."""
    share_percent: float | None = None
    """Share of the time of all kernels. Unit: %."""
    grid: tuple[int, ...] | None = None
    """Number of blocks in each dimension of the grid. Unit: blocks."""
    block: tuple[int, ...] | None = None
    """Number of threads in each dimension of a block. Unit: threads."""
    bytes: float | None = None
    """Size of one copy or memset; its mean for a program's run. Unit: B."""
    signature: str | None = None
    """Signature of the kernel: launches that share it are one kernel."""


@dataclass(frozen=True)
class KernelTable(Report):
    """The kernels of a recording, results folder, trace, table or run."""

    _rows: ClassVar[str | None] = "kernels"

    kernels: tuple[Kernel, ...]
    """The kernels, the one with the longest total time first."""
    summary: Mapping[str, Any] | None
    """Source, device, iterations and launches of a trace or table, as `kjoule kernels --json` prints them; None for other sources."""
    run: RunReport | None
    """The whole run of a program; None for other sources."""

    @staticmethod
    def read(data: Any) -> KernelTable:
        """Returns the table for the JSON that `kjoule kernels --json` prints. Raises Error for other JSON."""
        if isinstance(data, list):
            return KernelTable(tuple(_kernel_of_iteration(row) for row in data), None, None)
        table = read(_Table, data, "KernelTable")
        if table.summary is not None:
            return KernelTable(tuple(_kernel_of_trace(row) for row in table.kernels), table.summary, None)
        return KernelTable(tuple(_kernel_of_run(row) for row in table.kernels), None, read(RunReport, data))


@dataclass(frozen=True)
class _Table:
    """A table, and the summary of a trace or table; the report of a program's run has none."""

    kernels: tuple[Any, ...]
    summary: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class _OfIteration:
    bytes_moved: float | None = None


@dataclass(frozen=True)
class _OfTrace:
    invocation_count: float


@dataclass(frozen=True)
class _OfRun:
    total_ms: float


def _kernel_of_iteration(row: Any) -> Kernel:
    """Reads a kernel of a recording or results folder, which has the size of a copy by another name."""
    return dataclasses.replace(read(Kernel, row), bytes=read(_OfIteration, row, "Kernel").bytes_moved)


def _kernel_of_trace(row: Any) -> Kernel:
    """Reads a kernel of a trace or table, whose total time is that of all its iterations, while the count is that of one, or null if the number of
    iterations is unknown."""
    kernel = read(Kernel, {**row, "count": read(_OfTrace, row, "Kernel").invocation_count})
    return dataclasses.replace(kernel, total_us=None if kernel.mean_us is None else kernel.count * kernel.mean_us)


def _kernel_of_run(row: Any) -> Kernel:
    """Reads a kernel of a program's run, which has the bytes of all its copies together."""
    kernel, run = read(Kernel, row), read(_OfRun, row, "Kernel")
    size = None if kernel.bytes is None or not kernel.count else kernel.bytes / kernel.count
    return dataclasses.replace(kernel, total_us=1e3 * run.total_ms, bytes=size)
