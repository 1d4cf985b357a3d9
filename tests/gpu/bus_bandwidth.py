"""Times of collectives of torch.distributed, by the method of nccl-tests: torchrun --nproc-per-node 2 tests/gpu/bus_bandwidth.py

For each size, 5 collectives warm up, and the mean time of 20 in succession is printed with the bus bandwidth by nccl-tests' definition:
operation, bytes, us, GB/s. The time contains launching and waiting for all ranks. fp16, in place where the operation allows it.
"""
import os
import time

import torch
import torch.distributed as dist

RANKS = int(os.environ["WORLD_SIZE"])
# Bus bandwidth divided by algorithm bandwidth, by nccl-tests' definition.
FACTOR = {"all_reduce": 2 * (RANKS - 1) / RANKS, "all_gather": (RANKS - 1) / RANKS, "reduce_scatter": (RANKS - 1) / RANKS}


def calls(size):
    """Returns the collective of each operation for data of `size` bytes."""
    whole = torch.ones(size // 2, dtype=torch.float16, device="cuda")
    part = whole[dist.get_rank() * (len(whole) // RANKS):][:len(whole) // RANKS]
    return {"all_reduce": lambda: dist.all_reduce(whole), "all_gather": lambda: dist.all_gather_into_tensor(whole, part),
            "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, whole)}


def mean_s(call, repeats):
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()
    begin = time.monotonic()
    for _ in range(repeats):
        call()
    torch.cuda.synchronize()
    return (time.monotonic() - begin) / repeats


def main():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    for operation in FACTOR:
        size = 4096
        while size <= 256 << 20:
            seconds = mean_s(calls(size)[operation], 20)
            if dist.get_rank() == 0:
                print(operation, size, f"{seconds * 1e6:.2f}", f"{size / seconds * FACTOR[operation] / 1e9:.3f}", flush=True)
            size *= 2
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
