"""A training step divided among GPUs as one CUDA graph: torchrun --nproc-per-node N parallel_step.py tp|dp gpt|llama LAYERS B H L DIM PRECISION [FFN]

The model and its kernels are those of training_step.py. `tp` is tensor parallelism as in Megatron: each rank has a part of the heads,
of the width of the MLP and of the vocabulary. `dp` is data parallelism with a divided optimizer: each rank has B sequences, updates a
part of the parameters, and receives the others. The first rank prints a JSON line: the quartiles of the step's time in us, each the mean
of the ranks' quartiles, and the energy of one step in J by the energy counters of all GPUs together. `--cpu` runs three steps eagerly,
with gloo, and prints their losses.
"""
import json
import math
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from training_step import SECONDS, WORDS, Shape, adam_of, as_graph, check_finite, step_of, times_of_round

BUCKET = 50_000_000  # elements of gradients in one all-reduce; comm_bucket of the configurations of kjoule predict step
ALIGNED = 128  # elements; parameters begin at multiples of this in a flat buffer
NCCL = {"NCCL_GRAPH_MIXING_SUPPORT": "0",  # otherwise, graphs have event nodes, which cost 6 to 8 us for each collective
        "NCCL_NVLS_ENABLE": "0", "TORCH_NCCL_ASYNC_ERROR_HANDLING": "0"}


class Copied(torch.autograd.Function):
    """Passes x to the ranks' parts of a linear layer; backward, adds up the gradients of the parts."""

    @staticmethod
    def forward(_, x):
        return x

    @staticmethod
    def backward(_, gradient):
        gradient = gradient.contiguous()
        dist.all_reduce(gradient)
        return gradient


class AddedUp(torch.autograd.Function):
    """Adds up the ranks' parts of a result, in place; backward, each part has the gradient of the sum."""

    @staticmethod
    def forward(context, x):
        context.mark_dirty(x)
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(_, gradient):
        return gradient


def rows_of_rank(whole, groups=1):
    """Returns the rank's part of the rows of each of `groups` matrices that lie below one another."""
    return nn.Parameter(whole.detach().unflatten(0, (groups, dist.get_world_size(), -1))[:, dist.get_rank()].flatten(0, 1).clone())


class ColumnParallel(nn.Module):
    """The outputs of a linear layer that belong to this rank."""

    def __init__(self, whole, groups=1):
        super().__init__()
        self.weight = rows_of_rank(whole.weight, groups)
        self.bias = None if whole.bias is None else rows_of_rank(whole.bias, groups)

    def forward(self, x):
        return F.linear(Copied.apply(x), self.weight, self.bias)


class RowParallel(nn.Module):
    """A linear layer without bias, of whose inputs this rank has a part."""

    def __init__(self, whole):
        super().__init__()
        self.weight = nn.Parameter(whole.weight.detach().unflatten(1, (dist.get_world_size(), -1))[:, dist.get_rank()].clone())

    def forward(self, x):
        return AddedUp.apply(F.linear(x, self.weight))


def own_words(words, count):
    """Returns the numbers of words among the `count` words of this rank, and which words are of other ranks; those get number 0."""
    words = words - dist.get_rank() * count
    others = (words < 0) | (words >= count)
    return words.masked_fill_(others, 0), others


class ParallelEmbedding(nn.Module):
    def __init__(self, whole):
        super().__init__()
        self.weight = rows_of_rank(whole.weight)

    def forward(self, words):
        own, others = own_words(words, len(self.weight))
        return AddedUp.apply(F.embedding(own, self.weight).masked_fill_(others.unsqueeze(-1), 0))


class ParallelCrossEntropy(torch.autograd.Function):
    """CrossEntropy of training_step.py over the ranks' parts of the vocabulary, with three small all-reduces."""

    @staticmethod
    def forward(context, logits, targets):
        tokens = torch.arange(len(targets), device=targets.device)
        own, others = own_words(targets, logits.shape[-1])
        largest = logits.amax(-1, keepdim=True)
        dist.all_reduce(largest, dist.ReduceOp.MAX)
        logits.sub_(largest)
        predicted = logits[tokens, own].masked_fill_(others, 0)
        dist.all_reduce(predicted)
        logits.exp_()
        sums = logits.sum(-1)
        dist.all_reduce(sums)
        logits.div_(sums.unsqueeze(-1))
        context.save_for_backward(logits, tokens, own, others)
        return (sums.log() - predicted).sum()

    @staticmethod
    def backward(context, gradient):
        logits, tokens, own, others = context.saved_tensors
        logits.index_put_((tokens, own), logits[tokens, own] - (~others).to(logits.dtype))
        return logits.mul_(gradient / len(tokens)), None


def padded_words(ranks):
    """Returns the size of the vocabulary if each rank's part is a multiple of 128 words, as Megatron and kjoule pad it."""
    return ranks * 128 * math.ceil(WORDS / (128 * ranks))


def divide(model):
    """Replaces the layers of a model, which is equal on all ranks, by this rank's parts."""
    model.words, model.head, model.loss = ParallelEmbedding(model.words), ColumnParallel(model.head), ParallelCrossEntropy.apply
    for layer in model.layers:
        layer.qkv, layer.projection = ColumnParallel(layer.qkv, groups=3), RowParallel(layer.projection)
        layer.up, layer.down = ColumnParallel(layer.up, groups=2 if layer.kind == "llama" else 1), RowParallel(layer.down)


