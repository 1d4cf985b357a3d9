"""A compiled variational autoencoder of dense layers, epochs of 11 equal batches and a smaller one: python epochs_autoencoder.py [EPOCHS]"""
import torch
from shared import DEVICE, TRIED, asked, ended, sized
from torch import nn
from torch.nn import functional

POINTS, WIDTH, LATENT, BATCH = 784, sized(4096, 32), 64, sized(1024, 8)
SAMPLES = 11 * BATCH + 3 * BATCH // 4
EPOCHS, DRAWN_EVERY = asked(700), sized(5, 1)


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(POINTS, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH), nn.SiLU(), nn.Linear(WIDTH, 2 * LATENT))
        self.decoder = nn.Sequential(nn.Linear(LATENT, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH), nn.SiLU(), nn.Linear(WIDTH, POINTS))

    def forward(self, points):
        mean, spread = self.encoder(points).chunk(2, dim=1)
        latent = mean + torch.exp(0.5 * spread) * torch.randn_like(mean)
        rebuilt = functional.binary_cross_entropy_with_logits(self.decoder(latent), points, reduction="sum")
        return rebuilt, -0.5 * (1 + spread - mean.square() - spread.exp()).sum()


torch.manual_seed(17)
shapes = torch.rand(50, POINTS, device=DEVICE) < 0.3
points = torch.cat([(shapes[torch.randint(0, 50, (256,), device=DEVICE)] ^ (torch.rand(256, POINTS, device=DEVICE) < 0.05)).float()
                    for _ in range(-(-SAMPLES // 256))])[:SAMPLES]
model = Autoencoder().to(DEVICE)
losses_of = model if TRIED else torch.compile(model)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-4)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)
drawn_from = torch.randn(64, LATENT, device=DEVICE)
history, pictures, batches = [], [], 0
for epoch in range(EPOCHS):
    weight = min(1.0, epoch / 20)
    total = torch.zeros(2, device=DEVICE)
    for indices in torch.randperm(SAMPLES, device=DEVICE).split(BATCH):
        optimizer.zero_grad(set_to_none=True)
        rebuilt, divergence = losses_of(points[indices])
        ((rebuilt + weight * divergence) / len(indices)).backward()
        optimizer.step()
        total += torch.stack([rebuilt, divergence]).detach()
        batches += 1
    schedule.step()
    history.append([value / SAMPLES for value in total.tolist()])
    if epoch % DRAWN_EVERY == 0:
        with torch.no_grad():
            pictures.append(torch.sigmoid(model.decoder(drawn_from)).mul(255).byte().cpu())
        print("epoch {}: rebuilt {:.3f}, divergence {:.3f}".format(epoch, *history[-1]), flush=True)
ended(model.parameters(), sum(history[-1]), epochs=EPOCHS, batches=batches, pictures=len(pictures) * len(pictures[0]))
