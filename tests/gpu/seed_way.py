"""Measures five layers as the seed's per-layer tool does, without kjoule: python seed_way.py NETWORK.yaml

A CUDA graph of 100 copies with equal inputs is repeated for 20 s, and the energy counter is read before and after.
Writes the same layers as a network for kjoule, and prints a JSON line for each layer: name, and latency_ms and energy_j
of one copy.
"""
import ctypes
import json
import pathlib
import sys
import time

import torch

COPIES = 100
SECONDS = 20


def half(*shape):
    return torch.randn(shape, device="cuda", dtype=torch.float16) * 0.1


def conv(channels, outputs, size, kernel, stride=1):
    x, weight = half(1, channels, size, size), half(outputs, channels, kernel, kernel)
    return lambda: torch.conv2d(x, weight, stride=stride, padding=kernel // 2)


def matmul(rows, inner, columns):
    x, weight = half(rows, inner), half(columns, inner)
    return lambda: torch.nn.functional.linear(x, weight)


def softmax(rows, width):
    x = half(rows, width)
    return lambda: torch.softmax(x, -1)


LAYERS = {
    "conv3x3": (lambda: conv(64, 64, 56, 3), "{name: conv3x3, kind: conv, N: 1, C: 64, M: 64, P: 56, Q: 56, R: 3, S: 3, HS: 1, WS: 1}"),
    "conv1x1": (lambda: conv(256, 1024, 14, 1), "{name: conv1x1, kind: conv, N: 1, C: 256, M: 1024, P: 14, Q: 14, R: 1, S: 1, HS: 1, WS: 1}"),
    "ffn": (lambda: matmul(2048, 4096, 11008), "{name: ffn, kind: matmul, M: 2048, K: 4096, N: 11008}"),
    "decode": (lambda: matmul(8, 9216, 36864), "{name: decode, kind: matmul, M: 8, K: 9216, N: 36864}"),
    "softmax": (lambda: softmax(16384, 2048), "{name: softmax, kind: softmax, rows: 16384, width: 2048}"),
}


class EnergyCounter:
    def __init__(self):
        self.library = ctypes.CDLL("libnvidia-ml.so.1")
        self.handle = ctypes.c_void_p()
        uuid = f"GPU-{torch.cuda.get_device_properties(torch.cuda.current_device()).uuid}".encode()
        if self.library.nvmlInit_v2() or self.library.nvmlDeviceGetHandleByUUID(uuid, ctypes.byref(self.handle)):
            sys.exit("seed_way: no NVML for this GPU")

    def joules(self):
        millijoules = ctypes.c_ulonglong()
        if self.library.nvmlDeviceGetTotalEnergyConsumption(self.handle, ctypes.byref(millijoules)):
            sys.exit("seed_way: the energy counter cannot be read")
        return millijoules.value * 1e-3


def measure(layer, counter):
    for _ in range(3):
        layer()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(COPIES):
            layer()
    graph.replay()
    torch.cuda.synchronize()
    begin = time.monotonic()
    graph.replay()
    torch.cuda.synchronize()
    replays = max(1, int(SECONDS / (time.monotonic() - begin)))
    before, begin = counter.joules(), time.monotonic()
    for _ in range(replays):
        graph.replay()
    torch.cuda.synchronize()
    seconds, joules = time.monotonic() - begin, counter.joules() - before
    return {"latency_ms": 1e3 * seconds / (replays * COPIES), "energy_j": joules / (replays * COPIES)}


def main():
    counter = EnergyCounter()
    pathlib.Path(sys.argv[1]).write_text("name: five\nsizes: {batch: 1}\nlayers:\n" + "".join(f"  - {text}\n" for _, text in LAYERS.values()))
    print(json.dumps([{"name": name, **measure(make(), counter)} for name, (make, _) in LAYERS.items()]))


if __name__ == "__main__":
    with torch.no_grad():
        main()
