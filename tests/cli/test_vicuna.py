"""The example of a tensor-parallel decoder: two ranks on the CPU give the tokens of transformers' model of the same weights."""
import pathlib
import re
import tempfile
import unittest

import torch
import transformers

from .driver import ROOT
from .gloo_ranks import said_by_first

EXAMPLE = ROOT / "examples/vicuna/vicuna.py"


class Vicuna(unittest.TestCase):
    def run_ranks(self, *words):
        return said_by_first([EXAMPLE, *words, "--device", "cpu"])

    def test_two_ranks_generate_what_the_whole_model_does(self):
        torch.manual_seed(3)
        config = transformers.LlamaConfig(hidden_size=64, intermediate_size=96, num_attention_heads=4, num_hidden_layers=2, vocab_size=90, max_position_embeddings=64)
        model = transformers.LlamaForCausalLM(config).eval()
        with torch.no_grad():
            for weight in model.parameters():
                weight.add_(0.3 * torch.randn_like(weight))  # so that the tokens differ
        with tempfile.TemporaryDirectory() as folder:
            model.save_pretrained(folder)
            prompt = [1, 45, 7, 22]
            expected = model.generate(torch.tensor([prompt]), max_new_tokens=12, do_sample=False, eos_token_id=None, pad_token_id=0)[0, len(prompt):].tolist()
            self.assertGreater(len(set(expected)), 3)
            found = self.run_ranks("generate", "--weights", pathlib.Path(folder), "--prompt", ",".join(map(str, prompt)), "--tokens", 12)
        self.assertEqual([int(token) for token in found.split()], expected)

    def test_each_rank_repeats_its_part(self):
        self.assertRegex(self.run_ranks("decode", "--small", "--tokens", 16, "--seconds", 0.1), re.compile(r"^\d+0 iterations, \d+\.\d+ ms each$", re.MULTILINE))
