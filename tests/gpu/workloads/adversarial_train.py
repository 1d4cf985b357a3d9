"""A step of two networks against each other, images of 64 x 64, batch 64, Adam: python adversarial_train.py [ITERATIONS]"""
import math
import sys

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as against

LATENT, WIDTH, BATCH = 100, 64, 64


def enlarged(entering, leaving, stride=2, padding=1):
    return [nn.ConvTranspose2d(entering, leaving, 4, stride, padding, bias=False), nn.BatchNorm2d(leaving), nn.ReLU(True)]


def reduced(entering, leaving):
    return [nn.Conv2d(entering, leaving, 4, 2, 1, bias=False), nn.BatchNorm2d(leaving), nn.LeakyReLU(0.2, True)]


torch.manual_seed(0)
with torch.device("cuda"):
    painter = nn.Sequential(*enlarged(LATENT, 8 * WIDTH, 1, 0), *enlarged(8 * WIDTH, 4 * WIDTH), *enlarged(4 * WIDTH, 2 * WIDTH),
                            *enlarged(2 * WIDTH, WIDTH), nn.ConvTranspose2d(WIDTH, 3, 4, 2, 1), nn.Tanh())
    judge = nn.Sequential(*reduced(3, WIDTH), *reduced(WIDTH, 2 * WIDTH), *reduced(2 * WIDTH, 4 * WIDTH), *reduced(4 * WIDTH, 8 * WIDTH),
                          nn.Conv2d(8 * WIDTH, 1, 4), nn.Flatten(0))
    images, real, false = torch.rand(BATCH, 3, 64, 64) * 2 - 1, torch.ones(BATCH), torch.zeros(BATCH)
painting, judging = (torch.optim.Adam(model.parameters(), lr=2e-5, betas=(0.5, 0.999)) for model in (painter, judge))


def step():
    painted = painter(torch.randn(BATCH, LATENT, 1, 1, device="cuda"))
    judging.zero_grad()
    judged = against(judge(images), real) + against(judge(painted.detach()), false)
    judged.backward()
    judging.step()
    painting.zero_grad()
    believed = against(judge(painted), real)
    believed.backward()
    painting.step()
    return judged.detach() + believed.detach()


for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
    result = step()
    torch.cuda.synchronize()
if not math.isfinite(float(result)):
    sys.exit(f"the result is {float(result)}")
print("result", float(result))
