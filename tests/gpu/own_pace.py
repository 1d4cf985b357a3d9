"""Measures its own pace, and then iterates until it is ended, so that kjoule can measure it: python own_pace.py WORKLOAD PACE.json

The pace is the time of an iteration in a row of iterations back to back, between two readings of the host's clock at which the
device has no work; it is measured three times. Each of the iterations that follow is an NVTX range "iteration". This range does
not occur before, so that kjoule --range iteration does not pause the program while it measures its pace.
"""
import json
import math
import pathlib
import statistics
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "bench/instrument"))
from models import DEVICE, captured, llama, resnet  # noqa: E402

TIMES = 3
AT_LEAST_S = 1.0
RANGE = "iteration"


def graph_of(make):
    graph, model = captured(make)

    def iterate():
        graph.replay()
        return model  # keeps the memory that the graph uses
    return iterate


def products():
    """Kernels of 60 us and more, which the host launches faster than they run, so that the device never waits for the host."""
    left, right, product = (torch.randn(4096, 4096, device=DEVICE, dtype=torch.bfloat16) for _ in range(3))
    values, others = (torch.rand(1 << 26, device=DEVICE, dtype=torch.bfloat16) for _ in range(2))

    def iterate():
        for _ in range(3):
            torch.mm(left, right, out=product)
            torch.sigmoid(values, out=others)
            torch.mul(others, 0.5, out=values)
            torch.cos(values, out=others)
    return iterate


WORKLOADS = {"resnet50-graph": lambda: graph_of(resnet), "llama-graph": lambda: graph_of(llama), "eager-products": products}


def seconds_of(iterate, count):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        iterate()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


def pace(iterate):
    """Returns, for each repetition, the number of iterations and the time of one in us. The clocks have risen before the first."""
    warm_s = min(seconds_of(iterate, 100) for _ in range(3)) / 100
    count = math.ceil(1.1 * AT_LEAST_S / warm_s)
    seconds = [seconds_of(iterate, count) for _ in range(TIMES)]
    us = [1e6 * each / count for each in seconds]
    middle = statistics.median(us)
    return {"iterations": count, "shortest_s": min(seconds), "us": us, "median_us": middle, "spread_percent": 100 * (max(us) - min(us)) / middle}


def main():
    torch.manual_seed(0)
    with torch.no_grad():
        iterate = WORKLOADS[sys.argv[1]]()
        path = pathlib.Path(sys.argv[2])
        path.write_text(json.dumps({"workload": sys.argv[1], "torch": torch.__version__, **pace(iterate)}))
        while True:
            with torch.cuda.nvtx.range(RANGE):
                iterate()


if __name__ == "__main__":
    main()
