"""kjoule sample --python: operators that a Python file defines, on the CPU."""
import csv
import json
import os
import re
import struct
import sys
import types
import unittest
from unittest import mock

import torch

import kjoule_operators.__main__
from kjoule_operators import messages, operators, repeating

from .messages import errors_in
from .test_commands import ON_CPU, ROOT, InAFolder, growing_log, run

GUIDE = (ROOT / "docs/guide/sampling.md").read_text(encoding="utf-8")
CPU = ["--precision", "fp32", "--threads", 1, *ON_CPU]
SWEEP = """
module_name: own
kernel_name: {name}
function_name: {name}
columns_name: [rows, wide, {columns}]
{targets}
first_n_column: 2
starts: [8, 64]
steps: [2, 64]
ends: [16, 128]
operators: [mul, add]
warmup_shapes: [8, 64]
wait: 1
warmup: 1
active: 6
shapes: [8, 64]
run: get_all
"""
BOTH = "F_dur(us), B_dur(us)"
OWN = """
import time, torch

def product(shapes, precision, device_num):
    rows, wide = shapes
    if rows == 16 and wide == 128:
        raise ValueError("too wide")
    x = torch.randn(rows, wide, requires_grad=True)
    y = x @ torch.randn(wide, wide)
    time.sleep(0.05)
    torch.sort(torch.randn(20000))
    y.sum().backward()

def wrong(shapes, precision, device_num):
    undefined_name

def several(shapes, precision, device_num):
    x = torch.randn(*shapes, requires_grad=True)
    torch.softmax(x, -1).relu().sum().backward()

class Doubled(torch.nn.Module):
    def __init__(self, rows, wide):
        super().__init__()
        if wide == 128:
            raise ValueError("wide is 128")
        self.linear = torch.nn.Linear(wide, 2 * wide)

    def example_inputs(self, rows, wide):
        return torch.randn(rows, wide), torch.arange(rows)

    def forward(self, x, positions):
        assert positions.dtype == torch.long
        return self.linear(x)

class NoInputs(torch.nn.Module):
    pass
"""

WATCHES_GRADIENTS = """
import torch

class Watched(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return 2 * x

    @staticmethod
    def backward(context, gradient):
        if gradient.min() == gradient.max():
            raise ValueError("all gradients are equal")
        return 2 * gradient

class WatchesGradients(torch.nn.Module):
    def __init__(self, rows, wide):
        super().__init__()

    def example_inputs(self, rows, wide):
        return torch.randn(rows, wide)

    def forward(self, x):
        return Watched.apply(x)
"""


class OnTheCpu(InAFolder):
    def sample(self, name, targets=None, columns=BOTH, more=(), text=OWN):
        """Samples an operator of own.py with two columns; returns the finished process."""
        (self.folder / "own.py").write_text(text)
        (self.folder / "sweep.yml").write_text(SWEEP.format(name=name, columns=columns, targets=f"targets: {json.dumps(targets)}" if targets else ""))
        return run("sample", self.folder / "sweep.yml", "--python", self.folder / "own.py", *CPU, "-o", self.folder, *more)

    def rows(self):
        return list(csv.DictReader(next(self.folder.glob("sampling_data/*.csv")).read_text().splitlines()))

    def samples(self):
        lines = [json.loads(line) for line in next(self.folder.glob("sampling_data/*.jsonl")).read_text().splitlines()]
        return [line for line in lines if "status" in line]


