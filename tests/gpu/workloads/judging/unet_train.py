"""A training step of a small diffusion UNet, 16 images of 64 x 64, autocast and AdamW: python unet_train.py [ITERATIONS]"""
import torch
from steady import repeat
from torch import nn
from torch.nn.functional import interpolate, mse_loss, scaled_dot_product_attention, silu

WIDTHS, STEPS = [64, 128, 256], 1000


class Block(nn.Module):
    def __init__(self, entering, leaving):
        super().__init__()
        self.first, self.second = nn.Conv2d(entering, leaving, 3, padding=1), nn.Conv2d(leaving, leaving, 3, padding=1)
        self.norms = nn.ModuleList([nn.GroupNorm(8, entering), nn.GroupNorm(8, leaving)])
        self.time, self.straight = nn.Linear(128, leaving), nn.Conv2d(entering, leaving, 1)

    def forward(self, x, time):
        inner = self.first(silu(self.norms[0](x))) + self.time(time)[:, :, None, None]
        return self.straight(x) + self.second(silu(self.norms[1](inner)))


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.projections, self.out = nn.GroupNorm(8, width), nn.Conv2d(width, 3 * width, 1), nn.Conv2d(width, width, 1)

    def forward(self, x):
        query, key, value = self.projections(self.norm(x)).flatten(2).unflatten(1, (3, 4, -1)).transpose(-1, -2).unbind(1)
        return x + self.out(scaled_dot_product_attention(query, key, value).transpose(-1, -2).reshape(x.shape))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(128, 128), nn.SiLU(), nn.Linear(128, 128))
        self.begin, self.end = nn.Conv2d(3, WIDTHS[0], 3, padding=1), nn.Conv2d(WIDTHS[0], 3, 3, padding=1)
        self.down = nn.ModuleList(map(Block, [WIDTHS[0], *WIDTHS], [*WIDTHS, WIDTHS[-1]]))
        self.attention = Attention(WIDTHS[-1])
        self.up = nn.ModuleList(Block(2 * width, narrower) for width, narrower in zip(WIDTHS[::-1], [*WIDTHS[-2::-1], WIDTHS[0]]))

    def forward(self, x, moment):
        angles = moment[:, None] * torch.logspace(0, -4, 64, device=x.device)
        time = self.time(torch.cat([angles.sin(), angles.cos()], 1))
        x, kept = self.begin(x), []
        for block in self.down[:-1]:
            kept.append(block(x, time))
            x = nn.functional.avg_pool2d(kept[-1], 2)
        x = self.attention(self.down[-1](x, time))
        for block in self.up:
            x = block(torch.cat([interpolate(x, scale_factor=2), kept.pop()], 1), time)
        return self.end(x)


torch.manual_seed(0)
model = UNet().cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
images = torch.rand(16, 3, 64, 64, device="cuda") * 2 - 1
kept_signal = torch.linspace(0.999, 0.01, STEPS, device="cuda")


def step():
    moment = torch.randint(0, STEPS, (len(images),), device="cuda")
    noise, share = torch.randn_like(images), kept_signal[moment][:, None, None, None]
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = mse_loss(model(share.sqrt() * images + (1 - share).sqrt() * noise, moment), noise)
    loss.backward()
    optimizer.step()
    return loss.detach()


repeat(step, torch.cuda.synchronize)
