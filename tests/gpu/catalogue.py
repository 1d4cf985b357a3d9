"""The workloads of tests/gpu/run: the program of each, its preparation, and kjoule's options. This file contains the tuning half."""
import importlib.util
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KJOULE = ROOT / "build/bin/kjoule"
MEASUREMENTS = ROOT / "measurements"
sys.path.append(str(MEASUREMENTS))  # row_files.py opens what lies there
HALVES = ["tuning", "judging"]  # constants of kjoule may be chosen by results of the tuning half only


def use_this_python():
    """Makes kjoule run and export models with the torch of this Python, unless the user has chosen another one."""
    torch = importlib.util.find_spec("torch")
    if torch is not None:
        os.environ.setdefault("KJOULE_TORCH", torch.submodule_search_locations[0])
        os.environ.setdefault("KJOULE_PYTHON", sys.executable)


@dataclass(frozen=True)
class Workload:
    """A program with its arguments, which follow kjoule's own options. `prepare` creates files that they name, in an environment.

    For a workload that kjoule cannot measure today, `refused` contains kjoule's message: it is run and listed, but not counted.
    """

    title: str
    arguments: Callable[[pathlib.Path], list]
    prepare: Callable[[pathlib.Path, dict | None], None] = lambda cache, environment: None
    options: tuple[str, ...] = ()
    half: str = "tuning"
    refused: str = ""


def script(title, name, *arguments, **more):
    """Returns a Python program of workloads/."""
    return Workload(title, lambda cache: ["--", sys.executable, HERE / "workloads" / name, *arguments], **more)


def exported(title, ending):
    """Returns BLOOM-560M from a file that `kjoule export` wrote, run by kjoule's own runner."""
    name = f"bloom-560m-float16-seq5{ending}"

    def prepare(cache, environment):
        if not (cache / name).exists():
            made([KJOULE, "export", "bloom", "--dtype", "float16", "--seq-len", "5", "--device", "cuda", "-o", cache / name],
                 environment=environment)

    return Workload(title, lambda cache: ["--model", cache / name, "--device", "cuda"], prepare)


def plain_cuda(title):
    """Returns the program without PyTorch."""
    return Workload(title, lambda cache: ["--", cache / "plain_cuda", "20000"],
                    lambda cache, environment: made(["make", "-s", "-C", HERE / "workloads/plain_cuda", f"OUT={cache}"]))


def made(command, limit_s=400, environment=None):
    """Returns the output of `command`. Throws RuntimeError, with the end of its output, if it fails or takes longer than `limit_s`."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
                              timeout=limit_s, env=environment)
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"{pathlib.Path(command[0]).name} {command[1]} is not done in {limit_s} s") from error
    if done.returncode != 0:
        raise RuntimeError(f"{pathlib.Path(command[0]).name} {command[1]} ends with exit code {done.returncode}: "
                           f"{(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


WORKLOADS = {
    "bloom-560m-seq5": script("BLOOM-560M, 5 tokens", "bloom.py", "5", "4000"),
    "bloom-560m-seq512": script("BLOOM-560M, 512 tokens", "bloom.py", "512", "2000"),
    "llama-7b-prefill": script("Llama-7B shape, prefill of 2048", "llama_prefill.py", "80"),
    "llama-7b-decode": script("Llama-7B shape, decode in a CUDA graph", "llama_decode.py", "5000"),
    "gpt2-medium-generate": script("GPT-2 medium, generate 8 tokens", "gpt2_generate.py", "400", options=("--range", "generate")),
    "bert-base-compiled": script("BERT-base, torch.compile", "bert_compile.py", "3000"),
    "resnet50-batch32": script("ResNet-50, batch 32", "resnet50.py", "3000"),
    "vit-b16-batch8": script("ViT-B/16, batch 8", "vit.py", "3000"),
    "resnet18-train": script("ResNet-18 training, batch 64", "resnet18_train.py", "2000"),
    "gpt2-train": script("GPT-2 training, 8 x 512", "gpt2_train.py", "1000"),
    # Was a judging program until kjoule had to be debugged with it.
    "adversarial-train": script("training of two networks against each other", "adversarial_train.py", "2500"),
    "plain-cuda": plain_cuda("plain CUDA: cuBLAS, cuFFT, two streams"),
    "bloom-560m-pt": exported("BLOOM-560M, 5 tokens, TorchScript", ".pt"),
    "bloom-560m-pt2": exported("BLOOM-560M, 5 tokens, AOTInductor", ".pt2"),
}
