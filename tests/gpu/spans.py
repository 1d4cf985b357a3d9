"""Measures device spans of operators with PyTorch's profiler: python spans.py < SAMPLES.json > SPANS.json

SAMPLES is a list of [operator, precision, shape], with shapes as in docs/guide/sampling.md. Each output entry contains the
medians over passes of the time from the first kernel's begin to the last kernel's end, forward and backward, in us. The operators
are written here a second time, in Python, to check kjoule's own.
"""
import json
import pathlib
import statistics
import sys
import tempfile

import torch
import torch.nn.functional as F
from torch.profiler import ProfilerActivity, profile, record_function

WARMUP, PASSES = 5, 10
DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}


def linear(inputs, outputs, has_bias=False):
    """Returns an operator's maker: [l, b, inputs(dim, mp)] to outputs(dim, mp)."""
    def make(new, mp, b, l, dim):
        x, weight = new(l, b, inputs(dim, mp)), new(outputs(dim, mp), inputs(dim, mp))
        rest = [new(outputs(dim, mp))] if has_bias else []
        return (lambda: F.linear(x, weight, *rest)), [x, weight, *rest]
    return make


def gelu(new, mp, b, l, dim):
    x = new(l, b, 4 * dim // mp)
    return (lambda: F.gelu(x)), [x]


def layernorm(new, b, l, dim):
    x, weight, bias = new(l, b, dim), new(dim), new(dim)
    return (lambda: F.layer_norm(x, [dim], weight, bias)), [x, weight, bias]


def swiglu(new, mp, b, l, ffn):
    x = new(l, b, 2 * ffn // mp)

    def forward():
        gate, value = x.chunk(2, -1)
        return F.silu(gate) * value
    return forward, [x]


def softmax(new, mp, b, h, l):
    x = new(b, h // mp, l, l)
    return (lambda: F.softmax(x, -1)), [x]


def bmm(new, mp, b, h, l, dim):
    p, v = new(b * h // mp, l, l), new(b * h // mp, l, dim // h)
    return (lambda: torch.bmm(p, v)), [p, v]


def baddbmm(new, mp, b, h, l, dim):
    q, k = new(b * h // mp, l, dim // h), new(b * h // mp, dim // h, l)
    c = torch.empty(b * h // mp, l, l, dtype=q.dtype, device=q.device)
    return (lambda: torch.baddbmm(c, q, k, beta=0, alpha=1)), [q, k]


OPERATORS = {
    "gelu": gelu, "layernorm": layernorm, "swiglu": swiglu, "softmax": softmax, "bmm": bmm, "baddbmm": baddbmm,
    "linear1": linear(lambda dim, mp: dim, lambda dim, mp: 3 * dim // mp, has_bias=True),
    "linear2": linear(lambda dim, mp: dim // mp, lambda dim, mp: dim),
    "linear3": linear(lambda dim, mp: dim, lambda dim, mp: 4 * dim // mp),
    "linear4": linear(lambda dim, mp: 4 * dim // mp, lambda dim, mp: dim),
}


def one_pass(forward, inputs):
    """Runs one pass without waiting for the GPU: after a pause a kernel takes up to 5 % longer (bmm: 315 us instead of 301 us)."""
    with record_function("forward"):
        out = forward()
    gradient = torch.rand_like(out)  # the same values as in kjoule, because the power of a product depends on them
    with record_function("backward"):
        torch.autograd.grad(out, inputs, gradient)


def spans(trace):
    """Returns the spans of each range of the host within which kernels were launched, us, by the range's name."""
    events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    launched = {event["args"]["correlation"]: event["ts"] for event in events
                if event.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in event.get("args", {})}
    ran = [(launched[event["args"]["correlation"]], event["ts"], event["ts"] + event["dur"]) for event in events
           if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset") and event["args"].get("correlation") in launched]
    found = {"forward": [], "backward": []}
    for event in events:
        if event.get("cat") != "user_annotation" or event["name"] not in found:
            continue
        within = [(begin, end) for at, begin, end in ran if event["ts"] <= at <= event["ts"] + event["dur"]]
        if within:
            found[event["name"]].append(max(end for _, end in within) - min(begin for begin, _ in within))
    return found


def measured(operator, precision, shape):
    def new(*sizes):
        return torch.rand(sizes, dtype=DTYPES[precision], device="cuda", requires_grad=True)

    forward, inputs = OPERATORS[operator](new, *shape)
    for _ in range(WARMUP):
        one_pass(forward, inputs)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        for _ in range(PASSES):
            one_pass(forward, inputs)
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        found = spans(json.loads(path.read_text()))
    return {"operator": operator, "precision": precision, "shape": shape,
            **{f"{direction}_us": statistics.median(times) if times else None for direction, times in found.items()}}


if __name__ == "__main__":
    torch.manual_seed(0)
    print(json.dumps([measured(*sample) for sample in json.load(sys.stdin)]))
