"""Wrong arguments of the Python package: each is an error of kjoule with one line, before any work, and none is taken for an option of the program."""
import inspect
import json
import os
import sys
import unittest
from unittest import mock

import torch

import kjoule

from ..test_commands import ROOT, InAFolder

TRACE = ROOT / "tests/cli/data/gpt2_train_step_h200.json.gz"
SIZES = {"N": 1, "C": 4, "P": 4, "Q": 4, "M": 4, "G": 1, "R": 3, "S": 3, "HS": 1, "WS": 1}
#: A right call of each public function.
CALLS = {"compare": {"program": "x"}, "full": {"program": "x"}, "isolated": {"program": "x"}, "kernels": {"source": "x"}, "diff": {"before": "x", "after": "x"},
         "layers": {"network": "x"}, "layers_of_each": {"networks": ["x"]}, "layers_of_program": {"program": "x"}, "energy": {"power_log": "x", "timing": "x"},
         "sample": {"configuration": "x"}, "train": {"data": "x"}, "predict": {"gpu": "x", "operator": "x", "precision": "x", "direction": "x", "shape": [1]},
         "predict_step": {"configuration": "x"}, "profile_device_idle_power": {"device_index": 0, "duration": 1, "source": "x"},
         "test_conv_iter": {"name": "x", **SIZES, "datatype": "float32", "iters": 100}, "test_matmul_iter": {"name": "x", "M": 1, "K": 1, "N": 1, "datatype": "float32", "iters": 100},
         "test_kernel_iter": {"name": "x", "setup_func": lambda: torch.ones(3), "capture_func": torch.relu, "iters": 100}, "ranges": {"model": torch.nn.ReLU(), "name": "x"},
         "pipeline_benchmark": {"output_dir": "x", "pipelines": [("x", [("x", lambda: None)])], "device_index": 0}, "find_program": {}, "iteration": {},
         "Predictor.predict_operator": {"gpu_name": "x", "function": "x", "precision": "x", "propagation": "x", "shape": [1], "model_dict": {}, "config_folder": "x",
                                        "data_folder": "x", "models_folder": "x"},
         "KernelTable.read": {"data": []}}
HOSTILE = [None, True, 0, -1, 1.5, float("nan"), float("inf"), 1 << 80, "", "12", "-x", "--list", "--", "a\0b", "a\ud800b", "a\nb", "a" * 300_000, "'", b"x", [], [None], ["-x"], [b"x"],
           ["a\0b"], [[1]], [5], {}, {"a": 1}, {5: None}, {"a": {}}, {"a\0": 1}, ("a",), object(), lambda: None, torch.ones(2), torch.float32, type]
OPTIONS = ["", "-", "a b", "-x", "x-y", "\0", "é", "json", "csv", "help", "list", "runs", "output_dir", "size"]
# Prints its words, and fails.
PROGRAM = """#!/bin/sh
[ "$1" = --words ] || { for word in "$@"; do printf '%s\\0' "$word"; done; printf '\\n\\0'; } >>"$WORDS"
echo 'kjoule: refused by the stand-in; expected' >&2
exit 1
"""


def function_of(name):
    return kjoule.Predictor().predict_operator if name == "Predictor.predict_operator" else kjoule.KernelTable.read if "." in name else getattr(kjoule, name)


