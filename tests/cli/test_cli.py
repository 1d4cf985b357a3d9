"""The command line: help, wrong usage, and a Python without PyTorch."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

from .helpers import TINY, FolderCase, run_command, write_pretrained

PYTHON_FOLDER = Path(__file__).resolve().parents[2] / "python"


def run_process(*arguments, path=()):
    """Runs the command in a process of its own, with the folders of `path` searched first."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path), str(PYTHON_FOLDER)])}
    command = [sys.executable, "-m", "kjoule_export", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


class WrongUsage(FolderCase):
    def test_one_line_and_exit_code_2(self):
        model = self.folder / "m.pt"
        wrong = [
            ("required", "bloom"),
            ("unknown model 'foo'; use one of bloom", "foo", "-o", model),
            ("must end in .pt", "bloom", "-o", self.folder / "m.onnx"),
            ("is a folder", "bloom", "-o", self.made("d.pt")),
            ("missing does not exist", "bloom", "-o", self.folder / "missing" / "m.pt"),
            ("cannot be written", "bloom", "-o", "/proc/m.pt"),
            ("'0' is not a positive whole number", "bloom", "-o", model, "--layers", "0"),
            ("int8", "bloom", "-o", model, "--dtype", "int8"),
            ("unrecognized arguments: --lay", "bloom", "-o", model, "--lay", "3"),
            ("no --heads", "resnet18", "-o", model, "--heads", "2"),
            ("no --seq-len", "resnet18", "-o", model, "--seq-len", "2"),
            ("./no does not exist", "./no", "-o", model),
            ("the sizes of a pretrained model cannot be changed; omit --layers", "gpt2", "--pretrained", "-o", model, "--layers", "2"),
        ]
        for said, *arguments in wrong:
            with self.subTest(said):
                code, out, err = run_command(*arguments)
                last = err.splitlines()[-1]
                self.assertEqual((code, out), (2, ""))
                self.assertTrue(last.startswith("kjoule export: "), err)
                self.assertIn(said, last)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["d.pt"])

    def made(self, name):
        (self.folder / name).mkdir()
        return self.folder / name


class Process(FolderCase):
    def test_help_has_an_example_and_needs_no_torch(self):
        done = run_process("--help", path=[self.without_torch()])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("usage: kjoule export", done.stdout)
        self.assertIn("kjoule export bloom -o bloom.pt", done.stdout)

    def test_missing_torch_names_the_remedy(self):
        done = run_process("bloom", "-o", self.folder / "m.pt", path=[self.without_torch()])
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        said, error = done.stderr.splitlines()
        self.assertEqual(said, "loading PyTorch")
        self.assertRegex(error, "cannot load PyTorch.*tools/setup.*KJOULE_PYTHON")

    def test_a_model_is_given_once(self):
        """With or without the option of the documents' script."""
        for models in ([], ["bloom", "--model", "bloom"], ["--model", "bloom", "gpt2"]):
            with self.subTest(models):
                done = run_process(*models, "-o", self.folder / "m.pt")
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
                self.assertRegex(done.stderr, "two models are given, .* export one at a time" if models else "are required: MODEL")
        _, _, error = run_command("--model", "no-such-model", "-o", self.folder / "m.pt")
        self.assertEqual(error.count("unknown model 'no-such-model'"), 1)

    def test_only_our_lines_are_seen(self):
        source = write_pretrained(self.folder / "tiny")
        for model, *sizes in (["bloom", *TINY], [source]):
            with self.subTest(model):
                done = run_process(model, *sizes, "-o", self.folder / "m.pt")
                self.assertEqual((done.returncode, done.stderr), (0, f"loading PyTorch\nbuilding {model}\ntracing\nchecking\n"))
                names = [line.split(":")[0] for line in done.stdout.splitlines()]
                self.assertEqual(names, ["file", "size", "parameters", "inputs", "baked sizes", "largest difference"])

    def without_torch(self):
        folder = self.folder / "fake"
        folder.mkdir()
        (folder / "torch.py").write_text("raise ImportError(\"No module named 'torch'\")\n")
        return folder


if __name__ == "__main__":
    unittest.main()
