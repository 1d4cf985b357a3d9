"""ViT-B/16, batch 8, half precision: python vit.py [ITERATIONS]"""
import sys

import torch
from torchvision.models import vit_b_16

torch.manual_seed(0)
model = vit_b_16().eval().half().cuda()
images = torch.randn(8, 3, 224, 224, device="cuda").half()
with torch.no_grad():
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
        scores = model(images)
        torch.cuda.synchronize()
print("best class", int(scores[0].argmax()))
