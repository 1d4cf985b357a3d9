"""Eight layers of products in 8-bit integers, each row with a scale of its own: python int8_products.py [ITERATIONS]"""
import torch
from steady import repeat

LAYERS, ROWS, WIDTH = 8, 1024, 4096


def quantised(rows):
    scale = rows.abs().amax(1, keepdim=True).clamp(min=1e-6) / 127
    return (rows / scale).round().to(torch.int8), scale


torch.manual_seed(0)
with torch.device("cuda"):
    weights = [quantised(torch.randn(WIDTH, WIDTH) / WIDTH**0.5) for _ in range(LAYERS)]
    entering = torch.randn(ROWS, WIDTH)


@torch.no_grad()
def step():
    hidden = entering
    for weight, weight_scale in weights:
        rows, scale = quantised(hidden)
        found = torch._int_mm(rows, weight.t()) * scale * weight_scale.t()
        hidden = torch.nn.functional.silu(found) + hidden
    return hidden


repeat(step, torch.cuda.synchronize)
