"""Hostile cases of systems: files of /proc, encodings, limits of the shell, closed streams, and places that are no folders."""
import os
import resource
import subprocess
import unittest

from ..test_commands import KJOULE
from .cases import SIMULATED, Case, HostileCases, material

DEVICE = "--device simulated:seed=5,launches=12"
READERS = {"kernels F": "csv", "diff F {base}": "base", "energy --power-log {power} --timing F -o out": "timing", "compare --recording F --run-recorded --yes": "recording", "kernels {recording} --rules F": "recording"}

NO_FOLDERS = [Case(command, names) for command, names in [
    ("baseline {base} -o x", "base.json: is not a folder; give the path of a folder"), ("report {base} -o x", "base.json: is not a folder"), ("diff /dev/random {base}", "/dev/random: is not a folder"),
    ("train /proc/version -o m", "/proc/version: is not a folder; give the folder that contains the tables"), ("train nothing -o m", "nothing: no such folder"), ("sample status /dev/zero", "/dev/zero: is not a folder")]] + [
    Case(f"compare {SIMULATED} -o res", "cannot be written: not permitted in /proc; choose a folder that you may write to", variables={"TMPDIR": "/proc"}),
    Case(f"compare {SIMULATED} -o res", "set TMPDIR to a folder that you may write to", variables={"TMPDIR": ""})]

# Regular files without a size, some of which never end.
SYSTEM_FILES = [Case(command, names) for command, names in [
    ("energy --power-log /proc/self/pagemap --timing {timing} -o out", "/proc/self/pagemap: "), ("energy --power-log {power} --timing /proc/self/pagemap -o out", "document limit"),
    ("layers /proc/self/pagemap --device cpu", "document limit"), ("predict step /proc/self/pagemap", "document limit"), ("sample /proc/self/pagemap --device cpu", "document limit"),
    ("diff /proc/self/mem {base}", "/proc/self/mem: cannot be read"), ("kernels /proc/version", "/proc/version"), ("energy --power-log /proc/self/maps --timing {timing} -o out", "is not a power log"),
    ("predict step /proc/self/maps", "not a training configuration"), ("kernels /dev/tty", "/dev/tty: is not a regular file"), ("layers /dev/random --device cpu", "is not a regular file")]]


def changed(name: str, change: object) -> bytes:
    """Returns the contents of a material as text in another form."""
    return change(material(name).read_text(encoding="utf-8"))  # type: ignore[operator, no-any-return]


def encoded() -> list[Case]:
    cases = []
    for command, name in READERS.items():
        for encoding in ["utf-16", "utf-32"]:
            cause = "--run-recorded|not a complete JSON|UTF" if name == "recording" else f"F: this file is {encoding.upper()} text; convert it with iconv -f {encoding.upper()} -t UTF-8"
            cases.append(Case(command, cause, {"F": changed(name, lambda text, encoding=encoding: text.encode(encoding))}))
        cases.append(Case(command, "F", {"F": changed(name, lambda text: text.encode() + bytes(5000))}))
        cases.append(Case(command, "F", {"F": changed(name, lambda text: text.encode() + b"\0" + text.encode())}))
    return cases


OUTPUTS = [Case(command, names, {"d/mine": "mine\n", "foreign": "mine\n"}, code=code) for command, names, code in [
    ("kernels {trace} -o {trace}", "this file is an input of the command", 2), ("kernels {trace} -o foreign.txt", "ends neither with .json, .jsonl nor .csv", 2), ("kernels {trace} -o d", "d: is a folder|neither", 1),
    ("kernels {trace} -o list.JSON", "ends neither", 2), ("kernels {trace} -o .json", "ends neither", 2), ("kernels {trace} -o a.json -o b.json", "--output: is given more than once", 2), ("kernels {trace} -o none/a.json", "no such folder", 1),
    ("kernels {recording} --timeline t.json -o ./t.json", "also writes this file", 2), ("kernels {trace} --top 1e3", "--top: 1e3 is not a whole number", 2), ("kernels {trace} --top nan", "--top", 2), ("kernels {trace} --top 3 --top 4", "--top: is given more than once", 2),
    ("kernels {trace} --top 99999999999999999999", "--top", 2), ("kernels {trace} --top 3 --csv", "cannot be combined", 2), ("kernels --rank 1000000 -- true", "--rank: 1000000 is not a whole number from 0 to 999999", 2),
    (f"record {DEVICE} -o r/", "r/: is a folder", 1), (f"record {DEVICE} -o ..", "is a folder", 1), (f"record {DEVICE} -o /", "is a folder", 1), (f"record {DEVICE} -o {'x' * 300}", "choose another name", 1)]]


class Systems(HostileCases):
    def test_places_that_are_no_folders(self) -> None:
        self.check(NO_FOLDERS)

    def test_files_of_the_system(self) -> None:
        self.check(SYSTEM_FILES)

    def test_encodings(self) -> None:
        """A byte 0 ends the text for some parsers, which would accept anything after it."""
        self.check(encoded())

    def test_outputs(self) -> None:
        self.check(OUTPUTS)

    def run_limited(self, words: list[str], limit: int, value: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(KJOULE), *words], cwd=self.folder, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
                              preexec_fn=lambda: resource.setrlimit(limit, (value, value)))  # noqa: PLW1509

    def test_few_open_files(self) -> None:
        done = self.run_limited(["kernels", str(material("trace"))], resource.RLIMIT_NOFILE, 5)
        self.assertEqual((done.returncode, done.stderr), (1, "kjoule: kjoule cannot receive signals: too many files are open; lift the limit (ulimit -n)\n"))

    def test_variables_of_the_terminal_and_language(self) -> None:
        """None of them changes a number or a table."""
        def printed(**variables: str) -> str:
            return subprocess.run([str(KJOULE), "kernels", str(material("csv")), "--iterations", "1"], env={**os.environ, **variables}, capture_output=True, text=True, check=True, timeout=60).stdout
        usual = printed()
        for variables in [{"LC_ALL": "de_DE.UTF-8"}, {"LC_NUMERIC": "de_DE.UTF-8"}, {"LC_ALL": "xx"}, {"TERM": "dumb"}, {"COLUMNS": "1"}, {"COLUMNS": "-5"}, {"COLUMNS": "9" * 20}, {"TZ": "nonsense"}, {"HOME": ""}, {"HOME": "/dev/null"}]:
            with self.subTest(variables):
                self.assertEqual(printed(**variables), usual)

    def test_closed_streams(self) -> None:
        for words in [["kernels", str(material("trace"))], ["kernels", str(material("trace")), "--json"], ["diff", str(material("base")), str(material("base"))], ["manual"], ["completion", "bash"]]:
            for closed, code in [("<&-", 0), ("2>&-", 0), ("2>/dev/full", 0), (">&-", 1), (">/dev/full", 1)]:
                with self.subTest(words=words, closed=closed):
                    done = subprocess.run(["bash", "-c", f'"$@" {closed}', "bash", str(KJOULE), *words], capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual(done.returncode, code, done.stderr)
                    if code == 1:
                        self.assertRegex(done.stderr, r"^(kjoule: warning: .*\n|.*: counts .*\n)*kjoule: standard output cannot be written: .*; ")


if __name__ == "__main__":
    unittest.main()
