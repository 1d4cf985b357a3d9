"""kjoule power on stand-ins: NVML's library, nvidia-smi as a script, WattsUp meters on pseudo-terminals."""
import contextlib
import csv
import datetime
import io
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time
import tty
import unittest

from .messages import errors_in

ROOT = pathlib.Path(__file__).resolve().parents[2]
KJOULE = ROOT / "build/bin/kjoule"
FAKE_NVML = ROOT / "build/tests/fakes/nvml/libfake_nvml.so"

SMI = """#!/bin/bash
echo 'power.draw.instant [W], uuid, timestamp, name, index'
row() {{ echo "$1, GPU-$2, $(date '+%Y/%m/%d %H:%M:%S.%3N'), Fake, $2"; }}
once() {{ row "$1" 0; row '200.5' 1; }}
once '{first}'
[[ "$*" == *-lms* ]] || exit 0
for i in $(seq {rounds}); do sleep 0.04; [ $((i % 3)) = 0 ] && once '{second}' || once '{first}'; done
echo 'GPU is lost'; exit 15
"""


def record(watts):
    """A WattsUp meter's line at 120 V."""
    tenths = round(watts * 10)
    amperes = round(watts / 120 * 1000)
    return f"#d,-,18,{tenths},1200,{amperes},0,0,0,0,{tenths},1200,0,0,0,0,100,0,0,600,{tenths};\r\n".encode()


class FakeMeter:
    """The meter's end of a pseudo-terminal; kjoule's end stands at `port`."""

    def __init__(self, port):
        self.port = port
        self.meter = None
        self.plug_in()

    def plug_in(self):
        self.meter, other = pty.openpty()
        tty.setraw(self.meter)
        os.set_blocking(self.meter, False)
        name = os.ttyname(other)
        self.port.symlink_to(name)
        self.other = other  # held until kjoule has opened it, so that it is not hung up before

    def unplug(self):
        self.port.unlink()
        os.close(self.meter)
        if self.other is not None:
            os.close(self.other)
        self.meter = self.other = None

    def say(self, data):
        if self.meter is not None:
            os.write(self.meter, data)

    def wait_until_asked(self, seconds=60):
        """Waits for the command that starts logging."""
        heard = b""
        deadline = time.monotonic() + seconds
        while b"#L,W,3,E,,1;" not in heard:
            if time.monotonic() > deadline:
                raise TimeoutError(heard)
            with contextlib.suppress(BlockingIOError, OSError):
                heard += os.read(self.meter, 256)
            time.sleep(0.01)
        if self.other is not None:
            os.close(self.other)
            self.other = None


