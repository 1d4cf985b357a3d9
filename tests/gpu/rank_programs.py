"""Programs of several ranks, one GPU each: torchrun --nproc-per-node 2 tests/gpu/rank_programs.py NAME [SECONDS]

Each repeats one iteration for SECONDS (60 by default), as a user's script would, and prints a checksum of its results.
"""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as functional

RANK = int(os.environ["RANK"])
RANKS = int(os.environ["WORLD_SIZE"])
DEVICE = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
# The shape of Vicuna-7B.
HIDDEN, HEADS, INNER, LAYERS, VOCABULARY = 4096, 32, 11008, 32, 32000


class ParallelLayer(torch.nn.Module):
    """A decoder layer of which each rank has its part of the heads and of the inner dimension."""

    def __init__(self, past):
        super().__init__()
        self.heads = HEADS // RANKS
        inner, own = INNER // RANKS, HIDDEN // RANKS
        self.norms = torch.nn.ModuleList(torch.nn.RMSNorm(HIDDEN) for _ in range(2))
        self.qkv = torch.nn.Linear(HIDDEN, 3 * own, bias=False)
        self.out = torch.nn.Linear(own, HIDDEN, bias=False)
        self.gate_up = torch.nn.Linear(HIDDEN, 2 * inner, bias=False)
        self.down = torch.nn.Linear(inner, HIDDEN, bias=False)
        self.register_buffer("cache", torch.randn(2, 1, self.heads, past, HIDDEN // HEADS))

    def forward(self, x, at):
        batch, length, _ = x.shape
        query, key, value = self.qkv(self.norms[0](x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        self.cache[0, :, :, at:at + length] = key
        self.cache[1, :, :, at:at + length] = value
        seen = at + length
        attended = functional.scaled_dot_product_attention(query, self.cache[0, :, :, :seen], self.cache[1, :, :, :seen],
                                                           is_causal=length > 1)
        y = self.out(attended.transpose(1, 2).reshape(batch, length, -1))
        dist.all_reduce(y)
        x = x + y
        gate, up = self.gate_up(self.norms[1](x)).chunk(2, -1)
        y = self.down(functional.silu(gate) * up)
        dist.all_reduce(y)
        return x + y


class ParallelDecoder(torch.nn.Module):
    def __init__(self, layers, past):
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCABULARY, HIDDEN)
        self.layers = torch.nn.ModuleList(ParallelLayer(past) for _ in range(layers))
        self.norm = torch.nn.RMSNorm(HIDDEN)
        self.head = torch.nn.Linear(HIDDEN, VOCABULARY, bias=False)

    def forward(self, tokens, at):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, at)
        return self.head(self.norm(x[:, -1:])).argmax(-1)


def decoder(layers, past=1024):
    torch.manual_seed(RANK)
    return ParallelDecoder(layers, past).to(DEVICE, torch.float16).eval()


def decode(layers):
    """One token after 512 others, whose successor the host reads."""
    model = decoder(layers)
    token = torch.tensor([[5]], device=DEVICE)

    def step():
        with torch.inference_mode():
            return float(model(token, 512).item())
    return step


def prefill_and_decode(layers):
    """A prompt of 512 tokens and the token after it."""
    model = decoder(layers)
    prompt = torch.arange(512, device=DEVICE)[None]

    def step():
        with torch.inference_mode():
            return float(model(model(prompt, 0), 512).item())
    return step


def train(layers=12):
    """A GPT-2 trained with data parallelism."""
    from torch.nn.parallel import DistributedDataParallel
    from transformers import GPT2Config, GPT2LMHeadModel
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(n_layer=layers)).to(DEVICE)
    model = DistributedDataParallel(model, device_ids=[DEVICE.index])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(50257, (4, 256), device=DEVICE)

    def step():
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


def stages(layers=8):
    """Two stages of a pipeline: the first sends its result to the second, which sends its own back."""
    torch.manual_seed(RANK)
    model = torch.nn.Sequential(*[torch.nn.Linear(HIDDEN, HIDDEN) for _ in range(layers * (1 + RANK))]).to(DEVICE)
    x = torch.randn(256, HIDDEN, device=DEVICE)
    received = torch.empty_like(x)

    def step():
        with torch.inference_mode():
            if RANK == 0:
                dist.send(model(x), 1)
                dist.recv(received, 1)
            else:
                dist.recv(received, 0)
                dist.send(model(received), 0)
            return received.sum().item()
    return step


def all_reduce(size):
    """Matrix products with an all-reduce of `size` bytes after each."""
    data = torch.ones(size // 2, device=DEVICE, dtype=torch.float16)
    weights = torch.randn(HIDDEN, HIDDEN, device=DEVICE, dtype=torch.float16)
    x = torch.randn(64, HIDDEN, device=DEVICE, dtype=torch.float16)

    def step():
        for _ in range(8):
            torch.mm(x, weights)
            dist.all_reduce(data, op=dist.ReduceOp.MAX)
        torch.cuda.synchronize()
        return 0.0
    return step


def captured(make):
    """The same iteration as a CUDA graph, with its collectives in it."""
    step = make
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        step()

    def replay():
        graph.replay()
        torch.cuda.synchronize()
        return 0.0
    return replay


def graph_decode(layers):
    """The decoder's kernels as one CUDA graph."""
    model = decoder(layers)
    token = torch.tensor([[5]], device=DEVICE)

    def step():
        with torch.inference_mode():
            model(token, 512)
    return captured(step)


def two_groups(layers=8):
    """All-reduces in turns of two communicators."""
    groups = [dist.new_group(backend="nccl") for _ in range(2)]
    data = [torch.ones(1 << 16, device=DEVICE) for _ in groups]
    weights = torch.randn(HIDDEN, HIDDEN, device=DEVICE, dtype=torch.float16)
    x = torch.randn(64, HIDDEN, device=DEVICE, dtype=torch.float16)

    def step():
        for layer in range(layers):
            torch.mm(x, weights)
            dist.all_reduce(data[layer % 2], op=dist.ReduceOp.MAX, group=groups[layer % 2])
        torch.cuda.synchronize()
        return data[0][0].item()
    return step


PROGRAMS = {
    "tp-decode": lambda: decode(LAYERS), "tp-decode-8": lambda: decode(8),
    "tp-prefill": lambda: prefill_and_decode(LAYERS), "tp-prefill-8": lambda: prefill_and_decode(8),
    "tp-graph-8": lambda: graph_decode(8), "ddp-gpt2": train, "stages": stages, "two-groups": two_groups,
    **{f"all-reduce-{name}": (lambda size=size: all_reduce(size))
       for name, size in {"64K": 1 << 16, "1M": 1 << 20, "16M": 1 << 24, "256M": 1 << 28}.items()}}


def main():
    torch.cuda.set_device(DEVICE)
    dist.init_process_group("nccl", device_id=DEVICE)
    step = PROGRAMS[sys.argv[1]]()
    stop = torch.zeros(1)
    control = dist.new_group(backend="gloo")
    end = time.monotonic() + float(sys.argv[2] if len(sys.argv) > 2 else 60)
    iterations = 0
    while not stop.item():
        for _ in range(50):
            result = step()
        iterations += 50
        stop.fill_(time.monotonic() > end)
        dist.broadcast(stop, 0, group=control)
    print(f"rank {RANK}: {iterations} iterations, {result:.6g}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
