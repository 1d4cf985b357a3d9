"""A load that is on for ON_MS and off for OFF_MS milliseconds, in a grid of 100 ms: python duty_load.py ON_MS OFF_MS SECONDS

Prints its begin and end as Unix times in s, after a warm-up. OFF_MS 0 means always on. The load is limited by
memory and stays below the power limit, because at the limit the power of the busy time would depend on the pauses.
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
