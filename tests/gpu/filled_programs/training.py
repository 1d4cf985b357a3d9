"""Training steps that change most of the GPU memory they use: training.py GIB

Linear layers with Adam in fp32: weights, gradients and both moments change in each step, 16 bytes for each parameter. GIB is
their total size in GiB. Trains for three minutes on one batch after the other.
"""
import sys
import time

import torch

GIB = float(sys.argv[1])
DIM, BATCH, SECONDS = 8192, 256, 180


def main():
    torch.manual_seed(0)
    layers = max(1, round(GIB * 2**30 / (16 * DIM * (DIM + 1))))
    with torch.device("cuda"):
        model = torch.nn.Sequential(*(part for _ in range(layers) for part in (torch.nn.Linear(DIM, DIM), torch.nn.ReLU())))
        x, target = torch.randn(BATCH, DIM), torch.randn(BATCH, DIM)
    adam = torch.optim.Adam(model.parameters(), lr=1e-6, fused=True)
    steps, end = 0, time.monotonic() + SECONDS
    while time.monotonic() < end:
        adam.zero_grad(set_to_none=False)
        torch.nn.functional.mse_loss(model(x), target).backward()
        adam.step()
        torch.cuda.synchronize()
        steps += 1
    print(steps, "steps")


if __name__ == "__main__":
    main()
