"""A GAN with a gradient penalty (second derivatives), several steps of the critic for each of the generator: python gan_penalty.py [STEPS]"""
import torch
from shared import DEVICE, asked, ended, sized
from torch import nn

SIDE, LATENT, WIDTH, BATCH, CLASSES = 32, 128, sized(128, 8), sized(64, 4), 10
IMAGES, PENALTY = sized(5000, 40), 10.0
STEPS, BEGINNING, LONG_EVERY, LONG, USUAL = asked(1100), sized(25, 1), sized(100, 2), sized(50, 3), sized(5, 2)


class Up(nn.Module):
    def __init__(self, before, after):
        super().__init__()
        self.body = nn.Sequential(nn.BatchNorm2d(before), nn.ReLU(), nn.Upsample(scale_factor=2), nn.Conv2d(before, after, 3, padding=1),
                                  nn.BatchNorm2d(after), nn.ReLU(), nn.Conv2d(after, after, 3, padding=1))
        self.short = nn.Sequential(nn.Upsample(scale_factor=2), nn.Conv2d(before, after, 1))

    def forward(self, x):
        return self.body(x) + self.short(x)


class Down(nn.Module):
    def __init__(self, before, after):
        super().__init__()
        self.body = nn.Sequential(nn.GroupNorm(1, before), nn.ReLU(), nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(1, after), nn.ReLU(),
                                  nn.Conv2d(after, after, 3, padding=1), nn.AvgPool2d(2))
        self.short = nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(before, after, 1))

    def forward(self, x):
        return self.body(x) + self.short(x)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.classes, self.entering = nn.Embedding(CLASSES, LATENT), nn.Linear(LATENT, WIDTH * 16)
        self.blocks = nn.Sequential(Up(WIDTH, WIDTH), Up(WIDTH, WIDTH), Up(WIDTH, WIDTH), nn.BatchNorm2d(WIDTH), nn.ReLU(),
                                    nn.Conv2d(WIDTH, 3, 3, padding=1), nn.Tanh())

    def forward(self, noise, labels):
        return self.blocks(self.entering(noise * (1 + self.classes(labels))).view(-1, WIDTH, 4, 4))


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(nn.Conv2d(3, WIDTH, 3, padding=1), Down(WIDTH, WIDTH), Down(WIDTH, WIDTH), Down(WIDTH, WIDTH), nn.ReLU())
        self.head, self.classes = nn.Linear(WIDTH, 1), nn.Embedding(CLASSES, WIDTH)

    def forward(self, images, labels):
        features = self.blocks(images).sum((2, 3))
        return self.head(features).squeeze(1) + (features * self.classes(labels)).sum(1)


def batch():
    """Returns as many images, chosen by the device, as there are labels."""
    chosen = torch.randint(0, IMAGES, (BATCH,), device=DEVICE)
    return images[chosen], labels[chosen]


def drawn(count):
    noise, wanted = torch.randn(count, LATENT, device=DEVICE), torch.randint(0, CLASSES, (count,), device=DEVICE)
    return generator(noise, wanted), wanted


def penalty_of(real, false, wanted):
    share = torch.rand(len(real), 1, 1, 1, device=DEVICE)
    between = torch.lerp(real, false, share).requires_grad_()
    gradient, = torch.autograd.grad(critic(between, wanted).sum(), between, create_graph=True)
    return PENALTY * (gradient.flatten(1).norm(2, dim=1) - 1).square().mean()


def train_critic():
    real, wanted = batch()
    with torch.no_grad():
        false = generator(torch.randn(BATCH, LATENT, device=DEVICE), wanted)
    distance, penalty = critic(real, wanted).mean() - critic(false, wanted).mean(), penalty_of(real, false, wanted)
    critics.zero_grad()
    (penalty - distance).backward()
    critics.step()
    return torch.stack([distance.detach(), penalty.detach()])


torch.manual_seed(23)
labels = torch.randint(0, CLASSES, (IMAGES,), device=DEVICE)
images = torch.tanh((torch.randn(CLASSES, 3, SIDE, SIDE, device=DEVICE)[labels] + 0.5 * torch.randn(IMAGES, 3, SIDE, SIDE, device=DEVICE)))
generator, critic = Generator().to(DEVICE), Critic().to(DEVICE)
critics, generators = (torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.0, 0.9)) for model in (critic, generator))
schedules = [torch.optim.lr_scheduler.LambdaLR(one, lambda step: 1 - step / (STEPS + 1)) for one in (critics, generators)]

critic_steps, history = 0, []
for step in range(STEPS):
    for _ in range(LONG if step < BEGINNING or step % LONG_EVERY == 0 else USUAL):
        distance, penalty = train_critic().tolist()
        critic_steps += 1
    for one in critic.parameters():
        one.requires_grad_(False)
    false, wanted = drawn(2 * BATCH)
    loss = -critic(false, wanted).mean()
    generators.zero_grad()
    loss.backward()
    generators.step()
    for one in critic.parameters():
        one.requires_grad_(True)
    for one in schedules:
        one.step()
    history.append((distance, penalty, loss.item()))
    if step % 20 == 0:
        print("step {}: distance {:.4f}, penalty {:.4f}, generator {:.4f}".format(step, *history[-1]), flush=True)
ended([*generator.parameters(), *critic.parameters()], history[-1][2], steps=STEPS, critic_steps=critic_steps, readings=critic_steps + len(history))
