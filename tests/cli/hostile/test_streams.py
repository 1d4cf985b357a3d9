"""Pipes, devices and stdout as outputs: an output that the user names there is complete, and nothing else is mixed with it (docs/design/trust.md, Outputs)."""
import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest

from ..messages import errors_in
from ..test_commands import KJOULE
from .cases import SIMULATED, material

DEVICE = "--device simulated:seed=5,launches=12"
# For each option of one file, a command, and the beginning and end of the file.
FILES = {
    f"compare {SIMULATED} -o res --timeline OUT": ('{"displayTimeUnit"', "}\n"), "kernels {trace} --timeline OUT": ('{"displayTimeUnit"', "}\n"), "import {trace} -o imp --timeline OUT": ('{"displayTimeUnit"', "}\n"),
    f"compare {SIMULATED} -o res --html OUT": ("<!doctype html>", "</html>\n"), "diff {base} {base} --html OUT": ("<!doctype html>", "</html>\n"), "report {results} -o OUT": ("<!doctype html>", "</html>\n"),
    f"record {DEVICE} -o OUT": ('{"device"', "}\n"), "baseline {results} -o OUT": ('{\n "format": "kjoule-baseline"', "}\n"), "sample merge {part} -o OUT": ("b,l,F_dur(us),B_dur(us)\n", "2,4,5,6\n"),
    "energy --power-log {power} --timing {timing} -o OUT": ('{\n  "duration_seconds"', "}\n"), "sample gelu --device cpu --slurm-script OUT": ("#!/bin/bash\n", "\n"),
    "collectives all_reduce --gpus-per-node 2 --slurm-script OUT": ("#!/bin/bash\n", "\n"),
}
FOLDERS = [f"compare {SIMULATED} -o OUT", "import {trace} -o OUT", "train {data} -o OUT", "sample gelu --device cpu -o OUT", "collectives all_reduce -o OUT"]


def words_of(command: str, output: str) -> list[str]:
    return [str(KJOULE), *(re.sub(r"\{(\w+)\}", lambda found: str(material(found[1])), word) for word in shlex.split(command.replace("OUT", output)))]


class Streams(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def run_words(self, words: list[str], **streams: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=self.folder, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams})  # type: ignore[call-overload, no-any-return]

    def assert_complete(self, text: str, ends: tuple[str, str]) -> None:
        self.assertTrue(text.startswith(ends[0]), text[:200])
        self.assertTrue(text.endswith(ends[1]), text[-200:])

    def assert_refused(self, done: subprocess.CompletedProcess[str], cause: str) -> None:
        self.assertNotEqual(done.returncode, 0)
        lines = errors_in(done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn(cause, lines[0])
        self.assertIn("; ", lines[0])

    def test_stdout(self) -> None:
        """The texts for people, which are on stdout otherwise, go to stderr."""
        for command, ends in FILES.items():
            for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]:
                with self.subTest(command=command, name=name):
                    done = self.run_words(words_of(command, name))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assert_complete(done.stdout, ends)
                    self.assertTrue(done.stderr)

    def test_stdout_that_is_a_file(self) -> None:
        for command, ends in FILES.items():
            with self.subTest(command), open(f"{self.folder}/file", "w+", encoding="utf-8") as file:
                done = self.run_words(words_of(command, "/dev/stdout"), stdout=file)
                self.assertEqual(done.returncode, 0, done.stderr)
                file.seek(0)
                self.assert_complete(file.read(), ends)

    def test_pipes_with_a_reader(self) -> None:
        for command, ends in FILES.items():
            with self.subTest(command):
                pipe = f"{self.folder}/pipe"
                os.mkfifo(pipe)
                reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
                done = self.run_words(words_of(command, "pipe"))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_complete(os.read(reader, 1 << 20).decode(), ends)
                os.close(reader)
                os.unlink(pipe)

    def test_pipes_without_a_reader(self) -> None:
        """They are refused before the work."""
        os.mkfifo(f"{self.folder}/pipe")
        for command in [*FILES, "power log --source csv:{power} --duration 0.1 -o OUT"]:
            with self.subTest(command):
                done = self.run_words(words_of(command, "pipe"))
                self.assert_refused(done, "pipe: no program reads this pipe; start its reader first")
                self.assertEqual(done.stdout, "")
                self.assertEqual(os.listdir(self.folder), ["pipe"])

    def test_devices(self) -> None:
        for command in FILES:
            with self.subTest(command):
                self.assertEqual(self.run_words(words_of(command, "/dev/null")).returncode, 0)
                self.assert_refused(self.run_words(words_of(command, "/dev/full")), "/dev/full: cannot be written: no space left")

    def test_stderr(self) -> None:
        for command in FILES:
            with self.subTest(command):
                self.assert_refused(self.run_words(words_of(command, "/dev/stderr")), "/dev/stderr: is also the standard error")

    def test_results_for_programs_on_stdout(self) -> None:
        for command, flag in [(f"compare {SIMULATED} -o res --html OUT", "--json"), ("kernels {trace} --timeline OUT", "--jsonl"), ("kernels {trace} --timeline OUT", "--csv"), ("diff {base} {base} --html OUT", "--markdown"),
                              ("energy --power-log {power} --timing {timing} -o OUT", "--json")]:
            with self.subTest(command):
                self.assert_refused(self.run_words([*words_of(command, "/dev/stdout"), flag]), f"{flag} also writes to the standard output")

    def test_two_outputs(self) -> None:
        self.assert_refused(self.run_words([*words_of(f"compare {SIMULATED} -o res --html OUT", "/dev/stdout"), "--timeline", "/dev/fd/1"]), "also writes this file")
        self.assertEqual(self.run_words([*words_of(f"compare {SIMULATED} -o res --html OUT", "/dev/null"), "--timeline", "/dev/null"]).returncode, 0)

    def test_folders(self) -> None:
        os.mkfifo(f"{self.folder}/pipe")
        for command in FOLDERS:
            for name in ["pipe", "/dev/stdout", "/dev/full", "/dev/null"]:
                with self.subTest(command=command, name=name):
                    self.assert_refused(self.run_words(words_of(command, name)), f"{name}: is not a folder; choose another folder")

    def test_a_reader_that_ends_early(self) -> None:
        done = self.run_words(["bash", "-c", f'{shlex.join(words_of("report {results} -o OUT", "/dev/stdout"))} | true; exit "${{PIPESTATUS[0]}}"'])
        self.assertNotIn("terminate", done.stderr)
        self.assertIn(done.returncode, (0, 1, 141))

    def test_the_output_is_read_by_the_next_command(self) -> None:
        record, compare = shlex.join(words_of(f"record {DEVICE} -o OUT", "/dev/stdout")), shlex.join([str(KJOULE), *f"compare {SIMULATED} --recording /dev/stdin -o res --json".split()])
        done = self.run_words(["bash", "-c", f"{record} | {compare}"])
        self.assertEqual(json.loads(done.stdout)["compared"], ["sum_us", "whole_us"], done.stderr)


if __name__ == "__main__":
    unittest.main()
