"""The pages of energy, power log and train, opened in Chromium: their figures and charts are those of logs, reports and samples."""
import csv
import datetime
import json
import pathlib
import unittest

from .browser import WITHOUT_BROWSER, Browser
from .pages import charts, check_everywhere, figures, table, verdicts
from .test_commands import InAFolder
from .test_energy import EnergyCase, nvidia_smi
from .test_power import PowerCase
from .test_sample import QUICK, SWEEP


@unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
class OfEnergy(EnergyCase):
    """A log of 25 readings a second; 300 W in a run of 100 s, in which ten kernels ran for 8 s each."""

    def test_the_curve_with_windows_and_joules(self):
        self.isolated()
        page = self.folder / "page.html"
        self.succeed(*self.energy("--gpu", "0", "--html", page, log=self.write("gpu.csv", nvidia_smi()), timing=self.results))
        with Browser() as browser:
            browser.open(page)
            self.assertEqual(figures(browser)["The whole costs"], "30000.00 J")
            self.assertEqual(figures(browser)["One run costs"], "30.00 J")
            rows = table(browser, "#kernels table")
            self.assertEqual([row["total J"] for row in rows], ["3"] * 10)
            self.assertEqual(rows[0]["each J"], "0.3")
            curve, = charts(browser)
            self.assertLess(len(curve["points"]), 2002, "6,001 readings are more than a screen can show")
            self.assertEqual([(round(begin, 9), round(end, 9), name) for begin, end, name in curve["windows"][:2]], [(60, 160, "the whole"), (62, 70, "kernels, repeated")])
            within = [(low, mean, high) for x, (low, mean, high) in curve["points"] if 60 < x < 160]
            self.assertEqual({(low, high) for low, _, high in within}, {(299.5, 300.5)})
            self.assertGreater(browser.value("document.querySelectorAll('.plot canvas').length"), 0)
            self.assertIn("Shaded: the whole, kernels, repeated.", browser.value("document.querySelector('figcaption').textContent"))
        check_everywhere(self, page)

    def test_a_log_without_an_energy(self):
        page = self.folder / "page.html"
        self.fail_with("energy", *self.energy("--html", page, log=self.write("short.csv", self.log.read_text().split("10:16:30")[0].rsplit("\n", 1)[0] + "\n")))
        with Browser() as browser:
            browser.open(page)
            self.assertIn("The energy of the whole is not available", verdicts(browser)[0])
            self.assertEqual(browser.errors, [])


@unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
class OfPowerLog(PowerCase):
    def test_the_log_that_was_written(self):
        page, source = self.folder / "page.html", self.folder / "other.csv"
        source.write_text("time,cpu_w,gpu_w\n")
        process = self.start("power", "log", "-o", self.log, "--source", f"csv:{source}", "--duration", "2", "--html", page)
        self.wait_for_log()
        self.write_lines(source, (f"{10 + number},{200 + number % 2}" for number in range(20)), 0.05)
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, told)
        self.assertIn(f"page in {page}", told)
        rows = list(csv.DictReader(self.log.read_text().splitlines()))
        times = [datetime.datetime.fromisoformat(row["timestamp"]).timestamp() for row in rows]
        cpu = [float(row["cpu_w"]) for row in rows]
        joules = sum((times[n + 1] - times[n]) * (cpu[n] + cpu[n + 1]) / 2 for n in range(len(rows) - 1))
        with Browser() as browser:
            browser.open(page)
            shown = {row["meter"]: row for row in table(browser, "#energy table")}
            self.assertEqual(list(shown), ["cpu", "gpu"])
            self.assertEqual((shown["cpu"]["readings"], shown["cpu"]["lowest W"], shown["gpu"]["highest W"]), (str(len(rows)), "10.00", "201.00"))
            self.assertAlmostEqual(float(shown["cpu"]["J"]), joules, delta=0.02)
            curve, = charts(browser)
            self.assertEqual([[low, mean, high] for _, (low, mean, high), _ in curve["points"]], [[watts] * 3 for watts in cpu])
        check_everywhere(self, page)

    def test_a_log_that_cannot_be_read_again(self):
        self.with_nvml()
        self.fail_with("--html has no effect", "power", "log", "-o", "/dev/stdout", "--source", "nvml", "--duration", "1", "--html", self.folder / "page.html")


@unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
class OfModels(InAFolder):
    def test_measured_against_modelled(self):
        data = self.folder / "sampled"
        data.mkdir()
        rows = [f"{r},{c},{2 + r * c / 1000},{4 + r * c / 500},{(1e-3 + 4e-6 * r * c) * (1 + 0.02 * (-1) ** (r // 64))}" for r in range(64, 1025, 64) for c in (128, 256, 512)]
        (data / "G_mine_fp16.csv").write_text("\n".join(["rows,columns,F_dur(us),B_dur(us),F_energy(J)", *rows]) + "\n")
        page = self.folder / "page.html"
        models = {row["file"].rsplit("/", 1)[1].removesuffix(".json"): row for row in json.loads(self.succeed("train", data, "-o", self.folder / "models", "--json", "--html", page))}
        with Browser() as browser:
            browser.open(page)
            rows = {row["model"].replace(" ", "_"): row for row in table(browser, "#errors table")}
            self.assertEqual({name: (row["rows"], row["cross %"], row["largest %"]) for name, row in rows.items()},
                             {name: (str(row["rows"]), f"{row['cross_validation_error_percent']:.2f}", f"{row['largest_fifth_error_percent']:.2f}") for name, row in models.items()})
            time, energy = charts(browser)
            self.assertEqual((time["series"], energy["series"]), (["G fp16 forward", "G fp16 backward", "equal"], ["G fp16 forward", "equal"]))
            self.assertEqual(len(time["points"]), 2 * 48)
            self.assertAlmostEqual(max(point[0] for point in time["points"]) / (4 + 1024 * 512 / 500), 1, 5)
            for x, forward, backward, equal in time["points"]:
                self.assertEqual(equal, x)
                self.assertAlmostEqual((forward or backward) / x, 1, delta=0.2)
            self.assertEqual(browser.errors, [])
        check_everywhere(self, page)


@unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
class OfSamples(InAFolder):
    def configuration(self, **changes):
        path = self.folder / "sweep.yml"
        path.write_text("".join(f"{key}: {value}\n" for key, value in {**SWEEP, **changes}.items()))
        return path

    def test_all_shapes(self):
        page = self.folder / "page.html"
        report = json.loads(self.succeed("sample", self.configuration(), *QUICK, "-o", self.results, "--json", "--html", page))
        rows = sorted(csv.DictReader(pathlib.Path(report["csv"]).read_text().splitlines()), key=lambda row: -float(row["F_dur(us)"]))
        with Browser() as browser:
            browser.open(page)
            shown = table(browser, "#shapes table")
            self.assertEqual(len(shown), 24)
            self.assertEqual(shown[0]["forward us"], f"{float(rows[0]['F_dur(us)']):.2f}")
            self.assertIn(shown[0]["shape"], {", ".join(f"{name} {row[name]}" for name in ["mp", "b", "l", "dim"]) for row in rows if row["F_dur(us)"] == rows[0]["F_dur(us)"]})
            chart, = charts(browser)
            self.assertEqual(chart["series"], ["forward", "backward"])
            work = sorted(int(row["b"]) * int(row["l"]) * int(row["dim"]) / int(row["mp"]) for row in rows)
            self.assertEqual([point[0] / chart["points"][0][0] for point in chart["points"]], [one / work[0] for one in work])
            # No point is cut by the frame: the column of pixels at its right end, and the row at its lower end, have none.
            coloured = browser.value("(canvas => { const context = canvas.getContext('2d'); const count = (...area) => { const pixels = context.getImageData(...area).data;"
                                     " let found = 0; for (let i = 0; i < pixels.length; i += 4) found += pixels[i + 3] > 0 && Math.max(pixels[i], pixels[i + 1], pixels[i + 2])"
                                     " - Math.min(pixels[i], pixels[i + 1], pixels[i + 2]) > 60; return found; };"
                                     " return [count(0, 0, canvas.width, canvas.height), count(canvas.width - 8, 0, 8, canvas.height)]; })([...document.querySelectorAll('.plot canvas')][0])")
            self.assertGreater(coloured[0], 0)
            self.assertEqual(coloured[1], 0)
        check_everywhere(self, page)

    def test_one_shape_has_no_page(self):
        self.fail_with("--html has no effect", "sample", self.configuration(run="get_one"), "--html", self.folder / "page.html", "-o", self.results)


if __name__ == "__main__":
    unittest.main()
