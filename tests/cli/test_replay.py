"""Kernels of traces and tables replayed from their signatures, on the CPU, through the command line."""
import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import torch
from torch.profiler import ProfilerActivity, profile, schedule

from .driver import unwrapped
from .helpers import run_command
from .test_commands import KJOULE, ON_CPU, run
from .test_import import Importing, TraceBuilder


COMPUTE = {f"aten::{name}" for name in [
    "addmm", "mm", "gelu", "gelu_backward", "native_layer_norm", "native_layer_norm_backward", "index_select", "embedding_dense_backward",
    "_log_softmax", "_log_softmax_backward_data", "nll_loss_forward", "nll_loss_backward", "sum", "_fused_adamw_", "add_", "copy_"]}


def profiled_steps():
    """Returns the profiler's trace of three training steps of a small model on the CPU."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Embedding(50, 16), torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.LayerNorm(32), torch.nn.Linear(32, 50))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    tokens = torch.randint(0, 50, (4, 8))
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, schedule=schedule(wait=1, warmup=1, active=3)) as profiler:
        for _ in range(5):
            loss = torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
            profiler.step()
    return profiler


class FromSignatures(Importing):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            profiled_steps().export_chrome_trace(file.name)
            cls.text = pathlib.Path(file.name).read_text()

    def trace_with_kernels(self):
        """Writes the profiled steps with a kernel behind each operator that computes, as on a GPU."""
        trace = json.loads(self.text)
        operators = [event for event in trace["traceEvents"] if event.get("cat") == "cpu_op" and event["name"] in COMPUTE]
        for number, event in enumerate(operators, start=1):
            link = {"External id": event["args"]["External id"], "correlation": number}
            trace["traceEvents"].append({**event, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "args": link})
            trace["traceEvents"].append({**event, "cat": "kernel", "name": "kernel_of_" + event["name"][6:], "ts": event["ts"] + 1e6, "dur": 2,
                                         "args": {**link, "device": 0, "stream": 7, "grid": [1, 1, 1], "block": [32, 1, 1]}})
        return self.write(trace, "gpu.json")

    def with_runner(self, first):
        """Returns what runs a kjoule whose kjoule-torch begins with these lines of shell."""
        folder = self.folder / "bin"
        folder.mkdir()
        (folder / "kjoule").write_bytes(KJOULE.read_bytes())
        (folder / "kjoule-torch").write_text(f'#!/bin/bash\n{first}\nexec {KJOULE.parent}/kjoule-torch "$@"\n')
        for program in folder.iterdir():
            program.chmod(0o755)
        environment = {**os.environ, "KJOULE_TORCH": os.path.dirname(torch.__file__)}
        return lambda *arguments: subprocess.run([folder / "kjoule", *arguments], capture_output=True, text=True, check=False, env=environment)

    def replay(self, *arguments):
        """Returns isolated_kernels_timing.json of a replay, whatever its exit code."""
        done = run("isolated", "--kernels", *arguments, "--threads", "1", *ON_CPU, "-o", self.results, "--json")
        self.assertNotEqual(done.stdout, "", done.stderr)
        return json.loads(done.stdout)

    def test_operators_that_the_profiler_wrote_can_be_called(self):
        report = self.replay(self.trace_with_kernels())
        called = {kernel["call"]: kernel for kernel in report["kernels"] if kernel["single_time_us"] is not None}
        self.assertEqual(set(called), COMPUTE)
        for name in COMPUTE:
            self.assertGreater(called[name]["single_time_us"], 0)
        kernels = len(report["kernels"])
        place = f"{kernels} of {kernels} kernels ran on a GPU and were replayed on the CPU"
        self.assertEqual((report["replayed_on"], report["note"][:len(place)]), ("cpu", place))
        rows = list(csv.DictReader(io.StringIO((self.results / "summary.csv").read_text())))
        self.assertEqual({(row["iterations"], row["replayed_on"]) for row in rows}, {("3", "cpu")})
        self.assertEqual([float(row["single_time_us"]) for row in rows], [kernel["single_time_us"] for kernel in report["kernels"]])
        # a CPU runs operators, not the trace's kernels: nothing may be summed
        self.assertEqual({kernel["replayed"] for kernel in called.values()}, {"different"})
        self.assertIsNone(report["isolated_sum_us"])
        failed = [kernel for kernel in report["kernels"] if kernel["replayed"] == "not replayable"]
        self.assertEqual(failed, [])
        self.assertEqual(report["shares"]["different_percent"], 100)

    def test_a_recording_is_replayed_without_its_model(self):
        model = self.folder / "model.pt"
        code, _, error = run_command("resnet18", "-o", model)
        self.assertEqual(code, 0, error)
        self.succeed("record", "--model", model, "--threads", "1", "-o", self.folder / "recording.jsonl")
        model.unlink()
        report = self.replay(self.folder / "recording.jsonl")
        self.assertEqual({kernel["replayed"] for kernel in report["kernels"]}, {"same"})
        self.assertEqual(report["shares"]["same_percent"], 100)
        self.assertGreater(report["isolated_sum_us"], 0)
        self.assertAlmostEqual(report["isolated_sum_us"], sum(kernel["total_time_us"] for kernel in report["kernels"]))
        rows = list(csv.DictReader(io.StringIO((self.results / "summary.csv").read_text())))
        self.assertEqual(len(rows), len(report["kernels"]))
        self.assertEqual({row["iterations"] for row in rows}, {"1"})
        self.assertNotIn("note", report)
        # the folder keeps what was replayed
        table = json.loads(self.succeed("kernels", self.results / "kernels.jsonl", "--json"))["kernels"]
        self.assertEqual({kernel["signature"]: kernel["count"] for kernel in table},
                         {kernel["signature"]: kernel["invocation_count"] for kernel in report["kernels"]})
        # and a CSV of it has all that its replay needs
        printed = self.write_text(self.succeed("kernels", self.results / "kernels.jsonl", "--csv"), "table.csv")
        self.assertEqual(json.loads(self.succeed("kernels", printed, "--json"))["kernels"], table)

    def test_stands_beside_the_whole_and_the_sum_in_context(self):
        model = self.folder / "model.pt"
        run_command("bloom", "-o", model, "--layers", "1", "--hidden", "64", "--heads", "2", "--vocab", "100", "--seq-len", "8")
        self.succeed("record", "--model", model, "--threads", "1", "-o", self.folder / "recording.jsonl")
        text = self.succeed("compare", "--model", model, "--threads", "1", "--runs", "5", "--time-limit", "1", "--precision", "20%",
                            "--kernels", self.folder / "recording.jsonl", "-o", self.results)
        self.assertIn("replayed from signatures", text)
        report = json.loads((self.results / "comparison_report.json").read_text())
        replayed = report["replayed_from_signatures"]
        self.assertEqual(replayed["shares"]["same_percent"], 100)
        self.assertGreater(replayed["isolated_sum_us"], 0)
        self.assertEqual({tier["unique_kernels"] == tier["summed_kernels"] for tier in replayed["tier_breakdown"].values()}, {True})
        self.assertTrue((self.results / "replay/isolated_kernels_timing.json").exists())
        rows = (self.results / "results.jsonl").read_text()
        again = self.succeed("compare", "--model", model, "--threads", "1", "--runs", "5", "--time-limit", "1", "--precision", "20%",
                             "--kernels", self.folder / "recording.jsonl", "--resume", self.results)
        self.assertEqual(again, text)
        # what the machine's other programs do now says nothing about what was measured before
        self.assertEqual((self.results / "results.jsonl").read_text(), rows)

    def test_what_cannot_be_replayed_says_why(self):
        trace = TraceBuilder(2).as_dict()
        names = iter(["triton_poi_fused_0", "aten::no_such_operator"] * 9)
        for event in trace["traceEvents"]:
            if event["cat"] == "cpu_op" and event["name"] == "aten::addmm":
                event["name"] = next(names)
        done = run("isolated", "--kernels", self.write(trace), *ON_CPU, "-o", self.results)
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 of 3 kernels could not be replayed", done.stderr)
        self.assertIn("1 of 3 kernels ran on a GPU and were replayed on the CPU", unwrapped(done.stdout))
        for text in ["triton_poi_fused_0 is not a known operator", "aten::no_such_operator is not a known operator", "not replayable"]:
            self.assertIn(text, unwrapped(done.stdout))
        report = json.loads((self.results / "isolated_kernels_timing.json").read_text())
        self.assertEqual([kernel["replayed"] for kernel in report["kernels"]], ["not replayable", "not replayable", "different"])

    def test_a_table_of_names_alone_tells_the_remedy(self):
        table = self.write_text(json.dumps({"name": "nvjet_hsh_64x8_TNT", "grid": [1, 1, 1], "block": [32, 1, 1], "count": 4}) + "\n")
        for remedy in ["--like TRACE", "--model M"]:
            self.fail_with(remedy, "isolated", "--kernels", table, *ON_CPU, "-o", self.results)
        self.assertFalse(self.results.exists())

    def test_a_call_that_ends_its_process_is_a_row(self):
        # the second process is the real one, which makes what comes behind; the first answers the greeting with null
        kjoule = self.with_runner(r"""if mkdir "$0.began" 2>/dev/null; then
  next() { size=$(head -c 4 <&$1 | od -An -tu4); head -c $size <&$1 >/dev/null; }
  next $2; printf '\x0d\0\0\0\xa2\x62id\x01\x66result\xf6' >&$2; next $2; kill -SEGV $$; fi""")
        done = kjoule("isolated", "--kernels", self.trace_with_kernels(), "-o", self.results, "--threads", "1", *ON_CPU, "--json")
        kernels = json.loads(done.stdout)["kernels"]
        self.assertIn("the process of kjoule-torch ended while it ran this (killed by signal 11", kernels[0]["error"])
        self.assertGreater(sum(kernel["single_time_us"] is not None for kernel in kernels), 5)
        self.assertEqual(done.returncode, 1)

    def test_a_replay_that_fails_leaves_what_was_measured_before(self):
        model = self.folder / "model.pt"
        run_command("bloom", "-o", model, "--layers", "1", "--hidden", "64", "--heads", "2", "--vocab", "100", "--seq-len", "8")
        # the processes try the calls, run the model, and make the calls
        kjoule = self.with_runner('echo >> "$0.begun"; if [ $(wc -l < "$0.begun") = 3 ]; then echo "the device is gone" >&2; exit 3; fi')
        done = kjoule("compare", "--kernels", self.trace_with_kernels(), "--model", model, "--threads", "1", "--runs", "3", "--time-limit", "0.5",
                      "--precision", "50%", *ON_CPU, "-o", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        self.assertIn("none of the 29 kernels", " ".join(report["findings"]))
        self.assertGreater(report["whole_us"], 0)
        self.assertIsNone(report["replayed_from_signatures"]["isolated_sum_us"])
        self.assertEqual([reason["kernels"] for reason in report["replayed_from_signatures"]["not_replayable"]], [29])

    def test_asks_for_what_it_can_do(self):
        trace = self.write(TraceBuilder(2))
        self.fail_with("omit one of them, or use kjoule compare, which accepts both", "isolated", "--kernels", trace, "--recording", trace)
        self.fail_with("omit one of them, or use kjoule compare, which accepts both", "isolated", "--kernels", trace, "--", "./program")
        self.fail_with("use auto, cpu or cuda", "isolated", "--kernels", trace, "--device", "simulated:seed=1", "-o", self.results)
        self.fail_with("no such file", "isolated", "--kernels", self.folder / "nothing.json", "-o", self.results)


class LentByAModel(Importing):
    """A table of names and counts alone, and the model that ran them."""

    def setUp(self):
        super().setUp()
        self.model = self.folder / "model.pt"
        run_command("bloom", "-o", self.model, "--layers", "1", "--hidden", "64", "--heads", "2", "--vocab", "100", "--seq-len", "8")
        self.succeed("record", "--model", self.model, "--threads", "1", *ON_CPU, "-o", self.folder / "recording.jsonl")
        self.recorded = json.loads(self.succeed("kernels", self.folder / "recording.jsonl", "--by", "name", "--json"))["groups"]
        self.names = self.table_of([{"name": group["name"], "count": group["count"]} for group in self.recorded])
        self.lent = ["--iterations", "1", "--model", self.model, "--threads", "1", *ON_CPU]

    def table_of(self, rows):
        return self.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def test_import_keeps_what_was_lent(self):
        self.succeed("import", self.names, *self.lent, "-o", self.folder / "imported")
        self.model.unlink()
        done = run("isolated", "--kernels", self.folder / "imported", *ON_CPU, "--threads", "1", "-o", self.results, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = json.loads(done.stdout)["kernels"]
        self.assertEqual({kernel["call"]: kernel["invocation_count"] for kernel in kernels}, {group["name"]: group["count"] for group in self.recorded})
        self.assertEqual({kernel["replayed"] for kernel in kernels}, {"same"})

    def test_every_command_that_reads_tables_takes_it(self):
        kernels = json.loads(self.succeed("kernels", self.names, *self.lent, "--json"))["kernels"]
        self.assertEqual([kernel["name"] for kernel in kernels], [kernel["operator"] for kernel in kernels])
        for command in [["isolated"], ["compare", "--runs", "3", "--time-limit", "0.5", "--precision", "50%"]]:
            done = run(*command, "--kernels", self.names, *self.lent[2:], "-o", self.results)
            self.assertIn(f"for {len(self.recorded)} of them, {self.model} supplied one", done.stderr)
            timing = next(self.results.glob("**/isolated_kernels_timing.json"))
            self.assertTrue(timing.exists(), done.stderr)

    def test_compare_reports_though_nothing_can_be_replayed(self):
        measured = ["compare", "--model", self.model, "--threads", "1", "--runs", "3", "--time-limit", "0.5", "--precision", "50%", *ON_CPU]
        unknown = self.table_of([{"name": "triton_poi_fused_0", "count": 4}, {"name": "triton_poi_fused_1", "count": 2}])
        refused = self.write_text('{"name": "k", "operator": "aten::no_such_operator", "input_dims": [], "input_types": []}\n', "refused.jsonl")
        for table, why in [(unknown, "the operator that launched it is unknown"), (refused, "aten::no_such_operator is not a known operator")]:
            done = run(*measured, "--kernels", table, "-o", self.results)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("kernels can be replayed; ", done.stderr)
            report = json.loads((self.results / "comparison_report.json").read_text())
            self.assertIn("could be replayed, so there is no sum of their times; ", " ".join(report["findings"]))
            replayed = report["replayed_from_signatures"]
            self.assertIsNone(replayed["isolated_sum_us"])
            self.assertEqual(sum(reason["kernels"] for reason in replayed["not_replayable"]), len(table.read_text().splitlines()))
            self.assertIn(why, replayed["not_replayable"][0]["error"])
            self.assertTrue((self.results / "summary.csv").exists())

    def test_shapes_are_those_that_are_asked_for(self):
        linear = self.table_of([{"name": "aten::linear", "count": 1}])
        for batch in [1, 3]:
            kernel = json.loads(self.succeed("kernels", linear, *self.lent, "--batch", str(batch), "--json"))["kernels"][0]
            self.assertEqual(kernel["arguments"][0]["tensor"]["shape"][0], batch)

    def test_what_the_model_does_not_run_has_none(self):
        table = self.table_of([{"name": "aten::linear", "count": 1}, {"name": "aten::conv2d", "count": 1}])
        self.assertIn("1 matches no kernel there", run("kernels", table, *self.lent).stderr)

    def test_refuses_what_cannot_lend(self):
        self.fail_with("no such file", "import", self.names, "--model", self.folder / "nothing.pt", "-o", self.folder / "imported")
        self.fail_with("use auto, cpu or cuda", "kernels", self.names, "--model", self.model, "--device", "simulated:seed=1")
        self.fail_with("requires --model", "import", self.names, "--seq-len", "8", "-o", self.folder / "imported")
        self.assertFalse((self.folder / "imported").exists())

    def test_kjoule_torch_profiles_an_iteration(self):
        trace = self.folder / "trace.json"
        subprocess.run([KJOULE.parent / "kjoule-torch", "--profile", trace, "--model", self.model], check=True, capture_output=True)
        events = json.loads(trace.read_text())["traceEvents"]
        linear = [len(event["args"]["Input Dims"]) for event in events if event.get("cat") == "cpu_op" and event["name"] == "aten::linear"]
        expected = sum(group["count"] for group in self.recorded if group["name"] == "aten::linear")
        # the interpreter's own event, where it has called, may show more than the operator's arguments
        self.assertGreaterEqual(linear.count(3), expected)


if __name__ == "__main__":
    unittest.main()
