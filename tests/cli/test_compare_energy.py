"""kjoule compare with energy, on the simulated device and its meters: commands as a user gives them."""
import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
KJOULE = ROOT / "build/bin/kjoule"


class CompareEnergy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = pathlib.Path(folder.name) / "results"

    def compare(self, spec="", *options):
        return subprocess.run([KJOULE, "compare", "--device", f"simulated:seed=5{spec}", "-o", self.results, *map(str, options)],
                              capture_output=True, text=True, check=False, timeout=600)

    def report(self):
        return json.loads((self.results / "comparison_report.json").read_text())

    def rows(self, kind):
        rows = [json.loads(line) for line in (self.results / "results.jsonl").read_text().splitlines()]
        return [row for row in rows if row["kind"] == kind]

    def test_the_sum_of_kernels_predicts_the_wholes_energy(self):
        done = self.compare(",drift=0")
        self.assertEqual(done.returncode, 0, done.stderr)
        energy = self.report()["energy"]
        self.assertLess(abs(energy["error_percent"]), 1)  # whether intervals cover is bench/simulated_energy's to tell, not one seed's
        self.assertTrue(0 < energy["half_width_percent"] < 3)
        self.assertAlmostEqual(energy["whole_watts"] * energy["whole_us"] * 1e-6, energy["whole_joules"], 6)
        self.assertAlmostEqual(energy["whole_us"] / self.report()["whole_us"], 1, delta=0.02)
        self.assertIn("energy of an iteration, by simulated-counter", done.stdout)
        self.assertTrue(60 < energy["idle_watts"] < 100, energy["idle_watts"])
        self.assertRegex(done.stdout, r"eager: these cost [0-9.]+ mJ at the [0-9]+ W that the device draws with nothing to do")

    def test_every_kernel_has_joules_and_they_add_up(self):
        self.compare("", "--top", "100")
        report = self.report()
        kernels = [kernel["energy"] for kernel in report["top_kernels"]]
        self.assertAlmostEqual(sum(kernel["joules"] for kernel in kernels) / report["energy"]["sum_joules"], 1, 6)
        self.assertAlmostEqual(sum(kernel["attributed_joules"] for kernel in kernels) / report["energy"]["whole_joules"], 1, 6)
        self.assertAlmostEqual(sum(kernel["share_percent"] for kernel in kernels), 100, 6)
        with (self.results / "summary.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertAlmostEqual(sum(float(row["energy_joules"]) for row in rows) / report["energy"]["sum_joules"], 1, 6)
        self.assertTrue(all(float(row["average_watts"]) > 0 for row in rows))

    def test_a_power_log_is_kept_that_kjoule_energy_reads(self):
        self.compare()
        log, = self.results.glob("power_*.csv")
        self.assertRegex(log.name, r"^power_simulated_seed_5_\d{8}_\d{6}\.csv$")
        with log.open() as file:
            watts = [float(row["power_w"]) for row in csv.DictReader(file)]
        self.assertGreater(len(watts), 300)
        self.assertTrue(all(40 < one < 1000 for one in watts))

    def test_both_meters_are_told_and_agree(self):
        self.compare()
        counter, samples = self.report()["energy"]["meters"]
        self.assertEqual((counter["quantity"], counter["tick_s"]), ("energy counter", 0.1))
        self.assertEqual(samples["quantity"], "power")
        self.assertAlmostEqual(samples["whole_joules"] / counter["whole_joules"], 1, delta=0.01)

    def test_a_power_limit_is_told(self):
        self.compare(",power_limit=350")
        self.assertRegex(" ".join(self.report()["energy"]["notes"]), r"power limit keeps the clock down in \d+ of \d+ readings")
        self.compare(",power_limit=1000")
        self.assertNotIn("power limit", " ".join(self.report()["energy"]["notes"]))

    def test_no_energy_measures_times_alone(self):
        done = self.compare("", "--no-energy")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(self.report()["energy"])
        self.assertNotIn("energy", done.stdout)
        self.assertEqual(list(self.results.glob("power_*.csv")), [])

    def test_without_a_meter_the_latency_stays(self):
        done = self.compare(",meter=none")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("energy: none, the simulated device has no meter", done.stdout)
        self.assertGreater(self.report()["whole_us"], 0)

    def test_a_meter_that_stands_still_gives_no_joules(self):
        done = self.compare(",meter=frozen")
        self.assertEqual(done.returncode, 0)
        self.assertIn("- finding: no energy: ", done.stdout)
        self.assertRegex(" ".join(self.report()["findings"]), "^no energy: ")
        energy = self.report()["energy"]
        self.assertNotIn("whole_joules", energy)
        self.assertIn("although it should change", " ".join(energy["notes"]))
        self.assertLess(abs(self.report()["sum_error_percent"]), 2)

    def test_a_counter_that_falls_back_costs_the_readings_across_it(self):
        done = self.compare(",meter=resets")
        self.assertEqual(done.returncode, 0, done.stderr)
        energy = self.report()["energy"]
        self.assertLess(abs(energy["error_percent"]), 2)
        self.assertIn("jumped back", " ".join(energy["notes"]))

    def test_energy_that_is_not_asked_for_has_no_options(self):
        for option in (["--power-source", "nvml"], ["--power-log", "p.csv"], ["--interval", "1"], ["--energy-precision", "2%"], ["--energy-time-limit", "9"]):
            done = self.compare("", *option, "--no-energy")
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"^kjoule: .*excludes.*\n$")
            self.assertIn(option[0], done.stderr)
        done = self.compare("", "--power-source", "nvml", "--power-log", "p.csv")
        self.assertIn("--power-source excludes --power-log", done.stderr)

    def test_a_log_that_the_shell_exports_gives_way_to_what_is_asked_for(self):
        log = self.results.parent / "nothing.csv"
        with unittest.mock.patch.dict(os.environ, POWER_LOG_PATH=str(log)):
            self.assertIn("nothing.csv", self.compare("").stderr)
            self.assertEqual(self.compare("", "--no-energy").returncode, 0)
            self.assertIn("nonsense", self.compare("", "--power-source", "nonsense").stderr)

    def test_a_meter_that_is_not_there_is_refused_before_anything_is_measured(self):
        done = self.compare("", "--power-source", "nonsense")
        self.assertNotEqual(done.returncode, 0)
        told, = [line for line in done.stderr.splitlines() if line.startswith("kjoule: ")]
        self.assertIn("nonsense", told)

    def test_a_killed_run_keeps_its_blocks(self):
        self.compare(",drift=0")
        whole = self.rows("energy_block")
        path = self.results / "results.jsonl"
        lines = path.read_text().splitlines(keepends=True)
        blocks = [i for i, line in enumerate(lines) if json.loads(line)["kind"] == "energy_block"]
        path.write_text("".join(lines[:blocks[2] + 1]))
        for log in self.results.glob("power_*.csv"):
            log.unlink()
        done = subprocess.run([KJOULE, "compare", "--device", "simulated:seed=5,drift=0", "--resume", self.results],
                              capture_output=True, text=True, check=False, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows("energy_block")[:3], whole[:3])
        self.assertGreaterEqual(len(self.rows("energy_block")), len(whole))
        self.assertLess(abs(self.report()["energy"]["error_percent"]), 2)

    def test_precision_is_a_share(self):
        done = self.compare("", "--energy-precision", "none")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--energy-precision none: not a share of the whole", done.stderr)


if __name__ == "__main__":
    unittest.main()
