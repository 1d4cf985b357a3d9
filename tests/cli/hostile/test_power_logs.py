"""Power logs and meters that once gave a wrong number with exit code 0.

Each case is either read correctly or refused: one line on standard error with cause and remedy, and a non-zero exit code.
"""
import dataclasses
import datetime
import json
import os
import subprocess
import threading
import time

from ..messages import errors_in
from ..test_commands import KJOULE, InAFolder
from ..test_power import FakeMeter, PowerCase, record

START = datetime.datetime(2026, 2, 4, 10, 15, 0)
AUTUMN = {"TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}
JOULES = 30000  # 300 W for 100 s


def watts(s):
    """300 W on average between 60 s and 160 s, with a ripple, since no real load stands still; 100 W before and after."""
    return 100 + 200 * max(0, min(1, (s - 57) / 2, (163 - s) / 2)) + (0, 1.5, 0, -1.5)[int(s) % 4]


def stamp(s, start=START, separator="-"):
    at = start + datetime.timedelta(milliseconds=round(1000 * s))
    return at.strftime(f"%Y{separator}%m{separator}%d %H:%M:%S.") + f"{at.microsecond // 1000:03}"


def table(header, line, seconds=range(241)):
    """A log with `line(s)` for each second."""
    return header + "\n" + "".join(line(s) + "\n" for s in seconds)


def gpu(header="timestamp,gpu,power_w", cell=lambda w: f"{w:.2f}", seconds=range(241), separator=","):
    return table(header, lambda s: separator.join([stamp(s), "0", cell(watts(s))]), seconds)


def smi(header="timestamp, index, power.draw [W]", cell=lambda w: f"{w:.2f} W", seconds=range(241)):
    return table(header, lambda s: f"{stamp(s, separator='/')}, 0, {cell(watts(s))}", seconds)


def pair(name, cell=lambda w: f"{w:.2f}", separator=",", time_name="time"):
    """A log with two columns; the second has this name."""
    return table(f"{time_name}{separator}{name}", lambda s: stamp(s) + separator + cell(watts(s)))


def wattsup(cell=lambda s, w: f"{w:.1f}", seconds=range(241)):
    return table("time,id,pm1,pm2,sum", lambda s: f"{stamp(s)[:19]},{s},{cell(s, watts(s))},,{cell(s, watts(s))}", seconds)


def unindexed(devices, apart_s, header="timestamp, power.draw [W]", hz=5, whole_seconds=False):
    """nvidia-smi's lines of several GPUs, without the column that names them."""
    lines = [header]
    for i in range(240 * hz + 1):
        for device in range(devices):
            at = stamp(i / hz + device * apart_s, separator="/")
            lines.append(f"{at[:19] if whole_seconds else at}, {watts(i / hz) + 30 * device:.2f} W")
    return "\n".join(lines) + "\n"


def milliwatts(w):
    return f"{1000 * w:.0f}"


def comma(digits):
    return lambda w: f"{w:.{digits}f}".replace(".", ",")


FULL = {"full_model_inference_us": 1e5, "num_runs": 1000, "start_timestamp": stamp(60), "end_timestamp": stamp(160)}


@dataclasses.dataclass(frozen=True)
class Case:
    """A log, and either the joules that are right or a part of the line that refuses it."""
    name: str
    log: str | bytes
    joules: float | None = None
    refused: str | None = None
    options: tuple = ()
    timing: dict = dataclasses.field(default_factory=lambda: FULL)
    zone: dict = dataclasses.field(default_factory=dict)


def named(column, cell=lambda w: f"{w:.2f}"):
    """A log whose column of power the user names."""
    return {"log": pair(column, cell), "options": ("--power-column", column)}


FIRST, REST = range(120), range(120, 241)

HEADERS = [
    Case("a second header in mW", gpu(seconds=FIRST) + gpu("timestamp,gpu,power_mw", milliwatts, REST), refused="another header"),
    Case("a second header in kW", gpu(seconds=FIRST) + gpu("timestamp,gpu,power_kw", lambda w: f"{w / 1000:.5f}", REST), refused="another header"),
    Case("a second header of nvidia-smi in mW", smi(seconds=FIRST) + smi("timestamp, index, power.draw [mW]", milliwatts, REST), refused="another header"),
    Case("a second header in another order", gpu(seconds=FIRST) + table("gpu,power_w,timestamp", lambda s: f"0,{watts(s):.2f},{stamp(s)}", REST),
         refused="another header"),
    Case("a second header with another separator", gpu(seconds=FIRST) + gpu("timestamp;gpu;power_mw", milliwatts, REST, ";"), refused="another header"),
    Case("a second header with unknown names", gpu(seconds=FIRST) + gpu("Zeit,Karte,Leistung [mW]", milliwatts, REST), refused="another header"),
    Case("a second header of named columns", pair("PSU [W]") + pair("PSU [mW]", milliwatts), refused="another header", options=("--power-column", "PSU [W]")),
    Case("a second header of another format", gpu(seconds=FIRST) + wattsup(seconds=REST), refused="another header"),
    Case("the same header again", gpu(seconds=FIRST) + gpu(seconds=REST), JOULES),
    Case("the same header again, with blanks", gpu(seconds=FIRST) + gpu("timestamp, gpu, power_w ", seconds=REST), JOULES),
    Case("the same header again, after a byte-order mark", gpu(seconds=FIRST) + "\ufeff" + gpu(seconds=REST), JOULES),
    Case("two columns of one name", table("timestamp,power_w,power_w", lambda s: f"{stamp(s)},{watts(s):.2f},1"), refused="two columns"),
]

UNITS = [
    Case("power_mw", gpu("timestamp,gpu,power_mw", milliwatts), JOULES),
    Case("power_kw", gpu("timestamp,gpu,power_kw", lambda w: f"{w / 1000:.5f}"), JOULES),
    Case("power_mw with 300 W", gpu("timestamp,gpu,power_mw", lambda w: f"{w:.2f} W"), refused="power_mw"),
    Case("power_w with 300000 mW", gpu(cell=lambda w: f"{1000 * w:.0f} mW"), refused="power_w"),
    Case("power_kw with 300 W", gpu("timestamp,gpu,power_kw", lambda w: f"{w:.2f} W"), refused="power_kw"),
    Case("power.draw [W] with mW", smi(cell=lambda w: f"{1000 * w:.0f} mW"), refused="power.draw"),
    Case("power.draw [mW] with W", smi("timestamp, index, power.draw [mW]"), refused="power.draw"),
    Case("one cell that contradicts", gpu(cell=lambda w: f"{1000 * w:.0f} mW" if w > 301 else f"{w:.2f} W"), refused="power_w"),
    Case("cells with W", pair("power", lambda w: f"{w:.2f} W"), JOULES),
    Case("cells with mW", pair("power", lambda w: f"{1000 * w:.0f} mW"), JOULES),
    Case("cells with kW", pair("power", lambda w: f"{w / 1000:.5f} kW"), JOULES),
    Case("cells with each its own unit", pair("power", lambda w: f"{1000 * w:.0f} mW" if w < 200 else f"{w:.2f} W"), JOULES),
    Case("mW in some cells, no unit in others", pair("power", lambda w: f"{1000 * w:.0f}" + (" mW" if w > 301 else "")), refused="unit"),
    Case("cells in uW", pair("power", lambda w: f"{1e6 * w:.0f} uW"), JOULES),
    Case("cells in MW", pair("power", lambda w: f"{w:.2f} MW"), refused="MW"),
    Case("cells in VA", pair("power", lambda w: f"{w:.2f} VA"), refused="VA"),
    Case("cells in J", gpu(cell=lambda w: f"{w:.2f} J"), refused="J"),
    Case("Leistung mW", joules=JOULES, **named("Leistung mW", milliwatts)),
    Case("Leistung/mW", joules=JOULES, **named("Leistung/mW", milliwatts)),
    Case("P in kW", joules=JOULES, **named("P in kW", lambda w: f"{w / 1000:.5f}")),
    Case("Power (Milliwatts)", joules=JOULES, **named("Power (Milliwatts)", milliwatts)),
    Case("Leistung", joules=JOULES, **named("Leistung")),
    Case("PSU 1 [W]", joules=JOULES, **named("PSU 1 [W]")),
    Case("raw draw", joules=JOULES, **named("raw draw")),
    Case("P [uW]", joules=JOULES, **named("P [uW]", lambda w: f"{1e6 * w:.0f}")),
    Case("P [\u00b5W]", joules=JOULES, **named("P [\u00b5W]", lambda w: f"{1e6 * w:.0f}")),
    Case("P uW", joules=JOULES, **named("P uW", lambda w: f"{1e6 * w:.0f}")),
    Case("P [MW]", refused="MW", **named("P [MW]", lambda w: f"{w / 1e6:.9f}")),
    Case("POWER_MW", refused="MW", **named("POWER_MW", milliwatts)),
    Case("Power (microwatts)", joules=JOULES, **named("Power (microwatts)", lambda w: f"{1e6 * w:.0f}")),
    Case("power_va", refused="va", **named("power_va")),
    Case("Energie [J]", refused="[J]", **named("Energie [J]")),
    Case("P [dBm]", refused="dBm", **named("P [dBm]")),
    Case("Strom mA", refused="mA", **named("Strom mA")),
    Case("Power (W) [mW]", refused="units", **named("Power (W) [mW]", milliwatts)),
    Case("pm1 [mW] by number", joules=JOULES, log=pair("Leistung mW", milliwatts), options=("--time-column", "1", "--power-column", "2")),
]

IMPLAUSIBLE = [
    Case("a GPU of 300 kW", gpu(cell=milliwatts), refused="which no GPU consumes"),
    Case("a GPU of megawatts", gpu(cell=lambda w: f"{1e4 * w:.0f}"), refused="which no GPU consumes"),
    Case("a column of mW without its unit", pair("power", milliwatts), refused="which no machine consumes"),
    Case("a column of kW without its unit", pair("power", lambda w: f"{w / 1000:.5f}"), refused="below 1 W"),
    Case("a WattsUp of 300 kW", wattsup(lambda s, w: milliwatts(w)), refused="which no machine consumes"),
    Case("one reading of 4 GW", gpu(cell=lambda w: "4294967295" if w > 301 else f"{w:.2f}"), refused="which no GPU consumes"),
    Case("one reading of 1e300 W", smi(cell=lambda w: "1e300 W" if w > 301 else f"{w:.2f} W"), refused="which no GPU consumes"),
]

CELLS = [
    Case("decimal commas between semicolons", gpu(cell=comma(2), separator=";", header="timestamp;gpu;power_w"), JOULES),
    Case("decimal commas between tabs", gpu(cell=comma(1), separator="\t", header="timestamp\tgpu\tpower_w"), JOULES),
    Case("decimal commas in quotes", gpu(cell=lambda w: f'"{comma(2)(w)}"'), JOULES),
    Case("decimal commas and W", pair("power", lambda w: comma(2)(w) + " W", ";"), JOULES),
    Case("decimal commas between commas", gpu(cell=comma(2)), refused="more cells than"),
    Case("decimal commas in some lines", gpu(cell=lambda w: f"{w:.1f}".replace(".0", "").replace(".", ",")), refused="more cells than"),
    Case("three digits after a comma", gpu(cell=comma(3), separator=";", header="timestamp;gpu;power_w"), refused="thousands"),
    Case("commas between thousands", gpu(cell=lambda w: f"{10 * w:,.0f}", separator=";", header="timestamp;gpu;power_w"), refused="thousands"),
    Case("commas between thousands, and points", pair("power", lambda w: f"{10 * w:,.1f}", ";"), refused="thousands"),
    Case("points between thousands, and commas", pair("power", lambda w: f"{10 * w:,.1f}".translate(str.maketrans(",.", ".,")), ";"), refused="thousands"),
    Case("milliseconds after a comma", table("timestamp,gpu,power_w", lambda s: f"{stamp(s).replace('.', ',')},0,{watts(s):.2f}"), refused="more cells than"),
    Case("milliseconds after a comma, two columns", table("timestamp,power_w", lambda s: f"{stamp(s).replace('.', ',')},{watts(s):.2f}"),
         refused="more cells than"),
    Case("an empty cell at each end", gpu(cell=lambda w: f"{w:.2f},"), JOULES),
    Case("a surplus cell", gpu(cell=lambda w: f"{w:.2f},ok"), refused="more cells than"),
    Case("a surplus cell in front", table("timestamp,power_w", lambda s: f"{stamp(s)},0,{watts(s):.2f}"), refused="more cells than"),
    Case("0 W now and then", gpu(cell=lambda w: "0.00" if w == 300 else f"{w:.2f}"), JOULES),
    Case("a WattsUp with 0 W now and then", wattsup(lambda s, w: "0.0" if s % 5 == 0 else f"{w:.1f}"), JOULES),
    Case("0 W of a rack now and then", pair("power", lambda w: "0" if w == 301.5 else f"{w:.2f}"), JOULES),
    Case("0 W mostly", wattsup(lambda s, w: f"{w:.1f}" if s % 5 == 0 else "0.0"), refused="0 W"),
    Case("0 W always", wattsup(lambda s, w: "0.0"), refused="0 W"),
    Case("powers below 0", gpu(cell=lambda w: f"{-w:.2f}"), refused="no reading"),
]

DEVICES = [
    Case("one GPU without an index", unindexed(1, 0), JOULES),
    Case("two GPUs without an index", unindexed(2, 0), refused="several"),
    Case("two GPUs without an index, 3 ms apart", unindexed(2, 0.003), refused="several"),
    Case("four GPUs without an index", unindexed(4, 0.002), refused="several"),
    Case("eight GPUs without an index, 4 ms apart", unindexed(8, 0.004), refused="several"),
    Case("two GPUs without an index, whole seconds", unindexed(2, 0, hz=1, whole_seconds=True), refused="several"),
    Case("two GPUs without an index, for 3 s", table("timestamp, power.draw [W]", lambda i: f"{stamp(i // 2, separator='/')}, {watts(i) + 30 * (i % 2):.2f} W",
                                                     range(118, 126)), refused="several", timing={**FULL, "start_timestamp": stamp(60), "end_timestamp": stamp(62)}),
    Case("two GPUs in power_w", unindexed(2, 0.001, "timestamp,power_w"), refused="several"),
    Case("two logs of one time", gpu() + gpu(cell=lambda w: f"{w + 100:.2f}"), refused="step back"),
    Case("two logs that overlap", gpu(seconds=range(150)) + gpu(cell=lambda w: f"{w + 100:.2f}", seconds=range(90, 241)), refused="step back"),
    Case("two logs, the later one first", gpu(seconds=REST) + gpu(seconds=FIRST), JOULES),
    Case("two lines exchanged", gpu(seconds=[*range(100), 101, 100, *range(102, 241)]), JOULES),
]

TIMES = [
    Case("a byte-order mark", "\ufeff" + gpu(), JOULES),
    Case("a byte-order mark of a WattsUp's log", "\ufeff" + wattsup(), JOULES),
    Case("a byte-order mark and quotes", "\ufeff" + gpu('"timestamp","gpu","power_w"'), JOULES),
    Case("UTF-16", gpu().encode("utf-16"), refused="UTF-16"),
    Case("UTF-16 without a mark", gpu().encode("utf-16-le"), refused="UTF-16"),
    Case("Zeit", pair("power_w", time_name="Zeit"), refused="--time-column"),
    Case("Zeit, named", pair("power_w", time_name="Zeit"), JOULES, options=("--time-column", "Zeit")),
    Case("Zeit, and the power named", pair("power_w", time_name="Zeit"), refused="--time-column", options=("--power-column", "power_w")),
    Case("seconds since the start", table("time,power_w", lambda s: f"{s},{watts(s):.2f}"), refused="1970"),
    Case("a date and a time of day", table("date,time,power_w", lambda s: f"{stamp(s)[:10]},{stamp(s)[11:]},{watts(s):.2f}"), refused="no reading"),
    Case("Unix time with a decimal comma", table("time;power_w", lambda s: f"{START.timestamp() + s:.1f};{watts(s):.1f}".replace(".", ",")), JOULES),
]


def in_autumn(lines):
    """A log from (time of day, watts) pairs on the day on which 02:00 to 03:00 occurs twice."""
    return "timestamp,gpu,power_w\n" + "".join(f"2026-10-25 {at},0,{power + i % 3 - 1}\n" for i, (at, power) in enumerate(lines))


def minutes(hour, first, last, power):
    return [(f"{hour:02}:{minute:02}:{second:02}", power) for minute in range(first, last) for second in range(0, 60, 2)]


def autumn_timing(begin, end):
    return {"num_runs": 10, "start_timestamp": f"2026-10-25 {begin}", "end_timestamp": f"2026-10-25 {end}"}


BOTH_HOURS = in_autumn(minutes(1, 50, 60, 100) + minutes(2, 0, 60, 200) + minutes(2, 0, 60, 400) + minutes(3, 0, 10, 100))
AUTUMN_CASES = [
    Case("a run in one of two equal hours", BOTH_HOURS, refused="occurred twice", timing=autumn_timing("02:20:00", "02:40:00"), zone=AUTUMN),
    Case("a run across the change", BOTH_HOURS, 300 * 1200, timing=autumn_timing("02:50:00", "02:10:00"), zone=AUTUMN),
    Case("a run of two hours across both", BOTH_HOURS, 200 * 3600 + 400 * 3600 + 100 * 600, timing=autumn_timing("01:55:00", "03:05:00"), zone=AUTUMN),
    Case("a log of the first hour only", in_autumn(minutes(1, 50, 60, 100) + minutes(2, 0, 50, 200)), 200 * 1200,
         timing=autumn_timing("02:20:00", "02:40:00"), zone=AUTUMN),
    Case("a log that begins in the second hour", in_autumn(minutes(2, 40, 60, 400) + minutes(3, 0, 20, 400)), refused="occur twice",
         timing=autumn_timing("02:50:00", "03:10:00"), zone=AUTUMN),
    Case("a log within one of two hours", in_autumn(minutes(2, 10, 50, 400)), refused="occur twice", timing=autumn_timing("02:20:00", "02:40:00"), zone=AUTUMN),
    Case("a log with a gap across the change", in_autumn(minutes(1, 30, 45, 100) + minutes(2, 20, 60, 400) + minutes(3, 0, 20, 400)), refused="occur twice",
         timing=autumn_timing("02:50:00", "03:10:00"), zone=AUTUMN),
    Case("a log whose gap hides that clocks were set back",
         in_autumn(minutes(1, 50, 60, 100) + minutes(2, 0, 10, 200) + minutes(2, 12, 60, 400) + minutes(3, 0, 10, 100)), refused="occur twice",
         timing=autumn_timing("01:55:00", "03:05:00"), zone=AUTUMN),
    Case("clocks set back in another zone than this one", BOTH_HOURS, refused="step back", timing=autumn_timing("02:50:00", "03:05:00"), zone={"TZ": "UTC"}),
]

METERS = [
    Case("a log that stands still", gpu(cell=lambda w: "300.00"), refused="300 W"),
    Case("a log that stands still in the run", gpu(cell=lambda w: "300.12" if w > 290 else f"{w:.2f}"), refused="300.12 W"),
    Case("a log that stands still from the middle of the run", table("timestamp,gpu,power_w", lambda s: f"{stamp(s)},0,{watts(min(s, 100)):.2f}"),
         refused="stood still for 60.000 s"),
    Case("one of two meters stands still", table("time,id,pm1,pm2,sum", lambda s: f"{stamp(s)[:19]},{s},{watts(s):.1f},50.0,{watts(s) + 50:.1f}"),
         refused="pm2: "),
    Case("a short run while the log stands still", gpu(cell=lambda w: "300.00"), refused="300 W",
         timing={"num_runs": 10, "start_timestamp": stamp(60), "end_timestamp": stamp(65)}),
    Case("a meter that is silent for most of the run", wattsup(seconds=[*range(80), *range(150, 241)]), refused="no reading in 71"),
    Case("a meter that ends in the run", wattsup(seconds=range(120)), refused="after the log's last reading"),
    Case("timestamps of 0.402 s for 20.034 s", gpu(), refused="0.402 s apart",
         timing={"full_model_inference_us": 20034, "num_runs": 1000, "start_timestamp": stamp(100), "end_timestamp": stamp(100.402)}),
]


class Energy(InAFolder):
    """`kjoule energy` on each log."""

    def setUp(self):
        super().setUp()
        self.results.mkdir()

    def energy(self, case):
        log = self.folder / "power.csv"
        log.write_bytes(case.log if isinstance(case.log, bytes) else case.log.encode())
        timing = self.results / "full_model_timing.json"
        timing.write_text(json.dumps(case.timing))
        report = self.results / "energy_report.json"
        report.unlink(missing_ok=True)
        command = [KJOULE, "energy", "--power-log", log, "--timing", timing, *case.options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **case.zone})
        return done, json.loads(report.read_text()) if report.exists() else None

    def check(self, case):
        done, report = self.energy(case)
        told = errors_in(done.stderr)
        if case.joules is not None:
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(told, [])
            self.assertAlmostEqual(report["energy_joules"]["total"] / case.joules, 1, delta=0.005)
            return
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn(case.refused, told[0])
        self.assertIn("; ", told[0], "no remedy")
        if report is not None:
            self.assertIsNone(report["energy_joules"]["total"])

    def check_all(self, cases):
        for case in cases:
            with self.subTest(case.name):
                self.check(case)

    def test_headers(self):
        self.check_all(HEADERS)

    def test_units(self):
        self.check_all(UNITS)

    def test_implausible_powers(self):
        self.check_all(IMPLAUSIBLE)

    def test_cells(self):
        self.check_all(CELLS)

    def test_devices(self):
        self.check_all(DEVICES)

    def test_times(self):
        self.check_all(TIMES)

    def test_the_change_of_clocks_in_autumn(self):
        self.check_all(AUTUMN_CASES)

    def test_meters_that_do_not_read(self):
        self.check_all(METERS)

    def test_a_silence_is_told_with_its_length(self):
        for name, seconds in [("of 11 s", [*range(100), *range(110, 241)]), ("of 40 s", [*range(80), *range(119, 241)])]:
            with self.subTest(name):
                done, report = self.energy(Case(name, wattsup(seconds=seconds)))
                self.assertEqual(done.returncode, 1, done.stderr)
                told, = errors_in(done.stderr)
                silent = f"{report['gaps'][0]['seconds']:.3f} s"
                self.assertIn(f"silent for {silent}", told)
                self.assertIn("; ", told)
                self.assertIn("gaps", report["flags"])
                self.assertEqual(report["silent_seconds"], report["gaps"][0]["seconds"])
                self.assertAlmostEqual(report["energy_joules"]["total"] / JOULES, 1, delta=0.005)
                self.assertIn(f"silent for {silent}", done.stdout)

    def test_idle_power_is_read_as_strictly(self):
        both = Case("both hours", BOTH_HOURS, timing=autumn_timing("02:50:00", "02:10:00"), zone=AUTUMN)
        for idle, log, text in [(f"{stamp(0)}..{stamp(50)}", wattsup(seconds=[*range(20), *range(40, 241)]), "silent for 21.000 s"),
                                (f"{stamp(0)}..{stamp(50)}", gpu(cell=lambda w: "100.00" if w < 110 else f"{w:.2f}"), "stood still"),
                                ("2026-10-25 02:10:00..2026-10-25 02:20:00", both.log, "occur twice")]:
            with self.subTest(text):
                timing, zone = (both.timing, AUTUMN) if log == both.log else (FULL, {})
                done, report = self.energy(Case("idle", log, options=("--idle", idle), timing=timing, zone=zone))
                self.assertIn(done.returncode, (1, 2))
                self.assertIsNone(report)
                told, = done.stderr.splitlines()
                self.assertIn(text, told)
                self.assertIn("; ", told)

    def test_a_lost_reading_is_no_silence(self):
        done, report = self.energy(Case("lost", table("timestamp,gpu,power_w", lambda i: f"{stamp(i / 10)},0,{watts(i / 10) + i % 2:.2f}",
                                                      [i for i in range(2401) if not 1000 < i < 1005])))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(report["flags"], ["gaps"])


