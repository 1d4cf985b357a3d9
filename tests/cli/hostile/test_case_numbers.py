"""Hostile numbers: each option that takes a number has limits, which its message states, and reads numbers as files write them."""
import re
import subprocess
import unittest

from ..test_commands import KJOULE
from .cases import SIMULATED, Case, HostileCases

GROUPS = ["power", "predict", "sample"]
NOT_LIMITED = {"--seed", "--device_num"}  # any seed is one; the second has an alias, which is tried


def help_of(*command: str) -> str:
    return subprocess.run([KJOULE, *command, "--help"], capture_output=True, text=True, check=True).stdout


def commands() -> list[list[str]]:
    """Returns the words of all commands, those of groups included."""
    def listed(text: str) -> list[str]:
        return re.findall(r"^  ([a-z-]+) ", text.split("ommands:\n", 1)[1], flags=re.M) if "ommands:\n" in text else []

    return [[name, *more] for name in listed(help_of()) for more in [[], *([part] for part in (listed(help_of(name)) if name in GROUPS else []))]]


def numeric_options() -> list[tuple[list[str], str, str]]:
    """Returns command, option and type of every option that takes a number."""
    return [(command, name, kind) for command in commands() if command != ["export"]
            for name, kind in re.findall(r"^  (?:-\w,)?(--[\w-]+)(?:,--[\w-]+)? (INT|UINT|FLOAT|INT,INT)\b", help_of(*command), flags=re.M)]


INPUTS = [
    Case(f"{command} --model x.pt --input '{text}'", f"--input .*{names}", code=2)
    for command in ["record", "full"] for text, names in [
        ("float32:8X8", "a size of the input is not a whole number"), ("float32:8x", "a size of the input"), ("float32:1_0x8", "a size of the input"),
        ("float32:8.0x8", "a size of the input"), ("float32: 8x8", "a size of the input"), ("float32:8x8 ", "a size of the input"), ("float32:-8x8", "a size of the input"),
        ("float32:0x8", "a size of the input"), ("float32:+8x8", "a size of the input"), ("float32:99999999999999999999x8", "a size of the input"), ("float32:8x0x10", "a size of the input"),
        ("float32:4294967296x4294967296", "2\\^60"), ("float32:1" + "x1" * 64, "dimension limit"), ("int64:8:5..3", "the range is empty"), ("int64:8:3..3", "the range is empty"),
        ("int64:8:0x1..2", "not of the form LOW..HIGH"), ("int64:8:1..0x2", "not of the form LOW..HIGH"), ("int64:8:1.5..2", "not of the form LOW..HIGH"), ("int64:8:..2", "not of the form LOW..HIGH"),
        ("int64:8:1...2", "not of the form LOW..HIGH"), ("uint8:8:0..999", "uint8 has only integers from 0 to 255"), ("bool:8:0..5", "bool has only integers from 0 to 1"),
        ("float32:8:0..2", "only inputs of integers"), ("Float32:8", "type of the input is not known"), ("float32", "not the description of an input"), ("", "not the description of an input"),
        ("float32:8:0..2:1", "not the description of an input")]]

VALUES = [
    Case(command, names, code=2) for command, names in [
        (f"full {SIMULATED} --items 1e-320", "--items: 1e-320 is not a number from 1e-06"), (f"full {SIMULATED} --items 1e300", "--items"), (f"full {SIMULATED} --items 1e-7", "--items"),
        (f"full {SIMULATED} --items 0x10", "--items"), (f"compare {SIMULATED} --items 1e-320", "--items"), ("full --threads 100000", "--threads: 100000 is not a whole number from 1 to 4096"),
        ("compare --threads 4097", "--threads"), ("layers resnet18 --threads 100000", "--threads"), ("sample gelu --threads 100000", "--threads"), ("sample gelu --parts 1000000", "--parts"),
        ("compare --starts 100000", "--starts"), ("full --runs 2147483647", "--runs"), ("full --warmup 2147483647", "--warmup"), ("layers resnet18 --unroll 2147483647", "--unroll"),
        ("layers resnet18 --buffers same --iters 1000000000", "--iters"), ("layers resnet18 --buffers same --iters 0x10", "--iters"), ("layers resnet18 --size batch=0x10", "--size"),
        ("layers resnet18 --size batch=1_0", "--size"), ("layers resnet18 --size 'batch= 2'", "--size"), ("layers resnet18 --size batch=9999999999", "--size"),
        ("layers resnet18 --batch 1,,2", "--batch '1,,2': a value is empty"), ("layers resnet18 --batch ,2", "--batch"), ("layers resnet18 --batch 1,", "--batch"), ("layers resnet18 --batch ''", "--batch"),
        ("layers resnet18 --batch 1,0x2", "--batch"), ("layers resnet18 --batch '1, 2'", "--batch"), ("layers resnet18 --dtype float32,,float16", "--dtype"), ("layers resnet18 --buffers context,", "--buffers"),
        ("layers resnet18 --buffers same,,rotate", "--buffers"), ("power log -o x --port /dev/a,,/dev/b", "--port"), ("power devices --port ,", "--port"),
        ("compare --within 0x1%", "--within"), ("compare --within '1 %'", "--within"), ("import {trace} -o x --iterations 0x2", "--iterations"), ("kernels {trace} --iterations 0x2", "--iterations"),
        ("kernels {trace} --iterations 1e1", "--iterations"), ("import {trace} -o x --max-bytes 0x100", "--max-bytes"), ("energy --power-log {power} --timing {timing} -o out --averaging 1e-300", "--averaging"),
        ("power log -o x --interval 1e-300", "--interval"), ("power log -o x --duration 1e300", "--duration"), ("compare --time-limit 1e300", "--time-limit"), ("full --block 1e300", "--block")]]


class Numbers(HostileCases):
    def test_inputs_of_models(self) -> None:
        self.check(INPUTS)

    def test_values(self) -> None:
        self.check(VALUES)

    def test_every_option_has_limits(self) -> None:
        """A number that is far too large is refused with the limits, and one in hexadecimal digits is not read."""
        options = numeric_options()
        self.assertGreater(len(options), 100)
        for command, name, kind in options:
            with self.subTest(command=command, option=name):
                for value in ["0x10", "1_0", "+1", " 1", "1e300" if kind == "FLOAT" else "9223372036854775807"]:
                    if value[-1] == "7" and name in NOT_LIMITED:
                        continue
                    done = subprocess.run([KJOULE, *command, f"{name}={value}"], capture_output=True, text=True, timeout=20, check=False)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertRegex(done.stderr, f"^kjoule: {name}[^ ]*: {re.escape(value)} is not a ", value)
                    if name not in NOT_LIMITED:
                        self.assertRegex(done.stderr, " from [-0-9e+]+ to [0-9e+]+;")


if __name__ == "__main__":
    unittest.main()
