"""What the ranks of a program did in its own iterations, and the first screen of a group of ranks. The stand-in for CUPTI logs
the true times of all operations, from which these tests calculate the waiting, the hidden communication and the computation."""
import json
import re
import statistics
import unittest

from .driver import unwrapped
from .test_ranks import Ranks
from .test_schemas import validator

COLLECTIVES = 3  # of an iteration
MOST_LINES = 40


def united(spans):
    """Returns the spans without their overlaps."""
    result = []
    for begin, end in sorted(spans):
        if result and begin <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        else:
            result.append([begin, end])
    return result


def length(spans):
    return sum(end - begin for begin, end in spans)


def common(a, b):
    return sum(max(0, min(end, other_end) - max(begin, other_begin)) for begin, end in a for other_begin, other_end in b)


class Truth:
    """The true times of the watched iterations, in us of an iteration."""

    def __init__(self, folder, row):
        self.iterations = row["iterations"]
        begin_ns = row["begin_ns"] - 1e9 * row["clock_error_s"]  # the begin on one rank, converted to the clock of the first one
        self.ranks = [self.operations(folder / f"{rank}.txt", begin_ns) for rank in range(len(row["ranks"]))]
        self.collectives = [[one for one in rank if one[2].startswith("nccl")][:COLLECTIVES * self.iterations] for rank in self.ranks]

    @staticmethod
    def operations(path, begin_ns):
        """The operations of a rank, from the begin of the first watched iteration: begin, end, name."""
        operations = [(int(begin), int(end), name) for begin, end, name in (line.split() for line in path.read_text().splitlines())]
        return [one for one in sorted(operations) if one[0] >= begin_ns]

    def mean(self, ns):
        return ns / 1000 / self.iterations

    def waiting(self):
        """By rank: from its own begin to the begin on the last rank, in all collectives of an iteration."""
        last = [max(one[0] for one in same) for same in zip(*self.collectives)]
        return [self.mean(sum(end - one[0] for end, one in zip(last, rank))) for rank in self.collectives]

    def hidden_and_exposed(self, rank):
        communication = united((begin, end) for begin, end, _ in self.collectives[rank])
        last = communication[-1][1]
        computation = united((begin, end) for begin, end, name in self.ranks[rank] if name in ("add", "scale", "fill") and begin < last)
        hidden = common(communication, computation)
        return self.mean(hidden), self.mean(length(communication) - hidden)

    def from_first_to_last(self, after_collectives):
        """From each operation that precedes a rank's first collective to the last operation of all ranks. An iteration has `after_collectives` operations after
        its last collective. One rank may still run the last operations of the iteration before when the first iteration of another one begins."""
        end = max(rank[rank.index(collectives[-1]) + after_collectives][1] for rank, collectives in zip(self.ranks, self.collectives))
        return [self.mean(end - begin) for rank, collectives in zip(self.ranks, self.collectives) for begin, _, _ in rank[:rank.index(collectives[0])]]

    def computation(self, rank, kernels):
        """Of as many kernels as the iterations have."""
        operations = [one for one in self.ranks[rank] if one[2] in ("add", "scale")][:kernels * self.iterations]
        return self.mean(length(united((begin, end) for begin, end, _ in operations)))


