"""Training of a small character GPT, evaluated after every 250 steps: python gpt_train_evaluate.py [STEPS]"""
import math
import tempfile

import numpy as np
import torch
from shared import DEVICE, asked, ended, moved, sized
from torch import nn
from torch.nn import functional

SYMBOLS, BLOCK, BATCH = 65, sized(256, 16), sized(64, 4)
LAYERS, WIDTH, HEADS, DROPPED = sized(6), sized(384, 48), 6, 0.2
EVERY, EVALUATED = sized(250, 1), sized(200)
RATE, LAST_RATE, WARMING = 1e-3, 1e-4, 100
STEPS = asked(3000)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.entering, self.leaving, self.dropout = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH), nn.Dropout(DROPPED)

    def forward(self, x):
        batch, length, _ = x.shape
        query, key, value = self.entering(x).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        found = functional.scaled_dot_product_attention(query, key, value, is_causal=True, dropout_p=DROPPED if self.training else 0.0)
        return self.dropout(self.leaving(found.transpose(1, 2).reshape(batch, length, WIDTH)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before_attention, self.before_mlp, self.attention = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH), Attention()
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(DROPPED))

    def forward(self, x):
        x = x + self.attention(self.before_attention(x))
        return x + self.mlp(self.before_mlp(x))


class SmallGPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.symbols, self.places, self.dropout = nn.Embedding(SYMBOLS, WIDTH), nn.Embedding(BLOCK, WIDTH), nn.Dropout(DROPPED)
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(LAYERS)), nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, SYMBOLS, bias=False)
        self.head.weight = self.symbols.weight
        self.apply(self.begin)

    @staticmethod
    def begin(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)

    def forward(self, x, wanted):
        hidden = self.dropout(self.symbols(x) + self.places(torch.arange(x.shape[1], device=x.device)))
        for block in self.blocks:
            hidden = block(hidden)
        scores = self.head(self.norm(hidden))
        return functional.cross_entropy(scores.view(-1, SYMBOLS), wanted.view(-1))


def written(folder, name, length, seed):
    """Returns a file with text in which a symbol depends on the two before it, mapped into memory."""
    draw = np.random.default_rng(seed)
    columns = np.zeros((length // 1000, 1000), dtype=np.uint16)
    columns[:2] = draw.integers(0, SYMBOLS, (2, 1000))
    for row in range(2, len(columns)):
        columns[row] = (3 * columns[row - 1] + columns[row - 2] + draw.integers(0, 4, 1000)) % SYMBOLS
    columns.T.tofile(f"{folder}/{name}")
    return np.memmap(f"{folder}/{name}", dtype=np.uint16, mode="r")


def batch_of(text):
    begins = torch.randint(len(text) - BLOCK, (BATCH,))
    x = torch.stack([torch.from_numpy(text[i:i + BLOCK].astype(np.int64)) for i in begins])
    wanted = torch.stack([torch.from_numpy(text[i + 1:i + 1 + BLOCK].astype(np.int64)) for i in begins])
    return moved(x), moved(wanted)


def loss_of(text):
    with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
        return model(*batch_of(text))


@torch.no_grad()
def evaluate():
    model.eval()
    means = {}
    for name, text in texts.items():
        losses = torch.zeros(EVALUATED)
        for k in range(EVALUATED):
            losses[k] = loss_of(text).item()
        means[name] = losses.mean().item()
    model.train()
    return means


def rate_of(step):
    if step < WARMING:
        return RATE * (step + 1) / WARMING
    return LAST_RATE + 0.5 * (RATE - LAST_RATE) * (1 + math.cos(math.pi * (step - WARMING) / max(1, STEPS - WARMING)))


torch.manual_seed(1337)
with tempfile.TemporaryDirectory() as folder:
    texts = {"train": written(folder, "train.bin", 1_000_000, 1), "validation": written(folder, "validation.bin", 100_000, 2)}
    model = SmallGPT().to(DEVICE)
    decayed = [one for one in model.parameters() if one.dim() >= 2]
    others = [one for one in model.parameters() if one.dim() < 2]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=RATE, betas=(0.9, 0.99), fused=True)
    history = []
    for step in range(STEPS + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate_of(step)
        if step % EVERY == 0:
            history.append(evaluate())
            print(f"step {step}: " + ", ".join(f"{name} {value:.4f}" for name, value in history[-1].items()), flush=True)
        if step == STEPS:
            break
        loss = loss_of(texts["train"])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % 10 == 0:
            print(f"step {step}: loss {loss.item():.4f}", flush=True)
ended(model.parameters(), loss.item(), steps=STEPS, evaluations=len(history), batches=STEPS + 2 * EVALUATED * len(history))
