"""tests/gpu/programs: structures.json is consistent, and the programs compile where there is nvcc."""
import copy
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from .scripts import script

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests/gpu/programs"
SOURCES = sorted(FOLDER.glob("*.cu"))
STRUCTURES = json.loads((FOLDER / "structures.json").read_text(encoding="utf-8"))
REQUIRED_OF_ENTRY = {"about", "operations"}
OPTIONAL_OF_ENTRY = {"parts", "without_parts", "groups", "assumes"}
REQUIRED_OF_PART = {"launches", "period", "iterations", "kind"}
OPTIONAL_OF_PART = {"operations_per_launch"}
LONGEST_MAIN = 39  # lines


def faults_of_keys(where, row, required, optional=frozenset()):
    return [f"{where}: keys {sorted(row)}"] if not required <= row.keys() <= required | optional else []


def faults_of_part(where, part):
    """Yields what is wrong with one part by itself."""
    if part["launches"] < 1 or part["iterations"] < 1 or part["period"] < 0 or part.get("operations_per_launch", 1) < 1:
        yield f"{where}: a number is too small"
    if part["period"] == 0 and part["iterations"] != 1:
        yield f"{where}: a single pass has one iteration"
    if part["period"] > 0 and part["iterations"] < 2:
        yield f"{where}: a loop has several iterations"
    if part["period"] > 0 and part["period"] * part["iterations"] != part["launches"]:
        yield f"{where}: period x iterations is not launches"


def faults_of_kinds(parts):
    """Yields what is wrong with the kinds of all parts."""
    kinds = [part["kind"] for part in parts]
    first = list(dict.fromkeys(kinds))
    if first != [chr(ord("a") + i) for i in range(len(first))]:
        yield f"kinds are not letters in the order in which they first occur: {kinds}"
    for kind in first:
        periods = [part["period"] for part in parts if part["kind"] == kind]
        if len(set(periods)) > 1:
            yield f"kind {kind} has several periods"
        if len(periods) > 1 and 0 in periods:
            yield f"kind {kind} is that of several single passes"


def shape(part):
    """Returns what must be equal in all iterations of a group; each single pass has a kind of its own."""
    return (part["launches"], part["period"], part["kind"] if part["period"] else None)


def faults_of_group(where, group, parts):
    """Yields what is wrong with a group of these parts."""
    within = parts[group["first_part"]:group["first_part"] + group["parts"]]
    if group["first_part"] < 0 or len(within) != group["parts"] or group["iterations"] < 2:
        yield f"{where}: it is outside of the parts, or no loop"
        return
    if group["parts"] % group["iterations"] != 0:
        yield f"{where}: its parts are not a multiple of its iterations"
        return
    length = group["parts"] // group["iterations"]
    if any(shape(part) != shape(within[i % length]) for i, part in enumerate(within)):
        yield f"{where}: its iterations differ"
    if length < 2 or not any(part["period"] for part in within):
        yield f"{where}: it is not around several parts, one of which is a loop"


def faults(entry):
    """Returns what is wrong with the entry of a program, as texts."""
    found = faults_of_keys("entry", entry, REQUIRED_OF_ENTRY, OPTIONAL_OF_ENTRY)
    found += faults_of_keys("operations", entry["operations"], {"kernel", "copy", "memset"})
    for key in {"about", "without_parts", "assumes"} & entry.keys():
        if not re.fullmatch(r"[A-Z0-9].*\.", entry[key]):
            found.append(f"{key} is not a sentence")
    if ("parts" in entry) == ("without_parts" in entry):
        found.append("it has either parts or a reason why not")
    parts = entry.get("parts", [])
    for i, part in enumerate(parts):
        found += faults_of_keys(f"part {i}", part, REQUIRED_OF_PART, OPTIONAL_OF_PART)
        found += faults_of_part(f"part {i}", part)
    found += faults_of_kinds(parts)
    for i, group in enumerate(entry.get("groups", [])):
        found += faults_of_keys(f"group {i}", group, {"first_part", "parts", "iterations"})
        found += faults_of_group(f"group {i}", group, parts)
    operations = sum(part["launches"] * part.get("operations_per_launch", 1) for part in parts)
    if parts and operations != sum(entry["operations"].values()):
        found.append(f"the parts have {operations} operations")
    return found


