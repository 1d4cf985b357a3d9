"""A training step of a graph network whose messages are added by atomics, 20,000 nodes: python graph_train.py [ITERATIONS]"""
import torch
from steady import repeat
from torch import nn

NODES, EDGES, WIDTH, CLASSES, LAYERS = 20_000, 200_000, 128, 16, 3


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.own, self.neighbours = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x, source, target, share):
        messages = x.index_select(0, source) * share.index_select(0, target)
        gathered = torch.zeros_like(x).index_add_(0, target, messages)
        return torch.relu(self.own(x) + self.neighbours(gathered))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.head = nn.ModuleList(Layer() for _ in range(LAYERS)), nn.Linear(WIDTH, CLASSES)

    def forward(self, x, source, target):
        degree = torch.zeros(NODES, 1, device=x.device).scatter_add_(0, target[:, None], torch.ones(EDGES, 1, device=x.device))
        share = 1 / degree.clamp(min=1)
        for layer in self.layers:
            x = layer(x, source, target, share)
        return self.head(x)


torch.manual_seed(0)
with torch.device("cuda"):
    model, features, labels = Network(), torch.randn(NODES, WIDTH), torch.randint(0, CLASSES, (NODES,))
    source, target = torch.randint(0, NODES, (EDGES,)), torch.randint(0, NODES, (EDGES,))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)


def step():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(features, source, target), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


repeat(step, torch.cuda.synchronize)
