"""A Llama-7B shape, one token against a static cache, inside a CUDA graph: python llama_decode.py [ITERATIONS]

Every step is the same one, at position 400: the cache counts its tokens on the device, and each step sets the
counters back.
"""
import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

POSITION = 400

torch.manual_seed(0)
config = LlamaConfig()
with torch.device("cuda"):
    torch.set_default_dtype(torch.float16)
    model = LlamaForCausalLM(config).eval()
    torch.set_default_dtype(torch.float32)
    cache = StaticCache(config=config, max_cache_len=512)
    lengths = torch.full((config.num_hidden_layers,), POSITION)
    for layer, length in zip(cache.layers, lengths):
        layer.cumulative_length = length
    token = torch.randint(0, 32000, (1, 1))
    position = torch.tensor([[POSITION]])
with torch.no_grad():
    def step():
        lengths.fill_(POSITION)
        return model(input_ids=token, past_key_values=cache, position_ids=position, use_cache=True).logits

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        logits = step()
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 2000):
        token.copy_(logits[:, -1].argmax(-1, keepdim=True))
        graph.replay()
        torch.cuda.synchronize()
print("token", int(token))
