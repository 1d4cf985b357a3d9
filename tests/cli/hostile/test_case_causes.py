"""Errors whose cause was unclear: options without effect, empty values, files that are no models, inputs among the results, and names of 65,000 characters."""
from __future__ import annotations

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest
import zipfile
from typing import Any

import torch

from ..messages import errors_in
from ..test_commands import KJOULE
from .cases import KERNELS, SIMULATED, Case, HostileCases, material

DEVICE = "--device simulated:seed=5,launches=12"
LONG = "x" * 65_000
POWERS = "timestamp,gpu,power_w\n2026-01-01 00:00:00.000,0,100.5\n2026-01-01 00:00:01.000,0,101.5\n"
INPUT = {"name": "x", "dtype": "float32", "shape": [2, 3, 4], "dims": ["batch", "seq_len", None]}

EMPTY = [Case(command, f"{option}: its value is empty", code=2) for option, command in [
    ("--unit", "energy --power-log {power} --timing {timing} --unit ''"), ("--power-column", "energy --power-log {power} --timing {timing} --power-column ''"),
    ("--time-column", "energy --power-log {power} --timing {timing} --time-column ''"), ("--log-start", "energy --power-log {power} --timing {timing} --log-start ''"),
    ("--idle", "energy --power-log {power} --timing {timing} --idle ''"), ("--gpu", "energy --power-log {power} --timing {timing} --gpu ''"),
    ("--series", "energy --power-log {power} --timing {timing} --series a ''"), ("--range", "compare --range '' -- true"), ("--attach", "compare --attach ''"), ("--device", "compare --device ''"),
    ("--power-source", f"compare {DEVICE} --power-source ''"), ("--source", "power log -o x --source ''"), ("--annotation", "import {trace} -o x --annotation ''"), ("gpu", "predict operator '' gelu fp16 fwd 1 2 3 4"),
    ("--by", "kernels {trace} --by ''"), ("--schedule", "predict step {training} --schedule ''")]]

SPECS = [Case(f"compare --device simulated:{spec}", names) for spec, names in [
    ("launches=0", "launches=0 is not valid; launches must be a number from 4"), ("seed=1,seed=1", "seed is given twice"), ("seed=1,launches=9,seed=2", "seed is given twice"), ("launches=3", "launches=3 is not valid")]]

RESULTS: dict[str, str | bytes | None] = {"results/results.jsonl": "", "results/prog": "", "results/deep/train.py": ""}
AMONG_RESULTS = [Case(command, r"this file of the program is in the folder --output-dir \S+, which is renamed", RESULTS, 2) for command in [
    "compare -- results/prog", "compare -- ./results/../results/prog", "compare -- sh results/deep/train.py", "compare -- sh --config=results/prog", "full -- results/prog", "isolated -- results/prog",
    "layers -- results/prog", "compare -o ./results/deep -- sh results/deep/train.py", "compare -- ls results"]]

SETTINGS = [Case(f"power log -o x.csv --duration 0.1 --source {source}", names, {"p.csv": POWERS}) for source, names in [
    ("csv:p.csv,offset=1e300", "1e300: not a number of seconds up to 1e8"), ("csv:p.csv,offset=-1e9", "-1e9: not a number of seconds up to 1e8"), ("csv:p.csv,column=", "a setting without a value"),
    ("csv:p.csv,time-column=", "a setting without a value"), ("csv:p.csv,averaging=0", "0: not a number of seconds above 0"), ("nvidia-smi:interval=", "a setting without a value"),
    ("csv:p.csv,accuracy=2", "2: not an accuracy"), ("nvml:gpu=", "a setting without a value"), ("csv:p.csv,column=heat", "no column heat")]]

RULES = [Case("kernels k.csv --rules r.jsonl", f"r.jsonl(:1)?: .*{names}", {"k.csv": KERNELS, "r.jsonl": rules}) for rules, names in [
    ("", "contains no rule"), ("\n\n", "contains no rule"), ("x\n", "not a complete JSON object"), ("[]\n", "not a JSON object"), ("{}\n", "does not name the kernels"), ('{"tier": 2}\n', "does not name the kernels"),
    ('{"pattern": "a", "tier": 2}\n', '"pattern" is not a key'), ('{"name": "a", "name": "b", "tier": 2}\n', '"name" is given twice'), ('{"name": 5, "tier": 2}\n', ".*name"), ('{"name": [], "tier": 2}\n', ""),
    ('{"name": "a", "tier": 9}\n', ".*tier"), ('{"name": "a", "tier": "two"}\n', ".*tier"), ('{"name": "a", "tier": null}\n', ""), ('{"name": [["a"]], "tier": 2}\n', ".*name"), ("[" * 100_000 + "\n", "not a complete|arrays"),
    ("\x00" * 30 + "\n", "not a complete"), ('{"name": "a", "tier": 2,}\n', "not a complete")]]

