"""kjoule kernels of a program of several ranks on the stand-in driver: one table of all ranks, with the launches that each made."""
import collections
import csv
import io
import json
import unittest

from .driver import KJOULE, STAND_INS, Driver, short
from .test_schemas import validator
from .test_tables import Printed

PROGRAM = STAND_INS / "ranks_program"
ITERATIONS = 100
# What ranks_program launches in each iteration: rank 1 of --uneven has one more scale in each of three layers.
ADD, REDUCE = 7 * ITERATIONS, 3 * ITERATIONS
SCALE = [4 * ITERATIONS, 7 * ITERATIONS]
ONCE = 1  # fill, before the iterations
NAMES = {"add": [ADD, ADD], "scale": SCALE, "fill": [ONCE, ONCE]}


class RanksListed(Printed, Driver):
    def listed(self, *options, program=("--uneven", 1), ranks=2, **environment):
        done = self.run_words([KJOULE, "kernels", *options, "--", PROGRAM, ranks, ITERATIONS, *program], environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def report(self, **settings):
        text = self.listed("--json", **settings)
        report = json.loads(text[text.index("{"):])
        validator("run_report").validate(report)
        return report

    def test_each_kernel_has_its_launches_per_rank_and_in_total(self):
        report = self.report()
        self.assertEqual([rank["rank"] for rank in report["ranks"]], [0, 1])
        self.assertEqual(len({rank["process"] for rank in report["ranks"]}), 2)
        of_rank, in_all = collections.defaultdict(dict), collections.Counter()
        for kernel in report["kernels"]:
            of_rank[short(kernel["name"])][kernel["rank"]] = kernel
        for kernel in report["all_ranks"]:
            self.assertIsNone(kernel["rank"])
            in_all[short(kernel["name"])] += kernel["count"]
        for name, counts in NAMES.items():
            self.assertEqual([of_rank[name][rank]["count"] for rank in (0, 1)], counts, name)
            self.assertEqual(in_all[name], sum(counts), name)
        reduce = next(name for name in of_rank if name.startswith("ncclDevKernel"))
        self.assertEqual([of_rank[reduce][rank]["count"] for rank in (0, 1)], [REDUCE, REDUCE])
        for kernel in report["all_ranks"]:
            own = [other for other in report["kernels"] if other["name"] == kernel["name"] and other["grid"] == kernel["grid"]]
            self.assertAlmostEqual(sum(other["total_ms"] for other in own), kernel["total_ms"], places=6)
        for rank in (0, 1):
            shares = sum(kernel["share_percent"] for kernel in report["kernels"] if kernel["rank"] == rank)
            self.assertAlmostEqual(shares, 100, places=6, msg="shares are those of the rank's own work")

    def test_each_rank_has_its_loop(self):
        report = self.report()
        self.assertEqual(report["launches"], sum(rank["launches"] for rank in report["ranks"]))
        loops = [max(rank["kinds"], key=lambda kind: kind["iterations"]) for rank in report["ranks"]]
        self.assertEqual([loop["launches_per_iteration"] for loop in loops], [16, 19])

    def test_the_screen_has_one_table_of_all_ranks(self):
        text = self.listed()
        self.assert_fits(text)
        text = text[text.index("  ranks   2 processes that worked on a GPU"):]  # after the program's own output
        self.assert_explained(text, ["rank"], "kernels")
        self.assert_explained(text[text.index("\nkernel\n"):], ["rank"], "kernels")
        lines = text.splitlines()
        at = next(i for i, line in enumerate(lines) if line.split()[:2] == ["all", str(sum(SCALE))])
        self.assertEqual([line.split()[:2] for line in lines[at + 1:at + 3]], [["0", str(SCALE[0])], ["1", str(SCALE[1])]])

    def test_csv_and_lines_have_each_rank_and_are_read_again(self):
        text = self.listed("--csv")
        rows = list(csv.DictReader(io.StringIO(text[text.index("name,short_name"):])))
        counts = {(short(row["name"]), row["rank"]): int(row["count"]) for row in rows}
        self.assertEqual([counts["scale", rank] for rank in "01"], SCALE)
        table = self.folder / "kernels.jsonl"
        table.write_text("".join(line + "\n" for line in self.listed("--jsonl").splitlines() if line.startswith("{")))
        read = json.loads(self.run_words([KJOULE, "kernels", "--json", table]).stdout)
        self.assertEqual({kernel["gpu"] for kernel in read["kernels"]}, {0, 1})
        scale, = (kernel for kernel in read["all_gpus"] if short(kernel["name"]) == "scale")
        self.assertEqual(scale["launches"], sum(SCALE))

    def test_without_a_launcher_ranks_are_named_by_their_processes(self):
        report = self.report(program=("--no-launcher",), ranks=3)
        self.assertEqual(len(report["ranks"]), 3)
        self.assertFalse(any("rank" in rank for rank in report["ranks"]))
        self.assertEqual({kernel["process"] for kernel in report["kernels"]}, {rank["process"] for rank in report["ranks"]})

    def test_one_rank_alone(self):
        text = self.listed("--rank", "1", "--json")
        report = json.loads(text[text.index("{"):])
        self.assertNotIn("ranks", report)
        self.assertEqual(next(kernel["count"] for kernel in report["kernels"] if short(kernel["name"]) == "scale"), SCALE[1])

    def test_the_timeline_has_a_lane_for_each_rank(self):
        self.listed("--timeline", self.folder / "t.json")
        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        self.assertEqual(len({(event["pid"], event["tid"]) for event in events if event["ph"] == "X" and event["cat"] == "kernel"}), 2)


if __name__ == "__main__":
    unittest.main()
