"""Eight layers of products in 8-bit floating point, scaled by what each input's largest value is: python fp8_products.py [ITERATIONS]"""
import torch
from steady import repeat

LAYERS, ROWS, WIDTH, LARGEST = 8, 2048, 4096, torch.finfo(torch.float8_e4m3fn).max


def quantised(values):
    scale = values.abs().amax().float().clamp(min=1e-6) / LARGEST
    return (values / scale).clamp(-LARGEST, LARGEST).to(torch.float8_e4m3fn), scale


torch.manual_seed(0)
like = dict(dtype=torch.bfloat16, device="cuda")
weights = [quantised(torch.randn(WIDTH, WIDTH, **like) / WIDTH**0.5) for _ in range(LAYERS)]
entering = torch.randn(ROWS, WIDTH, **like)


@torch.no_grad()
def step():
    hidden = entering
    for weight, weight_scale in weights:
        rows, scale = quantised(hidden)
        found = torch._scaled_mm(rows, weight.t(), scale_a=scale, scale_b=weight_scale, out_dtype=torch.bfloat16)
        hidden = torch.nn.functional.gelu(found) + hidden
    return hidden


repeat(step, torch.cuda.synchronize, lambda hidden: hidden.float().mean())
