"""kjoule power probe: the sampling rate of simulated sensors, and what commands that measure energy do with it."""
import json
import os
import subprocess

from .driver import CUBLAS, ENERGY_COUNTER, PROGRAM, ROOT, STAND_INS
from .messages import errors_in
from .test_commands import InAFolder, KJOULE, growing_log
from .test_schemas import explanation, validator

UNKNOWN = "the power sensor's sampling rate is not known: run kjoule power probe"


class Probe(InAFolder):
    def setUp(self):
        super().setUp()
        self.stored = self.folder / "config/kjoule/sensor_rates.json"
        self.environment = {**os.environ, "XDG_CONFIG_HOME": str(self.folder / "config")}

    def kjoule(self, *words, code=0, **environment):
        done = subprocess.run([KJOULE, *map(str, words)], capture_output=True, text=True, check=False, timeout=300, stdin=subprocess.DEVNULL,
                              env={**self.environment, **environment})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def probe(self, spec, *words, **settings):
        return self.kjoule("power", "probe", "--device", f"simulated:{spec}", *words, **settings)

    def compared(self, spec):
        """The first screen of a comparison, and the first meter of its report."""
        screen = self.kjoule("compare", "--device", f"simulated:{spec}", "-o", self.results).stdout
        return screen, self.report()["energy"]["meters"][0]

    def rates(self):
        return {rate["id"]: rate for rate in json.loads(self.stored.read_text())["sensor_rates"]}

    def test_finds_rates_within_their_intervals(self):
        for number, rate in enumerate([912, 1047.5, 1188, 1233, 1402, 1587.25]):
            report = json.loads(self.probe(f"seed={30 + number},sensor_rate={rate}", "--json").stdout)
            self.assertEqual([explanation(error) for error in validator("power_probe").iter_errors(report)], [])
            self.assertLessEqual(abs(report["sensor_rate_hz"] - rate), report["half_width_hz"], report["sensor_rate_hz"])
            self.assertLess(report["half_width_hz"], 2)
            self.assertEqual(report["missing"], "")
        self.assertEqual(len(self.rates()), 6)

    def test_energy_commands_use_the_rate_of_their_board_only(self):
        screen, meter = self.compared("seed=5")
        self.assertIn(UNKNOWN, screen)
        self.assertEqual((meter["sensor_rate_hz"], meter["sensor_rate_from"]), (None, ""))
        text = self.probe("seed=5").stdout
        self.assertLessEqual(max(map(len, text.splitlines()[:-1])), 80)
        self.assertRegex(text, r"simulated \(simulated:seed=5\): the power sensor samples (1099|1100)\.\d\d \+-\s0\.\d+")
        self.assertIn(f"rate stored in {self.stored}", text)
        screen, meter = self.compared("seed=5")
        self.assertNotIn("sampling rate", screen)
        self.assertEqual(meter["sensor_rate_hz"], self.rates()["simulated:seed=5"]["hz"]["value"])
        self.assertIn("measured by kjoule power probe, 20", meter["sensor_rate_from"])
        self.assertIn(UNKNOWN, self.compared("seed=6")[0])

    def test_a_sensor_that_integrates_has_no_rate_which_is_remembered(self):
        spec = "seed=7,sensor_rate=0"
        self.assertIn("no sampling rate between 900 and 1600 Hz was found", " ".join(self.probe(spec).stdout.split()))
        self.assertNotIn("hz", self.rates()[f"simulated:{spec}"])
        screen, meter = self.compared(spec)
        self.assertNotIn("sampling rate", screen)
        self.assertIsNone(meter["sensor_rate_hz"])
        self.assertIn("measured by", meter["sensor_rate_from"])

    def test_prints_the_loads_as_json_and_csv(self):
        report = json.loads(self.probe("seed=8", "--json").stdout)
        rows = self.probe("seed=8", "--csv").stdout.splitlines()
        self.assertEqual(rows[0], "load_hz,readings,mean_watts,deviation_watts")
        self.assertEqual(len(rows) - 1, len(report["loads"]))
        near = [load["deviation_watts"] for load in report["loads"] if 3 < abs(load["load_hz"] - report["sensor_rate_hz"]) < 8]
        far = [load["deviation_watts"] for load in report["loads"] if abs(load["load_hz"] - report["sensor_rate_hz"]) > 100]
        self.assertGreater(min(near), max(far))

    def test_files_of_another_form_are_refused_and_kept(self):
        self.stored.parent.mkdir(parents=True)
        entry = {"device": "simulated", "id": "simulated:seed=5", "from": "me", "hz": {"value": 1100, "half_width": 1}}
        for text, wrong in [("{", "sensor_rates.json"), ("[]", 'it has no list "sensor_rates"'), ('{"sensor_rates": 3}', "it has no list"),
                            (json.dumps({"sensor_rates": [{**entry, "device": 3}]}), "sensor_rate.device: not a text"),
                            (json.dumps({"sensor_rates": [{**entry, "hz": {"value": 1e9, "half_width": 1}}]}), "sensor_rate.hz.value is not from 900 to 1600"),
                            (json.dumps({"sensor_rates": [{**entry, "hz": {"value": 1100}}]}), "sensor_rate.hz.half_width")]:
            self.stored.write_text(text)
            told = self.probe("seed=5", code=1).stderr.splitlines()
            self.assertEqual(len(told), 1, told)
            self.assertIn(wrong, told[0])
            self.assertEqual(self.stored.read_text(), text)
            screen = self.kjoule("compare", "--device", "simulated:seed=5", "-o", self.results).stdout
            self.assertIn("energy: not measured:", screen, text)
        self.stored.write_text(json.dumps({"sensor_rates": [{**entry, "from": "\x1b[31m"}]}))  # whoever may write it must not control the terminal
        self.assertNotIn("\x1b", self.kjoule("compare", "--device", "simulated:seed=5", "-v", "-o", self.results).stdout)

    def test_a_log_needs_no_rate(self):
        self.stored.parent.mkdir(parents=True)
        self.stored.write_text("{")
        with growing_log(self.folder / "power.csv", watts=123) as log:
            told = self.kjoule("compare", "--device", "simulated:seed=5", "--power-source", f"csv:{log}", "-o", self.results)
        self.assertNotIn("sensor_rates", told.stdout + told.stderr)

    def test_an_unknown_board_is_probed_once_before_its_energy_is_measured(self):
        stand_ins = {"LD_LIBRARY_PATH": f"{STAND_INS}:{CUBLAS}", "FAKE_CUDA_SEED": "1", **ENERGY_COUNTER}
        words = ["compare", "-o", self.results, "--loop-seconds", "0.05", "--time-limit", "0.5", "--energy-time-limit", "1", "--", PROGRAM,
                 "--iterations", "300000"]
        # The program does not wait for so slow a GPU: otherwise another iteration would be searched for, and measured as well.
        told = self.kjoule(*words, "--no-wait", **{**stand_ins, "FAKE_CUDA_SLOWNESS": "150"})
        self.assertIn("warning: the power sensor's sampling rate is not known: each launch of the load takes more than 0.2 ms", told.stderr)
        self.assertFalse(self.stored.exists(), "a busy GPU is probed another time")
        for _ in range(3):  # the machine may be busy, too
            told = self.kjoule(*words, **stand_ins)
            if self.stored.exists():
                break
        self.assertIn("probing the GPU's power sensor, once for this board", told.stderr)
        self.assertLess(told.stderr.index("the program is paused while it is measured"), told.stderr.index("probing"))
        failure = self.rates()[ENERGY_COUNTER["FAKE_NVML_UUID"]]["failure"]
        self.assertIn("the meter stood still", failure)  # its power never changes
        self.assertIn("warning: the power sensor's sampling rate is not known: " + failure, told.stderr)
        self.assertIn(UNKNOWN, told.stdout)
        told = self.kjoule(*words, **stand_ins)
        self.assertNotIn("probing", told.stderr)
        self.assertIn(UNKNOWN, told.stdout)
        self.stored.write_text(json.dumps({"sensor_rates": [{"device": "Fake GPU", "id": ENERGY_COUNTER["FAKE_NVML_UUID"], "from": "a test",
                                                             "hz": {"value": 1200, "half_width": 1}}]}))
        self.assertNotIn("sampling rate", self.kjoule(*words, **stand_ins).stdout)
        self.assertNotIn("probing", self.kjoule(*words[:1], "--no-energy", *words[1:7], *words[9:], XDG_CONFIG_HOME=str(self.folder), **stand_ins).stderr)

    def test_a_result_that_could_not_be_stored_is_not_measured(self):
        (self.folder / "file").write_text("")
        for home, text in [("", "HOME is not set to an absolute path; set HOME or XDG_CONFIG_HOME"), (str(self.folder / "file"), "set XDG_CONFIG_HOME to a folder that can be written")]:
            told = self.probe("seed=5", code=1, XDG_CONFIG_HOME=home, HOME="").stderr.splitlines()
            self.assertEqual(len(told), 1, told)
            self.assertIn(text, told[0])

    def test_what_cannot_be_probed_is_one_line(self):
        for words, text in [(["--device", "cpu"], "its power sensor cannot be probed; use cuda or simulated:SPEC"),
                            (["--device", "simulated:meter=none"], "the simulated device has no meter"),
                            (["--device", "simulated:meter=frozen"], "the meter stood still during several loads"),
                            (["--device", "simulated:fail=0,launches=4"], "failed")]:
            told = errors_in(self.kjoule("power", "probe", *words, code=2 if "cpu" in words else 1).stderr)
            self.assertEqual(len(told), 1, told)
            self.assertIn(text, told[0])
        self.assertFalse(self.stored.exists())

    def test_the_script_for_gpus_prints_the_rate(self):
        done = subprocess.run([ROOT / "tests/gpu/sensor_rate", "--device", "simulated:seed=3"], capture_output=True, text=True, check=False,
                              env=self.environment, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"simulated \(simulated:seed=3\): (1099|1100)\.\d{3} \+- 0\.\d{3} Hz\nbeat: ")
        self.assertFalse(self.stored.exists())
