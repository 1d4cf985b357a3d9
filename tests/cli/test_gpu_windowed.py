"""tests/gpu/windowed.py: every kind of program is there, both halves are equal, and the sources exist and compile."""
import ast
import pathlib
import re
import sys
import unittest
from collections import Counter
from unittest import mock

from .helpers import FolderCase

GPU = pathlib.Path(__file__).resolve().parents[2] / "tests/gpu"
with mock.patch.object(sys, "path", [str(GPU), str(GPU.parents[1] / "measurements"), *sys.path]), mock.patch.object(sys, "dont_write_bytecode", True):
    import catalogue
    import judging
    import windowed

FOLDER = GPU / "workloads/windows"
PROGRAMS = windowed.WINDOWED
TWO_OF_A_KIND = {"evaluation", "smaller-batch", "gan", "lstm", "loader", "beam-search"}


def sources(ending):
    return {FOLDER / one.source for one in PROGRAMS.values() if one.source.endswith(ending)}


class Programs(FolderCase):
    def test_every_kind_occurs_and_none_that_is_not_listed(self):
        self.assertEqual({one.kind for one in PROGRAMS.values()}, windowed.KINDS.keys())

    def test_half_of_the_programs_only_judge(self):
        counts = Counter(one.half for one in PROGRAMS.values())
        self.assertEqual(counts.keys(), set(catalogue.HALVES))
        self.assertLessEqual(abs(counts["tuning"] - counts["judging"]), 1)

    def test_kinds_with_two_programs_have_one_in_each_half(self):
        for kind, count in Counter(one.kind for one in PROGRAMS.values()).items():
            halves = sorted(one.half for one in PROGRAMS.values() if one.kind == kind)
            if kind in TWO_OF_A_KIND or count > 1:
                self.assertEqual(halves, ["judging", "tuning"], kind)

    def test_every_source_of_the_folder_is_listed(self):
        self.assertEqual(sources(".py"), set(FOLDER.glob("*.py")) - {FOLDER / "shared.py"})
        self.assertEqual(sources(".cu"), set((FOLDER / "cuda").glob("*.cu")))

    def test_python_programs_compile_and_their_first_line_says_how_they_are_called(self):
        for path in FOLDER.glob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
            compile(tree, str(path), "exec")
            if path.name != "shared.py":
                self.assertRegex(ast.get_docstring(tree), rf"python {re.escape(path.name)} \[[A-Z]+\]$")

    def test_python_programs_end_with_figures_that_can_be_compared(self):
        for path in sources(".py"):
            last = ast.parse(path.read_text(encoding="utf-8")).body[-1]
            calls = [node.func.id for node in ast.walk(last) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
            self.assertIn("ended", calls, path.name)

    def test_a_program_is_started_by_its_source(self):
        for name, one in PROGRAMS.items():
            _, *words = one.arguments(self.folder)
            expected = [sys.executable, FOLDER / one.source] if one.source.endswith(".py") else [self.folder / pathlib.Path(one.source).stem]
            self.assertEqual(words, expected, name)

    def test_a_program_in_cuda_is_built_by_its_name(self):
        with mock.patch.object(windowed, "made") as made:
            PROGRAMS["two-queues"].prepare(self.folder, None)
        command, = made.call_args.args
        self.assertEqual(command, ["make", "-s", "-C", FOLDER / "cuda", f"OUT={self.folder.resolve()}", self.folder.resolve() / "two_queues"])

    def test_names_and_titles_are_those_of_no_other_program(self):
        others = catalogue.WORKLOADS | judging.JUDGING
        self.assertFalse(PROGRAMS.keys() & others.keys())
        titles = [one.title for one in (others | PROGRAMS).values()]
        self.assertEqual(len(set(titles)), len(titles))
        self.assertEqual(len({one.source for one in PROGRAMS.values()}), len(PROGRAMS))

    def test_the_table_of_the_folder_has_each_program_with_its_half(self):
        table = (FOLDER / "README.md").read_text(encoding="utf-8")
        rows = dict(re.findall(r"^\| `([^`]+)` \| [^|]+ \| (\w+) \|", table, re.MULTILINE))
        self.assertEqual(rows, {one.source: one.half for one in PROGRAMS.values()})


if __name__ == "__main__":
    unittest.main()
