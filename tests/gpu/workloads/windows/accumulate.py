"""Training of a Llama shape, gradients of 8 micro-batches together, of which the last group of an epoch has 2: python accumulate.py [EPOCHS]"""
import torch
from shared import DEVICE, asked, ended, sized
from torch.nn.utils import clip_grad_norm_
from transformers import LlamaConfig, LlamaForCausalLM, get_cosine_schedule_with_warmup

WORDS, LENGTH, ROWS, TOGETHER = sized(8000, 60), sized(256, 8), sized(8, 2), sized(8, 3)
PER_EPOCH = 6 * TOGETHER + 2
EPOCHS, KEPT_EVERY = asked(120), sized(10, 1)

torch.manual_seed(29)
config = LlamaConfig(vocab_size=WORDS, hidden_size=sized(512, 16), intermediate_size=sized(1376, 24), num_hidden_layers=sized(6), num_attention_heads=sized(8),
                     num_key_value_heads=sized(4), max_position_embeddings=2 * LENGTH)
model = LlamaForCausalLM(config).to(DEVICE)
model.train()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.1)
updates_in_all = EPOCHS * -(-PER_EPOCH // TOGETHER)
scheduler = get_cosine_schedule_with_warmup(optimizer, num_warmup_steps=updates_in_all // 20, num_training_steps=updates_in_all)
rows = (WORDS * torch.rand(PER_EPOCH * ROWS, LENGTH) ** 2).long()

updates, micro_batches, history, checkpoints = 0, 0, [], {}
for epoch in range(EPOCHS):
    batches = rows[torch.randperm(len(rows))].split(ROWS)
    optimizer.zero_grad()
    running = torch.zeros((), device=DEVICE)
    for number, batch in enumerate(batches):
        group = min(TOGETHER, len(batches) - number // TOGETHER * TOGETHER)
        batch = batch.to(DEVICE)
        with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
            loss = model(input_ids=batch, labels=batch, use_cache=False).loss / group
        loss.backward()
        running += loss.detach()
        micro_batches += 1
        if (number + 1) % TOGETHER == 0 or number + 1 == len(batches):
            norm = clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            updates += 1
            history.append(running.item())
            running.zero_()
            print(f"epoch {epoch} update {updates}: loss {history[-1]:.4f}, norm {norm.item():.3f}, rate {scheduler.get_last_lr()[0]:.2e}", flush=True)
    if epoch % KEPT_EVERY == KEPT_EVERY - 1:
        checkpoints[epoch] = {name: value.to("cpu", copy=True) for name, value in model.state_dict().items()}
        checkpoints = dict(list(checkpoints.items())[-2:])
ended(model.parameters(), history[-1], epochs=EPOCHS, micro_batches=micro_batches, updates=updates, checkpoints=len(checkpoints))
