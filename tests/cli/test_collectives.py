"""kjoule collectives, with the real kjoule-nccl; only NCCL (tests/fakes/nccl) and the CUDA driver are stand-ins, which exchange the data of the
ranks and tell a virtual time."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from .driver import BUILD, KJOULE, PROGRAM, STAND_INS, TWO_ENERGY_COUNTERS
from .messages import errors_in

NCCL = BUILD / "tests/fakes/nccl"
# Operation and GPUs, and for 12 KiB in fp16: the number that tables state, and the factor of the bus bandwidth by nccl-tests.
OPERATIONS = [("all_reduce", "allreduce", 2, 6144, 1), ("all_reduce", "allreduce", 3, 6144, 4 / 3), ("all_gather", "allgather", 3, 2048, 2 / 3),
              ("reduce_scatter", "reducescatter", 3, 6144, 2 / 3), ("broadcast", "broadcast", 3, 6144, 1),
              ("all_to_all", "alltoall", 3, 6144, 2 / 3), ("send_receive", "p2p", 3, 6144, 1)]

# Writes a power of 800 W to a log, 50 times a second.
LOGGER = """
import datetime, sys, time
with open(sys.argv[1], "a", buffering=1) as log:
    while True:
        log.write(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S.%f},800\\n")
        time.sleep(0.02)
