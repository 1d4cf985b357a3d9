"""The commands and examples of the document about layers, translated to kjoule's, on the CPU: from a network or a pipeline of one's own to the
latencies, powers and energies of its layers."""
import csv
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from .messages import errors_in
from .test_commands import KJOULE, ON_CPU, ROOT, InAFolder, growing_log, run
from .test_layers import QUICK

# The document's pipeline, whose phases are test_conv_iter("conv3x3", C=64, G=1, M=64, N=N, P=56, Q=56, R=3, S=3, HS=1, WS=1)
# and test_matmul_iter("fc", M=1000, K=2048, N=N). In its matrix product, N is the batch and M the outputs.
MY_PIPELINE = """
name: MyPipeline
sizes: {batch: 1}
layers:
  - {name: conv3x3, kind: conv, C: 64, G: 1, M: 64, P: 56, Q: 56, R: 3, S: 3, HS: 1, WS: 1}
  - {name: fc, kind: matmul, M: batch, K: 2048, N: 1000}
"""

# The document's custom kernel as printed, without its last line, which measures it.
ADD_RELU = """
import torch

def test_add_relu_kernel(name="add_relu", M=4096, N=4096, dtype=torch.float16, iters=20000):
    def setup():
        a = torch.randn(M, N, dtype=dtype, device="cuda")
        b = torch.randn(M, N, dtype=dtype, device="cuda")
        out = torch.empty(M, N, dtype=dtype, device="cuda")
        return a, b, out, tmp

    def capture(state):
        a, b, out = state
        torch.add(a, b, out=out)         # no new allocation
        torch.relu(out, inplace=True)    
        return out # return is ignored

    return name, [("add_relu", (setup, capture))]

pipelines = [test_add_relu_kernel()]
"""
DEFINED = ("return a, b, out, tmp", "return a, b, out")
IN_PLACE = ("torch.relu(out, inplace=True)", "torch.relu_(out)")

# Runs the layers of a file of pipelines twice, without a GPU, and prints the layers that cannot run and a sum of what the others made.
ON_THE_HOST = """
import json, sys
sys.path.insert(0, sys.argv[1])
from kjoule_pipelines import __main__ as side
layers = side.load_pipelines(sys.argv[2])[0][1]
able, failed = side.prepare(layers, lambda: None)
for layer, state, capture in able:
    capture(state)
    a, b, out = state
    assert bool((out == (a + b).relu()).all())
print(json.dumps([[layer for layer, *_ in able], failed]))
"""

# A product that takes a processor core a tenth of a second or more, so that 110 iterations take longer than the limit of 10 s.
SLOW = "name: slow\nlayers:\n  - {name: product, kind: matmul, M: 2000, K: 2000, N: 2000}\n  - {name: act, kind: relu, shape: [100]}\n"
# One whose 20 iterations take a core more than a minute.
VERY_SLOW = "name: veryslow\nlayers:\n  - {name: act, kind: relu, shape: [100]}\n  - {name: product, kind: matmul, M: 10000, K: 10000, N: 10000}\n"

INCLUDED = ["resnet18", "resnet50", "mobilenetv3-small", "efficientnet-b0", "replknet-31b", "opt-66b-prefill", "opt-66b-decode", "vit-b16"]


