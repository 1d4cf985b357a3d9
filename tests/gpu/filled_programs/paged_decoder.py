"""A decoder whose paged KV cache takes a share of the GPU's memory: paged_decoder.py SHARE [LAYERS]

A batch of 64 sequences, each with a block table of its own. Blocks of 16 tokens lie anywhere in the cache, and the next block of
a sequence is chosen at random, so that the pages that an iteration changes differ from one iteration to the next. The host
computes the slots and sends them, as servers do. Decodes for two minutes.
"""
import sys
import time

import torch

SHARE = float(sys.argv[1])
LAYERS = int(sys.argv[2]) if len(sys.argv) > 2 else 8
BATCH, HEADS, WIDTH, BLOCK, BLOCKS_SEEN = 64, 16, 64, 16, 32
DIM = HEADS * WIDTH
SECONDS = 120


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(DIM), torch.nn.LayerNorm(DIM)
        self.qkv, self.out = torch.nn.Linear(DIM, 3 * DIM), torch.nn.Linear(DIM, DIM)
        self.up, self.down = torch.nn.Linear(DIM, 4 * DIM), torch.nn.Linear(4 * DIM, DIM)

    def forward(self, x, cache, slots, blocks):
        q, k, v = self.qkv(self.norm1(x)).view(BATCH, 3, HEADS, WIDTH).unbind(1)
        for part, new in zip(cache, (k, v)):
            part.view(-1, HEADS, WIDTH).index_copy_(0, slots, new)
        keys, values = (part.index_select(0, blocks).view(BATCH, BLOCKS_SEEN * BLOCK, HEADS, WIDTH).transpose(1, 2) for part in cache)
        seen = torch.nn.functional.scaled_dot_product_attention(q.unsqueeze(2), keys, values)
        x = x + self.out(seen.reshape(BATCH, DIM))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))


def main():
    torch.manual_seed(0)
    _, total = torch.cuda.mem_get_info()
    block_bytes = 2 * LAYERS * BLOCK * DIM * 2
    count = int(SHARE * total / block_bytes)
    with torch.device("cuda"):
        layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS)).half().eval()
        cache = torch.zeros(LAYERS, 2, count, BLOCK, HEADS, WIDTH, dtype=torch.half)
        x = torch.randn(BATCH, DIM, dtype=torch.half)
        slots, blocks = torch.zeros(BATCH, dtype=torch.long), torch.zeros(BATCH * BLOCKS_SEEN, dtype=torch.long)
    free = torch.randperm(count)
    tables = free[:BATCH * BLOCKS_SEEN].view(BATCH, BLOCKS_SEEN).clone()
    given = BATCH * BLOCKS_SEEN
    begins = torch.arange(BATCH) % BLOCK  # so that not all sequences need a new block in the same iteration
    position, end = 0, time.monotonic() + SECONDS
    with torch.inference_mode():
        while time.monotonic() < end:
            places = (position + begins) % BLOCK
            for sequence in (places == 0).nonzero().flatten().tolist():  # a new block replaces the oldest one
                tables[sequence] = torch.cat((tables[sequence, 1:], free[given % count].view(1)))
                given += 1
            slots.copy_(tables[:, -1] * BLOCK + places)
            blocks.copy_(tables.flatten())
            for layer, part in zip(layers, cache):
                x = layer(x, part, slots, blocks)
            x = torch.nn.functional.normalize(x, dim=-1)
            torch.cuda.synchronize()
            position += 1
    print(position, "tokens")


if __name__ == "__main__":
    main()
