"""A selective state space model of 12 identical blocks, 128 tokens, scanned by doubling: python state_space.py [ITERATIONS]"""
import torch
from steady import repeat
from torch import nn
from torch.nn.functional import pad, silu, softplus

BLOCKS, WIDTH, INNER, STATES, RANK, TOKENS, WORDS = 12, 512, 1024, 16, 32, 128, 16000


def scanned(decays, entering):
    """Returns the states s[t] = decays[t] * s[t - 1] + entering[t]; time is dimension 1."""
    distance = 1
    while distance < TOKENS:
        entering = entering + decays * pad(entering, (0, 0, 0, 0, distance, 0))[:, :TOKENS]
        decays = decays * pad(decays, (0, 0, 0, 0, distance, 0), value=1.0)[:, :TOKENS]
        distance *= 2
    return entering


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.begin, self.end = nn.RMSNorm(WIDTH), nn.Linear(WIDTH, 2 * INNER, bias=False), nn.Linear(INNER, WIDTH, bias=False)
        self.convolution = nn.Conv1d(INNER, INNER, 4, groups=INNER, padding=3)
        self.select, self.durations = nn.Linear(INNER, RANK + 2 * STATES, bias=False), nn.Linear(RANK, INNER)
        self.rates = nn.Parameter(torch.arange(1.0, STATES + 1).log().repeat(INNER, 1))
        self.straight = nn.Parameter(torch.ones(INNER))

    def forward(self, hidden):
        inner, gate = self.begin(self.norm(hidden)).chunk(2, -1)
        inner = silu(self.convolution(inner.transpose(1, 2))[..., :TOKENS].transpose(1, 2))
        rank, entry, read = self.select(inner).split([RANK, STATES, STATES], -1)
        durations = softplus(self.durations(rank))
        decays = (durations.unsqueeze(-1) * -self.rates.exp()).exp()
        states = scanned(decays, (durations * inner).unsqueeze(-1) * entry.unsqueeze(2))
        found = (states @ read.unsqueeze(-1)).squeeze(-1) + self.straight * inner
        return hidden + self.end(found * silu(gate))


torch.manual_seed(0)
with torch.device("cuda"):
    model = nn.Sequential(nn.Embedding(WORDS, WIDTH), *(Block() for _ in range(BLOCKS)), nn.RMSNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)).eval()
    tokens = torch.randint(0, WORDS, (1, TOKENS))


@torch.no_grad()
def step():
    return model(tokens)


repeat(step, torch.cuda.synchronize)
