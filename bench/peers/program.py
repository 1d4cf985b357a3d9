#!/usr/bin/env python3
"""Runs one iteration of BLOOM-560M for a tool that measures it: program.py MODE [--out FOLDER]

The model is made and warmed up by tests/gpu/workloads/bloom.py. Each mode runs the same iteration:

eager          once, as PyTorch launches it, between cudaProfilerStart and cudaProfilerStop
graph          once, as a CUDA graph, between the same two calls
loop           until it is ended, as the script itself does it
profile-eager  under torch.profiler; writes trace.json and profiler.json
profile-graph  the same with the CUDA graph
pace           as a CUDA graph back to back; writes pace.json
"""
import argparse
import json
import math
import pathlib
import runpy
import statistics
import sys
import time

import torch

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tests/gpu/workloads/bloom.py"
TOKENS = 5
WARM_UP = 8
LOOP = 4000  # iterations; kjoule needs fewer and ends the program
READINGS = 3
SHORTEST_READING_S = 1.0


def constants_without_host_copies(original):
    """Returns a torch.tensor that makes a number on the GPU with a fill kernel.

    torch.tensor copies the number from pageable host memory, and a CUDA graph cannot contain such a copy. One launch takes the place of another.
    """
    def tensor(data, **options):
        device = options.get("device")
        if isinstance(data, (int, float)) and device is not None and torch.device(device).type == "cuda":
            return torch.full((), data, **options)
        return original(data, **options)
    return tensor


def run_script(iterations):
    """Runs the model script and returns its variables."""
    sys.argv = [str(SCRIPT), str(TOKENS), str(iterations)]
    return runpy.run_path(str(SCRIPT), run_name="__main__")


def eager_iteration():
    """Returns a function that runs the iteration of the script once more."""
    found = run_script(WARM_UP)
    model, tokens = found["model"], found["tokens"]

    def run():
        with torch.no_grad():
            return model(input_ids=tokens, use_cache=False).logits
    return run


def graph_iteration():
    """Returns a function that launches the iteration as a CUDA graph.

    Nothing is run in a second stream before: kernels in two streams make all later launches of the process slower (docs/design/instrument.md).
    """
    run = eager_iteration()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        logits = run()

    def replay():
        graph.replay()
        return logits
    for _ in range(WARM_UP):
        replay()
    torch.cuda.synchronize()
    return replay


def run_once(run):
    """Runs one iteration in the range that profilers watch; its work is complete when the range ends."""
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    run()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def run_under_profiler(run, folder):
    """Profiles one iteration after two that the profiler runs for warm-up."""
    from torch.profiler import ProfilerActivity, profile, schedule

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], schedule=schedule(wait=0, warmup=2, active=1, repeat=1),
                 on_trace_ready=lambda profiler: write_profile(profiler, folder)) as profiler:
        for _ in range(3):
            run()
            torch.cuda.synchronize()
            profiler.step()


def write_profile(profiler, folder):
    profiler.export_chrome_trace(str(folder / "trace.json"))
    (folder / "profiler.json").write_text(json.dumps({"self_cuda_us": self_cuda_us(profiler.key_averages())}))


def self_cuda_us(averages):
    """Returns the total that torch.profiler prints as "Self CUDA time total"."""
    return sum(average.self_device_time_total for average in averages
               if average.device_type == torch.autograd.DeviceType.CUDA and not average.is_user_annotation)


def times_us(run, count):
    """Returns the time of one of `count` iterations back to back, by CUDA events and by the host's clock."""
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin = time.perf_counter()
    first.record()
    for _ in range(count):
        run()
    last.record()
    torch.cuda.synchronize()
    host_s = time.perf_counter() - begin
    return 1e3 * first.elapsed_time(last) / count, 1e6 * host_s / count


def pace(run):
    """Returns what an iteration takes back to back, in readings of at least SHORTEST_READING_S; the clocks have risen before the first one."""
    warm_us = min(times_us(run, 200)[1] for _ in range(3))
    count = math.ceil(1.1e6 * SHORTEST_READING_S / warm_us)
    readings = [times_us(run, count) for _ in range(READINGS)]
    events = [by_events for by_events, _ in readings]
    middle = statistics.median(events)
    return {"iterations": count, "events_us": events, "host_us": [by_host for _, by_host in readings], "whole_us": middle,
            "spread_percent": 100 * (max(events) - min(events)) / middle}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["eager", "graph", "loop", "profile-eager", "profile-graph", "pace"])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder of the files that are written")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("program.py: PyTorch finds no GPU")
    torch.tensor = constants_without_host_copies(torch.tensor)
    if options.mode == "loop":
        run_script(LOOP)
        return
    run = eager_iteration() if options.mode in ("eager", "profile-eager") else graph_iteration()
    if options.mode == "pace":
        (options.out / "pace.json").write_text(json.dumps(pace(run)))
    elif options.mode in ("eager", "graph"):
        run_once(run)
    else:
        run_under_profiler(run, options.out)


if __name__ == "__main__":
    main()
