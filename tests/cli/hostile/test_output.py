"""Output that cannot be written: closed descriptors, full disks, limits of files. One line, a non-zero exit code, and earlier rows stay."""
import json
import subprocess
import unittest

from ..messages import errors_in
from ..test_commands import KJOULE, ON_CPU, SIMULATED, InAFolder
from ..test_energy import FULL, wattsup
from ..test_import import TraceBuilder
from .test_full_disks import SWEEP

COMMANDS = ["compare", "full", "isolated", "record", "import", "kernels", "power", "energy", "doctor", "export", "sample", "train", "predict", "layers"]


class Output(InAFolder):
    def shell(self, redirected, *arguments, limit_kib=None):
        """Runs kjoule by a shell with these redirections, and with files of at most `limit_kib`."""
        words = " ".join(f"'{word}'" for word in [KJOULE, *arguments])
        limit = f"ulimit -f {limit_kib}; " if limit_kib else ""
        return subprocess.run(["bash", "-c", f"{limit}{words} {redirected}"], capture_output=True, text=True, timeout=600, check=False)

    def assert_one_line(self, done, *texts):
        self.assertEqual(done.returncode, 1, done.stderr)
        told = errors_in(done.stderr)
        self.assertEqual(len(told), 1, done.stderr)
        for text in texts:
            self.assertIn(text, told[0])

    def assert_rows_are_whole(self):
        rows = [json.loads(line) for line in (self.results / "results.jsonl").read_text().splitlines()]
        self.assertGreater(len(rows), 3)
        return rows

    def test_help_that_nobody_gets(self):
        for command in COMMANDS:
            for redirected, why in [(">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")]:
                with self.subTest(command=command, redirected=redirected):
                    self.assert_one_line(self.shell(redirected, command, "--help"), "standard output cannot be written", why)

    def test_version_that_nobody_gets(self):
        for redirected in [">&-", ">/dev/full"]:
            with self.subTest(redirected):
                self.assert_one_line(self.shell(redirected, "--version"), "standard output cannot be written")

    def test_tables_do_not_get_into_files_of_results(self):
        """Without descriptors 0 to 2, the first files that are opened would get their numbers."""
        self.succeed("compare", *SIMULATED, "-o", self.folder / "known")
        known = [json.loads(line)["kind"] for line in (self.folder / "known/results.jsonl").read_text().splitlines()]
        for redirected in [">&-", ">&- 2>&-", "<&- >&- 2>&-", "2>&-"]:
            with self.subTest(redirected):
                done = self.shell(redirected, "compare", *SIMULATED, "-o", self.results)
                self.assertEqual(done.returncode, 1 if ">&-" in redirected.replace("2>&-", "") else 0, done.stderr)
                self.assertEqual([row["kind"] for row in self.assert_rows_are_whole()], known)
                json.loads((self.results / "comparison_report.json").read_text())

    def test_tables_that_nobody_gets(self):
        for options in [[], ["--json"], ["--csv"]]:
            with self.subTest(options):
                done = self.shell(">/dev/full", "isolated", "--device", "simulated:seed=5", "-o", self.results, *options)
                self.assert_one_line(done, "standard output cannot be written: No space left on device")
                self.assert_rows_are_whole()

    def test_results_that_nobody_gets(self):
        """Of every command that prints results; what it keeps in files is complete."""
        trace, log, timing = self.folder / "trace.json", self.folder / "power.csv", self.folder / "full_model_timing.json"
        trace.write_text(json.dumps(TraceBuilder().as_dict()))
        log.write_text(wattsup())
        timing.write_text(json.dumps(FULL))
        for command in [["compare", *SIMULATED, "-o", self.results], ["full", *SIMULATED, "-o", self.results], ["kernels", trace], ["kernels", trace, "--json"],
                        ["energy", "--power-log", log, "--timing", timing], ["predict", "list-examples"], ["sample", "--list"], ["layers", "--list"],
                        ["power", "devices"], ["doctor"], ["predict", "show-example", "llemma_7b_4_2_2_P"]]:
            for redirected in [">/dev/full", ">&-"]:
                with self.subTest(command=command[:2], redirected=redirected):
                    self.assert_one_line(self.shell(redirected, *command), "standard output cannot be written")

    def test_a_file_that_may_not_grow(self):
        done = self.shell("", "compare", *SIMULATED, "-o", self.results, limit_kib=4)
        self.assert_one_line(done, "the limit on the size of files is reached; lift it (ulimit -f), then continue with --resume")
        text = (self.results / "results.jsonl").read_text()
        rows = [json.loads(line) for line in text.splitlines() if line.endswith("}")]
        self.assertGreater(len(rows), 0)

    def test_a_file_of_others_is_not_resumed(self):
        """A last line without an end would be taken for one that a killed run left."""
        for text in ["notes without a line end", "notes\nand a last line", '{"x": 1}\nnotes']:
            with self.subTest(text):
                self.results.mkdir(exist_ok=True)
                (self.results / "results.jsonl").write_text(text)
                self.assert_one_line(self.shell("", "compare", *SIMULATED, "--resume", self.results), "results.jsonl")
                self.assertEqual((self.results / "results.jsonl").read_text(), text)

    def test_a_file_of_others_gets_no_samples(self):
        """A file that has the name of a sampled table, but not its header."""
        sweep = self.folder / "sweep.yml"
        sweep.write_text(SWEEP)
        command = ["sample", sweep, "--threads", 1, "--precision", "fp32", *ON_CPU, "-o", self.results]
        self.succeed(*command)
        table, = (self.results / "sampling_data").glob("*.csv")
        for path in [table, table.with_suffix(".jsonl")]:
            known = path.read_bytes()
            for text in ["notes without a line end", "notes\nand a last line", "a,b,c\n1,2,3\n", '{"x": 1}\nnotes']:
                with self.subTest(file=path.suffix, text=text):
                    path.write_text(text)
                    self.assert_one_line(self.shell("", *command), path.name)
                    self.assertEqual(path.read_text(), text)
            path.write_bytes(known)

    def test_a_program_has_the_signals_of_its_own(self):
        """That kjoule ignores a signal is not inherited."""
        done = self.shell("", "record", "-o", self.folder / "recording.jsonl", "--", "bash", "-c", "grep SigIgn /proc/self/status")
        ignored = int(next(line for line in done.stdout.splitlines() if line.startswith("SigIgn")).split()[1], 16)
        self.assertEqual(ignored >> 24 & 1, 0, "SIGXFSZ is signal 25")


if __name__ == "__main__":
    unittest.main()
