"""Vicuna-7B with tensor parallelism: each rank has a part of the heads and of the inner dimension.

    torchrun --nproc-per-node 2 examples/vicuna/vicuna.py decode
    torchrun --nproc-per-node 2 examples/vicuna/vicuna.py prefill --tokens 512
    torchrun --nproc-per-node 2 examples/vicuna/vicuna.py generate --weights vicuna-7b-v1.5 --prompt 1,15043,29892 --tokens 20

`decode` repeats one token after --tokens tokens, `prefill` repeats --tokens tokens, both for --seconds. `generate` prints --tokens
tokens after a prompt of token numbers. Without --weights (a folder of Hugging Face's transformers, of any Llama model with as many
key heads as heads) the weights are random. --small makes a model that a CPU runs in a moment; --device cpu uses gloo instead of NCCL. With -o FOLDER, each rank writes its
part of the iteration for `kjoule compare --model FOLDER/rank0.pt --other-ranks FOLDER/rank1.pt`, on the CPU.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import sys
import time
import warnings

import torch
import torch.distributed as dist
from torch.nn import Buffer, functional


@dataclasses.dataclass(frozen=True)
class Shape:
    """Sizes of a Llama model; the default is Vicuna-7B."""
    hidden: int = 4096
    heads: int = 32
    inner: int = 11008
    layers: int = 32
    vocabulary: int = 32000
    epsilon: float = 1e-5
    theta: float = 10000.0

    @classmethod
    def of_folder(cls, folder):
        config = json.loads((folder / "config.json").read_text())
        if config.get("num_key_value_heads", config["num_attention_heads"]) != config["num_attention_heads"]:
            sys.exit(f"{folder}: the model has fewer key heads than heads, which this example does not split")
        rope = config.get("rope_parameters") or {}
        return cls(config["hidden_size"], config["num_attention_heads"], config["intermediate_size"], config["num_hidden_layers"],
                   config["vocab_size"], config["rms_norm_eps"], rope.get("rope_theta") or config.get("rope_theta") or cls.theta)


SMALL = Shape(hidden=128, heads=4, inner=256, layers=2, vocabulary=512)


class RandomWeights:
    """Weights of the right sizes, different in each matrix, and equal on all ranks where all ranks have them."""

    def __init__(self, device, dtype):
        self.device, self.dtype = device, dtype

    def part(self, name, rows, columns=None, *, of_rows=(0, 1), of_columns=(0, 1)):
        del name
        if columns is None:
            return torch.ones(rows, device=self.device, dtype=self.dtype)
        return torch.randn(rows // of_rows[1], columns // of_columns[1], device=self.device, dtype=self.dtype) / columns**0.5


class WeightsOfFolder:
    """The weights of a folder in the format of transformers, of which a rank reads only its part."""

    def __init__(self, folder, device, dtype):
        from safetensors import safe_open
        self.device, self.dtype, self.files = device, dtype, {}
        for path in sorted(folder.glob("*.safetensors")):
            file = safe_open(path, framework="pt")
            self.files.update(dict.fromkeys(file.keys(), file))
        if not self.files:
            sys.exit(f"{folder}: contains no *.safetensors; save the model with save_pretrained()")

    def part(self, name, rows, columns=None, *, of_rows=(0, 1), of_columns=(0, 1)):
        """Returns the part (number, count) of the rows and of the columns of a matrix, or a whole vector."""
        weight = self.files[name].get_slice(name)
        if columns is None:
            return weight[:].to(self.device, self.dtype)
        (row, of_all_rows), (column, of_all_columns) = of_rows, of_columns
        height, width = rows // of_all_rows, columns // of_all_columns
        return weight[row * height:(row + 1) * height, column * width:(column + 1) * width].to(self.device, self.dtype)


def rotate(x, cosines, sines):
    """Returns x with the rotary position embedding of Llama (Su et al. 2021)."""
    half = x.shape[-1] // 2
    return x * cosines + torch.cat((-x[..., half:], x[..., :half]), -1) * sines


class ParallelLayer(torch.nn.Module):
    """A decoder layer, of which each rank has some heads and a part of the inner dimension. Two all-reduces add up the parts."""

    def __init__(self, shape, weights, number, most_tokens):
        super().__init__()
        rank, ranks = dist.get_rank(), dist.get_world_size()
        self.shape, self.heads = shape, shape.heads // ranks
        name = f"model.layers.{number}."
        rows, columns = {"of_rows": (rank, ranks)}, {"of_columns": (rank, ranks)}
        take = lambda what, *sizes, **part: weights.part(f"{name}{what}.weight", *sizes, **part)
        self.qkv = Buffer(torch.cat([take(f"self_attn.{one}_proj", shape.hidden, shape.hidden, **rows) for one in "qkv"]))
        self.out = Buffer(take("self_attn.o_proj", shape.hidden, shape.hidden, **columns))
        self.gate_up = Buffer(torch.cat([take(f"mlp.{one}_proj", shape.inner, shape.hidden, **rows) for one in ("gate", "up")]))
        self.down = Buffer(take("mlp.down_proj", shape.hidden, shape.inner, **columns))
        self.before_attention, self.before_mlp = (Buffer(take(name, shape.hidden)) for name in ("input_layernorm", "post_attention_layernorm"))
        self.cache = Buffer(torch.zeros(2, 1, self.heads, most_tokens, shape.hidden // shape.heads, device=self.qkv.device, dtype=self.qkv.dtype))

    def forward(self, x, at, cosines, sines):
        length = int(x.shape[1])
        y = functional.rms_norm(x, x.shape[-1:], self.before_attention, self.shape.epsilon)
        query, key, value = functional.linear(y, self.qkv).view(1, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind()
        self.cache[0, :, :, at:at + length] = rotate(key, cosines, sines)
        self.cache[1, :, :, at:at + length] = value
        attended = functional.scaled_dot_product_attention(rotate(query, cosines, sines), self.cache[0, :, :, :at + length],
                                                           self.cache[1, :, :, :at + length], is_causal=length > 1)
        x = x + added_up(functional.linear(attended.transpose(1, 2).reshape(1, length, -1), self.out))
        y = functional.rms_norm(x, x.shape[-1:], self.before_mlp, self.shape.epsilon)
        gate, up = functional.linear(y, self.gate_up).chunk(2, -1)
        return x + added_up(functional.linear(functional.silu(gate) * up, self.down))


def added_up(part):
    """Returns the sum of the ranks' parts, on all ranks."""
    if torch.jit.is_tracing():  # TorchScript knows collectives only in this form
        started = torch.ops._c10d_functional.all_reduce(part, "sum", dist.group.WORLD.group_name)
        return torch.ops._c10d_functional.wait_tensor(started)
    dist.all_reduce(part)
    return part


