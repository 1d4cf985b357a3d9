"""Programs of several ranks, one GPU each: torchrun --nproc-per-node 2 tests/gpu/rank_programs.py NAME [SECONDS]

Each program repeats one iteration for SECONDS (60 by default), as a user's script would, and prints the time of an iteration and
a checksum of its results. With --graph instead of SECONDS, it times an all-reduce in PyTorch's own graph. `tp-decode --bits`
counts the iterations whose results have other bits than the first.
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
    """A decoder layer; each rank has a part of its heads and of its inner dimension."""

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

    def logits(self, tokens, at):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, at)
        return self.head(self.norm(x[:, -1:]))

    def forward(self, tokens, at):
        return self.logits(tokens, at).argmax(-1)


def decoder(layers, past=1024):
    torch.manual_seed(RANK)
    torch.set_default_dtype(torch.float16)
    with DEVICE:  # on the CPU, the weights would take a minute
        return ParallelDecoder(layers, past).eval()


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
    """Two stages of a pipeline: the first sends its result to the second, which sends its own result back."""
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


def pass_messages(*messages):
    """Sends and receives in one collective."""
    for work in dist.batch_isend_irecv([dist.P2POp(*message) for message in messages]):
        work.wait()


def exchange(layers=4):
    """The first rank sends and receives in one collective, the second in two, with matrix products between them."""
    torch.manual_seed(RANK)
    model = torch.nn.Sequential(*[torch.nn.Linear(HIDDEN, HIDDEN) for _ in range(layers)]).to(DEVICE, torch.float16)
    x = torch.randn(256, HIDDEN, device=DEVICE, dtype=torch.float16)
    received = torch.empty_like(x)
    pass_messages((dist.isend, x, 1 - RANK), (dist.irecv, received, 1 - RANK))  # connects the ranks in both directions

    def step():
        with torch.inference_mode():
            if RANK == 0:
                model(x)
                pass_messages((dist.isend, x, 1), (dist.irecv, received, 1))
            else:
                pass_messages((dist.irecv, received, 0))
                pass_messages((dist.isend, model(received), 0))
            return received.sum().item()
    return step


CHAIN = 20  # all-reduces in an iteration of all_reduce()


def reductions(size):
    data = torch.ones(size // 2, device=DEVICE, dtype=torch.float16)

    def issue():
        for _ in range(CHAIN):
            dist.all_reduce(data, op=dist.ReduceOp.MAX)
    return issue


def all_reduce(size):
    """All-reduces of `size` bytes, one after the other."""
    issue = reductions(size)

    def step():
        issue()
        torch.cuda.synchronize()
        return 0.0
    return step


def time_in_graph(size):
    """Prints the time in us of one all-reduce of all_reduce(), by events around replays of PyTorch's graph of them."""
    issue = reductions(size)
    graph = graph_of(issue)
    replays = max(4, min(200, (1 << 30) // size))
    times = []
    for _ in range(8):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(replays):
            graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(1e3 * begin.elapsed_time(end) / replays / CHAIN)
    print(f"rank {RANK}: {sorted(times)[len(times) // 2]:.3f} us for each all-reduce in a graph", flush=True)
    times = []
    for _ in range(8):
        torch.cuda.synchronize()
        dist.barrier()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(20_000_000)  # the host issues the launches meanwhile
        begin.record()
        for _ in range(min(replays, 10)):
            issue()
        end.record()
        torch.cuda.synchronize()
        times.append(1e3 * begin.elapsed_time(end) / min(replays, 10) / CHAIN)
    print(f"rank {RANK}: {sorted(times)[len(times) // 2]:.3f} us for each all-reduce issued by the host", flush=True)


SPIN = """extern "C" __global__ void spin_ns(unsigned long long ns) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - begin < ns);
}"""
KNOWN_US = [20, 40, 80]


def known():
    """Kernels of known durations between all-reduces. Those of rank 1 before the first one take 50 us longer, for which rank 0 waits."""
    import cupy
    spin = cupy.RawKernel(SPIN, "spin_ns")
    data = torch.ones(1 << 19, device=DEVICE, dtype=torch.float16)

    def step():
        with cupy.cuda.Device(DEVICE.index), cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            for us in KNOWN_US:
                spin((us,), (1,), (cupy.uint64(1000 * us),))  # the grid's size distinguishes the kernels
            spin((7,), (1,), (cupy.uint64(10_000 + 50_000 * RANK),))
            dist.all_reduce(data, op=dist.ReduceOp.MAX)
        torch.cuda.synchronize()
        return 0.0
    return step


def graph_of(issue):
    """The launches of a function as a CUDA graph, with their collectives in it."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            issue()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        issue()
    return graph


def captured(issue):
    graph = graph_of(issue)

    def replay():
        graph.replay()
        torch.cuda.synchronize()
        return 0.0
    return replay


def coalesced(tensors=128):
    """A group with so many collectives that NCCL passes them through a queue."""
    data = [torch.ones(1 << (10 + number % 4), device=DEVICE) for number in range(tensors)]

    def step():
        with dist._coalescing_manager(device=DEVICE):
            for tensor in data:
                dist.all_reduce(tensor, op=dist.ReduceOp.MAX)
        torch.cuda.synchronize()
        return data[0][0].item()
    return step


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


SIZES = {"64K": 1 << 16, "1M": 1 << 20, "16M": 1 << 24, "256M": 1 << 28}
PROGRAMS = {
    "tp-decode": lambda: decode(LAYERS), "tp-decode-8": lambda: decode(8),
    "tp-prefill": lambda: prefill_and_decode(LAYERS), "tp-prefill-8": lambda: prefill_and_decode(8),
    "tp-graph-8": lambda: graph_decode(8), "ddp-gpt2": train, "stages": stages, "exchange": exchange, "two-groups": two_groups, "known": known,
    "coalesced": coalesced, "over-host-memory": lambda: all_reduce(1 << 20),
    "over-host-files": lambda: all_reduce(1 << 20),
    **{f"all-reduce-{name}": (lambda size=size: all_reduce(size))
       for name, size in SIZES.items()}}


def count_other_bits(iterations=300):
    """Prints how many iterations of tp-decode give other bits than the first one, without kjoule."""
    model = decoder(LAYERS)
    token = torch.tensor([[5]], device=DEVICE)
    with torch.inference_mode():
        first = model.logits(token, 512)
        others = sum(not torch.equal(model.logits(token, 512), first) for _ in range(iterations))
    print(f"rank {RANK}: {others} of {iterations} iterations gave other bits than the first", flush=True)


def iterate(step, seconds):
    stop = torch.zeros(1)
    control = dist.new_group(backend="gloo")
    end = time.monotonic() + seconds
    iterations, us = 0, []
    while not stop.item():
        begin = time.monotonic()
        for _ in range(50):
            result = step()
        us.append(1e6 * (time.monotonic() - begin) / 50)
        iterations += 50
        stop.fill_(time.monotonic() > end)
        dist.broadcast(stop, 0, group=control)
    print(f"rank {RANK}: {iterations} iterations, {sorted(us)[len(us) // 2]:.1f} us each, {result:.6g}", flush=True)


def main():
    torch.cuda.set_device(DEVICE)
    if sys.argv[1].startswith("over-host-"):
        os.environ["NCCL_P2P_DISABLE"] = "1"
    if sys.argv[1] == "over-host-files":
        os.environ["NCCL_CUMEM_HOST_ENABLE"] = "0"
    dist.init_process_group("nccl", device_id=DEVICE)
    if sys.argv[1:] == ["tp-decode", "--bits"]:
        count_other_bits()
    elif sys.argv[2:] == ["--graph"]:
        time_in_graph(SIZES[sys.argv[1].removeprefix("all-reduce-")])
    else:
        iterate(PROGRAMS[sys.argv[1]](), float(sys.argv[2] if len(sys.argv) > 2 else 60))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
