"""A mixture of 8 experts, 2 for each of 512 tokens, whose routing the host reads, half precision: python experts.py [ITERATIONS]"""
import torch
from steady import repeat
from torch import nn
from torch.nn.functional import scaled_dot_product_attention, silu

LAYERS, WIDTH, HEADS, EXPERTS, CHOSEN, TOKENS = 4, 1024, 16, 8, 2, 512


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up, self.down = (nn.Linear(*sizes, bias=False) for sizes in [(WIDTH, 2 * WIDTH), (WIDTH, 2 * WIDTH), (2 * WIDTH, WIDTH)])

    def forward(self, rows):
        return self.down(silu(self.gate(rows)) * self.up(rows))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.RMSNorm(WIDTH) for _ in range(2))
        self.projections, self.attended = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.router, self.experts = nn.Linear(WIDTH, EXPERTS, bias=False), nn.ModuleList(Expert() for _ in range(EXPERTS))

    def forward(self, hidden):
        query, key, value = self.projections(self.norms[0](hidden)).view(TOKENS, 3, HEADS, -1).permute(1, 2, 0, 3).unsqueeze(1)
        found = scaled_dot_product_attention(query, key, value, is_causal=True)
        hidden = hidden + self.attended(found[0].transpose(0, 1).reshape(TOKENS, WIDTH))
        return hidden + self.mixed(self.norms[1](hidden))

    def mixed(self, rows):
        weights, chosen = self.router(rows).float().softmax(-1).topk(CHOSEN)
        weights = (weights / weights.sum(-1, keepdim=True)).half()
        mixed = torch.zeros_like(rows)
        used = torch.zeros(EXPERTS, device=rows.device).index_add_(0, chosen.flatten(), torch.ones(chosen.numel(), device=rows.device))
        for number, tokens in enumerate(used.tolist()):
            if tokens == 0:
                continue
            token, place = (chosen == number).nonzero(as_tuple=True)
            mixed.index_add_(0, token, self.experts[number](rows[token]) * weights[token, place, None])
        return mixed


torch.manual_seed(0)
with torch.device("cuda"):
    layers = nn.Sequential(*(Layer() for _ in range(LAYERS))).eval().half()
    tokens = torch.randn(TOKENS, WIDTH).half()


@torch.no_grad()
def step():
    return layers(tokens)


repeat(step, torch.cuda.synchronize, lambda hidden: hidden.float().mean())
