"""What the checks of the instrument in tests/gpu make of reports and rows made up here; they themselves need a GPU."""
import contextlib
import io
import json
import unittest
from unittest import mock

from . import helpers
from .scripts import GPU, modules_of_scripts, script

with modules_of_scripts():
    import compared
known, short, undisturbed = map(script, ["known", "short", "undisturbed"])

REPORT = {"whole_us": 100.0, "sum_us": 100.2, "sum_half_width_percent": 0.3, "sum_error_percent": 0.2,
          "undisturbed_whole_us": 99.0, "half_of_places": None, "paused_s": 4.0, "run": {"device": {"name": "NVIDIA H200"}}}


def truth(times):
    return {"launches": [{"kind": kind, "of_launches": launches, "us": us} for kind, launches, us in times]}


def kernel(signature, count, total_us, half_width_us, timeline_us, **more):
    interval = None if half_width_us is None else [total_us - half_width_us, total_us + half_width_us]
    return {"name": signature, "signature": signature, "count": count, "total_us": total_us, "total_interval_us": interval,
            "timeline_total_us": timeline_us, **more}


class FolderCase(helpers.FolderCase):
    def options(self, *words):
        return compared.parser("checks", self.folder / "rows.jsonl").parse_args([*map(str, words), "--cache", str(self.folder)])


class Joining(unittest.TestCase):
    """A graph of spin, tick, copy, spin, tick; the copies of each iteration are two kernels of the report."""

    BEFORE = truth([("spin", 0, 0), ("tick", 1, 0.9), ("copy", 1, 3.0), ("copy", 1, 5.0), ("spin", 1, 10.0), ("tick", 1, 1.1)])
    AFTER = truth([("spin", 0, 0), ("tick", 1, 0.9), ("copy", 1, 3.0), ("copy", 1, 5.0), ("spin", 1, 10.2), ("tick", 1, 1.1)])
    RECORDED = ["S", "T", "C", "c", "S", "T"]
    KERNELS = [kernel("S", 2, 20.0, 0.3, 18.0), kernel("T", 2, 2.2, 0.05, 1.8), kernel("C", 1, 3.1, 0.2, 3.6), kernel("c", 1, 5.1, 0.2, 4.0)]

    def kinds(self, kernels=None, recorded=None):
        return known.kinds([self.BEFORE, self.AFTER], {"top_kernels": self.KERNELS if kernels is None else kernels}, recorded or self.RECORDED)

    def test_each_kind_is_measured_against_its_own_clocks(self):
        found = self.kinds()
        self.assertEqual(list(found), ["tick", "copy", "spin"], "shortest first")
        spin = found["spin"]
        for key, value in {"known_us": 10.1, "known_apart_us": 0.2, "measured_us": 10.0, "error_us": -0.1, "half_width_us": 0.15, "launches": 2}.items():
            self.assertAlmostEqual(spin[key], value, msg=key)
        self.assertTrue(spin["inside"])
        self.assertAlmostEqual(found["tick"]["error_us"], 0.1)
        self.assertFalse(found["tick"]["inside"])

    def test_several_kernels_of_one_kind_are_taken_together(self):
        copy = self.kinds()["copy"]
        self.assertAlmostEqual(copy["measured_us"], 4.1)
        self.assertAlmostEqual(copy["half_width_us"], 0.2)

    def test_the_times_of_the_timeline_are_scaled_to_the_same_total(self):
        found = self.kinds()
        self.assertAlmostEqual(found["spin"]["timeline_us"], 9.0 * 30.4 / 27.4)
        self.assertAlmostEqual(sum(row["timeline_us"] * row["launches"] for row in found.values()), 30.4)

    def test_a_recording_may_begin_at_any_launch(self):
        self.assertEqual(self.kinds(recorded=["c", "S", "T", "S", "T", "C"]), self.kinds())

    def test_other_launches_than_the_programs_are_refused(self):
        with self.assertRaisesRegex(ValueError, "5 launches were recorded, the program's graph has 6"):
            self.kinds(recorded=["S", "T", "C", "c", "S"])
        with self.assertRaisesRegex(ValueError, "not those of the program's graph in their order"):
            self.kinds(recorded=["S", "S", "T", "C", "c", "T"])

    def test_what_the_report_lacks_is_no_figure(self):
        found = self.kinds([kernel("S", 2, 20.0, None, None), {"signature": "T", "count": 2, "error": "it failed"}])
        self.assertIsNone(found["spin"]["half_width_us"])
        self.assertIsNone(found["spin"]["inside"])
        self.assertNotIn("timeline_us", found["spin"])
        self.assertEqual(found["tick"]["error"], "it failed")
        self.assertEqual((found["copy"]["launches"], found["copy"]["error"]), (0, "it was not measured"))
        self.assertNotIn("measured_us", found["copy"])

    def test_a_report_without_kernels_is_refused(self):
        for wrong, why in [({}, "no list of top_kernels"), ({"top_kernels": [3]}, "no list of top_kernels"),
                           ({"top_kernels": [{"name": "a", "signature": "other", "count": 1}]}, "a has a signature that was not recorded"),
                           ({"top_kernels": [{"name": "a", "signature": "S"}]}, "a has no count")]:
            with self.assertRaisesRegex(ValueError, why):
                known.kinds([self.BEFORE], wrong, self.RECORDED)

    def test_goals(self):
        self.assertEqual([known.goal_us(us) for us in [1.0, 4.9, 5.0, 40.0]], [0.05, 0.05, 0.025, 0.2])

    def test_the_table_has_a_line_a_kind(self):
        rows = [{"name": "known_kernels", "run": 1, "kinds": self.kinds()},
                {"name": "known_kernels", "run": 2, "kinds": {"spin": {"known_us": 10.1, "launches": 2, "error": "it failed"}}},
                {"name": "known_kernels", "run": 3, "error": "no GPU"}]
        text = known.table(rows)
        self.assertRegex(text, r"\ntick +1\.000 +0\.025 +0 of 1 +MISSED  \+0\.100 \| ")
        self.assertRegex(text, r"\nspin +10\.100 +0\.150 +1 of 1 +not measured  -0\.100 - \| [-+]\d\.\d{3} -\n")
        self.assertTrue(text.endswith("known_kernels run 3: no GPU"))
        self.assertEqual(len(known.table([]).splitlines()), 1)


