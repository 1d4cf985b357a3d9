"""What starts the fuzzers: each reader has a target, the hours of make fuzz are divided among them, and the files whose coverage is reported
exist."""
import os
import pathlib
import re
import subprocess
import unittest

from .scripts import script

ROOT = pathlib.Path(__file__).resolve().parents[2]
READERS = sorted(path.name for path in (ROOT / "tests/fuzz/corpus").iterdir())


def seconds(hours, cores):
    done = subprocess.run([ROOT / "tests/fuzz/seconds", str(hours)], capture_output=True, text=True, check=False, env={**os.environ, "CORES": str(cores)})
    return int(done.stdout) if done.returncode == 0 else done.stderr


class Fuzzing(unittest.TestCase):
    def test_each_target_has_inputs_and_is_built(self):
        targets = sorted(path.stem for path in (ROOT / "tests/fuzz").glob("*.cpp"))
        self.assertEqual(targets, READERS)
        listed = (ROOT / "tests/fuzz/CMakeLists.txt").read_text()
        for reader in READERS:
            self.assertRegex(listed, rf"\b{reader}\b")
            self.assertTrue(any((ROOT / "tests/fuzz/corpus" / reader).iterdir()), reader)

    def test_hours_are_divided_among_the_readers(self):
        rounds = -(-len(READERS) // 2)
        self.assertEqual(seconds(8, 2), 8 * 3600 // rounds)
        self.assertEqual(seconds(0.5, 1000), 1800)
        self.assertEqual(seconds("0.000001", 2), 1)
        self.assertIn("is no number of hours above 0", seconds("a", 2))
        self.assertIn("is no number of hours above 0", seconds(0, 2))

    def test_coverage_is_of_files_that_exist_and_that_read(self):
        coverage = script("coverage", ROOT / "tests/fuzz")
        own_files = coverage.own_files
        self.assertIn(f"add_executable({coverage.TARGET} ", (ROOT / "tests/fuzz/CMakeLists.txt").read_text(), "the program that it builds")
        for reader in READERS:
            files = own_files(reader)
            self.assertTrue(files, reader)
            for name in files:
                self.assertRegex((ROOT / "src" / name).read_text(), re.compile(r"Error|read|split", re.I), name)


if __name__ == "__main__":
    unittest.main()
