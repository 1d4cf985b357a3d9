"""What tests/gpu/known_windows makes of reports and rows made up here, and the launches of its program; measuring needs a GPU."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

from . import helpers
from .scripts import ROOT, modules_of_scripts, script
from .test_gpu_known import kernel

with modules_of_scripts():
    import compared
known_windows = script("known_windows")

READS = ["permute", "gather", "walk"]  # indices
SECONDS = 300  # for nvcc


def launches(*times):
    """Returns launches of a truth; a third member is of how many launches the time is."""
    return [{"kind": kind, "us": us, "of_launches": of[0] if of else 1} for kind, us, *of in times]


class Windows(unittest.TestCase):
    def test_windows_are_drawn_by_their_seed_and_within_the_sequence(self):
        drawn = [known_windows.drawn_window(seed, ordinal) for seed in range(1, 30) for ordinal in range(1, 30)]
        self.assertEqual(drawn, [known_windows.drawn_window(seed, ordinal) for seed in range(1, 30) for ordinal in range(1, 30)])
        self.assertGreater(len(set(drawn)), 800)
        lengths = [end - begin for begin, end in drawn]
        self.assertTrue(100 <= min(lengths) < 120 and 580 < max(lengths) <= 600, (min(lengths), max(lengths)))
        self.assertGreaterEqual(min(begin for begin, _ in drawn), known_windows.FIRST)
        self.assertLessEqual(max(end for _, end in drawn), known_windows.LAUNCHES - known_windows.MARGIN)


class Joining(unittest.TestCase):
    """A window of touch, gather, touch, copy, tick; the gather is of another kernel than the copy, and the touches are two kernels."""

    BEFORE = launches(("touch", 10.0), ("gather", 20.0), ("touch", 12.0), ("copy DtoH 4", 8.0), ("tick", 1.0))
    AFTER = launches(("touch", 10.2), ("gather", 20.0), ("touch", 12.2), ("copy DtoH 4", 9.0), ("tick", 1.0))
    RECORDED = ["T", "G", "t", "C", "K"]
    KERNELS = [kernel("T", 1, 10.1, 0.2, 9.0), kernel("t", 1, 12.2, 0.2, 11.0), kernel("G", 1, 20.5, 0.3, 19.0), kernel("C", 1, 9.5, 0.8, None),
               kernel("K", 1, 0.98, 0.03, 1.0)]

    def kinds(self, kernels=None, recorded=None, truths=None):
        return known_windows.kinds(truths or [self.BEFORE, self.AFTER], {"top_kernels": self.KERNELS if kernels is None else kernels},
                                   recorded or self.RECORDED)

    def test_each_kind_is_measured_against_the_clocks_of_the_same_launches(self):
        found = self.kinds()
        self.assertEqual(list(found), ["copy DtoH 4", "gather", "tick", "touch"])
        for key, value in {"known_us": 11.1, "known_apart_us": 0.2, "measured_us": 11.15, "error_us": 0.05, "half_width_us": 0.2, "launches": 2}.items():
            self.assertAlmostEqual(found["touch"][key], value, msg=key)
        self.assertTrue(found["touch"]["inside"])
        self.assertAlmostEqual(found["gather"]["error_us"], 0.5)
        self.assertFalse(found["gather"]["inside"])

    def test_a_window_begins_with_its_first_launch_only(self):
        with self.assertRaisesRegex(ValueError, "launch 2 is a touch there, and its kernel a gather before"):
            self.kinds(recorded=["T", "G", "G", "C", "K"])
        with self.assertRaisesRegex(ValueError, "4 launches were recorded, the window has 5"):
            self.kinds(recorded=["T", "G", "t", "C"])

    def test_kernels_that_the_report_lacks_are_not_measured(self):
        found = self.kinds(self.KERNELS[1:3])
        self.assertEqual(found["touch"]["error"], "the report has 1 of 2 launches")
        self.assertEqual((found["tick"]["error"], found["tick"]["launches"]), ("it was not measured", 1))
        self.assertNotIn("error_us", found["touch"])
        self.assertAlmostEqual(found["touch"]["known_us"], 11.1)
        self.assertAlmostEqual(found["gather"]["error_us"], 0.5)

    def test_a_kernel_that_failed_says_why(self):
        found = self.kinds([{"signature": "K", "count": 1, "error": "it failed"}])
        self.assertEqual(found["tick"]["error"], "it failed")

    def test_a_kind_of_which_one_launch_has_no_time_of_its_own_is_left_out(self):
        unknown = launches(("touch", 0, 0), ("gather", 30.0, 2), ("touch", 12.0), ("copy DtoH 4", 8.0), ("tick", 1.0))
        found = self.kinds(truths=[unknown, unknown])
        for kind, count in [("touch", 2), ("gather", 1)]:
            self.assertEqual(found[kind], {"launches": count, "error": "its time does not follow from its own clocks"})
        self.assertAlmostEqual(found["tick"]["error_us"], -0.02)

    def test_a_report_without_kernels_of_the_window_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no list of top_kernels"):
            known_windows.kinds([self.BEFORE], {}, self.RECORDED)
        with self.assertRaisesRegex(ValueError, "a signature that was not recorded"):
            self.kinds([kernel("other", 1, 1.0, 0.1, 1.0)])


class Table(unittest.TestCase):
    def row(self, number, **more):
        return {"name": f"order 1, window {number}", "run": 1, **more}

    def test_a_line_a_kind_and_the_mean_errors_of_kernels(self):
        rows = [self.row(1, kinds=Joining().kinds(), sum_against_known_percent=-0.1), self.row(2, kinds=Joining().kinds(Joining.KERNELS[:3]), sum_against_known_percent=0.3),
                self.row(3, error="no GPU")]
        text = known_windows.table(rows).splitlines()
        self.assertEqual([one.split()[0] for one in text[:6]], ["kind", "tick", "copy", "touch", "gather", "mean"])
        self.assertRegex(text[1], r"^tick +2 +1\.000 +0\.030 +1 of 1 +1 of 2 +-0\.020 +0\.020 +-0\.020$")
        self.assertRegex(text[3], r"^touch +2 +11\.100 +0\.200 +2 of 2 +2 of 2 +\+0\.050 +0\.050 +\+0\.050$")
        self.assertRegex(text[4], r"^gather +2 +20\.000 +0\.300 +0 of 2 +0 of 2 +\+0\.500 ")
        self.assertEqual(text[5:9], ["mean |error| of kernels of 5 us and more: 1.48 % (4), of shorter ones: 0.020 us (1), not measured: 1",
                                     "known times before and after differ by 0.90 % and 0.000 us", "inside: 60 % of 5 intervals of kernels",
                                     "mean |error| of the sum against the known whole: 0.20 % (2 windows)"])
        self.assertEqual(text[9:], ["order 1, window 2 run 1: copy DtoH 4: it was not measured", "order 1, window 2 run 1: tick: it was not measured",
                                    "order 1, window 3 run 1: no GPU"])

    def test_nothing_that_is_missing_is_0(self):
        lines = known_windows.table([self.row(1, kinds={"walk": {"launches": 3, "error": "its time does not follow from its own clocks"}})]).splitlines()
        self.assertRegex(lines[1], r"^walk +1 +- +- +0 of 0 +0 of 1 +- +- +-$")
        self.assertEqual(lines[2], "mean |error| of kernels of 5 us and more: - % (0), of shorter ones: - us (0), not measured: 1")
        self.assertEqual(lines[4:6], ["inside: - of 0 intervals of kernels", "mean |error| of the sum against the known whole: - % (0 windows)"])


class Measuring(helpers.FolderCase):
    def measured(self, report, recorded, wholes=(51.0, 53.0)):
        truths = iter([{"launches": Joining.BEFORE, "whole_us": wholes[0]}, {"launches": Joining.AFTER, "whole_us": wholes[1]}])
        asked = []

        def compare(folder, options, program, _):
            asked.append((options, program))
            folder.mkdir()
            (folder / "recording.jsonl").write_text("".join(json.dumps(one) + "\n" for one in [{}, *({"signature": one} for one in recorded)]))
            return {"seconds": 1.0, "sum_us": 52.52}, report

        options = compared.parser("checks", self.folder / "rows.jsonl").parse_args(["--cache", str(self.folder)])
        with mock.patch.object(known_windows, "built", lambda *_: "program"), mock.patch.object(known_windows, "truth", lambda *_: next(truths)), \
                mock.patch.object(known_windows, "compare", compare):
            row = known_windows.measure(options, 3, 2)
        begin, end = known_windows.drawn_window(3, 2)
        self.assertEqual(asked, [(["--iterations", f"{begin}..{end}"], ["program", "play", 3, known_windows.LAUNCHES])])
        self.assertEqual((row["seed"], row["window"]), (3, (begin, end)))
        return row

    def test_the_sum_is_compared_with_the_known_whole(self):
        row = self.measured({"top_kernels": Joining.KERNELS}, Joining.RECORDED)
        self.assertAlmostEqual(row["sum_against_known_percent"], 1.0)
        self.assertAlmostEqual(row["kinds"]["touch"]["error_us"], 0.05)
        row = self.measured({"top_kernels": Joining.KERNELS}, Joining.RECORDED, wholes=(51.0, None))
        self.assertEqual((row["known_whole_us"], row["sum_against_known_percent"]), (None, None))

    def test_what_cannot_be_joined_is_an_error_of_the_row(self):
        row = self.measured({"top_kernels": []}, Joining.RECORDED[1:])
        self.assertEqual(row["error"], "4 launches were recorded, the window has 5")
        self.assertNotIn("kinds", row)

    def test_without_report_there_are_no_kinds(self):
        self.assertNotIn("kinds", self.measured(None, []))


def set_age(path, age_s):
    os.utime(path, (1e9 - age_s, 1e9 - age_s))


class Built(helpers.FolderCase):
    def test_a_program_is_older_than_its_headers(self):
        source, header, program = (self.folder / name for name in ["a.cu", "clocks.cuh", "built/a"])
        made = []
        program.parent.mkdir()
        for path, age in [(source, 30), (program, 20), (header, 10)]:
            path.write_text("")
            set_age(path, age)
        with mock.patch.object(compared, "made", made.append):
            compared.built(source, program.parent)
            self.assertEqual(len(made), 1)
            set_age(header, 25)
            compared.built(source, program.parent)
            self.assertEqual(len(made), 1)


@unittest.skipUnless(shutil.which("nvcc"), "needs nvcc")
class Sequence(unittest.TestCase):
    """The launches that the program lists: words, output, medium and large are numbers of buffers, or -1."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "known_windows"
            subprocess.run(["nvcc", "-arch=sm_90", "-std=c++20", "-O2", "-o", program, known_windows.SOURCE], check=True, capture_output=True, timeout=SECONDS)
            cls.listed = {seed: cls.rows(program, seed) for seed in (1, 2)}
            cls.refused = subprocess.run([program, "truth", "x.json", "1", "600", "20..90"], capture_output=True, text=True, check=False)

    @staticmethod
    def rows(program, seed):
        said = subprocess.run([program, "list", str(seed), str(known_windows.LAUNCHES)], check=True, capture_output=True, text=True).stdout
        return [(kind, *map(int, buffers), wait) for kind, *buffers, wait in (line.split("\t") for line in said.splitlines())]

    def test_indices_are_read_only_where_indices_are(self):
        for rows in self.listed.values():
            holds = {}
            for kind, words, output, *_ in rows:
                if kind in READS:
                    self.assertEqual(holds[words], "indices")
                elif kind in ["fill<4>", "indices"]:
                    holds[words] = "floats" if kind == "fill<4>" else "indices"
                elif words >= 0:
                    self.assertEqual(holds[words], "floats", kind)
                if kind == "gather":
                    self.assertEqual(holds[output], "floats")

    def test_most_windows_end_with_floats_where_they_read_indices_first(self):
        begins = range(known_windows.FIRST, known_windows.LAUNCHES - known_windows.SHORTEST, known_windows.SHORTEST)
        self.assertGreater(sum(self.is_open(self.listed[1][begin:begin + known_windows.SHORTEST]) for begin in begins), len(begins) / 2)

    @staticmethod
    def is_open(rows):
        first, last = {}, {}
        for kind, words, *_ in rows:
            if kind in [*READS, "indices", "fill<4>"]:
                first.setdefault(words, kind)
                last[words] = kind if kind not in READS else last.get(words)
        return any(first[words] in READS and last[words] == "fill<4>" for words in first)

    def test_every_shortest_window_shows_a_tick_after_each_kind(self):
        span = known_windows.SHORTEST + 2 * known_windows.MARGIN
        for rows in self.listed.values():
            kinds = {kind for kind, *_ in rows[known_windows.FIRST:]}
            self.assertEqual(len(kinds), 15)
            for begin in range(known_windows.FIRST - known_windows.MARGIN, known_windows.LAUNCHES - span, 11):
                part = [kind for kind, *_ in rows[begin:begin + span]]
                self.assertEqual(kinds - {kind for kind, following in zip(part, part[1:]) if following == "tick"} - {"copy DtoH 4"}, set())

    def test_the_host_waits_and_copies_are_followed_by_a_tick(self):
        rows = self.listed[1]
        waits = [place for place, row in enumerate(rows) if row[-1] == "wait"]
        between = [after - before for before, after in zip(waits, waits[1:])]
        self.assertTrue(20 <= min(between) and max(between) <= 205, between)
        self.assertTrue(all(rows[place + 1][0] == "tick" for place, row in enumerate(rows) if row[0] == "copy DtoH 4"))

    def test_no_order_repeats(self):
        texts = {seed: "".join(f"{kind} " for kind, *_ in rows) for seed, rows in self.listed.items()}
        pieces = [" ".join(kind for kind, *_ in self.listed[1][begin:begin + 30]) for begin in range(0, known_windows.LAUNCHES - 30, 30)]
        self.assertEqual([piece for piece in pieces if texts[1].count(piece) > 1 or piece in texts[2]], [])

    def test_a_window_without_its_margins_is_refused(self):
        self.assertEqual(self.refused.returncode, 2)
        self.assertIn("20..90: not a window A..B with 64 launches on each side", self.refused.stderr)

    def test_the_program_has_the_margin(self):
        self.assertIn(f"kMargin = {known_windows.MARGIN};", (ROOT / "bench/instrument/known_windows.cu").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
