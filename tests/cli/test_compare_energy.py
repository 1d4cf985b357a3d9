"""kjoule compare with energy, on the simulated device and its meters: commands as a user gives them."""
import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import unittest.mock

from .driver import unwrapped
from .messages import errors_in

ROOT = pathlib.Path(__file__).resolve().parents[2]
KJOULE = ROOT / "build/bin/kjoule"


class CompareEnergy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = pathlib.Path(folder.name) / "results"

    def compare(self, spec="", *options):
        return subprocess.run([KJOULE, "compare", "-v", "--device", f"simulated:seed=5{spec}", "-o", self.results, *map(str, options)],
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
        self.assertRegex(unwrapped(done.stdout), r"launch gaps: [0-9.]+ us \([0-9]+ %\) of the program.s iteration; [0-9.]+ mJ when idle")

    def test_times_and_energies_per_item(self):
        done = self.compare("", "--items", "32")
        report = self.report()
        self.assertEqual(report["run"]["items"], 32)
        per_item = report["per_item"]
        self.assertAlmostEqual(per_item["whole_us"] * 32, report["whole_us"])
        self.assertAlmostEqual(per_item["own_iteration_us"] * 32, report["program_iteration_us"])
        self.assertAlmostEqual(per_item["sum_joules"] * 32, report["energy"]["sum_joules"])
        self.assertIsNone(per_item["own_iteration_joules"])
        self.assertRegex(done.stdout, rf"whole: .* {per_item['whole_us']:.4g}\n")
        self.assertRegex(done.stdout, rf"sum: kernels' energies .* {1e3 * per_item['sum_joules']:.4g}\n")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        resumed = subprocess.run([KJOULE, "compare", "--device", "simulated:seed=5", "--resume", self.results, "--items", "8"], capture_output=True,
                                 text=True, check=False, timeout=600)
        self.assertEqual(resumed.returncode, 1)
        self.assertIn("contains results of another number of items (--items)", resumed.stderr)
        self.compare("")
        self.assertNotIn("per_item", self.report())

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
        self.assertRegex(" ".join(self.report()["energy"]["notes"]), r"the GPU's clock was reduced \(throttle reason: power limit\) in \d+ of \d+ power readings")
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
        self.assertIn("energy: not measured: the simulated device has no meter", unwrapped(done.stdout))
        self.assertGreater(self.report()["whole_us"], 0)

    def test_a_meter_that_stands_still_gives_no_joules(self):
        done = self.compare(",meter=frozen")
        self.assertEqual(done.returncode, 0)
        self.assertIn("- finding: energy was not measured: ", done.stdout)
        self.assertRegex(" ".join(self.report()["findings"]), "^energy was not measured: ")
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
            self.assertRegex(done.stderr, r"^kjoule: .*cannot be combined with.*\n$")
            self.assertIn(option[0], done.stderr)
        done = self.compare("", "--power-source", "nvml", "--power-log", "p.csv")
        self.assertIn("--power-source cannot be combined with --power-log", done.stderr)

    def test_a_log_that_the_shell_exports_gives_way_to_what_is_asked_for(self):
        log = self.results.parent / "nothing.csv"
        with unittest.mock.patch.dict(os.environ, POWER_LOG_PATH=str(log)):
            self.assertIn("nothing.csv", self.compare("").stderr)
            self.assertEqual(self.compare("", "--no-energy").returncode, 0)
            self.assertIn("nonsense", self.compare("", "--power-source", "nonsense").stderr)

    def test_a_meter_that_is_not_there_is_refused_before_anything_is_measured(self):
        done = self.compare("", "--power-source", "nonsense")
        self.assertNotEqual(done.returncode, 0)
        told, = errors_in(done.stderr)
        self.assertIn("nonsense", told)

    def resume(self, spec, *options):
        return subprocess.run([KJOULE, "compare", "-v", "--device", f"simulated:seed=5{spec}", "--resume", self.results, *options],
                              capture_output=True, text=True, check=False, timeout=600)

    def test_a_killed_run_ends_like_one_that_nobody_killed(self):
        """Whatever row is the last one that a killed run leaves."""
        for spec in [",launches=20", ",launches=20,edges=clean", ",launches=20,meter=resets", ",launches=20,fail=3"]:
            self.compare(spec)
            files = {path.name: path.read_bytes() for path in self.results.iterdir()}
            lines = files["results.jsonl"].splitlines(keepends=True)
            for count in range(1, len(lines), 3):
                with self.subTest(spec=spec, rows=count):
                    for path in self.results.iterdir():
                        path.unlink()
                    (self.results / "results.jsonl").write_bytes(b"".join(lines[:count]))
                    done = self.resume(spec)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    for path in self.results.iterdir():
                        self.assertEqual(path.read_bytes(), files[path.name], path.name)

    def test_a_killed_run_is_resumed_with_another_limit(self):
        """The blocks that it has stay, whatever the options of today would have chosen."""
        self.compare(",drift=0", "--energy-precision", "0.1%", "--energy-time-limit", "40")
        path = self.results / "results.jsonl"
        lines = path.read_text().splitlines(keepends=True)
        last = max(i for i, line in enumerate(lines) if json.loads(line)["kind"] == "energy_block")
        path.write_text("".join(lines[:last + 1]))
        whole = self.rows("energy_block")
        done = self.resume(",drift=0", "--energy-time-limit", "13")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows("energy_block"), whole)
        self.assertEqual(len(self.rows("energy_stopped")), 1)
        self.assertLess(abs(self.report()["energy"]["error_percent"]), 2)

    def test_a_full_disk_is_no_result(self):
        """Wherever the limit on the size of files ends the run: it is resumed, and ends like one without a limit."""
        known = self.results.parent / "known"
        self.compare(",launches=20")
        self.results.rename(known)
        spec = ["--device", "simulated:seed=5,launches=20"]
        largest = max(path.stat().st_size for path in known.iterdir())
        for kib in range(1, largest // 1024, 5):
            with self.subTest(kib=kib):
                folder = self.results.parent / f"limited_{kib}"
                words = " ".join(f"'{word}'" for word in [KJOULE, "compare", *spec, "-o", folder])
                done = subprocess.run(["bash", "-c", f"ulimit -f {kib}; {words}"], capture_output=True, text=True, check=False, timeout=600)
                told, = errors_in(done.stderr)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"the limit on the size of files is reached; lift it (ulimit -f), then continue with --resume {folder}", told)
                rows = (folder / "results.jsonl").read_bytes()
                self.assertTrue((known / "results.jsonl").read_bytes().startswith(rows))
                self.assertTrue(rows.endswith(b"\n"))
                done = subprocess.run([KJOULE, "compare", *spec, "--resume", folder], capture_output=True, text=True, check=False, timeout=600)
                self.assertEqual(done.returncode, 0, done.stderr)
                for path in known.iterdir():
                    if path.suffix != ".csv" or path.name == "summary.csv":
                        self.assertEqual((folder / path.name).read_bytes(), path.read_bytes(), path.name)

    def test_precision_is_a_share(self):
        done = self.compare("", "--energy-precision", "none")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--energy-precision none: neither a percentage nor a fraction between 0 and 1", done.stderr)


if __name__ == "__main__":
    unittest.main()
