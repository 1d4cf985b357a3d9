"""The energy of programs of several ranks on the stand-in driver, whose devices state how much energy their work consumed (tests/fakes/driver/energy.hpp)."""
import contextlib
import datetime
import json
import pathlib
import shutil
import threading

from .driver import ENERGY_COUNTER, lacks_readings, meters_of_two_gpus, unwrapped
from .test_ranks import Ranks
from .test_schemas import validator

WAITING_W, NCCL_W = 150, 300
WATTS = {"add": 400, "scale": 250}  # 200 W for all others
WALL_W = 830
AGREES = ("adds up", "inconclusive")  # beside compilers, an interval may be wider than the verdict needs


class RanksWithMeters(Ranks):
    def setUp(self):
        super().setUp()
        self.environment |= meters_of_two_gpus(self.folder)

    def words(self, *program, options=(), **settings):
        words = super().words(*program, options=["--energy-time-limit", "3", *options], **settings)
        words.remove("--no-energy")
        return words

    def measured(self, *program, **settings):
        for _ in range(3):
            shutil.rmtree(self.results, ignore_errors=True)
            report, done = super().measured(*program, **settings)
            if not any(map(lacks_readings, [report.get("energy_of_ranks"), *(rank["energy"] for rank in report["ranks"])])):
                break
        return report, done

    def of_rank(self, report, number):
        return json.loads((pathlib.Path(report["ranks"][number]["results"]) / "comparison_report.json").read_text())

    def true_joules(self, report, number, waiting_us):
        """The energy of an iteration from the times of its kernels, and the power of each."""
        joules = -(NCCL_W - WAITING_W) * waiting_us
        for kernel in self.of_rank(report, number)["top_kernels"]:
            watts = NCCL_W if "nccl" in kernel["name"] else WATTS.get(kernel["name"].partition("(")[0], 200)
            joules += watts * kernel["total_us"]
        return 1e-6 * joules

    def check_energy(self, report, waited_us):
        for number, rank in enumerate(report["ranks"]):
            energy, true = rank["energy"], self.true_joules(report, number, waited_us[number])
            low, high = energy["whole_interval_joules"]
            within = max(0.004, (high - low) / 2 / true)  # beside compilers, the interval may be wider
            self.assertAlmostEqual(energy["whole_joules"] / true, 1, delta=within, msg=energy)
            self.assertAlmostEqual(energy["whole_watts"] * energy["whole_us"] * 1e-6 / true, 1, delta=within)
            low, high = energy["sum_interval_joules"]
            self.assertTrue(low <= true <= high, (energy, true))
            own = self.of_rank(report, number)
            self.assertEqual(own["energy"]["sum_joules"], energy["sum_joules"])
            validator("comparison_report").validate(own)
            rows = [json.loads(line) for line in (pathlib.Path(rank["results"]) / "results.jsonl").read_text().splitlines()]
            for row in rows:
                if row["kind"].startswith("energy"):
                    validator("results_row").validate(row)
        everything = report["energy_of_ranks"]
        self.assertAlmostEqual(everything["whole_joules"], sum(rank["energy"]["whole_joules"] for rank in report["ranks"]))
        low, high = everything["sum_interval_joules"]
        self.assertAlmostEqual(high - low, sum(high - low for low, high in (rank["energy"]["sum_interval_joules"] for rank in report["ranks"])))


