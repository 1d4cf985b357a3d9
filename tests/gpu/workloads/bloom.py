"""BLOOM-560M with random weights, half precision: python bloom.py SEQUENCE_LENGTH [ITERATIONS]"""
import sys

import torch
from transformers import BloomConfig, BloomForCausalLM

sequence = int(sys.argv[1])
iterations = int(sys.argv[2]) if len(sys.argv) > 2 else 200
torch.manual_seed(0)
config = BloomConfig(vocab_size=250880, hidden_size=1024, n_layer=24, n_head=16)
with torch.device("cuda"):
    torch.set_default_dtype(torch.float16)
    model = BloomForCausalLM(config).eval()
    torch.set_default_dtype(torch.float32)
tokens = torch.randint(0, 1000, (1, sequence), device="cuda")
with torch.no_grad():
    for _ in range(iterations):
        logits = model(input_ids=tokens, use_cache=False).logits
        torch.cuda.synchronize()
print("logits", tuple(logits.shape), "mean", float(logits.float().mean()))
