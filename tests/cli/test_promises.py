"""docs/reference/promises.md is true: its commands, options, tests and numbers exist."""
import ast
import collections
import functools
import re
import shlex
import unittest

from .test_commands import ROOT, run

PAGE = ROOT / "docs/reference/promises.md"
MOST_WORDS = 20
GROUPS = ["power", "predict", "sample"]  # commands with commands of their own
COUNTED = ["promises", "kept", "kept otherwise", "open", "tested only on a GPU"]

Promise = collections.namedtuple("Promise", "document text command test state")


def rows_of(section):
    """Returns the rows of a section's table, its header first, as lists of cells."""
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in section.splitlines() if line.startswith("| ")]


def sections(page):
    """Returns the text below each heading of the second level."""
    parts = re.split(r"^## (.*)$", page, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def promises(page):
    """Returns the promises of all documents; a row that has not four cells is a TypeError."""
    return [Promise(name.removeprefix("Document "), *row) for name, text in sections(page).items() if name.startswith("Document ")
            for row in rows_of(text)[1:]]


def state_of(promise):
    """Returns kept, kept otherwise or open; throws ValueError for any other state, and for a reason that is missing."""
    found = re.fullmatch(r"(kept)|(kept otherwise|open): \S.*", promise.state)
    if not found:
        raise ValueError(f"no state: {promise.state}")
    return found[1] or found[2]


def named_tests(promise):
    """Returns the names of the tests that need no GPU, and the scripts that do."""
    on_gpu = re.findall(r"GPU: `([^`]+)`", promise.test)
    return [name for name in re.findall(r"`([^`]+)`", promise.test) if name not in on_gpu], on_gpu


def numbers(found):
    """Returns the numbers of a line of the summary."""
    states = collections.Counter(state_of(promise) for promise in found)
    on_gpu_only = sum(not named_tests(promise)[0] and bool(named_tests(promise)[1]) for promise in found)
    return [len(found), *(states[name] for name in COUNTED[1:4]), on_gpu_only]


@functools.cache
def defined_in(path):
    """Returns the (class, test) or (suite, name) pairs that a file defines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".cpp":
        return set(re.findall(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)", text, re.M))
    classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    return {(one.name, method.name) for one in classes for method in one.body if isinstance(method, ast.FunctionDef) and method.name.startswith("test_")}


def is_defined(name):
    """Whether a name of the form file::class::test is that of a test."""
    file, _, case = name.partition("::")
    path = ROOT / ("src" if file.endswith(".cpp") else "tests/cli") / file
    return path.is_file() and tuple(case.split("::")) in defined_in(path)


@functools.cache
def help_of(*words):
    done = run(*words, "--help")
    return done.stdout if done.returncode == 0 else ""


def unknown_words(command):
    """Yields the command or the options of `kjoule COMMAND ...` that its help does not name."""
    own, _, _ = command.partition(" -- ")
    words = shlex.split(own)[1:]
    name = words[:2] if words[0] in GROUPS and len(words) > 1 and re.search(rf"^  {re.escape(words[1])} ", help_of(words[0]), re.M) else words[:1]
    if not re.search(rf"^  {re.escape(words[0])} ", help_of(), re.M):
        yield words[0]
        return
    for word in words[len(name):]:
        if word.startswith("-") and not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", help_of(*name)):
            yield word


class Promises(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = PAGE.read_text(encoding="utf-8")
        cls.promises = promises(cls.page)

    def test_each_row_has_a_way_and_a_test_or_is_open(self):
        self.assertGreater(len(self.promises), 100, "rows are found")
        for promise in self.promises:
            with self.subTest(document=promise.document, promise=promise.text):
                self.assertLessEqual(len(promise.text.split()), MOST_WORDS)
                if state_of(promise) != "open":
                    self.assertRegex(promise.command, r"`(kjoule|make) [a-z]+|\[[^\]]+\]\([^)]+\.md")
                    self.assertTrue(any(named_tests(promise)), "no test")

    def test_its_tests_exist(self):
        for promise in self.promises:
            with self.subTest(document=promise.document, promise=promise.text):
                tests, on_gpu = named_tests(promise)
                self.assertEqual([name for name in tests if not is_defined(name)], [])
                self.assertEqual([name for name in on_gpu if not (name.startswith("tests/gpu/") and (ROOT / name).is_file())], [])

    def test_its_commands_and_options_exist(self):
        for promise in self.promises:
            with self.subTest(document=promise.document, promise=promise.text):
                for command in re.findall(r"`(kjoule [^`]+)`", promise.command):
                    self.assertEqual(list(unknown_words(command)), [])

    def test_the_summary_counts_the_rows(self):
        header, *lines = rows_of(sections(self.page)["Summary"])
        self.assertEqual(header, ["document", *COUNTED])
        documents = sorted({promise.document for promise in self.promises})
        expected = [[document, *numbers([promise for promise in self.promises if promise.document == document])] for document in documents]
        self.assertEqual(lines, [[str(cell) for cell in line] for line in [*expected, ["all", *numbers(self.promises)]]])

    def test_what_does_not_exist_is_found(self):
        self.assertTrue(is_defined("test_promises.py::Promises::test_what_does_not_exist_is_found"))
        for name in ["test_none.py::Promises::test_its_tests_exist", "test_promises.py::Promises::test_none", "test_promises.py::Promises",
                     "power/integrate_test.cpp::Integrate::None", "power/integrate_test.cpp::None::SeveralMetersAddUp"]:
            self.assertFalse(is_defined(name), name)
        for command, unknown in [("kjoule measure", ["measure"]), ("kjoule compare --rums 3 -- ./program --own", ["--rums"]), ("kjoule power log --sauce nvml", ["--sauce"]),
                                 ("kjoule full --run 3", ["--run"]), ("kjoule predict operator --data DIR", [])]:
            self.assertEqual(list(unknown_words(command)), unknown)
        for state in ["open", "kept otherwise", "mostly kept", "kept: partly"]:
            with self.assertRaises(ValueError):
                state_of(Promise("1", "", "", "", state))


if __name__ == "__main__":
    unittest.main()
