"""Power logs as other tools and users write them: `kjoule energy` gives the right joules, or refuses with cause and a remedy that works."""
import datetime
import json
import os
import pathlib
import subprocess
import threading

from .test_commands import KJOULE, InAFolder

OWN = pathlib.Path(__file__).parent / "foreign" / "power"
SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared" / "cases" / "foreign_files"


class ForeignPowerLogs(InAFolder):
    def energy(self, log, timing, *options):
        """Runs `kjoule energy`; returns the finished process and its report, which is absent if the log was refused."""
        self.results.mkdir(exist_ok=True)
        path = self.results / "full_model_timing.json"
        path.write_text(json.dumps(timing))
        report = self.results / "energy_report.json"
        report.unlink(missing_ok=True)
        done = subprocess.run([KJOULE, "energy", "--power-log", log, "--timing", path, *options], capture_output=True, text=True, check=False,
                              timeout=60, env={**os.environ, "TZ": "UTC"})
        return done, json.loads(report.read_text()) if report.exists() else None

    def assert_joules(self, joules, done, report, places=5):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(report["energy_joules"]["total"] / joules, 1, places, done.stderr)

    def assert_refused(self, text, done, report):
        """One line with cause and remedy, and no report."""
        self.assertIn(done.returncode, (1, 2), done.stdout)
        self.assertIsNone(report)
        told, = done.stderr.splitlines()
        self.assertIn(text, told)
        self.assertIn("; ", told)

    def test_own_samples(self):
        expected = json.loads((OWN / "expected.json").read_text())
        self.assertEqual({case.get("file", name) for name, case in expected["cases"].items()}, {path.name for path in OWN.iterdir()} - {"expected.json"})
        for name, case in expected["cases"].items():
            with self.subTest(name, kind=case["kind"]):
                self.check(OWN / case.get("file", name), case, expected["timing"])

    def check(self, log, case, timing):
        options = case.get("options", [])
        done, report = self.energy(log, timing, *options)
        if "refused" in case:
            self.assert_refused(case["refused"], done, report)
            if "remedied" not in case:
                return
            done, report = self.energy(log, timing, *case["remedied"])
        self.assert_joules(case["joules"], done, report)
        if "warned" in case:
            self.assertIn(case["warned"], done.stderr)
            self.assertTrue(any(case["warned"] in line for line in report["warnings"]), report["warnings"])

    def test_advice_works_as_it_is_printed(self):
        """The options that a message names, copied from it, give the joules."""
        expected = json.loads((OWN / "expected.json").read_text())
        for name in ("date_and_time.csv", "named_date_and_time.csv", "no_header.csv", "microwatts_in_the_name.csv", "metric_as_a_name.csv",
                     "underscore_between_date_and_time.csv"):
            with self.subTest(name):
                done, _ = self.energy(OWN / name, expected["timing"])
                advice = done.stderr.strip().split("name its columns: ")[1]
                command = f'"{KJOULE}" energy --power-log "{OWN / name}" --timing "{self.results}" {advice}'
                again = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60, env={**os.environ, "TZ": "UTC"})
                self.assertEqual(again.returncode, 0, again.stderr)
                self.assertAlmostEqual(self.report("energy_report.json")["energy_joules"]["total"] / expected["cases"][name]["joules"], 1, 5)

    def test_shared_cases(self):
        if not SHARED.exists():
            self.skipTest("the folder of shared cases is not there")
        cases = {name: case for name, case in json.loads((SHARED / "expected.json").read_text())["cases"].items() if name.startswith("power_")}
        self.assertGreaterEqual(len(cases), 5)
        for name, case in cases.items():
            with self.subTest(name, kind=case["kind"]):
                words = case["command"].split()
                options = words[words.index("full_model_timing.json") + 1:]
                done, report = self.energy(SHARED / name, case["timing"], *options)
                if name == "power_mw_named_w.csv":
                    self.assertIn("no single GPU consumes", done.stderr)
                    done, report = self.energy(SHARED / name, case["timing"], "--unit", "mW")
                self.assert_joules(case["joules"], done, report, 3)  # the timing is rounded to ms

    def test_shared_cases_read_in_other_ways(self):
        if not SHARED.exists():
            self.skipTest("the folder of shared cases is not there")
        cases = json.loads((SHARED / "expected.json").read_text())["cases"]
        for name, key, options in [("power_cpu_gpu.csv", "cpu", ["--power-column", "cpu"]), ("power_amdsmi.csv", "all_gpus", ["--gpu", "all"]),
                                   ("power_bursts.csv", "sum_of_both", ["--power-column", "GPU0+GPU1"]), ("power_bursts.csv", "gpu0", ["--power-column", "GPU0"])]:
            with self.subTest(name, options=options):
                self.assert_joules(cases[name][key], *self.energy(SHARED / name, cases[name]["timing"], *options))

    def test_a_counter_of_many_rows_is_no_device(self):
        log = self.folder / "long.csv"
        with log.open("w") as file:
            file.write("index,timestamp,where,power_w\n")
            for i in range(300_000):
                file.write(f"{i},{1_772_719_200 + i / 1000:.3f},rack,{200 + i % 7}\n")
        timing = {"num_runs": 10, "start_timestamp": "2026-03-05 14:01:00", "end_timestamp": "2026-03-05 14:02:00", "full_model_inference_us": 6e6}
        done, report = self.energy(log, timing)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(report["power_watts"]["average"], 203, 1)

    def test_growing_logs_of_tools(self):
        """`kjoule power log` reads a log that a tool is writing."""
        lines = {"tegrastats": ("", "%m-%d-%Y %H:%M:%S RAM 1/2MB CPU [7%%@1728] GPU 2{n}00mW/0mW CPU 1{n}00mW/0mW", 3.9),
                 "nvidia-smi dmon": ("#Date       Time        gpu    pwr\n", " %Y%m%d   %H:%M:%S      0    30{n}", 304)}
        for tool, (header, line, watts) in lines.items():
            with self.subTest(tool):
                source, log = self.folder / f"{tool}.txt", self.folder / f"{tool}.log"
                source.write_text(header)
                stop = threading.Event()
                writer = threading.Thread(target=self.append, args=(source, line, stop))
                self.append(source, line, None)
                writer.start()
                try:
                    done = subprocess.run([KJOULE, "power", "log", "--source", f"csv:{source}", "-o", log, "--duration", "2"], capture_output=True, text=True,
                                          check=False, timeout=60, env={**os.environ, "TZ": "UTC"})
                finally:
                    stop.set()
                    writer.join()
                self.assertEqual(done.returncode, 0, done.stderr)
                powers = [float(row.split(",")[-1]) for row in log.read_text().splitlines()[1:]]
                self.assertGreaterEqual(len(powers), 1)
                self.assertLess(max(abs(power - watts) for power in powers), 0.8 * watts / 3, powers)

    @staticmethod
    def append(source, line, stop):
        """Appends a line a second, until `stop` is set; only one if there is none."""
        for n in range(1000):
            with source.open("a") as file:
                file.write(datetime.datetime.now(datetime.timezone.utc).strftime(line).format(n=4 + n % 2) + "\n")
            if stop is None or stop.wait(1):
                return
