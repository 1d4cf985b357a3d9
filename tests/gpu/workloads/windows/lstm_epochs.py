"""A word language model with cuDNN's LSTM, back-propagation through 35 words, epochs with evaluation: python lstm_epochs.py [EPOCHS]"""
import os

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuDNN's recurrent layers give the same bits again with it alone

import torch
from shared import DEVICE, asked, ended, sized
from torch import nn

WORDS, WIDTH, LAYERS, DROPPED = sized(10_000, 50), sized(650, 8), 2, 0.5
LENGTH, BATCH, EVALUATED_BATCH = sized(35, 5), sized(40, 2), sized(10, 2)
EPOCHS, LOGGED_EVERY, CLIPPED = asked(32), sized(100, 1), 0.25


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop, self.encoder = nn.Dropout(DROPPED), nn.Embedding(WORDS, WIDTH)
        self.rnn = nn.LSTM(WIDTH, WIDTH, LAYERS, dropout=DROPPED)
        self.decoder = nn.Linear(WIDTH, WORDS)
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)

    def forward(self, words, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(words)), hidden)
        return self.decoder(self.drop(output)).view(-1, WORDS), hidden

    def init_hidden(self, batch):
        weight = next(self.parameters())
        return weight.new_zeros(LAYERS, batch, WIDTH), weight.new_zeros(LAYERS, batch, WIDTH)


def text_of(count):
    """Returns words of which each follows from the one before it in half of all cases; frequent ones have small numbers."""
    words = (WORDS * torch.rand(count) ** 3).long()
    return torch.where(torch.rand(count) < 0.5, (words.roll(1) * 7 + 1) % WORDS, words)


def batchify(words, batch):
    rows = len(words) // batch
    return words[:rows * batch].view(batch, -1).t().contiguous().to(DEVICE)


def get_batch(source, i):
    length = min(LENGTH, len(source) - 1 - i)
    return source[i:i + length], source[i + 1:i + 1 + length].view(-1)


def evaluate(source):
    model.eval()
    total, hidden = 0.0, model.init_hidden(source.shape[1])
    with torch.no_grad():
        for i in range(0, len(source) - 1, LENGTH):
            data, targets = get_batch(source, i)
            output, hidden = model(data, hidden)
            total += len(data) * criterion(output, targets).item()
    return total / (len(source) - 1)


def train():
    model.train()
    total, hidden, steps = 0.0, model.init_hidden(BATCH), 0
    for number, i in enumerate(range(0, len(train_data) - 1, LENGTH)):
        data, targets = get_batch(train_data, i)
        model.zero_grad()
        hidden = tuple(one.detach() for one in hidden)
        output, hidden = model(data, hidden)
        loss = criterion(output, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIPPED)
        with torch.no_grad():
            for p in model.parameters():
                p.add_(p.grad, alpha=-rate)
        total += loss.item()
        steps += 1
        if number % LOGGED_EVERY == 0 and number > 0:
            print(f"epoch {epoch} | {number} batches | rate {rate:.2f} | loss {total / LOGGED_EVERY:.2f}", flush=True)
            total = 0.0
    return steps


torch.manual_seed(1111)
train_data = batchify(text_of(BATCH * (sized(350) * LENGTH + LENGTH // 3)), BATCH)
validation_data, test_data = (batchify(text_of(EVALUATED_BATCH * (sized(120) * LENGTH + LENGTH // 2)), EVALUATED_BATCH) for _ in range(2))
model, criterion = Model().to(DEVICE), nn.CrossEntropyLoss()
rate, best, best_state, steps = 20.0, None, None, 0
for epoch in range(1, EPOCHS + 1):
    steps += train()
    loss = evaluate(validation_data)
    print(f"end of epoch {epoch} | validation loss {loss:.3f}", flush=True)
    if best is None or loss < best:
        best, best_state = loss, {name: value.cpu() for name, value in model.state_dict().items()}
    else:
        rate /= 4.0
model.load_state_dict(best_state)
loss = evaluate(test_data)
ended(model.parameters(), loss, epochs=EPOCHS, steps=steps, evaluations=EPOCHS + 1)