CALIBRATIONS = [Case("power calibrate --source nvml --against rapl --device cpu --model m.pt", "home/.config/kjoule/calibrations.json(:1)?: ", {"m.pt": "x", "home/.config/kjoule/calibrations.json": text}) for text in [
    "x", "[]", "{}", "null", "5", "\x00" * 9, "[" * 100_000, '{"calibrations": 5}', '{"calibrations": {}}', '{"calibrations": [5]}', '{"calibrations": [{}]}']]

TIMELINES = [Case(f"compare {SIMULATED} -o out --timeline {name}", names, code=code) for name, names, code in [
    ("t.txt", "ends neither with .json nor with .svg", 2), ("t", "ends neither", 2), (".json", "ends neither", 2), ("t.SVG", "ends neither", 2), ("t.svg.gz", "ends neither", 2), ("t.json --timeline t.json", "choose another file", 2),
    ("t.json --timeline ./t.json", "choose another file", 2), ("out/t.json", "in the folder of the results", 2), ("none/t.json", "no such folder", 1), ("t.json/", "is a folder", 1), (".", "is a folder", 1)]]

MISSING = [
    Case("layers none.py", "none.py: no such file"), Case("layers folder.py", "folder.py: is ", {"folder.py": None}), Case("sample status none", "none: no such folder"),
    Case("isolated --kernels isolated_kernels_timing.json -o out", "none of its [0-9]+ kernels can be replayed", {"isolated_kernels_timing.json": json.dumps(
        {"isolated_sum_us": 2, "kernels": [{"name": "k", "tier": 2, "invocation_count": 2, "benchmark_runs": 9, "single_time_us": 1, "total_time_us": 2, "signature": "k [2]"}], "groups": []})}),
    Case("isolated --kernels g.json -o out", "contains groups of kernels", {"g.json": '{"summary": {}, "groups": []}'})]

LONG_NAMES = [("kernels", LONG), ("layers", LONG), ("sample", LONG), ("compare", "--device", LONG), ("compare", f"--{LONG}"), (LONG,), ("predict", "operator", LONG, "gelu", "fp16", "fwd", "1", "2", "3", "4"), ("compare", "--", LONG),
              ("compare", "--attach", LONG), ("energy", "--power-log", "x", "--timing", LONG), ("sample", "merge", LONG, "-o", "x"), ("power", "log", "-o", "x", "--source", LONG), ("import", "x", "-o", LONG)]


