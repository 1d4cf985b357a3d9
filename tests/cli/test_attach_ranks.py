"""kjoule compare --attach with a running program of several ranks, which are paused together, measured in step, and let go together."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from .driver import meters_of_two_gpus, unwrapped
from .test_attach import FEW_S, ON_STAND_INS, Attached, variables_of
from .test_ranks import PROGRAM
from .test_schemas import validator

MANY = 10_000_000  # iterations, more than run while a test measures
WARM_UP = 1000  # iterations after which the results repeat with the period of the program's input
PERIOD = 10


class RankServer:
    """A program of several ranks that waits as NAME. Each rank prints a result that depends on all iterations before."""

    def __init__(self, name, folder, *options, ranks=2, **environment):
        own = pathlib.Path(tempfile.mkdtemp(dir=folder))  # a test may start several servers
        self.printed, self.errors = own / "printed.txt", own / "errors.txt"
        words = [PROGRAM, ranks, MANY, "--prints", *options]
        with self.printed.open("w") as out, self.errors.open("w") as errors:
            self.process = subprocess.Popen(list(map(str, words)), stdout=out, stderr=errors, stdin=subprocess.DEVNULL, preexec_fn=os.setpgrp,
                                            env={**ON_STAND_INS, "FAKE_CUDA_CLOCKS": "apart", **variables_of(name), **environment})
        self.ranks = ranks

    def results(self):
        """The printed results of each rank, in the order of its iterations."""
        results = {rank: [] for rank in range(self.ranks)}
        for rank, iteration, value in re.findall(r"rank (\d+): (\d+) iterations, (\S+)\n", self.printed.read_text()):
            results[int(rank)].append((int(iteration), value))
        return results

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(FEW_S)


class AttachedRanks(Attached):
    def serve_ranks(self, *options, ranks=2, **environment):
        server = RankServer(self.name, self.folder, *options, ranks=ranks, **environment)
        self.addCleanup(server.kill)
        self.wait_for(lambda: len(self.waiting()) == ranks)
        return server

    def wait_for(self, condition):
        begin = time.monotonic()
        while not condition():
            self.assertLess(time.monotonic() - begin, FEW_S)
            time.sleep(0.02)

    def waiting(self):
        """The processes that wait under the test's name."""
        with open("/proc/net/unix", encoding="utf-8") as sockets:
            return {line.split()[-1] for line in sockets if f"@kjoule-waits/{self.name}/" in line}

    def measured(self, ranks=2, waiting=None):
        done = self.kjoule("compare", "--no-energy")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"({waiting or ranks} processes) will be paused as soon as", unwrapped(done.stderr))
        self.assertIn("the program continues", done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        validator("comparison_report").validate(report)
        self.assertEqual([rank["rank"] for rank in report["ranks"]], [f"rank {rank}" for rank in range(ranks)])
        for rank in report["ranks"]:
            self.assertEqual(rank["verdict"], "adds up", rank)
        return report

    def assert_unharmed(self, server):
        """All ranks go on, and each result is that of a program which was never paused."""
        before = {rank: len(results) for rank, results in server.results().items()}
        self.wait_for(lambda: all(len(results) > max(before[rank], WARM_UP) + 10 * PERIOD for rank, results in server.results().items()))
        server.kill()
        for rank, results in server.results().items():
            self.assertEqual([iteration for iteration, _ in results], list(range(1, len(results) + 1)), rank)
            values = [value for _, value in results]
            self.assertEqual(values[WARM_UP + PERIOD:], values[WARM_UP:-PERIOD], rank)
            self.assertEqual(len(set(values[WARM_UP:WARM_UP + PERIOD])), PERIOD, "the results differ within a period")
        self.assertEqual(server.errors.read_text(), "")

    def test_two_ranks_are_measured_again_and_again(self):
        server = self.serve_ranks()
        for _ in range(2):
            report = self.measured()
            self.assertEqual([rank["launches"] for rank in report["ranks"]], [17, 17])
            self.assertEqual(report["verification"]["different"], [])
            self.assertEqual([entry["count"] for entry in report["collectives"]], [3])
        self.assert_unharmed(server)

    def wait_beside(self, script):
        """Starts a Python script that waits under the name of the ranks."""
        beside = subprocess.Popen([sys.executable, "-c", script], env={**ON_STAND_INS, **variables_of(self.name)}, stdin=subprocess.PIPE)
        self.addCleanup(beside.wait, FEW_S)
        self.addCleanup(beside.stdin.close)  # the script ends
        self.wait_for(lambda: len(self.waiting()) == 3)

    def test_a_launcher_of_ranks_that_only_looks_at_the_gpus_is_left_out(self):
        server = self.serve_ranks()
        self.wait_beside("import ctypes, sys; ctypes.CDLL('libcuda.so.1').cuInit(0); sys.stdin.read()")
        self.measured(waiting=3)
        self.assert_unharmed(server)

    def test_a_process_that_has_memory_but_launches_nothing_is_left_out(self):
        server = self.serve_ranks()
        self.wait_beside("import ctypes, sys\ncuda = ctypes.CDLL('libcuda.so.1')\ncuda.cuInit(0)\ncontext, memory = ctypes.c_void_p(), ctypes.c_uint64()\n"
                         "cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)\ncuda.cuCtxSetCurrent(context)\n"
                         "assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(1 << 20)) == 0\nsys.stdin.read()")
        self.measured(waiting=3)
        self.assert_unharmed(server)

    def test_four_ranks_that_differ(self):
        server = self.serve_ranks("--uneven", 1, ranks=4)
        report = self.measured(ranks=4)
        self.assertEqual([rank["launches"] for rank in report["ranks"]], [17, 20, 17, 17])
        self.assert_unharmed(server)

    def test_stages_of_a_pipeline(self):
        server = self.serve_ranks("--stages", ranks=3)
        report = self.measured(ranks=3)
        self.assertEqual([rank["launches"] for rank in report["ranks"]], [14, 15, 14])
        self.assert_unharmed(server)

    def test_one_of_them_can_be_chosen_and_its_collectives_are_not_replayed(self):
        server = self.serve_ranks()
        process = min(self.waiting()).rpartition("/")[2]
        done = self.kjoule("compare", "--no-energy", target=["--pid", process])
        self.assertEqual(done.returncode, 1)
        self.assertIn("has a collective (ncclDevKernel", done.stderr)
        self.assert_unharmed(server)

    def test_processes_without_collectives_are_not_ranks(self):
        servers = [self.serve(), self.serve()]
        done = self.kjoule("compare", "--no-energy")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"2 processes have the name {self.name}, but the iteration that was found has no collectives, so they are not ranks of one program; "
                      "choose one with --pid N", unwrapped(done.stderr))
        for server in servers:
            Attached.assert_unharmed(self, server)

    def test_a_rank_that_dies_ends_the_measurement(self):
        server = self.serve_ranks()
        kjoule = self.start_kjoule("--time-limit", "60")
        self.wait_for_line(kjoule, "the program is paused while it is measured")
        os.kill(int(max(self.waiting()).rpartition("/")[2]), signal.SIGKILL)
        told = kjoule.stderr.read()
        self.assertEqual(kjoule.wait(FEW_S), 1)
        self.assertRegex(unwrapped(told), r"process \d+\) ended")
        server.kill()

    def test_kjoule_is_ended_by_a_signal(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
            with self.subTest(signal=number):
                server = self.serve_ranks()
                kjoule = self.start_kjoule("--time-limit", "60")
                self.wait_for_line(kjoule, "the program is paused while it is measured")
                kjoule.send_signal(number)
                kjoule.wait(FEW_S)
                self.assert_unharmed(server)

    def test_the_energy_of_each_rank(self):
        meters = meters_of_two_gpus(self.folder)
        server = self.serve_ranks(**meters)
        done = self.kjoule("compare", "--energy-time-limit", "3", **meters)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.results / "comparison_report.json").read_text())
        validator("comparison_report").validate(report)
        for rank in report["ranks"]:
            self.assertIn("whole_interval_joules", rank["energy"], done.stdout)
            low, high = rank["energy"]["whole_interval_joules"]
            self.assertTrue(0 < low < high, rank)
            self.assertTrue(200 < rank["energy"]["whole_watts"] < 400, rank)  # between its kernels of least and of most power
        self.assert_unharmed(server)
