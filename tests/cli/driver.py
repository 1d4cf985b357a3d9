"""A test case that runs kjoule COMMAND -- PROGRAM with the real injected library; only the CUDA driver and CUPTI under it are stand-ins
(tests/fakes/driver), which run kernels on the host and tell a virtual time."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from .messages import errors_in

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("KJOULE_TEST_BUILD", "build")  # tools/test_races names another one
STAND_INS = BUILD / "tests/fakes/driver"
CUBLAS = BUILD / "tests/fakes/blas"
PROGRAM = STAND_INS / "program"
KJOULE = BUILD / "bin/kjoule"
FAKE_NVML = str(BUILD / "tests/fakes/nvml/libfake_nvml.so")
# The GPU of the stand-in for the driver, as the one for NVML names it, with an energy counter. Power is read for many seconds of real
# time. The GPU is slow, because the stand-in runs kernels on the host: at the usual speed, it would occupy a core all that time.
ENERGY_COUNTER = {"KJOULE_NVML": FAKE_NVML, "FAKE_NVML_WATTS": "300", "FAKE_NVML_UUID": "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f",
                  "FAKE_CUDA_SLOWNESS": "10"}
# Two such GPUs. They are so slow that they never wait for the processes that stand for them, even if compilers run at the same time.
TWO_ENERGY_COUNTERS = {**ENERGY_COUNTER, "FAKE_NVML_GPUS": "2", "FAKE_NVML_UUID_1": ENERGY_COUNTER["FAKE_NVML_UUID"].replace("GPU-00", "GPU-01"),
                       "FAKE_CUDA_SLOWNESS": "50"}
PLAIN = {"memcpy HtoD": 1, "memset": 1, "fill_indices": 1, "gather": 1, "mix": 1, "add": 2, "scale": 2, "memcpy DtoD": 1,
         "memcpy DtoH": 1}


def meters_of_two_gpus(folder):
    """The variables for energy counters of two stand-in GPUs, which log their energy to a new folder, and for a configuration of the test's own."""
    joules = folder / "joules"
    joules.mkdir()
    return {**TWO_ENERGY_COUNTERS, "FAKE_CUDA_ENERGY": str(joules), "XDG_CONFIG_HOME": str(folder / "configuration")}


def lacks_readings(energy):
    """Whether a report says that it had too few readings of a meter for the energy: on a crowded machine, the processes that stand for the GPUs
    are held up, while the meters' time goes on. Then a test measures again."""
    if energy is None:
        return False
    low, high = energy.get("whole_interval_joules") or (0, 0)
    return energy.get("missing", "").startswith("power readings of the whole") or high - low > 0.1 * energy.get("whole_joules", 0)


def unwrapped(text):
    """Returns a report with its lines joined, to look for a sentence in it."""
    return " ".join(text.split())


def short(name):
    return name.partition("(")[0].strip()


# Only a torch of the user's own may come without CUDA's headers; with .venv there is no excuse.
@unittest.skipIf(os.environ.get("KJOULE_TORCH") and not PROGRAM.exists(), "built without CUDA's headers")
class Driver(unittest.TestCase):
    LOOP_SECONDS = "0.05"  # as long as a loop must last to be found
    TIME_LIMIT = "0.5"  # for measuring the kernels: their times differ by a few per mille; None is kjoule's own limit

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.results = self.folder / "results"
        self.recording = self.folder / "recording.jsonl"
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(STAND_INS), "FAKE_CUDA_SEED": "1"}

    def run_kjoule(self, command, *program, options=(), **environment):
        """`program` are the program's arguments; 300,000 iterations unless they say otherwise."""
        output = {"record": ["-o", self.recording], "kernels": []}.get(command, ["-o", self.results])
        if command != "kernels":
            output += ["--loop-seconds", self.LOOP_SECONDS]
        if command == "compare":
            output += ["-v"]
            if self.TIME_LIMIT and "--time-limit" not in options:
                output += ["--time-limit", self.TIME_LIMIT]
        words = [KJOULE, command, *output, *options, "--", PROGRAM, "--iterations", "300000", *program]
        return self.run_words(words, environment)

    def run_words(self, words, environment=None, **settings):
        """A pipe as input forbids a further start, so that the input is empty unless `settings` say otherwise."""
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, check=False,
                              env={**self.environment, **(environment or {})}, **{"stdin": subprocess.DEVNULL, **settings})

    def compare(self, *program, **settings):
        """The report of a comparison that succeeded."""
        done = self.run_kjoule("compare", *program, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("illegal address", done.stderr)
        return self.report()

    def report(self):
        return json.loads((self.results / "comparison_report.json").read_text())

    def recorded(self, *program, **settings):
        """The launches of a recording. The program ends by itself once they are written."""
        self.recording.unlink(missing_ok=True)
        done = self.run_kjoule("record", "--until", self.recording, *program, **settings)
        self.assertTrue(self.recording.exists(), done.stderr)
        return [json.loads(line) for line in self.recording.read_text().splitlines()][1:], done

    def error(self, command, *program, **settings):
        """kjoule's own last words: one line."""
        done = self.run_kjoule(command, *program, **settings)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        told = errors_in(done.stderr)
        self.assertEqual(len(told), 1, done.stderr)
        return told[0]

    def assert_exact(self, report, launches):
        """Every launch came out to the bit, and the sum predicts the whole."""
        found = {name: value for name, value in report["verification"].items() if name != "changes_inputs"}
        self.assertEqual(found, {"different": [], "different_kernels": [], "failed": [], "launches": launches, "non_finite": [],
                                 "varying": []})
        self.assertLess(abs(report["sum_error_percent"]), 1)

    def assert_audited(self, report):
        """The device's own list of activities agrees with the recording."""
        self.assertTrue(report["timeline"]["audit"]["equal"], report["timeline"])
        self.assertNotIn("replayed_whole_missing", report["timeline"])