"""


@unittest.skipIf(os.environ.get("KJOULE_TORCH") and not PROGRAM.exists(), "built without CUDA's headers")
class Collectives(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "results"

    def start(self, *words, **variables):
        environment = {**os.environ, "LD_LIBRARY_PATH": f"{STAND_INS}:{NCCL}", "FAKE_CUDA_DEVICES": "4", "FAKE_CUDA_SLOWNESS": "1000", **variables}
        return subprocess.Popen([str(word) for word in [KJOULE, "collectives", *words, "-o", self.folder]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=environment)

    def run_kjoule(self, *words, **variables):
        with self.start(*words, **variables) as kjoule:
            output, errors = kjoule.communicate(timeout=300)
        return subprocess.CompletedProcess(kjoule.args, kjoule.returncode, output, errors)

    def written_rows(self):
        return [json.loads(line) for path in self.folder.glob("*.jsonl") for line in path.read_text().splitlines()]

    def rows(self, *words, **variables):
        done = self.run_kjoule(*words, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.written_rows()

    def rows_with_energy(self, *words, **variables):
        """Like rows(). Measures again, at most twice, if a meter gave no reading: on a crowded machine, the thread that reads it is held up."""
        for attempt in range(3):
            self.folder = self.folder.with_name(f"attempt {attempt}")
            done = self.run_kjoule(*words, **variables)
            rows = self.written_rows()
            if not any(row["energy_missing"].endswith("gave no reading while the GPUs worked") for row in rows):
                break
        self.assertEqual(done.returncode, 0, done.stderr)
        return rows

    def error(self, *words, **variables):
        """Returns the error, which is one line."""
        done = self.run_kjoule(*words, **variables)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        lines = errors_in(done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        return lines[0]

    def test_each_operation_has_the_bandwidths_of_nccl_tests(self):
        # kjoule-nccl itself checks the results of the operations; test_a_wrong_result_is_an_error shows that it does.
        for operation, table, gpus, shape, factor in OPERATIONS:
            with self.subTest(operation=operation, gpus=gpus):
                self.folder = self.folder.with_name(f"{operation}_{gpus}")
                row, = self.rows(operation, "--gpus", ",".join(map(str, range(gpus))), "--from", 12288, "--to", 12288)
                self.assertEqual((row["bytes"], row["elements"], row["gpus_per_node"], row["stand_in"], row["nccl"]), (12288, 6144, gpus, True, "2.27.3"))
                self.assertAlmostEqual(row["algorithm_bytes_per_s"] * 1e-6 * row["time_us"], 12288, delta=1e-6)
                self.assertAlmostEqual(row["bus_bytes_per_s"] / row["algorithm_bytes_per_s"], factor)
                name = f"stand-in_Stand-inGPU_{table}_fp16_1_{gpus}.csv"
                self.assertEqual((self.folder / name).read_text(), f"shape,nodes,GPUsPerNode,dur(us)\n{shape},1,{gpus},{row['time_us']:.3f}\n")

    def test_sizes_are_measured_in_order(self):
        rows = self.rows("all_reduce", "--precision", "bf16", "--to", 32768)
        self.assertEqual([row["bytes"] for row in rows], [4096, 8192, 16384, 32768])
        # A kernel of the stand-in takes 3.1 ms, and 36 us more for each 4 KiB; on a busy machine, the host adds some time.
        for row in rows:
            self.assertGreater(row["time_us"], 3050 + 36 * row["bytes"] / 4096 - 100)
            self.assertLess(row["time_us"], 5 * 3100)
        self.assertEqual({len(row["passes_us"]) for row in rows}, {6})

    def test_collectives_in_a_graph_lack_the_time_of_launching(self):
        # A kernel of the stand-in takes 3.05 ms, and 36 us more for each 4 KiB. On a busy machine, a rank waits for the other, but not in each pass.
        for operation, sizes in [("all_reduce", 3), ("send_receive", 1), ("all_to_all", 1)]:
            with self.subTest(operation=operation):
                self.folder = self.folder.with_name(operation)
                rows = self.rows(operation, "--graph", "--to", 4096 << (sizes - 1))
                for row in rows:
                    self.assertTrue(row["graph"])
                    self.assertAlmostEqual(min(row["passes_us"]), 3050 + 36 * row["bytes"] / 4096, delta=0.05 * 3100)
        self.folder = self.folder.with_name("broadcast")
        self.assertFalse(self.rows("broadcast", "--to", 4096)[0]["graph"])

    def test_ranks_that_only_wait_have_no_time(self):
        # A message goes from the first to the last of three GPUs, in a kernel of 3.05 ms, and 36 us more for each 4 KiB.
        row, = self.rows("send_receive", "--graph", "--gpus", "0,1,2", "--to", 4096)
        self.assertAlmostEqual(min(row["passes_us"]), 3086, delta=0.05 * 3086)

    def test_out_of_place_has_rows_but_no_table(self):
        row, = self.rows("all_gather", "--precision", "fp32", "--out-of-place", "--gpus", "3,1", "--to", 4096)
        self.assertFalse(row["in_place"])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["stand-in_Stand-inGPU_allgather_fp32_1_2_out_of_place.jsonl"])

    def test_energy_is_the_power_of_all_gpus_times_the_time(self):
        # The two GPUs consume 300 and 310 W. An interval of three readings is wide on a busy machine, but contains the truth.
        rows = self.rows_with_energy("all_reduce", "--to", 8192, "--energy", **TWO_ENERGY_COUNTERS)
        table = (self.folder / "stand-in_Stand-inGPU_allreduce_fp16_1_2.csv").read_text().splitlines()
        self.assertEqual(table[0], "shape,nodes,GPUsPerNode,dur(us),energy(J)")
        for row, line in zip(rows, table[1:], strict=True):
            watts = 1e6 * row["joules"] / row["energy_time_us"]
            self.assertAlmostEqual(watts, 610, delta=0.02 * 610)
            self.assertLessEqual(row["joules_low"], row["joules"])
            self.assertLessEqual(row["joules"], row["joules_high"])
            self.assertAlmostEqual(row["joules_of_gpus"][1] / row["joules_of_gpus"][0], 310 / 300, delta=0.02)
            self.assertAlmostEqual(sum(row["joules_of_gpus"]), row["joules"])
            self.assertAlmostEqual(float(line.split(",")[4]), row["joules"] / 2, delta=1e-4 * row["joules"])
            self.assertEqual((row["meter"], row["energy_missing"]), ("nvml-counter", ""))

    def test_a_meter_of_the_machine_measures_all_gpus(self):
        log = self.folder.with_name("log.csv")
        log.write_text("timestamp,watts\n")
        with subprocess.Popen([sys.executable, "-c", LOGGER, log]) as logger:
            try:
                row, = self.rows_with_energy("all_reduce", "--to", 4096, "--energy", "--power-log", log, FAKE_CUDA_SLOWNESS="50")
            finally:
                logger.kill()
        self.assertAlmostEqual(1e6 * row["joules"] / row["energy_time_us"], 800, delta=1)
        self.assertEqual(row["joules_of_gpus"], [])
        self.assertTrue((self.folder / "stand-in_Stand-inGPU_allreduce_fp16_1_2.csv").read_text().endswith(",\n"))  # not the energy of one GPU

    def test_without_a_meter_times_remain_and_the_reason_is_printed(self):
        done = self.run_kjoule("all_reduce", "--to", 4096, "--energy", KJOULE_NVML="/none", PATH="/none")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("kjoule: the energies are not known: rank 0: ", done.stderr)
        row, = self.written_rows()
        self.assertIsNone(row["joules"])
        self.assertIn("rank 0: ", row["energy_missing"])
        self.assertRegex(done.stdout, r"4096 +2048 .* - +- +-\n")

    def test_a_meter_that_is_not_there_is_an_error_before_anything_is_timed(self):
        self.assertIn("kjoule: ", self.error("all_reduce", "--energy", "--power-source", "nvml", KJOULE_NVML="/none"))
        self.assertEqual(self.written_rows(), [])
        self.assertEqual(len(self.rows("all_reduce", "--to", 4096)), 1, "nothing is in the way of the next run")

    def test_a_meter_of_one_gpu_is_an_error(self):
        said = self.error("all_reduce", "--to", 4096, "--energy", "--power-source", "nvml-counter:gpu=0", **TWO_ENERGY_COUNTERS)
        self.assertTrue(said.endswith("measures one GPU, but there are several ranks; name a source with the GPUs of all ranks"), said)

    def test_times_are_kept_if_the_measurement_of_energy_fails(self):
        # Two sizes take 252 operations; then rank 1 repeats them for the meter.
        said = self.error("all_reduce", "--to", 8192, "--energy", FAKE_NCCL_DIES="1:300", **TWO_ENERGY_COUNTERS)
        self.assertIn("rank 1 (GPU 1) ended before it could repeat all_reduce of 4096 bytes: killed by signal 9", said)
        rows = self.written_rows()
        self.assertEqual([(row["bytes"], row["joules"], row["energy_missing"]) for row in rows],
                         [(bytes, None, "the measurement ended before the energy of this size was measured") for bytes in (4096, 8192)])
        table = (self.folder / "stand-in_Stand-inGPU_allreduce_fp16_1_2.csv").read_text().splitlines()
        self.assertEqual(table[1:], [f"{row['elements']},1,2,{row['time_us']:.3f}," for row in rows])

    def test_a_rank_that_hangs_while_it_repeats_is_named_after_one_time_limit(self):
        with self.start("all_reduce", "--to", 4096, "--energy", "--time-limit", 20, FAKE_NCCL_STALLS="1:150", **TWO_ENERGY_COUNTERS) as kjoule:
            while not self.folder.exists() or not self.written_rows():
                time.sleep(0.01)
            timed = time.monotonic()
            _, said = kjoule.communicate(timeout=300)
        self.assertLess(time.monotonic() - timed, 38, "the time limit, and no second one")
        self.assertIn("did not repeat all_reduce of 4096 bytes within 20 s", said)

    def test_an_interrupted_sweep_names_what_is_kept(self):
        with self.start("all_reduce", "--to", 8192, FAKE_NCCL_STALLS="1:200") as kjoule:
            while not self.folder.exists() or not self.written_rows():
                time.sleep(0.01)
            kjoule.send_signal(signal.SIGINT)
            _, said = kjoule.communicate(timeout=300)
        self.assertRegex(said, r"kjoule: interrupted; 1 row is kept in \S+/stand-in_Stand-inGPU_allreduce_fp16_1_2.jsonl; measure the sizes that are left with --from")

    def test_meters_need_energy(self):
        done = self.run_kjoule("all_reduce", "--power-source", "nvml")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--power-source requires --energy", done.stderr)

    def test_another_order_of_operations_is_an_error(self):
        self.assertRegex(self.error("all_reduce", "--to", 8192, FAKE_NCCL_SWAPS="1:20"), r"rank [01] \(GPU [01]\): all_reduce ")

    def test_a_wrong_result_is_an_error(self):
        for operation, *options in [["all_reduce"], ["reduce_scatter"], ["all_reduce", "--graph"]]:
            self.folder = self.folder.with_name("_".join([operation, *options]))
            self.assertIn(f"rank 1 (GPU 1): the result of {operation} is wrong in element 0 of part 0",
                          self.error(operation, "--to", 4096, *options, FAKE_NCCL_WRONG="1:1"))

    def test_a_dead_rank_is_named_and_earlier_rows_are_kept(self):
        # A size takes 126 operations: one to check, 5 untimed ones, and 6 passes of 20.
        self.assertIn("rank 1 (GPU 1) ended before it could measure all_reduce of 8192 bytes: killed by signal 9 (Killed)",
                      self.error("all_reduce", "--to", 16384, FAKE_NCCL_DIES="1:200"))
        row, = self.written_rows()
        self.assertEqual(row["bytes"], 4096)

    def test_a_late_rank_is_awaited(self):
        self.assertEqual(len(self.rows("all_reduce", "--to", 8192, FAKE_NCCL_LATE="1:1500")), 2)

    def test_a_rank_that_is_too_late_is_named(self):
        self.assertIn("kjoule: rank 1 (GPU 1) did not open its GPU and load NCCL within 2 s",
                      self.error("all_reduce", "--to", 8192, "--time-limit", 2, FAKE_NCCL_LATE="1:100000"))
        self.assertIn("rank 0 (GPU 0) and rank 1 (GPU 1) did not measure all_reduce of 4096 bytes within 5 s",
                      self.error("all_reduce", "--to", 8192, "--time-limit", 5, FAKE_NCCL_STALLS="1:20"))

        self.assertIn("kjoule: rank 0 (GPU 0) did not name the group within 2 s", self.error("all_reduce", "--time-limit", 2, FAKE_NCCL_NAMELESS="0:1"))

    def test_another_version_is_refused(self):
        self.assertIn("rank 0 (GPU 0) loads NCCL 2.27.3 (libnccl.so.2), but rank 1 (GPU 1) loads NCCL 2.21.5 (libnccl.so.2); let all ranks load the same",
                      self.error("all_reduce", FAKE_NCCL_VERSION="1:22105"))

    def test_what_is_missing_is_named(self):
        self.assertIn("rank 1 (GPU 4): there is no GPU 4: CUDA finds 4", self.error("all_reduce", "--gpus", "0,4"))
        self.assertIn("NCCL cannot be loaded from KJOULE_NCCL=/none", self.error("all_reduce", KJOULE_NCCL="/none"))
        for words, text in [(["--gpus", "1,1"], "--gpus names a GPU twice"), (["--gpus", "0"], "--gpus names 1 GPU, but collectives need 2 to 64"),
                            (["--from", 8, "--to", 4], "there is no size from 8 to 4 bytes that all_reduce can have")]:
            done = self.run_kjoule("all_reduce", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)

    def test_rows_of_another_run_are_not_overwritten(self):
        self.rows("broadcast", "--to", 4096)
        self.assertIn("exists already; choose another folder with -o", self.error("broadcast", "--to", 4096))
        jsonl, = self.folder.glob("*.jsonl")
        jsonl.unlink()
        self.assertIn(".csv exists already", self.error("broadcast", "--to", 4096))
        self.assertFalse(jsonl.exists())
