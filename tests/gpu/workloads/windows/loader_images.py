"""Training of ResNet-18 on images that two workers prepare, in pinned memory, validation after each epoch: python loader_images.py [EPOCHS]"""
import numpy as np
import torch
from shared import DEVICE, asked, ended, sized
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset
from torchvision.models import resnet18

CLASSES, SIDE, STORED, BATCH = 50, sized(128, 32), sized(160, 40), sized(64, 4)
TRAINED, VALIDATED = 45 * sized(64, 1) + sized(20, 2), 10 * sized(64, 1) + sized(37, 1)
EPOCHS, LOGGED_EVERY = asked(100), sized(20, 4)


class Images(Dataset):
    """Stored pictures of 8 bits; those for training are cropped, mirrored, and made lighter or darker at random."""

    def __init__(self, count, seed, trained):
        draw = np.random.default_rng(seed)
        self.labels = draw.integers(0, CLASSES, count)
        patterns = np.random.default_rng(1).integers(0, 200, (CLASSES, STORED // 8, STORED // 8, 3), dtype=np.uint8)
        self.pictures = patterns[self.labels].repeat(8, 1).repeat(8, 2) + draw.integers(0, 55, (count, STORED, STORED, 1), dtype=np.uint8)
        self.trained = trained

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        top = left = (STORED - SIDE) // 2
        light = 1.0
        if self.trained:
            top, left = torch.randint(0, STORED - SIDE + 1, (2,)).tolist()
            light = 0.8 + 0.4 * torch.rand(()).item()
        picture = self.pictures[index, top:top + SIDE, left:left + SIDE]
        if self.trained and torch.rand(()).item() < 0.5:
            picture = picture[:, ::-1]
        pixels = (picture.astype(np.float32) * (light / 255) - 0.45) / 0.25
        return torch.from_numpy(np.ascontiguousarray(pixels.transpose(2, 0, 1))), int(self.labels[index])


def train():
    model.train()
    for number, (images, labels) in enumerate(loader):
        images = images.to(DEVICE, non_blocking=True, memory_format=torch.channels_last)
        labels = labels.to(DEVICE, non_blocking=True)
        with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
            scores = model(images)
            loss = cross_entropy(scores, labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if number % LOGGED_EVERY == 0:
            correct = (scores.argmax(1) == labels).float().mean().item()
            print(f"epoch {epoch} [{number}/{len(loader)}] loss {loss.item():.4f} accuracy {correct:.3f}", flush=True)
    return loss


@torch.inference_mode()
def validate():
    model.eval()
    first = five = 0
    for images, labels in validation_loader:
        images, labels = images.to(DEVICE, non_blocking=True), labels.to(DEVICE, non_blocking=True)
        hits = model(images).topk(5).indices == labels[:, None]
        first, five = first + hits[:, 0].sum().item(), five + hits.sum().item()
    return first / VALIDATED, five / VALIDATED


if __name__ == "__main__":
    torch.manual_seed(59)
    common = {"num_workers": 2, "pin_memory": True, "persistent_workers": True}
    loader = DataLoader(Images(TRAINED, 2, True), BATCH, shuffle=True, prefetch_factor=4, **common)
    validation_loader = DataLoader(Images(VALIDATED, 3, False), 2 * BATCH, **common)
    model = resnet18(num_classes=CLASSES).to(DEVICE, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [EPOCHS // 2, 3 * EPOCHS // 4])
    accuracies = []
    for epoch in range(EPOCHS):
        last = train()
        schedule.step()
        accuracies.append(validate())
        print("epoch {}: first {:.4f}, among five {:.4f}".format(epoch, *accuracies[-1]), flush=True)
    ended(model.parameters(), last.item(), epochs=EPOCHS, steps=EPOCHS * len(loader), validations=len(accuracies))
