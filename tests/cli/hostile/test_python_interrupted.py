"""Measurements of the Python package that are interrupted: KeyboardInterrupt is raised, and no process remains."""
import os
import signal
import subprocess
import sys

from ..messages import errors_in
from ..test_commands import ROOT
from .test_interrupted import EXAMPLE, Interrupted

ENDLESS_OPTIONS = {"time_limit": 6000, "runs": 5, "precision": "0.0001%"}
CPU_OPTIONS = {"time_limit": 6000, "runs": 5, "threads": 1, "device": "cpu"}

SCRIPT = """
import kjoule, os, sys
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(7)
"""


class OfPython(Interrupted):
    """The script and the program that it starts are found by TMPDIR in their environment."""

    def measuring(self, call):
        """Starts a script in a process group of its own, and waits until it has measured something."""
        with self.out.open("w") as out, self.errors.open("w") as errors:
            self.process = subprocess.Popen([sys.executable, "-c", SCRIPT.format(call=call)], stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                                            env={**self.environment, "PYTHONPATH": str(ROOT / "python")}, process_group=0)
        self.addCleanup(lambda: (self.process.kill(), self.process.wait()))
        self.wait_for('"kind":"round"', self.results / "results.jsonl")

    def assert_interrupted(self):
        self.process.wait(timeout=60)
        self.assertEqual((self.process.returncode, self.out.read_text()), (7, "interrupted\n"), self.errors.read_text())
        self.assertEqual(self.survivors(), [])
        self.assertEqual(self.temporary_folders(), [])
        line, = errors_in(self.errors.read_text())
        self.assertRegex(line, rf"^kjoule: interrupted; [1-9]\d* rows? (is|are) kept: the same command with --resume {self.results} continues")

    def compare(self, **options):
        return f"kjoule.compare(output_dir={str(self.results)!r}, **{options!r})"

    def test_only_python_gets_the_signal(self):
        self.measuring(self.compare(device="simulated:seed=5", **ENDLESS_OPTIONS))
        self.process.send_signal(signal.SIGINT)
        self.assert_interrupted()

    def test_all_processes_of_the_group_get_the_signal(self):
        """As from Ctrl-C on a terminal, and from the interruption of a cell."""
        self.measuring(self.compare(device="simulated:seed=5", **ENDLESS_OPTIONS))
        os.killpg(self.process.pid, signal.SIGINT)
        self.assert_interrupted()

    def test_a_process_that_runs_operators(self):
        self.measuring(f"kjoule.layers({str(EXAMPLE)!r}, output_dir={str(self.results)!r}, **{CPU_OPTIONS!r})")
        self.process.send_signal(signal.SIGINT)
        self.assert_interrupted()

    def test_a_notebook_that_is_restarted(self):
        """The process group is killed."""
        self.measuring(self.compare(device="simulated:seed=5", **ENDLESS_OPTIONS))
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.wait_until_gone(lambda: not self.survivors())
