"""Attention over 16,384 tokens, forward and backward, two layers in bfloat16: python long_attention_train.py [ITERATIONS]"""
import torch
from steady import repeat
from torch import nn

TOKENS, WIDTH, HEADS = 16_384, 1024, 8


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.projections, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, hidden):
        query, key, value = self.projections(self.norm(hidden)).view(1, TOKENS, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        found = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return hidden + self.out(found.transpose(1, 2).reshape(1, TOKENS, WIDTH))


torch.manual_seed(0)
with torch.device("cuda"):
    model = nn.Sequential(Layer(), Layer()).bfloat16()
    tokens = torch.randn(1, TOKENS, WIDTH).bfloat16()


def step():
    model.zero_grad()
    loss = model(tokens).float().square().mean()
    loss.backward()
    return loss.detach()


repeat(step, torch.cuda.synchronize)
