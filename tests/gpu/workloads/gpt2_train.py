"""A GPT-2 small training step, autocast and fused AdamW, batch 8 x 512: python gpt2_train.py [ITERATIONS]"""
import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config()).cuda().train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
tokens = torch.randint(0, 50257, (8, 512), device="cuda")
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 120):
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    torch.cuda.synchronize()
print("loss", float(loss))
