"""What kjoule prints for people fits a terminal of 80 columns, and the help of each command explains the heads of its tables."""
import json
import re
import subprocess
import unittest

from .driver import KJOULE, ROOT, Driver
from .test_commands import InAFolder

WIDTH = 80
SIMULATED = ["--device", "simulated:seed=5", "--runs", "5", "--time-limit", "0.2"]
HEAD = re.compile(r"^ {2}(\S.{0,13}?)(?: {2,}|$)")


def help_of(*command):
    done = subprocess.run([KJOULE, *command, "--help"], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def heads_in(text):
    """Returns the heads that a help text explains under "Columns of ...:"."""
    heads = set()
    explains = False
    for line in text.splitlines():
        if line.startswith("Columns of "):
            explains = True
        elif not line:
            explains = False
        elif explains and (head := HEAD.match(line)) and not line.startswith(" " * 4):
            heads.add(head[1])
    return heads


def unexplained(line, heads):
    """Returns what is left of a table's line of heads without those that are explained."""
    for head in sorted(heads, key=len, reverse=True):
        line = re.sub(rf"(?<!\S){re.escape(head)}(?!\S)", " " * len(head), line)
    return line.strip()


def commands():
    """Yields the words of each command and of its subcommands."""
    for text, path in [(help_of(), [])]:
        for name in re.findall(r"^ {2}([a-z][a-z-]*)  ", text.partition("Subcommands:")[2], re.M):
            yield [*path, name]
            if name != "export":
                inner = help_of(name).partition("Subcommands:")[2].partition("\n\n")[0]
                yield from ([name, part] for part in re.findall(r"^ {2}([a-z][a-z-]*)  ", inner, re.M))


class Printed:
    """Checks of printed texts, for test cases with a folder."""

    def printed(self, *words, code=0, **variables):
        """Runs kjoule and returns stdout, no line of which is wider than a terminal."""
        done = subprocess.run([KJOULE, *map(str, words)], capture_output=True, text=True, check=False, timeout=300, cwd=self.folder,
                              stdin=subprocess.DEVNULL, **variables)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assert_fits(done.stdout)
        return done.stdout

    def assert_fits(self, text):
        wide = [line for line in text.splitlines() if len(line) > WIDTH]
        self.assertEqual(wide, [])

    def assert_explained(self, text, first_heads, *command):
        """Checks that `text` has lines that begin with these heads, and that the command's help explains all heads of each."""
        heads = heads_in(help_of(*command))
        for first in first_heads:
            lines = [line for line in text.splitlines() if re.match(rf" *{re.escape(first)}( |$)", line)]
            self.assertTrue(lines, f"{first}\n{text}")
            for line in lines[:1]:
                self.assertEqual(unexplained(re.sub(r"^ *(one iteration|kernels whose (time|energy).*changed)", "", line), heads), "", line)


class Tables(Printed, InAFolder):
    def test_helps_fit(self):
        found = list(commands())
        self.assertIn(["compare"], found)
        self.assertIn(["predict", "step"], found)
        for words in found:
            with self.subTest(words):
                self.assert_fits(help_of(*words).replace(str(KJOULE), "kjoule"))

    def test_lists_fit(self):
        for words in (["doctor"], ["layers", "--list"], ["sample", "--list"], ["predict", "list-examples"]):
            with self.subTest(words):
                done = subprocess.run([KJOULE, *words], capture_output=True, text=True, check=False, timeout=300)
                # A path is not broken.
                self.assert_fits(re.sub(r"\S*/\S*", "PATH", done.stdout))

    def test_comparison(self):
        text = self.printed("compare", *SIMULATED, "-v", "-o", "r")
        heads = heads_in(help_of("compare"))
        for line in text.splitlines():
            if re.search(r"largest kernels +count|each (us|mJ) ", line):
                self.assertEqual(unexplained(line.replace("largest kernels", ""), heads), "", line)
        self.assertIn("all mJ", text)
        self.assertIn("isolated us", text)

    def test_kernels_of_a_results_folder(self):
        self.printed("compare", *SIMULATED, "--no-energy", "-o", "r")
        self.assert_explained(self.printed("kernels", "r"), ["count"], "kernels")
        self.assert_explained(self.printed("kernels", "r/recording.jsonl", "--by", "tier"), ["count"], "kernels")
        self.printed("import", "r/recording.jsonl", "-o", "imported")

    def test_changes(self):
        for name in ("a", "b"):
            self.printed("compare", "--device", f"simulated:seed=5,launches={20 + ord(name)}", "-o", name)
        changes = self.printed("diff", "a", "b")
        self.assert_explained(changes, ["one iteration", "kernels whose time", "kernels whose energy"], "diff")
        watts = self.report_watts("a")
        self.assertRegex(changes, rf"power of the whole, W +{watts:.1f} ")

    def report_watts(self, name):
        return json.loads((self.folder / name / "comparison_report.json").read_text())["energy"]["whole_watts"]

    def test_full_and_isolated(self):
        self.assert_explained(self.printed("full", *SIMULATED[:4], "-o", "f"), ["mean us"], "full")
        self.assert_explained(self.printed("isolated", *SIMULATED[:2], "-o", "i"), ["count"], "isolated")

    def test_traces(self):
        rows = [{"name": f"void at::native::vectorized_elementwise_kernel<4, at::native::{name}Functor<float>, std::array<char*, 2ul>>(int)",
                 "count": 3, "total_us": 123456.789, "grid": [4096, 1, 1], "block": [128, 1, 1], "operator": "aten::native_layer_norm_backward",
                 "input_dims": [[8192, 8192, 64]] * 4, "iterations": 1} for name in ("Cos", "Sin" * 20)]
        (self.folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.assert_explained(self.printed("kernels", "t.jsonl"), ["kernel", "count"], "kernels")
        for by in ("name", "operator", "tier", "category"):
            with self.subTest(by):
                self.assert_explained(self.printed("kernels", "t.jsonl", "--by", by), ["count"], "kernels")

    def test_words_are_not_broken(self):
        """Of a table whose number of iterations is not known, so that the lines have all columns."""
        table = ROOT / "tests/gpu/bloom_kernels.csv"
        for by in ("tier", "category", "operator"):
            groups = json.loads(self.succeed("kernels", table, "--by", by, "--json"))["groups"]
            words = self.printed("kernels", table, "--by", by).split()
            for group in groups:
                self.assertLessEqual(set(group[by].split()), set(words), by)

    def test_predictions(self):
        step = self.printed("predict", "step", "llemma_7b_4_2_2_P")
        self.assert_explained(step, ["term", "stage"], "predict", "step")
        self.printed("predict", "operator", "NVIDIAH200", "linear1", "bf16", "forward", 1, 8, 1024, 4096)


class WholeRuns(Printed, Driver):
    TIME_LIMIT = None  # for all phases

    def test_a_run_and_its_phases(self):
        done = self.run_kjoule("compare", "--iterations", "20", options=["--no-energy"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_fits(done.stdout)
        self.assert_explained(done.stdout, ["share %", "count", "phase"], "compare")


if __name__ == "__main__":
    unittest.main()
