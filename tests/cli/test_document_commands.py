"""Each kjoule command line in the shell blocks of README.md and docs/ runs, and none of them, nor of the tables of examples, is refused as wrong.

Commands that need what a test machine lacks may fail, but not because of their options.
"""
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from unittest import mock

import huggingface_hub

from .driver import CUBLAS, KJOULE, PROGRAM, ROOT, STAND_INS
from .helpers import TINY, run_command
from .test_import import TraceBuilder, two_gpus
from .test_model_ranks import export_ranks

BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^(?:\$ )?((?:\w+=\S+ )*)(?:build/bin/)?(kjoule .*?)(?: +#.*)?$")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# The quickstart has a test of its own.
ELSEWHERE = {"quickstart.md"}
# Parts of a command line that stand for something else.
PLACEHOLDER = r"\b(?!NVIDIA)[A-Z]{3,}\d*\b(?!\.)|\.\.\.|-- PROGRAM|<|\b[MN]\b"
# Lists of examples, also in tables; the tables of other pages describe commands in general.
WITH_EXAMPLES = {"README.md", "commands.md"}

# What kjoule and its Python helpers say to a wrong command line.
WRONG = re.compile(r"lists the options|no model or program was given|unrecognized arguments|invalid choice|the following arguments are required")
# What a test machine lacks, by what the command line contains.
LACKING = {
    "a GPU": r"--device cuda|--gpus|kjoule collectives|add_relu\.py|layers --range|resnet50\.pt",
    "FSDP": r"train_fsdp\.py",
    "a network": r"export (--model )?bigscience/",
    "a program that waits": r"--attach",
    "a power log or meter": r"kjoule energy|kjoule power (log|idle|calibrate|probe)|wattsup|--power-log|nvidia-smi",
    "kernels that can be replayed": r"isolated --kernels (imported|table\.jsonl)",
    "samples": r"kjoule train|sample (merge|status)|CONFIG\.yml",
    "a model of the user's": r"other\.pt",
    "a Python file of the user's": r"--python",  # test_python_operators.py runs it
}
# Work for minutes: it is ended as soon as it has begun, which its results folder shows.
LONG = r"--block|kjoule layers (?:resnet50|opt|examples)|kjoule sample \w+ |--energy$"
# Models on a CPU: fewer runs than by default.
SHORT = {"--runs": "2", "--warmup": "1", "--time-limit": "0.3"}
# An exported model whose size no other command depends on.
SMALL = {"bloom": {"--vocab": "100", "--hidden": "64", "--heads": "2", "--layers": "1"}}


def commands_of(page):
    """Returns {command line of the page: whether it must run, as part of a block that a user would follow}."""
    text = page.read_text()
    found = {match[2]: page.name not in WITH_EXAMPLES for _, block in BLOCK.findall(text) for line in block.splitlines() if (match := LINE.match(line.strip()))}
    if page.name in WITH_EXAMPLES:
        for line in BLOCK.sub("", text).splitlines():
            if line.startswith("|"):
                found = {**dict.fromkeys(re.findall(r"`(kjoule [^`]+ [^`]+)`", line), False), **found}
    return {command: must_run for command, must_run in found.items() if not re.search(PLACEHOLDER, command)}


class DocumentedCommands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.made = pathlib.Path(temporary.name)
        code, _, error = run_command("bloom", "-o", cls.made / "bloom.pt", *TINY, "--layers", "1", "--seq-len", "8")
        assert code == 0, error
        (cls.made / "program").symlink_to(PROGRAM)
        for name in ["infer.py", "generate.py", "server.py"]:
            (cls.made / name).write_text(f"import os, sys\nos.execv({str(PROGRAM)!r}, [{str(PROGRAM)!r}, '--iterations', '30'])\n")
        (cls.made / "trace.json").write_text(json.dumps(TraceBuilder().as_dict()))
        (cls.made / "two_gpus.json").write_text(json.dumps(two_gpus()))
        subprocess.run(["gzip", "-k", cls.made / "trace.json", cls.made / "two_gpus.json"], check=True)
        (cls.made / "table.jsonl").write_text('{"name": "nvjet_hsh_64x8_TNT", "count": 4, "grid": [16, 1, 1], "block": [128, 1, 1]}\n')
        shutil.copytree(ROOT / "examples", cls.made / "examples")
        export_ranks(cls.made / "ranks")
        cls.run_in(cls.made, ["kjoule", "compare", "--device", "simulated:seed=3,launches=20", "-o", "results"])
        shutil.copytree(cls.made / "results", cls.made / "results-after")
        cls.run_in(cls.made, ["kjoule", "baseline", "results", "-o", "base.json"])
        cls.run_in(cls.made, ["kjoule", "record", "-o", "recording.jsonl", "--loop-seconds", "0.05", "--", "./program",
                             "--until", "recording.jsonl", "--iterations", "300000"])

    @staticmethod
    def environment():
        return {**os.environ, "PATH": f"{KJOULE.parent}:{os.environ['PATH']}", "LD_LIBRARY_PATH": f"{STAND_INS}:{CUBLAS}", "FAKE_CUDA_SEED": "1",
                "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1"}

    @classmethod
    def run_in(cls, folder, words):
        return subprocess.run(words, cwd=folder, env=cls.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False)

    def begun(self, folder, words):
        """Starts the command, ends it once it wrote results, and returns its exit code and stderr."""
        def size(file):
            with contextlib.suppress(FileNotFoundError):  # temporary files are renamed or removed
                return file.stat().st_size

        def written():
            with contextlib.suppress(FileNotFoundError):  # a folder of earlier results is renamed
                return {(file, size(file)) for file in folder.rglob("*") if file.is_file() and file != said_in}

        said_in = folder / "said"
        before = written()
        with said_in.open("w") as said:
            process = subprocess.Popen(words, cwd=folder, env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
            while process.poll() is None and written() == before:
                time.sleep(0.05)
            process.terminate()  # SIGINT may be ignored: shells start jobs in the background like that
            code = process.wait()
        return code, said_in.read_text()

    @staticmethod
    def shortened(words, shorter):
        for option, value in shorter.items():
            if option in words:
                words[words.index(option) + 1] = value
            else:
                words = [*words, option, value]
        return words

    def exported(self, folder, words):
        """Runs `kjoule export` in this process, which has imported torch; returns exit code and stderr."""
        model = next((name for name in words[2:] if not name.startswith("-")), "")
        words = self.shortened(words, {**SMALL.get(model, {}), "-o": str(folder / words[words.index("-o") + 1])})
        with mock.patch.object(huggingface_hub.constants, "HF_HUB_OFFLINE", True):
            code, _, said = run_command(*words[2:])
        return code, said

    def check(self, folder, command, must_run=True):
        words = shlex.split(command)
        if words[1] == "export":
            code, said = self.exported(folder, words)
            ends = [0]
        elif re.search(LONG, command):
            code, said = self.begun(folder, words)
            ends = [0, -signal.SIGTERM, 128 + signal.SIGTERM]
        else:
            if "--model" in words and words[1] == "compare":
                words = self.shortened(words, SHORT)
            done = self.run_in(folder, ["bash", "-c", shlex.join(words).replace("'>'", ">")])
            code, said = done.returncode, done.stderr
            ends = [0, 3, 4] if "--fail-above" in words else [0]
        self.assertNotRegex(said, WRONG)
        if must_run and not any(re.search(pattern, command) for pattern in LACKING.values()):
            self.assertIn(code, ends, said[-2000:])

    def test_each_command_line_is_right(self):
        number = 0
        exported = set()  # on several pages, to the same file
        for page in PAGES:
            if page.name in ELSEWHERE:
                continue
            with tempfile.TemporaryDirectory() as temporary:
                folder = pathlib.Path(temporary) / "work"
                shutil.copytree(self.made, folder, symlinks=True)
                for command, must_run in commands_of(page).items():
                    if command in exported:
                        continue
                    if command.startswith("kjoule export"):
                        exported.add(command)
                    with self.subTest(page=page.name, command=command):
                        self.check(folder, command, must_run)
                        number += 1
        self.assertGreater(number, 60)

    def test_a_wrong_option_is_found(self):
        with self.assertRaises(AssertionError):
            self.check(self.made, "kjoule energy --power-lag power.csv --timing results")
        with self.assertRaises(AssertionError):
            self.check(self.made, "kjoule kernels results --by colour")


if __name__ == "__main__":
    unittest.main()
