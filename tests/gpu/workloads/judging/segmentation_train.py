"""A training step of DeepLab V3 with MobileNet V3, 4 images of 256 x 256: python segmentation_train.py [ITERATIONS]"""
import torch
from steady import repeat
from torchvision.models.segmentation import deeplabv3_mobilenet_v3_large

torch.manual_seed(0)
model = deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=21).train().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
images = torch.randn(4, 3, 256, 256, device="cuda")
labels = torch.randint(0, 21, (4, 256, 256), device="cuda")


def step():
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(images)["out"], labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


repeat(step, torch.cuda.synchronize)
