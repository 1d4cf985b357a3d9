"""The pages of layers and diff, opened in Chromium: their figures are those of the reports."""
import json
import pathlib
import tempfile
import unittest

from .browser import WITHOUT_BROWSER, Browser
from .pages import check_everywhere, figures, table, verdicts
from .test_commands import ON_CPU, ROOT, InAFolder, run


class Changes(unittest.TestCase):
    """The page of two simulated programs of 20 and 23 launches."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        for name, launches in {"before": 20, "after": 23}.items():
            done = run("compare", "--device", f"simulated:seed=3,launches={launches}", "--energy-time-limit", "5", "-o", cls.folder / name)
            assert done.returncode == 0, done.stderr
        cls.page = cls.folder / "page.html"

    def diff(self, *options, code=0):
        done = run("diff", self.folder / "before", self.folder / "after", "--html", self.page, *options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(f"page in {self.page}", done.stderr)
        return done.stdout

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_the_page_says_what_changed(self):
        iteration = json.loads(self.diff("--json"))["iterations"][0]
        with Browser() as browser:
            browser.open(self.page)
            time, energy = verdicts(browser)
            whole = iteration["whole_us"]
            self.assertIn("Time rose", time)
            self.assertIn(f"{whole['before']:.2f} us before, {whole['after']:.2f} us after; it rose by {whole['change_percent']:.2f} %", time)
            self.assertIn(f"{iteration['whole_mj']['after']:.3f} mJ after", energy)
            own = iteration["program_iteration_us"]
            self.assertIn(f"launch gaps included, an iteration took {own['before']:.2f} us before and {own['after']:.2f} us after", browser.value("document.querySelector('#result').textContent"))
            whole_row, = [row for row in table(browser, "#changes-1 table") if row["quantity"] == "whole, us"]
            self.assertEqual(whole_row["after"], f"{whole['after']:.2f}")
            self.assertEqual(whole_row["%"], f"{whole['change_percent']:+.2f}")
            kernels = table(browser, "#changes-1 > div:nth-of-type(2) table")
            added = [kernel for kernel in iteration["kernels"] if kernel["kind"] == "added"]
            self.assertEqual(sorted(row["us"] for row in kernels if row["what"].startswith("added")), sorted(f"{one['time_us']['change']:+.2f}" for one in added))
            self.assertTrue(any("+ 1 x norm-final" in row["what"] for row in kernels), kernels)

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_limits_and_equal_measurements(self):
        sentence = self.diff("--fail-above", "2%", code=3).splitlines()[-1].strip()
        with Browser() as browser:
            browser.open(self.page)
            self.assertTrue(verdicts(browser)[0].startswith("Limits: changed"), verdicts(browser))
            self.assertTrue(verdicts(browser)[0].endswith(sentence[-20:]), (verdicts(browser)[0], sentence))
            self.assertEqual(run("diff", self.folder / "before", self.folder / "before", "--html", self.page).returncode, 0)
            browser.open(self.page)
            self.assertTrue(verdicts(browser)[0].startswith("Time did not change"), verdicts(browser))

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_every_size_and_colour(self):
        self.diff()
        check_everywhere(self, self.page)


class Layers(InAFolder):
    QUICK = [ROOT / "examples/two_blocks.yaml", "--threads", "1", "--runs", "3", "--warmup", "1", "--time-limit", "0.3", *ON_CPU]

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_one_network(self):
        page, again = self.folder / "page.html", self.folder / "again.html"
        self.succeed("layers", *self.QUICK, "-o", self.results, "--html", page)
        report = self.report("layers.json")
        self.succeed("report", self.results, "-o", again)
        self.assertEqual(page.read_text(), again.read_text())
        with Browser() as browser:
            browser.open(page)
            rows = table(browser, "#layers table")
            self.assertEqual(len(rows), len(report["layers"]))
            longest = max(report["layers"], key=lambda layer: layer["latency_ms"])
            most = max(report["layers"], key=lambda layer: layer["share_percent"])
            self.assertEqual(figures(browser)["Longest layer"], longest["name"])
            self.assertEqual(rows[0]["layer"], f"{most['name']}  {most['kind']} {most['input_shape']}")
            self.assertEqual(rows[0]["share %"], f"{most['share_percent']:.2f}")
            error_percent = round(report["error_percent"], 2)
            self.assertEqual(figures(browser)["Sum against the whole"], f"{error_percent:+.2f} %" if error_percent else "0.00 %")
            self.assertIn("Energy was not measured" + report["energy_missing"], verdicts(browser))
            self.assertEqual(sum(int(row["count"]) for row in table(browser, "#kernels-the-whole-network table")), sum(layer["count"] for layer in report["layers"]))
        check_everywhere(self, page)

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_several_batches(self):
        page = self.folder / "page.html"
        self.succeed("layers", *self.QUICK, "--batch", "2,16", "-o", self.results, "--html", page)
        reports = [json.loads((self.results / f"two-blocks_N{batch}/layers.json").read_text()) for batch in (2, 16)]
        with Browser() as browser:
            browser.open(page)
            self.assertEqual([(row["network"], row["ms"]) for row in table(browser, "#networks table")],
                             [(report["pipeline"], f"{report['pipeline_latency_ms']:.4f}") for report in reports])
            self.assertEqual(len(table(browser, "#layers-two-blocks_N16 table")), len(reports[1]["layers"]))


if __name__ == "__main__":
    unittest.main()