class Functions(OnTheCpu):
    def test_only_targets_are_timed(self):
        """The function also sleeps for 50 ms in each pass, between what is named."""
        done = self.sample("product", [["aten::matmul"], ["evaluate_function: MmBackward0"]])
        self.assertEqual(done.returncode, 0, done.stderr)
        samples = self.samples()
        self.assertEqual([one["status"] for one in samples], ["measured", "measured", "measured", "invalid"])
        self.assertEqual(samples[3]["why"], "ValueError: too wide (line 7 of own.py)")
        for one in samples[:3]:
            for direction in ("forward", "backward"):
                passes = one["directions"][direction]["passes_us"]
                self.assertEqual(len(passes), 6)
                self.assertGreater(min(passes), 0)
                self.assertLess(min(passes), 5e4)
        self.assertEqual([(row["rows"], row["wide"]) for row in self.rows()], [("8", "64"), ("8", "128"), ("16", "64")])

    def test_events_within_another_target_count_once(self):
        """Two passes, of 30 and 40 us; the event within another one, of 20 us, is part of it."""
        span = lambda begin, end: types.SimpleNamespace(start=begin, end=end)
        event = lambda name, begin, us, parent=None: types.SimpleNamespace(name=name, time_range=span(begin, begin + us), cpu_time_total=us, cpu_parent=parent)
        passes = [event(operators.PASS, 0, 100), event(operators.PASS, 200, 100)]
        first, second = event("aten::softmax", 10, 30, passes[0]), event("aten::softmax", 210, 40, passes[1])
        events = [*passes, first, second, event("aten::_softmax", 15, 20, first), event("aten::relu", 50, 7, passes[0])]
        operator = operators.FunctionOperator(None, {"forward": ["aten::softmax", "aten::_softmax"], "backward": ["relu"]})
        spans = [(0, 100), (200, 300)]
        self.assertEqual(operator.times_of("forward", events, spans, torch.device("cpu")), [30, 40])
        with self.assertRaisesRegex(operators.OperatorError, "no event of the profiler contains relu"):
            operator.times_of("backward", events, spans, torch.device("cpu"))

    def test_formulas_give_the_arguments(self):
        """The function writes what it gets."""
        text = "import torch\ndef several(shapes, precision, device_num):\n    open({!r}, 'a').write(f'{{shapes}}\\n')\n    torch.ones(4, requires_grad=True).exp().sum().backward()\n"
        got = self.folder / "got"
        (self.folder / "own.py").write_text(text.format(str(got)))
        sweep = SWEEP.format(name="several", columns=BOTH, targets='targets: [["aten::exp"], ["ExpBackward"]]\narguments: [rows*wide, 4*wide/rows, 7]')
        (self.folder / "sweep.yml").write_text(sweep.replace("starts: [8, 64]", "starts: [9, 63]").replace("ends: [16, 128]", "ends: [18, 63]")
                                               .replace("[8, 64]", "[9, 63]"))
        done = run("sample", self.folder / "sweep.yml", "--python", self.folder / "own.py", *CPU, "-o", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(got.read_text().splitlines()), {"[567, 28, 7]", "[1134, 14, 7]"})
        self.assertEqual([(row["rows"], row["wide"]) for row in self.rows()], [("9", "63"), ("18", "63")])
        (self.folder / "sweep.yml").write_text((self.folder / "sweep.yml").read_text().replace("4*wide/rows", "wide/rows"))
        other = self.folder / "other"
        run("sample", self.folder / "sweep.yml", "--python", self.folder / "own.py", *CPU, "-o", other)
        statuses = [json.loads(line) for line in next(other.glob("sampling_data/*.jsonl")).read_text().splitlines()]
        self.assertEqual([line["status"] for line in statuses if "status" in line], ["invalid", "measured"])

    def test_the_number_of_the_gpu_reaches_the_function(self):
        """As with --device_num 3: torch's calls of a GPU are replaced, because there is none."""
        path = self.folder / "own.py"
        path.write_text("got = []\ndef several(shapes, precision, device_num):\n    got.append((shapes, precision, device_num))\n")
        server = kjoule_operators.__main__.Server(str(path), "several", [["a"]])
        with mock.patch.object(torch.cuda, "is_available", return_value=True), mock.patch.object(torch.cuda, "set_device") as chosen, \
                mock.patch.object(os, "_exit"), mock.patch.object(sys, "path", list(sys.path)):
            server.hello({"version": messages.PROTOCOL_VERSION, "work": {"device": "cuda:3"}})
        chosen.assert_called_once_with(torch.device("cuda:3"))
        server.operator.prepared([8, 64], "fp16", server.device, True)()
        self.assertEqual(server.operator.function.__globals__["got"], [([8, 64], "fp16", 3)])

    def test_a_forward_pass_alone(self):
        done = self.sample("several", [["aten::softmax"]], columns="F_dur(us)")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(self.samples()[0]["directions"]), {"forward"})
        self.assertEqual(len(self.rows()), 4)

    def test_a_trace_names_all_events(self):
        done = self.sample("several", [["aten::softmax"], ["SoftmaxBackward"]], more=["--run", "get_profiler"])
        self.assertEqual(done.returncode, 0, done.stderr)
        trace = json.loads(next(self.folder.glob("temp_profilings/*.json")).read_text())
        self.assertIn("aten::softmax", {event.get("name") for event in trace["traceEvents"]})

    def test_the_table_is_predicted_from(self):
        self.assertEqual(self.sample("several", [["aten::softmax"], ["SoftmaxBackward"]]).returncode, 0)
        part, = self.folder.glob("sampling_data/*.csv")
        merged = self.folder / "merged"
        merged.mkdir()
        self.succeed("sample", "merge", part, "-o", merged / "G_several_fp32.csv")
        table = (merged / "G_several_fp32.csv").read_text().splitlines()
        self.assertEqual(table[0], "rows,wide,F_dur(us),B_dur(us)")
        self.assertEqual(len(table), 5)

    def test_a_changed_file_is_other_settings(self):
        targets = [["aten::softmax"], ["SoftmaxBackward"]]
        self.assertEqual(self.sample("several", targets).returncode, 0)
        again = self.sample("several", targets)
        self.assertEqual(again.returncode, 0)
        self.assertIn("of which 4 were measured before", again.stdout)
        changed = self.sample("several", targets, text=OWN + "\n# another version\n")
        self.assertEqual(changed.returncode, 1)
        self.assertIn("other settings", changed.stderr)


