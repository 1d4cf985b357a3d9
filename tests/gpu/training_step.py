"""A training step of a transformer as one CUDA graph: python training_step.py gpt|llama LAYERS B H L DIM PRECISION [FFN]

Forward, backward and fused Adam without recomputation; the operators are those that kjoule samples. Prints a JSON line:
the quartiles of the step's time in us over some seconds of replays, and the energy of one step in J by the energy
counter. `--cpu` runs three steps eagerly and prints their losses, to check the model on a machine without a GPU.
parallel_step.py divides this step among several GPUs.
"""
import json
import math
import statistics
import sys
import time
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

WORDS, USED_WORDS = 50304, 50257  # GPT-2's vocabulary, padded to a multiple of 128
SECONDS = 6
STEPS_OF_ROUND = 10
ADAM = {"lr": 1e-6, "eps": 1e-3}  # changes parameters very little: diverging fp16 parameters become NaN, and products of NaN consume little power
ADAM_ON_CPU = {"lr": 1e-2, "eps": 1e-3}  # changes the losses visibly, because they are compared
DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}


class RMSNorm(nn.Module):
    """Unfused RMS norm with a scale in fp32."""

    def __init__(self, dim):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim, dtype=torch.float32))
        self.per_root = 1 / math.sqrt(dim)

    def forward(self, x):
        rms = x.norm(2, -1, keepdim=True) * self.per_root + 1e-8
        return (self.scale * (x / rms)).to(x.dtype)


class CrossEntropy(torch.autograd.Function):
    """Computed in place over the logits, as on one rank of a tensor-parallel model; returns the sum of all tokens' losses."""

    @staticmethod
    def forward(context, logits, targets):
        tokens = torch.arange(len(targets), device=targets.device)
        logits.sub_(logits.amax(-1, keepdim=True))
        predicted = logits[tokens, targets]
        logits.exp_()
        sums = logits.sum(-1)
        logits.div_(sums.unsqueeze(-1))
        context.mark_non_differentiable(targets)
        context.save_for_backward(logits, tokens, targets)
        return (sums.log() - predicted).sum()

    @staticmethod
    def backward(context, gradient):
        logits, tokens, targets = context.saved_tensors
        ones = torch.ones_like(targets, dtype=logits.dtype)
        logits.index_put_((tokens, targets), logits[tokens, targets] - ones)
        return logits.mul_(gradient / len(targets)), None


def turned(x):
    first, second = x.chunk(2, -1)
    return torch.cat((-second, first), -1)


