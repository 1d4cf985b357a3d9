"""Whole exports of tiny models, through the command line."""

import json
import os
import re
import subprocess
import unittest
from unittest import mock

import torch
import transformers

from kjoule_export.build import Request, build
from kjoule_export.formats import TorchScriptFile

from .driver import KJOULE, ROOT
from .helpers import TINY, FolderCase, load_script, run_command, write_pretrained


class TorchScript(FolderCase):
    def export(self, *arguments, name="model.pt"):
        code, out, err = run_command(*arguments, "-o", self.folder / name, "--json")
        self.assertEqual(code, 0, err)
        self.assertEqual([path.name for path in self.folder.iterdir()], [name])
        return json.loads(out)

    def test_language_models(self):
        for name in ("bloom", "gpt2", "opt"):
            with self.subTest(name):
                result = self.export(name, *TINY, "--seq-len", 7, "--batch", 2)
                model, metadata = load_script(self.folder / "model.pt")
                self.assertEqual({**metadata, "file": result["file"], "bytes": result["bytes"]}, result)
                self.assertEqual(result["bytes"], os.path.getsize(result["file"]))
                self.assertEqual(metadata["format"], "kjoule-model")
                self.assertEqual(metadata["version"], 1)
                self.assertEqual(metadata["model"], name)
                self.assertEqual(metadata["config"], {"layers": 2, "hidden": 64, "heads": 2, "vocab": 100})
                self.assertEqual((metadata["weights"], metadata["source"], metadata["training"]), ("random", None, False))
                self.assertEqual(metadata["parameters"], sum(p.numel() for p in model.parameters()))
                self.assertEqual(metadata["baked"], [])
                self.assertEqual(
                    metadata["inputs"],
                    [{"name": "input_ids", "dtype": "int64", "shape": [2, 7], "dims": ["batch", "seq_len"], "low": 0, "high": 100}],
                )
                self.assertEqual(model(torch.zeros(3, 4, dtype=torch.int64)).shape, (3, 4, 100))
                self.assertFalse(model.training)

    def test_resnet18_has_its_usual_shape_and_batch_norms(self):
        metadata = self.export("resnet18")
        self.assertEqual(metadata["parameters"], 11689512)
        self.assertEqual(metadata["inputs"][0]["dims"], ["batch", "channels", "height", "width"])
        self.assertEqual((metadata["inputs"][0]["shape"], metadata["inputs"][0]["low"]), ([1, 3, 224, 224], None))
        kinds = [node.kind() for node in load_script(self.folder / "model.pt")[0].inlined_graph.nodes()]
        self.assertEqual((kinds.count("aten::_convolution"), kinds.count("aten::batch_norm")), (20, 20))
        self.assertEqual((kinds.count("aten::relu_"), kinds.count("aten::add_")), (17, 8))

    def test_attention_to_pictures_has_no_mask(self):
        """With one, which would mask nothing, GPUs take attention's slow way."""
        self.export("vit-b16", "--layers", 2, "--hidden", 64, "--heads", 2)
        nodes = list(load_script(self.folder / "model.pt")[0].inlined_graph.nodes())
        masks = [list(node.inputs())[3] for node in nodes if node.kind() == "aten::scaled_dot_product_attention"]
        self.assertEqual([mask.node().mustBeNone() for mask in masks], [True, True])

    def test_networks_of_pictures_have_their_published_parameters(self):
        for model, parameters in [("resnet50", 25557032), ("vit-b16", 86567656), ("mobilenetv3-small", 2542856), ("efficientnet-b0", 5288548),
                                  ("replknet-31b", 79527272)]:
            built = build(Request(model))
            self.assertEqual(sum(weight.numel() for weight in built.module.parameters()), parameters, model)

    def test_opt_of_any_depth_has_its_published_parameters(self):
        for sizes, parameters in [({}, 125239296), ({"layers": 3}, 125239296 - 9 * (12 * 768 * 768 + 13 * 768)),
                                  ({"layers": 2, "hidden": 64, "heads": 2, "vocab": 100}, 2150 * 64 + 2 * (12 * 64 * 64 + 13 * 64) + 2 * 64)]:
            module = build(Request("opt", **sizes)).module
            self.assertEqual(sum(weight.numel() for weight in module.parameters()), parameters, sizes)

    def test_networks_of_mobile_devices(self):
        metadata = self.export("mobilenetv3-small", "--batch", 2, "--dtype", "bfloat16")
        self.assertEqual((metadata["parameters"], metadata["weights"], metadata["dtype"], metadata["baked"]), (2542856, "random", "bfloat16", []))
        self.assertEqual((metadata["inputs"][0]["shape"], metadata["config"]), ([2, 3, 224, 224], {"classes": 1000}))
        kinds = [node.kind() for node in load_script(self.folder / "model.pt")[0].inlined_graph.nodes()]
        self.assertEqual([kinds.count(f"aten::{kind}") for kind in ("_convolution", "batch_norm", "hardswish_", "hardsigmoid", "linear")], [52, 34, 19, 9, 2])

    def test_one_layer_of_a_large_model(self):
        small = ["--hidden", 64, "--heads", 2, "--seq-len", 16, "--batch", 2]
        prompt = self.export("opt-66b-layer-prefill", *small)
        self.assertEqual((prompt["inputs"][0]["shape"], prompt["baked"]), ([2, 16, 64], []))
        (self.folder / "model.pt").unlink()
        token = self.export("opt-66b-layer-decode", *small)
        self.assertEqual((token["inputs"][0]["shape"], token["baked"]), ([2, 1, 64], ["batch"]))
        self.assertEqual(token["config"], {"hidden": 64, "heads": 2, "tokens": 16})
        self.assertEqual(prompt["parameters"], 12 * 64 * 64 + 13 * 64)
        model, _ = load_script(self.folder / "model.pt")
        before = model.keys.clone()
        model(torch.randn(2, 1, 64))
        changed = (model.keys != before).flatten(2).any(2).any(1)
        self.assertTrue(changed.all())
        self.assertTrue(torch.equal(model.keys[:, :, :-1], before[:, :, :-1]), "only the token's own place is written")

    def test_a_layer_has_no_layers(self):
        for option in (["--layers", 2], ["--vocab", 100], ["--pretrained"], ["--hidden", 65, "--heads", 2]):
            code, _, error = run_command("opt-66b-layer-decode", *option, "-o", self.folder / "model.pt")
            self.assertNotEqual(code, 0)
            self.assertIn(option[0], error)

    def test_a_network_for_pictures_has_no_such_sizes(self):
        for option in (["--layers", 2], ["--hidden", 64], ["--vocab", 100], ["--seq-len", 7], ["--pretrained"]):
            code, _, error = run_command("efficientnet-b0", *option, "-o", self.folder / "model.pt")
            self.assertNotEqual(code, 0)
            self.assertIn(f"has no {option[0]}; omit this option" if option[0] != "--pretrained" else "omit --pretrained", error)
        self.assert_empty()

    def test_half_precision(self):
        for dtype in ("float16", "bfloat16"):
            with self.subTest(dtype):
                self.assertEqual(self.export("gpt2", *TINY, "--dtype", dtype)["dtype"], dtype)
                weights = {weight.dtype for weight in load_script(self.folder / "model.pt")[0].parameters()}
                self.assertEqual(weights, {getattr(torch, dtype)})

    def test_same_seed_same_weights(self):
        def weights(seed):
            self.export("gpt2", *TINY, "--seed", seed)
            return torch.cat([weight.flatten() for weight in load_script(self.folder / "model.pt")[0].parameters()])

        self.assertTrue(torch.equal(weights(1), weights(1)))
        self.assertFalse(torch.equal(weights(1), weights(2)))

    def test_one_token_bakes_the_causal_flag(self):
        self.assertEqual(self.export("gpt2", *TINY, "--seq-len", 1)["baked"], ["seq_len"])

    def test_long_sequences_get_positions(self):
        self.assertEqual(self.export("gpt2", *TINY, "--seq-len", 1030)["inputs"][0]["shape"], [1, 1030])

    def test_an_older_file_is_replaced(self):
        for seed in (1, 2):
            self.export("gpt2", *TINY, "--seed", seed)
            self.assertEqual(load_script(self.folder / "model.pt")[1]["seed"], seed)