class Modules(OnTheCpu):
    def test_a_module_is_timed_without_targets(self):
        done = self.sample("Doubled")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([one["status"] for one in self.samples()], ["measured", "invalid", "measured", "invalid"])
        self.assertEqual(self.samples()[1]["why"], "ValueError: wide is 128 (line 25 of own.py)")
        for row in self.rows():
            self.assertGreater(float(row["F_dur(us)"]), 0)
            self.assertGreater(float(row["B_dur(us)"]), 0)

    def test_only_the_requested_directions_run(self):
        """The module's backward pass would fail; that of the other module does not exist."""
        failing = WATCHES_GRADIENTS.replace("if gradient.min() == gradient.max()", "if True")
        without = WATCHES_GRADIENTS.replace("Watched.apply(x)", "(x > 0).int(), None")
        for name, text, why in [("failing", failing, "all gradients are equal"), ("without", without, "no output of the module has a gradient")]:
            with self.subTest(name):
                self.folder = self.results / name
                self.folder.mkdir(parents=True)
                self.assertEqual(self.sample("WatchesGradients", text=text, columns="F_dur(us)").returncode, 0)
                self.assertEqual([list(one["directions"]) for one in self.samples()], [["forward"]] * 4)
                self.assertGreater(min(float(row["F_dur(us)"]) for row in self.rows()), 0)
                self.folder = self.folder / "both"
                self.folder.mkdir()
                self.assertIn(why, self.sample("WatchesGradients", text=text).stderr)

    def test_gradients_are_random(self):
        """Numbers that are all equal would make a GPU consume less power than in training."""
        self.assertEqual(self.sample("WatchesGradients", text=WATCHES_GRADIENTS).returncode, 0)
        self.assertEqual([one["status"] for one in self.samples()], ["measured"] * 4)

    def test_energy_of_a_module(self):
        """A meter shows 123 W while each direction is repeated. Energies are added to what was timed before."""
        self.assertEqual(self.sample("Doubled").returncode, 0)
        timed = [one["directions"]["forward"]["passes_us"] for one in self.samples() if one["status"] == "measured"]
        with growing_log(self.folder / "power.csv", watts=123, every_s=0.01) as log:
            done = self.sample("Doubled", more=["--energy", "--power-log", log, "--reading", 0.1])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("warning", done.stderr.replace("warning: other programs", ""))
        measured = [one for one in self.samples() if one["status"] == "measured"][-2:]
        self.assertEqual([one["directions"]["forward"]["passes_us"] for one in measured], timed, "times stay as they are")
        for one in measured:
            directions = one["directions"]
            kernels = {name: {kernel["name"]: kernel["count"] for kernel in direction["kernels"]} for name, direction in directions.items()}
            self.assertEqual(kernels["forward"], {"aten::linear": 1})
            self.assertEqual(kernels["backward"]["aten::mm"], 2)
            for direction in directions.values():
                self.assertAlmostEqual(direction["watts"], 123, delta=1)
                self.assertGreater(direction["graph_us"], 0)
                self.assertAlmostEqual(direction["energy_j"] / (direction["watts"] * direction["graph_us"] * 1e-6), 1, 6)
        part, = self.folder.glob("sampling_data/*.csv")
        self.succeed("sample", "merge", part, "-o", self.folder / "G_Doubled_fp32.csv")
        self.assertEqual((self.folder / "G_Doubled_fp32.csv").read_text().splitlines()[0], "rows,wide,F_dur(us),B_dur(us),F_energy(J),B_energy(J)")

    def test_only_one_sample_is_in_memory_and_each_track_repeats_its_direction(self):
        made, ran = [], []

        class Counted(torch.nn.Module):
            def __init__(self, rows):
                super().__init__()
                made.append(rows)
                self.weight = torch.nn.Parameter(torch.ones(rows))

            def example_inputs(self, rows):
                return torch.ones(rows)

            def forward(self, x):
                ran.append(len(x))
                return x * self.weight

        request = lambda rows: {"operator": "Counted", "shape": [rows], "precision": "fp32", "wants_backward": True}
        device = repeating.RepeatedOperators(operators.ModuleOperator(Counted), [request(3), request(5)], torch.device("cpu"))
        launches = device.record(None)["launches"]
        self.assertEqual({launch["detail"]["ranges"][0] for launch in launches}, {"kjoule call 0", "kjoule call 1", "kjoule call 3", "kjoule call 4"})
        only = [number for number, place in enumerate(device.places) if place == (0, "forward")]
        track = device.open({"spec": {"only": only, "plain": 4}})
        made.clear(), ran.clear()
        device.enqueue({**track, "repeats": 2})
        other = device.open({"spec": {"only": [device.places.index((1, "backward"))], "plain": 1}})
        self.assertEqual((made, ran), ([5], [3] * 8 + [5]))
        times = device.wait(track)
        self.assertEqual(len(times["seconds"]), 2)
        self.assertLessEqual(sum(times["seconds"]) * 1e9, times["end_ns"] - times["begin_ns"] + 1e4)
        device.enqueue({**other, "repeats": 3})
        self.assertEqual(len(device.wait(other)["seconds"]), 3)
        self.assertEqual(ran, [3] * 8 + [5], "the backward pass alone")


