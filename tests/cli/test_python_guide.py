"""The examples of docs/guide/python.md run: programs on the stand-in for the driver, models and kernels on the CPU, with smaller sizes."""
import csv
import itertools
import os
import re
import subprocess
import sys
import unittest

from .driver import PROGRAM, Driver
from .test_commands import ROOT

PAGE = ROOT / "docs/guide/python.md"
LOOP = f"import os, sys\nos.execv({str(PROGRAM)!r}, [{str(PROGRAM)!r}, '--iterations', '300000', *sys.argv[1:]])\n"
QUICK = "energy=False, loop_seconds=0.05, time_limit=0.5"
ON_CPU = 'device="cpu", threads=1, energy=False'
FEW = f"{ON_CPU}, runs=3, warmup=1, time_limit=0.3"
MODEL = "import torch\nmodel, batches = torch.nn.Sequential(torch.nn.Linear(4, 4)), [torch.randn(1, 4)] * 2\n"

# For each example, in the order of the page: a text that it contains, what is replaced, and what is added before it and after it.
EXAMPLES = [
    ("infer.py", [("energy=False", QUICK), ("python3", sys.executable)], "", ""),
    ("resnet50", [('"resnet50", batch=32', f'"resnet18", batch=1, {FEW}'), ('"kv": 64}', f'"kv": 4, "width": 64, "heads": 2}}, {FEW}')], "",
     "assert len(sizes.layers) > 5\n"),
    ("kjoule.diff", [(", output_dir", f", {QUICK}, output_dir"), ("python3", sys.executable)], "", ""),
    ("kjoule.iteration", [], "ran = []\nstep, batches = ran.append, [1, 2]\n", "print(ran)\n"),
    ("kjoule.ranges", [], MODEL, "print(len(model[0]._forward_hooks))\n"),
    ("missing.pt", [], "", ""),
    ("def test_add_relu_kernel", [("4096", "64"), ('"cuda"', '"cpu"'), ("torch.float16", "torch.float32"), ("iters=20000", "iters=2050"),
                                  ("capture, iters)", "capture, iters, threads=1, time_limit=0.5, energy=False)")], "", ""),
    ("def my_pipeline", [("[10000, 20000]", "[100, 200]"), ("import float16", "import float32"), ("datatype=float16", f"datatype=float32, {ON_CPU}"),
                         ("C=64", "C=4"), ("M=64", "M=4")], "", ""),
    ("kjoule.Predictor", [("NVIDIAA100-SXM4-80GB", "G"), ("path/to/data", "data")], "", ""),
]


def examples():
    return re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


class Guide(Driver):
    def run_example(self, text):
        """Runs the example that contains the text, and returns what it prints."""
        for (part, replaced, before, after), example in zip(EXAMPLES, examples(), strict=True):
            self.assertIn(part, example)
            if part != text:
                continue
            for old, new in replaced:
                self.assertIn(old, example)
                example = example.replace(old, new)
            environment = {**(self.environment if ".py" in example else os.environ), "PYTHONPATH": ":".join([str(ROOT / "python"), *filter(None, sys.path)])}
            done = subprocess.run([sys.executable, "-c", before + example + after], env=environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=600, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout
        self.fail(f"no example has {text}")

    def setUp(self):
        super().setUp()
        (self.folder / "infer.py").write_text(LOOP)
        (self.folder / "infer_faster.py").write_text(LOOP)

    def test_a_comparison(self):
        verdict, *kernels = self.run_example("infer.py").splitlines()
        self.assertRegex(verdict, r"^adds up - sum - whole = ")
        self.assertEqual(len(kernels), 5)

    def test_layers(self):
        self.assertRegex(self.run_example("resnet50"), r"^\d+\.\d+ ms, \d+ different layers\n$")

    def test_changes(self):
        percent, *table = self.run_example("kjoule.diff").splitlines()
        self.assertRegex(percent, r"^-?\d+\.\d+(e-\d+)? %$")
        self.assertRegex(table[-1], r"^\[3 rows x \d+ columns\]$")
        self.assertTrue((self.folder / "before/comparison_report.json").exists())

    def test_marks(self):
        self.assertEqual(self.run_example("kjoule.iteration"), "[1, 2]\n")
        self.assertEqual(self.run_example("kjoule.ranges"), "0\n")

    def test_an_error(self):
        self.assertEqual(self.run_example("missing.pt"), "missing.pt: no such file; kjoule export MODEL -o FILE writes a model\n")

    def test_a_kernel_of_ones_own(self):
        """An addition and a ReLU of 4096 numbers take a few microseconds."""
        milliseconds = float(self.run_example("def test_add_relu_kernel"))
        self.assertGreater(milliseconds, 0.0002)
        self.assertLess(milliseconds, 1)

    def test_pipelines(self):
        self.run_example("def my_pipeline")
        folder = self.folder / "benchmarks/my_pipeline"
        rows = list(csv.DictReader((folder / "summary.csv").read_text().splitlines()))
        self.assertEqual([row["pipeline"] for row in rows], ["MyPipeline_N1", "MyPipeline_N2"])
        for row in rows:
            latencies = [float(row[f"layer_avg_latency_ms__{name}"]) for name in ("conv3x3", "fc")]
            self.assertAlmostEqual(float(row["pipeline_latency_ms"]), sum(latencies))
            self.assertEqual(float(row["bottleneck_latency_ms"]), max(latencies))
            self.assertEqual(row["pipeline_energy_J"], "")
            log = (folder / f"{row['pipeline']}.log").read_text().splitlines()
            self.assertRegex(log[0], r"^conv3x3: \d+\.\d+ ms, energy not measured \(100 iterations\)$")
            self.assertRegex(log[1], r"^fc: \d+\.\d+ ms, energy not measured \(200 iterations\)$")
            self.assertRegex(log[2], rf"^{row['pipeline']}: sum \d+\.?\d* ms, slowest phase ")

    def test_a_prediction(self):
        """The sampled times of flash attention are 10 us, and 1 us for each 10^9 of its floating-point operations."""
        truth_us = lambda mp, b, h, l, dim: 10 + 4e-9 * b * l * l * dim / mp
        shapes = itertools.product((1, 2, 4), (4, 8), (16, 32), (1024, 1536, 2048, 3072), (2048, 4096, 6144))
        rows = [f"{','.join(map(str, shape))},{truth_us(*shape)},{2 * truth_us(*shape)}" for shape in shapes]
        data = self.folder / "data"
        data.mkdir()
        (data / "G_flash_atten_fp16.csv").write_text("\n".join(["mp,b,h,l,dim,F_dur(us),B_dur(us)", *rows]) + "\n")
        microseconds, unit = self.run_example("kjoule.Predictor").split()
        self.assertEqual(unit, "us")
        self.assertAlmostEqual(float(microseconds) / truth_us(1, 4, 32, 2048, 4096), 1, delta=0.1)


if __name__ == "__main__":
    unittest.main()
