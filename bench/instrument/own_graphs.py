"""Why does a program's own graph take another time than a copy of it? own_graphs.py CHAIN.so STREAMS.so [MODEL ...]

Prints JSON lines: what an iteration of the program's own graph takes back to back (host clock), and what copies of its launches take
between two stamps, with and without programmatic edges, together with what an empty kernel takes in the same state of the process.
"""
import argparse
import ctypes
import json
import time

import numpy as np
import torch

from chains import JOINED, Chain, Instance, Library
from models import MODELS, captured

PLAYS = 15


class EmptyKernels:
    def __init__(self, path):
        self.call = ctypes.CDLL(path).empty_kernel_us
        self.call.restype, self.call.argtypes = ctypes.c_double, [ctypes.c_void_p]

    def us(self, stream=0):
        return round(self.call(stream), 4)


def own_pace_us(graph, iterations=400):
    for _ in range(20):
        graph.replay()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(iterations):
        graph.replay()
    torch.cuda.synchronize()
    return round((time.perf_counter() - begin) / iterations * 1e6, 2)


def single_us(graph):
    """One replay at a time between two events, median."""
    values = []
    for _ in range(30):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        values.append(begin.elapsed_time(end) * 1e3)
    return round(float(np.median(values)), 2)


def copy_us(chain):
    """One iteration of a copy, between stamps after the first and after the second."""
    n = chain.length
    last = next(p for p in range(n - 1, -1, -1) if chain.may_stamp(p))
    instance = Instance(chain, [last, n + last], 3 * n)
    values = [instance.play()[0] for _ in range(PLAYS)]
    instance.close()
    return round(float(np.median(values)) * 1e-3, 2)


def without_edges(chain):
    chain.library.calls.forget_programmatic_edges(chain.handle)
    return chain


def report(model, what, **figures):
    print(json.dumps({"model": model, "what": what, **figures}), flush=True)


def study(name, library, empty):
    report(name, "before the model", empty_kernel_us=empty.us())
    graph, run = captured(MODELS[name])
    report(name, "captured, not instantiated", empty_kernel_us=empty.us())
    graph.instantiate()
    report(name, "instantiated", empty_kernel_us=empty.us())
    graph.replay()
    torch.cuda.synchronize()
    report(name, "replayed once", empty_kernel_us=empty.us())
    chain = Chain(library, graph.raw_cuda_graph())
    joined = int(np.sum(chain.types & JOINED != 0))
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        on_side = own_pace_us(graph)
    report(name, "own graph", launches=chain.length, programmatic_edges=joined, pace_us=own_pace_us(graph), pace_on_a_side_stream_us=on_side,
           single_us=single_us(graph), empty_kernel_us=empty.us())
    report(name, "copy with its programmatic edges", whole_us=copy_us(chain), empty_kernel_us=empty.us())
    report(name, "copy without them", whole_us=copy_us(without_edges(chain)), empty_kernel_us=empty.us())
    report(name, "own graph again", pace_us=own_pace_us(graph), empty_kernel_us=empty.us(), empty_kernel_on_side_us=empty.us(side.cuda_stream))
    del run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chain")
    parser.add_argument("streams")
    parser.add_argument("models", nargs="*", default=["llama", "resnet50"])
    options = parser.parse_args()
    library, empty = Library(options.chain), EmptyKernels(options.streams)
    for name in options.models:
        study(name, library, empty)


if __name__ == "__main__":
    main()
