"""Faster R-CNN with MobileNet V3 on two images: many small kernels, boxes sorted out by the host: python detector.py [ITERATIONS]"""
import torch
from steady import repeat
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_320_fpn

torch.manual_seed(0)
model = fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, box_score_thresh=0.005).eval().cuda()
images = list(torch.rand(2, 3, 320, 320, device="cuda"))


@torch.no_grad()
def step():
    return model(images)


repeat(step, torch.cuda.synchronize, lambda found: sum(one["scores"].sum() + one["boxes"].sum() for one in found))
