"""Whisper's encoder (base) over 30 s of sound, 4 recordings, half precision: python whisper_encoder.py [ITERATIONS]"""
import torch
from steady import repeat
from transformers import WhisperConfig
from transformers.models.whisper.modeling_whisper import WhisperEncoder

torch.manual_seed(0)
model = WhisperEncoder(WhisperConfig(d_model=512, encoder_layers=6, encoder_attention_heads=8, encoder_ffn_dim=2048)).eval().half().cuda()
sound = torch.randn(4, 80, 3000, device="cuda").half()


@torch.no_grad()
def step():
    return model(sound).last_hidden_state


repeat(step, torch.cuda.synchronize, lambda hidden: hidden.float().mean())
