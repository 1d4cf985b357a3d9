#!/usr/bin/env python3
"""How to keep state exact while launches are played again in place (GPU): methods side by side, one row each.

usage: bench/state/experiment.py WORKLOAD [--rounds 8] [--windows 2 3 4] -o ROWS.jsonl

Needs a GPU, torch, transformers, cupy and cuda-bindings. For every launch i of a captured iteration it finds the pages
that i writes (a hash of every page of device memory after each launch) and keeps what stood there before. Then sweeps
by differences are played in one graph, T(window) and T(window + i) between event nodes, with state put back

  none     never
  undo     before each timed stretch, what the window and i wrote
  changed  the same, but only where playing the window again changes bits
  inside   as undo, but within the timed stretches, each of which plays its place four times
  prefix   by playing the iteration from its start up to the window (places in steps of --prefix-step only)

and compared with the whole: 20 iterations in one stretch, in every round.
"""
import argparse
import ctypes
import json
import pathlib
import statistics
import sys
import time

import cupy
import numpy
import torch
from cuda.bindings import driver

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import workloads  # noqa: E402
from memory import COPY, PAGE, Memory, check  # noqa: E402


class Iteration:
    """A captured iteration as launches that can be put into new graphs."""

    def __init__(self, graph):
        raw = driver.CUgraph(graph.raw_cuda_graph())
        nodes, count = check(driver.cuGraphGetNodes(raw, 1 << 20))
        self.nodes = nodes[:count]
        self.context = check(driver.cuCtxGetCurrent())
        self.params, self.names = [], []
        for node in self.nodes:
            if check(driver.cuGraphNodeGetType(node)) == driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL:
                params = check(driver.cuGraphKernelNodeGetParams(node))
                name = check(driver.cuFuncGetName(params.func)) if int(params.func) else check(
                    driver.cuKernelGetName(params.kern))
                self.params.append(params)
                self.names.append((name, params.gridDimX, params.gridDimY, params.gridDimZ, params.blockDimX))
            else:
                self.params.append(check(driver.cuGraphMemsetNodeGetParams(node)))
                self.names.append(("memset",))
        place = {int(node): i for i, node in enumerate(self.nodes)}
        begins, ends, data, count = check(driver.cuGraphGetEdges(raw, 1 << 20))
        self.edges = {(place[int(a)], place[int(b)]): d for a, b, d in list(zip(begins, ends, data))[:count]}
        assert all((i, i + 1) in self.edges for i in range(len(self.nodes) - 1)), "not one chain"
        self.size = len(self.nodes)


class Builder:
    """A graph that is one chain of launches, page copies and event records."""

    def __init__(self, iteration):
        self.iteration = iteration
        self.graph = check(driver.cuGraphCreate(0))
        self.last, self.last_place = None, None
        self.events = []
        self.kept = []

    def _append(self, node, edge=None):
        if self.last is not None:
            data = [edge if edge is not None else driver.CUgraphEdgeData()]
            check(driver.cuGraphAddDependencies(self.graph, [self.last], [node], data, 1))
        self.last = node

    def launch(self, place):
        it = self.iteration
        if it.names[place] == ("memset",):
            node = check(driver.cuGraphAddMemsetNode(self.graph, None, 0, it.params[place], it.context))
        else:
            node = check(driver.cuGraphAddKernelNode(self.graph, None, 0, it.params[place]))
            check(driver.cuGraphKernelNodeCopyAttributes(node, it.nodes[place]))
        edge = it.edges.get((self.last_place, place)) if self.last_place is not None else None
        self._append(node, edge)
        self.last_place = place

    def copy(self, images):
        if images is None:
            return
        to, source, pages = images
        params = driver.CUDA_KERNEL_NODE_PARAMS()
        params.func = driver.CUfunction(COPY.kernel.ptr)
        params.gridDimX, params.gridDimY, params.gridDimZ = min(pages, 264), 1, 1
        params.blockDimX, params.blockDimY, params.blockDimZ = 256, 1, 1
        params.kernelParams = ((to.data.ptr, source.data.ptr, pages), (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int))
        self.kept.append((images, params))
        self._append(check(driver.cuGraphAddKernelNode(self.graph, None, 0, params)))
        self.last_place = None

    def event(self):
        event = check(driver.cuEventCreate(0))
        self._append(check(driver.cuGraphAddEventRecordNode(self.graph, None, 0, event)))
        self.events.append(event)
        self.last_place = None

    def finished(self):
        return Playable(check(driver.cuGraphInstantiate(self.graph, 0)), self.events, self.kept)