class PowerCase(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.log = self.folder / "power.csv"
        self.environment = {**os.environ, "KJOULE_NVML": "libkjoule-none.so"}
        for name in [name for name in self.environment if name.startswith("FAKE_NVML")]:
            del self.environment[name]

    def with_nvml(self, **play):
        self.environment["KJOULE_NVML"] = str(FAKE_NVML)
        for name, value in play.items():
            self.environment["FAKE_NVML_" + name] = str(value)

    def with_smi(self, first="100.25 W", second=None, rounds=1000):
        """Every third power of the first GPU is `second`."""
        script = self.folder / "nvidia-smi"
        script.write_text(SMI.format(first=first, second=second or first, rounds=rounds))
        script.chmod(0o755)
        self.environment["PATH"] = f"{self.folder}:{os.environ['PATH']}"

    def write_lines(self, source, lines, pause_s):
        """As a logger of another kind does: each line with its time, and a pause after it."""
        for line in lines:
            with source.open("a") as file:
                file.write(f"{time.time():.3f},{line}\n")
            time.sleep(pause_s)

    def kjoule(self, *arguments, timeout=600):
        return subprocess.run([KJOULE, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                              check=False, env=self.environment)

    def succeed(self, *arguments):
        done = self.kjoule(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fail_with(self, text, *arguments):
        """Non-zero, and the error is one line that contains `text` and a remedy."""
        done = self.kjoule(*arguments)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        told = errors_in(done.stderr)
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn(text, told[0])
        self.assertIn(";", told[0], "no remedy")
        return done

    def start(self, *arguments):
        process = subprocess.Popen([KJOULE, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=self.environment)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def wait_for_log(self):
        deadline = time.monotonic() + 60
        while not self.log.exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def rows(self):
        text = self.log.read_text()
        self.assertTrue(text.endswith("\n"), text[-100:])
        return list(csv.DictReader(io.StringIO(text)))


class Devices(PowerCase):
    def test_says_what_is_there_and_why_the_rest_is_missing(self):
        self.with_nvml(GPUS=2)
        found = [json.loads(line) for line in self.succeed("power", "devices", "--json").splitlines()]
        gpus = [one for one in found if one["source"] == "nvml"]
        self.assertEqual([one["meter"] for one in gpus], ["gpu 0", "gpu 1"])
        self.assertEqual(gpus[0]["unit"], "W")
        self.assertGreater(gpus[0]["averaging_s"], 0)
        self.assertEqual({one["unit"] for one in found if one["source"] == "nvml-counter"}, {"J"})
        for one in found:
            self.assertEqual(one["status"] == "ok", not one["lack"], one)
            self.assertEqual(one["status"] == "ok", not one["remedy"], one)
        rows = list(csv.DictReader(io.StringIO(self.succeed("power", "devices", "--csv"))))
        self.assertEqual(len(rows), len(found))
        self.assertEqual([row["lack"] for row in rows], [one["lack"] for one in found])
        self.assertIn("Fake GPU", self.succeed("power", "devices"))

    def test_a_board_without_power_says_so(self):
        self.with_nvml(LACKS="samples,instant,average,energy")
        text = self.succeed("power", "devices")
        self.assertIn("does not report its power (N/A)", text)
        self.assertIn("no energy counter", text)
        self.fail_with("does not report its power", "power", "log", "--source", "nvml", "-o", self.log)
        self.assertFalse(self.log.exists())

    def test_the_doctor_agrees(self):
        self.with_nvml(LACKS="samples,instant,average")
        findings = [json.loads(line) for line in self.kjoule("doctor", "--json").stdout.splitlines()]
        nvml = next(one for one in findings if one["item"].startswith("NVML"))
        self.assertEqual(nvml["status"], "limited")
        self.assertIn("N/A", nvml["detail"])


class Help(PowerCase):
    def test_every_part_has_an_example(self):
        for part in ["devices", "log", "idle"]:
            text = self.succeed("power", part, "--help")
            self.assertIn(f"example: kjoule power {part}", text)
        self.fail_with("power devcies: no such command", "power", "devcies")
        self.fail_with("subcommand", "power")


class Log(PowerCase):
    def test_gpu_lines_come_at_25_hz(self):
        self.with_nvml(GPUS=2, WATTS=150)
        self.succeed("power", "log", "--source", "nvml", "-o", self.log, "--duration", 2)
        rows = self.rows()
        self.assertEqual(list(rows[0]), ["timestamp", "gpu", "power_w"])
        for gpu, watts in [("0", 150), ("1", 160)]:
            own = [row for row in rows if row["gpu"] == gpu]
            self.assertGreater(len(own), 38)
            self.assertLess(len(own), 56)
            self.assertEqual({float(row["power_w"]) for row in own}, {watts})
            times = [datetime.datetime.strptime(row["timestamp"], "%Y-%m-%d %H:%M:%S.%f") for row in own]
            self.assertEqual(times, sorted(times))
            self.assertLess(abs((datetime.datetime.now() - times[-1]).total_seconds()), 10)

    def test_another_interval(self):
        self.with_nvml()
        self.succeed("power", "log", "--source", "nvml", "-o", self.log, "--duration", 2, "--interval", 0.25)
        self.assertIn(len(self.rows()), range(6, 10))

    def test_one_gpu_by_index_or_uuid(self):
        self.with_nvml(GPUS=2)
        for gpu in ["1", "GPU-fake-1"]:
            self.succeed("power", "log", "--gpu", gpu, "-o", self.log, "--duration", 0.3)
            self.assertEqual({row["gpu"] for row in self.rows()}, {"1"})
            self.log.unlink()
        self.fail_with("no GPU 7", "power", "log", "--source", "nvml", "--gpu", "7", "-o", self.log)

    def test_the_energy_counter_gives_power(self):
        self.with_nvml(WATTS=120)
        self.succeed("power", "log", "--source", "nvml-counter", "-o", self.log, "--duration", 3.5)
        rows = self.rows()
        self.assertGreaterEqual(len(rows), 2)
        for row in rows:
            self.assertAlmostEqual(float(row["power_w"]), 120, delta=12)

    def test_signals_end_the_file_whole(self):
        self.with_nvml()
        for ending in [signal.SIGINT, signal.SIGTERM]:
            process = self.start("power", "log", "--source", "nvml", "-o", self.log)
            deadline = time.monotonic() + 60
            while not (self.log.exists() and self.log.read_text().count("\n") > 5):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            process.send_signal(ending)
            _, told = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, told)
            self.assertIn(f"{len(self.rows())} lines", told)
            self.log.unlink()

    def test_nvidia_smi_in_any_order_of_columns(self):
        self.with_smi()
        self.succeed("power", "log", "--source", "nvidia-smi", "-o", self.log, "--duration", 1.5)
        rows = self.rows()
        self.assertEqual({float(row["power_w"]) for row in rows if row["gpu"] == "0"}, {100.25})
        self.assertEqual({float(row["power_w"]) for row in rows if row["gpu"] == "1"}, {200.5})
        self.assertGreater(len(rows), 20)

    def test_nvidia_smi_that_dies_leaves_what_it_said(self):
        self.with_smi(rounds=10)
        done = self.fail_with("nvidia-smi ended (exit code 15): GPU is lost", "power", "log", "--source", "nvidia-smi",
                              "-o", self.log, "--duration", 20)
        self.assertNotIn("Traceback", done.stderr)
        self.assertGreater(len(self.rows()), 8)

    def test_nvidia_smi_without_power(self):
        self.with_smi(first="[N/A]")
        self.fail_with("[N/A]", "power", "log", "--source", "nvidia-smi", "--gpu", "0", "-o", self.log)

    def test_a_file_that_another_program_writes(self):
        source = self.folder / "other.csv"
        source.write_text("time,cpu_w,gpu_w\n")
        process = self.start("power", "log", "--source", f"csv:{source}", "-o", self.log, "--duration", 2)
        self.wait_for_log()
        self.write_lines(source, (f"{10 + watts},N/A" for watts in range(5)), 0.1)
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, told)
        self.assertIn("kjoule: gpu: no reading at all in 2.0 s; ", told)
        self.assertEqual([(row["cpu_w"], row["gpu_w"]) for row in self.rows()],
                         [(f"{10 + watts}.000", "") for watts in range(5)])

    def test_what_cannot_be_is_one_line(self):
        self.fail_with("NVML (libkjoule-none.so), was not found", "power", "log", "--source", "nvml", "-o", self.log)
        self.fail_with("abacus: no such power source", "power", "log", "--source", "abacus", "-o", self.log)
        self.fail_with("no such port", "power", "log", "--port", self.folder / "none", "-o", self.log)
        self.fail_with("not a serial port", "power", "log", "--port", "/dev/null", "-o", self.log)
        self.fail_with("no such file", "power", "log", "--source", f"csv:{self.folder}/none", "-o", self.log)
        self.fail_with("--interval: -1 is not a number of seconds from 1e-06 to 1e+08", "power", "log", "--interval", "-1", "-o", self.log)
        self.with_nvml(START=9)
        self.fail_with("driver is not loaded", "power", "log", "--source", "nvml", "-o", self.log)
        self.assertFalse(self.log.exists())

    def test_a_log_is_never_overwritten(self):
        self.with_nvml()
        self.log.write_text("precious\n")
        self.fail_with("exists already", "power", "log", "-o", self.log, "--duration", 0.1)
        self.assertEqual(self.log.read_text(), "precious\n")

    def test_a_full_disk(self):
        self.with_nvml()
        self.fail_with("no space left", "power", "log", "-o", "/dev/full", "--duration", 1)

    def test_a_window_that_is_too_short_is_flagged(self):
        self.with_nvml(LACKS="samples,instant")
        done = self.kjoule("power", "log", "-o", self.log, "--duration", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("too short for gpu 0, which averages over 1 s", done.stderr)

    def test_a_terminal_sees_it_go_on(self):
        self.with_nvml()
        reader, terminal = pty.openpty()
        self.addCleanup(os.close, reader)
        process = subprocess.Popen([KJOULE, "power", "log", "-o", self.log, "--duration", "1.5"], stderr=terminal,
                                   env=self.environment)
        os.close(terminal)
        seen = b""
        with contextlib.suppress(OSError):
            while part := os.read(reader, 1024):
                seen += part
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertIn(b"100.0 W", seen)
        self.assertIn(b"\r", seen)


class WattsUp(PowerCase):
    def test_every_good_sample_is_logged_once(self):
        meters = [FakeMeter(self.folder / f"ttyUSB{m}") for m in range(2)]
        process = self.start("power", "log", "--port", f"{meters[0].port},{meters[1].port}", "-o", self.log)
        for meter in meters:
            meter.wait_until_asked()
        sent, moments = [[], []], {}

        def good(meter, watts):
            moments[watts] = datetime.datetime.now()
            meters[meter].say(record(watts))
            sent[meter].append(watts)

        def sent_times(rows):
            for row in rows:
                of_row = [moments[float(row[column])] for column in ("pm1", "pm2") if row[column]]
                yield min(of_row) + (max(of_row) - min(of_row)) / 2

        began = time.monotonic()
        for second in range(9):
            time.sleep(max(0, began + second - time.monotonic()))
            if second < 3 or second > 5:
                good(0, 100 + second)
            good(1, 200.5 + second)
            if second == 1:
                meters[0].say(record(101))                  # once more
                meters[1].say(b"#d,-,18,9,9\xff\x00;;garbage")  # and nonsense
            if second == 2:
                meters[1].say(record(999)[:20])             # torn
                meters[0].say(record(999)[:25])
                time.sleep(0.2)
                meters[0].unplug()
            if second == 4:
                meters[0].plug_in()
                meters[0].wait_until_asked()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, told)
        self.assertRegex(told, r"kjoule: pm1: no reading for 4\.\d s of 8\.\d s; ")
        self.assertIn("is gone; waiting", told)
        self.assertIn("is back", told)
        rows = self.rows()
        self.assertEqual(list(rows[0]), ["time", "id", "pm1", "pm2", "sum"])
        self.assertEqual([float(row["pm1"]) for row in rows if row["pm1"]], sent[0])
        self.assertEqual([float(row["pm2"]) for row in rows if row["pm2"]], sent[1])
        self.assertEqual([int(row["id"]) for row in rows], list(range(len(rows))))
        times = []
        for row in rows:
            times.append(datetime.datetime.strptime(row["time"], "%Y-%m-%d %H:%M:%S.%f"))
            if row["pm1"] and row["pm2"]:
                self.assertAlmostEqual(float(row["sum"]), float(row["pm1"]) + float(row["pm2"]), places=6)
            else:
                self.assertEqual(row["sum"], "")
        self.assertGreaterEqual(sum(1 for row in rows if not row["pm1"]), 3, "the gap is empty, not 0")
        self.assertEqual(times, sorted(times))
        # A line has the time at which its readings arrived, not that of its second.
        late = [(time - sent_at).total_seconds() for time, sent_at in zip(times, sent_times(rows))]
        self.assertGreater(min(late), -0.01)
        self.assertLess(sorted(late)[len(late) // 2], 0.5)

    def test_what_says_nothing_is_no_meter(self):
        meter = FakeMeter(self.folder / "ttyUSB0")
        self.fail_with("no reading came within 5 s", "power", "log", "--port", meter.port, "-o", self.log)


class Idle(PowerCase):
    def test_says_mean_interval_clocks_and_how(self):
        self.with_nvml(WATTS=80, RIPPLE=0.002)
        profile, = json.loads(self.succeed("power", "idle", "--duration", 1, "--json"))
        self.assertAlmostEqual(profile["mean_w"], 80, delta=0.001)
        self.assertEqual(profile["sm_clock_mhz"], 345)
        low, high = profile["interval_w"]
        self.assertLessEqual(low, 80.002)
        self.assertGreaterEqual(high, 79.998)
        self.assertIn("power of nvml", profile["how"])
        self.assertEqual(profile["doubts"], [])
        text = self.succeed("power", "idle", "--duration", 0.5)
        self.assertIn("80.00 W idle", text)
        row, = csv.DictReader(io.StringIO(self.succeed("power", "idle", "--duration", 0.5, "--csv")))
        self.assertAlmostEqual(float(row["mean_w"]), 80, delta=0.001)

    def test_from_python(self):
        """As the guide to benchmarks of layers calls it: a function of the package returns the watts."""
        self.with_nvml(WATTS=80, RIPPLE=0.002)
        environment = {**self.environment, "KJOULE": str(KJOULE), "PYTHONPATH": str(ROOT / "python")}
        environment.pop("CUDA_VISIBLE_DEVICES", None)
        done = subprocess.run([sys.executable, "-c", "import kjoule; print(kjoule.profile_device_idle_power(device_index=0, duration=1))"],
                              env=environment, capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(float(done.stdout), 80, delta=0.001)

    def test_too_short_is_said(self):
        self.with_nvml(LACKS="samples,instant")
        profile, = json.loads(self.succeed("power", "idle", "--duration", 1, "--json"))
        self.assertIn("too short", profile["doubts"][0])
        self.assertIsNone(profile["interval_w"])
        done = self.kjoule("power", "idle", "--duration", 1, "--csv")
        self.assertIn(f"warning: gpu 0: {profile['doubts'][0]}\n", done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 2)

    def test_without_any_source(self):
        self.environment["PATH"] = str(self.folder)
        if not any(pathlib.Path("/sys/class/powercap").glob("intel-rapl:*")):
            self.fail_with("no power source", "power", "idle", "--duration", 0.1)


if __name__ == "__main__":
    unittest.main()
