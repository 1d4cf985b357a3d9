"""No number in a file crashes a listed operator (docs/design/trust.md, tools/fuzz_operators)."""
import json
import subprocess
import sys
import unittest

from ..test_commands import ON_CPU, ROOT
from .test_security import Hostile

FUZZ = [sys.executable, ROOT / "tools/fuzz_operators"]
LIST = ROOT / "data/callable_operators.txt"
UNSAFE = ROOT / "tools/unsafe_operators.txt"


def names_in(path):
    return {line for line in path.read_text().splitlines() if line and not line.startswith("#")}


class Fuzzing(unittest.TestCase):
    def fuzz(self, *options):
        return subprocess.run([*FUZZ, *options], capture_output=True, text=True, timeout=600, check=False)

    def test_listed_operators_survive(self):
        """A part of what the script does by default, for half a minute."""
        done = self.fuzz("--seconds", "25", "--trials", "60", "--seed", "1")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertGreater(int(done.stderr.split()[0]), 0)

    def test_the_script_finds_unsafe_operators(self):
        """What it prints names operator, signal, trial and call."""
        for name in ["aten::_sobol_engine_draw", "aten::_cummax_helper"]:
            with self.subTest(name):
                done = self.fuzz("--names", name, "--trials", "300")
                self.assertEqual(done.returncode, 1, done.stderr)
                found = done.stdout.rstrip("\n").split("\t")
                self.assertEqual((found[0], found[1]), (name, "SIGSEGV"))
                self.assertTrue(found[3].startswith(f"{name}("), found)
                again = self.fuzz("--names", name, "--trials", "300")
                self.assertEqual(again.stdout, done.stdout, "the same seed repeats the calls")

    def test_unsafe_operators_are_not_listed(self):
        self.assertGreater(len(names_in(UNSAFE)), 30)
        self.assertEqual(names_in(LIST) & names_in(UNSAFE), set())
        self.assertEqual([name for name in names_in(LIST) if name.startswith(("aten::_sobol_engine_", "aten::_embedding_bag_dense", "aten::_embedding_bag_sparse"))], [])


class Calls(Hostile):
    def isolated(self, name, arguments, *options):
        def full(one):
            return {"tensor": {"dtype": one[1], "shape": one[0], "strides": [1] * len(one[0])}} if isinstance(one, tuple) else one
        row = {"name": "k", "operator": name, "arguments": [full(one) for one in arguments], "count": 1}
        table = self.file("table.jsonl", json.dumps(row) + "\n")
        done = self.run_here("isolated", "--kernels", table, *ON_CPU, "--json", "-o", self.results, *options)
        return done, json.loads(done.stdout)["kernels"][0] if done.stdout else None

    def test_unsafe_operators_are_refused(self):
        for name, arguments in [("aten::_sobol_engine_draw", [([0], "Long"), 1, ([6], "Long"), 1, 1, None]), ("aten::_sobol_engine_scramble_", [([4], "Long"), ([4], "Long"), 1 << 40]),
                                ("aten::_embedding_bag_dense_backward", [([4], "Float"), ([4], "Long"), ([4], "Long"), ([4], "Long"), ([4], "Long"), 0, False, 0, None, -1])]:
            with self.subTest(name):
                done, kernel = self.isolated(name, arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(f"--allow-operator {name}", kernel["error"] if kernel else done.stderr)

    def test_attention_without_elements_is_refused(self):
        """It divided by the number of heads."""
        with_heads, without = ([1, 2, 4, 8], "Float"), ([1, 0, 4, 8], "Float")
        done, kernel = self.isolated("aten::scaled_dot_product_attention", [with_heads, without, with_heads, None, {"double": "0"}, False, None, True])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("a tensor has no elements", kernel["error"] if kernel else done.stderr)

    def test_enumerations_without_such_a_value_are_refused(self):
        """`aten::to` with the memory format 4 crashed."""
        for arguments in [[([3, 5], "Float"), 2, True, False, 4], [([4], "Float"), 99], [([4], "Float"), -1]]:
            with self.subTest(arguments=arguments):
                done, kernel = self.isolated("aten::to.dtype", arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("no overload of aten::to.dtype", kernel["error"] if kernel else done.stderr)


if __name__ == "__main__":
    unittest.main()
