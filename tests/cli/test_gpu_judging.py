"""The judging half of tests/gpu/run: its programs are there, and its rows, made up here, are shown apart from the tuning half's."""
import pathlib
import py_compile
import subprocess
import sys
import unittest
from unittest import mock

from .helpers import FolderCase

GPU = pathlib.Path(__file__).resolve().parents[2] / "tests/gpu"
with mock.patch.object(sys, "path", [str(GPU), str(GPU.parents[1] / "measurements"), *sys.path]), mock.patch.object(sys, "dont_write_bytecode", True):
    import catalogue
    import halves
    import judging
    import rendering

FOLDER = GPU / "workloads/judging"
TUNING = halves.Half("tuning", {"small": "a small model"}, {})
JUDGING = halves.Half("judging", {"large": "a large one", "other": "another", "never": "one without rows"},
                      {"jax": "holds a changed node", "pool": "allocates"})


def row(workload, error, half_width, start="a", **more):
    return {"workload": workload, "seconds": 10.0, "launches": 600, "different": [], "sum_error_percent": error, "whole_us": 2000.0,
            "sum_half_width_percent": half_width, "machine": {"start": start}, **more}


def failed(workload, error):
    return {"workload": workload, "seconds": 1.0, "machine": {"start": "a"}, "error": error}


ROWS = [row("small", 0.25, 0.5), row("large", -0.5, 1.0), row("large", -0.25, 0.5), row("large", 1.5, 1.0, start="b"), row("other", 0.25, 0.75),
        failed("other", "not done in 240 s"), failed("jax", "kjoule: a node was changed"), row("pool", 9.0, 0.1)]


def words(program):
    return program.arguments(pathlib.Path("cache"))[1:]


class Programs(FolderCase):
    def test_every_program_of_the_folder_is_measured(self):
        named = {words(program)[1] for program in judging.JUDGING.values() if words(program)[0] == sys.executable}
        self.assertEqual(named, set(FOLDER.glob("*.py")) - {FOLDER / "steady.py"})
        built = {FOLDER / f"cuda/{words(program)[0].name}.cu" for program in judging.JUDGING.values() if words(program)[0] != sys.executable}
        self.assertEqual(built, set((FOLDER / "cuda").glob("*.cu")))

    def test_python_programs_compile(self):
        for path in FOLDER.glob("*.py"):
            py_compile.compile(str(path), cfile=str(self.folder / "compiled"), doraise=True)

    def test_there_are_at_least_28_programs_and_none_has_the_name_of_another(self):
        half, = halves.halves_of(judging.JUDGING, ["judging"])
        self.assertGreaterEqual(len(half.titles), 28)
        self.assertEqual(len(half.titles) + len(half.refused), len(judging.JUDGING), "all belong to that half")
        self.assertFalse(judging.JUDGING.keys() & catalogue.WORKLOADS.keys())
        titles = [program.title for program in (catalogue.WORKLOADS | judging.JUDGING).values()]
        self.assertEqual(len(set(titles)), len(titles))

    def test_programs_that_were_looked_at_for_energy_are_no_judges_of_it(self):
        tuning, judged = halves.halves_of(judging.JUDGING, ["tuning", "judging"], judging.LOOKED_AT_FOR_ENERGY)
        self.assertEqual((tuning.titles, tuning.titles_of_energy().keys()), ({}, judging.LOOKED_AT_FOR_ENERGY), "of times they judge")
        self.assertEqual(judged.titles.keys() - judged.titles_of_energy().keys(), judging.LOOKED_AT_FOR_ENERGY)
        rows = [{**row("cupy-waves", 0.1, 0.2), "energy": {"error_percent": 3.0, "half_width_percent": 4.0, "watts_error_percent": 3.0, "whole_joules": 1.0,
                                                            "sum_joules": 1.03, "whole_watts": 300, "meters": []}}]
        title = judging.JUDGING["cupy-waves"].title
        energy = rendering.document(rows, [tuning, judged]).partition("## Energy, tuning half")[2]
        self.assertIn(title, energy.partition("## Energy, judging half")[0])
        self.assertIn(title, rendering.document(rows, [judged]), "its times")
        self.assertNotIn("## Energy", rendering.document(rows, [judged]))

    def test_the_programs_of_the_catalogue_are_the_tuning_half(self):
        self.assertEqual({program.half for program in catalogue.WORKLOADS.values()}, {"tuning"})

    def test_a_program_in_cuda_is_built_by_its_name(self):
        with mock.patch.object(judging, "made") as made:
            judging.JUDGING["stencil"].prepare(self.folder, None)
        command, = made.call_args.args
        self.assertEqual(command, ["make", "-s", "-C", FOLDER / "cuda", f"OUT={self.folder.resolve()}", self.folder.resolve() / "stencil"])


