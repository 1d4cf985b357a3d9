"""The Python package: its results are those of the program's reports, its errors those of the program's lines."""
import csv
import dataclasses
import html.parser
import importlib.util
import io
import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import torch

import kjoule
from kjoule import programs, reading, reports

from .driver import ENERGY_COUNTER, PROGRAM, Driver
from .messages import errors_in
from .test_commands import KJOULE, ROOT, InAFolder
from .test_energy import EnergyCase, kernel
from .test_driver_layers import NVTX, NVTX_LIBRARY, OWN_KERNELS

SIMULATED = {"device": "simulated:seed=5", "runs": 5}
QUICK = {"device": "cpu", "threads": 1, "runs": 3, "warmup": 1, "time_limit": 0.3}
TRACE = ROOT / "tests/cli/data/gpt2_train_step_h200.json.gz"
# A module with a kernel, which functions of a script use: what is not in the script is found by its name.
SCALE = OWN_KERNELS.partition("def too_large")[0]

USER_FILE = """
import kjoule
from kjoule import reports

result = kjoule.compare(["./program"], energy=False, size={"width": 3}, batch=[1, 2])
if result.iteration:
    reveal_type(result.iteration.whole_us)
reveal_type(kjoule.layers("resnet50", batch=32).layers[0].latency_ms)
reveal_type(kjoule.diff("a", result))
kjoule.compare(energy=object())
kjoule.layers("resnet50").no_such_field
"""