class Layer(nn.Module):
    def __init__(self, kind, heads, tokens, dim, ffn):
        super().__init__()
        norm = nn.LayerNorm if kind == "gpt" else RMSNorm
        self.kind, self.width = kind, dim // heads
        self.norm1, self.norm2 = norm(dim), norm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.projection = nn.Linear(dim, dim, bias=False)
        self.up = nn.Linear(dim, 2 * ffn if kind == "llama" else ffn, bias=False)
        self.down = nn.Linear(ffn, dim, bias=False)
        angles = torch.outer(torch.arange(tokens), 10000 ** (-torch.arange(0, self.width, 2) / self.width))
        angles = torch.cat((angles, angles), -1).view(tokens, 1, self.width)
        self.register_buffer("cosines", angles.cos())
        self.register_buffer("sines", angles.sin())

    def attention(self, x):
        b, l, _ = x.shape
        q, k, v = self.qkv(x).view(b, l, 3, -1, self.width).unbind(2)
        if self.kind == "llama":
            q, k = (one * self.cosines + turned(one) * self.sines for one in (q, k))
        out = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True)
        return self.projection(out.transpose(1, 2).reshape(b, l, -1))

    def mlp(self, x):
        x = self.up(x)
        if self.kind == "gpt":
            return self.down(F.gelu(x))
        gate, value = x.chunk(2, -1)
        return self.down(F.silu(gate) * value)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self, kind, layers, heads, tokens, dim, ffn, words):
        super().__init__()
        self.words = nn.Embedding(words, dim)
        self.layers = nn.ModuleList([Layer(kind, heads, tokens, dim, ffn) for _ in range(layers)])
        self.norm = nn.LayerNorm(dim) if kind == "gpt" else RMSNorm(dim)
        self.head = nn.Linear(dim, words, bias=False)
        self.loss = CrossEntropy.apply

    def forward(self, tokens, targets):
        x = self.words(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.loss(self.head(self.norm(x)).flatten(0, 1), targets.view(-1))


@dataclass(frozen=True)
class Shape:
    """What is trained: the numbers of layers and heads, b sequences of l tokens, the widths, and the precision."""

    kind: str
    layers: int
    b: int
    heads: int
    tokens: int
    dim: int
    precision: str
    ffn: int

    @classmethod
    def of_words(cls, words):
        """Reads gpt|llama LAYERS B H L DIM PRECISION [FFN]."""
        kind, (layers, b, heads, tokens, dim), precision, *ffn = words[0], map(int, words[1:6]), *words[6:]
        return cls(kind, layers, b, heads, tokens, dim, precision, int(ffn[0]) if ffn else 4 * dim)

    def model(self, device, words=WORDS):
        """Returns a model with random parameters; those of unfused norms are in fp32."""
        with torch.device(device):
            model = Model(self.kind, self.layers, self.heads, self.tokens, self.dim, self.ffn, words)
        for name, parameter in model.named_parameters():
            if not name.endswith("scale"):
                parameter.data = parameter.data.to(DTYPES[self.precision])
        for buffer in model.buffers():
            buffer.data = buffer.data.to(DTYPES[self.precision])
        return model

    def batch(self, device, replicas=1):
        """Returns random words and targets, b sequences for each replica."""
        return torch.randint(0, USED_WORDS, (2, replicas * self.b, self.tokens), device=device)


def adam_of(parameters, device):
    on_cpu = torch.device(device).type == "cpu"
    return torch.optim.Adam(parameters, **(ADAM_ON_CPU if on_cpu else ADAM), fused=True, capturable=not on_cpu)


def step_of(model, words, targets, device):
    """Returns a function that makes one step and returns the sum of the tokens' losses."""
    adam = adam_of(model.parameters(), device)

    def step():
        adam.zero_grad(set_to_none=True)
        loss = model(words, targets)
        loss.backward()
        adam.step()
        return loss
    return step


def as_graph(step, mode="global"):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, capture_error_mode=mode):
        step()
    return graph


def check_finite(model):
    """Throws RuntimeError if a value of the model is no longer finite."""
    for name, parameter in model.named_parameters():
        if not parameter.isfinite().all():
            raise RuntimeError(f"{name} is no longer finite: that draws another power than training does")


def times_of_round(graph):
    """Returns the times of some steps in us, by events between their replays."""
    ends = [torch.cuda.Event(enable_timing=True) for _ in range(STEPS_OF_ROUND + 1)]
    ends[0].record()
    for end in ends[1:]:
        graph.replay()
        end.record()
    torch.cuda.synchronize()
    return [1e3 * one.elapsed_time(other) for one, other in zip(ends, ends[1:])]


def timed(graph):
    """Returns the quartiles of a step's time in us, and its energy in J."""
    from seed_way import EnergyCounter
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    counter, times = EnergyCounter(), []
    before, begin = counter.joules(), time.monotonic()
    while time.monotonic() - begin < SECONDS:
        times += times_of_round(graph)
    joules = (counter.joules() - before) / len(times)
    return {"step_us": statistics.quantiles(times, n=4), "steps": len(times), "joules": joules,
            "gpu": torch.cuda.get_device_name().replace(" ", ""), "torch": torch.__version__}


def main():
    shape = Shape.of_words([word for word in sys.argv[1:] if word != "--cpu"])
    device = "cpu" if "--cpu" in sys.argv else "cuda"
    torch.manual_seed(0)
    model = shape.model(device)
    step = step_of(model, *shape.batch(device), device)
    if device == "cpu":
        print([round(step().item() / (shape.b * shape.tokens), 3) for _ in range(3)])
    else:
        found = timed(as_graph(step))
        check_finite(model)
        print(json.dumps(found))


if __name__ == "__main__":
    main()
