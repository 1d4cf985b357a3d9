"""Programs of one process with several GPUs on the stand-in driver: each GPU is recorded and replayed like a rank, or the reason is stated."""
import json
import pathlib
import shutil

from .driver import KJOULE, STAND_INS, Driver, lacks_readings, meters_of_two_gpus, unwrapped
from .test_schemas import validator

PROGRAM = STAND_INS / "gpus_program"
LAUNCHES = 11  # of a GPU in an iteration


class GpusOfProcess(Driver):
    def run_gpus(self, *program, gpus=2, options=("--no-energy",), **environment):
        words = [KJOULE, "compare", "-o", self.results, "--loop-seconds", self.LOOP_SECONDS, "--time-limit", 1, *options, "--", PROGRAM, gpus,
                 10_000_000, *program]
        return self.run_words(words, {"FAKE_CUDA_DEVICES": str(gpus), "FAKE_CUDA_CLOCKS": "apart", **environment})

    def measured(self, *program, gpus=2, launches=(LAUNCHES, LAUNCHES), **settings):
        """The report of a program, each of whose GPUs adds up, with the recorded bits."""
        done = self.run_gpus(*program, gpus=gpus, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("illegal address", done.stderr)
        report = self.report()
        self.assertEqual([rank["rank"] for rank in report["ranks"]], [f"GPU {gpu}" for gpu in range(gpus)], done.stdout)
        self.assertEqual([rank["launches"] for rank in report["ranks"]], list(launches))
        self.assertEqual(len({rank["gpu_uuid"] for rank in report["ranks"]}), gpus)
        for rank in report["ranks"]:
            self.assertEqual(rank["verdict"], "adds up", rank)
            own = json.loads((pathlib.Path(rank["results"]) / "comparison_report.json").read_text())
            self.assertEqual(own["verification"]["different"] + own["verification"]["varying"], [], "each launch gives the recorded bits")
            self.assertEqual(own["verification"]["launches"], rank["launches"])
            self.assertNotIn("device's own list of activities", str(own["findings"]), "each GPU is compared with its own records")
        validator("comparison_report").validate(report)
        return report, done

    def refused(self, *program):
        done = self.run_gpus(*program)
        self.assertNotIn("ranks", self.report() if (self.results / "comparison_report.json").exists() else {})
        return unwrapped(done.stderr)

    def test_a_thread_for_each_gpu(self):
        report, done = self.measured()
        self.assertRegex(done.stdout, r"ranks, in step +launches +whole us +sum us +error % +\+- % +verdict\n +GPU 0 +11 .* adds up\n +GPU 1 +11 .* adds up\n")
        self.assertTrue((self.results / "GPU-1/results.jsonl").exists())
        # Both GPUs launch the same kernels, whose times differ by the noise of the stand-in only.
        whole = [rank["whole_us"] for rank in report["ranks"]]
        self.assertLess(abs(whole[1] / whole[0] - 1), 0.01)

    def test_a_recording_is_that_of_one_gpu(self):
        environment = {"FAKE_CUDA_DEVICES": "2"}
        told = "kjoule: the program works on several GPUs, of which only its GPU 0 is recorded; --gpu N records another one\n"
        for options, expected in ([], told), (["--gpu", 1], ""):
            with self.subTest(options=options):
                words = [KJOULE, "record", "-o", self.recording, "--loop-seconds", self.LOOP_SECONDS, *options, "--", PROGRAM, 2, 100_000, "--one-thread"]
                done = self.run_words(words, environment)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count("of which only its GPU"), len(expected) > 0, done.stderr)
                self.assertIn(expected, done.stderr)
                self.assertIn(f"{LAUNCHES} launches of ", done.stdout)
                self.recording.unlink()

    def test_one_thread_for_all_gpus(self):
        self.measured("--one-thread")

    def test_variables_of_modules(self):
        # A GPU cannot reach the variables of the other GPU's modules.
        self.measured("--counts", launches=(LAUNCHES + 1,) * 2)

    def test_a_gpu_with_more_launches(self):
        for program in ["--uneven", 1], ["--one-thread", "--uneven", 1]:
            with self.subTest(program=program):
                report, _ = self.measured(*program, launches=(LAUNCHES, LAUNCHES + 3))
                whole = [rank["whole_us"] for rank in report["ranks"]]
                self.assertGreater(whole[1], whole[0] + 5, "three kernels of 2 us and more")
                self.assertEqual(report["group"]["slowest_rank"], "GPU 1")

    def test_three_gpus(self):
        self.measured(gpus=3, launches=(LAUNCHES,) * 3)

    def test_gpus_that_exchange_data_by_collectives(self):
        report, _ = self.measured("--reduce", launches=(LAUNCHES + 3,) * 2)
        self.assertEqual([entry["count"] for entry in report["collectives"]], [3])

    def test_the_energy_of_each_gpu(self):
        """The stand-in's kernels take 400 W (`add`), 250 W (`scale`) or 200 W (all others): 7 x 3.0 us x 400 W + 2.5 us x 250 W + 7.9 us x 200 W in an
        iteration of 31.5 us are 338 W."""
        meters = meters_of_two_gpus(self.folder)
        for _ in range(3):
            shutil.rmtree(self.results, ignore_errors=True)
            report, _ = self.measured(options=["--energy-time-limit", 4], **meters)
            if not any(lacks_readings(rank["energy"]) for rank in report["ranks"]):
                break
        for rank in report["ranks"]:
            self.assertAlmostEqual(rank["energy"]["whole_watts"], 338, delta=10, msg=rank["energy"])
            # Beside compilers, the interval may be wider.
            self.assertLess(abs(rank["energy"]["error_percent"]), max(3, rank["energy"]["half_width_percent"]))
        total = sum(rank["energy"]["whole_joules"] for rank in report["ranks"])
        self.assertAlmostEqual(report["energy_of_ranks"]["whole_joules"], total, delta=0.01 * total)

    def test_a_gpu_without_work_in_the_loop_is_left_out(self):
        done = self.run_gpus("--idle", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report()
        self.assertNotIn("ranks", report)
        self.assertEqual(report["verification"]["launches"], LAUNCHES)
        self.assertNotIn("device's own list of activities", str(report["findings"]))

    def test_gpus_that_wait_for_events_of_each_other_are_refused(self):
        self.assertIn("the iteration cannot be replayed: it waits on GPU 0 for an event of GPU 1; let the GPUs exchange data by collectives of NCCL, or measure "
                      "one GPU at a time with --gpu N", self.refused("--events", "--one-thread"))

    def test_gpus_that_copy_to_each_other_are_refused(self):
        self.assertIn("the iteration cannot be replayed: it uses memory of GPU 1 on GPU 0 (memcpy DtoD)", self.refused("--direct", "--one-thread"))
        self.assertIn("the iteration cannot be replayed: it calls cuMemcpyPeerAsync", self.refused("--peer", "--one-thread"))

    def test_one_gpu_can_be_chosen(self):
        done = self.run_gpus("--uneven", 1, options=["--no-energy", "--gpu", 1])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ranks", self.report())
        self.assertEqual(self.report()["verification"]["launches"], LAUNCHES + 3)