def tensor_parallel(shape, device):
    """Returns the rank's part of the model, and a function that makes one step."""
    model = shape.model(device, padded_words(dist.get_world_size()))
    divide(model)
    return model, step_of(model, *shape.batch(device), device)


class FlatParameters:
    """The parameters of one precision in one buffer and their gradients in another, of which each rank updates a part."""

    def __init__(self, parameters):
        ranks, begins, end = dist.get_world_size(), [], 0
        for parameter in parameters:
            begins.append(end)
            end += ALIGNED * math.ceil(parameter.numel() / ALIGNED)
        part = ALIGNED * math.ceil(end / (ALIGNED * ranks))
        self.values = torch.zeros(ranks * part, dtype=parameters[0].dtype, device=parameters[0].device)
        self.gradients = torch.zeros_like(self.values)
        self.own = slice(dist.get_rank() * part, (dist.get_rank() + 1) * part)
        for parameter, begin in zip(parameters, begins):
            self.move(parameter, slice(begin, begin + parameter.numel()))
        self.pieces = [self.piece(begin, begin + parameter.numel()) for parameter, begin in zip(parameters, begins)
                       if begin < self.own.stop and begin + parameter.numel() > self.own.start]

    def move(self, parameter, place):
        """Moves a parameter, and after each backward pass its gradient, to their places in the buffers."""
        value, gradient = (buffer[place].view_as(parameter) for buffer in (self.values, self.gradients))
        value.copy_(parameter.detach())
        parameter.data = value

        def moved(parameter):
            gradient.copy_(parameter.grad)
            parameter.grad = None
        parameter.register_post_accumulate_grad_hook(moved)

    def piece(self, begin, end):
        """Returns the piece of a parameter that this rank updates, with its gradient."""
        place = slice(max(begin, self.own.start), min(end, self.own.stop))
        piece = nn.Parameter(self.values[place])
        piece.grad = self.gradients[place]
        return piece

    def reduce_gradients(self):
        for bucket in self.gradients.split(BUCKET):
            dist.all_reduce(bucket, dist.ReduceOp.AVG)

    def gather(self):
        dist.all_gather_into_tensor(self.values, self.values[self.own])


def data_parallel(shape, device):
    """Returns the model, which is equal on all ranks, and a function that makes one step."""
    model, ranks = shape.model(device), dist.get_world_size()
    words, targets = shape.batch(device, ranks).chunk(ranks, 1)[dist.get_rank()].contiguous()
    precisions = {parameter.dtype for parameter in model.parameters()}
    flats = [FlatParameters([one for one in model.parameters() if one.dtype == precision]) for precision in sorted(precisions, key=str)]
    adam = adam_of([piece for flat in flats for piece in flat.pieces], device)

    def step():
        loss = model(words, targets)
        loss.backward()
        for flat in flats:
            flat.reduce_gradients()
        adam.step()
        for flat in flats:
            flat.gather()
        return loss
    return model, step


def timed_on_all(graph):
    """Returns the quartiles of a step's time in us, the energy of one step of all GPUs in J, and what was used; equal on all ranks.

    Each rank repeats the graph equally often, because a step ends only if all ranks make it. What the ranks tell each other about it
    is sent by gloo, so that NCCL's collectives are in the graph only.
    """
    from seed_way import EnergyCounter
    hosts = dist.new_group(backend="gloo")
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
    begin = time.monotonic()
    times_of_round(graph)
    rounds = torch.tensor(max(1, round(SECONDS / (time.monotonic() - begin))))
    dist.broadcast(rounds, 0, hosts)
    counter = EnergyCounter()
    dist.barrier(hosts)
    before = counter.joules()
    times = [us for _ in range(rounds) for us in times_of_round(graph)]
    joules = (counter.joules() - before) / len(times)
    sums = torch.tensor([*statistics.quantiles(times, n=4), joules], dtype=torch.float64)
    dist.all_reduce(sums, group=hosts)
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    gpus = [None] * dist.get_world_size()
    dist.all_gather_object(gpus, f"{properties.name}, GPU-{properties.uuid}", hosts)
    *quartiles, joules = sums.tolist()
    return {"step_us": [us / len(gpus) for us in quartiles], "steps": len(times), "joules": joules, "gpus": gpus,
            "gpu": properties.name.replace(" ", ""), "torch": torch.__version__, "nccl": ".".join(map(str, torch.cuda.nccl.version()))}


def losses(step, shape):
    """Returns the mean losses of a token in three steps; with data parallelism, those of all ranks' tokens."""
    found = torch.stack([step().detach() for _ in range(3)]) / (shape.b * shape.tokens)
    dist.all_reduce(found, dist.ReduceOp.AVG)
    return [round(loss, 5) for loss in found.tolist()]


def run(make, shape, device):
    """Returns what the first rank prints."""
    torch.manual_seed(0)
    model, step = make(shape, device)
    if device.type == "cpu":
        return losses(step, shape)
    found = timed_on_all(as_graph(step, mode="thread_local"))
    check_finite(model)
    return json.dumps(found)


def main():
    way, *words = [word for word in sys.argv[1:] if word != "--cpu"]
    device = torch.device("cpu") if "--cpu" in sys.argv else torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    if device.type == "cpu":
        dist.init_process_group("gloo")
    else:
        os.environ.update(NCCL)
        torch.cuda.set_device(device)
        dist.init_process_group("nccl", device_id=device)
    said = run({"tp": tensor_parallel, "dp": data_parallel}[way], Shape.of_words(words), device)
    if dist.get_rank() == 0:
        print(said, flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