class LayersGuide(InAFolder):
    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def rows(self, path):
        return list(csv.DictReader(path.read_text().splitlines()))

    def first_runs(self):
        path = self.results / "first_runs/results.jsonl"
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n") and '"first_run"' in line]

    def start(self, *arguments):
        """Starts kjoule layers with these arguments; its stderr is in the file `said`."""
        said = (self.folder / "said").open("w")
        self.addCleanup(said.close)
        process = subprocess.Popen([KJOULE, "layers", *map(str, arguments), *ON_CPU, "-o", self.results], stdout=subprocess.DEVNULL, stderr=said, preexec_fn=os.setpgrp)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def said(self):
        return (self.folder / "said").read_text()

    def wait_until(self, what, seconds):
        """Waits until what() is true, and returns the time that it took."""
        begin = time.monotonic()
        while not what():
            self.assertLess(time.monotonic() - begin, seconds, self.said())
            time.sleep(0.05)
        return time.monotonic() - begin

    def test_a_pipeline_of_ones_own_with_two_batches(self):
        folder = self.folder / "benchmarks/my_pipeline"
        path = self.file("my_pipeline.yaml", MY_PIPELINE)
        self.succeed("layers", path, "--batch", "1,2", "--buffers", "same", "--unroll", 5, "--iters", 12, "--threads", 1, *ON_CPU, "-o", folder)
        rows = self.rows(folder / "summary.csv")
        self.assertEqual([row["pipeline"] for row in rows], ["MyPipeline_N1", "MyPipeline_N2"])
        for row, batch in zip(rows, [1, 2]):
            of_batch = folder / row["pipeline"]
            report = json.loads((of_batch / "layers.json").read_text())
            conv, fc = report["layers"]
            self.assertEqual((conv["name"], conv["input_shape"], conv["multiply_adds"]), ("conv3x3", f"{batch}x64x56x56", batch * 64 * 64 * 9 * 56 * 56))
            self.assertEqual((fc["name"], fc["input_shape"], fc["multiply_adds"], fc["parameters"]), ("fc", f"{batch}x2048", batch * 2048 * 1000, 2048000))
            self.assertEqual([layer["isolated"]["same"]["iterations"] for layer in (conv, fc)], [10, 10], "12 rounded down to a multiple of 5")
            for layer in (conv, fc):
                self.assertAlmostEqual(float(row[f"layer_avg_latency_ms__{layer['name']}"]) / layer["latency_ms"], 1, 4)
                self.assertEqual((row[f"layer_avg_power_W__{layer['name']}"], row[f"layer_avg_energy_J__{layer['name']}"]), ("", ""), "no meter, no joules")
            self.assertAlmostEqual(float(row["pipeline_latency_ms"]) / (conv["latency_ms"] + fc["latency_ms"]), 1, 4)
            self.assertEqual(float(row["bottleneck_latency_ms"]), max(float(row[f"layer_avg_latency_ms__{name}"]) for name in ("conv3x3", "fc")))
            self.assertIn("sum of all layers", (of_batch / f"{row['pipeline']}.log").read_text(), "a log of its own")

    def test_joules_of_a_full_pipeline(self):
        """A meter shows 50 W. With one stage for each layer, all stages work at the same time, and the shorter ones wait for the longest."""
        path = self.file("my_pipeline.yaml", MY_PIPELINE)
        with growing_log(self.folder / "power.csv", watts=50) as log:
            self.succeed("layers", path, "--buffers", "same", "--unroll", 2, "--threads", 1, *ON_CPU, "--power-log", log, "-o", self.results)
        report = self.report("layers.json")
        row, = self.rows(self.results / "summary.csv")
        latencies = {layer["name"]: layer["latency_ms"] for layer in report["layers"]}
        for layer in report["layers"]:
            self.assertAlmostEqual(float(row[f"layer_avg_power_W__{layer['name']}"]), 50, delta=1)
            self.assertAlmostEqual(float(row[f"layer_avg_energy_J__{layer['name']}"]) / (50e-3 * latencies[layer["name"]]), 1, delta=0.02)
        self.assertAlmostEqual(float(row["pipeline_energy_J"]) / (50e-3 * sum(latencies.values())), 1, delta=0.02)
        # Busy and idle stages both draw 50 W, and each of the two stages is occupied as long as the longest layer takes.
        self.assertAlmostEqual(float(row["pipeline_energy_with_idle_J"]) / (50e-3 * 2 * max(latencies.values())), 1, delta=0.02)

    def on_the_host(self, text):
        path = self.file("own.py", text.replace("4096", "64").replace('"cuda"', '"cpu"'))
        done = subprocess.run([sys.executable, "-c", ON_THE_HOST, ROOT / "python", path], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_custom_kernel_as_printed_has_two_faults(self):
        self.assertEqual(self.on_the_host(ADD_RELU), [[], [{"layer": "add_relu", "error": "NameError: name 'tmp' is not defined (line 9 of own.py)"}]])
        able, failed = self.on_the_host(ADD_RELU.replace(*DEFINED))
        self.assertEqual(able, [])
        self.assertRegex(failed[0]["error"], r"^TypeError: relu\(\) .*inplace.* \(line 14 of own.py\)$")
        self.assertEqual(self.on_the_host(ADD_RELU.replace(*DEFINED).replace(*IN_PLACE)), [["add_relu"], []])

    def test_the_custom_kernel_needs_a_gpu(self):
        """Without one, the error of the layer is one line; tests/cli/test_driver_layers.py measures kernels on the stand-in for the driver."""
        path = self.file("own.py", ADD_RELU.replace(*DEFINED).replace(*IN_PLACE))
        done = subprocess.run([KJOULE, "layers", path, "-o", self.results], capture_output=True, text=True, check=False, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.assertNotEqual(done.returncode, 0)
        told, = errors_in(done.stderr)
        self.assertRegex(told, r"none of the layers of add_relu can run; error of the first layer, add_relu: .*(CUDA|NVIDIA)")

    def test_every_included_network_is_listed(self):
        text = self.succeed("layers", "--list")
        for name in INCLUDED:
            self.assertRegex(text, rf"(?m)^{name} .*")

    def test_included_networks_with_batch_1(self):
        """Every layer has a time, their sum is the pipeline's latency, and the numbers of layers are those of the networks."""
        small = ["--size", "width=128", "--size", "heads=4", "--size", "layers=3"]
        for name, sizes, layers in [("resnet18", [], 68), ("mobilenetv3-small", [], 155), ("opt-66b-prefill", [*small, "--size", "tokens=16"], 35), ("opt-66b-decode", [*small, "--size", "kv=16"], 35)]:
            with self.subTest(name):
                folder = self.folder / name
                text = self.succeed("layers", name, "--batch", 1, *sizes, *QUICK, "-o", folder)
                report = json.loads((folder / "layers.json").read_text())
                self.assertTrue(report["complete"])
                self.assertEqual(sum(layer["count"] for layer in report["layers"]), layers)
                self.assertAlmostEqual(report["pipeline_latency_ms"], sum(layer["count"] * layer["latency_ms"] for layer in report["layers"]))
                self.assertLess(abs(report["error_percent"]), 20, "the sum of the layers is near the whole network")
                row, = self.rows(folder / "summary.csv")
                for layer in report["layers"]:
                    self.assertGreater(float(row[f"layer_avg_latency_ms__{layer['name']}"]), 0)
                self.assertNotIn("fewer", text)

    def test_fewer_iterations_where_they_would_take_too_long(self):
        done = run("layers", self.file("slow.yaml", SLOW), "--threads", 1, *ON_CPU, "--time-limit", 0.3, "-o", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        own = self.report("layers.json")["program_iterations"]
        self.assertEqual(own["limit_s"], 10)
        self.assertLess(own["warmup"] + own["runs"], 110)
        line = f"whole iterations of the network: {own['runs']} timed, {own['warmup']} untimed; more would have taken longer than 10 s (--runs and --warmup set the numbers)"
        self.assertIn(line, " ".join(done.stdout.split()))
        timed, = [row for row in map(json.loads, (self.results / "results.jsonl").read_text().splitlines()) if row["kind"] == "program_iterations"]
        self.assertEqual((len(timed["seconds"]), timed["warmup"]), (own["runs"], own["warmup"]))

    def test_as_many_iterations_as_were_asked_for(self):
        self.succeed("layers", self.file("slow.yaml", SLOW), "--runs", 3, "--threads", 1, *ON_CPU, "--time-limit", 0.3, "-o", self.results)
        self.assertEqual(self.report("layers.json")["program_iterations"], {"runs": 3, "warmup": 10, "limit_s": None})

    def test_a_layers_result_comes_soon_and_is_kept(self):
        """RepLKNet-31B, of which one iteration takes a processor core seconds."""
        process = self.start("replknet-31b", "--threads", 1)
        self.assertLess(self.wait_until(lambda: len(self.first_runs()) > 3, 60), 30)
        process.send_signal(signal.SIGINT)
        self.assertNotEqual(process.wait(), 0)
        kept = self.first_runs()
        self.assertEqual(kept[0]["name"], "stem.conv")
        self.assertGreater(kept[0]["seconds"], 0)
        self.assertRegex(self.said(), rf"rows are kept: the same command with --resume {self.results} continues the measurement")

    def test_an_interrupted_measurement_does_not_run_layers_again(self):
        path = self.file("my_pipeline.yaml", MY_PIPELINE)
        self.succeed("layers", path, *QUICK, "-o", self.results)
        before = self.first_runs()
        self.assertEqual([row["name"] for row in before], ["conv3x3", "fc"])
        (self.results / "results.jsonl").write_text("")  # as if the measurement had been killed before its first row
        self.succeed("layers", path, *QUICK, "--resume", self.results)
        self.assertEqual(self.first_runs(), before)
        self.assertTrue(self.report("layers.json")["complete"])

    def test_a_long_measurement_is_announced_at_once(self):
        process = self.start(self.file("slow.yaml", VERY_SLOW), "--threads", 1)
        self.wait_until(lambda: "one iteration of" in self.said(), 60)
        process.terminate()
        process.wait()
        line, = [line for line in self.said().splitlines() if "one iteration of" in line]
        self.assertRegex(line, r"^one iteration of veryslow takes at least .* on this CPU \(2000 GFLOP, 1\.\d GB of memory\), and its measurement at least .*; a smaller --batch, .* take less$")

    def test_a_network_that_needs_too_much_memory_is_refused_at_once(self):
        begin = time.monotonic()
        self.fail_with("opt-66b-prefill needs at least ", "layers", "opt-66b-prefill", "--batch", 1000, *ON_CPU, "-o", self.results)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertFalse(self.results.exists())

    def test_iterations_are_rounded_down_and_not_up(self):
        pipeline = ["layers", self.file("my_pipeline.yaml", MY_PIPELINE), "--buffers", "same", "--threads", 1, *ON_CPU]
        self.fail_with("--iters 50: is less than the 100 runs of one graph (--unroll); give at least 100, or also --unroll 50", *pipeline, "--iters", 50, "-o", self.results)
        self.fail_with("--iterations 3: is less than the 4 runs of one graph (--unroll)", *pipeline, "--iterations", 3, "--unroll", 4, "-o", self.results)
        self.assertFalse(self.results.exists(), "nothing was measured")
        done = run(*pipeline, "--iters", 7, "--unroll", 3, "-o", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--iters 7 is rounded down to 6, which is a multiple of --unroll 3\n", done.stderr)
        self.assertEqual({layer["isolated"]["same"]["iterations"] for layer in self.report("layers.json")["layers"]}, {6})

    def test_copies_in_turn_are_as_many_as_asked_for(self):
        """The copies of a layer divide the runs of a graph, so that no graph has more runs than --unroll says."""
        path = self.file("my_pipeline.yaml", MY_PIPELINE)
        self.succeed("layers", path, "--buffers", "rotate", "--unroll", 10, "--iters", 10, "--threads", 1, *ON_CPU, "-o", self.results)
        self.assertEqual({layer["isolated"]["rotate"]["iterations"] for layer in self.report("layers.json")["layers"]}, {10})


if __name__ == "__main__":
    unittest.main()