class Halves(unittest.TestCase):
    def test_each_half_has_its_figures(self):
        self.assertEqual(halves.half_cells(ROWS, TUNING), ["tuning", "1", "1", "0.25 % / +0.25 %", "1 of 1 (100 %)", "0.50 % / 0.50 %", "-", "0"])
        self.assertEqual(halves.half_cells(ROWS, JUDGING),
                         ["judging", "2", "4", "0.62 % / +1.50 %", "3 of 4 (75 %)", "0.88 % / 1.00 %", "1.88 / 1.88", "1"])

    def test_a_half_without_figures_has_none(self):
        self.assertEqual(halves.half_cells([failed("other", "no GPU")], JUDGING), ["judging", "0", "0", "-", "-", "-", "-", "1"])

    def test_runs_are_grouped_by_program_and_start(self):
        lines = halves.start_cells(ROWS, JUDGING.titles)
        self.assertEqual(lines, [["a large one", "a", "2", "-0.38 % / -0.50 %", "2 of 2", "0.75 % / 1.00 %"],
                                 ["a large one", "b", "1", "+1.50 % / +1.50 %", "0 of 1", "1.00 % / 1.00 %"],
                                 ["another", "a", "1", "+0.25 % / +0.25 %", "1 of 1", "0.75 % / 0.75 %"]])
        self.assertEqual(halves.start_cells(ROWS, JUDGING.titles, at_least=2), lines[:2])

    def test_refused_programs_are_listed_with_kjoules_words(self):
        self.assertEqual(halves.refused_lines(ROWS, JUDGING), ["- jax: kjoule: a node was changed", "- pool: measured in 1 of 1 runs, though listed as refused (allocates)"])
        self.assertEqual(halves.refused_lines([], JUDGING), ["- jax: holds a changed node (not run)", "- pool: allocates (not run)"])

    def test_the_report_shows_the_halves_apart(self):
        text = rendering.document(ROWS, [TUNING, JUDGING])
        tuning, judged, rest = text[text.index("## The tuning half"):].partition("## The judging half")[::2] + (text[text.index("## Halves"):],)
        self.assertIn("| a small model |", tuning)
        self.assertNotIn("| a large one |", tuning)
        self.assertIn("| a large one | 3 | 600 |", judged)
        self.assertIn("| judging | 2 | 4 | 0.62 % / +1.50 % | 3 of 4 (75 %) | 0.88 % / 1.00 % | 1.88 / 1.88 | 1 |\n", rest)
        self.assertIn("not counted:\n\n- jax: kjoule: a node was changed\n", rest)
        self.assertIn("| a large one | b | 1 | +1.50 % / +1.50 % | 0 of 1 |", rest)
        self.assertIn("- another: not done in 240 s\n", rest)

    def test_refused_programs_are_not_counted(self):
        without = [one for one in ROWS if one["workload"] not in JUDGING.refused]
        for counted in [halves.half_cells, lambda rows, half: halves.start_cells(rows, half.titles), lambda rows, half: rendering.summaries(rows, half.titles)]:
            self.assertEqual(counted(ROWS, JUDGING), counted(without, JUDGING))

    def test_the_terminal_shows_halves_refused_programs_and_several_starts(self):
        lines = halves.halves_terminal(ROWS, [TUNING, JUDGING]).splitlines()
        self.assertRegex(lines[3], r"^judging +2 +4 +0\.62 % / \+1\.50 % +3 of 4 \(75 %\)")
        self.assertIn("- jax: kjoule: a node was changed", lines)
        self.assertEqual([line.split()[:2] for line in lines[-2:]], [["large", "a"], ["large", "b"]])


class Command(FolderCase):
    def run_nothing(self, *arguments):
        return subprocess.run([GPU / "run", "--runs", "0", "--rows", self.folder / "rows.jsonl", "--cache", self.folder, *arguments],
                              capture_output=True, text=True, check=False, env={"PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"})

    def halves_shown(self, *arguments):
        done = self.run_nothing(*arguments)
        self.assertEqual(done.stderr, "")
        return [line.split()[0] for line in done.stdout.splitlines() if line.startswith(("tuning ", "judging ")) and not line.endswith("half")]

    def test_the_tuning_half_is_shown_unless_another_is_asked_for(self):
        self.assertEqual(self.halves_shown(), ["tuning"])
        self.assertEqual(self.halves_shown("--half", "judging"), ["judging"])
        self.assertEqual(self.halves_shown("--half", "all"), ["tuning", "judging"])
        self.assertEqual(self.halves_shown("stencil"), ["judging"])
        self.assertEqual(self.halves_shown("cupy-waves"), ["judging"])
        self.assertEqual(self.halves_shown("--energy", "cupy-waves"), ["tuning", "judging"])

    def test_an_unknown_half_or_workload_is_one_line(self):
        for asked, said in [(["--half", "third"], "tests/gpu/run: --half third: no such half; there are tuning, judging and all\n"),
                            (["nothing"], "tests/gpu/run: nothing: no such workload; there are bloom-560m-seq5, ")]:
            done = self.run_nothing(*asked)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            self.assertTrue(done.stderr.startswith(said), done.stderr)


if __name__ == "__main__":
    unittest.main()
