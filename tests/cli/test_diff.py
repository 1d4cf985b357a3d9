"""kjoule diff and kjoule baseline, of measurements on the simulated device and the stand-in driver."""
import csv
import io
import json
import pathlib
import subprocess
import tempfile
import unittest

from .driver import KJOULE, PROGRAM, Driver
from .scripts import script
from .test_schemas import SchemaCase


def kjoule(*words, code=0):
    done = subprocess.run([str(word) for word in [KJOULE, *words]], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


class Simulated(unittest.TestCase):
    """Measurements of two simulated programs of 20 and 23 launches, and of the first one again."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        for name, spec in {"short": "launches=20", "long": "launches=23"}.items():
            kjoule("compare", "--device", f"simulated:seed=3,{spec}", "-o", cls.folder / name)
        cls.base = cls.folder / "base.json"
        kjoule("baseline", cls.folder / "short", "-o", cls.base)

    def diff(self, after, *options, code=0, before=None):
        return kjoule("diff", before or self.base, self.folder / after, *options, code=code).stdout

    def test_a_baseline_is_as_good_as_its_folder(self):
        self.assertEqual(self.diff("long"), self.diff("long", before=self.folder / "short"))
        self.assertLess(self.base.stat().st_size, 10000)

    def test_changed_baselines_are_refused(self):
        good = json.loads(self.base.read_text())
        changed = self.folder / "changed.json"
        for field, value, cause in [("whole_s", 1e-320, "whole_s is "), ("whole_s", 1e308, "whole_s is 1e+308"), ("sum_s", 0, "sum_s is 0"),
                                    ("sum_s", 1e308, "sum_s is 1e+308"), ("program_s", -1, "program_s is -1"), ("time_s", -1, "kernel 0: time_s is -1"),
                                    ("time_s", 1e300, "kernel 0: time_s is 1e+300"), ("energy_j", -5, "kernel 0: energy_j is -5"),
                                    ("whole_w", 1e30, "whole_w is 1e+30"), ("sum_j", 1e300, "sum_j is 1e+300")]:
            with self.subTest(field=field, value=value):
                bad = json.loads(json.dumps(good))
                one = bad["iterations"][0]
                (one["kernels"][0] if field in ("time_s", "energy_j") else one)[field] = {"value": value, "half_width": 0}
                changed.write_text(json.dumps(bad, indent=1))
                for files in [(changed, self.base), (self.base, changed)]:
                    done = kjoule("diff", *files, code=1)
                    self.assertEqual(done.stdout, "")
                    self.assertIn(f"{changed}: {cause}", done.stderr)
                    self.assertIn("create the baseline again", done.stderr)

    def test_a_measurement_does_not_differ_from_itself(self):
        report = json.loads(self.diff("short", "--json", "--fail-above", "1%"))
        self.assertEqual(report["verdict"], "not changed")
        self.assertEqual({kernel["kind"] for kernel in report["iterations"][0]["kernels"]}, {"same"})
        self.assertNotIn("*", self.diff("short"))

    def test_launches_that_were_added(self):
        report = json.loads(self.diff("long", "--json"))
        [iteration] = report["iterations"]
        added = [kernel for kernel in iteration["kernels"] if kernel["kind"] == "added"]
        self.assertEqual(sum(one["count"] for kernel in added for one in kernel["after"]), 3)
        changes = sum(kernel["time_us"]["change"] for kernel in iteration["kernels"])
        self.assertAlmostEqual(changes, iteration["sum_us"]["change"], delta=1e-6)
        self.assertTrue(iteration["whole_us"]["changed"])
        for text in (self.diff("long"), self.diff("long", "--markdown")):
            self.assertIn("added", text)
            self.assertIn("norm-final", text)

    def test_exit_codes_tell_changed_not_changed_and_inconclusive(self):
        self.assertIn("changed: time +11", self.diff("long", "--fail-above", "2%", code=3))
        self.assertIn("not changed: time +11", self.diff("long", "--fail-above", "20%"))
        self.assertIn("inconclusive: energy 0.00", self.diff("short", "--fail-energy-above", "1%", code=4))
        # Time that fell never fails.
        self.assertIn("not changed", kjoule("diff", self.folder / "long", self.base, "--fail-above", "2%").stdout)

    def test_the_check_on_gpus_counts_what_is_marked(self):
        unchanged = script("unchanged")
        same, other = (unchanged.figures(json.loads(self.diff(after, "--json"))) for after in ["short", "long"])
        self.assertEqual((same["marked_kernels"], same["other_kinds"], same["whole_changed"]), (0, 0, False))
        self.assertEqual((other["marked_kernels"], other["other_kinds"], other["whole_changed"]), (3, 2, True))
        text = unchanged.table([{"name": name, "run": 1, **row} for name, row in {"same": same, "other": other}.items()])
        self.assertIn("marked: 1 of 2 wholes, 13.6 % of 22 kernels", text)

    def test_lines_fit_a_terminal(self):
        for line in self.diff("long", "--fail-above", "50%").splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_csv_has_the_whole_and_each_kernel(self):
        rows = list(csv.DictReader(io.StringIO(self.diff("long", "--csv"))))
        self.assertEqual(rows[0]["part"], "whole")
        kernels = [float(row["after_us"]) for row in rows if row["part"] == "kernel"]
        self.assertAlmostEqual(sum(kernels) / float(rows[0]["after_us"]), 1, delta=0.01)
        whole = json.loads(self.diff("long", "--json"))["iterations"][0]
        for kernel, row in zip(whole["kernels"], rows[1:]):
            self.assertEqual((kernel["kind"], str(kernel["occurrences"])), (row["kind"], row["occurrences"]))
            for key in ["before", "before_half_width", "after", "after_half_width", "change", "change_half_width"]:
                self.assertEqual(float(row[f"{key}_us"]), kernel["time_us"][key])
                self.assertEqual(float(row[f"{key}_mj"]), kernel["energy_mj"][key])
            self.assertEqual(row["time_changed"], "yes" if kernel["time_us"]["changed"] else "no")

    def test_what_cannot_be_compared_is_refused(self):
        empty = self.folder / "empty"
        empty.mkdir()
        several = self.folder / "several"
        several.mkdir()
        (several / "one").symlink_to(self.folder / "short")
        cut = self.folder / "cut.json"
        cut.write_text(self.base.read_text()[:-40])
        for path, why in {empty: "this folder contains no results of a comparison", several: "this folder contains several results folders; name one of them",
                          self.folder / "absent": "no such file or folder", cut: "cut.json",
                          KJOULE: "", self.folder / "short/results.jsonl": ""}.items():
            done = kjoule("diff", self.base, path, code=1)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(why, done.stderr)
        kjoule("diff", self.base, self.base, "--fail-above", "much", code=2)
        kjoule("diff", self.base, code=2)

    def test_a_foreign_file_is_not_overwritten(self):
        file = self.folder / "notes.json"
        file.write_text("{}")
        done = kjoule("baseline", self.folder / "short", "-o", file, code=1)
        self.assertIn("this file exists, is not a baseline, and was not replaced", done.stderr)
        self.assertEqual(file.read_text(), "{}")
        kjoule("baseline", self.folder / "short", "-o", self.base)


class Forms(SchemaCase):
    def test_both_files_have_the_documented_form(self):
        a, b = self.folder / "a", self.folder / "b"
        for folder, spec in {a: "launches=20", b: "launches=23,meter=none"}.items():
            kjoule("compare", "--device", f"simulated:seed=3,{spec}", "-o", folder)
            file = folder.with_suffix(".json")
            kjoule("baseline", folder, "-o", file)
            baseline = json.loads(file.read_text())
            self.assert_valid("baseline", baseline)
            self.assert_refused("baseline", {**baseline, "undocumented": 1})
        for limits in ([], ["--fail-above", "2%", "--fail-energy-above", "3%"]):
            report = json.loads(kjoule("diff", a, b, "--json", *limits, code=3 if limits else 0).stdout)
            self.check("difference", report)


class OfPrograms(Driver):
    def test_two_runs_of_one_program_do_not_differ(self):
        self.compare(options=["--no-energy"])
        before = self.results
        self.results = self.folder / "after"
        self.compare(options=["--no-energy"])
        report = json.loads(kjoule("diff", before, self.results, "--json", "--fail-above", "2%").stdout)
        self.assertEqual(report["verdict"], "not changed")
        self.assertEqual([kernel["kind"] for kernel in report["iterations"][0]["kernels"]], ["same"] * 10)
        self.assertGreater(report["start_half_width_percent"], 0)

    def test_the_phases_of_a_run_that_ended(self):
        def run(results, *words):
            done = self.run_words([KJOULE, "compare", "-o", results, "--no-energy", "--loop-seconds", "1000", "--", PROGRAM, *words])
            self.assertEqual(done.returncode, 0, done.stderr)

        before, after = self.folder / "before", self.folder / "after"
        run(before, "--iterations", "20", "--then", "15")
        run(after, "--iterations", "20", "--then", "30")  # the second loop is the larger one now
        report = json.loads(kjoule("diff", before, after, "--json").stdout)
        self.assertEqual([(one["phase_before"], one["phase_after"]) for one in report["iterations"]],
                         [("phase_1", "phase_2"), ("phase_2", "phase_1")])
        self.assertTrue(report["run_us"]["changed"])
        for iteration in report["iterations"]:
            self.assertFalse(iteration["whole_us"]["changed"])