class Known(FolderCase):
    def measured(self, report, recording):
        def compare(folder, *_):
            folder.mkdir()
            (folder / "recording.jsonl").write_text(recording)
            return {"seconds": 1.0}, report

        with mock.patch.object(known, "built", lambda *_: "known_kernels"), mock.patch.object(known, "truth", lambda *_: Joining.BEFORE), \
                mock.patch.object(known, "compare", compare):
            return known.measure(self.options(), 1)

    def test_the_recording_says_which_kernel_is_of_which_kind(self):
        lines = [{"format": "kjoule-recording"}, *({"name": "any", "signature": signature} for signature in Joining.RECORDED)]
        row = self.measured({"top_kernels": Joining.KERNELS}, "".join(json.dumps(line) + "\n" for line in lines))
        self.assertAlmostEqual(row["kinds"]["spin"]["error_us"], 0.0)

    def test_what_cannot_be_joined_is_an_error_of_the_row(self):
        header = '{"format": "kjoule-recording"}\n'
        for recording, why in [(header, "0 launches were recorded"), (header + "[]\n", "launches without signature"), (header + "{", "Expecting")]:
            row = self.measured({"top_kernels": []}, recording)
            self.assertIn(why, row["error"])
            self.assertEqual(row["seconds"], 1.0)

    def test_without_report_there_are_no_kinds(self):
        self.assertEqual(self.measured(None, ""), {"seconds": 1.0})


