"""A beam search by hand, one sentence at a time, its growing cache put into order after each word: python beam_search_own.py [SENTENCES]"""
import zlib

import torch
from shared import DEVICE, asked, ended, sized
from torch import nn
from torch.nn.functional import log_softmax, scaled_dot_product_attention

WORDS, WIDTH, LAYERS, HEADS, BEAMS = sized(8000, 40), sized(512, 16), sized(6), 8, sized(8, 3)
FIRST, LAST, LONGEST, PENALTY = 0, 1, sized(90, 8), 0.7
SENTENCES = asked(400)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.pair, self.leaving = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def pair_of(self, x):
        return self.pair(x).view(len(x), -1, 2, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)

    def forward(self, x, keys, values):
        query = self.query(x).view(len(x), -1, HEADS, WIDTH // HEADS).transpose(1, 2)
        return self.leaving(scaled_dot_product_attention(query, keys, values).transpose(1, 2).reshape(x.shape))


class Layer(nn.Module):
    """A layer of the decoder, or of the encoder without `across`."""

    def __init__(self, across):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3 if across else 2))
        self.within, self.across = Attention(), Attention() if across else None
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x, before=None, source=None):
        normed = self.norms[0](x)
        keys, values = self.within.pair_of(normed)
        if before is not None:
            keys, values = torch.cat([before[0], keys], 2), torch.cat([before[1], values], 2)
        x = x + self.within(normed, keys, values)
        if self.across is not None:
            x = x + self.across(self.norms[2](x), *source)
        return x + self.mlp(self.norms[1](x)), (keys, values)


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(512, WIDTH)
        self.encoder, self.decoder = (nn.ModuleList(Layer(across) for _ in range(LAYERS)) for across in (False, True))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def encode(self, words):
        x = self.words(words) + self.places.weight[:words.shape[1]]
        for layer in self.encoder:
            x, _ = layer(x)
        return [layer.across.pair_of(x) for layer in self.decoder]

    def next_scores(self, words, place, caches, sources):
        x = self.words(words)[:, None] + self.places.weight[place]
        grown = []
        for layer, before, source in zip(self.decoder, caches, sources):
            x, cache = layer(x, before, [one.expand(len(words), -1, -1, -1) for one in source])
            grown.append(cache)
        return log_softmax(self.head(self.norm(x[:, 0])).float() + ending * min(place / 20, 4.0), 1), grown


def searched(sentence):
    """Returns the best text and its score; ends when no unfinished one can become better."""
    sources = model.encode(sentence)
    words, totals = torch.full((1,), FIRST, device=DEVICE), torch.zeros(1, device=DEVICE)
    texts, caches, finished = [[]], [None] * LAYERS, []
    for place in range(LONGEST):
        scores, caches = model.next_scores(words, place, caches, sources)
        best, which = (totals[:, None] + scores).flatten().topk(2 * BEAMS)
        candidates = list(zip(best.tolist(), (which // WORDS).tolist(), (which % WORDS).tolist()))  # the host waits here
        finished += [(total / (place + 1) ** PENALTY, texts[row]) for total, row, word in candidates[:BEAMS] if word == LAST]
        going_on = [one for one in candidates if one[2] != LAST][:BEAMS]
        if len(finished) >= BEAMS and max(finished)[0] > going_on[0][0] / (place + 1) ** PENALTY:
            break
        texts = [texts[row] + [word] for _, row, word in going_on]
        rows = torch.tensor([row for _, row, _ in going_on], device=DEVICE)
        words, totals = torch.tensor([word for _, _, word in going_on], device=DEVICE), torch.tensor([total for total, _, _ in going_on], device=DEVICE)
        caches = [(keys.index_select(0, rows), values.index_select(0, rows)) for keys, values in caches]
    return max(finished, default=(going_on[0][0] / LONGEST**PENALTY, texts[0]))


torch.manual_seed(41)
model = Translator().eval().to(DEVICE).to(torch.float32 if DEVICE.type == "cpu" else torch.float16)
nn.init.normal_(model.head.weight, std=0.2)
ending = torch.nn.functional.one_hot(torch.tensor(LAST), WORDS).float().mul(3).to(DEVICE)  # more likely the longer a text is
lengths, digest, total = [], 0, 0.0
with torch.inference_mode():
    for number in range(SENTENCES):
        source = torch.randint(2, WORDS, (1, int(torch.randint(sized(10, 3), sized(120, 9), ()))))
        score, text = searched(source.to(DEVICE))
        lengths.append(len(text))
        digest, total = zlib.crc32(repr(text).encode(), digest), total + score
        if number % 20 == 0:
            print(f"sentence {number}: {source.shape[1]} words become {len(text)}, score {score:.3f}", flush=True)
print(f"{sum(lengths)} words, longest {max(lengths)}, digest {digest:08x}")
ended(model.parameters(), total / SENTENCES, sentences=SENTENCES)