class OwnIterations(Ranks):
    LOOP_SECONDS = 0.2

    def watched(self, *program, ranks=2, **environment):
        """The report's part on the program's own iterations, the truth, and the whole report."""
        log = self.folder / "cupti"
        log.mkdir(exist_ok=True)
        for old in log.iterdir():
            old.unlink()
        done = self.run_ranks(*program, ranks=ranks, FAKE_CUPTI_LOG=str(log), **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report()
        validator("comparison_report").validate(report)
        row, = [row for row in map(json.loads, (self.results / "results.jsonl").read_text().splitlines()) if row["kind"] == "watched_ranks"]
        validator("results_row").validate(row)
        own = report["program_iterations_of_ranks"]
        self.assertNotIn("missing", own)
        self.assertGreaterEqual(own["iterations"], 8)
        self.assertLessEqual(own["iterations"], 64)
        return own, Truth(log, row), report

    def check_waiting(self, own, truth):
        """The waiting is the true one within the error of the clocks, which is part of its interval."""
        self.assertLess(own["clock_error_us"], 5)
        for rank, us in zip(own["ranks"], truth.waiting()):
            self.assertAlmostEqual(rank["waiting_us"], us, delta=COLLECTIVES * own["clock_error_us"])
            low, high = rank["waiting_interval_us"]
            self.assertTrue(low <= us <= high, rank)
        kind, = own["collectives"]
        self.assertEqual((kind["operation"], kind["message_bytes"]), ("ncclAllReduce", 1024))
        for of_kind, rank in zip(kind["ranks"], own["ranks"]):
            self.assertEqual(of_kind["waiting_us"], rank["waiting_us"])

    def test_waiting_for_a_host_that_is_late(self):
        """Rank 1 sleeps 1 ms in each iteration, which the replay cannot show."""
        own, truth, report = self.watched("--sleeps", "1")
        self.check_waiting(own, truth)
        self.assertGreater(own["ranks"][0]["waiting_us"], 900)
        self.assertLess(report["collectives"][0]["ranks"][0]["waiting_us"], 30)
        path = own["critical_path"]
        self.assertGreater(path["launch_gaps_us"], 900)
        self.assertEqual(path["ranks"][1]["rank"], "rank 1")
        self.assertGreater(path["ranks"][1]["us"], 900, "its sleep is on the path")

    def test_clocks_of_cupti_that_differ(self):
        """By 1 ms, which the readings of the clocks show, and by 0.3 us, which only the order of events limits."""
        own, truth, _ = self.watched("--sleeps", "1", FAKE_CUPTI_CLOCKS="apart")
        self.check_waiting(own, truth)
        self.assertGreater(own["ranks"][0]["waiting_us"], 900)

    def test_hidden_and_exposed_communication(self):
        own, truth, _ = self.watched("--overlapped", FAKE_CUDA_SLOWNESS="10")  # so that launches wait in their streams
        for number, rank in enumerate(own["ranks"]):
            hidden, exposed = truth.hidden_and_exposed(number)
            self.assertGreater(hidden, 5, "kernels of another stream run next to the first all-reduce")
            self.assertAlmostEqual(rank["hidden_us"], hidden, delta=0.05)
            self.assertAlmostEqual(rank["exposed_us"], exposed, delta=0.05)
            self.assertAlmostEqual(rank["communication_us"], hidden + exposed, delta=0.1)

    def test_imbalance(self):
        """Rank 1 has three more kernels."""
        own, truth, _ = self.watched("--uneven", "1")
        self.check_waiting(own, truth)
        expected = [truth.computation(0, 11), truth.computation(1, 14)]
        for rank, us in zip(own["ranks"], expected):
            self.assertAlmostEqual(rank["computation_us"], us, delta=0.01 * us)
        self.assertAlmostEqual(own["imbalance_percent"], 100 * (expected[1] / statistics.fmean(expected) - 1), delta=0.5)
        self.assertGreater(own["imbalance_percent"], 5)

    def test_the_path_has_the_time_of_the_iterations(self):
        own, truth, _ = self.watched()
        path = own["critical_path"]
        parts = ["computation_us", "copies_us", "moving_data_us", "idle_us", "launch_gaps_us"]
        self.assertAlmostEqual(sum(path[part] for part in parts), path["all_us"], places=6)
        self.assertAlmostEqual(sum(rank["us"] for rank in path["ranks"]), path["all_us"], places=6)
        # The path begins with the first operation of one of the ranks.
        true = min(truth.from_first_to_last(after_collectives=3), key=lambda us: abs(us - path["all_us"]))
        self.assertAlmostEqual(path["all_us"], true, delta=2 * own["clock_error_us"] / own["iterations"])
        self.assertGreater(path["moving_data_us"], 3 * 2, "three all-reduces of more than 2 us")

    def test_stages_have_no_waiting(self):
        """Sends and receives synchronise nobody, so there are only the rank's own times."""
        done = self.run_ranks("--stages", ranks=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report()
        validator("comparison_report").validate(report)
        own = report["program_iterations_of_ranks"]
        self.assertEqual(own["collectives"], [])
        for rank in own["ranks"]:
            self.assertIsNone(rank["waiting_us"])
            self.assertGreater(rank["exposed_us"], 1, "a message")
        self.assertNotIn("waiting in the program", done.stdout)


class Screen(Ranks):
    def screen(self, ranks, options=()):
        done = self.run_ranks("--uneven", "1", ranks=ranks, options=options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, text):
        lines = text.splitlines()
        self.assertLessEqual(len(lines), MOST_LINES, text)
        self.assertLessEqual(max(len(line) for line in lines if not line.startswith("results in ")), 80, text)
        self.assertRegex(text, r"\n  group of ranks: whole \d+\.\d us, sum \d+\.\d")
        self.assertRegex(text, r"\n  rank \d +\d+ .*adds up\n")
        self.assertRegex(text, r"\n  AllReduce +3 +1024 +\d+\.\d\d +\d+\.\d\d +\d+\.\d +\d+\.\d +\d+\.\d +\d+\.\d\n")
        self.assertRegex(text, r"\n  communication exposed +\d+\.\d +\d+\.\d  rank \d +\d+\.\d  rank \d\n")
        self.assertRegex(unwrapped(text), r"waiting in the program: rank \d most, \d+\.\d \+- \d+\.\d us; clocks within \d+\.\d\d us")
        self.assertRegex(unwrapped(text), r"imbalance: rank 1 computes \d+\.\d % longer than the mean of the ranks")
        self.assertRegex(unwrapped(text), r"critical path: \d+\.\d us: computation \d+\.\d, copies \d+\.\d, moving data \d+\.\d, idle \d+\.\d, "
                                          r"launch gaps \d+\.\d; on rank \d \d+ %")
        self.assertNotIn("largest kernels", text)
        report = self.report()
        slowest = max(report["ranks"], key=lambda rank: rank["whole_us"])
        self.assertEqual(report["group"]["whole_us"], slowest["whole_us"])
        self.assertEqual(report["group"]["verdict"], "adds up")
        self.assertIn(f"on {slowest['rank']}, the slowest", unwrapped(text))

    def test_of_two_ranks(self):
        text = self.screen(2)
        self.check(text)
        self.assertEqual(len(re.findall(r"\n  rank \d +\d+ .*adds up", text)), 2)

    def test_of_eight_ranks(self):
        text = self.screen(8)
        self.check(text)
        listed = len(re.findall(r"\n  rank \d +\d+ .*adds up", text))
        self.assertIn(f"\n  {8 - listed} other ranks: none is slower, faster or less certain; -v lists all\n", text)

    def test_details_have_kernels_and_ranks(self):
        text = self.screen(2, ["-v"])
        self.assertRegex(text, r"\n  in the program +iteration us +compute us +hidden +exposed +waiting +\+- us\n  rank 0 +\d")
        self.assertRegex(text, r"\n  critical path +launches +us +kernel\n  rank \d +\d")
        self.assertRegex(text, r"\n  AllReduce +3 +1024 +\d\.\d\d +\d\.\d\d  rank 0 +\d+\.\d +\d\.\d +3\.\d\n +rank 1 |\n  AllReduce +3 +1024 ")
        self.assertIn("in context", text)


if __name__ == "__main__":
    unittest.main()