class Comparing(FolderCase):
    def compared(self, program, *options):
        kjoule = self.folder / "kjoule"
        kjoule.write_text(f"#!/bin/sh\n{program}\n")
        kjoule.chmod(0o755)
        with mock.patch.object(compared, "KJOULE", kjoule):
            return compared.compare(self.folder / "results", ["--range", "a"], ["program", 5], self.options(*options))

    def writes(self, report):
        (self.folder / "made.json").write_text(report)
        return f'printf "%s " "$@" >{self.folder}/words; mkdir -p {self.folder}/results; cp {self.folder}/made.json {self.folder}/results/comparison_report.json'

    def test_kjoule_is_asked_for_all_kernels_and_no_energy(self):
        row, report = self.compared(self.writes(json.dumps(REPORT)), "--time-limit", 3)
        self.assertEqual((self.folder / "words").read_text(),
                         f"compare --no-energy --loop-seconds 2 --top 1000 -o {self.folder}/results --time-limit 3 --range a -- program 5 ")
        self.assertEqual(report, REPORT)
        self.assertEqual((row["whole_us"], row["exit_code"], row["device"]), (100.0, 0, {"name": "NVIDIA H200"}))
        self.assertNotIn("error", row)

    def test_other_bits_are_a_remark(self):
        row, _ = self.compared(self.writes(json.dumps(REPORT)) + "; echo 'kjoule: replayed to other bits' >&2; exit 1")
        self.assertEqual((row["remark"], row["exit_code"]), ("kjoule: replayed to other bits", 1))
        self.assertNotIn("error", row)

    def test_what_the_report_lacks_is_named_and_never_0(self):
        row, _ = self.compared(self.writes(json.dumps({**REPORT, "whole_us": "much", "paused_s": True})))
        self.assertEqual(row["error"], "the report has no whole_us")
        self.assertEqual([row[key] for key in ["whole_us", "paused_s", "control", "half_of_places"]], [None] * 4)
        self.assertIn("paused_s", row["missing"])
        self.assertFalse(compared.has_figures(row))

    def test_a_run_without_report_says_why(self):
        row, report = self.compared("echo first >&2; echo 'kjoule: no GPU' >&2; echo last >&2; exit 3")
        self.assertEqual((row["error"], row["exit_code"], report), ("kjoule: no GPU", 3, None))
        row, report = self.compared("exec sleep 60", "--limit", 0.2)
        self.assertEqual((row["error"], row["exit_code"], report), ("not done in 0.2 s", None, None))

    def test_what_is_no_report_is_an_error(self):
        for wrong in ["[1]", "{"]:
            with self.assertRaises(ValueError):
                self.compared(self.writes(wrong))


class Owed(FolderCase):
    def rows(self, measure, *options):
        with mock.patch.object(compared, "machine", lambda: {"kjoule": "0.1.0"}), contextlib.redirect_stderr(io.StringIO()):
            return compared.measure_owed(self.options(*options), "check", ["a", "b"], measure)

    def test_what_has_its_rows_is_not_measured_again(self):
        (self.folder / "rows.jsonl").write_text('{"name": "b", "run": 1}\n')
        asked = []
        rows = self.rows(lambda *what: asked.append(what) or {}, "--runs", 2)
        self.assertEqual(asked, [("a", 1), ("a", 2), ("b", 2)])
        self.assertEqual(rows, [json.loads(line) for line in (self.folder / "rows.jsonl").read_text().splitlines()])
        self.assertEqual(rows[1], {"check": "check", "name": "a", "run": 1, "machine": {"kjoule": "0.1.0"}})
        self.assertEqual(len(self.rows(lambda *what: asked.append(what) or {}, "--runs", 0)), 4)
        self.assertEqual(len(asked), 3)

    def test_rows_of_other_checks_in_the_same_file_are_not_its_own(self):
        (self.folder / "rows.jsonl").write_text('{"check": "other", "name": "a", "run": 1}\n')
        self.assertEqual([row["check"] for row in self.rows(lambda *_: {})], ["check", "check"])

    def test_a_failure_is_a_row_and_the_next_is_measured(self):
        def measure(name, _):
            if name == "a":
                raise RuntimeError("nvcc failed")
            return {"sum_error_percent": None}

        rows = self.rows(measure)
        self.assertEqual(compared.errors_of(rows), ["a run 1: nvcc failed"])
        self.assertEqual(len(rows), 2)

    def test_nothing_is_started_when_the_time_is_used_up(self):
        self.assertEqual(self.rows(lambda *_: {}, "--budget", -1), [])


