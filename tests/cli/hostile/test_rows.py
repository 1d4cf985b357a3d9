"""Rows of results folders that are not those that kjoule wrote: --resume and kernels refuse them in one line and change no file."""
import json
import os
import shutil
import subprocess
import unittest
import zlib

from ..messages import errors_in
from ..test_commands import KJOULE, InAFolder, run

SIMULATED = ["--device", "simulated:seed=5,launches=12", "--runs", "5", "--time-limit", "0.3", "--precision", "0.01%"]
ON_CPU_CLOCK = ["--device", "simulated:seed=5,launches=12,edges=clean", "--runs", "5", "--time-limit", "0.05", "--no-energy"]
SEALED = ',"checksum":"'


def seal(rows):
    """Returns the lines of these rows, with the checksums that kjoule would have written."""
    crc, lines = 0, []
    for row in rows:
        text = json.dumps({key: value for key, value in row.items() if key != "checksum"}, separators=(",", ":"))
        crc = zlib.crc32(text.encode(), crc)
        lines.append(f'{text[:-1]}{SEALED}{crc:08x}"}}\n')
    return "".join(lines)


class RowCase(InAFolder):
    @classmethod
    def setUpClass(cls):
        """Measures once; every case changes a copy."""
        super().setUpClass()
        cls.known = {}

    def measured(self, *command):
        """Returns the text of the rows of that command's folder, and puts a copy of the folder into `results`."""
        if command not in self.known:
            self.succeed(*command, "-o", self.folder / "known")
            folder = self.folder / "known"
            self.known[command] = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        shutil.rmtree(self.results, ignore_errors=True)
        self.results.mkdir()
        for name, content in self.known[command].items():
            (self.results / name).write_bytes(content)
        return (self.results / "results.jsonl").read_text()

    def write(self, text):
        (self.results / "results.jsonl").write_text(text, encoding="utf-8", errors="surrogateescape")

    def assert_refused(self, command, *texts):
        """The command fails with one line that has these texts, and changes no file."""
        before = {path: path.read_bytes() for path in self.results.rglob("*") if path.is_file()}
        done = run(*command)
        told = errors_in(done.stderr)
        self.assertEqual((done.returncode, len(told)), (1, 1), done.stdout + done.stderr)
        for text in texts:
            self.assertIn(text, told[0])
        self.assertNotIn("exception", told[0])
        self.assertEqual(before, {path: path.read_bytes() for path in self.results.rglob("*") if path.is_file()})

    def resume(self, command):
        return [command[0], *command[1:], "--resume", self.results]


class Sealed(RowCase):
    """Rows that were changed after kjoule had written them."""

    command = ("compare", *SIMULATED)

    def assert_found(self, lines, line):
        self.write("".join(lines))
        where = f"results.jsonl:{line}: "
        self.assert_refused(self.resume(self.command), where, "--resume")
        self.assert_refused(["kernels", self.results], where)

    def lines(self):
        return self.measured(*self.command).splitlines(keepends=True)

    def number_of(self, lines, kind, which=0):
        return [number for number, line in enumerate(lines) if json.loads(line)["kind"] == kind][which]

    def test_a_missing_row(self):
        for kind in ["program_iterations", "recording", "verification", "plan", "round", "stopped", "control", "timeline", "isolated", "energy_plan", "energy_idle", "energy_block"]:
            with self.subTest(kind):
                lines = self.lines()
                gone = self.number_of(lines, kind)
                self.assert_found(lines[:gone] + lines[gone + 1:], gone + 1)

    def test_a_repeated_row(self):
        for kind in ["run", "program_iterations", "recording", "plan", "round", "isolated", "energy_plan", "energy_block", "energy_stopped"]:
            with self.subTest(kind):
                lines = self.lines()
                twice = self.number_of(lines, kind)
                self.assert_found(lines[:twice + 1] + lines[twice:], twice + 2)

    def test_rows_in_another_order(self):
        for kind in ["round", "isolated", "energy_block"]:
            with self.subTest(kind):
                lines = self.lines()
                one, other = self.number_of(lines, kind, 0), self.number_of(lines, kind, 1)
                lines[one], lines[other] = lines[other], lines[one]
                self.assert_found(lines, one + 1)

    def test_a_changed_digit(self):
        for kind, field in [("program_iterations", "seconds"), ("plan", "undisturbed_s"), ("round", "spent_ns"), ("isolated", "single_s"), ("energy_block", "spent_ns"), ("control", "after_s")]:
            with self.subTest(kind, field=field):
                lines = self.lines()
                number = self.number_of(lines, kind)
                at = lines[number].index(f'"{field}":') + len(field) + 3
                digit = next(i for i in range(at, len(lines[number])) if lines[number][i] in "12345678")
                lines[number] = lines[number][:digit] + chr(ord(lines[number][digit]) + 1) + lines[number][digit + 1:]
                json.loads(lines[number])
                self.assert_found(lines, number + 1)

    def test_a_checksum_that_is_missing_or_wrong(self):
        for name, change in {"missing": lambda line: line[:line.index(SEALED)] + "}\n", "zero": lambda line: line[:-11] + '00000000"}\n',
                             "short": lambda line: line[:-4] + '"}\n', "renamed": lambda line: line.replace("checksum", "checksun")}.items():
            for number in [0, 3]:
                with self.subTest(name, line=number + 1):
                    lines = self.lines()
                    lines[number] = change(lines[number])
                    self.assert_found(lines, number + 1)

    def test_rows_of_two_runs(self):
        other = run("compare", "--device", "simulated:seed=6,launches=12", "--runs", "5", "--time-limit", "0.05", "--no-energy", "-o", self.folder / "other")
        self.assertEqual(other.returncode, 0, other.stderr)
        strange = (self.folder / "other/results.jsonl").read_text().splitlines(keepends=True)
        lines = self.lines()
        self.assert_found(lines[:4] + strange[4:], 5)

    def test_the_lines_before_can_be_resumed(self):
        """What the remedy says."""
        lines = self.lines()
        cut = self.number_of(lines, "isolated", 1)
        self.write("".join(lines[:cut]))
        self.succeed(*self.resume(self.command))
        self.assertEqual((self.results / "results.jsonl").read_text(), "".join(lines))


