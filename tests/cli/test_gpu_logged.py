"""What tests/gpu/logged makes of reports made up here; it itself needs a GPU."""
import unittest

from .scripts import script

logged = script("logged")


def of_log(signature, joules, half_width, group=None):
    interval = None if joules is None else [joules - half_width, joules + half_width]
    return {"signature": signature, "short_name": f"name of {signature}", "group": group, "energy_in_context_joules_total_interval": interval}


def of_counter(signature, joules, half_width):
    return {"signature": signature, "energy": {"joules": joules, "interval_joules": [joules - half_width, joules + half_width]}}


CONTEXT = {"predicted_interval_joules": [0.97, 1.03], "whole_interval_joules": [0.96, 1.04], "whole_joules": 1.0, "error_signed_percent": 2.5, "agrees": True}
LOG = {"per_kernel": [of_log("a", 0.3, 0.01), of_log("b", 0.5, 0.02), of_log("c", 0.1, 0.03, "2 smaller"), of_log("d", 0.05, 0.01, "2 smaller"),
                      of_log("e", None, None)],
       "isolated_kernels": {"measured": 4, "measured_time_percent": 99.0}, "comparison": {"in_context": CONTEXT}}
COUNTER = {"energy": {"whole_joules": 1.01}, "top_kernels": [of_counter("a", 0.29, 0.01), of_counter("b", 0.52, 0.01), of_counter("c", 0.11, 0.01),
                                                           of_counter("d", 0.04, 0.02)]}


class Figures(unittest.TestCase):
    def test_the_sum_of_the_log_against_its_whole(self):
        found = logged.figures(LOG, COUNTER)
        self.assertEqual((found["kernels"], found["measured"], found["sum_error_percent"], found["counter_whole_j"]), (5, 4, 2.5, 1.01))
        self.assertAlmostEqual(found["sum_half_width_percent"], 5)

    def test_the_largest_kernel_and_each_group_against_the_counter(self):
        largest, group = logged.parts_of(LOG, COUNTER)
        self.assertEqual((largest["name"], group["name"]), ("name of b", "2 smaller"))
        for found, expected in [(largest["log_j"], [0.5, 0.02]), (largest["counter_j"], [0.52, 0.01]), (group["log_j"], [0.15, 0.04]),
                                (group["counter_j"], [0.15, 0.03])]:
            for value, wanted in zip(found, expected):
                self.assertAlmostEqual(value, wanted)

    def test_without_a_sum_and_with_an_error(self):
        found = logged.figures({**LOG, "comparison": {"in_context": None}}, COUNTER)
        self.assertNotIn("sum", logged.lines({"name": "x", **found})[0])
        self.assertIn("4 of 5", logged.lines({"name": "x", **found})[0])
        self.assertEqual(logged.lines({"name": "x", "error": "log: not done in 300 s"}), [f"{'x':<18} log: not done in 300 s"])


if __name__ == "__main__":
    unittest.main()
