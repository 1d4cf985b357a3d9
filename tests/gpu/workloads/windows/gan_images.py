"""A convolutional GAN, epochs of 15 equal batches and a smaller one, six values read by the host in each step: python gan_images.py [EPOCHS]"""
import torch
from shared import DEVICE, asked, ended, moved, sized
from torch import nn

SIDE, LATENT, WIDTH, BATCH = 64, 100, sized(64, 4), sized(128, 4)
IMAGES = 15 * BATCH + 5 * BATCH // 8
EPOCHS, DRAWN_EVERY = asked(330), sized(100, 8)


def up(before, after, stride=2, padding=1):
    return [nn.ConvTranspose2d(before, after, 4, stride, padding, bias=False), nn.BatchNorm2d(after), nn.ReLU(True)]


def down(before, after):
    return [nn.Conv2d(before, after, 4, 2, 1, bias=False), nn.BatchNorm2d(after), nn.LeakyReLU(0.2, inplace=True)]


def weights_init(module):
    if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(module.weight, 0.0, 0.02)
    elif isinstance(module, nn.BatchNorm2d):
        nn.init.normal_(module.weight, 1.0, 0.02)


def discs(count):
    """Returns images of discs of several sizes and colours."""
    centers, radii, colours = 16 + 32 * torch.rand(count, 2, 1, 1), 6 + 10 * torch.rand(count, 1, 1, 1), torch.rand(count, 3, 1, 1) * 2 - 1
    rows, columns = torch.arange(SIDE).view(1, 1, SIDE, 1), torch.arange(SIDE).view(1, 1, 1, SIDE)
    inside = ((rows - centers[:, :1]) ** 2 + (columns - centers[:, 1:]) ** 2 < radii**2).float()
    return inside * colours - (1 - inside) * 0.5 + 0.05 * torch.randn(count, 3, SIDE, SIDE)


torch.manual_seed(999)
dataset = discs(IMAGES)
netG = nn.Sequential(*up(LATENT, 8 * WIDTH, 1, 0), *up(8 * WIDTH, 4 * WIDTH), *up(4 * WIDTH, 2 * WIDTH), *up(2 * WIDTH, WIDTH),
                     nn.ConvTranspose2d(WIDTH, 3, 4, 2, 1, bias=False), nn.Tanh()).to(DEVICE).apply(weights_init)
netD = nn.Sequential(nn.Conv2d(3, WIDTH, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True), *down(WIDTH, 2 * WIDTH), *down(2 * WIDTH, 4 * WIDTH),
                     *down(4 * WIDTH, 8 * WIDTH), nn.Conv2d(8 * WIDTH, 1, 4, bias=False), nn.Flatten(0)).to(DEVICE).apply(weights_init)
criterion = nn.BCEWithLogitsLoss()
optimizerD = torch.optim.Adam(netD.parameters(), lr=1e-4, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
fixed_noise = torch.randn(64, LATENT, 1, 1, device=DEVICE)

G_losses, D_losses, grids, steps = [], [], [], 0
for epoch in range(EPOCHS):
    for i, chosen in enumerate(torch.randperm(IMAGES).split(BATCH)):
        netD.zero_grad()
        real = moved(dataset[chosen])
        label = torch.full((len(real),), 0.9, device=DEVICE)
        output = netD(real)
        errD_real = criterion(output, label)
        errD_real.backward()
        D_x = output.sigmoid().mean().item()

        fake = netG(torch.randn(len(real), LATENT, 1, 1, device=DEVICE))
        label.fill_(0.0)
        output = netD(fake.detach())
        errD_fake = criterion(output, label)
        errD_fake.backward()
        D_G_z1 = output.sigmoid().mean().item()
        optimizerD.step()

        netG.zero_grad()
        label.fill_(1.0)
        output = netD(fake)
        errG = criterion(output, label)
        errG.backward()
        D_G_z2 = output.sigmoid().mean().item()
        optimizerG.step()

        D_losses.append(errD_real.item() + errD_fake.item())
        G_losses.append(errG.item())
        if i % 5 == 0:
            print(f"[{epoch}/{EPOCHS}][{i}] Loss_D {D_losses[-1]:.4f} Loss_G {G_losses[-1]:.4f} D(x) {D_x:.4f} D(G(z)) {D_G_z1:.4f} / {D_G_z2:.4f}", flush=True)
        if steps % DRAWN_EVERY == 0:
            with torch.no_grad():
                grids.append(netG(fixed_noise).detach().cpu())
        steps += 1
ended([*netG.parameters(), *netD.parameters()], G_losses[-1], epochs=EPOCHS, steps=steps, grids=len(grids), losses=len(D_losses))
