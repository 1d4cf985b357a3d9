"""A character model of LSTM cells unrolled in Python, documents of different lengths, text drawn after each epoch: python lstm_sampled.py [EPOCHS]"""
import torch
from shared import DEVICE, asked, ended, sized
from torch import nn
from torch.nn.functional import cross_entropy

SYMBOLS, WIDTH, LAYERS, BATCH, CHUNK = 96, sized(512, 16), 2, sized(64, 4), sized(40, 4)
DOCUMENTS, DRAWN, EPOCHS = sized(9), sized(120, 6), asked(45)


class Cells(nn.Module):
    """The cells of all layers, each with a normalization of what it passes on, for one symbol at a time."""

    def __init__(self):
        super().__init__()
        self.symbols = nn.Embedding(SYMBOLS, WIDTH)
        self.cells, self.norms = nn.ModuleList(nn.LSTMCell(WIDTH, WIDTH) for _ in range(LAYERS)), nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, SYMBOLS)

    def begin(self, batch):
        return [(torch.zeros(batch, WIDTH, device=DEVICE), torch.zeros(batch, WIDTH, device=DEVICE)) for _ in range(LAYERS)]

    def forward(self, symbols, states):
        x, left = self.symbols(symbols), []
        for cell, norm, state in zip(self.cells, self.norms, states):
            left.append(cell(x, state))
            x = x + norm(left[-1][0])
        return self.head(x), left


def documents():
    """Returns texts of different lengths, each for all rows of the batch, in which symbols come back after some distance."""
    for number in range(DOCUMENTS):
        length = sized(150 + 83 * number, 5 + 2 * number)
        text = torch.randint(0, SYMBOLS, (BATCH, length), generator=draw)
        for place in range(7, length):
            text[:, place] = torch.where(torch.rand(BATCH, generator=draw) < 0.8, (text[:, place - 7] + 1) % SYMBOLS, text[:, place])
        yield text.to(DEVICE)


def train_on(text):
    """Takes a step after each chunk, into which the state before it goes without its gradient; returns the losses, read by the host."""
    states, losses = model.begin(BATCH), []
    for first in range(0, text.shape[1] - 1, CHUNK):
        states = [(hidden.detach(), cell.detach()) for hidden, cell in states]
        optimizer.zero_grad(set_to_none=True)
        last = min(first + CHUNK, text.shape[1] - 1)
        loss = 0
        for place in range(first, last):
            scores, states = model(text[:, place], states)
            loss = loss + cross_entropy(scores, text[:, place + 1])
        (loss / (last - first)).backward()
        nn.utils.clip_grad_value_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item() / (last - first))
    return losses


@torch.no_grad()
def drawn_text(temperature):
    model.eval()
    symbol, states, found = torch.zeros(1, dtype=torch.long, device=DEVICE), model.begin(1), []
    for _ in range(DRAWN):
        scores, states = model(symbol, states)
        symbol = torch.multinomial((scores[0] / temperature).softmax(0), 1)
        found.append(symbol.item())
    model.train()
    return "".join(chr(32 + one) for one in found)


torch.manual_seed(7)
draw = torch.Generator().manual_seed(8)
texts = list(documents())
model = Cells().to(DEVICE)
optimizer = torch.optim.RMSprop(model.parameters(), lr=5e-4)
steps, drawn = 0, 0
for epoch in range(EPOCHS):
    losses = [loss for number in torch.randperm(DOCUMENTS, generator=draw).tolist() for loss in train_on(texts[number])]
    steps += len(losses)
    sample = drawn_text(0.5 + 0.5 * (epoch % 2))
    drawn += len(sample)
    print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f}; {sample[:60]!r}", flush=True)
    for group in optimizer.param_groups:
        group["lr"] *= 0.97
ended(model.parameters(), losses[-1], epochs=EPOCHS, steps=steps, drawn=drawn)
