"""Records the operators of programs of workloads/ without a GPU: python recorded_operators.py WORKLOAD FILE

The programs' models run on fake tensors of a GPU, which have types and sizes, but no contents. Each operator that PyTorch
dispatches to the GPU becomes a launch of a recording, as `kjoule record --device cpu` writes it, with the operators that the GPU
would run: the program's own data types, attention, and backward pass.
"""
import json
import pathlib
import sys

import torch
from torch._subclasses.fake_tensor import FakeTensorMode, unset_fake_temporarily
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

DTYPES = {torch.float16: "Half", torch.bfloat16: "BFloat16", torch.float32: "Float", torch.float64: "Double", torch.int64: "Long",
          torch.int32: "Int", torch.int16: "Short", torch.int8: "Char", torch.uint8: "Byte", torch.bool: "Bool"}


class Attention(torch.autograd.Function):
    """One operator of each direction, as on a GPU; on fake tensors, PyTorch divides attention into products and softmax."""

    @staticmethod
    def forward(context, query, key, value, mask, causal):
        context.save_for_backward(query, key, value)
        context.causal = causal
        return Recorder.current.add("aten::scaled_dot_product_attention", [query, key, value, mask, 0.0, causal], [torch.empty_like(query)])[0]

    @staticmethod
    def backward(context, gradient):
        tensors = context.saved_tensors
        results = Recorder.current.add("aten::_scaled_dot_product_flash_attention_backward", [gradient, *tensors, context.causal],
                                       [torch.empty_like(one) for one in tensors])
        return *results, None, None


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    return Attention.apply(query, key, value, attn_mask, is_causal)


class Recorder(TorchDispatchMode):
    """Keeps the operators that run under it as rows of a recording."""

    current = None

    def __init__(self):
        super().__init__()
        self.launches, self.storages, self.kept = [], {}, []
        Recorder.current = self

    def add(self, name, arguments, results, changed=()):
        """Adds a launch, and returns its results."""
        detail = {"operator": name, "arguments": self.value(arguments), "outputs": self.value(results), "writes": sorted(map(self.storage_of, changed))}
        self.launches.append({"name": name, "tier": 0, "signature": self.signature(detail), "detail": detail})
        return results

    def storage_of(self, tensor):
        storage = tensor.untyped_storage()
        self.kept.append(storage)  # otherwise another storage could get its number
        return self.storages.setdefault(storage._cdata, len(self.storages))

    def value(self, one):
        if isinstance(one, torch.Tensor):
            return {"tensor": {"dtype": DTYPES[one.dtype], "shape": list(one.shape), "strides": list(one.stride()), "storage": self.storage_of(one),
                               "value": 0, "offset": 0}}
        if isinstance(one, (list, tuple)):
            return [self.value(each) for each in one]
        if isinstance(one, float):
            return {"double": repr(one)}
        return one if one is None or isinstance(one, (bool, int, str)) else str(one)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        schema = function._schema
        given = [*args, *((kwargs or {}).get(argument.name) for argument in schema.arguments[len(args):])]
        tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
        if function.namespace == "aten" and any(isinstance(one, torch.Tensor) for one in [*tensors, *tree_leaves(result)]):
            changed = [one for argument, value in zip(schema.arguments, given) if argument.alias_info is not None and argument.alias_info.is_write
                       for one in tree_leaves(value) if isinstance(one, torch.Tensor)]
            name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
            unique = {self.storage_of(one): one for one in changed}.values()
            self.add(name, given, list(result) if isinstance(result, (list, tuple)) else [result], unique)
        return result

    def signature(self, detail):
        """Returns what launches of one kernel have in common, without the numbers of storages; whether the result is a view is a part of it."""
        inputs = {one.get("storage") for one in self.tensors(detail["arguments"])}
        views = [one["storage"] in inputs for one in self.tensors(detail["outputs"])]
        without = lambda values: [{key: one[key] for key in ("dtype", "shape", "strides")} for one in self.tensors(values)]
        scalars = [one for one in detail["arguments"] if not (isinstance(one, (dict, list)))]
        return json.dumps([detail["operator"], without(detail["arguments"]), scalars, without(detail["outputs"]), views, len(detail["writes"])])

    def tensors(self, values):
        if isinstance(values, dict):
            return [values["tensor"]] if "tensor" in values else []
        return [one for value in values for one in self.tensors(value)] if isinstance(values, list) else []


def write(file, launches, title):
    header = {"format": "kjoule-recording", "version": 1, "program": {"asked": {"model": title}}, "device": {"kind": "cpu"}, "launches": len(launches)}
    pathlib.Path(file).write_text("".join(json.dumps(row) + "\n" for row in [header, *launches]))


def half_model(make, dtype=torch.float16):
    """Returns a model of this type. Fake weights cannot get another type afterwards."""
    torch.set_default_dtype(dtype)
    model = make().eval()
    torch.set_default_dtype(torch.float32)
    return model


