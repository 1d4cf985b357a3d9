"""A compiled vision transformer in half precision, whose scaler skips steps: a batch in 41 has values that are too large: python scaler_skips.py [STEPS]"""
import torch
from shared import DEVICE, TRIED, asked, ended, moved, sized
from torch import nn

SIDE, PATCH, WIDTH, HEADS, BLOCKS, CLASSES, BATCH = sized(128, 16), 8, sized(512, 16), 8, sized(8), 30, sized(64, 4)
PLACES, TOO_LARGE_EVERY, GROWN_AFTER, LOGGED_EVERY = (SIDE // PATCH) ** 2, sized(41, 2), sized(60, 1), sized(50, 1)
STEPS = asked(3000)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms, self.entering, self.leaving = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2)), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        query, key, value = self.entering(self.norms[0](x)).unflatten(2, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        weights = (query @ key.transpose(2, 3) * (WIDTH // HEADS) ** -0.5).softmax(-1).to(value.dtype)
        x = x + self.leaving((weights @ value).transpose(1, 2).flatten(2))
        return x + self.mlp(self.norms[1](x))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.places = nn.Linear(3 * PATCH * PATCH, WIDTH), nn.Parameter(0.02 * torch.randn(PLACES, WIDTH))
        self.blocks, self.norm, self.head = nn.Sequential(*(Block() for _ in range(BLOCKS))), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, images):
        patches = images.unfold(2, PATCH, PATCH).unfold(3, PATCH, PATCH).permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)
        return self.head(self.norm(self.blocks(self.patches(patches) + self.places)).mean(1))


torch.manual_seed(53)
patterns = torch.randn(CLASSES, 3, SIDE, SIDE)
model = Transformer().to(DEVICE)
for block in model.blocks:
    if not TRIED:
        block.compile()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 200))
scaler = torch.amp.GradScaler(DEVICE.type, init_scale=2.0**24, growth_interval=GROWN_AFTER)
noise = torch.randn(4 * BATCH, 3, SIDE, SIDE)
skipped, scales, kept = [], [], torch.zeros(())
for step in range(1, STEPS + 1):
    labels = torch.randint(0, CLASSES, (BATCH,))
    images = patterns[labels] + noise[torch.randint(0, len(noise), (BATCH,))]
    if step % TOO_LARGE_EVERY == 0:
        images[step % BATCH] *= 1e6  # as from a broken file
    images, labels = moved(images), moved(labels)
    optimizer.zero_grad()
    with torch.autocast(DEVICE.type, dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(images), labels)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    if scaler.get_scale() < before:
        skipped.append(step)
        print(f"step {step}: skipped, scale {scaler.get_scale():g}", flush=True)
    else:
        schedule.step()
        kept = loss
    if step % LOGGED_EVERY == 0:
        scales.append(scaler.get_scale())
        print(f"step {step}: loss {loss.item():.4f}, scale {scales[-1]:g}, {len(skipped)} skipped", flush=True)
print(f"{len(skipped)} steps skipped")
spoiled = set(range(TOO_LARGE_EVERY, STEPS + 1, TOO_LARGE_EVERY))
ended(model.parameters(), kept.item(), steps=STEPS, spoiled=len(spoiled), all_skipped=spoiled <= set(skipped))
