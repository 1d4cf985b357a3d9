"""What tests/gpu/window_energy makes of reports made up here; measuring needs a GPU."""
import pathlib
import unittest
from unittest import mock

from .scripts import script

window_energy = script("window_energy")


def report(whole_joules, whole_us=100.0, half=0.01):
    return {"whole_us": whole_us, "verification": {"different": []},
            "energy": {"whole_joules": whole_joules, "whole_interval_joules": [whole_joules - half, whole_joules + half], "sum_joules": whole_joules,
                       "error_percent": 0.5, "half_width_percent": 1.0, "restore_us": 30}}


class WindowEnergy(unittest.TestCase):
    HEADER = {"program": {"loop": {"first": 40, "length": 110}}, "edges": {"lead": 64, "tail": 64}}

    def measured(self, *reports):
        options = mock.Mock(cache=pathlib.Path("/none"))
        compared = mock.Mock(side_effect=[(one, self.HEADER) for one in reports])
        workload = mock.Mock()
        with mock.patch.object(window_energy, "compared", compared), mock.patch.dict(window_energy.WORKLOADS, {"one": workload}):
            return window_energy.measure("one", 1, options), compared

    def test_a_window_holds_whole_iterations_and_begins_within_one(self):
        row, compared = self.measured(report(2.0), report(8.4, whole_us=404))
        first, end = row["launches"]
        self.assertEqual((end - first, row["iterations"]), (440, 4))
        self.assertTrue(40 + 30 * 110 <= first < 40 + 31 * 110)
        self.assertEqual(compared.call_args_list[1].args[2], ["--iterations", f"{first}..{end}"])

    def test_energies_are_compared_for_one_iteration(self):
        row, _ = self.measured(report(2.0), report(8.4, whole_us=404))
        self.assertAlmostEqual(row["apart_percent"], 5)
        self.assertAlmostEqual(row["time_apart_percent"], 1)
        self.assertAlmostEqual(row["apart_half_width_percent"], 100 * (0.0025**2 + 0.01**2)**0.5 / 2)
        printed = window_energy.table([{**row, "name": "one", "run": 1}, {"name": "two", "run": 1, "error": "no GPU"}])
        self.assertIn("+5.00", printed)
        self.assertIn("two run 1: no GPU", printed)

    def test_a_report_without_energy_is_an_error(self):
        lacking = report(2.0)
        lacking["energy"] = {"missing": "no meter"}
        with self.assertRaisesRegex(ValueError, "no meter"):
            self.measured(lacking)


if __name__ == "__main__":
    unittest.main()
