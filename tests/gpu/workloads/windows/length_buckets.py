"""Masked training of a text encoder, batches of about 8,192 words from buckets of 6 lengths: python length_buckets.py [STEPS]"""
import random

import torch
from shared import DEVICE, asked, ended, moved, sized
from torch import nn
from torch.nn.utils.rnn import pad_sequence

WORDS, WIDTH, LAYERS, HEADS = sized(16_000, 100), sized(512, 16), sized(6), 8
BUCKETS, PER_BATCH = sized([32, 64, 96, 160, 256, 384], [8, 16]), sized(8192, 48)
PADDING, MASK, HIDDEN_SHARE = 0, 1, 0.15
SENTENCES, LOGGED_EVERY, STEPS = sized(20_000, 40), sized(50, 1), asked(5500)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH, padding_idx=PADDING), nn.Embedding(BUCKETS[-1], WIDTH)
        nn.init.normal_(self.words.weight, std=0.02)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.1, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.bias = nn.Parameter(torch.zeros(WORDS))

    def forward(self, words, where):
        """Returns the scores at the places `where`, a mask."""
        x = self.words(words) + self.places.weight[:words.shape[1]]
        hidden = self.layers(x, src_key_padding_mask=words == PADDING)
        return nn.functional.linear(hidden[where], self.words.weight, self.bias)


def batches():
    """Yields for ever sentences of one bucket, as many as fit; each bucket is shuffled, and so are the batches of all buckets."""
    while True:
        found = []
        for shortest, longest in zip([0, *BUCKETS], BUCKETS):
            within = [one for one in sentences if shortest < len(one) <= longest]
            draw.shuffle(within)
            count = PER_BATCH // longest
            found += [within[first:first + count] for first in range(0, len(within), count)]
        draw.shuffle(found)
        yield from found


def hidden_words(words):
    where = (torch.rand(words.shape) < HIDDEN_SHARE) & (words != PADDING)
    where[:, 0] = True  # so that no batch is without any
    return words.masked_fill(where, MASK), where


torch.manual_seed(31)
draw = random.Random(31)
lengths = [min(BUCKETS[-1], max(4, int(draw.lognormvariate(4.2, 0.9)))) for _ in range(SENTENCES)]
sentences = [(2 + (WORDS - 2) * torch.rand(length) ** 2).long() for length in lengths]
model = Encoder().to(DEVICE).train()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4, fused=True)
shapes, words_seen = set(), 0
for step, batch in zip(range(STEPS), batches()):
    words = pad_sequence(batch, batch_first=True, padding_value=PADDING)
    shown, where = hidden_words(words)
    targets = moved(words[where])
    with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(moved(shown), moved(where)), targets)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    shapes.add(tuple(words.shape))
    words_seen += int((words != PADDING).sum())
    if step % LOGGED_EVERY == 0:
        print(f"step {step}: {tuple(words.shape)} loss {loss.item():.4f}", flush=True)
ended(model.parameters(), loss.item(), steps=STEPS, words=words_seen, shapes=len(shapes))
