"""A training step of a recommender with 26 embedding bags and sparse gradients, batch 2048: python recommender_train.py [ITERATIONS]"""
import torch
from steady import repeat
from torch import nn

TABLES, ROWS, WIDTH, BATCH, PER_BAG, NUMBERS = 26, 100_000, 64, 2048, 4, 13


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(ROWS, WIDTH, mode="sum", sparse=True) for _ in range(TABLES))
        self.below = nn.Sequential(nn.Linear(NUMBERS, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, WIDTH), nn.ReLU())
        pairs = (TABLES + 1) * TABLES // 2
        self.above = nn.Sequential(nn.Linear(WIDTH + pairs, 1024), nn.ReLU(), nn.Linear(1024, 512), nn.ReLU(), nn.Linear(512, 1))
        self.register_buffer("pairs", torch.triu_indices(TABLES + 1, TABLES + 1, 1))

    def forward(self, numbers, chosen):
        dense = self.below(numbers)
        features = torch.stack([dense, *(table(rows) for table, rows in zip(self.tables, chosen))], 1)
        products = torch.bmm(features, features.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return self.above(torch.cat([dense, products], 1)).squeeze(1)


torch.manual_seed(0)
with torch.device("cuda"):
    model = Recommender()
    numbers, clicked = torch.randn(BATCH, NUMBERS), torch.randint(0, 2, (BATCH,)).float()
    chosen = torch.randint(0, ROWS, (TABLES, BATCH, PER_BAG))
    for table in model.tables:
        nn.init.uniform_(table.weight, -0.05, 0.05)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)


def step():
    optimizer.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(model(numbers, chosen), clicked)
    loss.backward()
    optimizer.step()
    return loss.detach()


repeat(step, torch.cuda.synchronize)
