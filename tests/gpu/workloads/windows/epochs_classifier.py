"""Epochs of 15 equal batches and a smaller one, then a test of the same kind, residual network: python epochs_classifier.py [EPOCHS]"""
import torch
from shared import DEVICE, asked, ended, sized
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CLASSES, SIDE, BATCH = 10, sized(32, 8), sized(400, 4)
TRAINED, TESTED = 15 * BATCH + BATCH // 4, 4 * BATCH + BATCH // 4
EPOCHS = asked(300)
torch.backends.cudnn.deterministic = True


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(*(one for _ in range(2) for one in (nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU())))

    def forward(self, x):
        return x + self.body(x)


def entering(before, after):
    return nn.Sequential(nn.Conv2d(before, after, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU())


class Network(nn.Module):
    def __init__(self, width=sized(64, 4)):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), Residual(width), entering(width, 2 * width), Residual(2 * width),
                                      entering(2 * width, 4 * width), Residual(4 * width))
        self.dropout, self.head = nn.Dropout(0.2), nn.Linear(4 * width, CLASSES)

    def forward(self, images):
        return self.head(self.dropout(self.features(images).mean((2, 3))))


def labelled(count):
    labels = torch.randint(0, CLASSES, (count,))
    return TensorDataset(patterns[labels] + 2 * torch.randn(count, 3, SIDE, SIDE), labels)


def train(epoch):
    model.train()
    for number, (images, labels) in enumerate(trained):
        images, labels = images.to(DEVICE), labels.to(DEVICE)
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        if number % 8 == 0:
            print(f"epoch {epoch} [{number * BATCH}/{TRAINED}] loss {loss.item():.4f}", flush=True)
    return loss


def test():
    model.eval()
    loss, correct = 0.0, 0
    with torch.no_grad():
        for images, labels in tested:
            images, labels = images.to(DEVICE), labels.to(DEVICE)
            scores = model(images)
            loss += nn.functional.cross_entropy(scores, labels, reduction="sum").item()
            correct += scores.argmax(dim=1).eq(labels).sum().item()
    return loss / TESTED, correct


torch.manual_seed(3)
patterns = torch.randn(CLASSES, 3, SIDE, SIDE)
trained = DataLoader(labelled(TRAINED), batch_size=BATCH, shuffle=True)
tested = DataLoader(labelled(TESTED), batch_size=BATCH)
model, criterion = Network().to(DEVICE), nn.CrossEntropyLoss()
optimizer = torch.optim.Adadelta(model.parameters(), lr=0.5)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.9)
steps, metrics = 0, []
for epoch in range(EPOCHS):
    last = train(epoch)
    steps += len(trained)
    metrics.append(test())
    scheduler.step()
    print("epoch {}: test loss {:.4f}, {} correct".format(epoch, *metrics[-1]), flush=True)
ended(model.parameters(), last.item(), epochs=EPOCHS, steps=steps, tests=len(metrics))
