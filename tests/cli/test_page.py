"""The page of a comparison, opened in Chromium: figures, sorting, searching, colours, sizes and hostile names."""
import json
import pathlib
import re
import shutil
import tempfile
import unittest

from .browser import WITHOUT_BROWSER, Browser
from .pages import check_everywhere, figures, table, verdicts
from .test_commands import run

DEVICE = ["--device", "simulated:seed=5,launches=60", "--runs", "5"]
LARGE = ["--device", "simulated:seed=7,launches=4322", "--runs", "5", "--time-limit", "1", "--no-energy"]
HOSTILE = "</script><img src=x onerror=\"document.title='taken'\">"
CELLS = "[...document.querySelectorAll('#kernels tbody tr')].filter(row => !row.hidden).map(row => row.cells[%d].textContent)"


def heads(browser):
    return browser.value("[...document.querySelectorAll('#kernels thead th')].map(head => head.textContent)")


def column(browser, head):
    """Returns the texts of the shown cells of a column of the kernels."""
    return browser.value(CELLS % heads(browser).index(head))


def click_head(browser, head):
    browser.click(f"#kernels thead th:nth-child({heads(browser).index(head) + 1}) button")


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.results, cls.page = cls.folder / "results", cls.folder / "page.html"
        done = run("compare", *DEVICE, "--energy-time-limit", "5", "-o", cls.results, "--html", cls.page)
        assert done.returncode == 0, done.stderr
        cls.report = json.loads((cls.results / "comparison_report.json").read_text())

    def written(self, results, name):
        """Writes the page of a results folder, and returns its path."""
        page = self.folder / name
        done = run("report", results, "-o", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, rf"^{re.escape(str(page))}: [0-9]+ KiB\n$")
        return page

    def test_report_writes_the_page_of_compare(self):
        self.assertEqual(self.written(self.results, "again.html").read_text(), self.page.read_text())

    def test_markdown_has_the_results_of_the_report(self):
        text = run("report", self.results, "--markdown", "--top", "2").stdout
        self.assertIn(f"**Time {self.report['verdict']}", text)
        by_time = self.report["top_kernels"][0]
        kernels = text.partition("#### Kernels")[2].partition("####")[0].splitlines()
        rows = [line for line in kernels if line.startswith("| ")]
        self.assertEqual(len(rows), 1 + 2, rows)
        self.assertIn(f"| {by_time['total_us']:.1f} |", rows[1])
        self.assertIn(f"with kjoule {self.report['run']['kjoule']}", text)
        self.assertIn(f"version = {{{self.report['run']['kjoule']}}}", text)
        self.assertEqual(run("report", self.results, "--markdown", "-o", "x").returncode, 2)
        self.assertEqual(run("report", self.results, "--top", "2").returncode, 2)

    def test_a_foreign_file_is_not_replaced(self):
        foreign = self.folder / "foreign.html"
        foreign.write_text("<!doctype html>\n<p>mine</p>\n")
        for command in (["report", self.results, "-o", foreign], ["compare", *DEVICE, "--no-energy", "-o", self.folder / "none", "--html", foreign]):
            with self.subTest(command[0]):
                done = run(*command)
                self.assertEqual(done.returncode, 1)
                self.assertIn("this file exists, is not a page of kjoule, and was not replaced", done.stderr)
        self.assertEqual(foreign.read_text(), "<!doctype html>\n<p>mine</p>\n")

    def test_a_folder_without_results_is_refused(self):
        done = run("report", self.folder, "-o", self.folder / "none.html")
        self.assertEqual(done.returncode, 1)
        self.assertIn("this folder contains several results folders; name one of them", done.stderr)

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_the_page_answers_what_a_reader_asks(self):
        with Browser() as browser:
            browser.open(self.page)
            shown = figures(browser)
            self.assertEqual(shown["One iteration takes"], f"{self.report['own_iteration_us'] or self.report['program_iteration_us']:.1f} us")
            self.assertEqual(shown["One iteration costs"], f"{1e3 * self.report['energy']['whole_joules']:.2f} mJ")
            self.assertEqual(shown["Launch gaps"], f"{self.report['launch_gaps_us']:.1f} us")
            by_time, by_energy = self.report["top_kernels"][0], max(self.report["top_kernels"], key=lambda kernel: kernel["energy"]["joules"])
            self.assertTrue(shown["Kernel with the most time"].startswith(by_time["short_name"][:12]), shown)
            self.assertTrue(shown["Kernel with the most energy"].startswith(by_energy["short_name"][:12]), shown)
            time, energy = verdicts(browser)
            self.assertIn(self.report["verdict"], time)
            self.assertIn(self.report["verdict_reason"], time)
            self.assertIn(self.report["energy"]["verdict_reason"], energy)
            self.assertEqual(len(column(browser, "kernel")), sum(tier["unique_kernels"] for tier in self.report["tier_breakdown"].values()))
            self.assertEqual(column(browser, "all us")[0], f"{by_time['total_us']:.1f}")

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_the_timeline_is_as_high_as_its_lanes(self):
        with Browser() as browser:
            browser.open(self.page)
            browser.wait("document.querySelector('#timeline img').naturalWidth > 0")
            self.assertLess(browser.value("(image => image.naturalHeight / image.naturalWidth)(document.querySelector('#timeline img'))"), 0.4, "one lane and a legend")
            self.assertEqual(browser.errors, [])

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_sorting_and_searching(self):
        with Browser() as browser:
            browser.open(self.page)
            self.assertEqual(browser.value("document.querySelector('#kernels th[aria-sort]').textContent"), "all us")
            for head in ["all mJ", "count"]:
                with self.subTest(head):
                    click_head(browser, head)
                    self.assertEqual(browser.value("[...document.querySelectorAll('#kernels th[aria-sort]')].map(head => [head.textContent, head.getAttribute('aria-sort')])"), [[head, "descending"]])
                    falling = [float(cell.lstrip("< ")) for cell in column(browser, head)]
                    self.assertEqual(falling, sorted(falling, reverse=True))
                    click_head(browser, head)
                    rising = [float(cell.lstrip("< ")) for cell in column(browser, head)]
                    self.assertEqual(rising, sorted(falling))
            self.assertGreater(len(set(column(browser, "count"))), 1)
            browser.value("document.querySelector('#kernels th button').focus()")
            browser.press("Enter", 13)
            names = column(browser, "kernel")
            self.assertEqual(browser.value("document.querySelector('#kernels th').getAttribute('aria-sort')"), "ascending")
            browser.write("#kernels input", "gemm")
            found = column(browser, "kernel")
            self.assertEqual(found, [name for name in names if "gemm" in name])
            self.assertTrue(0 < len(found) < len(names))
            self.assertEqual(browser.value("document.querySelector('#kernels [role=status]').textContent"), f"{len(found)} of {len(names)} rows")
            self.assertEqual(browser.errors, [])

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_the_button_changes_the_colours(self):
        ground = "getComputedStyle(document.body).backgroundColor"
        with Browser() as browser:
            for preferred, other in [("light", "dark"), ("dark", "light")]:
                browser.prefer(preferred)
                for width in [1280, 400]:
                    with self.subTest(preferred, width=width):
                        browser.resize(width, 800)
                        browser.open(self.page)
                        before = browser.value(ground)
                        self.assertEqual(before == "rgb(255, 255, 255)", preferred == "light")
                        self.assertEqual(browser.value("document.getElementById('theme').textContent"), f"{other.capitalize()} colours")
                        browser.click("#theme")
                        self.assertNotEqual(browser.value(ground), before)
                        self.assertEqual(browser.value("document.getElementById('theme').textContent"), f"{preferred.capitalize()} colours")
            self.assertEqual(browser.errors, [])

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_the_first_of_many_rows_are_shown(self):
        begin, data, end = re.fullmatch('(.*<script type="application/json" id="data">)(.*?)(</script>.*)', self.page.read_text(), re.DOTALL).groups()
        content = json.loads(data)
        kernels = next(section for section in content["sections"] if section["id"] == "kernels")["blocks"][0]
        kernels["rows"] = [{"name": f"row{number}x", "cells": kernels["rows"][0]["cells"]} for number in range(400)]
        many = self.folder / "many.html"
        many.write_text(begin + json.dumps(content).replace("<", "\\u003c") + end)
        with Browser() as browser:
            browser.open(many)
            self.assertEqual((len(column(browser, "kernel")), browser.value("document.querySelector('#kernels .more').textContent")), (100, "Show all 400 rows"))
            browser.write("#kernels input", "row399x")
            self.assertEqual(column(browser, "kernel"), ["row399x"], "rows that are not shown are found")
            browser.value("(input => { input.value = ''; input.dispatchEvent(new Event('input')); })(document.querySelector('#kernels input'))")
            browser.click("#kernels .more")
            self.assertEqual((len(column(browser, "kernel")), browser.value("document.querySelector('#kernels .more').hidden")), (400, True))
            self.assertEqual(browser.errors, [])

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_paper_is_light(self):
        ground = "getComputedStyle(document.body).backgroundColor"
        with Browser() as browser:
            browser.prefer("dark")
            browser.open(self.page)
            dark = browser.value(ground)
            browser.value(f"addEventListener('beforeprint', () => window.printed = {ground}); 0")
            self.assertGreater(len(browser.ask("Page.printToPDF")["data"]), 10000)
            self.assertEqual(browser.value("printed"), "rgb(255, 255, 255)")
            self.assertEqual(browser.value(ground), dark)
            browser.ask("Emulation.setEmulatedMedia", media="print")
            for nothing_to_click in [".tools", "nav", ".meanings"]:
                self.assertEqual(browser.value(f"getComputedStyle(document.querySelector('{nothing_to_click}')).display"), "none")
            self.assertEqual(browser.errors, [])

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_every_size_and_colour(self):
        check_everywhere(self, self.page)

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_hostile_names_stay_text(self):
        hostile = self.folder / "hostile"
        shutil.copytree(self.results, hostile)
        recording = hostile / "recording.jsonl"
        text = recording.read_text()
        name = re.search('"name":"(gemm[^"]*)"', text).group(1)
        recording.write_text(text.replace(f'"name":"{name}"', f'"name":{json.dumps(HOSTILE)}', 1))
        page = self.written(hostile, "hostile.html")
        self.assertNotIn("<img", page.read_text())
        with Browser() as browser:
            browser.open(page)
            self.assertIn(HOSTILE, browser.value("[...document.querySelectorAll('#kernels tbody th summary')].map(one => one.textContent)"))
            self.assertNotIn("taken", browser.value("document.title"))
            self.assertEqual(browser.value("document.querySelectorAll('#kernels img').length"), 0)
            self.assertEqual(browser.errors, [])

    def written_run(self, **changes):
        """Writes the page of a run of one phase, whose report has these changes, and returns how that ended."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(self.results, folder / "phase_1")
        phase = {"phase": 1, "folder": "phase_1", "kind": "loop", "first_launch": 5, "launches": 60, "iterations": 20, "samples": 1, "busy_us": 900.0, "run_share_percent": 90.0,
                 "spread_percent": None, "whole_us": 45.0, "sum_us": 45.1, "half_width_us": None, "sum_error_percent": 0.2, "whole_joules": None, "sum_joules": None, "half_width_joules": None}
        left = {"kind": "single pass", "first_launch": 0, "launches": 5, "iterations": 1, "samples": 1, "busy_us": 100.0, "run_share_percent": 10.0, "spread_percent": None, "reason": HOSTILE}
        replayed = {"verdict": "inconclusive", "within_percent": None, "requested_within_percent": 1.0, "verdict_reason": HOSTILE, "replayed_share_percent": 90.0, "whole_us": 900.0, "sum_us": 902.0,
                    "half_width_us": None, "sum_error_percent": 0.2, "further_starts": 0, "matched_share_percent": None, "exit_code": None, "ended": [], "phases": [{**phase, **changes}], "estimate": None, "not_replayed": [left]}
        (folder / "run_report.json").write_text(json.dumps({"title": HOSTILE, "gpu": {"busy_ms": 1.0, "span_ms": 4.0}, "kernels": [], "replayed": replayed}))
        return run("report", folder, "-o", folder / "page.html"), folder / "page.html"

    def test_damaged_reports_of_a_run(self):
        for change, said in [({"whole_us": "x"}, "run_report.json.replayed.phases[0].whole_us: not a number"), ({"folder": "../phase_1"}, "is no results folder of a phase or window"),
                             ({"folder": "phase_2"}, "phase_2"), ({"phase": -1}, "phases[0].phase: not a whole number")]:
            with self.subTest(change):
                done, page = self.written_run(**change)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertFalse(page.exists())

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_a_hostile_report_of_a_run_stays_text(self):
        done, page = self.written_run(busy_us=1e300, first_launch=2**63)
        self.assertEqual(done.returncode, 0, done.stderr)
        with Browser() as browser:
            browser.open(page)
            rows = table(browser, "#run > div:nth-of-type(3) table")
            self.assertEqual([(row["phases"], row["GPU ms"], row["% of run"], row["reason"]) for row in rows], [("single pass at launches 0..5", "0.100", "10.00", HOSTILE)])
            self.assertNotIn("taken", browser.value("document.title"))
            self.assertEqual(browser.value("document.querySelectorAll('#run img').length"), 0)
            browser.resize(400, 800)
            self.assertLess(browser.value("Math.max(...[...document.querySelectorAll('#run caption')].map(caption => caption.getBoundingClientRect().right))"), 400, "captions are read without scrolling")
            self.assertEqual(browser.errors, [])
        check_everywhere(self, page)

    @unittest.skipIf(WITHOUT_BROWSER, WITHOUT_BROWSER)
    def test_an_iteration_of_4322_launches_is_a_page_of_3_mb(self):
        results = self.folder / "large"
        self.assertEqual(run("compare", *LARGE, "-o", results).returncode, 0)
        page = self.written(results, "large.html")
        self.assertLess(page.stat().st_size, 3e6)
        with Browser() as browser:
            browser.open(page)
            browser.wait("document.querySelector('#timeline img').naturalWidth > 0")
            if browser.value("document.querySelector('#kernels .more') !== null"):
                browser.click("#kernels .more")
            self.assertEqual(sum(map(int, column(browser, "count"))), 4322)
            # What the button saves is the whole timeline.
            browser.value("URL.createObjectURL = blob => { window.saved = blob; return 'blob:none'; }; HTMLAnchorElement.prototype.click = () => {}; 0")
            browser.click("#timeline button")
            events = json.loads(browser.value("saved.text()"))["traceEvents"]
            self.assertEqual(len([event for event in events if event["ph"] == "X"]), 4322)
            self.assertEqual(browser.errors, [])


if __name__ == "__main__":
    unittest.main()
