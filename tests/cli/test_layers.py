"""kjoule layers, through its command line, on the CPU."""
import csv
import json
import shutil
import subprocess
import unittest

from .helpers import export_model, run_command
from .test_commands import KJOULE, ON_CPU, ROOT, InAFolder, growing_log, run

EXAMPLE = ROOT / "examples/two_blocks.yaml"
QUICK = ["--threads", "1", "--runs", "3", "--warmup", "1", "--time-limit", "0.3", *ON_CPU]


class OfNetworks(InAFolder):
    def layers(self, *arguments):
        self.succeed("layers", *arguments, *QUICK, "-o", self.results)
        return self.report("layers.json")

    def rows(self, name):
        return list(csv.DictReader((self.results / name).read_text().splitlines()))

    def network(self, *layers, sizes="{batch: 2}"):
        path = self.folder / "own.yaml"
        path.write_text(f"name: own\nsizes: {sizes}\nlayers:\n" + "".join(f"  - {layer}\n" for layer in layers))
        return path

    def test_layers_add_up_to_the_network(self):
        report = self.layers(EXAMPLE)
        layers = {layer["name"]: layer for layer in report["layers"]}
        self.assertEqual(layers["qkv"]["count"], 2)
        self.assertEqual(layers["norm1"]["count"], 4, "norm2 does the same work")
        self.assertNotIn("norm2", layers)
        self.assertEqual(layers["mean"]["operator"], "aten::mean.dim")
        self.assertIn("no power meter for this device was found", report["energy_missing"])
        self.assertEqual({row["energy_missing"] for row in self.rows("layers.csv")}, {report["energy_missing"]})
        for layer in layers.values():
            self.assertGreater(layer["latency_ms"], 0)
            self.assertLess(layer["latency_interval_ms"][0], layer["latency_ms"])
            self.assertIsNone(layer["energy_j"], "no meter, no joules")
        self.assertTrue(report["complete"])
        self.assertAlmostEqual(report["pipeline_latency_ms"], sum(layer["count"] * layer["latency_ms"] for layer in layers.values()))
        self.assertEqual(report["bottleneck_latency_ms"], max(layer["latency_ms"] for layer in layers.values()))
        self.assertEqual(layers["qkv"]["multiply_adds"], 2 * 64 * 128 * 384)
        whole = self.report()
        self.assertAlmostEqual(report["pipeline_latency_ms"], whole["sum_us"] / 1e3, delta=1e-6)

    def test_two_measurements_are_compared_layer_by_layer(self):
        self.layers(EXAMPLE, "--size", "width=64")
        base = self.folder / "base.json"
        self.succeed("baseline", self.results, "-o", base)
        shutil.rmtree(self.results)
        self.layers(EXAMPLE, "--size", "width=256")
        report = json.loads(self.succeed("diff", base, self.results, "--json"))
        layers = {layer["name"]: layer for layer in report["layers"]}
        self.assertGreater(layers["qkv"]["time_us"]["change_percent"], 100, "16 times the work")
        self.assertEqual(layers["qkv"]["count_before"], 2)
        self.assertIn("layers whose time or count changed", self.succeed("diff", base, self.results))

    def test_files_have_the_columns_that_scripts_read(self):
        self.layers(EXAMPLE, "--size", "width=64", "--batch", "1")
        wide = self.rows("summary.csv")[0]
        self.assertEqual(wide["pipeline"], "two-blocks")
        self.assertGreater(float(wide["layer_avg_latency_ms__qkv"]), 0)
        self.assertEqual(wide["layer_avg_energy_J__qkv"], "")
        for column in ["layer_avg_power_W__qkv", "pipeline_latency_ms", "pipeline_energy_J", "bottleneck_latency_ms", "pipeline_energy_with_idle_J"]:
            self.assertIn(column, wide)
        rows = self.rows("layers.csv")
        self.assertEqual({row["pipeline"] for row in rows}, {"two-blocks"})
        self.assertEqual(next(row for row in rows if row["layer"] == "qkv")["parameters"], str(64 * 192))

    def test_layers_by_themselves_stand_beside(self):
        report = self.layers(EXAMPLE, "--buffers", "context,rotate,same", "--unroll", "4", "--iters", "6")
        self.assertEqual(report["buffers"], "context")
        for layer in report["layers"]:
            for buffers in ["rotate", "same"]:
                alone = layer["isolated"][buffers]
                self.assertGreater(alone["latency_ms"], 0, layer["name"])
                self.assertLessEqual(alone["latency_interval_ms"][0], alone["latency_ms"])
                self.assertEqual(alone["iterations"], 4, "6 rounded down to a multiple of 4")
        total = sum(layer["count"] * layer["isolated"]["rotate"]["latency_ms"] for layer in report["layers"])
        self.assertAlmostEqual(report["isolated"]["rotate"]["pipeline_latency_ms"], total)
        row = next(row for row in self.rows("layers.csv") if row["layer"] == "qkv")
        self.assertGreater(float(row["same_latency_ms"]), 0)
        self.assertIn(row["roofline_bound"], ["compute", "memory"])
        for row in self.rows("layers.csv"):
            self.assertNotEqual(bool(row["roofline_percent"]), bool(row["above_roof_percent"]), row)
            self.assertLessEqual(float(row["roofline_percent"] or 0), 100)
            self.assertGreater(float(row["above_roof_percent"] or 101), 100)
        self.assertIn("same: sum of all layers in isolation", (self.results / "two-blocks.log").read_text())

    def test_layers_by_themselves_alone_make_the_sums(self):
        self.succeed("layers", EXAMPLE, "--buffers", "same", "--unroll", "2", "--threads", "1", *ON_CPU, "-o", self.results)
        report = self.report("layers.json")
        self.assertEqual(report["buffers"], "same")
        self.assertIsNone(report["error_percent"], "no whole was measured")
        self.assertGreater(report["pipeline_latency_ms"], 0)
        self.assertIn("no power meter", report["energy_missing"])
        self.assertFalse((self.results / "isolated").exists())

    def test_energy_of_layers_and_of_a_pipeline_from_a_power_log(self):
        network = self.network("{name: long, kind: relu, shape: [batch, 1000000]}", "{name: short, kind: relu, shape: [batch, 1000]}")
        with growing_log(self.folder / "power.csv", watts=123) as log:
            text = self.succeed("layers", network, "--buffers", "same", "--unroll", "2", "--threads", "1", *ON_CPU, "--power-log", log, "-o", self.results)
        report = self.report("layers.json")
        for layer in report["layers"]:
            self.assertAlmostEqual(layer["power_w"], 123, delta=1)
            self.assertAlmostEqual(layer["energy_j"] / (layer["power_w"] * layer["latency_ms"] * 1e-3), 1, 6)
        self.assertAlmostEqual(report["pipeline_energy_j"] / sum(layer["energy_j"] for layer in report["layers"]), 1, 6)
        self.assertAlmostEqual(report["idle_w"], 123, delta=1)
        waiting_s = sum(report["bottleneck_latency_ms"] - layer["latency_ms"] for layer in report["layers"]) * 1e-3
        with_idle_j = report["pipeline_energy_j"] + report["idle_w"] * waiting_s
        self.assertAlmostEqual(report["pipeline_energy_with_idle_j"] / with_idle_j, 1, 6)
        self.assertIn(f"as a pipeline whose stages consume {report['idle_w']:.1f} W while they wait, {with_idle_j:.4f} J", " ".join(text.split()))
        row, = self.rows("summary.csv")
        self.assertAlmostEqual(float(row["pipeline_energy_with_idle_J"]) / with_idle_j, 1, 3)

    def relu(self):
        return self.network("{name: a, kind: relu, shape: [batch, 100]}")

    def test_what_several_batches_print_is_one_document(self):
        command = ["layers", self.relu(), *QUICK, "-o", self.results]
        one, rows = self.printed_in_each_form(*command, "--batch", "3")
        self.assertEqual(json.loads(one)["pipeline"], "own")
        self.assertEqual([row["pipeline"] for row in rows], ["own"])
        several, rows = self.printed_in_each_form(*command, "--batch", "1,2")
        reports = json.loads(several)
        self.assertEqual([report["pipeline"] for report in reports], ["own_N1", "own_N2"])
        self.assertEqual(len({report["roof_flop_per_s"] for report in reports}), 1, "the roof is measured once")
        self.assertEqual(reports[1], json.loads(next(self.folder.glob("results-*/own_N2/layers.json")).read_text()), "its CSV was made by a later run")
        self.assertEqual([row["pipeline"] for row in rows], ["own_N1", "own_N2"])
        self.assertGreater(float(rows[1]["latency_ms"]), 0)

    def test_several_networks_and_types_in_one_call(self):
        other = self.folder / "other.yaml"
        other.write_text(self.relu().read_text().replace("name: own", "name: other"))
        command = ["layers", self.folder / "own.yaml", other, "--batch", "1,2", "--dtype", "float32,bfloat16", *QUICK, "-o", self.results]
        text = self.succeed(*command)
        runs = [(network, batch, dtype) for network in ["own", "other"] for dtype in ["float32", "bfloat16"] for batch in [1, 2]]
        names = [f"{network}_N{batch}_{dtype}" for network, batch, dtype in runs]
        self.assertEqual([line for line in text.splitlines() if line.startswith(("own_", "other_"))], [f"{name}, {dtype}" for name, (_, _, dtype) in zip(names, runs)])
        rows = self.rows("summary.csv")
        self.assertEqual([(row["pipeline"], row["network"], row["dtype"]) for row in rows], [(name, network, dtype) for name, (network, _, dtype) in zip(names, runs)])
        measured = {name: json.loads((self.results / name / "layers.json").read_text()) for name in names}
        for name, (network, batch, dtype) in zip(names, runs):
            report = measured[name]
            self.assertEqual((report["network"], report["dtype"], report["layers"][0]["input_shape"]), (network, dtype, f"{batch}x100"))
            self.assertEqual(report["layers"][0]["bytes"], 2 * batch * 100 * {"float32": 4, "bfloat16": 2}[dtype])
        shutil.rmtree(self.results / names[-1])
        again = run(*command[:-2], "--resume", self.results, "--json")
        self.assertEqual([report["pipeline"] for report in json.loads(again.stdout)], names, again.stderr)
        for name in names[:-1]:
            self.assertEqual(json.loads((self.results / name / "layers.json").read_text())["layers"], measured[name]["layers"], "not measured again")
        self.assertTrue((self.results / names[-1] / "layers.json").exists())

    def test_names_that_cannot_be_measured_together(self):
        self.fail_with("own: is given twice", "layers", self.relu(), self.relu(), *QUICK, "-o", self.results)
        self.fail_with("own_float16: is given twice", "layers", self.relu(), "--dtype", "float16,fp16", *QUICK, "-o", self.results)
        self.fail_with("a Python file of pipelines cannot be measured together with other networks", "layers", self.relu(), "own.py", *QUICK, "-o", self.results)
        self.assertFalse(self.results.exists())

    def test_iterations_of_each_layer(self):
        self.succeed("layers", self.relu(), "--buffers", "same", "--unroll", 5, "--iterations", 20, "--threads", "1", *ON_CPU, "-o", self.results)
        self.assertEqual([layer["isolated"]["same"]["iterations"] for layer in self.report("layers.json")["layers"]], [20])

    def test_a_folder_of_several_batches_is_moved_aside_as_a_whole(self):
        several = ["layers", self.relu(), *QUICK, "-o", self.results]
        self.succeed(*several, "--batch", "1,2")
        self.succeed(*several, "--batch", "2,4")
        aside, = self.folder.glob("results-*")
        folders = lambda path: sorted(one.name for one in path.iterdir() if one.is_dir())
        self.assertEqual((folders(aside), folders(self.results)), (["own_N1", "own_N2"], ["own_N2", "own_N4"]))
        self.assertEqual([row["pipeline"] for row in self.rows("summary.csv")], ["own_N2", "own_N4"])
        self.succeed(*several)
        self.assertEqual(folders(self.results), ["first_runs"], "nor are they in the way of a single one")
        self.succeed(*several, "--batch", "1,2")
        self.assertFalse((self.results / "layers.json").exists(), "which is moved aside as well")

    def test_several_batches_are_refused_a_folder_before_anything_is_measured(self):
        several = ["layers", self.relu(), *QUICK, "--batch", "1,2"]
        letter = self.folder / "letters/own_N2/letter"
        letter.parent.mkdir(parents=True)
        letter.write_text("dear")
        self.fail_with("letters: contains files, but no results.jsonl", *several, "-o", self.folder / "letters")
        self.assertEqual(sorted(self.folder.glob("letters/*")), [letter.parent])
        self.fail_with("letters: contains no results.jsonl, which --resume needs", *several, "--resume", self.folder / "letters")
        self.fail_with("own_N1: is given twice", *several[:-1], "1,1", "-o", self.results)
        self.assertFalse(self.results.exists())

    def test_several_batches_that_were_killed_go_on(self):
        several = ["layers", self.relu(), *QUICK]
        self.succeed(*several, "--batch", "1,2", "-o", self.results)
        first, second = [self.results / name / "layers.json" for name in ("own_N1", "own_N2")]
        measured = json.loads(first.read_text())["layers"]
        shutil.rmtree(second.parent)
        self.succeed(*several, "--batch", "1,2", "--resume", self.results)
        self.assertEqual(json.loads(first.read_text())["layers"], measured, "not measured again")
        self.assertTrue(second.exists())
        self.fail_with("contains results of another runs", *several, "--batch", "1,4", "--resume", self.results)
        self.fail_with("contains results of several runs", *several, "--resume", self.results)

    def test_options_that_scripts_pass_in_any_case_only_give_a_warning(self):
        done = run("layers", self.relu(), "--buffers", "same", "--unroll", 2, "--warmup", 1, "--runs", 1000, "--gpu", 0, "--threads", 1, *ON_CPU, "-o", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = [line for line in done.stderr.splitlines() if "no effect" in line]
        self.assertEqual(told, ["kjoule: warning: --gpu has no effect on a model that runs on the CPU",
                                "kjoule: warning: --warmup has no effect on layers that are measured in isolation",
                                "kjoule: warning: --runs has no effect on layers that are measured in isolation"])
        self.assertGreater(self.report("layers.json")["pipeline_latency_ms"], 0)

    def test_options_that_would_do_nothing_are_refused(self):
        network = ["layers", self.relu(), *ON_CPU, "-o", self.results]
        for option in (["--gpu", 1], ["--rank", 0], ["--range", "step"], ["--skip-iterations", 2]):
            self.fail_with(f"{option[0]} has no effect on a network", *network, *option)
        self.fail_with("--iterations 1..3: is neither auto nor a whole number from 1 to 10000000", *network, "--iterations", "1..3")
        self.fail_with("--iterations and --iters both set the number of runs", *network, "--iterations", 3, "--iters", 3)
        for option in (["--unroll", 4], ["--iters", 100], ["--iterations", 100]):
            self.fail_with(f"{option[0]} has no effect on layers that are measured in context only; also give --buffers", *network, *option)
        for option in (["--time-limit", 1], ["--energy-precision", "2%"], ["--energy-time-limit", 9]):
            self.fail_with(f"{option[0]} has no effect on layers that are measured in isolation", *network, "--buffers", "same", *option)
        for option in (["--batch", 2], ["--size", "batch=2"], ["--dtype", "fp32"], ["--threads", 1], ["--buffers", "same"], ["--unroll", 4], ["--check", "m.pt"]):
            self.fail_with(f"{option[0]} has no effect on ", "layers", *option, "--", "true")
            self.fail_with(f"{option[0]} has no effect on ", "layers", "own.py", *option)
        self.fail_with("--range has no effect on a Python file", "layers", "own.py", "--range", "step")
        self.fail_with("--iterations 3: this is not a range of launches; write A..B", "layers", "--iterations", 3, "--", "true")
        self.fail_with("--range has no effect together with --iterations A..B", "layers", "--iterations", "1..3", "--range", "step", "--", "true")
        self.fail_with("--size batch=3 has no effect: another option has already set batch to 2", *network, "--batch", 2, "--size", "batch=3")
        self.fail_with("--size batch=3 has no effect: another option has already set batch to 2", *network, "--size", "batch=2", "--size", "batch=3")
        self.fail_with("--threads: 0 is not a whole number from 1", *network, "--threads", 0)
        self.fail_with("--batch has no effect together with --list", "layers", "--list", "--batch", 2)
        self.fail_with("--output-dir cannot be combined with --resume", *network, "--resume", self.results)
        self.assertFalse(self.results.exists(), "nothing was measured")

    def test_several_batches_make_several_lines(self):
        self.succeed("layers", EXAMPLE, "--batch", "1,2", *QUICK, "-o", self.results)
        rows = self.rows("summary.csv")
        self.assertEqual([row["pipeline"] for row in rows], ["two-blocks_N1", "two-blocks_N2"])
        for row in rows:
            self.assertGreater(float(row["pipeline_latency_ms"]), 0)
            folder = self.results / row["pipeline"]
            self.assertEqual(json.loads((folder / "layers.json").read_text())["pipeline"], row["pipeline"])

    def test_a_killed_run_goes_on(self):
        first = self.layers(EXAMPLE)
        again = run("layers", EXAMPLE, *QUICK, "--resume", self.results, "--json")
        self.assertEqual(json.loads(again.stdout)["layers"], first["layers"], again.stderr)

    def test_a_run_is_not_continued_with_other_buffers(self):
        network = ["layers", self.relu(), "--unroll", 2, "--threads", "1", *ON_CPU]
        self.succeed(*network, "--buffers", "same,rotate", "-o", self.results)
        for other in ("rotate,same", "rotate"):
            self.fail_with("other layers or buffers were measured in the interrupted run; give the --buffers of that run, or repeat the command without --resume",
                           *network, "--buffers", other, "--resume", self.results)

    def test_a_layer_that_cannot_run_is_a_row(self):
        bad = "{name: bad, kind: operator, operator: aten::mm, arguments: [{tensor: [2, 3]}, {tensor: [2, 3]}]}"
        path = self.network("{name: good, kind: relu, shape: [batch, 100]}", bad, "{name: none, kind: operator, operator: aten::nothing, arguments: []}")
        done = run("layers", path, *QUICK, "-o", self.results)
        self.assertEqual(done.returncode, 1)
        self.assertIn("layer bad was not measured and is missing from the sums: mat1 and mat2 shapes cannot be multiplied", done.stderr)
        self.assertIn("aten::nothing is not a known operator", done.stderr)
        report = self.report("layers.json")
        self.assertFalse(report["complete"])
        self.assertGreater(report["layers"][0]["latency_ms"], 0)
        self.assertIsNone(report["layers"][1]["latency_ms"])
        self.assertEqual(self.rows("summary.csv")[0]["pipeline_latency_ms"], "")

    def test_a_meter_that_was_named_and_tells_nothing_is_a_failure(self):
        log = self.folder / "power.csv"
        log.write_text("timestamp,power_w\n")
        path = self.network("{name: a, kind: relu, shape: [batch, 100]}")
        done = run("layers", path, *QUICK, "-o", self.results, "--power-log", log)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("kjoule: energy was not measured: ", done.stderr)
        self.assertTrue(json.loads((self.results / "layers.json").read_text())["energy_missing"])

    def test_a_model_of_other_parameters_is_refused(self):
        model = self.folder / "layer.pt"
        code, _, error = run_command("opt-66b-layer-decode", "--hidden", 64, "--heads", 2, "--seq-len", 16, "-o", model)
        self.assertEqual(code, 0, error)
        self.fail_with(f"layer.pt: this model has {12 * 64 * 64 + 13 * 64} parameters, but the network two-blocks has", "layers", EXAMPLE, *QUICK, "--check", model, "-o", self.results)
        self.assertFalse(self.results.exists(), "nothing was measured")

    def test_what_is_wrong_is_one_line(self):
        self.fail_with("did you mean resnet50", "layers", "resnet51")
        self.fail_with("own.yaml:4: layer a: the field shape is missing", "layers", self.network("{name: a, kind: relu}"))
        self.fail_with("kind reluu is not known", "layers", self.network("{name: a, kind: reluu, shape: [1]}"))
        self.fail_with('the network has no size "tokens"', "layers", "resnet18", "--size", "tokens=3")
        self.fail_with("write NAME=NUMBER", "layers", "resnet18", "--size", "batch")
        (self.folder / "resnet18").mkdir()  # a folder with the name of a built-in network
        done = subprocess.run([KJOULE, "layers", "resnet18", "--size", "tokens=3"], capture_output=True, text=True, timeout=60, check=False, cwd=self.folder)
        self.assertIn('the network has no size "tokens"', done.stderr)
        self.fail_with("use float32, float16 or bfloat16", "layers", "resnet18", "--dtype", "fp8")
        self.fail_with("use context, rotate or same", "layers", "resnet18", "--buffers", "fresh")
        self.fail_with("context must come first", "layers", "resnet18", "--buffers", "same,context")
        self.fail_with("--iters many: is neither auto nor a whole number from 1 to 10000000", "layers", "resnet18", "--iters", "many")
        self.fail_with("use auto, cpu or cuda", "layers", "resnet18", "--device", "simulated:seed=1")
        self.fail_with("no network was given", "layers")
        self.fail_with("none of its layers can be run", "layers", self.network("{name: a, kind: operator, operator: aten::no, arguments: []}"), *QUICK)

    def test_lists_what_it_brings(self):
        text = self.succeed("layers", "--list")
        for name in ["resnet18", "resnet50", "mobilenetv3-small", "efficientnet-b0", "replknet-31b", "vit-b16", "opt-66b-prefill", "opt-66b-decode", "opt-66b-layer-prefill", "opt-66b-layer-decode",
                     "llama-7b-prefill", "llama-7b-decode"]:
            self.assertIn(name, text)

    def test_the_model_beside_it_runs_with_the_networks_batch(self):
        model = self.folder / "layer.pt"
        sizes = ["--size", "width=64", "--size", "heads=2", "--size", "kv=16", "--dtype", "fp32"]
        code, _, error = run_command("opt-66b-layer-decode", "--hidden", 64, "--heads", 2, "--seq-len", 16, "--batch", 2, "-o", model)
        self.assertEqual(code, 0, error)
        report = self.layers("opt-66b-layer-decode", "--batch", "2", *sizes, "--check", model)
        self.assertGreater(report["check"]["whole_ms"], 0)
        self.assertEqual(report["parameters"], 12 * 64 * 64 + 13 * 64)
        self.fail_with("the model was traced with --batch 2 and cannot run with 4", "layers", "opt-66b-layer-decode", "--batch", "4", *sizes,
                       *QUICK, "--check", model, "-o", self.folder / "other")

    def test_networks_that_are_exported_are_compared(self):
        opt = ["--size", "layers=2", "--size", "width=64", "--size", "heads=2", "--size", "tokens=16"]
        for network, exported, sizes in [("mobilenetv3-small", ["mobilenetv3-small"], []), ("opt-66b-prefill", ["opt", "--layers", 2, "--hidden", 64, "--heads", 2, "--seq-len", 16], opt)]:
            model = self.folder / f"{network}.pt"
            export_model(model, *exported)
            self.succeed("layers", network, *sizes, *QUICK, "--check", model, "-o", self.folder / network)
            report = json.loads((self.folder / network / "layers.json").read_text())
            self.assertGreater(report["check"]["whole_ms"], 0)
            self.assertTrue(report["complete"])

    def test_a_network_that_it_brings(self):
        model = self.folder / "resnet18.pt"
        code, _, error = run_command("resnet18", "-o", model)
        self.assertEqual(code, 0, error)
        report = self.layers("resnet18", "--check", model)
        check = report["check"]
        self.assertGreater(check["whole_ms"], 0)
        self.assertAlmostEqual(check["latency_error_percent"], 100 * (report["pipeline_latency_ms"] / check["whole_ms"] - 1), places=6)
        self.assertIsNone(check["whole_j"])
        self.assertTrue((self.results / "check/recording.jsonl").exists())
        self.assertEqual(report["parameters"], 11689512)
        self.assertEqual(sum(layer["count"] for layer in report["layers"]), 68)


if __name__ == "__main__":
    unittest.main()