class Playable:
    def __init__(self, executable, events, kept):
        self.executable, self.events, self.kept = executable, events, kept

    def play(self):
        check(driver.cuGraphLaunch(self.executable, 0) + (None,))

    def stretches_us(self):
        check(driver.cuCtxSynchronize() + (None,))
        return [1e3 * check(driver.cuEventElapsedTime(a, b)) for a, b in zip(self.events[::2], self.events[1::2])]


class State:
    """What each launch writes, and what stood there before it."""

    def __init__(self, iteration, memory):
        self.memory = memory
        single = [self._alone(iteration, i) for i in range(iteration.size)]
        start = memory.copied()
        before = memory.hashes()
        self.written = []
        began = time.monotonic()
        for play in single:
            play.play()
            after = memory.hashes()
            self.written.append(cupy.asnumpy(cupy.nonzero(after != before)[0]))
            before = after
        self.end = before
        self.find_s = time.monotonic() - began
        memory.restoring(start)
        del start
        cupy.get_default_memory_pool().free_all_blocks()
        self.images = []
        for pages, play in zip(self.written, single):
            image = cupy.cuda.alloc(max(1, len(pages)) * PAGE)
            if len(pages):
                source = memory.addresses(pages)
                to = numpy.uint64(image.ptr) + numpy.arange(len(pages), dtype=numpy.uint64) * numpy.uint64(PAGE)
                COPY((min(len(pages), 264),), (256,), (cupy.asarray(to), cupy.asarray(source), len(pages)))
            self.images.append(image)
            play.play()
        torch.cuda.synchronize()
        self.repeats = bool((memory.hashes() == self.end).all())

    @staticmethod
    def _alone(iteration, place):
        builder = Builder(iteration)
        builder.launch(place)
        return builder.finished()

    def undo(self, first, end):
        """Page copies that lead from the state after launch end - 1 to the state before launch `first`."""
        source_of = {}
        for place in reversed(range(first, end)):
            for k, page in enumerate(self.written[place]):
                source_of[int(page)] = self.images[place].ptr + k * PAGE
        if not source_of:
            return None
        pages = numpy.fromiter(source_of, dtype=numpy.int64)
        source = numpy.fromiter(source_of.values(), dtype=numpy.uint64)
        return cupy.asarray(self.memory.addresses(pages)), cupy.asarray(source), len(pages)


def whole(iteration, repeats=20):
    builder = Builder(iteration)
    builder.event()
    for _ in range(repeats):
        for place in range(iteration.size):
            builder.launch(place)
    builder.event()
    return builder.finished()


def changed_places(iteration, state, window):
    """Places at which playing the window again, from the state after it, does not lead to the same state."""
    play = [State._alone(iteration, i) for i in range(iteration.size)]
    changed = set()
    expected = state.memory.hashes()
    back = state.undo(0, iteration.size)
    COPY((264,), (256,), back)
    for place in range(iteration.size):
        before = state.memory.hashes()
        for i in range(max(0, place - window), place):
            play[i].play()
        if not bool((state.memory.hashes() == before).all()):
            changed.add(place)
            images = state.undo(max(0, place - window), place)
            # the replay may have written what the launches wrote, nothing else: putting back and playing is exact
            COPY((min(images[2], 264),), (256,), images)
            for i in range(max(0, place - window), place):
                play[i].play()
        play[place].play()
    torch.cuda.synchronize()
    return changed, bool((state.memory.hashes() == expected).all())


def sweep(iteration, state, window, method, changed=frozenset()):
    """One graph that ends in the state in which the iteration ends; per launch two stretches."""
    builder = Builder(iteration)
    builder.copy(state.undo(0, iteration.size))
    for place in range(iteration.size):
        first = max(0, place - window)
        back = None
        if method == "undo" or (method == "changed" and place in changed):
            back = state.undo(first, place)
        for with_it in (False, True):
            builder.copy(back)
            builder.event()
            for i in range(first, place):
                builder.launch(i)
            if with_it:
                builder.launch(place)
            builder.event()
    return builder.finished()


