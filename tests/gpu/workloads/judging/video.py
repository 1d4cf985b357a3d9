"""A ResNet-18 with convolutions in three dimensions, 2 films of 8 images, half precision: python video.py [ITERATIONS]"""
import torch
from steady import repeat
from torchvision.models.video import r3d_18

torch.manual_seed(0)
model = r3d_18(weights=None).eval().half().cuda()
films = torch.randn(2, 3, 8, 112, 112, device="cuda").half()


@torch.no_grad()
def step():
    return model(films)


repeat(step, torch.cuda.synchronize, lambda scores: scores.float().mean())