class Kernels(InAFolder):
    """`kjoule energy` on timings of kernels that contradict their runs or the log."""

    def setUp(self):
        super().setUp()
        self.results.mkdir()
        self.log = self.folder / "gpu.csv"
        self.log.write_text(table("timestamp,gpu,power_w", lambda i: f"{stamp(i / 25)},0,{watts(i / 25) + 0.3 * (i % 2):.2f}", range(240 * 25)))

    def kernel(self, name, begin, length_s, each_us=1000, runs=None):
        return {"name": name, "tier": 1, "invocation_count": 10, "benchmark_runs": runs or round(length_s / each_us * 1e6), "single_time_us": each_us,
                "start_timestamp": stamp(begin), "end_timestamp": stamp(begin + length_s), "signature": name}

    def energy(self, *kernels):
        timing = self.results / "isolated_kernels_timing.json"
        timing.write_text(json.dumps({"kernels": kernels}))
        done = subprocess.run([KJOULE, "energy", "--power-log", self.log, "--timing", timing], capture_output=True, text=True, check=False)
        return done, json.loads((self.results / "gpu_energy_report.json").read_text())

    def assert_error_row(self, report, number, text):
        row = report["per_kernel"][number]
        self.assertFalse(row["measured"])
        self.assertIsNone(row["energy_joules_each"])
        self.assertIsNone(row["busy_share_percent"])
        self.assertIn(text, row["missing"])

    def test_timestamps_that_contradict_the_runs_are_an_error_row(self):
        done, report = self.energy(self.kernel("right", 62, 8), self.kernel("wrong", 80, 0.402, each_us=20034, runs=1000))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertFalse(report["comparison"]["complete"])
        self.assert_error_row(report, 1, "its timestamps are 0.402 s apart, but its runs took 20.034 s")
        told, = errors_in(done.stderr)
        self.assertIn("1 of 2 kernels have no energy (wrong: its timestamps are 0.402 s apart", told)

    def test_no_share_of_a_window_is_above_all_of_it(self):
        for length_s, each_us, runs in [(8, 1000, 8000), (8, 1008, 8000), (8, 1500, 8000), (0.402, 20034, 1000), (0.5, 5010, 100), (1, 49830, 1000)]:
            with self.subTest(f"{runs} runs of {each_us} us in {length_s} s"):
                _, report = self.energy(self.kernel("kernel", 62, length_s, each_us, runs))
                row, = report["per_kernel"]
                self.assertEqual(report["comparison"]["complete"], row["measured"])
                self.assertEqual(row["measured"], each_us * runs <= 1.01e6 * length_s)
                self.assertLessEqual(row["busy_share_percent"] or 0, 100)

    def test_a_window_below_a_millisecond_is_no_contradiction(self):
        done, report = self.energy(self.kernel("right", 62, 8), self.kernel("short", 80, 0, 10, 10))
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("0.000 s", done.stderr)
        self.assert_error_row(report, 1, "the window has no length")

    def test_a_whole_that_mostly_waited_is_warned_of(self):
        timing = self.results / "full_model_timing.json"
        timing.write_text(json.dumps({**FULL, "full_model_inference_us": 1e4}))
        done = subprocess.run([KJOULE, "energy", "--power-log", self.log, "--timing", timing], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: the whole ran in only 10 % of its window", done.stderr)

    def test_a_log_that_stands_still_measures_no_kernel(self):
        self.log.write_text(table("timestamp,gpu,power_w", lambda i: f"{stamp(i / 25)},0,250.00", range(240 * 25)))
        done, report = self.energy(self.kernel("one", 62, 8))
        self.assertEqual(done.returncode, 1)
        self.assertFalse(report["comparison"]["complete"])
        self.assertIn("stood still", report["per_kernel"][0]["missing"])

    def test_silence_in_a_kernel_is_told_with_its_length(self):
        self.log.write_text(table("timestamp,gpu,power_w", lambda i: f"{stamp(i / 25)},0,{watts(i / 25) + 0.3 * (i % 2):.2f}",
                                  [i for i in range(240 * 25) if not 64 * 25 < i < 67 * 25]))
        done, report = self.energy(self.kernel("one", 62, 8), self.kernel("two", 80, 8))
        self.assertEqual(done.returncode, 1)
        told, = errors_in(done.stderr)
        self.assertIn("silent for 3.000 s", told)
        self.assertIn("one", told)
        self.assertEqual([row["flags"] for row in report["per_kernel"]], [["gaps"], []])
        self.assertEqual([row["silent_seconds"] for row in report["per_kernel"]], [3, 0])


@dataclasses.dataclass(frozen=True)
class LiveCase:
    """A file that grows while it is logged, and either the power that is right or a part of the line that refuses it."""
    name: str
    header: str
    line: str  # with {time}, {unix}, and {n}, which grows by 1 in each line
    watts: float | None = None
    refused: str | None = None
    options: tuple = ()
    later: str = ""  # a line after the fifth
    zone: dict = dataclasses.field(default_factory=dict)


LIVE = [
    LiveCase("power_w", "timestamp,power_w", "{time},300.{n}", 300.5),
    LiveCase("power_kw", "timestamp,power_kw", "{time},0.300{n}", 300.5),
    LiveCase("power_mw of a GPU", "timestamp,gpu,power_mw", "{time},0,300{n}00", 300.5),
    LiveCase("Leistung mW", "timestamp,Leistung mW", "{time},300{n}00", 300.5, options=("--column", "Leistung mW")),
    LiveCase("power.draw [kW]", "timestamp, index, power.draw [kW]", "{time}, 0, 0.300{n} kW", 300.5),
    LiveCase("P [uW]", "timestamp,P [uW]", "{time},300{n}00000", 300.5, options=("--column", "P [uW]")),
    LiveCase("POWER_MW", "timestamp,POWER_MW", "{time},300{n}00", refused="MW"),
    LiveCase("power_mw with 300 W", "timestamp,power_mw", "{time},300.{n} W", refused="power_mw"),
    LiveCase("cells in VA", "timestamp,power", "{time},300.{n} VA", refused="VA"),
    LiveCase("a GPU of 300 kW", "timestamp,gpu,power_w", "{time},0,300{n}00", refused="which no GPU consumes"),
    LiveCase("a second header", "timestamp,gpu,power_w", "{time},0,300.{n}", refused="another header", later="timestamp,gpu,power_mw"),
    LiveCase("the same header again", "timestamp,gpu,power_w", "{time},0,300.{n}", 300.5, later="timestamp,gpu,power_w"),
    LiveCase("a byte-order mark", "\ufefftimestamp,gpu,power_w", "{time},0,300.{n}", 300.5),
    LiveCase("decimal commas between semicolons", "timestamp;gpu;power_w", "{time};0;300,{n}", 300.5),
    LiveCase("decimal commas between commas", "timestamp,gpu,power_w", "{time},0,300,{n}", refused="more cells than"),
    LiveCase("Zeit", "Zeit,power_w", "{time},300.{n}", refused="--time-column"),
    LiveCase("Zeit, named", "Zeit,power_w", "{time},300.{n}", 300.5, options=("--time-column", "Zeit")),
    LiveCase("0 W between others", "timestamp,power_w", "{time},300.{n}", 300.5, later="{time},0.0"),
    LiveCase("in an hour that occurs twice", "timestamp,power_w", "{time},300.{n}", 300.5, zone={"TZ": ""}),
    LiveCase("two GPUs without an index", "timestamp, power.draw [W]", "{time}, 300.{n} W\n{time}, 200.{n} W", refused="several"),
    LiveCase("two columns of one name", "timestamp,power_w,power_w", "{time},300.{n},1", refused="two columns"),
]


def twice_now():
    """A zone in which the present hour is the second of two equal ones: clocks were set back half an hour ago."""
    changed = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=30)
    day = changed.timetuple().tm_yday  # 1 to 366; the rule counts days from 0
    begins = (day + 180) % 365
    local = changed + datetime.timedelta(hours=1)  # the time that clocks showed when they were set back
    day = local.timetuple().tm_yday - 1
    return {"TZ": f"AAA0BBB,{begins}/0,{day}/{local.hour}:{local.minute:02}:{local.second:02}"}


