"""What tests/gpu/mixed says of rows made up here, and of its own; it itself needs a GPU."""
import unittest

from .scripts import script

mixed = script("mixed")

NONE_W, KELVIN_W = 120.0, 1.5


def reading(arithmetic, memory, watts, celsius=50, turn_us=0, other="beside"):
    return {"arithmetic_sms": arithmetic, "memory_sms": memory, "turn_us": turn_us, "other": other, "clock_mhz": 1980.0, "temperature_c": celsius,
            "watts": watts + KELVIN_W * (celsius - 50)}


def readings(more_together=0.0):
    """Returns two readings of each load at 45 and 56 degrees; arithmetic draws 2 W and memory 3 W a multiprocessor."""
    loads = [(33, 0), (132, 0), (0, 66), (33, 66)]
    rows = [reading(a, m, NONE_W + 2 * a + 3 * m + (more_together if a and m else 0), celsius) for a, m in loads for celsius in (45, 56)]
    return [{"machine": {"driver": "1"}}, *rows, reading(132, 132, 300, turn_us=10, other="memory"), reading(132, 132, 301, turn_us=1000, other="memory")]


class Lines(unittest.TestCase):
    def test_powers_that_add_up(self):
        said = "\n".join(mixed.lines(readings()))
        self.assertIn("10 readings at 1980 to 1980 MHz, brought to 50 C by 1.50 W/C", said)
        self.assertIn("on 33 and 132 multiprocessors: 120.0 W", said)
        self.assertIn("arithmetic on  33, memory on  66:  384.0 W   +0.0 W to its parts", said)
        self.assertIn("arithmetic and memory in turns: 10 us 300.0 W, 1000 us 301.0 W", said)

    def test_powers_that_do_not(self):
        self.assertIn("-40.0 W to its parts", "\n".join(mixed.lines(readings(-40))))

    def test_the_rows_in_the_repository(self):
        rows = mixed.read_rows(mixed.MEASUREMENTS / "mixed.jsonl")
        self.assertIn("H100", rows[0]["machine"]["name"])
        self.assertEqual(len(rows), 67)
        self.assertIn("by 1.57 W/C", "\n".join(mixed.lines(rows)))


if __name__ == "__main__":
    unittest.main()