class Mistakes(OnTheCpu):
    def assert_refused(self, text, done):
        self.assertEqual(done.returncode, 1 if "--energy" not in text else 2, done.stdout + done.stderr)
        line, = errors_in(done.stderr)
        self.assertIn(text, line)
        self.assertNotIn("Traceback", done.stderr)

    def test_without_the_option_the_remedy_is_named(self):
        self.sample("several", [["a"], ["b"]])
        done = run("sample", self.folder / "sweep.yml", *CPU, "-o", self.folder / "none")
        self.assert_refused("function_name: several is not a known operator; did you mean ", done)
        self.assertIn("; if own.py defines it, give --python own.py\n", done.stderr)
        self.assertFalse((self.folder / "none").exists())

    def test_each_mistake_is_one_line(self):
        both = [["aten::softmax"], ["SoftmaxBackward"]]
        for name, targets, columns, text in [
                ("absent", both, BOTH, "own.py: defines no absent; correct function_name; the file defines product, wrong, several, Doubled, NoInputs"),
                ("several", None, BOTH, "the events of the function several are not known; name them in targets: [[FORWARD, ..], [BACKWARD, ..]]"),
                ("NoInputs", None, BOTH, "the module NoInputs has no method example_inputs; define example_inputs(self, SIZES..)"),
                ("several", both, "dur(us)", "an operator of a Python file cannot have the column dur(us)"),
                ("wrong", both, BOTH, "NameError: name 'undefined_name' is not defined (line 15 of own.py)"),
                ("several", [["none_such"], ["SoftmaxBackward"]], BOTH, "no event of the profiler contains none_such (targets, forward); the longest events are "),
                ("several", [["aten::softmax"]], BOTH, "targets has no list for the backward pass")]:
            with self.subTest(name=name, targets=targets):
                self.assert_refused(text, self.sample(name, targets, columns))

    def test_a_file_that_cannot_be_used(self):
        self.assert_refused("own.py: ZeroDivisionError: division by zero (line 2 of own.py); correct the file", self.sample("several", [["a"], ["b"]], text="\n1 / 0\n"))
        other = self.folder / "other.py"
        other.write_text(OWN)
        self.assert_refused("module_name: is own, but --python names", run("sample", self.folder / "sweep.yml", "--python", other, *CPU, "-o", self.folder))

    def test_the_energy_of_a_function_is_refused(self):
        text = "--energy needs a torch.nn.Module, because forward and backward pass of a function cannot be repeated separately; write the operator as a module"
        self.assert_refused(text, self.sample("several", [["aten::softmax"], ["SoftmaxBackward"]], more=["--energy"]))
        self.assertFalse((self.folder / "sampling_data").exists())

    def test_a_file_that_ends_its_own_process(self):
        both = [["aten::softmax"], ["SoftmaxBackward"]]
        for call in ["sys.exit(3)", "os._exit(3)", "exit(3)"]:
            with self.subTest(call):
                done = self.sample("several", both, text=f"import os, sys\n{call}\n")
                self.assert_refused("own.py: ends its own process, with exit code 3 (line 2 of own.py); remove the call of exit", done)
                done = self.sample("several", both, text=f"import os, sys\ndef several(shapes, precision, device_num):\n    {call}\n")
                self.assert_refused("the function ends its own process, with exit code 3 (line 3 of own.py); remove the call of exit", done)

    def test_an_error_whose_text_fails(self):
        text = "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\ndef several(shapes, precision, device_num):\n    raise Odd\n"
        self.assert_refused("Odd:  (line 5 of own.py)", self.sample("several", [["a"], ["b"]], text=text))

    def test_a_process_that_the_function_starts_may_end(self):
        text = OWN + "\nimport os\ndef forking(shapes, precision, device_num):\n    child = os.fork()\n    if child == 0:\n        os._exit(0)\n" \
               "    os.waitpid(child, 0)\n    several(shapes, precision, device_num)\n"
        done = self.sample("forking", [["aten::softmax"], ["SoftmaxBackward"]], text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.rows()), 4)


