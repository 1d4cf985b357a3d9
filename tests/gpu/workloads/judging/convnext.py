"""ConvNeXt (tiny), batch 16, channels last, half precision: python convnext.py [ITERATIONS]"""
import torch
from steady import repeat
from torchvision.models import convnext_tiny

torch.manual_seed(0)
model = convnext_tiny(weights=None).eval().half().cuda().to(memory_format=torch.channels_last)
images = torch.randn(16, 3, 224, 224, device="cuda").half().contiguous(memory_format=torch.channels_last)


@torch.no_grad()
def step():
    return model(images)


repeat(step, torch.cuda.synchronize, lambda scores: scores.float().mean())
