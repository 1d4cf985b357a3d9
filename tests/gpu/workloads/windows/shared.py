"""What the programs of this folder share: their device, how much they do, and their last line. KJOULE_TRY=1 makes them small, on the CPU."""
import hashlib
import math
import os
import sys
import time

import torch

TRIED = os.environ.get("KJOULE_TRY") == "1"
DEVICE = torch.device("cpu" if TRIED else "cuda")
BEGUN = time.monotonic()


def sized(usual, tried=2):
    """Returns `usual`, or `tried` where the program is only tried on the CPU."""
    return tried if TRIED else usual


def asked(usual, tried=2):
    """Returns the program's argument, or `usual` without one: how many steps, epochs or batches it takes."""
    return int(sys.argv[1]) if len(sys.argv) > 1 else sized(usual, tried)


def moved(tensor):
    """Returns a copy of a tensor of the host on the device, through pinned memory and without waiting."""
    return tensor if TRIED else tensor.pin_memory().to(DEVICE, non_blocking=True)


def ended(state, loss=0.0, **figures):
    """Ends the program: a line with the digest of `state`, whose bits some libraries vary, and one with figures that are equal in every run."""
    if not math.isfinite(loss):
        sys.exit(f"{sys.argv[0]}: the loss is {loss}")
    digest = hashlib.sha256()
    for tensor in state:
        digest.update(tensor.detach().float().cpu().contiguous().numpy().tobytes())
    print(f"state {digest.hexdigest()[:16]} loss {loss:.9g} after {time.monotonic() - BEGUN:.1f} s")
    print("result", *(f"{name} {value}" for name, value in figures.items()))