class Arguments(InAFolder):
    def setUp(self):
        super().setUp()
        program = self.folder / "kjoule"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        self.words = self.folder / "words"
        self.words.touch()
        for patched in [mock.patch.dict(os.environ, {"KJOULE": str(program), "WORDS": str(self.words)}), mock.patch("kjoule.layer_tests._has_gpu", lambda: False)]:
            patched.start()
            self.addCleanup(patched.stop)
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)

    def assert_one_line(self, function, arguments):
        """Calls the function; what it raises, if anything, is an error of kjoule on one line."""
        try:
            with mock.patch.object(sys, "stderr"):
                function(**arguments)
        except kjoule.Error as error:
            self.assertNotIn("\n", str(error).replace(repr("a\nb")[1:-1], ""))
            self.assertNotEqual(str(error), "")
            self.assertLess(len(str(error)), 2000)
            str(error).encode()
            return str(error)
        return ""

    def commands(self):
        """Returns the words of each command that was started, except for its help."""
        return [command.strip("\0").split("\0") for command in self.words.read_text(errors="replace").split("\n\0") if command.strip("\0") and not command.endswith("--help\0")]

    def test_each_public_function_has_a_case(self):
        functions = {name for name in kjoule.__all__ if inspect.isfunction(getattr(kjoule, name))}
        self.assertEqual(functions - set(CALLS), set())

    def test_each_argument_of_each_function(self):
        for name, right in CALLS.items():
            for argument in right:
                for value in HOSTILE:
                    with self.subTest(name, argument=argument, value=ascii(value)[:60]):
                        self.assert_one_line(function_of(name), {**right, argument: value})

    def test_options(self):
        for name in ["compare", "kernels", "layers", "predict", "test_matmul_iter"]:
            for option in OPTIONS:
                for value in [*HOSTILE, False, "x"] if option in ("runs", "size") else ["x", True, False]:
                    with self.subTest(name, option=option, value=ascii(value)[:60]):
                        self.assertNotEqual(self.assert_one_line(function_of(name), {**CALLS[name], option: value}), "")
        for words in self.commands():
            self.assertTrue({"--help", "--csv", "--list", "--no-json", "--", "--no-list"}.isdisjoint(words[:words.index("--json")]), words)

    def test_texts_are_not_taken_for_options(self):
        """A path is a file's; a name is refused; the value of an option is part of the option's word."""
        for name in ["kernels", "diff", "layers", "energy", "sample", "train", "predict_step"]:
            with self.assertRaisesRegex(kjoule.Error, "refused by the stand-in"):
                function_of(name)(**dict.fromkeys(CALLS[name], "-x"), output_dir="-y")
        for words in self.commands():
            self.assertNotIn("-x", words)
            self.assertIn("./-x", words)
            self.assertIn("--output-dir=-y", words)
        with self.assertRaisesRegex(kjoule.UsageError, r"predict\(\): operator is '-x', which the program would take for an option; give a name"):
            kjoule.predict("G", "-x", "fp16", "fwd", [1])

    def test_numbers_of_other_packages(self):
        class Whole(int):
            def __repr__(self):
                return "Whole()"

        class Half(float):
            def __repr__(self):
                return "Half()"

        with self.assertRaisesRegex(kjoule.Error, "refused by the stand-in"):
            kjoule.compare(["program", Whole(7)], runs=Whole(5), time_limit=Half(0.5))
        self.assertEqual(self.commands()[0][-7:], ["5", "--time-limit", "0.5", "--json", "--", "program", "7"])


