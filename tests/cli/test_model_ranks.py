"""The ranks of a model on the CPU, whose collectives use gloo: kjoule compare on what examples/vicuna/vicuna.py exports."""
import datetime
import itertools
import json
import pathlib
import subprocess
import tempfile
import time

import torch

from .driver import ROOT
from .gloo_ranks import said_by_first
from .test_commands import KJOULE, ON_CPU, InAFolder
from .test_schemas import validator
from .wall_meters import Follower

EXAMPLE = ROOT / "examples/vicuna/vicuna.py"
LAYERS, HIDDEN, INNER = 2, 128, 256  # of --small
REDUCE = "_c10d_functional::all_reduce"
WATTS = 50


def export_ranks(folder, work="decode", ranks=2):
    said_by_first([EXAMPLE, work, "--small", "--tokens", 8, "--device", "cpu", "-o", folder], ranks)


class SteadyLog(Follower):
    """A log of WATTS on average, whose readings alternate so that the meter does not seem to stand still."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        path.write_text("timestamp,power_w\n")

    def follow(self):
        for number in itertools.count():
            with self.path.open("a") as file:
                file.write(f"{datetime.datetime.fromtimestamp(time.time()):%Y-%m-%d %H:%M:%S.%f},{WATTS + (0.1 if number % 2 else -0.1):.2f}\n")
            if self.ended.wait(0.04):
                return


class ModelRanks(InAFolder):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.models = pathlib.Path(temporary.name)
        export_ranks(cls.models)

    def compare(self, *options, others=("rank1.pt",)):
        words = [KJOULE, "compare", "--model", self.models / "rank0.pt", "--other-ranks", *(self.models / other for other in others), *ON_CPU, "--threads", "1",
                 "--runs", "5", "--time-limit", "1", "-o", self.results, *options]
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=600, stdin=subprocess.DEVNULL)

    def own_report(self, rank):
        return json.loads((pathlib.Path(rank["results"]) / "comparison_report.json").read_text())

    def test_two_ranks_in_step(self):
        done = self.compare()
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report()
        validator("comparison_report").validate(report)
        self.assertEqual([rank["rank"] for rank in report["ranks"]], ["rank 0", "rank 1"])
        self.assertEqual(len({rank["launches"] for rank in report["ranks"]}), 1)
        for rank in report["ranks"]:
            own = self.own_report(rank)
            self.assertEqual(own["verification"]["different"] + own["verification"]["failed"], [], "each operator gives the recorded bits on all ranks")
            reduce, = (kernel for kernel in own["top_kernels"] if kernel["name"] == REDUCE)
            self.assertEqual(reduce["count"], 2 * LAYERS)
            self.assertGreater(reduce["total_us"], 0)
            # On a crowded machine, the ranks wait for their turn, so that the interval is wide.
            self.assertLess(abs(rank["sum_error_percent"]), max(5, 3 * rank["sum_half_width_percent"]))
            # A rank has half of the heads: the product of query, key and value has half of the rows.
            launches = [json.loads(line) for line in (pathlib.Path(rank["results"]) / "recording.jsonl").read_text().splitlines()][1:]
            signatures = " ".join(launch["signature"] for launch in launches)
            self.assertIn(f"[{3 * HIDDEN // 2},{HIDDEN}]", signatures)
            self.assertIn(f"[{HIDDEN},{INNER // 2}]", signatures)
        self.assertTrue(all(rank["whole_us"] > 0 for rank in report["ranks"]))
        self.assertRegex(done.stdout, r"ranks, in step +launches +whole us")

    def test_energy_of_a_log_of_constant_power(self):
        log = self.folder / "power.csv"
        with SteadyLog(log) as logged:
            while log.read_text().count("\n") < 20:
                logged.ended.wait(0.05)
            done = self.compare("--power-log", log, "--averaging", "0.04", "--block-kernels", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        joules = json.loads((self.results / "gpu_energy_report.json").read_text())["comparison"]["in_context"]
        report = self.report()
        self.assertAlmostEqual(joules["whole_joules"] / (WATTS * 1e-6 * report["whole_us"]), 1, delta=0.01)
        self.assertAlmostEqual(joules["predicted_joules"] / (WATTS * 1e-6 * report["sum_us"]), 1, delta=0.01)

    def test_models_that_do_not_belong_together(self):
        self.refused("no such file", others=("rank7.pt",))
        export_ranks(self.models / "prefill", "prefill")
        self.refused("check that the models are the ranks of one program, exported together with the same sizes", others=("prefill/rank1.pt",))

    def test_models_that_call_different_operators(self):
        """They have the same collectives, so that they run, but cannot replay single operators in step."""
        torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        self.addCleanup(torch.distributed.destroy_process_group)

        class Part(torch.nn.Module):
            def __init__(self, work):
                super().__init__()
                self.work = work

            def forward(self, x):
                return torch.ops._c10d_functional.wait_tensor(torch.ops._c10d_functional.all_reduce(self.work(x), "sum", "0"))

        inputs = json.dumps({"inputs": [{"name": "x", "dtype": "float32", "shape": [4], "dims": [None]}]})
        for name, work in (("rank0.pt", torch.sin), ("sine.pt", torch.sin), ("cosine.pt", torch.cos)):
            torch.jit.trace(Part(work), torch.ones(4), check_trace=False).save(self.folder / name, _extra_files={"kjoule.json": inputs})
        self.models = self.folder
        self.refused("the models of rank 0 and rank 1 call different operators, so that single ones cannot be replayed in step; measure models whose ranks do the "
                     "same work, such as those of tensor parallelism", others=("cosine.pt",))
        done = self.compare(others=("sine.pt", "sine.pt"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([rank["rank"] for rank in self.report()["ranks"]], ["rank 0", "rank 1", "rank 2"])

    def refused(self, message, **settings):
        done = self.compare(**settings)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(message, done.stderr)
