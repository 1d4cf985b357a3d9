"""One forward pass of a ResNet-50, and nothing else."""
import torch
import torchvision

model = torchvision.models.resnet50().half().cuda().eval()
with torch.inference_mode():
    result = model(torch.randn(8, 3, 224, 224, dtype=torch.float16, device="cuda"))
print("result", float(result.float().sum()))
