"""A training step of a language model with cuDNN's LSTM, 64 x 64 words, gradients clipped: python lstm_train.py [ITERATIONS]"""
import torch
from steady import repeat
from torch import nn

WORDS, WIDTH, BATCH, LENGTH = 10_000, 512, 64, 64


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.recurrent = nn.Embedding(WORDS, WIDTH), nn.LSTM(WIDTH, WIDTH, num_layers=2, dropout=0.1)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, words):
        return self.head(self.recurrent(self.embedding(words))[0])


torch.manual_seed(0)
model = Model().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
words = torch.randint(0, WORDS, (LENGTH + 1, BATCH), device="cuda")


def step():
    optimizer.zero_grad()
    scores = model(words[:-1])
    loss = nn.functional.cross_entropy(scores.flatten(0, 1), words[1:].flatten())
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    optimizer.step()
    return loss.detach()


repeat(step, torch.cuda.synchronize)
