"""Training of ResNet-18 on small images, its average evaluated after every 100 steps, the best kept on the host: python vision_train_evaluate.py [STEPS]"""
import copy

import torch
from shared import DEVICE, asked, ended, sized
from torch import nn
from torch.nn.functional import cross_entropy, one_hot
from torchvision.models import resnet18

CLASSES, SIDE, PADDING, BATCH = 20, sized(64, 16), 4, sized(128, 4)
IMAGES, HELD_OUT = sized(20_000, 40), sized(2_600, 10)
EVERY, DECAY = sized(100, 1), 0.999
STEPS = asked(8000)


def labelled(count):
    """Returns images of 8 bits, each the pattern of its class with noise, and their classes."""
    labels = torch.randint(0, CLASSES, (count,), device=DEVICE)
    images = torch.randint(0, 160, (count, 3, SIDE, SIDE), dtype=torch.uint8, device=DEVICE)
    for first in range(0, count, 1000):
        images[first:first + 1000] += patterns[labels[first:first + 1000]]
    return images, labels


def crops(images):
    """Returns each image shifted by up to 4 pixels, and half of them mirrored."""
    count = len(images)
    padded = nn.functional.pad(images, [PADDING] * 4)
    rows, columns = (torch.randint(0, 2 * PADDING + 1, (count, 1), device=DEVICE) + torch.arange(SIDE, device=DEVICE) for _ in range(2))
    columns = torch.where(torch.rand(count, 1, device=DEVICE) < 0.5, columns.flip(1), columns)
    which = torch.arange(count, device=DEVICE)[:, None, None, None]
    return padded[which, torch.arange(3, device=DEVICE)[None, :, None, None], rows[:, None, :, None], columns[:, None, None, :]]


def normalized(images):
    return (images.float() - 110) / 60


@torch.no_grad()
def evaluate(judged):
    """Returns the accuracy over the images that were held out, the last batch of which is smaller, and the recalls of all classes."""
    judged.eval()
    confusion = torch.zeros(CLASSES, CLASSES, dtype=torch.long, device=DEVICE)
    for images, labels in zip(held_out[0].split(2 * BATCH), held_out[1].split(2 * BATCH)):
        found = judged(normalized(images)).argmax(1)
        confusion += torch.bincount(labels * CLASSES + found, minlength=CLASSES**2).view(CLASSES, CLASSES)
    counts = confusion.cpu()
    return (counts.trace() / counts.sum()).item(), (counts.diag() / counts.sum(1).clamp(min=1)).tolist()


torch.manual_seed(5)
patterns = torch.randint(0, 96, (CLASSES, 3, SIDE, SIDE), dtype=torch.uint8, device=DEVICE)
seen, held_out = labelled(IMAGES), labelled(HELD_OUT)
model = resnet18(num_classes=CLASSES)
model.conv1, model.maxpool = nn.Conv2d(3, 64, 3, padding=1, bias=False), nn.MaxPool2d(2)
model = model.to(DEVICE)
average = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, nesterov=True)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=STEPS)

best, evaluations, recalls = -1.0, 0, []
for step in range(1, STEPS + 1):
    model.train()
    chosen = torch.randint(0, IMAGES, (BATCH,), device=DEVICE)
    images, labels = normalized(crops(seen[0][chosen])), seen[1][chosen]
    kept = torch.rand((), device=DEVICE)
    images, other = torch.lerp(images.flip(0), images, kept), labels.flip(0)
    targets = torch.lerp(one_hot(other, CLASSES).float(), one_hot(labels, CLASSES).float(), kept)
    loss = cross_entropy(model(images), targets, label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    with torch.no_grad():
        torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - DECAY)
        for kept_buffer, buffer in zip(average.buffers(), model.buffers()):
            kept_buffer.copy_(buffer)
    if step % EVERY == 0:
        accuracy, recall = evaluate(average)
        evaluations += 1
        recalls.append(min(recall))
        print(f"step {step}: loss {loss.item():.4f}, accuracy {accuracy:.4f}, smallest recall {recalls[-1]:.3f}", flush=True)
        if accuracy > best:
            best, checkpoint = accuracy, {name: value.cpu().clone() for name, value in average.state_dict().items()}
average.load_state_dict(checkpoint)
accuracy, _ = evaluate(average)
ended(model.parameters(), loss.item(), steps=STEPS, evaluations=evaluations + 1, same_accuracy=abs(accuracy - best) < 0.01)
