"""BERT-base, batch 16 x 128, under torch.compile, half precision: python bert_compile.py [ITERATIONS]"""
import sys

import torch
from transformers import BertConfig, BertModel

torch.manual_seed(0)
model = torch.compile(BertModel(BertConfig()).eval().half().cuda())
tokens = torch.randint(0, 30522, (16, 128), device="cuda")
with torch.no_grad():
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 300):
        hidden = model(input_ids=tokens).last_hidden_state
        torch.cuda.synchronize()
print("mean", float(hidden.float().mean()))
