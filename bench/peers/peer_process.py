"""Runs one tool within a time limit and reads the GPU's clocks meanwhile."""
import os
import signal
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass

SETTLE_S = 10  # that a process has for its end after SIGTERM
CLOCK_INTERVAL_MS = 500


@dataclass(frozen=True)
class Finished:
    """How a command ended. `code` is None when it was ended by the time limit; `output` has standard output and error."""

    code: int | None
    output: str
    seconds: float


def run_limited(command, limit_s):
    """Runs a command in its own process group, which is ended as a whole at the limit. Raises OSError when the command cannot be started."""
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait(timeout=max(limit_s, 0))
        except subprocess.TimeoutExpired:
            code = None
            end_group(process)
        seconds = time.monotonic() - begin
        output.seek(0)
        return Finished(code, output.read(), seconds)


def end_group(process):
    """Asks the group to end, so that a profiler can restore the clocks, and kills what is left of it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(timeout=SETTLE_S)
        except subprocess.TimeoutExpired:
            pass


class ClockLog:
    """Logs the clocks of a GPU by nvidia-smi inside a with statement. Without nvidia-smi, `summary` is empty."""

    def __init__(self, gpu):
        self.gpu, self.process, self.file = gpu, None, None

    def __enter__(self):
        self.file = tempfile.TemporaryFile("w+")
        query = ["nvidia-smi", "-i", self.gpu, "--query-gpu=clocks.sm,clocks.mem", "--format=csv,noheader,nounits", "-lms", str(CLOCK_INTERVAL_MS)]
        try:
            self.process = subprocess.Popen(query, stdin=subprocess.DEVNULL, stdout=self.file, stderr=subprocess.DEVNULL)
        except OSError:
            pass
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.terminate()
            self.process.wait()
        self.file.seek(0)
        self.lines = self.file.read().splitlines()
        self.file.close()

    def summary(self):
        return clock_summary(self.lines)


def clock_summary(lines):
    """Returns the median and the highest clocks of lines such as "1980, 2619", in MHz. Lines without numbers are left out."""
    values = [line.split(",") for line in lines]
    values = [tuple(map(int, pair)) for pair in values if len(pair) == 2 and all(word.strip().isdigit() for word in pair)]
    if not values:
        return {}
    processors, memory = zip(*values)
    return {"sm_mhz_median": statistics.median(processors), "sm_mhz_highest": max(processors), "memory_mhz_highest": max(memory)}
