"""Programs whose host memory changes (workloads/host_memory), both halves. README.md there describes the difficulty of each.

As in catalogue.py and judging.py, no constant of kjoule may be chosen by looking at results of the judging half.
"""
from dataclasses import dataclass

from catalogue import HERE, made

FOLDER = HERE / "workloads/host_memory"


@dataclass(frozen=True)
class HostMemoryProgram:
    name: str  # name of the source file, without .cu
    half: str
    arguments: tuple[str, ...] = ()

    def key(self):
        return " ".join([self.name, *self.arguments])

    def command(self, cache):
        return [cache / self.name, *self.arguments]

    def prepare(self, cache):
        made(["make", "-s", "-C", FOLDER, f"OUT={cache.resolve()}", cache.resolve() / self.name])


ADVICE = ["none", "read-mostly", "preferred-host", "preferred-device", "accessed-by", "prefetch"]
DELAYS = ["0", "500"]  # host delays of the two runs of the control, us; each delay occurs twice in an iteration
TUNING = ["value_each_step", "mapped_reads"]
JUDGING = ["pinned_double_buffer", "pinned_loader", "pageable_batches", "parameters_each_step", "copies_only", "large_copies",
           "mapped_parameters", "registered", "batch_copies", "host_functions", "symbols"]
PROGRAMS = {program.key(): program for program in [
    *(HostMemoryProgram("known_delays", "tuning", ("6000", delay)) for delay in DELAYS),
    *(HostMemoryProgram("sent_later", "tuning", (way,)) for way in ["bounce", "filled", "double"]),
    *(HostMemoryProgram(name, "tuning") for name in TUNING),
    *(HostMemoryProgram("managed_advice", "tuning", (way,)) for way in [*ADVICE, "variable"]),
    *(HostMemoryProgram(name, "judging") for name in JUDGING),
    *(HostMemoryProgram("managed_simulation", "judging", (way,)) for way in ADVICE)]}
