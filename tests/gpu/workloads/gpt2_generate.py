"""GPT-2 medium, generate() of 8 tokens after 32, half precision: python gpt2_generate.py [ITERATIONS]

The cache grows within a call, so a whole call is the iteration: the NVTX range "generate" (kjoule --range generate).
"""
import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
config = GPT2Config(n_embd=1024, n_layer=24, n_head=16)
model = GPT2LMHeadModel(config).eval().half().cuda()
prompt = torch.randint(0, 50257, (1, 32), device="cuda")
attended = torch.ones_like(prompt)
length = dict(max_new_tokens=8, min_new_tokens=8, do_sample=False, pad_token_id=50256)
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
    with torch.cuda.nvtx.range("generate"):
        tokens = model.generate(prompt, attention_mask=attended, **length)
        torch.cuda.synchronize()
print("tokens", tokens[0, -8:].tolist())
