"""Disks that are full and files that may not grow: one line with cause and remedy, a non-zero exit code, complete rows, and a way on.

`ulimit -f` sends SIGXFSZ to a program that does not ignore it, /dev/full is a full disk, and a small file system is one where it can be mounted.
"""
import json
import os
import pathlib
import shlex
import subprocess
import time
import unittest

from ..messages import errors_in
from ..test_commands import KJOULE, ON_CPU, ROOT, InAFolder, run
from ..test_energy import FULL, wattsup
from ..test_import import TraceBuilder

LIMIT = "the limit on the size of files is reached; lift it (ulimit -f)"
TIMES = ["--device", "simulated:seed=5,launches=16", "--runs", "20"]
QUICK_COMPARE = ["compare", *TIMES, "--time-limit", "0.3", "--no-energy"]
SWEEP = """kernel_name: gelu
function_name: gelu
columns_name: [mp, b, l, dim, F_dur(us), B_dur(us)]
first_n_column: 4
starts: [1, 1, 8, 8]
steps: [2, 2, 8, 8]
ends: [2, 2, 24, 16]
operators: [mul, mul, add, add]
warmup_shapes: [1, 1, 8, 8]
wait: 1
warmup: 1
active: 6
shapes: [1, 2, 8, 8]
run: get_all
"""


def can_mount():
    return subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0


class Limited(InAFolder):
    def limited(self, kib, *arguments, **more):
        """Runs kjoule where no file may grow beyond so many KiB."""
        return subprocess.run(["bash", "-c", f"ulimit -f {kib}; exec {shlex.join(map(str, [KJOULE, *arguments]))}"], capture_output=True, text=True,
                              timeout=600, check=False, **more)

    def assert_one_line(self, done, *texts):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        told = errors_in(done.stderr)
        self.assertEqual(len(told), 1, done.stderr)
        for text in texts:
            self.assertIn(text, told[0])
        return told[0]

    def assert_nothing_half(self, folder):
        """Every file is complete: no temporary file is left, and each line of rows has its end."""
        for path in pathlib.Path(folder).rglob("*"):
            self.assertFalse(path.name.startswith("."), f"{path} is left")
            if path.suffix == ".jsonl" and path.stat().st_size > 0:
                self.assertTrue(path.read_bytes().endswith(b"\n"), path)
                [json.loads(line) for line in path.read_text().splitlines()]
            if path.suffix == ".json":
                json.loads(path.read_text())


