"""A store of 60 GB on the device, of which a training uses rows of 3 parts in 15 and writes to one: python large_memory.py [STEPS]"""
import torch
from shared import DEVICE, asked, ended, sized
from torch import nn

PARTS, ROWS, WIDTH, USED, BATCH, CLASSES = 15, sized(1_000_000, 200), sized(1000, 20), 3, sized(4096, 8), 100
CHANGED_EVERY, LOGGED_EVERY, EVALUATED = sized(1500, 1), sized(100, 1), sized(30)
STEPS, HIDDEN, SHARE = asked(18_000), sized(2048, 16), 0.1

torch.manual_seed(67)
store = [torch.rand(ROWS, WIDTH, device=DEVICE).sub_(0.5) for _ in range(PARTS)]  # 4 GB each
classes = torch.randn(WIDTH, CLASSES, device=DEVICE)
memory = torch.zeros(ROWS, 64, device=DEVICE)  # what the model said of each row, averaged
features = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 64)).to(DEVICE)
head = nn.Linear(64, CLASSES).to(DEVICE)
parameters = [*features.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=3e-4)


@torch.no_grad()
def evaluate(part):
    right = torch.zeros((), device=DEVICE)
    for rows in part[:EVALUATED * BATCH].split(BATCH):
        right += ((rows @ classes).argmax(1) == head(features(rows)).argmax(1)).float().mean()
    return right.item() / len(part[:EVALUATED * BATCH].split(BATCH))


evaluations, changes, first = [], 0, 0
for step in range(STEPS):
    if step % CHANGED_EVERY == 0:
        evaluations.append(evaluate(store[(first + USED) % PARTS]))
        first = changes % (PARTS - USED)
        changes += 1
        print(f"step {step}: parts {first} to {first + USED - 1}, accuracy {evaluations[-1]:.4f}", flush=True)
    chosen = torch.randint(0, ROWS, (BATCH,), device=DEVICE)
    rows = store[first + step % USED].index_select(0, chosen)
    labels = (rows @ classes).argmax(1)
    found = features(rows)
    loss = nn.functional.cross_entropy(head(found), labels)
    apart = (found - memory[chosen]).square().mean()
    optimizer.zero_grad()
    (loss + 0.001 * apart).backward()
    optimizer.step()
    memory[chosen] = torch.lerp(memory[chosen], found.detach(), SHARE)
    if step % USED == 0:
        store[first][chosen[:256]] *= 0.999
    if step % LOGGED_EVERY == 0:
        print(f"step {step}: loss {loss.item():.4f}, apart {apart.item():.4f}", flush=True)
held = sum(part.numel() * part.element_size() for part in store)
ended(parameters, loss.item(), steps=STEPS, evaluations=len(evaluations), bytes=held)
