"""The lines of docs/guide/rates.md that compute rates, money and CO2 from a report give what the report's numbers give by hand."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from .driver import KJOULE, ROOT

PAGE = (ROOT / "docs/guide/rates.md").read_text(encoding="utf-8")


@unittest.skipUnless(KJOULE.exists(), "kjoule was not built")
class Rates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        done = subprocess.run([KJOULE, "compare", "--device", "simulated:seed=3", "--items", "8", "-o", "results"], capture_output=True, text=True, check=False, cwd=cls.folder)
        assert done.returncode == 0, done.stderr
        cls.report = json.loads((cls.folder / "results/comparison_report.json").read_text())

    def line(self, word):
        """Runs the line of the page that contains the word, and returns the numbers that it prints."""
        line, = [line for line in PAGE.splitlines() if line.startswith("python3 -c") and word in line]
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [float(number) for number in re.findall(r"([\d.]+) (?:kWh|EUR|g|TFLOP|%)", done.stdout)]

    def test_flop_rate_and_mfu(self):
        teraflops, percent = self.line("MFU")
        expected = 2 * 560e6 * 5 / (self.report["program_iteration_us"] * 1e-6) / 1e12
        self.assertAlmostEqual(teraflops, expected, delta=0.001)
        self.assertAlmostEqual(percent, 100 * expected / 989.5, delta=0.001)

    def test_cost_and_co2_of_a_million_tokens(self):
        """0.3 EUR/kWh, 380 g/kWh; a kilowatt-hour has 3.6 MJ, and a token an eighth of the iteration's energy."""
        kwh, euros, grams = self.line("CO2")
        expected = self.report["energy"]["whole_joules"] / 8 * 1e6 / 3.6e6
        self.assertGreater(expected, 1e-4)
        for value, factor in [(kwh, 1), (euros, 0.30), (grams, 380)]:
            self.assertAlmostEqual(value, expected * factor, delta=0.001 * max(1, factor) / 2)


if __name__ == "__main__":
    unittest.main()