class Causes(HostileCases):
    def test_empty_values(self) -> None:
        self.check(EMPTY)

    def test_simulated_devices(self) -> None:
        self.check(SPECS)

    def test_programs_among_the_results(self) -> None:
        self.check(AMONG_RESULTS)

    def test_settings_of_meters(self) -> None:
        self.check(SETTINGS)

    def test_rules(self) -> None:
        self.check(RULES)

    def test_calibrations(self) -> None:
        self.check(CALIBRATIONS)

    def test_timelines(self) -> None:
        self.check(TIMELINES)

    def test_what_is_missing(self) -> None:
        self.check(MISSING)

    def test_a_program_that_launches_something_else_leaves_no_results(self) -> None:
        self.check([Case("compare --recording {recording} --device simulated:seed=6,launches=12 --no-energy -o out", "its launches differ from those in the recording")])

    def test_a_python_file_that_is_a_pipe_is_not_waited_for(self) -> None:
        os.mkfifo(self.folder / "pipe.py")
        done = subprocess.run([KJOULE, "layers", self.folder / "pipe.py"], capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
        self.assertIn("pipe.py: is not a regular file", done.stderr)

    def test_long_names_are_shortened(self) -> None:
        for words in LONG_NAMES:
            with self.subTest([word[:20] for word in words]):
                done = subprocess.run([KJOULE, *words], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
                line, = errors_in(done.stderr)
                self.assertNotEqual(done.returncode, 0)
                self.assertLess(len(line), 4500)
                self.assertIn("; ", line, "the remedy remains")


class Identity(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x @ x.transpose(-1, -2))


class Models(unittest.TestCase):
    """TorchScript files with a wrong description, or that are damaged."""

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.module = torch.jit.script(Identity())

    def model(self, description: Any) -> pathlib.Path:
        path = self.folder / "m.pt"
        self.module.save(str(path), _extra_files={"kjoule.json": json.dumps(description)})
        return path

    def changed(self, **fields: Any) -> pathlib.Path:
        return self.model({"inputs": [{**INPUT, **fields}]})

    def compare(self, path: pathlib.Path, *options: str, memory: int | None = None) -> subprocess.CompletedProcess[str]:
        limit = None if memory is None else lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        command = [KJOULE, "compare", "--model", path, "--device", "cpu", "--threads", "1", "--runs", "1", "--time-limit", "0.05", "--no-energy", "-o", self.folder / "out", *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL, preexec_fn=limit)  # noqa: PLW1509

    def refused(self, text: str, path: pathlib.Path, *options: str, code: int = 1) -> None:
        done = self.compare(path, *options)
        told = errors_in(done.stderr)
        self.assertEqual((done.returncode, len(told)), (code, 1), done.stderr)
        self.assertIn(text, told[0])
        self.assertIn("; ", told[0])
        for word in ["json.exception", "PytorchStreamReader", "enforce fail", "unpickling", "c10::", "()"]:
            self.assertNotIn(word, told[0])
        self.assertFalse((self.folder / "out").exists())

    def test_descriptions(self) -> None:
        for text, description in [("not an object", [1]), ("training: neither", {"training": "yes"}), ("inputs: not a list", {"inputs": "x"}), ("inputs/0: not an object", {"inputs": [5]}), ("baked: not a list", {"baked": 5})]:
            with self.subTest(text):
                self.refused(f"(kjoule.json) is damaged: {text}", self.model(description))

    def test_descriptions_of_inputs(self) -> None:
        for text, fields in [("shape: not a list of whole numbers", {"shape": "2x3"}), ("dtype: not a text", {"dtype": 5}), ("dtype: the type of the input is not known", {"dtype": "complex"}),
                             ("shape: the sizes of the input are negative", {"shape": [-2, 3, 4]}), ("dims: not one name for each size", {"shape": [2]}), ("high: not above low", {"dtype": "int64", "low": 9, "high": 3})]:
            with self.subTest(text):
                self.refused(f"(kjoule.json) is damaged: inputs/0.{text}", self.changed(**fields))

    def test_files_that_are_damaged(self) -> None:
        good = self.changed().read_bytes()
        broken = self.folder / "broken.pt"
        for text, content in [("the file is empty", b""), ("this is not a TorchScript file; ", b"hello\n" * 99), ("this is not a TorchScript file, or it is damaged", good[:len(good) // 2]),
                              ("this is not a TorchScript file, or it is damaged", good[:-9]), ("this is not a TorchScript file, or it is damaged", good[:300] + bytes(byte ^ 0x55 for byte in good[300:600]) + good[600:])]:
            with self.subTest(text, size=len(content)):
                broken.write_bytes(content)
                self.refused(text, broken)
        with zipfile.ZipFile(broken, "w") as archive:
            archive.writestr("a/b", "c")
        self.refused("this is not a TorchScript file, or it is damaged", broken)

    def test_sizes_that_do_not_fit_into_memory(self) -> None:
        for options in [("--batch", "2147483647"), ("--seq-len", "2147483647"), ("--batch", "2147483647", "--seq-len", "2147483647")]:
            with self.subTest(options):
                done = self.compare(self.changed(), *options)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr.splitlines()[-1], "^kjoule: .*(not enough memory for the inputs of this model|product is above 2.60); ")

    def test_options_without_effect_on_ranks(self) -> None:
        path = self.changed()
        for option in ["--gpu", "--rank", "--skip-iterations"]:
            with self.subTest(option):
                self.refused(f"{option} has no effect on a model that runs on the CPU", path, "--other-ranks", str(path), option, "0", code=2)


if __name__ == "__main__":
    unittest.main()
