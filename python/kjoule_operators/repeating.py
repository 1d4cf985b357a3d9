"""The directions of sampled operators as a device of kjoule (src/device/device.hpp), whose tracks repeat them back to back for a power meter."""
import itertools
import time

import torch

from .operators import OperatorError, synchronize

CALLS = ["forward", "backward", "step"]  # the directions that sampled_call() of src/device/sample_protocol.cpp numbers


class Track:
    """Copies of the work of some directions, one after another: on a GPU as a CUDA graph if it is one direction."""

    def __init__(self, runs, copies, device):
        self.runs, self.copies, self.device = runs, copies, device
        self.done = []  # of each enqueue that was not yet waited for: a function that returns its durations and times
        self.graph = graph_of(runs[0], copies) if device.type == "cuda" and len(runs) == 1 else None

    def run(self):
        if self.graph:
            self.graph.replay()
            return
        for run in self.runs:
            for _ in range(self.copies):
                run()

    def enqueue(self, repeats):
        self.done.append((self.on_the_cpu if self.device.type == "cpu" else self.on_a_gpu)(repeats))

    def on_the_cpu(self, repeats):
        begin, seconds = time.monotonic_ns(), []
        for _ in range(repeats):
            before = time.monotonic_ns()
            self.run()
            seconds.append((time.monotonic_ns() - before) * 1e-9)
        end = time.monotonic_ns()
        return lambda: (seconds, begin, end)

    def on_a_gpu(self, repeats):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(repeats):
            self.run()
        end.record()

        def times():
            end.synchronize()
            now, seconds = time.monotonic_ns(), begin.elapsed_time(end) * 1e-3
            return [seconds], now - int(seconds * 1e9), now

        return times

    def wait(self):
        seconds, begin, end = self.done.pop(0)()
        return {"seconds": seconds, "clock_hz": [], "begin_ns": begin, "end_ns": end}


def graph_of(run, copies):
    """Returns a CUDA graph with copies of the work, which must have run on the current stream before."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
        for _ in range(copies):
            run()
    return graph


class RepeatedOperators:
    """Answers the requests to a device. The state of only one sample exists at a time."""

    def __init__(self, operator, requests, device):
        if not hasattr(operator, "directions"):
            raise OperatorError("the directions of a function cannot be repeated separately, which their energy needs", "write the operator as a torch.nn.Module, or omit --energy")
        self.operator, self.requests, self.device = operator, requests, device
        self.prepared = None  # the number of a sample, and its directions
        self.places = []  # for each launch, the number of its sample and its direction
        self.tracks, self.numbers = {}, itertools.count(1)
        if device.type == "cuda":
            torch.cuda.set_stream(torch.cuda.Stream(device))  # not the default stream, which cannot be captured

    def info(self):
        described = {"kind": self.device.type, "threads": torch.get_num_threads() if self.device.type == "cpu" else 0, "torch": torch.__version__}
        if self.device.type == "cuda":
            described["uuid"] = f"GPU-{torch.cuda.get_device_properties(self.device).uuid}"
        rank = dict.fromkeys(["rank", "ranks", "local_rank", "local_ranks", "gpu", "board"])
        return {"description": described, "can_time_between_launches": False, "runs_program": False, "recordable": True, "keeps_timeline": False, "rank": rank}

    def record(self, _):
        launches = []
        for number, request in enumerate(self.requests):
            for name, run in self.directions(number).items():
                kernels = names_of_kernels(run, self.device) or [name]
                self.places += [(number, name)] * len(kernels)
                detail = {"ranges": [f"kjoule call {number * len(CALLS) + CALLS.index(name)}"]}
                launches += [{"name": kernel, "tier": 0, "signature": f"{request['operator']} {name} {kernel}", "detail": detail} for kernel in kernels]
        return {"program": {"kind": "operators in Python"}, "device": self.info()["description"], "launches": launches, "edges": {"lead": 0, "tail": 0}}

    def directions(self, number):
        """Returns the directions of a sample; those of another sample end."""
        if self.prepared is None or self.prepared[0] != number:
            synchronize(self.device)
            for track in self.tracks.values():
                track.runs, track.graph = [], None
            self.prepared = None  # frees its memory before that of the next one is allocated
            request = self.requests[number]
            self.prepared = number, self.operator.directions(request["shape"], request["precision"], self.device, request["wants_backward"])
        return self.prepared[1]

    def open(self, request):
        spec = request["spec"]
        wanted = [place for place, _ in itertools.groupby(self.places[launch] for launch in spec["only"])]
        if len(wanted) > 1:  # all work once, sample by sample
            runs = [lambda number=number, name=name: self.directions(number)[name]() for number, name in wanted]
            track = Track(runs, spec["plain"], torch.device("cpu"))
        else:
            track = Track([self.directions(wanted[0][0])[wanted[0][1]]], spec["plain"], self.device)
        number = next(self.numbers)
        self.tracks[number] = track
        return {"track": number}

    def enqueue(self, request):
        self.tracks[request["track"]].enqueue(request["repeats"])

    def wait(self, request):
        return self.tracks[request["track"]].wait()

    def close(self, request):
        self.tracks.pop(request["track"])


def names_of_kernels(run, device):
    """Returns the names of what the work runs once: on a GPU its kernels, copies and memsets, on a CPU the outermost operators of PyTorch."""
    run()  # loads kernels
    activities = [torch.profiler.ProfilerActivity.CPU] + [torch.profiler.ProfilerActivity.CUDA] * (device.type == "cuda")
    with torch.profiler.profile(activities=activities, acc_events=True) as profile:
        run()
        synchronize(device)
    if device.type == "cuda":
        return [event.name for event in profile.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    return [event.name for event in profile.events() if event.name.startswith("aten::") and not within_operator(event)]


def within_operator(event):
    while event.cpu_parent is not None:
        event = event.cpu_parent
        if event.name.startswith("aten::"):
            return True
    return False
