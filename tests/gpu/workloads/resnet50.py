"""ResNet-50, batch 32, channels last, half precision: python resnet50.py [ITERATIONS]"""
import sys

import torch
from torchvision.models import resnet50

torch.manual_seed(0)
model = resnet50().eval().half().cuda().to(memory_format=torch.channels_last)
images = torch.randn(32, 3, 224, 224, device="cuda").half().contiguous(memory_format=torch.channels_last)
with torch.no_grad():
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
        scores = model(images)
        torch.cuda.synchronize()
print("best class", int(scores[0].argmax()))