class ParallelDecoder(torch.nn.Module):
    def __init__(self, shape, weights, most_tokens):
        super().__init__()
        self.shape = shape
        self.embedding = Buffer(weights.part("model.embed_tokens.weight", shape.vocabulary, shape.hidden))
        self.layers = torch.nn.ModuleList(ParallelLayer(shape, weights, number, most_tokens) for number in range(shape.layers))
        self.norm = Buffer(weights.part("model.norm.weight", shape.hidden))
        self.head = Buffer(weights.part("lm_head.weight", shape.vocabulary, shape.hidden))
        size = shape.hidden // shape.heads
        frequencies = shape.theta ** (-torch.arange(0, size, 2, dtype=torch.float32) / size)
        angles = torch.outer(torch.arange(most_tokens, dtype=torch.float32), frequencies).repeat(1, 2).to(self.embedding.device)
        self.cosines, self.sines = (Buffer(values.to(self.embedding.dtype)) for values in (angles.cos(), angles.sin()))

    @torch.no_grad()
    def next_token(self, tokens, at):
        """Returns the most probable token after `tokens` (of shape [1, length]), which begin at position `at`."""
        x = functional.embedding(tokens, self.embedding)
        place = slice(at, at + int(tokens.shape[1]))
        for layer in self.layers:
            x = layer(x, at, self.cosines[place], self.sines[place])
        last = functional.rms_norm(x[:, -1:], x.shape[-1:], self.norm, self.shape.epsilon)
        return functional.linear(last, self.head).argmax(-1)

    def generate(self, tokens, count):
        found, at = [], 0
        for _ in range(count):
            tokens, at = self.next_token(tokens, at), at + tokens.shape[1]
            found.append(int(tokens))
        return found


