"""A Llama-7B shape, prefill of 1 x 2048 tokens, half precision: python llama_prefill.py [ITERATIONS]"""
import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
with torch.device("cuda"):
    torch.set_default_dtype(torch.float16)
    model = LlamaForCausalLM(LlamaConfig()).eval()
    torch.set_default_dtype(torch.float32)
tokens = torch.randint(0, 32000, (1, 2048), device="cuda")
with torch.no_grad():
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 60):
        logits = model(input_ids=tokens, use_cache=False, logits_to_keep=1).logits
        torch.cuda.synchronize()
print("token", int(logits[0, -1].argmax()))