class DocumentedWorkflow(FolderCase):
    """The command to which docs/reference/commands.md translates the one of a workflow of scripts, whose file of BLOOM-560M has half
    precision: 559 million parameters in 1.1 GB. A small BLOOM takes the place of the one on the hub."""

    def command(self):
        row, = [line for line in (ROOT / "docs/reference/commands.md").read_text().splitlines() if "`export_model.py" in line]
        return re.search(r"`kjoule (export --model bigscience/bloom-560m [^`]*)`", row)[1].split()

    def test_the_file_has_half_precision_and_runs(self):
        source = self.folder / "bloom"
        torch.manual_seed(7)
        model = transformers.BloomForCausalLM(transformers.BloomConfig(vocab_size=90, hidden_size=64, n_layer=2, n_head=2))
        model.save_pretrained(source)
        words = [str(source) if word == "bigscience/bloom-560m" else word for word in self.command()]
        done = subprocess.run([KJOULE, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        exported = self.folder / "bloom_560m_traced.pt"
        script, metadata = load_script(exported)
        self.assertEqual({weight.dtype for weight in script.parameters()}, {torch.float16})
        self.assertEqual((metadata["dtype"], metadata["inputs"][0]["shape"]), ("float16", [1, 5]))
        halves = 2 * sum(weight.numel() for weight in script.parameters())
        self.assertLess(halves, os.path.getsize(exported))
        self.assertLess(os.path.getsize(exported), halves + 300_000, "the file has nothing in single precision")
        ids = torch.randint(0, 90, (1, 5))
        with torch.no_grad():
            torch.testing.assert_close(script(ids), model.eval().half()(ids).logits, atol=1e-2, rtol=1e-2)
        ran = subprocess.run([KJOULE, "full", "--model", exported, "--device", "cpu", "--threads", "1", "--warmup", "1", "--runs", "2", "-o", self.folder / "results"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertGreater(json.loads((self.folder / "results/full_model_timing.json").read_text())["full_model_inference_us"], 0)


class Failures(FolderCase):
    def fails(self, code, said, *arguments):
        actual, out, err = run_command(*arguments)
        lines = [line for line in err.splitlines() if line.startswith("kjoule export: ")]
        self.assertEqual((actual, out, len(lines)), (code, "", 1), err)
        self.assertNotIn("Traceback", err)
        self.assertRegex(lines[0], said)

    def test_a_model_that_differs_leaves_no_file(self):
        with mock.patch.object(TorchScriptFile, "load", lambda self: lambda ids: torch.zeros(*ids.shape, 100)):
            self.fails(1, "differs", "gpt2", *TINY, "-o", self.folder / "model.pt")
        self.assert_empty()

    def test_what_a_library_throws_is_one_line(self):
        with mock.patch("torch.jit.save", side_effect=RuntimeError("disk full\nat writer.cpp:3")):
            self.fails(1, "gpt2 could not be exported: RuntimeError: disk full$", "gpt2", *TINY, "-o", self.folder / "m.pt")
        self.assert_empty()

    def test_interrupted(self):
        with mock.patch("torch.jit.save", side_effect=KeyboardInterrupt):
            self.fails(130, "interrupted", "gpt2", *TINY, "-o", self.folder / "m.pt")
        self.assert_empty()

    def test_more_tokens_than_a_pretrained_model_has_positions(self):
        source = write_pretrained(self.folder / "tiny")
        self.fails(2, "more than the model's 32", source, "--seq-len", 33, "-o", self.folder / "m.pt")

    def test_incomplete_weights(self):
        source = write_pretrained(self.folder / "tiny")
        weights = torch.nn.Linear(2, 2).state_dict()
        os.remove(source / "model.safetensors")
        torch.save(weights, source / "pytorch_model.bin")
        self.fails(1, "lacks weights", source, "-o", self.folder / "m.pt")

    def test_unknown_architecture(self):
        transformers.T5Config(d_model=8, num_layers=1, num_heads=1, d_kv=8, d_ff=8).save_pretrained(self.folder)
        self.fails(2, "'t5' model, which kjoule cannot export", self.folder, "-o", self.folder / "m.pt")

    def test_folder_without_a_model(self):
        self.fails(1, "contains no model", self.folder, "-o", self.folder / "m.pt")
        self.assert_empty()


class Pretrained(FolderCase):
    def test_a_folder(self):
        source = write_pretrained(self.folder / "tiny")
        code, out, err = run_command(source, "-o", self.folder / "model.pt", "--json")
        self.assertEqual(code, 0, err)
        model, metadata = load_script(self.folder / "model.pt")
        self.assertEqual((metadata["model"], metadata["weights"], metadata["source"]), ("gpt2", "pretrained", str(source)))
        self.assertEqual(metadata["config"], {"layers": 1, "hidden": 64, "heads": 2, "vocab": 90})
        ids = torch.randint(0, 90, (1, 5))
        with torch.no_grad():
            expected = transformers.GPT2LMHeadModel.from_pretrained(source).eval()(ids).logits
        torch.testing.assert_close(model(ids), expected)


if __name__ == "__main__":
    unittest.main()
