"""CLIP's two towers, each in a stream of its own, 16 images and 16 texts, half precision: python two_towers.py [ITERATIONS]"""
import torch
from steady import repeat
from transformers import CLIPTextConfig, CLIPTextModelWithProjection, CLIPVisionConfig, CLIPVisionModelWithProjection

torch.manual_seed(0)
seeing = CLIPVisionModelWithProjection(CLIPVisionConfig()).eval().half().cuda()
reading = CLIPTextModelWithProjection(CLIPTextConfig()).eval().half().cuda()
images = torch.randn(16, 3, 224, 224, device="cuda").half()
words = torch.randint(0, 49408, (16, 77), device="cuda")
beside = torch.cuda.Stream()


@torch.no_grad()
def step():
    beside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(beside):
        texts = reading(input_ids=words).text_embeds
    seen = seeing(pixel_values=images).image_embeds
    torch.cuda.current_stream().wait_stream(beside)
    alike = torch.nn.functional.normalize(seen) @ torch.nn.functional.normalize(texts).t()
    return (100 * alike).softmax(-1)


repeat(step, torch.cuda.synchronize, lambda shares: shares.float().mean())
