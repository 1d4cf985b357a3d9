"""A ResNet-18 training step, batch 64: python resnet18_train.py [ITERATIONS]"""
import sys

import torch
from torchvision.models import resnet18

torch.manual_seed(0)
model = resnet18().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
images = torch.randn(64, 3, 224, 224, device="cuda")
labels = torch.randint(0, 1000, (64,), device="cuda")
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    torch.cuda.synchronize()
print("loss", float(loss))
