"""Training of a transformer on sequences of one length, in segments of memory that expand: python expandable_train.py [ITERATIONS]"""
import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"

import torch
from steady import repeat

WIDTH, LAYERS, WORDS, LENGTH, BATCH = 512, 6, 8192, 256, 8

torch.manual_seed(11)
device = torch.device("cuda")
embedding = torch.nn.Embedding(WORDS, WIDTH, device=device)
layer = torch.nn.TransformerEncoderLayer(WIDTH, 8, 4 * WIDTH, dropout=0, batch_first=True, norm_first=True, device=device)
encoder = torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
head = torch.nn.Linear(WIDTH, WORDS, device=device)
parameters = [*embedding.parameters(), *encoder.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.01, momentum=0.9)
words = torch.randint(WORDS, (BATCH, LENGTH), device=device)
mask = torch.nn.Transformer.generate_square_subsequent_mask(LENGTH, device=device)


def step():
    with torch.autocast("cuda", dtype=torch.bfloat16):
        hidden = encoder(embedding(words), mask=mask, is_causal=True)
        loss = torch.nn.functional.cross_entropy(head(hidden).flatten(0, 1), words.roll(-1, 1).flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss


repeat(step, wait=torch.cuda.synchronize)
