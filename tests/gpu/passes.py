"""BLOOM-560M at 5 tokens, eager: for each number that comes through REQUESTS plays so many passes and writes their times,
µs, as a JSON list to ANSWERS: python passes.py REQUESTS ANSWERS (both FIFOs; ends when the number is 0)"""
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


def pass_us():
    begin = time.perf_counter_ns()
    model(input_ids=tokens, use_cache=False)
    torch.cuda.synchronize()
    return (time.perf_counter_ns() - begin) * 1e-3


with torch.no_grad(), open(sys.argv[1], encoding="utf-8") as requests, open(sys.argv[2], "w", encoding="utf-8") as answers:
    for line in requests:
        if int(line) == 0:
            break
        print(json.dumps([pass_us() for _ in range(int(line))]), file=answers, flush=True)