class NoRows(RowCase):
    """Files that hold no rows, or do not end."""

    command = ("isolated", "--device", "simulated:seed=5,launches=12")

    def both_refuse(self, *texts):
        self.assert_refused(self.resume(self.command), *texts)
        self.assert_refused(["kernels", self.results], *texts)

    def test_lines_that_are_no_rows(self):
        for line in ["", "null", "[]", "1", '"run"', "{}", '{"kind": 1}', '{"kind": null}', '{"kind": ["run"]}', "{", "\x00" * 40, '{"kind": "isolated"', "{'kind': 'isolated'}",
                     '{"kind": "isolated", "single_s": 1e999}', '{"kind": "isolated", "single_s": NaN}', '{"kind": "is\udcffolated"}']:
            for number in [0, 2]:
                with self.subTest(ascii(line), line=number + 1):
                    lines = self.measured(*self.command).splitlines(keepends=True)
                    lines.insert(number, line + "\n")
                    self.write("".join(lines))
                    self.both_refuse(f"results.jsonl:{number + 1}: ")

    def test_rows_that_are_nested_too_deeply(self):
        for depth in [100, 1_000_000]:
            with self.subTest(depth):
                lines = self.measured(*self.command).splitlines(keepends=True)
                lines[0] = lines[0].replace('{"command"', '{"a":' + "[" * depth + "]" * depth + ',"command"')
                self.write("".join(lines))
                self.both_refuse("results.jsonl:1: ")

    def test_a_file_that_is_none(self):
        for name, make in {"folder": os.mkdir, "pipe": os.mkfifo, "device": lambda path: os.symlink("/dev/zero", path), "terminal": lambda path: os.symlink("/dev/tty", path)}.items():
            with self.subTest(name):
                self.measured(*self.command)
                (self.results / "results.jsonl").unlink()
                make(self.results / "results.jsonl")
                for command in [self.resume(self.command), ["kernels", self.results]]:
                    done = subprocess.run([KJOULE, *map(str, command)], capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
                    self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
                    self.assertIn("results.jsonl", done.stderr)

    def test_another_version(self):
        for version in ["6", "8", "-7", "7.5", '"7"', "null", "99999999999999999999"]:
            with self.subTest(version):
                rows = self.measured(*self.command).splitlines()
                self.write(seal(json.loads(row.replace('"version":7', f'"version":{version}')) for row in rows))
                self.assert_refused(self.resume(self.command), "version", "repeat the command without --resume")

    def test_rows_of_version_5_are_read(self):
        """They have no checksums, and two other names."""
        command = ("compare", *SIMULATED)
        rows = [{key: value for key, value in json.loads(row).items() if key != "checksum"} for row in self.measured(*command).splitlines()]
        rows[0]["version"] = 5
        for row in rows:
            if row["kind"] == "program_iterations":
                row["kind"] = "whole"
            if "replays" in row:
                row["plays"] = row.pop("replays")
        self.assertTrue({"whole", "plan"} <= {row["kind"] for row in rows})
        expected = self.succeed("kernels", self.results)
        self.write("".join(json.dumps(row) + "\n" for row in rows))
        self.assertEqual(self.succeed("kernels", self.results), expected)
        self.assert_refused(self.resume(command), "the results have format version 5, but this kjoule continues only version 7")


class Crafted(RowCase):
    """Rows with right checksums whose content kjoule cannot have written."""

    def changes(self, command, cases):
        """For each case (kind, text of the error, change of the row): resuming refuses the changed row, with its line."""
        for kind, text, change in cases:
            with self.subTest(kind, text=text):
                rows = [json.loads(line) for line in self.measured(*command).splitlines()]
                number = next(i for i, row in enumerate(rows) if row["kind"] == kind)
                change(rows[number])
                self.write(seal(rows))
                self.assert_refused(self.resume(command), f"results.jsonl:{number + 1}: ", text)

    @staticmethod
    def put(value, *path):
        """Returns a change that puts a value at a place of the row."""
        def change(row):
            for key in path[:-1]:
                row = row[key]
            row[path[-1]] = value
        return change

    @staticmethod
    def drop(field):
        return lambda row: row.pop(field)

    def test_compare(self):
        put, drop = self.put, self.drop
        self.changes(("compare", *SIMULATED), [
            ("run", "program: not an object", put("p", "program")), ("run", "device: not an object", drop("device")), ("run", "title: not a text", put(3, "title")),
            ("program_iterations", "program_iterations.seconds: missing", drop("seconds")), ("program_iterations", "program_iterations.seconds[1]: not a number", put("1", "seconds", 1)), ("program_iterations", "seconds is -0.001 s, which is not from", put(-1e-3, "seconds", 0)),
            ("program_iterations", "seconds is 0 s, which is not from", put(0, "seconds", 0)), ("program_iterations", "seconds: 5.0006", put(5.0, "seconds", 0)), ("program_iterations", "warmup: negative", put(-1, "warmup")), ("program_iterations", "end_ns: before begin_ns", put(1, "end_ns")),
            ("recording", "launches: 0", put(0, "launches")), ("recording", "kernels: not between", put(13, "kernels")), ("recording", "not a whole number in the allowed range", put(-1, "launches")),
            ("verification", "launch: 12, but there are 12 launches", put([12], "different")), ("verification", "failed: 99, but there", put([[99, "why"]], "failed")),
            ("plan", "nothing is repeated", put(0, "replays")), ("plan", "undisturbed_s is -1 s", put(-1, "undisturbed_s")), ("plan", "sundial is not known", put("sundial", "clock")),
            ("round", "round: 1 instead of 0", put(1, "round")), ("round", "launches: not between 1 and", put(13, "launches")), ("round", "graphs: incomplete", put([], "dense")),
            ("round", "graphs: incomplete", put([], "wholes")), ("round", "not one distance for each gap", put([], "dense", 0, "mean_ns")), ("round", "spread_ns is -1e-09 s, which is not from", put(-1, "dense", 0, "spread_ns", 0)),
            ("round", "iterations: not the number in the plan row", put(77, "iterations")), ("round", "spent_ns: less", put(-1, "spent_ns")), ("round", "round.whole_s: missing", put("clocked", "times")),
            ("stopped", "precision: 1.5 is not a share", put(1.5, "precision")), ("control", "after_s is 0 s", put(0, "after_s")),
            ("energy_plan", "groups.kernels: 99, but", put([99], "groups", 0, "kernels")), ("energy_plan", "groups.launches: 99, but", put([99], "groups", 0, "launches")),
            ("energy_plan", "span_s is 0 s", put(0, "span_s")), ("energy_plan", "mean_w: not one for each meter", put([1.0], "restore", 0, "mean_w")), ("energy_idle", "mean_w is -1 W", put(-1, "mean_w")),
            ("energy_block", "group: 99, but", put(99, "group")), ("energy_block", "group: negative", put(-1, "group")), ("energy_block", "block: 4 instead of 0", put(4, "block")),
            ("energy_block", "with, without: incomplete", put([], "without")), ("energy_block", "repeat_s is 0 s", put(0, "whole", "repeat_s")), ("energy_block", "mean_w is -5 W", put(-5, "with", 0, "mean_w", 0)),
            ("energy_stopped", "by, missing", drop("by")), ("timeline", "observation, error: not exactly one of them", drop("observation")),
            ("isolated", "kernel: 3 instead of 0", put(3, "kernel")), ("isolated", "isolated.kernel: not a whole number", put(1 << 40, "kernel")), ("isolated", "runs: none", drop("runs")),
            ("isolated", "single_s is -1 s", put(-1, "single_s")), ("isolated", "single_s is 0 s", drop("single_s")), ("isolated", "isolatex: no known kind", put("isolatex", "kind"))])

    def test_numbers_that_were_not_measured(self):
        """Times, energies, powers and frequencies beyond any device, in fields that are otherwise free."""
        put = self.put
        self.changes(("compare", *SIMULATED), [
            ("program_iterations", "seconds is 1e+300 s", put(1e300, "seconds", 0)), ("round", "mean_ns is 1e+30 ns", put(-1e30, "dense", 0, "mean_ns", 0)),
            ("plan", "undisturbed_s is 1e+09 s", put(1e9, "undisturbed_s")), ("control", "before_s is 1e+308 s", put(1e308, "before_s")),
            ("energy_plan", "time_s is 1e+12 s", put(1e12, "groups", 0, "time_s")), ("energy_idle", "mean_w is 1e+10 W", put(1e10, "mean_w")),
            ("energy_block", "mean_w is 1e+300 W", put(1e300, "with", 0, "mean_w", 0)), ("energy_block", "clock_hz is 1e+30 Hz", put(1e30, "whole", "clock_hz")),
            ("energy_block", "repeat_s is 1e+09 s", put(1e9, "without", 0, "repeat_s")), ("isolated", "single_s: ", put(1.5, "single_s"))])

    def test_a_clock_between_launches(self):
        put = self.put
        self.changes(("compare", *ON_CPU_CLOCK), [
            ("round", "not one time for each launch", put([1e-6], "launch_s")), ("round", "whole_s: empty", put([], "whole_s")), ("round", "whole_s is -1 s", put(-1, "whole_s", 0)), ("plan", "nothing is repeated", put(0, "passes"))])

    def test_rows_with_gaps(self):
        """Rows are missing, and the checksums are right."""
        for command, kind in [(("isolated", "--device", "simulated:seed=5,launches=12"), "isolated"), (("compare", *SIMULATED), "round"), (("compare", *SIMULATED), "energy_block")]:
            for which in [0, 1]:
                with self.subTest(kind, which=which):
                    rows = [json.loads(line) for line in self.measured(*command).splitlines()]
                    gone = [i for i, row in enumerate(rows) if row["kind"] == kind][which]
                    self.write(seal(rows[:gone] + rows[gone + 1:]))
                    self.assert_refused(self.resume(command), f"results.jsonl:{gone + 1}: ", f"{which + 1} instead of {which}")

    def test_rows_that_come_twice(self):
        for kind in ["program_iterations", "recording", "verification", "plan", "control", "timeline", "energy_plan", "energy_idle"]:
            with self.subTest(kind):
                rows = [json.loads(line) for line in self.measured("compare", *SIMULATED).splitlines()]
                twice = next(i for i, row in enumerate(rows) if row["kind"] == kind)
                self.write(seal(rows[:twice + 1] + rows[twice:]))
                self.assert_refused(self.resume(("compare", *SIMULATED)), f"results.jsonl:{twice + 2}: ", "a second row of this kind")

    def test_rows_without_those_that_they_need(self):
        for kind, text in [("run", "the results have format version ?"), ("recording", "comes before the recording"), ("plan", "times: not of the method in the plan row"), ("energy_plan", "comes before the energy_plan row")]:
            with self.subTest(kind):
                rows = [json.loads(line) for line in self.measured("compare", *SIMULATED).splitlines()]
                self.write(seal(row for row in rows if row["kind"] != kind))
                self.assert_refused(self.resume(("compare", *SIMULATED)), text)

    def test_kernels_of_another_recording(self):
        self.measured("isolated", "--device", "simulated:seed=5,launches=12")
        self.succeed("record", "--device", "simulated:seed=6,launches=12", "-o", self.folder / "other.jsonl")
        (self.results / "recording.jsonl").write_bytes((self.folder / "other.jsonl").read_bytes())
        self.assert_refused(["kernels", self.results], "contains results that do not belong to the recording.jsonl")


if __name__ == "__main__":
    unittest.main()
