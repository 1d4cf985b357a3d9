"""BLOOM-560M at 5 tokens, eager: prints when each pass ended, CLOCK_MONOTONIC ns: python passes.py [PASSES]"""
import json
import sys
import time

import torch
from transformers import BloomConfig, BloomForCausalLM

torch.manual_seed(0)
config = BloomConfig(vocab_size=250880, hidden_size=1024, n_layer=24, n_head=16)
with torch.device("cuda"):
    torch.set_default_dtype(torch.float16)
    model = BloomForCausalLM(config).eval()
    torch.set_default_dtype(torch.float32)
tokens = torch.randint(0, 1000, (1, 5), device="cuda")
ends_ns = []
with torch.no_grad():
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1500):
        model(input_ids=tokens, use_cache=False)
        torch.cuda.synchronize()
        ends_ns.append(time.monotonic_ns())
print(json.dumps({"ends_ns": ends_ns}))