def inside(iteration, state, window, repeats=4):
    """State put back within the timed stretches, each of which plays its place several times."""
    builder = Builder(iteration)
    builder.copy(state.undo(0, iteration.size))
    for place in range(iteration.size):
        first = max(0, place - window)
        now = place
        for with_it in (False, True):
            builder.event()
            for _ in range(repeats):
                builder.copy(state.undo(first, now))
                for i in range(first, place):
                    builder.launch(i)
                if with_it:
                    builder.launch(place)
                now = place + with_it
            builder.event()
    return builder.finished()


def prefix_sweep(iteration, state, window, places):
    builder = Builder(iteration)
    now = iteration.size
    for place in places:
        first = max(0, place - window)
        for with_it in (False, True):
            builder.copy(state.undo(0, now))
            for i in range(first):
                builder.launch(i)
            builder.event()
            for i in range(first, place):
                builder.launch(i)
            if with_it:
                builder.launch(place)
            builder.event()
            now = place + with_it
    for i in range(now, iteration.size):
        builder.launch(i)
    return builder.finished()


def differences(stretches):
    return [b - a for a, b in zip(stretches[::2], stretches[1::2])]


def nonfinite(memory):
    bad = 0
    for address, pages in memory.segments:
        view = cupy.ndarray((pages * PAGE // 2,), cupy.float16, cupy.cuda.MemoryPointer(
            cupy.cuda.UnownedMemory(address, pages * PAGE, None), 0))
        bad += int((~cupy.isfinite(view)).sum())
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workload", choices=list(workloads.WORKLOADS))
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--windows", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--prefix-step", type=int, default=8)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    graph = workloads.capture(options.workload)
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    iteration, memory = Iteration(graph), Memory()
    state = State(iteration, memory)
    bytes_kept = sum(len(w) for w in state.written) * PAGE
    common = {"workload": options.workload, "launches": iteration.size, "gpu": torch.cuda.get_device_name(),
              "pages": memory.pages, "image_mib": bytes_kept / 2**20, "find_write_sets_s": state.find_s,
              "second_pass_equal": state.repeats}
    print(json.dumps(common), flush=True)
    start_bad = nonfinite(memory)
    base = whole(iteration)

    def whole_us():
        base.play()
        return base.stretches_us()[0] / 20

    def report(method, window, playable, to_sum, **more):
        playable.play()
        playable.stretches_us()
        whole_us()
        ratios, launches = [], []
        for _ in range(options.rounds):
            before = whole_us()
            playable.play()
            stretches = playable.stretches_us()
            equal = bool((memory.hashes() == state.end).all())
            bad = nonfinite(memory) - start_bad
            ratios.append(to_sum(stretches) / ((before + whole_us()) / 2))
            launches.append(differences(stretches))
        row = {**common, "method": method, "window": window, "sum_over_whole": statistics.median(ratios),
               "ratios": ratios, "end_state_equal": equal, "new_nonfinite": bad,
               "launch_us": [statistics.median(x) for x in zip(*launches)], "whole_us": whole_us(), **more}
        with options.output.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{options.workload} {method:<8} w {window} sum/whole {row['sum_over_whole']:.4f} "
              f"[{min(ratios):.4f}, {max(ratios):.4f}] end state equal {equal} new non-finite {bad}", flush=True)

    def total(stretches):
        return sum(differences(stretches))

    for window in options.windows:
        for method in ("undo", "none"):
            report(method, window, sweep(iteration, state, window, method), total)
        changed, exact = changed_places(iteration, state, window)
        report("changed", window, sweep(iteration, state, window, "changed", changed), total,
               changed_places=len(changed), exact=exact)
    window = options.windows[-1]
    report("inside", window, inside(iteration, state, window), lambda s: total(s) / 4)
    # prefix: against the same places of an undo sweep, since not all are played
    places = list(range(0, iteration.size, options.prefix_step))
    full = sweep(iteration, state, window, "undo")
    full.play()
    full.stretches_us()
    full.play()
    same = differences(full.stretches_us())
    began = time.monotonic()
    some = prefix_sweep(iteration, state, window, places)
    report("prefix", window, some, lambda s: total(s), places=len(places),
           undo_same_places_us=sum(same[p] for p in places), build_and_play_s=time.monotonic() - began)


if __name__ == "__main__":
    main()
