"""The completions of bash, zsh and fish, and the manual pages: they contain every command and option of the help, shells accept them, and
what a shell offers is what the command takes."""
import re
import shutil
import subprocess
import tempfile
import pathlib
import unittest

from .driver import KJOULE

COMMANDS = [line.split() for line in subprocess.run([KJOULE, "manual", "--list"], capture_output=True, text=True, check=False).stdout.splitlines()]


def printed(*words):
    done = subprocess.run([KJOULE, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def options_in(help_text):
    """Returns the names of the options that a help text lists: the first words of its entries."""
    found = set()
    for names in re.findall(r"^  (-\S+)", help_text, re.M):
        found |= set(names.split(","))
    return found


class InAFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "trace.json").touch()
        self.script = self.folder / "script"

    def run_shell(self, *words, **settings):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, cwd=self.folder, **settings)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout.splitlines()


class Completed:
    """What each shell must offer. A shell is a subclass with offered(), which returns the words for the end of a command line."""

    def test_commands_and_their_parts(self):
        self.assertLessEqual({"compare", "doctor", "completion"}, set(self.offered("kjoule ")))
        self.assertEqual(set(self.offered("kjoule comp")), {"compare", "completion"} | set())
        self.assertEqual(set(self.offered("kjoule power ca")), {"calibrate"})

    def test_each_option_of_each_command(self):
        self.assertGreater(len(COMMANDS), 25)
        for words in [["compare"], ["power", "log"], ["sample", "merge"], ["doctor"]]:
            with self.subTest(words):
                expected = {name for name in options_in(printed(*words, "--help")) if name.startswith("--")}
                self.assertGreater(len(expected), 1)
                self.assertEqual({name for name in self.offered(f"kjoule {' '.join(words)} --") if name.startswith("--")}, expected)

    def test_files_where_the_command_takes_files(self):
        self.assertIn("trace.json", self.offered("kjoule compare --kernels tr"))
        self.assertIn("trace.json", self.offered("kjoule kernels tr"))
        self.assertNotIn("trace.json", self.offered("kjoule compare --top tr"))

    def test_files_of_a_program(self):
        self.assertIn("trace.json", self.offered("kjoule compare -- cat tr"))


@unittest.skipUnless(KJOULE.exists(), "kjoule was not built")
@unittest.skipUnless(shutil.which("bash"), "there is no bash")
class Bash(Completed, InAFolder):
    def offered(self, line):
        self.script.write_text(printed("completion", "bash"))
        words = line.split(" ")
        script = f'source {self.script}; COMP_WORDS=({" ".join(word or chr(39) * 2 for word in words)}); COMP_CWORD={len(words) - 1}; _kjoule; printf "%s\\n" "${{COMPREPLY[@]}}"'
        return self.run_shell("bash", "--norc", "-c", script)

    def test_it_is_registered(self):
        self.script.write_text(printed("completion", "bash"))
        self.assertEqual(self.run_shell("bash", "--norc", "-c", f"source {self.script}; complete -p kjoule"), ["complete -o filenames -F _kjoule kjoule"])


@unittest.skipUnless(KJOULE.exists(), "kjoule was not built")
@unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
class Zsh(Completed, InAFolder):
    """zsh completes only in a terminal: functions that print their arguments stand in for its own."""

    STAND_INS = """
compdef() { : }
_describe() { local one; for one in "${(@P)2}"; do print -r -- "${one%%:*}"; done }
_files() { print -l -- * }
_normal() { print -l -- * }
"""

    def offered(self, line):
        self.script.write_text(printed("completion", "zsh"))
        words = line.split(" ")
        script = f'{self.STAND_INS}; source {self.script}; words=({" ".join(word or chr(39) * 2 for word in words)}); CURRENT={len(words)}; _kjoule; true'
        return [word for word in self.run_shell("zsh", "-f", "-c", script) if word.startswith(words[-1])]


@unittest.skipUnless(KJOULE.exists(), "kjoule was not built")
@unittest.skipUnless(shutil.which("fish"), "there is no fish")
class Fish(Completed, InAFolder):
    def offered(self, line):
        self.script.write_text(printed("completion", "fish"))
        lines = self.run_shell("fish", "--no-config", "-c", f"source {self.script}; complete -C {line!r}", env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "TERM": "dumb"})
        return [word.partition("\t")[0] for word in lines]


@unittest.skipUnless(KJOULE.exists(), "kjoule was not built")
class Manual(unittest.TestCase):
    @unittest.skipUnless(shutil.which("groff"), "there is no groff")
    def test_pages_have_no_errors_and_each_option(self):
        for words in [[], *COMMANDS]:
            with self.subTest(words):
                done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-P-c", "-rLL=400n"], input=printed("manual", *words), capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                text = re.sub(".\b", "", done.stdout)
                self.assertRegex(text, r"SYNOPSIS\n +" + re.escape(" ".join(["kjoule", *words])) + r"( |\n)")
                if words != ["export"]:
                    shown = {name for names in re.findall(r"^ +(-\S+)", text, re.M) for name in names.split(",")}
                    self.assertLessEqual(options_in(printed(*words, "--help")), shown)

    def test_a_command_that_does_not_exist(self):
        done = subprocess.run([KJOULE, "manual", "power", "lgo"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "kjoule: power lgo: no such command; kjoule manual --list lists the commands\n"))
        done = subprocess.run([KJOULE, "completion", "tcsh"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "kjoule: tcsh: no script for this shell; use bash, zsh or fish\n"))


if __name__ == "__main__":
    unittest.main()
