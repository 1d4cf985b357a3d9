"""A load that is on for so many ms and off for so many, in a grid of 100 ms: python duty_load.py ON_MS OFF_MS SECONDS

Prints when it began and ended, Unix s, once it is warm. 0 for OFF_MS: always on. The load is held up by memory and
stays clear of the power limit: there what pauses draws more while it is on than what does not.
"""
import sys
import time

import torch

on_s, off_s, seconds = float(sys.argv[1]) * 1e-3, float(sys.argv[2]) * 1e-3, float(sys.argv[3])
a = torch.randn(1 << 28, device="cuda", dtype=torch.float16)
more = torch.empty_like(a)
torch.add(a, 1, out=more)
torch.cuda.synchronize()
begin = time.monotonic()
times = 20
for _ in range(times):
    torch.add(a, 1, out=more)
torch.cuda.synchronize()
each_s = (time.monotonic() - begin) / times
repeats = max(1, round(min(on_s, 0.025) / each_s))


def run_until(end):
    while time.monotonic() + repeats * each_s / 2 < end:
        for _ in range(repeats):
            torch.add(a, 1, out=more)
        torch.cuda.synchronize()


run_until(time.monotonic() + 3)
print("begin", time.time(), flush=True)
next_on = time.monotonic()
end = next_on + seconds
while next_on < end:
    run_until(next_on + on_s)
    next_on += on_s + off_s
    while off_s and time.monotonic() < next_on:
        time.sleep(max(0.0, min(0.001, next_on - time.monotonic())))
print("end", time.time(), flush=True)
