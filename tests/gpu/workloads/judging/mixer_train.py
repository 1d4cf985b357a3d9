"""A training step of an MLP-Mixer in half precision, its loss scaled, 32 images: python mixer_train.py [ITERATIONS]"""
import torch
from steady import repeat
from torch import nn

BLOCKS, WIDTH, PATCH, SIDE, CLASSES, BATCH = 8, 512, 16, 224, 100, 32
PATCHES = (SIDE // PATCH) ** 2


def mlp(width, inner):
    return nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.places, self.channels = mlp(PATCHES, 256), mlp(WIDTH, 2048)

    def forward(self, x):
        x = x + self.places(self.norms[0](x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norms[1](x))


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.blocks = nn.Conv2d(3, WIDTH, PATCH, PATCH), nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, images):
        x = self.blocks(self.patches(images).flatten(2).transpose(1, 2))
        return self.head(self.norm(x).mean(1))


torch.manual_seed(0)
model = Mixer().cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)
scaler = torch.amp.GradScaler("cuda", init_scale=1024.0)
images, labels = torch.randn(BATCH, 3, SIDE, SIDE, device="cuda"), torch.randint(0, CLASSES, (BATCH,), device="cuda")


def step():
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(images), labels)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return loss.detach()


repeat(step, torch.cuda.synchronize)
