"""kjoule power calibrate: two emulated meters, of which one reads too much, and a model whose load they see."""
import json
import os
import subprocess

from .test_commands import KJOULE
from .test_power import FakeMeter, record
from .test_schemas import explanation, validator
from .wall_meters import LoadMeters, WithModel, csv_sink

GAIN, OFFSET = 1.06, 4  # of the emulated sensor; the offset in W
EFFICIENCY, OTHERS = 0.8, 30  # of the emulated power supply, and the power of other parts of the machine in W


class Calibrate(WithModel):
    LAYERS = 1

    def setUp(self):
        super().setUp()
        self.sensor_csv = self.folder / "sensor.csv"
        self.sensor = f"csv:{self.sensor_csv},averaging=0.1"
        self.stored = self.folder / "config/kjoule/calibrations.json"

    def kjoule(self, *words):
        return subprocess.run([KJOULE, *map(str, words), "--model", self.model, "--device", "cpu", "--threads", "1", "-o", self.results],
                              capture_output=True, text=True, check=False, timeout=300, stdin=subprocess.DEVNULL,
                              env={**os.environ, "XDG_CONFIG_HOME": str(self.folder / "config")})

    def calibrate(self, *words):
        """Repeats a calibration in which the emulated meters were silent, because a crowded machine held them up."""
        for _ in range(3):
            done = self.kjoule("power", "calibrate", "--source", self.sensor, "--block", "1.5", "--block-kernels", "2", *words)
            if "there is no reading in" not in done.stderr:
                break
        return done

    def assert_within(self, value, interval, slack=0.0):
        self.assertLessEqual(abs(interval["value"] - value), interval["half_width"] + slack, interval)

    def test_finds_gain_and_offset_and_energy_commands_print_the_error(self):
        reference = self.folder / "reference.csv"
        with LoadMeters([csv_sink(self.sensor_csv, GAIN, OFFSET), csv_sink(reference)]):
            done = self.calibrate("--against", f"csv:{reference},averaging=0.1,accuracy=1.5%")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLessEqual(max(map(len, done.stdout.splitlines()[:-1])), 80)
            self.assertRegex(done.stdout, r"the sensor reads \d+\.\d+ % \+- \d+\.?\d* %\s+too\s+much")
            calibration, = json.loads(self.stored.read_text())["calibrations"]
            self.assert_within(GAIN, calibration["gain"])
            self.assert_within(OFFSET, calibration["offset_w"])
            self.assertLess(calibration["gain"]["half_width"], 0.1 * calibration["gain"]["value"])  # wider ones are not stored
            self.assertEqual(calibration["reference_accuracy"], 0.015)
            self.assertGreaterEqual(calibration["levels"], 4)

            calibration["against"] += "\x1b[31m"  # whoever may write the file must not control the terminal
            self.stored.write_text(json.dumps({"calibrations": [calibration]}))
            done = self.kjoule("full", "--power-source", self.sensor, "--block", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("\x1b", done.stdout)
        report = self.report("energy_report.json")
        self.assertEqual(report["source"]["calibration"], calibration)
        self.assertEqual([explanation(error) for error in validator("energy_report").iter_errors(report)], [])
        read = report["power_watts"]["average"]
        too_much = 100 * (read / ((read - OFFSET) / GAIN) - 1)
        printed = " ".join(done.stdout.split())
        found, half_width = (float(word) for word in printed.partition("the sensor reads ")[2].partition(" % too much")[0].split(" % +- "))
        self.assertAlmostEqual(found, too_much, delta=half_width + 0.01)
        self.assertIn("calibrated on ", printed)

    def test_a_meter_at_the_socket_needs_the_efficiency_and_gives_no_offset(self):
        wall = FakeMeter(self.folder / "ttyUSB0")
        self.addCleanup(wall.unplug)

        def say(_, watts):
            wall.say(record(watts / EFFICIENCY + OTHERS))
        against = ("--against", f"wattsup:{wall.port},interval=0.1")
        self.sensor_csv.write_text("time,watts\n")
        done = self.calibrate(*against)
        self.assertEqual(done.returncode, 2)
        self.assertIn("state the efficiency of the power supply: --efficiency 92%", done.stderr)
        self.assertFalse(self.results.exists())
        with LoadMeters([csv_sink(self.sensor_csv, GAIN, OFFSET), say]):
            done = self.calibrate(*against, "--efficiency", f"{100 * EFFICIENCY}%", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        calibration = report["calibration"]
        self.assert_within(GAIN, calibration["gain"])
        self.assertNotIn("offset_w", calibration)
        self.assertEqual(calibration["efficiency"], EFFICIENCY)
        self.assertEqual(calibration["levels"], len(report["levels"]))
        self.assertEqual(report["levels"][0]["name"], "idle")
        self.assertEqual(json.loads(self.stored.read_text())["calibrations"], [calibration])
        self.assertEqual([explanation(error) for error in validator("power_calibrate").iter_errors(report)], [])

    def test_a_sensor_that_does_not_follow_the_load_is_refused_and_nothing_is_stored(self):
        reference = self.folder / "reference.csv"
        toggled = iter(range(10 ** 9))
        still = csv_sink(self.sensor_csv)
        with LoadMeters([lambda now, _: still(now, 80 + next(toggled) % 2), csv_sink(reference)]):
            done = self.calibrate("--against", f"csv:{reference},averaging=0.1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the readings of the two meters do not follow the same load", done.stderr)
        self.assertFalse(self.stored.exists())

    def test_the_simulated_device_has_no_sensor(self):
        self.fail_with("the simulated device has no sensor that can be calibrated", "power", "calibrate", "--source", "rapl", "--against", "nvml",
                       "--device", "simulated", "-o", self.results)
