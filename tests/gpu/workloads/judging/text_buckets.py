"""A text encoder over 64 sentences, padded on the host to buckets of 32 to 256 words, half precision: python text_buckets.py [ITERATIONS]"""
import torch
from steady import repeat
from transformers import BertConfig, BertModel

BUCKETS = [32, 64, 128, 256]

torch.manual_seed(0)
config = BertConfig(hidden_size=512, num_hidden_layers=6, num_attention_heads=8, intermediate_size=2048)
model = BertModel(config, add_pooling_layer=False).eval().half().cuda()
sentences = [torch.randint(1, config.vocab_size, (int(length),)) for length in torch.randint(5, BUCKETS[-1] + 1, (64,))]
batches = [[one for one in sentences if shorter < len(one) <= longest] for shorter, longest in zip([0, *BUCKETS], BUCKETS)]


def encoded(batch, longest):
    words = torch.zeros(len(batch), longest, dtype=torch.long)
    for row, sentence in zip(words, batch):
        row[:len(sentence)] = sentence
    words = words.cuda()
    there = words > 0
    hidden = model(input_ids=words, attention_mask=there.long()).last_hidden_state.float()
    mean = (hidden * there.unsqueeze(-1)).sum(1) / there.sum(1, keepdim=True)
    return torch.nn.functional.normalize(mean).cpu()


@torch.no_grad()
def step():
    return torch.cat([encoded(batch, longest) for batch, longest in zip(batches, BUCKETS)])


repeat(step)