def figures(name, **more):
    return {"name": name, "run": 1, **compared.figures({**REPORT, **more})}


class Short(unittest.TestCase):
    def test_an_iteration_is_just_the_launches_of_one(self):
        self.assertEqual([short.span(launches) for launches in [1, 2, 5]], ["1000..1001", "2000..2002", "5000..5005"])

    def test_the_table_says_what_met_the_goal(self):
        rows = [figures("5x3", sum_error_percent=-0.6, undisturbed_whole_us=None), figures("1x0.6"), figures("2x50", whole_us=None)]
        lines = short.table(rows).splitlines()
        self.assertRegex(lines[1], r"^1x0.6 +100\.000 +\+1\.01 +100\.200 +\+0\.20 +0\.30 +yes +met +4\.0$")
        self.assertRegex(lines[2], r"^5x3 +100\.000 +- +100\.200 +-0\.60 +0\.30 +no +MISSED +4\.0$")
        self.assertEqual(lines[3:], ["2x50 run 1: the report has no whole_us"])


class Undisturbed(FolderCase):
    PACE = {"workload": "llama-graph", "shortest_s": 1.1, "us": [99.5, 100.0, 100.1], "median_us": 100.0, "spread_percent": 0.6}

    def measured(self, pace, report=REPORT):
        def compare(folder, options, program, _):
            self.assertEqual((options, program[2]), (["--range", "iteration"], "llama-graph"))
            if pace is not None:
                program[3].write_text(pace)
            return ({"error": "no GPU"} if report is None else compared.figures(report)), report

        with mock.patch.object(undisturbed, "compare", compare):
            return undisturbed.measure(self.options(), "llama-graph")

    def test_both_wholes_are_compared_with_the_pace(self):
        row = self.measured(json.dumps(self.PACE))
        self.assertAlmostEqual(row["first_against_pace_percent"], -1.0)
        self.assertAlmostEqual(row["whole_against_pace_percent"], 0.0)
        line = undisturbed.table([{"name": "llama-graph", "run": 1, **row}]).splitlines()[1]
        self.assertRegex(line, r"^llama-graph +100\.00 +0\.60 +99\.00 +-1\.00 +100\.00 +\+0\.00 +\+0\.20 +4\.0$")

    def test_a_missing_whole_is_no_figure(self):
        row = self.measured(json.dumps(self.PACE), {key: value for key, value in REPORT.items() if key not in ["undisturbed_whole_us", "whole_us"]})
        self.assertEqual((row["first_against_pace_percent"], row["whole_against_pace_percent"]), (None, None))
        lines = undisturbed.table([{"name": "llama-graph", "run": 1, **row}]).splitlines()
        self.assertRegex(lines[1], r"^llama-graph +100\.00 +0\.60 +- +- +- +- +\+0\.20 +4\.0$")
        self.assertEqual(lines[2:], ["llama-graph run 1: the report has no whole_us"])

    def test_a_pace_that_is_missing_or_too_short_is_an_error_of_the_row(self):
        for pace, why in [(None, "wrote no pace"), ("{", "wrote no pace"), ("[]", "not of 1 s and more"),
                          (json.dumps({**self.PACE, "shortest_s": 0.4}), "not of 1 s and more"), (json.dumps({"shortest_s": 2}), "not of 1 s and more")]:
            row = self.measured(pace)
            self.assertIn(why, row["error"])
            self.assertEqual(row["whole_us"], 100.0)
        self.assertEqual(self.measured(None, None), {"error": "no GPU"})

    def test_the_program_has_the_workloads_and_the_range(self):
        source = (GPU / "own_pace.py").read_text()
        for word in [*(f'"{name}": ' for name in undisturbed.WORKLOADS), f'RANGE = "{undisturbed.RANGE}"', f"AT_LEAST_S = {undisturbed.AT_LEAST_S}"]:
            self.assertIn(word, source)


if __name__ == "__main__":
    unittest.main()