class Energy(RanksWithMeters):
    def test_of_two_ranks(self):
        report, done = self.measured()
        self.check_energy(report, [0, 0])
        for number, rank in enumerate(report["ranks"]):
            self.assertIn(rank["energy"]["verdict"], AGREES, rank)
            self.assertLess(abs(rank["energy"]["error_percent"]), 5, rank)
            self.assertLess(rank["energy"]["half_width_percent"], 5, rank)
            collective, = [kernel for kernel in self.of_rank(report, number)["top_kernels"] if "nccl" in kernel["name"]]
            low, high = collective["energy"]["interval_joules"]
            self.assertTrue(low <= NCCL_W * 1e-6 * collective["total_us"] <= high, collective)
            self.assertEqual(collective["energy"]["kernels_together"], 1)
            self.assertEqual(len(list(pathlib.Path(rank["results"]).glob("power_*.csv"))), 1)
        self.assertRegex(done.stdout, r"ranks' energy +whole mJ +\+- mJ +W +sum mJ +error % +\+- % +verdict\n"
                         r"( +rank [01] .* 3\d\d .* (adds up|inconclusive)\n){2} +all ranks .* 6\d\d .* (adds up|inconclusive)\n +by nvml-counter\n")

    def test_of_links_that_sleep(self):
        # The links between the GPUs consume 60 W while they are in use. Where kjoule leaves out the collectives, it keeps them in use.
        links_w = 60
        self.environment["FAKE_CUDA_LINKS_W"] = str(links_w)
        report, _ = self.measured()
        for number, rank in enumerate(report["ranks"]):
            energy = rank["energy"]
            links_j = 1e-6 * links_w * rank["whole_us"]
            self.assertAlmostEqual((energy["whole_joules"] - links_j) / self.true_joules(report, number, 0), 1, delta=0.006, msg=energy)
            self.assertLess(abs(energy["error_percent"]), 5, energy)
            self.assertLessEqual(energy["sum_interval_joules"][0], energy["whole_joules"])
            self.assertLessEqual(energy["whole_joules"], energy["sum_interval_joules"][1])

    def test_waiting_is_part_of_it(self):
        """The kernels of rank 1 take longer, so that rank 0 waits for it at another power."""
        report, _ = self.measured("--heavy", "1")
        kind, = report["collectives"]
        waited_us = [rank["waiting_us"] for rank in kind["ranks"]]
        self.assertGreater(waited_us[0], 0.2 * report["ranks"][0]["whole_us"])
        self.check_energy(report, waited_us)
        self.assertLess(report["ranks"][0]["energy"]["whole_watts"], report["ranks"][1]["energy"]["whole_watts"] - 20)

    def test_launches_that_are_several_kernels_on_one_rank_only(self):
        """They are left out together, and the energies of the groups add up on both ranks."""
        for rank in (0, 1):
            with self.subTest(rank):
                report, _ = self.measured("--scalars", rank)
                self.check_energy(report, [0, 0])
                for entry in report["ranks"]:
                    self.assertIn(entry["energy"]["verdict"], AGREES, entry)
                scales = [[kernel for kernel in self.of_rank(report, number)["top_kernels"] if kernel["name"].startswith("scale")] for number in (0, 1)]
                self.assertEqual(len(scales[rank]) - len(scales[1 - rank]), 2)
                energies = [sum(kernel["energy"]["joules"] for kernel in kernels) for kernels in scales]
                self.assertAlmostEqual(energies[0] / energies[1], 1, delta=0.05)
                shutil.rmtree(self.results)

    def rows_of(self, number):
        path = self.results / ("results.jsonl" if number == 0 else f"rank-{number}/results.jsonl")
        return path, path.read_text().splitlines(keepends=True)

    def test_an_interrupted_run_is_completed(self):
        """Each block is kept when it is complete. The kill came when rank 1 had its row of the third block, and rank 0 had not."""
        self.measured()
        kept = []
        for number, blocks in enumerate([2, 3]):
            path, rows = self.rows_of(number)
            places = [place for place, row in enumerate(rows) if '"energy_block"' in row]
            kept.append(rows[:places[blocks - 1] + 1])
            path.write_text("".join(kept[number]))
        words = ["--resume" if word == "-o" else word for word in self.words()]
        done = self.run_words(words, {})
        self.assertEqual(done.returncode, 0, done.stderr)
        for number, rank in enumerate(self.report()["ranks"]):
            self.assertIn(rank["energy"]["verdict"], [*AGREES, "does not add up"], rank)
            _, rows = self.rows_of(number)
            self.assertEqual(rows[:len(kept[number])], kept[number])
            blocks = [json.loads(row) for row in rows if '"energy_block"' in row]
            self.assertGreater(len(blocks), 3)
            self.assertEqual([block["block"] for block in blocks], list(range(len(blocks))))
            self.assertEqual(sum('"energy_plan"' in row for row in rows), 1)

    def test_by_a_meter_that_was_named(self):
        report, done = self.measured(options=["--power-source", "nvml"])
        self.check_energy(report, [0, 0])
        self.assertIn("\n  by nvml\n", done.stdout)

    def test_of_the_whole_machine(self):
        """A log of the machine's power contains all ranks. It is read once."""
        log, ended = self.folder / "wall.csv", threading.Event()
        log.write_text("timestamp,power_w\n")

        def write():
            while not ended.wait(0.1):
                with log.open("a") as file:
                    file.write(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S.%f},{WALL_W}\n")
        writer = threading.Thread(target=write)
        writer.start()
        with contextlib.ExitStack() as stack:
            stack.callback(writer.join)
            stack.callback(ended.set)
            report, done = self.measured(options=["--power-log", log, "--averaging", 0.1])
        self.assertEqual([rank["energy"] for rank in report["ranks"]], [None, None])
        energy = report["energy_of_ranks"]
        self.assertAlmostEqual(energy["whole_joules"] / (WALL_W * 1e-6 * report["ranks"][0]["whole_us"]), 1, delta=0.02)
        self.assertRegex(done.stdout, r"verdict\n +all ranks .* 830 .*\n +by csv, which measures the whole machine\n")
        validator("comparison_report").validate(report)

    def test_without_a_meter(self):
        report, done = self.measured(FAKE_NVML_UUID_1="GPU-another")
        missing = "rank 1: nvml-counter does not find the GPU GPU-01010203-0405-0607-0809-0a0b0c0d0e0f"
        self.assertIn(f"energy: not measured: {missing}", unwrapped(done.stdout))
        self.assertEqual(report["energy_of_ranks"]["missing"], missing)
        validator("comparison_report").validate(report)

    def test_of_ranks_that_launch_different_kernels(self):
        """Only the energy of the whole is measured."""
        report, done = self.measured("--uneven", "1")
        kind, = report["collectives"]
        for number, rank in enumerate(report["ranks"]):
            energy, true = rank["energy"], self.true_joules(report, number, kind["ranks"][number]["waiting_us"])
            low, high = energy["whole_interval_joules"]  # wide if other programs keep the host from launching in time
            self.assertAlmostEqual(energy["whole_joules"] / true, 1, delta=max(0.006, (high - low) / 2 / true), msg=energy)
            self.assertEqual([energy["sum_joules"], energy["verdict"]], [None, None])
            validator("comparison_report").validate(self.of_rank(report, number))
            rows = [json.loads(line) for line in (pathlib.Path(rank["results"]) / "results.jsonl").read_text().splitlines()]
            validator("results_row").validate(next(row for row in rows if row["kind"] == "energy_wholes"))
        why = "the ranks launch different kernels, so that they cannot leave out the same ones"
        self.assertIn(f"sum: not measured: {why}", unwrapped(done.stdout))
        self.assertEqual(report["energy_of_ranks"]["verdict_reason"], why)
        self.assertAlmostEqual(report["energy_of_ranks"]["whole_joules"], sum(rank["energy"]["whole_joules"] for rank in report["ranks"]))
        self.assertRegex(done.stdout, r"\n +all ranks +[\d.]+ +[\d.e-]+ +\d+ +- +- +-\n")

    def test_of_stages_of_a_pipeline(self):
        report, _ = self.measured("--stages", ranks=3, FAKE_NVML_GPUS="3", FAKE_NVML_UUID_2=ENERGY_COUNTER["FAKE_NVML_UUID"].replace("GPU-00", "GPU-02"))
        for rank in report["ranks"]:
            self.assertGreater(rank["energy"]["whole_joules"], 0)
            self.assertIsNone(rank["energy"]["sum_joules"])
