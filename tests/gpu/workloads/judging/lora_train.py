"""A fine-tuning step of a Llama shape by low-rank adapters, 4 x 256 words, bfloat16: python lora_train.py [ITERATIONS]"""
import torch
from steady import repeat
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

RANK, SCALE = 8, 2.0


class Adapted(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(RANK, base.in_features, device="cuda", dtype=torch.bfloat16) / base.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, RANK, device="cuda", dtype=torch.bfloat16))

    def forward(self, x):
        return self.base(x) + SCALE * nn.functional.linear(nn.functional.linear(x, self.down), self.up)


torch.manual_seed(0)
model = LlamaForCausalLM(LlamaConfig(vocab_size=16_000, hidden_size=1024, intermediate_size=2816, num_hidden_layers=8, num_attention_heads=16))
model = model.bfloat16().cuda().train().requires_grad_(False)
for layer in model.model.layers:
    for name in ["q_proj", "v_proj"]:
        setattr(layer.self_attn, name, Adapted(getattr(layer.self_attn, name)))
optimizer = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=1e-4)
words = torch.randint(0, 16_000, (4, 256), device="cuda")


def step():
    optimizer.zero_grad()
    loss = model(input_ids=words, labels=words, use_cache=False).loss
    loss.backward()
    optimizer.step()
    return loss.detach()


repeat(step, torch.cuda.synchronize)
