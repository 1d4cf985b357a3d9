"""Commands that are interrupted or killed: nothing that kjoule started or made for the moment remains, and one line says what is kept."""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

from ..messages import errors_in
from ..test_commands import KJOULE, ON_CPU, ROOT, InAFolder
from .test_full_disks import SWEEP

EXAMPLE = ROOT / "examples/two_blocks.yaml"
STAND_INS = ROOT / "build/tests/fakes/driver"
STAND_IN_LIBRARY = ROOT / "build/tests/fakes/injection/libkjoule_inject.so"
CUDA_PROGRAM = [sys.executable, ROOT / "tests/cli/cuda_program.py"]
LONG = ["--time-limit", "6000", "--runs", "5"]
ENDLESS = [*LONG, "--precision", "0.0001%"]
SIMULATED = ["compare", "--device", "simulated:seed=5", *ENDLESS]
CPU = ["--threads", "1", *ON_CPU]
ROWS_ARE_KEPT = r"[1-9]\d* rows? (is|are) kept: the same command with --resume {} continues"


def is_running(status):
    return status.rpartition(")")[2].split()[0] not in "ZX"


class Interrupted(InAFolder):
    """Processes are found by TMPDIR in their environment, which all those of one test have in common."""

    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.temporary)}
        self.kjoule = KJOULE
        self.out, self.errors = self.folder / "out", self.folder / "errors"

    def start(self, *words, **settings):
        with self.out.open("w") as out, self.errors.open("w") as errors:
            self.process = subprocess.Popen([str(word) for word in [self.kjoule, *words]], stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                                            env=self.environment, **settings)
        process = self.process
        self.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    def wait_until(self, condition, what):
        deadline = time.monotonic() + 60
        while not condition():
            if time.monotonic() > deadline or (self.process.poll() is not None and not condition()):
                self.fail(f"{what}\n{self.errors.read_text()}")
            time.sleep(0.01)

    def wait_until_gone(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, self.survivors())
            time.sleep(0.01)

    def wait_for(self, text, path=None):
        path = path or self.errors
        self.wait_until(lambda: path.exists() and text in path.read_text(), f"{path.name} never had {text!r}")

    def survivors(self):
        """Returns the command lines of this test's processes that are still running."""
        mark, found = f"TMPDIR={self.temporary}".encode(), []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark in (path / "environ").read_bytes().split(b"\0") and is_running((path / "stat").read_text()):
                    found.append((path / "cmdline").read_text().replace("\0", " "))
            except OSError:  # it has ended, or belongs to another user
                pass
        return found

    def temporary_folders(self):
        return [path.name for path in self.temporary.iterdir() if path.name != f"torchinductor_{os.environ.get('USER', 'root')}"]

    def line_of(self, process, number):
        """Returns the line about what is kept, after the signal `number`. Nothing else may remain."""
        process.send_signal(number)
        process.wait(timeout=60)
        self.assertEqual(process.returncode, -number, self.errors.read_text())
        self.assertEqual(self.survivors(), [])
        self.assertEqual(self.temporary_folders(), [])
        lines = errors_in(self.errors.read_text())
        self.assertEqual(len(lines), 1, self.errors.read_text())
        self.assertNotIn("Traceback", self.errors.read_text())
        self.assertTrue(lines[0].startswith("kjoule: interrupted; "), lines[0])
        return lines[0].removeprefix("kjoule: interrupted; ")

    def kill(self, process):
        """Kills kjoule. Nothing that it started or made may remain."""
        process.kill()
        process.wait()
        self.wait_until_gone(lambda: not self.survivors())
        self.assertEqual(self.temporary_folders(), [])


