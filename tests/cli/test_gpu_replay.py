"""The tables that tests/gpu/replay makes of a trace, and how it compares two replays; it itself needs a GPU."""
import json
import unittest

from .scripts import ROOT, script
from .test_commands import run

replay = script("replay")
TRACE = ROOT / "tests/cli/data/gpt2_train_step_h200.json.gz"


def kernel(name, replayed, count=1, **times):
    return {"name": name, "recorded_time_us": 2.0, "invocation_count": count, "replayed": replayed, **times}


class Tables(unittest.TestCase):
    def test_products_of_a_trace_get_their_sizes(self):
        kernels = json.loads(run("kernels", TRACE, "--json").stdout)["kernels"]
        lines = [json.loads(line) for line in replay.without_operators(kernels, replay.product_sizes).splitlines()]
        self.assertEqual(len(lines), len(kernels))
        sized = {(line["M"], line["N"], line["K"]): line for line in lines if "M" in line}
        self.assertIn((4096, 50257, 768), sized, "the output layer of GPT-2 for 4 x 1024 tokens")
        self.assertIn((4096, 3072, 768), sized)
        self.assertFalse(any("operator" in line or "input_dims" in line for line in lines))
        share = sum(k["total_us"] for k in kernels if replay.product_sizes(k)) / sum(k["total_us"] for k in kernels)
        self.assertAlmostEqual(share, 0.377, delta=0.01)

    def test_batched_products(self):
        batched = {"operator": "aten::baddbmm", "category": "gemm", "name": "gemm", "input_dims": [[16, 5, 5], [16, 5, 64], [16, 64, 7]]}
        self.assertEqual(replay.product_sizes(batched), {"M": 5, "N": 7, "K": 64, "batch": 16})
        self.assertEqual(replay.product_sizes(batched | {"category": "copy"}), {})
        self.assertEqual(replay.product_sizes({"category": "gemm", "name": "gemm"}), {})


class Rows(unittest.TestCase):
    def test_copies_that_the_runtime_made_are_those_of_the_results(self):
        counts = {row["workload"]: replay.copies(row) for row in replay.read_rows(replay.MEASUREMENTS / "replay.jsonl")}
        self.assertEqual(counts["resnet50-batch32"], (5, 5))
        called, of = (sum(numbers) for numbers in zip(*counts.values()))
        self.assertIn(f"Of the {of} kernels that are copies or memsets, {called} are replayed by the same call of the CUDA runtime",
                      (ROOT / "docs/reference/results.md").read_text())


class Sums(unittest.TestCase):
    def test_only_kernels_of_both_count(self):
        alone = {"kernels": [kernel("a", "same", total_time_us=3.0), kernel("b", "same family", total_time_us=4.0), kernel("c", "different", total_time_us=5.0),
                             kernel("d", "same", total_time_us=6.0), kernel("d", "not replayable")]}
        trace = {"kernels": [kernel(name, "same", total_time_us=2.0) for name in "abcd"]}
        self.assertEqual(replay.sums_of_both(alone, trace), {"kernels": 2, "sum_us": 7.0, "with_trace_us": 4.0})
        told = replay.line({"shares": {"same_percent": 50.0, "same_family_percent": 10.0, "different_percent": 5.0}, "in_both": replay.sums_of_both(alone, trace)})
        self.assertEqual(told, "60.0 % (5.0 % by others), sum +75.0 % to the trace's")