class Tables(html.parser.HTMLParser):
    """The cells of an HTML table, row by row."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1] and self.tags[-1] in ("td", "th"):
            self.rows[-1][-1] += data


class Schemas(unittest.TestCase):
    def check(self, root):
        return subprocess.run([sys.executable, root / "tools/python_reports", "--check"], capture_output=True, text=True, check=False)

    def test_the_classes_are_those_of_the_schemas(self):
        done = self.check(ROOT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_changed_schema_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for part in ["tools/python_reports", "docs/reference/schemas", "python/kjoule/reports.py"]:
                (root / part).parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if (ROOT / part).is_dir() else shutil.copy)(ROOT / part, root / part)
            self.assertEqual(self.check(root).returncode, 0)
            path = root / "docs/reference/schemas/layers.schema.json"
            path.write_text(path.read_text().replace('"latency_ms"', '"latency_s"'))
            done = self.check(root)
            self.assertEqual(done.returncode, 1)
            self.assertIn("run tools/python_reports", done.stderr)

    def test_a_report_of_another_version_is_refused(self):
        whole = {"sum_us": 1.0}
        with self.assertRaisesRegex(kjoule.Error, r"^ComparisonReport\.\w+: is missing in kjoule's report; install a package and a program of the same version"):
            reading.read(reports.ComparisonReport, whole)
        with self.assertRaisesRegex(kjoule.Error, r"^Load\.\w+: has an unexpected value in kjoule's report \('many'\); "):
            reading.read(reports.Load, dict.fromkeys((field.name for field in dataclasses.fields(reports.Load)), "many"))


class Types(InAFolder):
    def mypy(self, *arguments):
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", ROOT / "build/mypy", *arguments], capture_output=True, text=True,
                              check=False, cwd=self.folder, env={**os.environ, "MYPYPATH": str(ROOT / "python")})

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "this Python has no mypy")
    def test_mypy_strict(self):
        done = self.mypy(ROOT / "python/kjoule")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        path = self.folder / "user.py"
        path.write_text(USER_FILE)
        said = self.mypy(path).stdout
        for revealed in ['"float"', '"float | None"', '"kjoule.reports.Difference"']:
            self.assertIn(f"Revealed type is {revealed}", said.replace("builtins.", ""))
        self.assertEqual([line.partition(": ")[0].rpartition(":")[2] for line in said.splitlines() if ": error: " in line], ["10", "11"], said)
        self.assertTrue((ROOT / "python/kjoule/py.typed").exists())


class Simulated(InAFolder):
    def compared(self, **options):
        return kjoule.compare(**{**SIMULATED, "output_dir": self.results, "energy": False, **options})

    def test_a_comparison_is_that_of_the_report(self):
        result = self.compared(energy=True)
        report = self.report()
        self.assertEqual((result.verdict, result.verdict_reason, result.folder), ("adds up", report["verdict_reason"], self.results))
        self.assertEqual(result.iteration.whole_us, report["whole_us"])
        self.assertEqual(result.iteration.sum_interval_us, tuple(report["sum_interval_us"]))
        self.assertEqual(result.iteration.energy.whole_joules, report["energy"]["whole_joules"])
        self.assertEqual([kernel.name for kernel in result.kernels], [kernel["name"] for kernel in report["top_kernels"]])
        self.assertAlmostEqual(sum(kernel.total_us for kernel in result.kernels) / result.iteration.sum_us, 1, 6)
        with self.assertRaises(dataclasses.FrozenInstanceError):
            result.iteration.whole_us = 1

    def test_all_kernels_are_in_the_table(self):
        result = self.compared()
        with (self.results / "summary.csv").open() as file:
            rows = list(csv.DictReader(file))
        frame = result.to_pandas()
        self.assertEqual(list(frame["short_name"]), [row["short_name"] for row in rows])
        self.assertEqual([f"{value:.9g}" for value in frame["total_us"]], [f"{float(row['total_us']):.9g}" for row in rows])

    def test_without_pandas_the_remedy_is_named(self):
        result = self.compared()
        with mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaisesRegex(kjoule.Error, "pandas is not installed; pip install pandas"):
            result.to_pandas()
        self.assertEqual(result.table_columns()["count"], [kernel.count for kernel in result.kernels])

    def test_a_notebook_shows_a_table(self):
        result = self.compared()
        rows = Tables(result._repr_html_()).rows
        self.assertEqual(len(rows), 1 + len(result.kernels))
        shown = dict(zip(rows[0], rows[1]))
        self.assertEqual((shown["short_name"], float(shown["count"])), (result.kernels[0].short_name, result.kernels[0].count))
        self.assertEqual(rows[0][0], "short_name")
        self.assertNotIn("signature", shown)

    def test_names_are_text_in_a_notebook(self):
        hostile = "<script>alert(1)</script>&"
        kernel = kjoule.Kernel(hostile, hostile, 1, 2, category=hostile)
        parsed = Tables(kjoule.KernelTable((kernel,) * 70, None, None)._repr_html_())
        self.assertNotIn("script", parsed.tags)
        self.assertEqual(len(parsed.rows), 61)
        self.assertIn(hostile, parsed.rows[1])

    def test_kernels_of_a_folder_and_of_a_trace(self):
        result = self.compared()
        table = kjoule.kernels(self.results)
        self.assertEqual([(kernel.name, kernel.total_us) for kernel in table.kernels], [(kernel.name, kernel.total_us) for kernel in result.kernels])
        trace = kjoule.kernels(TRACE)
        self.assertEqual((len(trace.kernels), sum(kernel.count for kernel in trace.kernels)), (122, 1213))
        self.assertEqual((trace.kernels[0].operator, trace.kernels[0].grid), ("aten::mm", (256, 50, 1)))
        self.assertEqual(trace.summary["launches"], 1213)

    def test_a_table_of_several_iterations(self):
        """Counts and times are those of one iteration, or of the whole table if its number of iterations is not known."""
        table = self.folder / "table.csv"
        table.write_text("name,count,total_us,bytes\nmine,8,80,\nMemcpy HtoD,4,20,4096\n")
        values = lambda **options: [(kernel.count, kernel.mean_us, kernel.total_us, kernel.bytes) for kernel in kjoule.kernels(table, **options).kernels]
        self.assertEqual(values(iterations=4), [(2, 10, 20, None), (1, 5, 5, 4096)])
        self.assertEqual(values(), [(8, 10, 80, None), (4, 5, 20, 4096)])

    def test_what_changed(self):
        before, after = self.compared(), self.compared(device="simulated:seed=5,drift=0", output_dir=self.folder / "after")
        change = kjoule.diff(before, self.folder / "after").iterations[0].whole_us
        self.assertEqual((change.before, change.after), (before.iteration.whole_us, after.iteration.whole_us))
        self.assertEqual(change.changed, True)
        rows = kjoule.diff(before, after).to_pandas()
        self.assertEqual(set(rows["before"]), {kernel.name for kernel in before.kernels})
        self.assertIn("time_us.change_percent", rows)

    def test_the_whole_and_kernels_in_isolation(self):
        full = kjoule.full(device="simulated:seed=5", runs=7, output_dir=self.results)
        self.assertEqual((full.num_runs, len(full.run_times_us)), (7, 7))
        isolated = kjoule.isolated(device="simulated:seed=5", output_dir=self.results)
        self.assertGreater(len(isolated.kernels), 3)

    def test_a_prediction_and_a_step(self):
        one = kjoule.predict("NVIDIAH200", "linear1", "fp16", "forward", [1, 8, 1024, 1024], models=self.folder / "models")
        done = subprocess.run([KJOULE, "predict", "operator", "NVIDIAH200", "linear1", "fp16", "forward", "1", "8", "1024", "1024", "--json",
                               "--models", self.folder / "models"], capture_output=True, text=True, check=True)
        self.assertEqual(one.predicted_us, json.loads(done.stdout)["predicted_us"])
        self.assertEqual(one.shape, (1, 8, 1024, 1024))
        predictor = kjoule.Predictor()
        wanted = {"gpu_name": "NVIDIAH200", "function": "linear1", "precision": "fp16", "propagation": "fwd", "shape": [1, 8, 1024, 1024],
                  "model_dict": predictor.operator_dict, "config_folder": "unused", "models_folder": self.folder / "models"}
        self.assertEqual(predictor.predict_operator(**wanted), one.predicted_us)
        with mock.patch.dict(os.environ, {"KJOULE": "/dev/null"}):
            self.assertEqual(predictor.predict_operator(**wanted), one.predicted_us, "it is kept")


class Errors(InAFolder):
    def line_of(self, *arguments):
        done = subprocess.run([KJOULE, *map(str, arguments)], capture_output=True, text=True, check=False)
        line, = errors_in(done.stderr)
        return line.removeprefix("kjoule: "), done.returncode

    def test_an_error_has_the_text_of_the_programs_line(self):
        for call, arguments, kind in [(lambda: kjoule.compare(model="none.pt"), ["compare", "--model", "none.pt"], kjoule.Error),
                                      (lambda: kjoule.kernels("none.json"), ["kernels", "none.json"], kjoule.Error),
                                      (lambda: kjoule.compare(no_such=3), ["compare", "--no-such", "3"], kjoule.UsageError),
                                      (lambda: kjoule.layers("none"), ["layers", "none"], kjoule.Error)]:
            with self.subTest(arguments), self.assertRaises(kind) as raised:
                call()
            self.assertEqual((str(raised.exception), raised.exception.exit_code), self.line_of(*arguments))
            self.assertIsNone(raised.exception.partial)

    def test_the_program_is_found_or_named(self):
        self.assertEqual(kjoule.find_program(), KJOULE)
        other = self.folder / "kjoule"
        other.write_text("#!/bin/sh\necho 'kjoule: the other one; use it' >&2; exit 1\n")
        other.chmod(0o755)
        with mock.patch.dict(os.environ, {"KJOULE": str(other)}), self.assertRaisesRegex(kjoule.Error, "^the other one; use it$"):
            kjoule.kernels("any")
        with mock.patch.dict(os.environ, {"KJOULE": str(self.folder)}), self.assertRaisesRegex(kjoule.Error, "is not a program; give the path"):
            kjoule.find_program()

    def test_an_installed_package_finds_its_own_program_and_otherwise_that_of_the_path(self):
        package = self.folder / "prefix/share/kjoule/python"
        shutil.copytree(ROOT / "python/kjoule", package / "kjoule", ignore=shutil.ignore_patterns("__pycache__"))
        programs = {name: self.folder / name / "kjoule" for name in ["prefix/bin", "on_path"]}
        for program in programs.values():
            program.parent.mkdir(parents=True)
            program.write_text("#!/bin/sh\n")
            program.chmod(0o755)
        code = "import kjoule; print(kjoule.find_program())"
        environment = {**os.environ, "PYTHONPATH": str(package), "PATH": f"{self.folder / 'on_path'}:{os.environ['PATH']}"}
        environment.pop("KJOULE", None)
        find = lambda: subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd="/").stdout.strip()
        self.assertEqual(find(), str(programs["prefix/bin"]))
        programs["prefix/bin"].unlink()
        self.assertEqual(find(), str(programs["on_path"]))

    def test_only_a_wheel_tells_its_program_which_python_and_torch_to_use(self):
        """Other builds know theirs. What the user set remains."""
        self.assertEqual(programs.environment(), {}, "this is a clone")
        package = self.folder / "site-packages"
        shutil.copytree(ROOT / "python/kjoule", package / "kjoule", ignore=shutil.ignore_patterns("__pycache__"))
        for file in ["kjoule/bin/kjoule", "torch/__init__.py", "torch/lib/libtorch_cpu.so"]:
            (package / file).parent.mkdir(parents=True, exist_ok=True)
            (package / file).touch()
        code = "import json, kjoule.programs; print(json.dumps(kjoule.programs.environment()))"
        plain = {name: value for name, value in os.environ.items() if name not in ("KJOULE_PYTHON", "KJOULE_TORCH")} | {"PYTHONPATH": str(package)}
        told = lambda **more: json.loads(subprocess.run([sys.executable, "-c", code], env=plain | more, capture_output=True, text=True, check=True).stdout)
        self.assertEqual(told(), {"KJOULE_PYTHON": sys.executable, "KJOULE_TORCH": str(package / "torch")})
        self.assertEqual(told(KJOULE_PYTHON="/own"), {"KJOULE_TORCH": str(package / "torch")})
        (package / "torch/lib/libtorch_cpu.so").unlink()
        self.assertEqual(told(KJOULE_PYTHON="/own"), {}, "not a torch package")

    def test_what_a_program_leaves_running_is_not_waited_for(self):
        """The process that stays has stdout and stderr of kjoule; all that was written before its end is read."""
        program, left = self.folder / "kjoule", self.folder / "left"
        program.write_text(f"#!/bin/sh\nsleep 600 & echo $! > {left}\necho note >&2\necho '[]'\n")
        program.chmod(0o755)
        with mock.patch.dict(os.environ, {"KJOULE": str(program)}), mock.patch.object(sys, "stderr", io.StringIO()) as shown:
            self.assertEqual(kjoule.kernels("any").kernels, ())
        self.assertEqual(shown.getvalue(), "note\n")
        os.kill(int(left.read_text()), signal.SIGKILL)  # throws if it had ended

    def test_an_empty_program(self):
        with self.assertRaisesRegex(kjoule.Error, "the program is an empty command line; give its name"):
            kjoule.compare([])


class Progress(InAFolder):
    WIPE = "\r\033[K"

    def test_on_a_terminal_the_bar_is_shown_and_removed(self):
        code = f"import kjoule; print(kjoule.compare(output_dir={str(self.results)!r}, **{SIMULATED!r}).verdict)"
        terminal, end = pty.openpty()
        with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=end,
                              env={**os.environ, "TERM": "xterm", "PYTHONPATH": str(ROOT / "python")}) as process:
            os.close(end)
            written = b""
            try:
                while piece := os.read(terminal, 1 << 16):
                    written += piece
            except OSError:  # the other end is closed
                pass
            self.assertEqual(process.stdout.read(), b"adds up\n")
        os.close(terminal)
        text = written.decode()
        self.assertIn(f"{self.WIPE}measuring the kernels in context", text)
        self.assertEqual(text.rpartition(self.WIPE)[2], "", "no bar is left")

    def test_a_notebook_gets_no_terminal_sequences(self):
        class OutStream(io.StringIO):
            __module__ = "ipykernel.iostream"

        with mock.patch.object(sys, "stderr", OutStream()) as shown, mock.patch.dict(os.environ, {"TERM": "xterm"}):
            kjoule.compare(output_dir=self.results, **SIMULATED)
        self.assertIn("\rmeasuring the kernels in context", shown.getvalue())
        self.assertNotIn("\033", shown.getvalue())
        self.assertEqual(shown.getvalue().rpartition("\r")[2], "", "no bar is left")

    def test_elsewhere_it_is_lines(self):
        with mock.patch.object(sys, "stderr", io.StringIO()) as shown:
            kjoule.compare(output_dir=self.results, **SIMULATED)
        self.assertEqual(shown.getvalue(), "timing the program's own iterations\n")


class Pipelines(InAFolder):
    """The program is a stand-in that says which GPU it would use."""

    def setUp(self):
        super().setUp()
        program = self.folder / "kjoule"
        program.write_text('#!/bin/sh\necho "kjoule: $1 on GPU <$CUDA_VISIBLE_DEVICES> $*; none" >&2; exit 1\n')
        program.chmod(0o755)
        patched = mock.patch.dict(os.environ, {"KJOULE": str(program)})
        patched.start()
        self.addCleanup(patched.stop)

    def errors(self, index, visible):
        """Returns the error of the idle power and that of the only phase."""
        phases = [("fc", lambda: kjoule.test_matmul_iter("fc", M=1, K=2, N=3, iters=100))]
        with mock.patch.dict(os.environ, {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}), mock.patch.object(sys, "stderr", io.StringIO()) as shown:
            if visible is None:
                os.environ.pop("CUDA_VISIBLE_DEVICES", None)
            done, = kjoule.pipeline_benchmark(self.folder / "out", [("a", phases)], device_index=index)
            self.assertEqual(os.environ.get("CUDA_VISIBLE_DEVICES"), visible, "it is as before")
        self.assertEqual((done.results, done.pipeline_latency_ms), ((), None))
        return shown.getvalue(), done.errors[0][1]

    def test_the_gpu_is_chosen_by_its_number(self):
        for index, visible, gpu in [(1, None, "1"), (1, "4,6", "6"), (0, "GPU-1b", "GPU-1b")]:
            with self.subTest(index=index, visible=visible):
                idle, phase = self.errors(index, visible)
                self.assertIn(f"power idle --json --duration 5.0 --gpu {gpu};", idle)
                self.assertIn(f"layers on GPU <{gpu}> layers ", phase)

    def test_each_thread_uses_its_own_gpu(self):
        """Both are about to start kjoule at the same time."""
        together, phases = threading.Barrier(2, timeout=60), {}

        def find_program():
            together.wait()
            return pathlib.Path(os.environ["KJOULE"])

        def measure(index):
            test = lambda: kjoule.test_matmul_iter("fc", M=1, K=2, N=3, iters=100)
            done, = kjoule.pipeline_benchmark(self.folder / f"out{index}", [("a", [("fc", test)])], device_index=index)
            phases[index] = done.errors[0][1]

        with mock.patch.dict(os.environ), mock.patch.object(sys, "stderr", io.StringIO()), mock.patch("kjoule.running.find_program", find_program):
            os.environ.pop("CUDA_VISIBLE_DEVICES", None)
            threads = [threading.Thread(target=measure, args=[index]) for index in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        for index in range(2):
            self.assertIn(f"layers on GPU <{index}> layers ", phases[index])

    def test_phases_of_one_name_have_columns_of_their_own(self):
        results = [kjoule.KernelTest("any", 100, ms, None, None, "") for ms in (1.0, 2.0, 4.0)]
        phases = [(name, lambda one=one: one) for name, one in zip(["relu", "relu", "relu (2)"], results)]
        with mock.patch.object(sys, "stderr", io.StringIO()):
            done, = kjoule.pipeline_benchmark(self.folder / "out", [("a", phases)])
        row, = csv.DictReader((self.folder / "out/summary.csv").read_text().splitlines())
        self.assertEqual({name: row[f"layer_avg_latency_ms__{name}"] for name in ("relu", "relu (2)", "relu (3)")},
                         {"relu": "1.0", "relu (2)": "4.0", "relu (3)": "2.0"})
        self.assertEqual([one.name for one in done.results], ["relu", "relu", "relu (2)"])

    def test_a_number_that_is_not_listed(self):
        _, phase = self.errors(2, "4,6")
        self.assertEqual(phase, "device_index=2: CUDA_VISIBLE_DEVICES lists only 2 GPUs (4,6); give a number below 2")

    def test_files_of_others_are_kept(self):
        folder = self.folder / "out"
        run = lambda names=("a",): kjoule.pipeline_benchmark(folder, [(name, [("p", lambda: 3)]) for name in names])
        with mock.patch.object(sys, "stderr", io.StringIO()) as shown:
            run()
            first = (folder / "a.log").read_text()
            self.assertRegex(first, r"^p: was not measured: its function returns int; return the result of test_kernel_iter\(\)")
            run()
        self.assertIn(f"older results were moved to {folder}.1\n", shown.getvalue())
        self.assertEqual((self.folder / "out.1/a.log").read_text(), first)
        with self.assertRaisesRegex(kjoule.Error, r"^two pipelines have the same name \(b_c, b_c\)"):
            run(("b/c", "b_c"))
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / "notes.txt").write_text("mine")
        with self.assertRaisesRegex(kjoule.Error, "contains files that are no results of pipelines; choose another output_dir"):
            run()
        self.assertEqual([path.name for path in folder.iterdir()], ["notes.txt"])

    def test_what_is_no_pipeline(self):
        with self.assertRaisesRegex(kjoule.Error, r"pipelines\[0\] is a tuple of length 1; give a pipeline \(name, \[\(phase, function\), ..\]\)"):
            kjoule.pipeline_benchmark(self.folder / "out", [("a",)])

    def test_too_few_iterations(self):
        with self.assertRaisesRegex(kjoule.Error, "^fc: iters=99 is less than the 100 runs of one CUDA graph; give at least iters=100$"):
            kjoule.test_matmul_iter("fc", M=1, K=2, N=3, iters=99)

    def test_functions_that_fail_name_their_line(self):
        """As printed, the kernel of the founding document has two faults: an undefined name, and an argument that torch.relu lacks."""
        def setup():
            return torch.ones(3), tmp  # noqa: F821 (as printed)

        def capture(state):
            return torch.relu(state, inplace=True)

        line = setup.__code__.co_firstlineno + 1
        with mock.patch("kjoule.layer_tests._has_gpu", lambda: False):
            with self.assertRaisesRegex(kjoule.Error, rf"^k: NameError: name 'tmp' is not defined \(line {line} of test_python_package.py\); correct setup_func"):
                kjoule.test_kernel_iter("k", setup, capture, 100)
            with self.assertRaisesRegex(kjoule.Error, rf"^k: TypeError: relu\(\) .*inplace.* \(line {line + 3} of test_python_package.py\)"):
                kjoule.test_kernel_iter("k", lambda: torch.ones(3), capture, 100)
            with self.assertRaisesRegex(kjoule.Error, "capture_func is None; give a function"):
                kjoule.test_kernel_iter("k", setup, None, 100)


class OfLogs(EnergyCase):
    def test_joules_of_the_whole(self):
        """300 W for 0.1 s."""
        report = kjoule.energy(self.log, self.timing)
        self.assertIsInstance(report, reports.EnergyReport)
        self.assertAlmostEqual(report.energy_joules.per_run, 30, delta=0.1)

    def test_joules_of_kernels(self):
        """300 W for 1 ms each."""
        self.isolated()
        report = kjoule.energy(self.log, self.results)
        self.assertIsInstance(report, reports.GpuEnergyReport)
        self.assertEqual(len(report.to_pandas()), 10)
        for one in report.per_kernel:
            self.assertAlmostEqual(one.energy_joules_each, 0.3, delta=0.003)

    def test_what_is_missing_is_an_error_with_the_rest(self):
        self.isolated([kernel(1, 62, 8), {"name": "failed", "tier": "unknown", "invocation_count": 1, "error": "it threw"}])
        with self.assertRaisesRegex(kjoule.Error, "kernels have no energy") as raised:
            kjoule.energy(self.log, self.results)
        measured, failed = raised.exception.partial.per_kernel
        self.assertAlmostEqual(measured.energy_joules_each, 0.3, delta=0.003)
        self.assertEqual((failed.name, failed.energy_joules_each), ("failed", None))


class OnTheCpu(InAFolder):
    def test_layers_of_networks(self):
        network = self.folder / "own.yaml"
        network.write_text("name: own\nsizes: {batch: 2, wide: 8}\nlayers:\n  - {name: a, kind: relu, shape: [batch, 100]}\n  - {name: b, kind: matmul, M: 4, K: wide, N: 16}\n")
        one = kjoule.layers(network, size={"wide": 12}, output_dir=self.results, **QUICK)
        self.assertEqual([(layer.name, layer.input_shape) for layer in one.layers], [("a", "2x100"), ("b", "4x12")])
        self.assertEqual(one.pipeline_latency_ms, self.report("layers.json")["pipeline_latency_ms"])
        self.assertEqual(list(one.to_pandas()["latency_ms"]), [layer.latency_ms for layer in one.layers])
        both = kjoule.layers_of_each([network], batch=[1, 3], output_dir=self.results, **QUICK)
        self.assertEqual([network.layers[0].input_shape for network in both], ["1x100", "3x100"])

    def test_samples_become_a_model(self):
        summary = kjoule.sample(ROOT / "examples/square.yml", precision="fp32", device="cpu", threads=1, output_dir=self.folder)
        rows = list(csv.DictReader(next(self.folder.glob("sampling_data/*.csv")).read_text().splitlines()))
        self.assertEqual(len(rows), 8)
        self.assertTrue(summary)
        data = self.folder / "G"
        data.mkdir()
        lines = [f"{r},{c},{2 + r * c / 1000},{4 + r * c / 500}" for r in range(64, 1025, 64) for c in (128, 256, 512)]
        (data / "G_mine_fp16.csv").write_text("\n".join(["rows,columns,F_dur(us),B_dur(us)", *lines]) + "\n")
        trained = kjoule.train(data)
        self.assertEqual(len(trained), 2)
        self.assertAlmostEqual(kjoule.predict("G", "mine", "fp16", "forward", [500, 400], data=data).predicted_us / 202, 1, delta=0.1)


class OnTheStandIn(Driver):
    """Programs on a GPU, whose driver is a stand-in."""

    def setUp(self):
        super().setUp()
        patched = mock.patch.dict(os.environ, {**self.environment, "PYTHONPATH": ":".join([str(self.folder), *filter(None, sys.path)])})
        patched.start()
        self.addCleanup(patched.stop)

    def with_nvtx(self):
        if NVTX_LIBRARY is None:
            self.skipTest("a torch of the user's own came without NVTX")
        (self.folder / "nvtx.py").write_text(NVTX.format(path=str(NVTX_LIBRARY)))

    def compared(self, program, **options):
        return kjoule.compare(program, **{"energy": False, "loop_seconds": 0.05, "time_limit": 0.5, "output_dir": self.results, **options})

    def test_a_loop(self):
        result = self.compared([PROGRAM, "--iterations", 300000])
        self.assertEqual(result.verdict, "adds up")
        self.assertIsNone(result.run)
        self.assertEqual(result.iteration.sum_us, self.report()["sum_us"])
        self.assertIn("gather", {kernel.name.partition("(")[0] for kernel in result.kernels})

    def test_a_program_that_ends(self):
        result = self.compared([PROGRAM, "--iterations", 20, "--then", 15], time_limit=5)
        self.assertIsNone(result.iteration)
        self.assertEqual(result.verdict, "adds up")
        self.assertEqual(result.run.replayed.phases[0].iterations, 20)
        self.assertEqual(result.kernels, result.run.kernels)

    def test_kernels_of_a_run(self):
        table = kjoule.kernels([PROGRAM, "--iterations", 50])
        self.assertEqual(table.run.kinds[0].iterations, 49)
        adds, = [kernel for kernel in table.kernels if kernel.name == "add"]
        self.assertEqual((adds.count, adds.grid), (100, (16, 1, 1)))
        self.assertAlmostEqual(adds.total_us, adds.count * adds.mean_us, 6)
        copies = lambda kernels: {kernel.name: kernel.bytes for kernel in kernels if kernel.bytes is not None}
        copied = copies(table.kernels)
        self.assertEqual(len(copied), 4)
        self.compared([PROGRAM, "--iterations", 300000])
        self.assertEqual(copies(kjoule.kernels(self.results).kernels), copied, "of one copy, whatever the source")

    def test_a_marked_iteration(self):
        """Two kernels and a third that the mark leaves out, in a loop of all three."""
        self.with_nvtx()
        script = self.folder / "marked.py"
        script.write_text(f"{SCALE}\nimport kjoule\none, two = Scale(256), Scale(65536)\na, b = one.setup(), two.setup()\nwhile True:\n"
                          "    with kjoule.iteration():\n        one.capture(a)\n        two.capture(b)\n        check(cuda.cuCtxSynchronize())\n    one.capture(a)\n")
        result = self.compared([sys.executable, script])
        self.assertEqual(result.iteration.iteration, "the launches within the range kjoule.iteration")
        self.assertEqual(sum(kernel.count for kernel in result.kernels), 2)

    def test_a_mark_without_nvtx(self):
        """A program runs unchanged, unless kjoule waits for its mark."""
        code = "import kjoule\nwith kjoule.iteration(): print('ran')"
        words = [sys.executable, "-S", "-c", code]  # -S: without the installed packages
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        self.assertEqual(self.run_words(words, environment).stdout, "ran\n")
        failed = self.run_words(words, {**environment, "NVTX_INJECTION64_PATH": "any"})
        self.assertIn("neither nvtx nor a torch for CUDA is installed for this Python; pip install nvtx", failed.stderr)

    def test_layers_in_spite_of_one_that_fails(self):
        self.with_nvtx()
        path = self.folder / "own.py"
        path.write_text(OWN_KERNELS)
        with self.assertRaisesRegex(kjoule.Error, "layer big was not measured and is missing from the sums: MemoryError: too large") as raised:
            kjoule.layers_of_each([path], energy=False, output_dir=self.results)
        three, one = raised.exception.partial
        self.assertEqual([layer.name for layer in three.layers], ["short", "long", "twice"])
        self.assertEqual((one.complete, one.layers[-1].error), (False, "MemoryError: too large (line 38 of own.py)"))

    def test_a_kernel_of_ones_own(self):
        """Its functions run in another process, 100 times in a range; the meter shows 300 W."""
        self.with_nvtx()
        (self.folder / "scale_kernel.py").write_text(SCALE)
        code = ("import kjoule\nfrom scale_kernel import Scale\nimport sys\nkernel = Scale(256, launches=int(sys.argv[1]))\n"
                "done = kjoule.test_kernel_iter('scale', lambda: kernel.setup(), lambda state: kernel.capture(state), 250, energy_time_limit=2)\n"
                "print(done.name, done.iters, done.avg_latency_ms, done.avg_power_W, done.avg_energy_J)\n")
        values = []
        for launches in [1, 3]:
            done = self.run_words([sys.executable, "-c", code, launches], {**os.environ, **ENERGY_COUNTER})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("scale: iters=250 is rounded down to 200, a multiple of 100\n", done.stderr)
            name, iters, *numbers = done.stdout.split()[-5:]
            self.assertEqual((name, iters), ("scale", "200"))
            values.append([float(number) for number in numbers])
        (one_ms, watts, joules), (three_ms, _, _) = values
        self.assertAlmostEqual(three_ms / one_ms, 3, delta=0.1)
        self.assertAlmostEqual(watts / 300, 1, delta=0.05)
        self.assertAlmostEqual(joules / (watts * one_ms * 1e-3), 1, delta=1e-6)


if __name__ == "__main__":
    unittest.main()
