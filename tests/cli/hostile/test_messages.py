"""Errors are one line in kjoule's words: none has the text of a library's exception, whatever the input."""
import json
import os
import re
import shlex
import subprocess
import unittest

from ..messages import errors_in
from ..test_commands import KJOULE, ROOT, InAFolder

SIMULATED = ["--device", "simulated:seed=5,launches=12", "--runs", "5", "--time-limit", "0.2", "--no-energy"]
# What exceptions of the standard library, nlohmann-json, yaml-cpp, CLI11, simdjson, XGBoost and Python say by themselves.
OF_LIBRARIES = re.compile(r"exception|filesystem error|std::|bad_alloc|basic_string|vector::|_M_range|stoi|stod|\bmap::at|yaml-cpp|bad conversion|illegal EOF|"
                          r"(?<!\.)json\.|syntax error|parse error|not expected:|Could not convert|Traceback|Errno|terminate called|what\(\)|dmlc|required but received")


class Messages(InAFolder):
    def told(self, *arguments, code=1, limits="", **variables):
        """Runs the command, which fails with this exit code and one line; returns the line."""
        done = subprocess.run(["bash", "-c", f"{limits} exec {shlex.join(map(str, [KJOULE, *arguments]))}"], capture_output=True, text=True,
                              timeout=600, check=False, cwd=self.folder, env={**os.environ, **variables}, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stderr)
        lines = errors_in(done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertNotRegex(done.stderr, OF_LIBRARIES)
        self.assertIn("; ", lines[0], "cause and remedy")
        return lines[0]

    def file(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def test_command_lines(self):
        for text, *arguments in [
                ("no command was given",), ("nothing: no such command", "nothing"), ("predict nothing: no such command", "predict", "nothing"),
                ("no subcommand was given", "predict"), ("--nothing: no such option", "compare", "--nothing"), ("a: the command takes no such argument", "compare", "a", "b"),
                ("--runs: its value is missing", "compare", "--runs"), ("--runs: x is not a whole number from 1", "compare", "--runs", "x"),
                ("--runs: 99999999999999999999 is not a whole number", "compare", "--runs", "9" * 20),
                ("--runs: is given more than once", "compare", "--runs", "1", "--runs", "2"), ("--json cannot be combined with --csv", "compare", "--json", "--csv"),
                ("--seed: x is not a whole number", "compare", "--seed", "x"), ("config is missing", "predict", "step"), ("--part requires --parts", "sample", "gelu", "--part", "2"),
                ("fp8 is none of fp16, bf16, fp32", "sample", "gelu", "--precision", "fp8"), ("get_any is none of get_all", "sample", "gelu", "--run", "get_any"),
                ("-1 is not a whole number from 0", "full", "--skip-iterations", "-1"), ("x is not a whole number from 0", "full", "--gpu", "x"),
                ("-1 is not a whole number from 0", "full", "--rank", "-1"), ("--output is missing", "power", "log"),
                ("--duration: 0 is not a number of seconds from 1e-06 to 1e+08", "power", "log", "-o", "x", "--duration", "0"), ("no program follows --", "compare", "--")]:
            with self.subTest(arguments):
                self.assertIn(text, self.told(*arguments, code=2))

    def test_damaged_json(self):
        log = self.file("log.csv", "timestamp,power_w\n")
        for text, content in [("timing.json:1: unexpected '}' in column 10", '{"a": [1,}'), ("timing.json:1: unexpected end of file", '{"a": [1,'),
                              ("timing.json:1: unexpected end of file", ""), ("timing.json:2: unexpected '\"' in column 4", '{"a": 1\n "b": 2}'),
                              ("timing.json:1: unexpected byte 0xff in column 3", b'["\xff"]'), ("timing.json:1: unexpected byte 0x01 in column 3", b'["\x01"]'),
                              ("timing.json: contains a number that is too large", '{"a": 1e999}'), ("timing.json:1: unexpected", "nan")]:
            with self.subTest(content):
                self.assertIn(text, self.told("energy", "--power-log", log, "--timing", self.file("timing.json", content)))

    def test_damaged_yaml(self):
        for command in [["layers"], ["sample"], ["predict", "step"]]:
            for content in ["a: [1,\n", "a: {b\n", "a: 'b\n", "a: b: c\n", "- a\nb\n", "\t- a: b\n", "a: *b\n", "%YAML 9.9.9\n---\n", "a: \"\\q\"\n"]:
                with self.subTest(command=command, content=content):
                    self.assertRegex(self.told(*command, self.file("bad.yaml", content)), r"bad\.yaml(:\d+: |: )")

    def test_values_of_another_type(self):
        """Fields that are there, but not what they should be."""
        example = (ROOT / "examples/two_blocks.yaml").read_text()
        for command, text in [(["layers"], example.replace("batch:", "batch: [1] #")), (["layers"], example.replace("layers:", "layers: 5 #", 1)),
                              (["layers"], "name: [1]\nsizes: 5\nlayers: {}\n"), (["predict", "step"], "[]\n"), (["predict", "step"], "a: {b: [c]}\n"),
                              (["sample"], "kernel_name: [gelu]\n"), (["sample"], "5\n"), (["sample"], "kernel_name: gelu\nstarts: {a: b}\n")]:
            with self.subTest(command=command, text=text[:60]):
                self.assertIn("bad.yaml", self.told(*command, self.file("bad.yaml", text)))

    def test_names_that_no_file_has(self):
        long = "a" * 300
        (self.folder / "loop").symlink_to("loop")
        for name, why in [(long, "File name too long"), ("loop", "Too many levels of symbolic links")]:
            for command in [["compare", *SIMULATED, "-o", name], ["kernels", name], ["layers", name], ["train", name], ["predict", "step", name],
                            ["energy", "--power-log", name, "--timing", name], ["compare", "--model", name], ["isolated", "--kernels", name],
                            ["import", name, "-o", "imported"], ["record", "--device", "simulated:seed=5", "-o", f"{name}/r.jsonl"]]:
                with self.subTest(command=command[0], why=why):
                    self.assertRegex(self.told(*command), f"{name}(/r.jsonl)?: ")

    def test_places_that_no_file_can_be_in(self):
        self.file("file", "")
        (self.folder / "folder/results.jsonl").mkdir(parents=True)
        for text, *command in [("file/x: ", "compare", *SIMULATED, "-o", "file/x"), ("/proc/x: ", "compare", *SIMULATED, "-o", "/proc/x"),
                               ("/dev/null: ", "compare", *SIMULATED, "-o", "/dev/null"), ("results.jsonl", "compare", *SIMULATED, "-o", "folder"),
                               ("results.jsonl", "compare", *SIMULATED, "--resume", "folder"), ("no such folder", "record", *SIMULATED[:2], "-o", "none/r.jsonl"),
                               ("file is not a folder", "record", *SIMULATED[:2], "-o", "file/r.jsonl"), ("folder: is a folder", "record", *SIMULATED[:2], "-o", "folder"),
                               ("/proc/1/x", "record", *SIMULATED[:2], "-o", "/proc/1/x")]:
            with self.subTest(command):
                self.assertIn(text, self.told(*command))

    def test_limits_of_the_process(self):
        for limit, text in [("ulimit -n 4;", "too many files are open; lift the limit (ulimit -n)"), ("ulimit -n 5;", "too many files are open; lift the limit (ulimit -n)"),
                            ("ulimit -f 0;", "the limit on the size of files is reached; lift it (ulimit -f)")]:
            with self.subTest(limit):
                self.assertIn(text, self.told("compare", *SIMULATED, "-o", "results", limits=limit))

    def test_memory_that_is_not_there(self):
        """A simulated program of 20,000 launches needs some 120 MiB. Where little is left, even the end of the run may need more."""
        for kib in [36_000, 40_000, 42_000, 50_000, 60_000, 80_000]:
            with self.subTest(kib=kib):
                line = self.told("compare", "--device", "simulated:launches=20000", *SIMULATED[2:], "-o", f"results_{kib}", limits=f"ulimit -v {kib};")
                self.assertEqual(line, "kjoule: out of memory; close other programs, or lift the limit (ulimit -v)")

    def test_models_that_are_none(self):
        """Models of predict are replaced with a warning when they are damaged, not quoted."""
        data = self.folder / "data"
        data.mkdir()
        rows = [f"{r},{c},{2 + r * c / 1000},{4 + r * c / 500}" for r in range(64, 1025, 64) for c in (128, 256, 512)]
        (data / "G_mine_fp16.csv").write_text("\n".join(["rows,columns,F_dur(us),B_dur(us)", *rows]) + "\n")
        models = self.folder / "models"
        command = [KJOULE, "predict", "operator", "G", "mine", "fp16", "fwd", "500", "400", "--data", data, "--models", models, "--json"]
        known = subprocess.run(command, capture_output=True, text=True, check=True)
        file = models / "G_mine_fp16_forward.json"
        whole = json.loads(file.read_text())
        changed = [{**whole, "model": []}, {**whole, "model": {**whole["model"], "ranges": "x"}}, {"format": whole["format"]}]
        for damaged in ["", "{", file.read_text()[:-9], *(json.dumps(one, indent=2) for one in changed), "\x00" * 100]:
            with self.subTest(damaged[:40]):
                file.write_text(damaged)
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, known.stdout), done.stderr)
                self.assertIn(f"warning: {file}: this model is damaged", done.stderr)
                self.assertEqual(json.loads(file.read_text()), whole)
                self.assertNotRegex(done.stderr, OF_LIBRARIES)


class Sources(unittest.TestCase):
    def test_no_source_prints_the_text_of_a_library(self):
        """what() is read of an Error (and its kinds) only; others pass through fault_of() (src/base/process/fault.hpp)."""
        allowed = {"base/error.hpp", "base/process/fault.cpp", "torch/failure.cpp", "cli/options/command_line_error.cpp"}
        caught = re.compile(r"catch \(const ([\w:]+)& (\w+)\) \{((?:[^{}]|\{[^{}]*\})*)\}")
        errors = {"Error", "kjoule::Error", "DeviceError", "StuckError", "EndedError", "UsageError", "kjoule::UsageError", "WriteError", "InvalidShape", "UnsupportedOperator"}
        for path in sorted((ROOT / "src").rglob("*.cpp")):
            name = str(path.relative_to(ROOT / "src"))
            if name in allowed or name.endswith("_test.cpp"):
                continue
            for kind, variable, body in caught.findall(path.read_text()):
                with self.subTest(file=name, kind=kind):
                    self.assertFalse(kind not in errors and re.search(rf"\b{variable}\.(what\(\)|msg\b)", body), f"{name}: {kind} is quoted")


if __name__ == "__main__":
    unittest.main()
