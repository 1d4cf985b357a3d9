"""Hostile spellings of options: flags with values, options without values, and "=" after short names."""
import re
import unittest

from ..test_tables import commands, help_of
from .cases import SIMULATED, Case, HostileCases

FLAG = re.compile(r"^ {2}(?:-\w,)?(--[\w-]+)(?: {2,}\S.*)?$", re.M)

VALUES = ["3", "0", "true", "false", "x", "", "-1", "nan", "''"]

SPELLINGS = [Case(command, names, code=2) for command, names in [
    *((f"doctor --json={value}", f"--json={value.strip(chr(39))}: --json takes no value; write --json") for value in VALUES),
    ("compare -v=3", "-v=3: -v takes no value; write -v"), ("doctor -h=3", "-h=3: -h takes no value"), ("--version=3", "--version=3: --version takes no value"), ("--help=x", "--help=x: --help takes no value"),
    ("predict step {training} --json=0", "--json takes no value"), ("power devices --json=1", "--json takes no value"),
    ("compare --threads= --model x", "--threads: its value is empty"), ("compare --model= -v", "--model: its value is empty"), ("record --output=", "--output: its value is empty"),
    ("record --device simulated:seed=5,launches=4 -o=x", "-o=x: the value of a short option follows it without =; write -o VALUE"), (f"compare {SIMULATED} -o=", "-o=: the value of a short option"),
    ("record -o --device simulated:seed=5", "-o: its value is missing, because --device is an option; give the value after -o"), ("compare --model --top 3", "--model: its value is missing, because --top is an option"),
    ("compare --timeline --html=x", "--timeline: its value is missing, because --html=x is an option"), ("predict step {training} --models --json", "--models: its value is missing, because --json"),
    ("kernels {trace} --rules -h", "--rules: its value is missing, because -h is an option"),
]]


class Words(HostileCases):
    def test_spellings(self) -> None:
        self.check(SPELLINGS)

    def test_flags_of_all_commands(self) -> None:
        cases = [Case(" ".join([*command, f"{flag}=3"]), f"{flag}=3: {flag} takes no value; write {flag}, or omit it", code=2)
                 for command in commands() if command != ["export"] for flag in FLAG.findall(help_of(*command))]
        self.assertGreater(len(cases), 80)
        self.check(cases)

    def test_values_that_look_like_options(self) -> None:
        """Values of sbatch begin with hyphens; negative numbers and words that are no options of the command do, too."""
        self.check([Case("sample gelu --device cpu --slurm-script x --sbatch --wrap=true", "cannot have the option --wrap", code=2),
                    Case("compare --top -1", "--top: -1 is not a whole number", code=2), Case("kernels --by x --rules --nothing", "--nothing: no such file|--by")])


if __name__ == "__main__":
    unittest.main()
