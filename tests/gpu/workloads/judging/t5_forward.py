"""T5 (small): 4 texts of 256 words through the encoder, 32 words each through the decoder, bfloat16: python t5_forward.py [ITERATIONS]"""
import torch
from steady import repeat
from transformers import T5Config, T5ForConditionalGeneration

torch.manual_seed(0)
model = T5ForConditionalGeneration(T5Config(decoder_start_token_id=0)).eval().bfloat16().cuda()
words, answers = torch.randint(0, 32128, (4, 256), device="cuda"), torch.randint(0, 32128, (4, 32), device="cuda")


@torch.no_grad()
def step():
    return model(input_ids=words, decoder_input_ids=answers, use_cache=False).logits


repeat(step, torch.cuda.synchronize, lambda scores: scores.float().mean())
