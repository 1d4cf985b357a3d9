"""A workload under PyTorch's profiler: python profiled.py TRACE.json ITERATIONS SCRIPT.py [ARGUMENTS]

The script runs unchanged: each torch.cuda.synchronize() of its own ends an iteration. Some pass first; then so many are
profiled, each a ProfilerStep, the trace is written, and the script is ended.
"""
import runpy
import sys

import torch
from torch.profiler import ProfilerActivity, profile, schedule

PASS_FIRST = 8


class Profiled:
    def __init__(self, trace, iterations):
        self.trace, self.iterations = trace, iterations
        self.synchronize = torch.cuda.synchronize
        self.seen = 0
        self.profiler = None

    def end_iteration(self, *arguments):
        self.synchronize(*arguments)
        self.seen += 1
        if self.seen == PASS_FIRST:
            self.profiler = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                                    schedule=schedule(wait=0, warmup=0, active=self.iterations, repeat=1),
                                    on_trace_ready=lambda profiler: profiler.export_chrome_trace(self.trace))
            self.profiler.start()
        elif self.seen > PASS_FIRST:
            self.profiler.step()
        if self.seen == PASS_FIRST + self.iterations:
            self.profiler.stop()
            sys.exit(0)


if __name__ == "__main__":
    torch.cuda.synchronize = Profiled(sys.argv[1], int(sys.argv[2])).end_iteration
    sys.argv = sys.argv[3:]
    runpy.run_path(sys.argv[0], run_name="__main__")
