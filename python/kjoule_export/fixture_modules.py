"""Tiny models for tests, each with one property that makes recording and replaying difficult."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


class SmallResNet(nn.Module):
    """Convolution, batch norm with its own statistics, ReLU in place, a residual that is added in place, pooling."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(8)
        self.body = nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.body_norm = nn.BatchNorm2d(8)
        self.head = nn.Linear(8, 10)
        for norm in (self.stem_norm, self.body_norm):
            norm.running_mean.normal_()
            norm.running_var.uniform_(0.5, 2.0)

    def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu_(self.stem_norm(self.stem(pixel_values))), 2)
        y = F.relu_(self.body_norm(self.body(x)))
        y.add_(x)
        return self.head(F.adaptive_avg_pool2d(F.relu_(y), 1).flatten(1))


class BatchNormTraining(nn.Module):
    """Batch norm in training mode: every pass changes its running statistics, which the operator's schema does not declare as written."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3)
        self.norm = nn.BatchNorm2d(6)

    def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.conv(pixel_values))
        return y.mean((2, 3)) + self.norm.running_mean


class InPlace(nn.Module):
    """Writes into new tensors and into a buffer that is kept from one iteration to the next."""

    def __init__(self):
        super().__init__()
        self.register_buffer("memory", torch.zeros(16))
        self.register_buffer("rows", torch.tensor([2, 0]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        y.add_(1).mul_(0.5)
        self.memory.mul_(0.9).add_(y.mean(0))
        y[1].copy_(self.memory)
        y.index_put_((self.rows,), torch.tanh(x[:2]))
        y.index_put_((self.rows,), x[2:4], accumulate=True)
        return y + self.memory


class Views(nn.Module):
    """Writes through one view and reads through another that overlaps it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        base = x.clone()
        left, right = base.narrow(1, 0, 10), base.narrow(1, 6, 10)
        windows = base.unfold(1, 4, 2)
        block = base.as_strided((3, 4), (4, 1), 2)
        left.mul_(2)
        right.add_(1)
        block.sub_(right[:3, :4])
        base.t()[0].copy_(right.sum(1))
        base.add_(x[:, :1].expand(4, 16))
        total = windows.sum((1, 2))
        base.view(8, 8).select(0, 3).zero_()
        return base + windows.sum((1, 2)).sub_(total).unsqueeze(1)


class RandomNumbers(nn.Module):
    """Draws random numbers with three operators, so that every pass advances the generator."""

    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.5)
        self.linear = nn.Linear(16, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        noise = torch.empty_like(x).normal_(0.0, 0.1)
        return self.dropout(self.linear(x)) + noise * torch.rand_like(x)


class StaleIndex(nn.Module):
    """Overwrites the index of a lookup after using it: each pass works, but a replay of the lookup with the changed index throws."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(8, 16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        index = x.sum(1).argmax(0, keepdim=True)
        row = self.table.index_select(0, index)
        index.add_(1000)
        return x * row + (index - 1000)


class ThrowsLater(nn.Module):
    """Advances a position at every pass, and throws from the third pass on, when the position is beyond the table."""

    def __init__(self):
        super().__init__()
        self.register_buffer("position", torch.zeros(1, dtype=torch.int64))
        self.register_buffer("table", torch.randn(2, 16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + self.table.index_select(0, self.position)
        self.position.add_(1)
        return y


class Varying(nn.Module):
    """Runs one, two, three, one, ... multiplications in successive passes, so that iterations differ."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))
        self.weight = nn.Parameter(torch.randn(16, 16) / 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(int(self.count.item()) % 3 + 1):
            x = torch.relu(x @ self.weight)
        self.count.add_(1)
        return x


class Gather(nn.Module):
    """Computes indices and uses them in lookups, which would be out of range if their memory were reused before a replay."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.head = nn.Linear(16, 50)

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        hidden = self.embedding(input_ids)
        logits = self.head(hidden)
        best = logits.argmax(-1)
        values, top = logits.topk(4, dim=-1)
        again = self.embedding(best) + self.embedding.weight.index_select(0, best.flatten()).view_as(hidden)
        picked = logits.gather(-1, top) - values
        order = best.sort(-1).indices
        return again.gather(1, order.unsqueeze(-1).expand_as(again)) + picked.sum(-1, keepdim=True)


class MixedTypes(nn.Module):
    """Writes in place across dtypes: half, double, integer, bool and bfloat16."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        half = x.half().add_(x)
        counts = torch.zeros_like(x, dtype=torch.int64).add_(x > 0)
        mask = (x > 0.5).logical_not_()
        out = torch.empty_like(x).copy_(x.double().mul_(half))
        out.masked_fill_(mask, 0.5).add_(counts)
        return out + torch.zeros_like(x, dtype=torch.bfloat16).copy_(half)


class Lists(nn.Module):
    """Passes lists of tensors between operators; the tensors share memory with the tensor from which they were split."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, 1)
        pieces = x.split([2, 6, 8], 1)
        rows = x.unbind(0)
        joined = torch.cat([second, first, pieces[0]], 1)
        stacked = torch.stack([rows[0], rows[1], rows[0] * rows[1]], 0) * pieces[2].sum()
        picked = joined[torch.tensor([1, 0]), torch.tensor([3, 5])]
        return torch.cat([stacked.sum(0, keepdim=True).expand(x.size(0), 16), joined], 1) + picked.sum()
