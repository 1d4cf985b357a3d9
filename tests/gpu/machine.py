"""The machine, GPU and software versions with which a row was measured."""
import importlib.metadata
import os
import pathlib
import subprocess

from catalogue import KJOULE

PACKAGES = ["torch", "transformers", "torchvision", "triton", "cupy-cuda13x", "numba-cuda", "jax"]
GPU = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]  # the first GPU that this process may use


def machine():
    """Returns the versions of the software; versions that cannot be determined are left out."""
    found = {"kjoule": said_by([KJOULE, "--version"]).removeprefix("kjoule "),
             "start": pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8],
             "driver": asked_of_gpu("driver_version")}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return told(found)


def machine_and_gpu():
    """Returns the versions, and the name and UUID of the GPU; values that cannot be determined are left out."""
    return {**machine(), **told({what: asked_of_gpu(what) for what in ["name", "uuid"]})}


def gpus():
    """Returns the number of GPUs that this process may use."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    return len(lines_of(["nvidia-smi", "-L"])) if chosen is None else len(list(filter(None, chosen.split(","))))


def told(found):
    return {name: value for name, value in found.items() if value}


def asked_of_gpu(what):
    return said_by(["nvidia-smi", "-i", GPU, f"--query-gpu={what}", "--format=csv,noheader"])


def said_by(command):
    """Returns the first line that a command prints, or an empty text if it fails."""
    return next(iter(lines_of(command)), "")


def lines_of(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []
