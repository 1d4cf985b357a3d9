"""Programs without a dominating loop, in which kjoule measures windows of launches while they run; both halves.

As in catalogue.py and judging.py, no constant of kjoule may be chosen by looking at results of the judging half. A program of that half
that had to be debugged for kjoule moves to the tuning half, and another of its kind takes its place.
"""
from dataclasses import dataclass

from catalogue import HERE, Workload, made, script

FOLDER = HERE / "workloads/windows"
KINDS = {
    "evaluation": "training with evaluation every n steps",
    "smaller-batch": "epochs with a smaller last batch",
    "gan": "a GAN with host reads",
    "lstm": "LSTM with truncated back-propagation and epochs",
    "accumulation": "gradient accumulation",
    "buckets": "bucketed sequence lengths",
    "beam-search": "a beam search",
    "reinforcement": "reinforcement learning with an environment on the CPU",
    "scaler": "mixed precision with a scaler that skips steps",
    "loader": "data loaders with workers and pinned memory",
    "short-loops": "25 short loops after one another",
    "no-synchronisation": "a loop without synchronisation",
    "host-check": "a program that checks its result on the CPU for minutes",
    "large-memory": "one that holds 60 GB",
}


@dataclass(frozen=True)
class Windowed(Workload):
    """A workload with its kind, a key of KINDS, and its source."""

    kind: str = ""
    source: str = ""  # in FOLDER


def python(half, kind, title, name):
    """Returns a Python program of workloads/windows/, which runs for 60 to 100 s on an H100."""
    source = f"{name}.py"
    return Windowed(title, script(title, f"windows/{source}").arguments, half=half, kind=kind, source=source)


def cuda(half, kind, title, name):
    """Returns a CUDA C++ program of workloads/windows/cuda/."""

    def prepare(cache, environment):
        made(["make", "-s", "-C", FOLDER / "cuda", f"OUT={cache.resolve()}", cache.resolve() / name], environment=environment)

    return Windowed(title, lambda cache: ["--", cache / name], prepare, half=half, kind=kind, source=f"cuda/{name}.cu")


WINDOWED = {
    "gpt-train-evaluate": python("tuning", "evaluation", "character GPT, evaluation every 250 steps", "gpt_train_evaluate"),
    "vision-train-evaluate": python("judging", "evaluation", "ResNet-18 on small images, its average evaluated", "vision_train_evaluate"),
    "epochs-classifier": python("tuning", "smaller-batch", "residual network, epochs of 15 batches and a smaller one", "epochs_classifier"),
    "epochs-autoencoder": python("judging", "smaller-batch", "compiled autoencoder, epochs of 11 batches and a smaller one", "epochs_autoencoder"),
    "gan-images": python("tuning", "gan", "convolutional GAN, six values read in each step", "gan_images"),
    "gan-penalty": python("judging", "gan", "GAN with gradient penalty, several steps of the critic", "gan_penalty"),
    "lstm-epochs": python("tuning", "lstm", "word model, cuDNN's LSTM, epochs with evaluation", "lstm_epochs"),
    "lstm-sampled": python("judging", "lstm", "character model of LSTM cells, text drawn after epochs", "lstm_sampled"),
    "accumulate": python("judging", "accumulation", "Llama shape, gradients of 8 micro-batches", "accumulate"),
    "length-buckets": python("judging", "buckets", "text encoder training, buckets of 6 lengths", "length_buckets"),
    "beam-search-generate": python("tuning", "beam-search", "BART, beam search of transformers", "beam_search_generate"),
    "beam-search-own": python("judging", "beam-search", "decoder, beam search by hand", "beam_search_own"),
    "actor-critic": python("tuning", "reinforcement", "policy optimization, poles moved by the host", "actor_critic"),
    "q-learning": python("judging", "reinforcement", "deep Q-learning, pictures drawn by the host", "q_learning"),
    "scaler-skips": python("tuning", "scaler", "vision transformer, steps skipped by the scaler", "scaler_skips"),
    "loader-images": python("tuning", "loader", "ResNet-18, images from two workers", "loader_images"),
    "loader-pairs": python("judging", "loader", "two towers, pairs from workers, prefetched", "loader_pairs"),
    "short-loops": cuda("tuning", "short-loops", "C++: 25 short loops", "short_loops"),
    "launch-ahead": cuda("tuning", "no-synchronisation", "C++: kernels in a drawn order, never a wait", "launch_ahead"),
    "two-queues": cuda("judging", "no-synchronisation", "C++: products and sorting in two streams, never a wait", "two_queues"),
    "checked-on-host": cuda("tuning", "host-check", "C++: 5 s of potentials, two minutes of checks", "checked_on_host"),
    "large-memory": python("judging", "large-memory", "training on rows of 60 GB", "large_memory"),
}
