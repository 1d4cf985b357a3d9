"""A foreach AdamW step over 200 parameters, gradients clipped; the host never waits: python foreach_optimizer.py [ITERATIONS]"""
import torch
from steady import repeat

torch.manual_seed(0)
sizes = [(512, 512), (512,), (2048, 512), (2048,), (512, 2048)] * 40
parameters = [torch.nn.Parameter(torch.randn(size, device="cuda")) for size in sizes]
gradients = [torch.randn_like(parameter) for parameter in parameters]
optimizer = torch.optim.AdamW(parameters, lr=1e-4, foreach=True)


def step():
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = gradient
    norm = torch.nn.utils.clip_grad_norm_(parameters, 1e6, foreach=True)
    optimizer.step()
    return norm


repeat(step, read=lambda norm: norm + parameters[0].detach().mean())