class Structures(unittest.TestCase):
    def test_every_program_has_an_entry_and_a_line_in_the_readme(self):
        names = [source.stem for source in SOURCES]
        self.assertEqual(sorted(STRUCTURES), names)
        self.assertEqual(len(names), 17)
        self.assertEqual(sorted(re.findall(r"^\| `(\w+)` \| [^|]+ \|$", (FOLDER / "README.md").read_text(encoding="utf-8").partition("## structures.json")[0], re.M)), names)

    def test_entries_are_consistent(self):
        for name, entry in STRUCTURES.items():
            with self.subTest(program=name):
                self.assertEqual(faults(entry), [])

    def test_inconsistent_entries_are_found(self):
        for name, path, value in [("several_loops", ["parts", 1, "launches"], 101), ("several_loops", ["parts", 1, "iterations"], 99),
                                  ("several_loops", ["parts", 0, "iterations"], 2), ("several_loops", ["parts", 4, "kind"], "f"),
                                  ("several_loops", ["parts", 5, "kind"], "a"), ("nested_loops", ["parts", 1, "period"], 5),
                                  ("nested_loops", ["parts", 1, "turns"], 1), ("warmup_and_timed", ["parts", 2, "kind"], "b"),
                                  ("graph_loop", ["parts", 1, "operations_per_launch"], 1), ("allocation_per_phase", ["groups", 0, "iterations"], 4),
                                  ("allocation_per_phase", ["groups", 0, "first_part"], 2), ("allocation_per_phase", ["groups", 0, "parts"], 9),
                                  ("solver", ["operations", "copy"], 85), ("ten_launches", ["about"], "none"),
                                  ("ten_launches", ["without_parts"], "It has parts."), ("ten_launches", ["more"], 1)]:
            with self.subTest(program=name, path=path):
                entry = copy.deepcopy(STRUCTURES[name])
                *outer, last = path
                at = entry
                for key in outer:
                    at = at[key]
                at[last] = value
                self.assertTrue(faults(entry))

    def test_main_is_short(self):
        for source in SOURCES:
            with self.subTest(program=source.stem):
                body, = re.findall(r"^int main\(\) \{$.*?^\}$", source.read_text(encoding="utf-8"), re.M | re.S)
                self.assertLessEqual(len(body.splitlines()), LONGEST_MAIN)


@unittest.skipUnless(shutil.which("nvcc"), "nvcc is not installed")
class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.made = subprocess.run(["make", "-s", "-j2", "-C", FOLDER, f"OUT={cls.folder}"], capture_output=True, text=True, check=False)

    def run_program(self, name):
        return subprocess.run([self.folder / name], capture_output=True, text=True, timeout=60, check=False)

    def test_programs_compile_without_warnings(self):
        self.assertEqual((self.made.returncode, self.made.stdout, self.made.stderr), (0, "", ""))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted(STRUCTURES))

    @unittest.skipIf(pathlib.Path("/dev/nvidiactl").exists(), "a GPU is here")
    def test_without_a_gpu_they_end_with_one_line(self):
        for name in STRUCTURES:
            with self.subTest(program=name):
                done = self.run_program(name)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, rf"\A{name}: no GPU can be used \(.+\); an NVIDIA GPU and its driver are needed\n\Z")

    @unittest.skipUnless(pathlib.Path("/dev/nvidiactl").exists(), "no GPU is here")
    def test_on_a_gpu_they_print_a_checksum(self):
        for name in STRUCTURES:
            with self.subTest(program=name):
                done = self.run_program(name)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.stdout, r"\A.*\bchecksum [-+.e\d]+\n\Z")



class Comparison(unittest.TestCase):
    """tests/gpu/structures finds what differs between a report and the known structure."""

    def setUp(self):
        self.checks = script("structures")
        self.known = STRUCTURES["copies_each_iteration"]
        self.report = {"parts": [{"kind": 7, "first_launch": 0, "launches": 400, "launches_per_iteration": 4, "iterations": 100}], "groups": [],
                       "kernels": [{"name": "a", "count": 200}, {"name": "memcpy HtoD", "count": 100}, {"name": "memcpy DtoH", "count": 100}],
                       "unmatched_operations": 0, "complete": True}

    def test_an_equal_report_has_no_differences(self):
        self.assertEqual(self.checks.differences(self.known, self.report), [])

    def test_each_difference_is_found(self):
        for key, wrong in [("parts", []), ("groups", [{"first_part": 0, "parts": 1, "iterations": 2}]), ("kernels", []), ("unmatched_operations", 1), ("complete", False)]:
            with self.subTest(key):
                self.assertEqual(len(self.checks.differences(self.known, {**self.report, key: wrong})), 1)


class Iterations(unittest.TestCase):
    """tests/gpu/iterations and tests/gpu/loops."""

    def test_twelve_loops_are_known(self):
        loops = re.findall(r'^ *\{"(\w+)",$', (FOLDER.parent / "loops/loops.cu").read_text(encoding="utf-8"), re.M)
        self.assertEqual(sorted(loops), sorted(script("iterations").LENGTHS))
        self.assertEqual(len(loops), 12)

    @unittest.skipUnless(shutil.which("nvcc"), "nvcc is not installed")
    def test_they_compile_without_warnings(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["make", "-s", "-C", FOLDER.parent / "loops", f"OUT={folder}"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