def bloom(length):
    from transformers import BloomConfig, BloomForCausalLM
    model = half_model(lambda: BloomForCausalLM(BloomConfig(vocab_size=250880, hidden_size=1024, n_layer=24, n_head=16)))
    tokens = torch.zeros((1, length), dtype=torch.int64)
    return lambda: model(input_ids=tokens, use_cache=False).logits


def llama_prefill():
    from transformers import LlamaConfig, LlamaForCausalLM
    model = half_model(lambda: LlamaForCausalLM(LlamaConfig()))
    tokens = torch.zeros((1, 2048), dtype=torch.int64)
    return lambda: model(input_ids=tokens, use_cache=False, logits_to_keep=1).logits


def llama_decode():
    from transformers import LlamaConfig, LlamaForCausalLM, StaticCache
    config = LlamaConfig()
    model = half_model(lambda: LlamaForCausalLM(config))
    cache = StaticCache(config=config, max_cache_len=512)
    lengths = torch.full((config.num_hidden_layers,), 400)
    for layer, length in zip(cache.layers, lengths):
        layer.cumulative_length = length
    token, position = torch.zeros((1, 1), dtype=torch.int64), torch.tensor([[400]])
    return lambda: model(input_ids=token, past_key_values=cache, position_ids=position, use_cache=True).logits


def pictures(name, batch, layout):
    """A network of torchvision, as `kjoule export` builds it."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
    from kjoule_export.build import Request, build
    with unset_fake_temporarily(), torch.device("cpu"):  # fake weights cannot get another layout
        model = build(Request(model=name, batch=batch, dtype="float16")).module.eval().to(memory_format=layout)
    images = torch.zeros((batch, 3, 224, 224), dtype=torch.float16).contiguous(memory_format=layout)
    return lambda: model(images)


def gpt2_train():
    """Autocast on a GPU computes norms and powers in float32; that on a CPU does not."""
    norm, power = torch.nn.functional.layer_norm, torch.pow
    torch.nn.functional.layer_norm = lambda x, *more, **named: norm(x.float(), *more, **named)
    torch.pow = lambda x, exponent: power(x.float(), exponent)
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config()).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    tokens = torch.zeros((8, 512), dtype=torch.int64)

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(input_ids=tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        return loss
    return step


def t5_forward():
    from transformers import T5Config, T5ForConditionalGeneration
    model = half_model(lambda: T5ForConditionalGeneration(T5Config(decoder_start_token_id=0)), torch.bfloat16)
    words, answers = torch.zeros((4, 256), dtype=torch.int64), torch.zeros((4, 32), dtype=torch.int64)
    return lambda: model(input_ids=words, decoder_input_ids=answers, use_cache=False).logits


def whisper_encoder():
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder
    sizes = WhisperConfig(d_model=512, encoder_layers=6, encoder_attention_heads=8, encoder_ffn_dim=2048)
    model = half_model(lambda: WhisperEncoder(sizes))
    sound = torch.zeros((4, 80, 3000), dtype=torch.float16)
    return lambda: model(sound).last_hidden_state


def long_attention_train():
    tokens, width, heads = 16_384, 1024, 8
    hidden = torch.zeros((1, tokens, width), dtype=torch.bfloat16)
    make = lambda: torch.nn.ModuleList([torch.nn.LayerNorm(width), torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)])
    layers = [half_model(make, torch.bfloat16) for _ in range(2)]

    def step():
        for parameter in (one for layer in layers for module in layer for one in module.parameters()):
            parameter.grad = None
        x = hidden
        for norm, projections, out in layers:
            query, key, value = projections(norm(x)).view(1, tokens, 3, heads, -1).permute(2, 0, 3, 1, 4)
            found = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + out(found.transpose(1, 2).reshape(1, tokens, width))
        loss = x.float().square().mean()
        loss.backward()
        return loss
    return step


WORKLOADS = {
    "bloom-560m-seq5": lambda: bloom(5),
    "bloom-560m-seq512": lambda: bloom(512),
    "llama-7b-prefill": llama_prefill,
    "llama-7b-decode": llama_decode,
    "resnet50-batch32": lambda: pictures("resnet50", 32, torch.channels_last),
    "vit-b16-batch8": lambda: pictures("vit-b16", 8, torch.contiguous_format),
    "gpt2-train": gpt2_train,
    # Programs by which nothing was chosen:
    "t5-forward": t5_forward,
    "whisper-encoder": whisper_encoder,
    "long-attention-train": long_attention_train,
}


PICTURES = ["resnet50-batch32", "vit-b16-batch8"]


def record(workload, file):
    """Writes the recording of the second iteration of a workload, when optimizers have their state."""
    trains = workload.endswith("-train")
    # A backward pass needs a true GPU, and weights that are not fake are those of a CPU.
    device = "cpu" if trains or workload in PICTURES else "cuda"
    torch.nn.functional.scaled_dot_product_attention = attention
    with FakeTensorMode(allow_non_fake_inputs=True), torch.device(device):
        step = WORKLOADS[workload]()
        with torch.set_grad_enabled(trains):
            Recorder()
            step()
            recorder = Recorder()
            with recorder:
                step()
    write(file, recorder.launches, workload)


if __name__ == "__main__":
    record(*sys.argv[1:])