class Measuring(Interrupted):
    def measuring(self, *words):
        """Returns a process that has measured something."""
        process = self.start(*words, "-o", self.results)
        self.wait_for('"kind":"round"', self.results / "results.jsonl")
        return process

    def test_every_signal_keeps_the_rows(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            with self.subTest(number):
                shutil.rmtree(self.results, ignore_errors=True)
                self.assertRegex(self.line_of(self.measuring(*SIMULATED), number), ROWS_ARE_KEPT.format(self.results))
        kept = (self.results / "results.jsonl").read_text()
        self.succeed(*SIMULATED[:-6], "--precision", "50%", "--runs", "5", "--no-energy", "--resume", self.results)
        self.assertTrue((self.results / "results.jsonl").read_text().startswith(kept))

    def test_killed(self):
        self.kill(self.measuring(*SIMULATED))

    def test_a_process_that_runs_operators(self):
        line = self.line_of(self.measuring("layers", EXAMPLE, *CPU, *LONG), signal.SIGTERM)
        self.assertRegex(line, ROWS_ARE_KEPT.format(self.results))
        self.assertNotIn("error", (self.results / "results.jsonl").read_text())

    def test_a_process_that_runs_operators_of_a_killed_kjoule(self):
        self.kill(self.measuring("layers", EXAMPLE, *CPU, *LONG))

    def test_before_anything_was_measured(self):
        process = self.start("layers", EXAMPLE, *CPU, *LONG, "-o", self.results)
        self.wait_until(lambda: len(self.survivors()) > 2, "no process was started")  # kjoule, its guardian and kjoule-torch
        self.assertEqual(self.line_of(process, signal.SIGINT), "no file was written")
        self.assertFalse(self.results.exists())


class Programs(Interrupted):
    """kjoule COMMAND -- PROGRAM with a stand-in for the injected library."""

    def setUp(self):
        super().setUp()
        self.kjoule = self.folder / "kjoule"
        shutil.copy(KJOULE, self.kjoule)
        shutil.copy(STAND_IN_LIBRARY, self.folder)
        self.environment["TEST_DEVICE"] = "seed=5"

    def program(self, *steps):
        """A program that leaves a process in another session, which ignores SIGTERM."""
        words = lambda more: shlex.join(map(str, [*CUDA_PROGRAM, *more]))
        other = words(["deaf", f"pid:{self.folder / 'daemon'}", "sleep:100"])
        return ["sh", "-c", f"(setsid {other} &); exec {words(steps)}"]

    def measuring(self, command, *options):
        process = self.start(command, *options, "-o", self.results, "--", *self.program("init", "launch"))
        row = {"compare": '"kind":"round"', "full": '"kind":"recording"', "isolated": '"kind":"isolated"'}[command]
        self.wait_for(row, self.results / "results.jsonl")
        self.wait_until((self.folder / "daemon").exists, "the daemon was never started")
        return process

    def test_measured(self):
        self.environment["TEST_FAULT"] = "hang:2"
        line = self.line_of(self.measuring("compare", *ENDLESS), signal.SIGTERM)
        self.assertRegex(line, ROWS_ARE_KEPT.format(self.results))

    def test_killed(self):
        self.kill(self.measuring("compare", *ENDLESS))

    def test_before_it_uses_cuda(self):
        for interrupt in [lambda process: self.assertEqual(self.line_of(process, signal.SIGTERM), "no file was written"), self.kill]:
            (self.folder / "started").unlink(missing_ok=True)
            process = self.start("compare", "-o", self.results, "--", *self.program(f"pid:{self.folder / 'started'}", "sleep:100"))
            self.wait_until((self.folder / "started").exists, "the program was never started")
            interrupt(process)
            self.assertFalse(self.results.exists())

    def test_one_that_removed_its_environment(self):
        started = self.folder / "started"
        process = self.start("compare", "-o", self.results, "--", "env", "-i", "sh", "-c", f"echo $$ > {started}; exec sleep 100")
        self.wait_until(lambda: started.exists() and started.read_text().endswith("\n"), "the program was never started")
        process.kill()
        process.wait()
        stat = pathlib.Path(f"/proc/{started.read_text().strip()}/stat")
        self.wait_until_gone(lambda: not stat.exists() or not is_running(stat.read_text()))

    def test_recorded(self):
        recording = self.folder / "recording.jsonl"
        process = self.start("record", "-o", recording, "--", *self.program("init", "launch", "sleep:100"))
        self.wait_until(recording.exists, "nothing was recorded")
        self.kill(process)

    def test_recorded_that_does_nothing_on_the_gpu(self):
        started = self.folder / "started"
        process = self.start("record", "-o", self.folder / "recording.jsonl", "--", *self.program(f"pid:{started}", "sleep:100"))
        self.wait_until(started.exists, "the program was never started")
        self.assertEqual(self.line_of(process, signal.SIGHUP), "no file was written")

    def test_observed_to_its_end(self):
        """With the library itself, in a program of the stand-in driver."""
        self.kjoule = KJOULE
        self.environment["LD_LIBRARY_PATH"] = str(STAND_INS)
        process = self.start("kernels", "--", STAND_INS / "program", "--iterations", "30000000")
        self.wait_until(lambda: any(path.stat().st_size for path in self.temporary.rglob("*") if path.is_file()), "nothing was logged")
        self.kill(process)


class Exporting(Interrupted):
    def exporting(self):
        """Returns a process that has loaded PyTorch and builds the model."""
        model = self.folder / "models" / "bloom.pt"
        model.parent.mkdir()
        process = self.start("export", "bloom", "-o", model, "--layers", "1", "--hidden", "64", "--heads", "2", "--vocab", "100", preexec_fn=os.setpgrp)
        self.wait_for("building bloom")
        return process

    def assert_nothing_exported(self):
        self.assertEqual(list((self.folder / "models").iterdir()), [])

    def test_ctrl_c(self):
        process = self.exporting()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        self.assertEqual(self.line_of(process, signal.SIGINT), "no file was written")
        self.assert_nothing_exported()

    def test_killed(self):
        self.kill(self.exporting())
        self.assertNotIn("Traceback", self.errors.read_text())
        self.assert_nothing_exported()


class Sampling(Interrupted):
    SWEEP = SWEEP.replace("ends: [2, 2, 24, 16]", "ends: [1, 1, 400, 400]")  # takes longer than the test

    def test_samples_are_kept(self):
        sweep = self.folder / "sweep.yml"
        sweep.write_text(self.SWEEP)
        process = self.start("sample", sweep, "--precision", "fp32", *CPU, "-o", self.results)
        csv = lambda: next(iter(self.results.glob("sampling_data/*.csv")), self.results)
        self.wait_until(lambda: csv().is_file() and csv().read_text().count("\n") > 3, "nothing was sampled")
        line = self.line_of(process, signal.SIGINT)
        kept = csv().read_text().count("\n") - 1
        self.assertEqual(line, f"{kept} samples are in {csv()}; repeat the same command to continue")


class Training(Interrupted):
    def test_models_are_kept(self):
        models = self.folder / "models"
        process = self.start("train", "H200/operator", "-o", models)
        self.wait_until(lambda: len(list(models.glob("*.json"))) > 1, "nothing was trained")
        line = self.line_of(process, signal.SIGTERM)
        self.assertRegex(line, r"^\d+ files are complete, the last one is .*\.json; run the same command again to train the missing models$")
        self.assertEqual(int(line.split()[0]), len(list(models.iterdir())), "and no temporary file")


class Meters(Interrupted):
    """A logger that is not kjoule's own: nvidia-smi, here a script, which starts another process."""

    def setUp(self):
        super().setUp()
        script = self.folder / "nvidia-smi"
        script.write_text('#!/bin/sh\necho "timestamp, index, uuid, name, power.draw.instant [W]"\n'
                          'row() { echo "$(date "+%Y/%m/%d %H:%M:%S.%3N"), 0, GPU-1, H200, $1 W"; }\nrow 100\n'
                          'case "$*" in *-lms*) (setsid sleep 100 &); while :; do row 100; sleep 0.02; done;; esac\n')
        script.chmod(0o755)
        self.environment.update(PATH=f"{self.folder}:{os.environ['PATH']}", KJOULE_NVML="libkjoule-none.so")
        self.log = self.folder / "power.csv"

    def logging(self):
        process = self.start("power", "log", "--source", "nvidia-smi", "-o", self.log)
        self.wait_until(lambda: self.log.exists() and self.log.read_text().count("\n") > 3, "nothing was logged")
        return process

    def test_a_log_is_complete_when_it_is_ended(self):
        process = self.logging()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 0, self.errors.read_text())
        self.assertRegex(self.errors.read_text(), rf"^{re.escape(str(self.log))}: \d+ lines in \d+ s; give it to kjoule energy with --averaging [\d.]+\n$")

    def test_a_killed_log(self):
        self.kill(self.logging())

    def test_idle_power(self):
        process = self.start("power", "idle", "--source", "nvidia-smi", "--duration", "100")
        self.wait_for("idle power")
        self.assertEqual(self.line_of(process, signal.SIGINT), "no file was written")


class Reading(Interrupted):
    def has_open(self, process, path):
        return any(os.path.realpath(file) == os.path.realpath(path) for file in pathlib.Path(f"/proc/{process.pid}/fd").iterdir())

    def test_a_command_that_only_reads(self):
        pipe, table = self.folder / "rules.jsonl", self.folder / "table.csv"
        os.mkfifo(pipe)
        self.addCleanup(os.close, os.open(pipe, os.O_RDWR))  # a writer, so that the reader waits for more
        table.write_text("name,count\ngemm,1\n")
        process = self.start("kernels", table, "--rules", pipe)
        self.wait_until(lambda: self.has_open(process, pipe), "the rules were never read")
        self.assertEqual(self.line_of(process, signal.SIGINT), "no file was written")

    def test_an_ignored_signal_stays_ignored(self):
        process = self.start(*SIMULATED, "-o", self.results, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for('"kind":"round"', self.results / "results.jsonl")
        process.send_signal(signal.SIGHUP)
        self.assertRegex(self.line_of(process, signal.SIGINT), ROWS_ARE_KEPT.format(self.results))