class Step(torch.nn.Module):
    """One iteration of a rank: the next token after tokens that begin at a fixed position."""

    def __init__(self, decoder, at):
        super().__init__()
        self.decoder, self.at = decoder, at

    def forward(self, tokens):
        return self.decoder.next_token(tokens, self.at)


def export(step, tokens, folder):
    """Writes this rank's part of the iteration as TorchScript, with the description of its input for kjoule."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"rank{dist.get_rank()}.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", torch.jit.TracerWarning)  # that sizes are fixed is wanted
        traced = torch.jit.trace(step.eval(), tokens, check_trace=False)
    inputs = [{"name": "tokens", "dtype": "int64", "shape": list(tokens.shape), "dims": [None, None], "low": 0, "high": step.decoder.shape.vocabulary}]
    traced.save(str(path), _extra_files={"kjoule.json": json.dumps({"inputs": inputs})})
    print(path, flush=True)


def repeat(step, seconds, device):
    """Repeats `step` on all ranks, and prints the time of an iteration."""
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    iterations, begin = 0, time.monotonic()
    go_on = torch.ones(1)
    group = dist.new_group(backend="gloo")  # of the hosts: no collective of the GPUs is added to the iteration
    while True:
        for _ in range(10):
            step()
        wait()
        iterations += 10
        go_on[0] = time.monotonic() - begin < seconds
        if iterations % 100 == 0 or device.type == "cpu":
            dist.broadcast(go_on, 0, group)
            if not go_on[0]:
                break
    if dist.get_rank() == 0:
        print(f"{iterations} iterations, {1e3 * (time.monotonic() - begin) / iterations:.3f} ms each", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", choices=("decode", "prefill", "generate"))
    parser.add_argument("--weights", type=pathlib.Path, metavar="FOLDER", help="folder with config.json and *.safetensors (default: random weights)")
    parser.add_argument("--small", action="store_true", help="use a small model instead of Vicuna-7B")
    parser.add_argument("--tokens", type=int, default=512, metavar="N", help="number of tokens (default: %(default)s)")
    parser.add_argument("--prompt", default="1", metavar="N,N,...", help="token numbers from which generate starts (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=60, metavar="S", help="time for which decode and prefill repeat (default: %(default)s)")
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="FOLDER",
                        help="with decode and prefill: write the iteration of each rank to FOLDER/rankN.pt instead of repeating it (needs --device cpu)")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="(default: %(default)s)")
    return parser.parse_args()


def main():
    options = arguments()
    on_gpu = options.device == "cuda"
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if on_gpu else torch.device("cpu")
    if on_gpu:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if on_gpu else "gloo")
    shape = Shape.of_folder(options.weights) if options.weights else SMALL if options.small else Shape()
    if shape.heads % dist.get_world_size() or shape.inner % dist.get_world_size():
        sys.exit(f"{dist.get_world_size()} ranks cannot share {shape.heads} heads and an inner dimension of {shape.inner}")
    torch.manual_seed(7)
    kind = (device, torch.float16 if on_gpu else torch.float32)
    weights = WeightsOfFolder(options.weights, *kind) if options.weights else RandomWeights(*kind)
    prompt = torch.tensor([[int(number) for number in options.prompt.split(",")]], device=device)
    decoder = ParallelDecoder(shape, weights, options.tokens + prompt.shape[1])
    if options.work == "generate":
        tokens = decoder.generate(prompt, options.tokens)
        if dist.get_rank() == 0:
            print(*tokens)
    else:
        many = torch.arange(options.tokens, device=device).remainder(shape.vocabulary)[None]
        decoder.next_token(many, 0)
        step, tokens = (Step(decoder, options.tokens), many[:, :1]) if options.work == "decode" else (Step(decoder, 0), many)
        if options.output:
            export(step, tokens, options.output)
        else:
            repeat(lambda: step(tokens), options.seconds, device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