class Messages(InAFolder):
    def assert_refused(self, text, function, *arguments, kind=kjoule.UsageError, **named):
        with self.assertRaises(kjoule.Error) as raised:
            function(*arguments, **named)
        self.assertIsInstance(raised.exception, kind)
        self.assertIn(text, str(raised.exception))
        self.assertNotIn("/tmp", str(raised.exception).replace(str(ROOT), ""), "no temporary file")

    def test_what_is_wrong_is_named_with_a_remedy(self):
        for text, function, *arguments in [
                ("kernels(): source is None; give a text, a path or a list", kjoule.kernels, None),
                ("kernels(): source is b'x'; give a text, a path or a list", kjoule.kernels, b"x"),
                (r"kernels(): source is 'a\x00b'; give a text without NUL and unpaired surrogates", kjoule.kernels, "a\0b"),
                ("compare(): program[1] is None; give a text, a whole number, a number or a path", kjoule.compare, ["a", None]),
                ("a text that a shell could not divide (No closing quotation); give its name and arguments as a list", kjoule.compare, "python 'x"),
                ("layers_of_each(): networks is 'text'; give a list", kjoule.layers_of_each, "text"),
                ("predict(): operator is None; give a text", kjoule.predict, "G", None, "fp16", "fwd", [1]),
                ("predict(): shape is '12'; give a list", kjoule.predict, "G", "o", "fp16", "fwd", "12"),
                ("predict(): shape[1] is nan; give a finite number", kjoule.predict, "G", "o", "fp16", "fwd", [1, float("nan")]),
                ("predict(): shape[0] is -1; give a number of at least 0", kjoule.predict, "G", "o", "fp16", "fwd", [-1]),
                ("ranges(): model is None; give a torch.nn.Module", kjoule.ranges, None),
                ("pipelines is 'ab'; give a list, each entry a pipeline (name, [(phase, function), ..])", kjoule.pipeline_benchmark, "out", "ab"),
                ("pipelines[0][1][0][1] is 3; give a function", kjoule.pipeline_benchmark, "out", [("a", [("b", 3)])]),
                (r"pipelines[0][0] is 'a\nb'; give a name of 1 to 200 bytes without control characters", kjoule.pipeline_benchmark, "out", [("a\nb", [])]),
                ("duration is 0; give a number above 0", kjoule.profile_device_idle_power, 0, 0),
                ("datatype is 8; give a torch.dtype or a text", kjoule.test_matmul_iter, "fc", 1, 2, 3, 8),
                ("M is -1; give a number of at least 1", kjoule.test_matmul_iter, "fc", -1, 2, 3),
                ("iters is 100.5; give a whole number", kjoule.test_kernel_iter, "k", lambda: 1, lambda state: None, 100.5)]:
            with self.subTest(text):
                self.assert_refused(text, function, *arguments)

    def test_options_of_the_program(self):
        self.assert_refused("by groups the lines that the program prints, but a KernelTable has each kernel", kjoule.kernels, TRACE, by="name")
        for options in [{"json": False}, {"json": True}, {"csv": True}, {"help": True}, {"list": True}]:
            self.assert_refused(f"{next(iter(options))} changes what the program prints", kjoule.layers, "resnet50", **options)
        for program in [None, ["true"]]:
            self.assert_refused("runs is True, but this option needs a value; kjoule compare --help describes it", kjoule.compare, program, runs=True, energy=False, verbose=True)
        self.assert_refused("output_dir is True, but this option needs a value", kjoule.compare, device="simulated:seed=5", output_dir=True)
        self.assert_refused("--no-runs: no such option", kjoule.compare, runs=False)
        self.assert_refused("compare(): a key of size is 3; give a text", kjoule.compare, size={3: 4})

    def test_paths_that_begin_like_options(self):
        self.assert_refused("./-x: no such file", kjoule.kernels, "-x", kind=kjoule.Error)
        self.assert_refused("./--list is neither a built-in network nor a file", kjoule.layers, "--list", kind=kjoule.Error)

    def test_a_command_line_that_is_too_long(self):
        self.assert_refused("kernels(): source is 'aaa", kjoule.kernels, "a" * 5000)
        self.assert_refused("cannot be started (Argument list too long); give shorter arguments", kjoule.compare, "a" * 200_000, kind=kjoule.Error)

    def test_messages_name_the_test_and_not_its_temporary_file(self):
        quick = {"device": "cpu", "threads": 1, "energy": False}
        for name in ["conv", 'a: {"b", \\ é', "- c"]:
            self.assert_refused(f"{name}: ", kjoule.test_conv_iter, name, **{**SIZES, "N": 1 << 70}, **quick, kind=kjoule.Error)
            self.assert_refused(f"{name}: --dtype int8: not known; use float32", kjoule.test_matmul_iter, name, 1, 2, 3, torch.int8, **quick)
            self.assert_refused(f"{name} needs at least ", kjoule.test_matmul_iter, name, 1 << 19, 1 << 19, 1 << 19, "float32", **quick, kind=kjoule.Error)
        self.assert_refused("k: the model calls no operator of PyTorch", kjoule.test_kernel_iter, "k", lambda: 1, lambda state: None, 100, threads=1, kind=kjoule.Error)

    def test_networks_of_several_batches(self):
        with mock.patch("kjoule.measuring.layers_of_each", lambda *_, **__: (1, 2)), self.assertRaises(kjoule.UsageError) as raised:
            kjoule.layers("x", batch=[1, 2])
        self.assertEqual((str(raised.exception), raised.exception.partial), ("2 networks were measured, but layers() returns one; call layers_of_each()", (1, 2)))

    def test_an_argument_that_is_missing_is_pythons_own_error(self):
        with self.assertRaisesRegex(TypeError, r"kernels\(\) missing 1 required positional argument: 'source'"):
            kjoule.kernels()


