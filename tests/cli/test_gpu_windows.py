"""The evaluation of tests/gpu/windows, without a GPU."""
import json
import pathlib
import tempfile
import unittest

from .scripts import script

windows = script("windows")


def window(error, half_width=0.15):
    return {"launches": 600, "error_percent": error, "half_width_percent": half_width}


def row(program="gan-images", half="tuning", **more):
    return {"program": program, "half": half, "seconds": 31.0, "share_percent": 96.0, "first_s": 12.0, "verdict": "adds up", "windows": [window(-0.03)], **more}


class Windows(unittest.TestCase):
    def test_a_line_has_the_worst_window(self):
        line = windows.line_of(row(windows=[window(0.1), window(-0.4), window(0.2)]))
        self.assertIn("-0.40", line)
        self.assertIn("1 of 3", line)

    def test_what_was_not_measured_is_no_zero(self):
        line = windows.line_of(row(windows=[], share_percent=None, first_s=None, verdict=None, said="kjoule: no GPU"))
        self.assertEqual(line.split()[2:4], ["-", "-"])
        self.assertIn("no GPU", line)

    def test_the_summary_counts_goals_and_intervals(self):
        rows = [row(), row("actor-critic", share_percent=58.0), row("large-memory", share_percent=None, first_s=62.0, windows=[window(0.5)])]
        text = windows.summary(rows, "tuning")
        self.assertIn("1 of 3 programs with 90 % of the kernel time measured, 2 within 30 s", text)
        self.assertIn("3 windows", text)
        self.assertIn("2 inside", text)

    def test_a_half_without_windows_says_so(self):
        self.assertEqual(windows.summary([row(windows=[])], "tuning"), "tuning: nothing was measured")

    def test_the_newest_row_of_a_program_counts(self):
        self.assertEqual([one["seconds"] for one in windows.newest([row(seconds=1), row(seconds=2)])], [2])

    def test_the_first_round_is_the_earliest_of_all_windows(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, ends in [("window_1", [50, 70]), ("window_2", [40])]:
                path = pathlib.Path(folder) / name
                path.mkdir()
                (path / "results.jsonl").write_text("".join(json.dumps({"kind": "round", "end_ns": end}) + "\n" for end in ends))
            self.assertEqual(windows.first_round_ns(pathlib.Path(folder)), 40)
            self.assertIsNone(windows.first_round_ns(pathlib.Path(folder) / "none"))

    def test_the_share_is_read_from_what_kjoule_says(self):
        self.assertEqual(windows.SEEN.search("the iteration's kernels have 97 % of the kernel time of the program so far")[1], "97")