class Live(PowerCase):
    """`kjoule power log` of files that grow, and of meters that fall silent."""

    def follow(self, case):
        source = self.folder / f"{len(list(self.folder.iterdir()))}.csv"
        log = source.with_suffix(".log")
        zone = {name: value or twice_now()["TZ"] for name, value in case.zone.items()}
        source.write_text(case.header + "\n")
        source.open("a").write(self.filled(case.line, 0, zone) + "\n")
        stop = threading.Event()
        writer = threading.Thread(target=self.write, args=(source, case, zone, stop))
        writer.start()
        try:
            done = subprocess.run([KJOULE, "power", "log", "--source", f"csv:{source}", "-o", log, "--duration", "1", *case.options],
                                  capture_output=True, text=True, check=False, timeout=60, env={**self.environment, **zone})
        finally:
            stop.set()
            writer.join()
        return done, log

    @staticmethod
    def filled(line, n, zone):
        now = datetime.datetime.now(datetime.timezone.utc)
        local = now if zone else datetime.datetime.now()  # in twice_now()'s zone it is UTC again
        return line.format(time=local.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3], unix=now.timestamp(), n=n)

    def write(self, source, case, zone, stop):
        for i in range(10_000):
            with source.open("a") as file:
                file.write(self.filled(case.later if i == 5 and case.later else case.line, 4 + 2 * (i % 2) if i % 3 else 5, zone) + "\n")
            if stop.wait(0.03):
                return

    def test_files_that_grow(self):
        for case in LIVE:
            with self.subTest(case.name):
                done, log = self.follow(case)
                told = errors_in(done.stderr)
                if case.watts is not None:
                    self.assertEqual((done.returncode, told), (0, []), done.stderr)
                    powers = [float(line.split(",")[-1]) for line in log.read_text().splitlines()[1:]]
                    self.assertGreater(len(powers), 5)
                    self.assertLess(max(abs(power - case.watts) for power in powers), 0.2, powers)
                    continue
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual(len(told), 1, done.stderr)
                self.assertIn(case.refused, told[0])
                self.assertIn("; ", told[0])

    def wattsup_log(self, seconds):
        """A meter that has been asked for readings, and the process that logs it."""
        meter = FakeMeter(self.folder / "ttyUSB0")
        process = self.start("power", "log", "--port", meter.port, "-o", self.log, "--duration", str(seconds))
        meter.wait_until_asked()
        return meter, process

    def test_a_wattsup_that_is_unplugged_ends_with_an_error(self):
        meter, process = self.wattsup_log(7)
        for second in range(2):
            meter.say(record(100 + second))
            time.sleep(1)
        meter.unplug()
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, told)
        self.assertRegex(told, r"kjoule: pm1: no reading for [5-7]\.\d s of 7\.\d s; ")
        self.assertEqual([float(row["pm1"]) for row in self.rows()], [100, 101])

    def test_a_wattsup_that_falls_silent_and_comes_back_ends_with_an_error(self):
        meter, process = self.wattsup_log(7)
        meter.say(record(100))
        time.sleep(5)
        meter.say(record(103))
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, told)
        self.assertRegex(told, r"kjoule: pm1: no reading for [45]\.\d s of 7\.\d s; ")

    def test_a_file_that_nobody_writes_any_more_ends_with_an_error(self):
        source = self.folder / "source.csv"
        source.write_text("timestamp,power_w\n")
        process = self.start("power", "log", "--source", f"csv:{source}", "-o", self.log, "--duration", "5")
        self.wait_for_log()
        self.write_lines(source, (f"30{n}" for n in range(5)), 0.05)
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, told)
        self.assertRegex(told, r"kjoule: power: no reading for [34]\.\d s of 5\.\d s; ")

    def test_a_meter_without_any_reading_ends_with_an_error(self):
        source = self.folder / "source.csv"
        source.write_text("timestamp,cpu_w,gpu_w\n")
        process = self.start("power", "log", "--source", f"csv:{source}", "-o", self.log, "--duration", "2")
        self.wait_for_log()
        self.write_lines(source, (f"30{n},N/A" for n in range(20)), 0.05)
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, told)
        self.assertRegex(told, r"kjoule: gpu: no reading at all in 2\.\d s; ")
        self.assertGreater(len(self.rows()), 3)

    def test_records_that_arrive_together_are_logged_in_order(self):
        meter, process = self.wattsup_log(5)
        first = time.monotonic()
        meter.say(record(100))
        time.sleep(3.1)
        meter.say(b"".join(record(101 + n) for n in range(4)))
        time.sleep(0.9)
        meter.say(record(105))
        passed = time.monotonic() - first
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, told)
        rows = self.rows()
        self.assertEqual([float(row["pm1"]) for row in rows], [100, 101, 102, 103, 104, 105])
        times = [datetime.datetime.strptime(row["time"], "%Y-%m-%d %H:%M:%S.%f") for row in rows]
        self.assertEqual(times, sorted(times))
        self.assertAlmostEqual((times[-1] - times[0]).total_seconds(), passed, delta=0.3)

    def test_an_idle_meter_that_stands_still_has_no_interval(self):
        source = self.folder / "source.csv"
        source.write_text("timestamp,power_w\n")
        stop = threading.Event()
        writer = threading.Thread(target=self.write, args=(source, LiveCase("", "", "{time},80.0"), {}, stop))
        writer.start()
        try:
            done = self.kjoule("power", "idle", "--source", f"csv:{source}", "--duration", 2, "--json")
        finally:
            stop.set()
            writer.join()
        profile, = json.loads(done.stdout)
        self.assertIsNone(profile["interval_w"])
        self.assertIn("is frozen", " ".join(profile["doubts"]))
