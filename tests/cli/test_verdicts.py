"""What compare says of the sum: its verdict, its exit code and the times in its report, on the simulated device."""
import json
import math
import unittest

from .driver import unwrapped
from .test_commands import SIMULATED, InAFolder, run


class Verdicts(InAFolder):
    """The three of them, of devices whose truth is known, and the exit codes of compare."""

    def compared(self, spec, *options):
        """Exit code with --check, and the report."""
        done = run("compare", "--device", f"simulated:seed=5{spec}", "--no-energy", "-v", "-o", self.results, "--check", *options)
        report = self.report()
        within = "" if report["verdict"] != "adds up" else f" within {math.ceil(100 * report['within_percent'] - 1e-7) / 100:.2f} %"
        self.assertIn(f"{report['verdict']}{within}: {report['verdict_reason']}", unwrapped(done.stdout))
        without = run("compare", "--device", f"simulated:seed=5{spec}", "--no-energy", "-o", self.results, *options)
        self.assertEqual(without.returncode, 0, "nothing was asked of the sum")
        return done.returncode, report

    def test_a_sum_adds_up(self):
        code, report = self.compared("")
        self.assertEqual((code, report["verdict"]), (0, "adds up"))
        self.assertLessEqual(abs(report["sum_error_percent"]), report["sum_half_width_percent"])
        self.assertLessEqual(report["sum_half_width_percent"], report["requested_half_width_percent"])
        self.assertEqual(report["requested_half_width_percent"], 0.25)
        self.assertEqual((report["requested_within_percent"], self.of_energy()), (1, None))
        self.assertAlmostEqual(report["within_percent"], abs(report["sum_error_percent"]) + report["sum_half_width_percent"])

    def of_energy(self):
        return self.report()["energy"]

    def test_a_small_difference_adds_up_if_that_is_requested(self):
        code, report = self.compared(",nonadditive=0.01", "--within", "2%")
        self.assertEqual((code, report["verdict"]), (0, "adds up"))
        self.assertIn("a 95 % interval that excludes 0", report["verdict_reason"])

    def test_energies_have_a_request_of_their_own(self):
        self.succeed("compare", "--device", "simulated:seed=5", "-o", self.results, "--energy-within", "0.1%", "--energy-time-limit", "15")
        energy = self.of_energy()
        self.assertEqual((energy["requested_within_percent"], energy["verdict"]), (0.1, "inconclusive"))
        self.succeed("compare", "--device", "simulated:seed=5", "-o", self.results, "--energy-time-limit", "15")
        energy = self.of_energy()
        self.assertEqual((energy["requested_within_percent"], energy["verdict"]), (5, "adds up"))
        self.assertAlmostEqual(energy["within_percent"], abs(energy["error_percent"]) + energy["half_width_percent"])

    def test_a_sum_does_not_add_up(self):
        for share in (0.02, 0.3):
            code, report = self.compared(f",nonadditive={share}")
            self.assertEqual((code, report["verdict"]), (3, "does not add up"))
            self.assertAlmostEqual(report["sum_error_percent"] / (100 * share), 1, delta=0.1)
            self.assertGreater(report["sum_error_percent"], report["sum_half_width_percent"])

    def test_a_sum_is_inconclusive(self):
        for spec, options, stopped, remedy in [("", ["--time-limit", "0.001", "--within", "0.3%"], "time limit", "raise --time-limit"),
                                               (",noise=0.5", ["--time-limit", "1"], "time limit", "raise --time-limit"),
                                               ("", ["--within", "0.12%"], "precision", "lower --precision")]:
            code, report = self.compared(spec, *options)
            self.assertEqual((code, report["verdict"]), (4, "inconclusive"))
            self.assertEqual(report["stopped_by"], stopped)
            self.assertIn(f"was requested (--within); {remedy}", report["verdict_reason"])

    def test_the_precision_that_was_asked_for_is_kept(self):
        _, report = self.compared("", "--precision", "2%", "--time-limit", "0.001")
        self.assertEqual(report["requested_half_width_percent"], 2)
        stopped, = [row for row in self.rows() if row["kind"] == "stopped"]
        self.assertEqual(stopped["precision"], 0.02)
        narrower = ["compare", "--device", "simulated:seed=5", "--no-energy", "--resume", self.results, "--time-limit", "0.001", "--within", "0.1%"]
        self.assertEqual(run(*narrower, "--check").returncode, 4)
        self.assertEqual((self.report()["requested_half_width_percent"], self.report()["requested_within_percent"]), (0.25, 0.1))
        before = self.rows()
        self.assertEqual(run(*narrower, "--check").returncode, 4)
        self.assertEqual(self.rows(), before)

    def rows(self):
        return [json.loads(line) for line in (self.results / "results.jsonl").read_text().splitlines()]

    def test_errors_have_codes_of_their_own(self):
        self.assertEqual(run("compare", *SIMULATED, "--no-such").returncode, 2)
        self.assertEqual(run("conpare").returncode, 2)
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run("compare", *SIMULATED, "--precision", "much").returncode, 2)
        self.assertEqual(run("compare", "--device", "abacus").returncode, 2)
        self.assertEqual(run("compare", "--model", self.folder / "none.pt").returncode, 1)
        self.assertEqual(run("compare", "--device", "simulated:seed=5,differ=on", "--check", "-o", self.results).returncode, 1)
        self.assertEqual(run("compare", "--help").returncode, 0)


class Quantities(InAFolder):
    def test_the_report_names_three_times(self):
        text = self.succeed("compare", *SIMULATED, "--no-energy", "-v", "-o", self.results)
        report = self.report()
        self.assertEqual(report["schema"], 4)
        self.assertEqual([one["name"] for one in report["quantities"]], ["program_iteration_us", "whole_us", "sum_us"])
        for one in report["quantities"]:
            self.assertEqual(one["us"], report[one["name"]])
        self.assertEqual(report["compared"], ["sum_us", "whole_us"])
        self.assertEqual(report["program_iteration_us"], self.report("full_model_timing.json")["full_model_inference_us"])
        lines = text.splitlines()
        first = next(i for i, line in enumerate(lines) if "program's own iteration  " in line)
        for line, start in zip(lines[first:first + 3], ["program's own iteration", "whole: replayed, no gaps", "sum of its kernels"]):
            self.assertTrue(line.strip().startswith(start), text)
        for gone in ["eager_us", "first_whole_us", "imprecise"]:
            self.assertNotIn(gone, report)

    def test_no_file_holds_a_number_that_is_not_finite(self):
        self.succeed("compare", "--device", "simulated:seed=5,noise=0.5", "--time-limit", "0.001", "-o", self.results)
        for path in self.results.glob("*.json*"):
            for line in path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]:
                json.loads(line, parse_constant=self.fail)

if __name__ == "__main__":
    unittest.main()
