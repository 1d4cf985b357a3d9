"""A workload under PyTorch's profiler: python profiled.py TRACE ITERATIONS[,ITERATIONS..] SCRIPT.py [ARGUMENTS]

The script runs unchanged; each of its own torch.cuda.synchronize() calls ends an iteration. Some iterations pass first.
Then ITERATIONS iterations are profiled, each as a ProfilerStep, and TRACE-ITERATIONS.json is written; this repeats for each
further number. Then the script is ended.
"""
import runpy
import sys

import torch
from torch.profiler import ProfilerActivity, profile, schedule

PASS_FIRST = 8


class Profiled:
    def __init__(self, trace, numbers):
        self.trace, self.numbers = trace, numbers
        self.synchronize = torch.cuda.synchronize
        self.left = PASS_FIRST
        self.profiler = None
        self.within = False

    def end_iteration(self, *arguments):
        self.synchronize(*arguments)
        if self.within:  # the profiler synchronizes, too
            return
        self.within = True
        self.left -= 1
        if self.profiler:
            self.profiler.step()
        if self.left == 0:
            self.begin_next()
        self.within = False

    def begin_next(self):
        if self.profiler:
            self.profiler.stop()
        if not self.numbers:
            sys.exit(0)
        self.left = number = self.numbers.pop(0)
        self.profiler = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                                schedule=schedule(wait=0, warmup=0, active=number, repeat=1),
                                on_trace_ready=lambda profiler: profiler.export_chrome_trace(f"{self.trace}-{number}.json"))
        self.profiler.start()


if __name__ == "__main__":
    torch.cuda.synchronize = Profiled(sys.argv[1], [int(number) for number in sys.argv[2].split(",")]).end_iteration
    sys.argv = sys.argv[3:]
    runpy.run_path(sys.argv[0], run_name="__main__")