class Guide(OnTheCpu):
    def blocks(self, language):
        return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.partition("### A function or module in Python")[2], re.MULTILINE | re.DOTALL)

    def test_the_function(self):
        """The guide's operator, on the CPU and with one small shape: its times are those of GELU and the product, in both directions."""
        python, yaml = self.blocks("python")[0], self.blocks("yaml")[0]
        for old, new in [("f'cuda:{device_num}'", "'cpu'"), ("    torch.cuda.synchronize()\n", "")]:
            self.assertIn(old, python)
            python = python.replace(old, new)
        (self.folder / "target_functions.py").write_text(python)
        for old, new in [('"ends": [16, 8, 5120, 8192]', '"ends": [1, 4, 128, 64]'), ('"starts": [1, 4, 1024, 2048]', '"starts": [1, 4, 64, 64]'),
                         ('"steps": [2, 2, 512, 512]', '"steps": [2, 2, 64, 64]'), ('"warmup_shapes": [1, 4, 1024, 2048]', '"warmup_shapes": [1, 4, 64, 64]')]:
            self.assertIn(old, yaml)
            yaml = yaml.replace(old, new)
        (self.folder / "my_custom_op.yml").write_text(yaml)
        done = run("sample", self.folder / "my_custom_op.yml", "--python", self.folder / "target_functions.py", *CPU, "-o", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows()
        self.assertEqual([(row["mp"], row["b"], row["l"], row["dim"]) for row in rows], [("1", "4", "64", "64"), ("1", "4", "128", "64")])
        self.assertTrue(all(float(row[column]) > 0 for row in rows for column in ("F_dur(us)", "B_dur(us)")))

    def test_the_module(self):
        (self.folder / "own.py").write_text(self.blocks("python")[1])
        sweep = SWEEP.format(name="Feedforward", columns=BOTH, targets="").replace("[rows, wide, ", "[b, l, dim, ").replace("first_n_column: 2", "first_n_column: 3")
        for key, values in {"starts": [1, 8, 16], "steps": [2, 8, 16], "ends": [2, 8, 32], "warmup_shapes": [1, 8, 16], "shapes": [1, 8, 16]}.items():
            sweep = re.sub(rf"{key}: .*", f"{key}: {values}", sweep)
        (self.folder / "sweep.yml").write_text(sweep.replace("[mul, add]", "[mul, add, add]"))
        done = run("sample", self.folder / "sweep.yml", "--python", self.folder / "own.py", *CPU, "-o", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.rows()), 4)


class Messages(unittest.TestCase):
    def test_values_come_back(self):
        value = {"a": [0, 1, 23, 24, 255, 256, 65536, 1 << 40, -1, -25, -300], "b": [1.5, -0.0, 1e300], "c": {"d": None, "e": True, "f": False}, "g": "\u00e9" * 300, "h": []}
        self.assertEqual(messages.decode(messages.encode(value)), value)

    def test_known_bytes(self):
        """Examples of RFC 8949, and the half and single precision that other writers use."""
        for value, data in [(1000, "1903e8"), (-100, "3863"), (["a", {"b": "c"}], "826161a161626163"), (1.1, "fb3ff199999999999a"), (None, "f6")]:
            self.assertEqual((messages.encode(value).hex(), messages.decode(bytes.fromhex(data))), (data, value))
        self.assertEqual(messages.decode(b"\xfa" + struct.pack(">f", 0.25)), 0.25)
        self.assertEqual(messages.decode(bytes.fromhex("f93e00")), 1.5)

    def test_both_sides_have_the_same_version(self):
        version = re.search(r"kProtocolVersion = (\d+)", (ROOT / "src/device/protocol.hpp").read_text())[1]
        self.assertEqual(messages.PROTOCOL_VERSION, int(version))


if __name__ == "__main__":
    unittest.main()