class Runs(Limited):
    """Runs that keep rows: they go on with --resume, and end like a run that had no limit."""

    def every_limit(self, command, step):
        known = self.folder / "known"
        self.succeed(*command, "-o", known)
        largest = max(path.stat().st_size for path in known.iterdir())
        for kib in [0, *range(1, largest // 1024, step)]:
            with self.subTest(command=command[0], kib=kib):
                folder = self.folder / f"limited_{kib}"
                line = self.assert_one_line(self.limited(kib, *command, "-o", folder), LIMIT)
                self.assert_nothing_half(folder)
                rows = (folder / "results.jsonl").read_bytes()
                self.assertTrue((known / "results.jsonl").read_bytes().startswith(rows))
                self.assertEqual(f"then continue with --resume {folder}" in line, bool(rows), line)
                self.succeed(*command, *(["--resume"] if rows else ["-o"]), folder)
                for path in known.iterdir():
                    self.assertEqual((folder / path.name).read_bytes(), path.read_bytes(), path.name)

    def test_compare(self):
        self.every_limit(QUICK_COMPARE, 4)

    def test_full(self):
        self.every_limit(["full", *TIMES], 1)

    def test_isolated(self):
        self.every_limit(["isolated", *TIMES[:2]], 1)

    def test_energy_and_its_power_log(self):
        """Of runs with energy: tests/cli/test_compare_energy.py; here that of the power log alone."""
        folder = self.folder / "limited"
        known = self.folder / "known"
        command = ["compare", *TIMES, "--time-limit", "0.2"]
        self.succeed(*command, "-o", known)
        log = max(known.glob("power_*.csv"))
        rows = (known / "results.jsonl").stat().st_size
        self.assertGreater(log.stat().st_size, rows, "the limit is to end the log, not the rows")
        self.assert_one_line(self.limited(rows // 1024 + 1, *command, "-o", folder), "power_", LIMIT, "--resume")
        self.assert_nothing_half(folder)
        self.assertTrue(next(folder.glob("power_*.csv")).read_bytes().endswith(b"\n"))
        self.assertNotIn("energy_stopped", (folder / "results.jsonl").read_text())
        self.succeed(*command, "--resume", folder)
        for name in ["results.jsonl", "comparison_report.json", "summary.csv"]:
            self.assertEqual((folder / name).read_bytes(), (known / name).read_bytes())
        self.assertEqual(len(list(folder.glob("power_*.csv"))), 2, "each start keeps its own")

    def test_layers(self):
        command = ["layers", ROOT / "examples/two_blocks.yaml", "--threads", "1", "--runs", "3", "--warmup", "1", "--time-limit", "0.3", *ON_CPU]
        for kib in [0, 1, 4]:
            with self.subTest(kib=kib):
                folder = self.folder / f"limited_{kib}"
                self.assert_one_line(self.limited(kib, *command, "-o", folder), LIMIT)
                self.assert_nothing_half(folder)
                resumed = bool((folder / "results.jsonl").stat().st_size)
                self.succeed(*command, *(["--resume"] if resumed else ["-o"]), folder)

    @unittest.skipUnless(can_mount(), "no file system can be mounted")
    def test_a_small_disk(self):
        for kib in [8, 24, 48]:
            with self.subTest(kib=kib):
                disk, copy = self.folder / f"disk_{kib}", self.folder / f"copy_{kib}"
                disk.mkdir()
                words = shlex.join(map(str, [KJOULE, *QUICK_COMPARE, "-o", disk / "results"]))
                done = subprocess.run(["unshare", "-m", "bash", "-c", f"mount -t tmpfs -o size={kib}k none {disk} || exit 99; {words}; code=$?; "
                                       f"cp -r {disk}/results {copy}; exit $code"], capture_output=True, text=True, timeout=600, check=False)
                if done.returncode == 99:
                    self.skipTest("no file system can be mounted")
                self.assert_one_line(done, "no space left; free some space, then continue with --resume")
                self.assert_nothing_half(copy)
                self.succeed(*QUICK_COMPARE, "--resume", copy)


class Files(Limited):
    """Single files: complete, or not there at all. What was there before stays."""

    def setUp(self):
        super().setUp()
        self.trace = self.folder / "trace.json"
        self.trace.write_text(json.dumps(TraceBuilder(20).as_dict()))
        self.log = self.folder / "power.csv"
        self.log.write_text(wattsup())
        self.timing = self.folder / "full_model_timing.json"
        self.timing.write_text(json.dumps(FULL))

    def assert_keeps_the_old_file(self, path, *command):
        """With a limit of 0, a new file is not there and an old one stays."""
        self.assert_one_line(self.limited(0, *command), path.name, LIMIT)
        self.assertFalse(path.exists())
        self.succeed(*command)
        before = path.read_bytes()
        self.assertNotEqual(before, b"")
        self.assert_one_line(self.limited(0, *command), path.name, LIMIT)
        self.assertEqual(path.read_bytes(), before)

    def test_a_recording(self):
        path = self.folder / "recording.jsonl"
        self.assert_keeps_the_old_file(path, "record", *TIMES[:2], "-o", path)

    def test_an_imported_table(self):
        folder = self.folder / "imported"
        self.assert_keeps_the_old_file(folder / "kernels.jsonl", "import", self.trace, "-o", folder)

    def test_a_report_of_energy(self):
        path = self.folder / "energy.json"
        self.assert_keeps_the_old_file(path, "energy", "--power-log", self.log, "--timing", self.timing, "-o", path)

    def test_pictures_of_a_run(self):
        self.succeed(*QUICK_COMPARE, "-o", self.folder / "known")
        for name in ["timeline.svg", "timeline.json"]:
            with self.subTest(name):
                path = self.folder / name
                command = ["compare", *TIMES, "--time-limit", "0.3", "--no-energy", "--resume", self.folder / "known", "--timeline", path]
                size = max(one.stat().st_size for one in (self.folder / "known").iterdir())
                self.assertEqual(run(*command).returncode, 0)
                if path.stat().st_size > size:  # the reports fit, the picture does not
                    complete = path.read_text()
                    self.assert_one_line(self.limited(size // 1024 + 1, *command), name, LIMIT)
                    self.assertEqual(path.read_text(), complete)
                self.assert_one_line(self.limited(0, *command), LIMIT)

    def test_merged_samples(self):
        sweep = self.folder / "sweep.yml"
        sweep.write_text(SWEEP)
        self.succeed("sample", sweep, "--threads", 1, "--precision", "fp32", *ON_CPU, "-o", self.results)
        part, = (self.results / "sampling_data").glob("*.csv")
        path = self.folder / "all.csv"
        self.assert_keeps_the_old_file(path, "sample", "merge", part, "-o", path)

    def test_models_of_samples(self):
        data = self.folder / "sampled"
        data.mkdir()
        rows = [f"{r},{c},{2 + r * c / 1000},{4 + r * c / 500}" for r in range(64, 1025, 64) for c in (128, 256, 512)]
        (data / "G_mine_fp16.csv").write_text("\n".join(["rows,columns,F_dur(us),B_dur(us)", *rows]) + "\n")
        models = self.folder / "models"
        self.assert_one_line(self.limited(0, "train", data, "-o", models), LIMIT)
        self.assertEqual(list(models.iterdir()), [])

    def test_full_devices(self):
        """The files that a user may name a device for."""
        for command in [["record", *TIMES[:2], "-o", "/dev/full"], ["energy", "--power-log", self.log, "--timing", self.timing, "-o", "/dev/full"],
                        ["power", "log", "--source", f"csv:{self.log}", "-o", "/dev/full", "--duration", "1"]]:
            with self.subTest(command[0]):
                self.assert_one_line(run(*command), "/dev/full: cannot be written: no space left; free some space")

    def test_an_exported_model(self):
        model = self.folder / "model.pt"
        done = self.limited(64, "export", "bloom", "-o", model, "--layers", "1", "--hidden", "64", "--heads", "2", "--vocab", "100")
        self.assert_one_line(done, "model.pt", LIMIT, "then export it again")
        self.assertEqual([path.name for path in self.folder.iterdir() if "model" in path.name and path.name != self.timing.name], [])


class PowerLogs(Limited):
    def test_a_log_that_may_not_grow(self):
        """The lines before stay, and the message says where to log on."""
        source = self.folder / "source.csv"
        writer = subprocess.Popen(["bash", "-c", 'echo "timestamp,gpu,power_w" > "$0"; for i in $(seq 400); do '
                                   'echo "$(date "+%Y-%m-%d %H:%M:%S.%3N"),0,$((200 + i % 7)).5" >> "$0"; sleep 0.02; done', source])
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        while not source.exists() or source.stat().st_size < 100:
            time.sleep(0.02)
        log = self.folder / "log.csv"
        done = self.limited(1, "power", "log", "--source", f"csv:{source}", "-o", log, "--duration", "8")
        self.assert_one_line(done, "log.csv", LIMIT, "then log to another file with -o, because this one is kept")
        self.assertTrue(log.read_text().endswith("\n"))
        self.assertGreater(len(log.read_text().splitlines()), 10)


class Samples(Limited):
    def test_sampled_tables(self):
        """Wherever the limit ends the sweep, the same command continues it; no sample is measured twice."""
        sweep = self.folder / "sweep.yml"
        sweep.write_text(SWEEP)
        command = ["sample", sweep, "--threads", 1, "--precision", "fp32", *ON_CPU]
        for kib in [0, 1, 3, 6]:
            with self.subTest(kib=kib):
                folder = self.folder / f"limited_{kib}"
                self.assert_one_line(self.limited(kib, *command, "-o", folder), LIMIT, "then give the same command again: it continues and keeps all samples")
                data = folder / "sampling_data"
                kept = {path.name: path.read_bytes() for path in data.iterdir()}
                self.assert_nothing_half(data)
                self.succeed(*command, "-o", folder)
                for name, content in kept.items():
                    self.assertTrue((data / name).read_bytes().startswith(content), name)
                table, = data.glob("*.csv")
                self.assertEqual(len(table.read_text().splitlines()), 25)

    def test_the_log_of_one_shape(self):
        sweep = self.folder / "sweep.yml"
        sweep.write_text(SWEEP)
        done = self.limited(0, "sample", sweep, "--threads", 1, "--precision", "fp32", *ON_CPU, "--run", "get_one", "-o", self.results)
        self.assert_one_line(done, "test_log.txt", LIMIT)


class Temporary(Limited):
    """The folder for temporary files."""

    def test_it_is_missing(self):
        for place in [self.folder / "none", self.trace_file()]:
            with self.subTest(place):
                done = subprocess.run([KJOULE, *QUICK_COMPARE, "-o", self.results], capture_output=True, text=True, timeout=600, check=False,
                                      env={**os.environ, "TMPDIR": str(place)})
                self.assert_one_line(done, "no folder for temporary files can be used; set TMPDIR to a folder that you may write to")
                self.assertFalse(self.results.exists())

    def trace_file(self):
        path = self.folder / "file"
        path.write_text("")
        return path

    @unittest.skipUnless(can_mount(), "no file system can be mounted")
    def test_it_is_full(self):
        disk = self.folder / "disk"
        disk.mkdir()
        words = shlex.join(map(str, [KJOULE, *QUICK_COMPARE, "-o", self.results]))
        done = subprocess.run(["unshare", "-m", "bash", "-c", f"mount -t tmpfs -o nr_inodes=1 none {disk} || exit 99; TMPDIR={disk} {words}"],
                              capture_output=True, text=True, timeout=600, check=False)
        if done.returncode == 99:
            self.skipTest("no file system can be mounted")
        self.assert_one_line(done, f"{disk}/kjoule-", "cannot be written: no space left; free some space")


if __name__ == "__main__":
    unittest.main()
