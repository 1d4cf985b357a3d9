"""A training step of a transformer as one CUDA graph: python training_step.py gpt|llama LAYERS B H L DIM PRECISION [FFN]

Forward, backward and fused Adam without recomputation; the operators are those that kjoule samples. Prints a JSON line:
the quartiles of the step's time in us over some seconds of replays, and the energy of one step in J by the energy
counter. `--cpu` runs one step eagerly and prints its loss, to check the model on a machine without a GPU.
"""
import json
import math
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

WORDS = 50304
SECONDS = 6
ADAM = {"lr": 1e-6, "eps": 1e-3}  # changes parameters very little: diverging fp16 parameters become NaN, and products of NaN consume little power
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
        self.kind, self.heads = kind, heads
        self.norm1, self.norm2 = norm(dim), norm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.projection = nn.Linear(dim, dim, bias=False)
        self.up = nn.Linear(dim, 2 * ffn if kind == "llama" else ffn, bias=False)
        self.down = nn.Linear(ffn, dim, bias=False)
        width = dim // heads
        angles = torch.outer(torch.arange(tokens), 10000 ** (-torch.arange(0, width, 2) / width))
        angles = torch.cat((angles, angles), -1).view(tokens, 1, width)
        self.register_buffer("cosines", angles.cos())
        self.register_buffer("sines", angles.sin())

    def attention(self, x):
        b, l, dim = x.shape
        q, k, v = self.qkv(x).view(b, l, 3, self.heads, dim // self.heads).unbind(2)
        if self.kind == "llama":
            q, k = (one * self.cosines + turned(one) * self.sines for one in (q, k))
        out = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True)
        return self.projection(out.transpose(1, 2).reshape(b, l, dim))

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
    def __init__(self, kind, layers, heads, tokens, dim, ffn):
        super().__init__()
        self.words = nn.Embedding(WORDS, dim)
        self.layers = nn.ModuleList([Layer(kind, heads, tokens, dim, ffn) for _ in range(layers)])
        self.norm = nn.LayerNorm(dim) if kind == "gpt" else RMSNorm(dim)
        self.head = nn.Linear(dim, WORDS, bias=False)

    def forward(self, tokens, targets):
        x = self.words(tokens)
        for layer in self.layers:
            x = layer(x)
        return CrossEntropy.apply(self.head(self.norm(x)).view(-1, WORDS), targets.view(-1))


def made(kind, layers, b, heads, tokens, dim, precision, ffn, device):
    """Returns the model and a function that makes one step and returns its loss."""
    with torch.device(device):
        model = Model(kind, layers, heads, tokens, dim, ffn)
        for name, parameter in model.named_parameters():
            if not name.endswith("scale"):
                parameter.data = parameter.data.to(DTYPES[precision])
        for name, buffer in model.named_buffers():
            buffer.data = buffer.data.to(DTYPES[precision])
        words, targets = torch.randint(0, 50257, (b, tokens)), torch.randint(0, 50257, (b, tokens))
    adam = torch.optim.Adam(model.parameters(), **ADAM, fused=True, capturable=device != "cpu")

    def step():
        adam.zero_grad(set_to_none=True)
        loss = model(words, targets)
        loss.backward()
        adam.step()
        return loss
    return model, step


def as_graph(step):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph


def check_finite(model):
    """Throws RuntimeError if a value of the model is no longer finite."""
    for name, parameter in model.named_parameters():
        if not parameter.isfinite().all():
            raise RuntimeError(f"{name} is no longer finite: that draws another power than training does")


def timed(graph):
    """Returns the quartiles of a step's time in us, and its energy in J."""
    from seed_way import EnergyCounter
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    counter, times = EnergyCounter(), []
    before, begin = counter.joules(), time.monotonic()
    while time.monotonic() - begin < SECONDS:
        ends = [torch.cuda.Event(enable_timing=True) for _ in range(11)]
        ends[0].record()
        for end in ends[1:]:
            graph.replay()
            end.record()
        torch.cuda.synchronize()
        times += [1e3 * one.elapsed_time(other) for one, other in zip(ends, ends[1:])]
    joules = (counter.joules() - before) / len(times)
    return {"step_us": statistics.quantiles(times, n=4), "steps": len(times), "joules": joules,
            "gpu": torch.cuda.get_device_name().replace(" ", ""), "torch": torch.__version__}


def main():
    arguments = [word for word in sys.argv[1:] if word != "--cpu"]
    kind, (layers, b, heads, tokens, dim), precision = arguments[0], map(int, arguments[1:6]), arguments[6]
    ffn = int(arguments[7]) if len(arguments) > 7 else 4 * dim
    torch.manual_seed(0)
    model, step = made(kind, layers, b, heads, tokens, dim, precision, ffn, "cpu" if "--cpu" in sys.argv else "cuda")
    if "--cpu" in sys.argv:
        print([round(step().item() / (b * tokens), 3) for _ in range(3)])
    else:
        found = timed(as_graph(step))
        check_finite(model)
        print(json.dumps(found))


if __name__ == "__main__":
    main()
