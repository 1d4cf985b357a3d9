"""A decoder under torch.compile with CUDA graph trees, a token a step at a moving position: python decode_compiled.py [ITERATIONS]

Keys and values of all positions so far are kept; where there is no room for more the positions begin again at 0.
"""
import torch
from steady import repeat
from torch.nn.functional import scaled_dot_product_attention, silu

LAYERS, WIDTH, HEADS, POSITIONS, WORDS = 8, 2048, 16, 1024, 32000


def rotated(vectors, angles):
    even, odd = vectors.chunk(2, -1)
    return torch.cat([even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()], -1)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.before_attention, self.before_mlp = torch.nn.RMSNorm(WIDTH), torch.nn.RMSNorm(WIDTH)
        self.projections = torch.nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.attended = torch.nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate_and_up = torch.nn.Linear(WIDTH, 6 * WIDTH, bias=False)
        self.down = torch.nn.Linear(3 * WIDTH, WIDTH, bias=False)
        self.register_buffer("keys", torch.zeros(1, HEADS, POSITIONS, WIDTH // HEADS))
        self.register_buffer("values", torch.zeros(1, HEADS, POSITIONS, WIDTH // HEADS))

    def forward(self, hidden, position, angles, mask):
        query, key, value = self.projections(self.before_attention(hidden)).view(1, 1, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        self.keys[:, :, position] = rotated(key, angles)
        self.values[:, :, position] = value
        found = scaled_dot_product_attention(rotated(query, angles), self.keys, self.values, attn_mask=mask)
        hidden = hidden + self.attended(found.transpose(1, 2).reshape(1, 1, WIDTH))
        gate, up = self.gate_and_up(self.before_mlp(hidden)).chunk(2, -1)
        return hidden + self.down(silu(gate) * up)


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(WORDS, WIDTH)
        self.layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.head = torch.nn.RMSNorm(WIDTH), torch.nn.Linear(WIDTH, WORDS, bias=False)
        self.register_buffer("frequencies", 10000.0 ** -torch.linspace(0, 1, WIDTH // HEADS // 2))

    def forward(self, token, position):
        angles = (position * self.frequencies.float()).half()
        mask = (torch.arange(POSITIONS, device=token.device) <= position).view(1, 1, 1, -1)
        hidden = self.embedding(token)
        for layer in self.layers:
            hidden = layer(hidden, position, angles, mask)
        return self.head(self.norm(hidden))


torch.manual_seed(0)
with torch.device("cuda"):
    model = torch.compile(Decoder().eval().half(), mode="reduce-overhead", fullgraph=True)
    token, position = torch.randint(0, WORDS, (1, 1)), torch.zeros(1, dtype=torch.long)


@torch.no_grad()
def step():
    torch.compiler.cudagraph_mark_step_begin()
    scores = model(token, position)[:, -1].float()
    token.copy_(scores.argmax(-1, keepdim=True))
    position.add_(1).remainder_(POSITIONS)
    return scores


repeat(step, torch.cuda.synchronize)
