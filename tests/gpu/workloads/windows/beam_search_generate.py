"""Summaries by a BART of random weights, beam search of transformers, greedy and drawn text between: python beam_search_generate.py [BATCHES]"""
import zlib

import torch
from shared import DEVICE, asked, ended, sized
from transformers import BartConfig, BartForConditionalGeneration
from transformers.utils import logging

WORDS, BEAMS, ROWS, LONGEST = sized(12_000, 60), sized(4, 2), sized(8, 2), sized(40, 6)
BATCHES = asked(180)
logging.set_verbosity_error()

torch.manual_seed(37)
config = BartConfig(vocab_size=WORDS, d_model=sized(512, 16), encoder_layers=sized(6), decoder_layers=sized(6), encoder_attention_heads=8,
                    decoder_attention_heads=8, encoder_ffn_dim=sized(2048, 32), decoder_ffn_dim=sized(2048, 32), max_position_embeddings=512,
                    init_std=0.08, forced_eos_token_id=2)
model = BartForConditionalGeneration(config).eval().to(DEVICE)
count, words, sums = 0, 0, []
for number in range(BATCHES):
    lengths = torch.randint(sized(40, 5), sized(257, 9), (ROWS,))
    inputs = torch.randint(4, WORDS, (ROWS, int(lengths.max())))
    mask = (torch.arange(inputs.shape[1]) < lengths[:, None]).long()
    inputs = inputs.masked_fill(mask == 0, config.pad_token_id).to(DEVICE)
    how = {"num_beams": BEAMS, "length_penalty": 2.0, "no_repeat_ngram_size": 3, "early_stopping": True}
    if number % 5 == 4:
        how = {"num_beams": 1, "do_sample": number % 10 == 9}
    longest = LONGEST - number % 4 * (LONGEST // 6)
    found = model.generate(input_ids=inputs, attention_mask=mask.to(DEVICE), max_new_tokens=longest, min_new_tokens=2, **how)
    texts = [row[row != config.pad_token_id].tolist() for row in found.cpu()]
    count, words = count + len(texts), words + sum(map(len, texts))
    sums.append(zlib.crc32(repr(texts).encode()))
    if number % 10 == 0:
        print(f"batch {number}: {[len(one) for one in texts]} words", flush=True)
print(f"texts of {words} words, digest {zlib.crc32(repr(sums).encode()):08x}")
ended(model.parameters(), batches=BATCHES, texts=count)
