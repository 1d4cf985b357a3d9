"""One call of generate() of a small GPT-2 with random weights."""
import torch
import transformers

config = transformers.GPT2Config(n_layer=6, n_embd=512, n_head=8)
model = transformers.GPT2LMHeadModel(config).half().cuda().eval()
prompt = torch.randint(1000, (1, 16), device="cuda")
with torch.inference_mode():
    result = model.generate(prompt, max_new_tokens=16, min_new_tokens=16, do_sample=False, pad_token_id=0)
print("tokens", result.shape[1])