class Programs(InAFolder):
    """Programs that are not kjoule, under its name."""

    def raised(self, function, program):
        with mock.patch.dict(os.environ, {"KJOULE": str(program)}), self.assertRaises(kjoule.Error) as raised:
            function()
        self.assertEqual(len(str(raised.exception).splitlines()), 1)
        return str(raised.exception)

    def written(self, text):
        path = self.folder / "kjoule"
        path.write_text(text)
        path.chmod(0o755)
        return path

    def test_each_function(self):
        deep = "[" * 100_000
        for function in [lambda: kjoule.compare("x"), lambda: kjoule.full("x"), lambda: kjoule.isolated("x"), lambda: kjoule.kernels("x"), lambda: kjoule.diff("x", "x"),
                         lambda: kjoule.layers("x"), lambda: kjoule.energy("x", "x"), lambda: kjoule.predict_step("x"),
                         lambda: kjoule.predict("x", "x", "x", "x", [1]), kjoule.profile_device_idle_power]:
            self.assertEqual(self.raised(function, "/bin/true"), "/bin/true: printed no report; set KJOULE to the path of the program kjoule, of the package's version")
            self.assertRegex(self.raised(function, self.written("#!/bin/sh\nkill -9 $$\n")), "^kjoule was ended by signal 9; ")
            self.assertRegex(self.raised(function, self.written("no program")), r"/kjoule: cannot be started \(Exec format error\); set KJOULE")
            self.assertRegex(self.raised(function, self.written(f"#!/bin/sh\necho '{deep}'\n")), "/kjoule: printed no report; ")
            for value in ["5", '"text"', "[5]", "[[]]", "{}", "[{}]", '[{"kernels": 5}]', '{"kernels": 5}', '{"sum_us": 1}', "true", "NaN", "1e999"]:
                program = self.written(f"#!/bin/sh\necho '{value}'\n")
                with self.subTest(function.__code__.co_names, value=value):
                    self.assertRegex(self.raised(function, program), "in kjoule's report|printed no report|networks were measured|energy was not measured")

    def test_any_object_and_list_of_objects(self):
        """sample() and train() return what the program prints."""
        for value, samples, models in [("{}", {}, None), ('{"a":[1]}', {"a": [1]}, None), ("[]", None, []), ('[{"a":1}]', None, [{"a": 1}]), ("5", None, None), ("[5]", None, None)]:
            program = self.written(f"#!/bin/sh\necho '{value}'\n")
            for function, expected in [(lambda: kjoule.sample("x"), samples), (lambda: kjoule.train("x"), models)]:
                if expected is None:
                    self.assertRegex(self.raised(function, program), "in kjoule's report|printed no report")
                else:
                    with mock.patch.dict(os.environ, {"KJOULE": str(program)}):
                        self.assertEqual(function(), expected)

    def test_rows_of_kernels(self):
        for data, text in [({"a": 1}, "KernelTable.kernels: is missing"), ([5], "Kernel: has an unexpected value in kjoule's report (5)"), ("x", "KernelTable: has an unexpected value"),
                           (None, "KernelTable: "), ({"kernels": [{"name": "k", "short_name": "k", "count": 1, "tier": 1, "total_ms": "x"}]}, "Kernel.total_ms: "),
                           ({"kernels": [{"name": "k", "short_name": "k", "invocation_count": "x", "tier": 1}], "summary": {}}, "Kernel.invocation_count: "),
                           ([{"name": "k"}], "Kernel.short_name: is missing")]:
            with self.subTest(json.dumps(data)), self.assertRaises(kjoule.Error) as raised:
                kjoule.KernelTable.read(data)
            self.assertIn(text, str(raised.exception))


class Pipelines(InAFolder):
    def setUp(self):
        super().setUp()
        patched = mock.patch("kjoule.pipeline_tests.profile_device_idle_power", side_effect=kjoule.Error("no meter"))
        patched.start()
        self.addCleanup(patched.stop)

    def test_functions_that_fail_are_errors_of_their_phase(self):
        class Odd(Exception):
            def __str__(self):
                raise ValueError

        def odd():
            raise Odd

        with mock.patch.object(sys, "stderr"):
            done, = kjoule.pipeline_benchmark(self.folder / "out", [["a", [("b", lambda: 1 / 0), ("c", lambda: 3), ("d", odd)]]])
        line = odd.__code__.co_firstlineno + 1
        self.assertEqual([phase for phase, _ in done.errors], ["b", "c", "d"])
        self.assertEqual(done.errors[0][1].partition(" (line")[0], "ZeroDivisionError: division by zero")
        self.assertEqual(done.errors[2][1], f"Odd:  (line {line} of test_python_arguments.py)")
        self.assertEqual(len((self.folder / "out/a.log").read_text().splitlines()), 4)

    def test_folders(self):
        for folder in ["/", "/dev/null", "/dev/null/x", "/proc/x", "x" * 300]:
            with self.subTest(folder), mock.patch.object(sys, "stderr"), self.assertRaisesRegex(kjoule.Error, "choose another output_dir"):
                kjoule.pipeline_benchmark(folder, [("a", [])])


if __name__ == "__main__":
    unittest.main()
