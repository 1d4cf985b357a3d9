"""The programs of the state experiment: each with random weights, captured as a CUDA graph."""
import torch
import transformers


def half_model(model_class, config):
    torch.set_default_dtype(torch.float16)
    with torch.device("cuda"):
        model = model_class(config).eval()
    torch.set_default_dtype(torch.float32)
    return model.half().cuda()


def bloom(sequence):
    import transformers.models.bloom.modeling_bloom as modeling
    config = transformers.BloomConfig(vocab_size=250880, hidden_size=1024, n_layer=24, n_head=16)
    model = half_model(transformers.BloomForCausalLM, config)
    lowest = torch.finfo(torch.float16).min
    causal = torch.triu(torch.full((sequence, sequence), lowest, device="cuda", dtype=torch.float16), 1)
    causal = causal[None, None].expand(1, 1, sequence, sequence).contiguous()
    modeling.create_causal_mask = lambda *_, **__: causal
    ids = torch.randint(0, 1000, (1, sequence), device="cuda")
    mask = torch.ones_like(ids)
    return lambda: model(input_ids=ids, attention_mask=mask, use_cache=False).logits


def llama_decode(layers=16, hidden=4096, heads=32, inner=11008, cached=512):
    """One token against a key-value cache of fixed size, written in place."""
    functional = torch.nn.functional
    generator = torch.Generator("cuda").manual_seed(0)
    width = hidden // heads

    def weight(*shape):
        return (torch.randn(*shape, device="cuda", generator=generator) * 0.02).half()

    blocks = [{"norm1": torch.ones(hidden, device="cuda").half(), "norm2": torch.ones(hidden, device="cuda").half(),
               "qkv": weight(3 * hidden, hidden), "out": weight(hidden, hidden), "up": weight(2 * inner, hidden),
               "down": weight(hidden, inner), "keys": weight(1, heads, cached, width) * 10,
               "values": weight(1, heads, cached, width) * 10} for _ in range(layers)]
    embedding, head = weight(32000, hidden), weight(32000, hidden)
    token = torch.randint(0, 32000, (1,), device="cuda")

    def forward():
        x = functional.embedding(token, embedding)
        for block in blocks:
            y = functional.rms_norm(x, (hidden,), block["norm1"])
            q, k, v = functional.linear(y, block["qkv"]).view(1, 3, heads, 1, width).unbind(1)
            block["keys"][:, :, -1:] = k
            block["values"][:, :, -1:] = v
            attended = functional.scaled_dot_product_attention(q, block["keys"], block["values"]).reshape(1, hidden)
            x = x + functional.linear(attended, block["out"])
            y = functional.rms_norm(x, (hidden,), block["norm2"])
            gate, up = functional.linear(y, block["up"]).chunk(2, -1)
            x = x + functional.linear(functional.silu(gate) * up, block["down"])
        return functional.linear(x, head)

    return forward


def resnet(batch):
    config = transformers.ResNetConfig(num_labels=1000)
    model = half_model(transformers.ResNetForImageClassification, config).to(memory_format=torch.channels_last)
    image = torch.randn(batch, 3, 224, 224, device="cuda").half().contiguous(memory_format=torch.channels_last)
    return lambda: model(image).logits


WORKLOADS = {"bloom-seq5": lambda: bloom(5), "bloom-seq512": lambda: bloom(512), "llama-decode": llama_decode,
             "resnet50-batch32": lambda: resnet(32)}


def capture(name):
    """The captured graph of one iteration; keeps what it needs alive."""
    torch.manual_seed(0)
    forward = WORKLOADS[name]()
    with torch.no_grad():
        for _ in range(5):
            forward()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                forward()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        with torch.cuda.graph(graph):
            graph.output = forward()
    graph.instantiate()
    graph.forward = forward
    return graph
