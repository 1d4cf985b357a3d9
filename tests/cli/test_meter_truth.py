"""Every command that reports joules from a power log, with emulated meters whose true energy is known: the truth lies inside the intervals,
whatever the meter averages over, however often it is read, and however late it is."""
import json
import statistics
import subprocess

from .emulated_meter import EmulatedMeter
from .test_commands import KJOULE, ON_CPU
from .wall_meters import WithModel, unix

STAMP = 0.002  # share of an energy by which timestamps that are cut to ms, and the meter's last digit, change it
# form of the log, averaging time, time between readings, delay, options (s)
METERS = {"average": ("power.draw", 1, 0.04, 0.1, []),
          "logger": ("gpu", 1, 0.1, 0.05, []),
          "instant": ("power.draw.instant", 0.025, 0.02, 0.1, []),
          "wattsup": ("wattsup", 1, 1, 0, []),
          "other": ("power_w", 0.1, 0.1, 0.1, []),
          "stated": ("power_w", 0.1, 0.02, 0, ["--averaging", 0.1])}


class Truth(WithModel):
    def setUp(self):
        super().setUp()
        self.errors, self.half_widths, self.outside, self.process = [], [], [], None

    def measure(self, number, meter, *arguments, steady=False):
        """Runs a command while the meter is logged; returns the meter and the results folder."""
        form, averaging, interval, delay, options = meter
        log, results = self.folder / f"{number}.csv", self.folder / f"results{number}"
        with EmulatedMeter(log, form, averaging, interval, delay, lambda: self.process and self.process.pid, steady) as emulated:
            while log.read_text().count("\n") < 4:
                emulated.ended.wait(0.05)
            self.process = subprocess.Popen([KJOULE, *map(str, arguments), *ON_CPU, "--threads", "1", "--power-log", log, *map(str, options), "-o", results],
                                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(lambda process=self.process: process.poll() is None and process.kill())
            _, told = self.process.communicate(timeout=600)
            emulated.ended.wait(2 * interval + delay)
        self.assertEqual(self.process.returncode, 0, told)
        return emulated, results

    def check(self, what, emulated, block, joules, interval, runs):
        true = emulated.true_joules(unix(block["start_timestamp"]), unix(block["end_timestamp"])) / runs
        self.errors.append(joules / true - 1)
        self.half_widths.append((interval[1] - interval[0]) / 2 / true)
        if not interval[0] - STAMP * true <= true <= interval[1] + STAMP * true:
            self.outside.append(f"{what}: {interval[0]:.4g} to {interval[1]:.4g} J, but {true:.4g} J are true")

    def check_whole(self, what, emulated, folder):
        report = json.loads((folder / "energy_report.json").read_text())
        self.check(what, emulated, report, report["energy_joules"]["total"], report["energy_joules"]["total_interval"], 1)

    def check_kernels(self, what, emulated, folder, timing):
        groups = {group["name"]: group for group in timing["groups"]}
        shares = {}
        for kernel in json.loads((folder / "gpu_energy_report.json").read_text())["per_kernel"]:
            self.assertTrue(kernel["measured"], kernel)
            shares.setdefault(kernel["group"] or kernel["signature"], []).append(kernel)
        for name, kernels in shares.items():
            block = groups.get(name, kernels[0])
            runs = block["benchmark_runs"]
            joules = sum(kernel["energy_joules_total"] if name in groups else kernel["energy_joules_each"] for kernel in kernels)
            ends = ["energy_joules_total_interval" if name in groups else "energy_joules_each_interval"] * 2
            interval = [sum(kernel[key][end] for kernel in kernels) for end, key in enumerate(ends)]
            self.check(f"{what}: {name[:40]}", emulated, block, joules, interval, runs)

    def check_energy(self, what, meter, emulated, results, timing=None):
        """kjoule energy on the meter's own log, which was written meanwhile."""
        again = results / "again"
        again.mkdir()
        done = subprocess.run([KJOULE, "energy", "--power-log", emulated.path, *map(str, meter[4]), "--timing", results, "-o", again], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        if timing is None:
            self.check_whole(f"{what}, energy", emulated, again)
        else:
            self.check_kernels(f"{what}, energy", emulated, again, timing)

    def covered(self, command, most):
        """At least 95 % of the intervals contain the truth, and they are not wider than necessary."""
        median = statistics.median(self.half_widths)
        print(f"{command}: {len(self.errors) - len(self.outside)} of {len(self.errors)} true energies inside, half-width {100 * median:.2f} % (median), "
              f"largest error {100 * max(map(abs, self.errors)):.2f} %")
        self.assertLessEqual(len(self.outside), 0.05 * len(self.errors), self.outside)
        self.assertLess(median, most)

    def test_full_and_energy(self):
        for number, meter in enumerate(METERS.values()):
            emulated, results = self.measure(number, meter, "full", "--model", self.model, "--seq-len", 16, "--runs", 20)
            what = f"full, {meter}"
            self.check_whole(what, emulated, results)
            self.check_energy(what, meter, emulated, results)
        self.covered("full and energy", 0.05)

    def test_isolated_and_energy(self):
        for number, meter in enumerate([METERS["average"], METERS["instant"], METERS["other"]]):
            emulated, results = self.measure(number, meter, "isolated", "--model", self.model, "--seq-len", 16, "--block-kernels", 2)
            timing = json.loads((results / "isolated_kernels_timing.json").read_text())
            what = f"isolated, {meter}"
            self.check_kernels(what, emulated, results, timing)
            self.check_energy(what, meter, emulated, results, timing)
        self.covered("isolated and energy", 0.05)

    def test_compare(self):
        for number, meter in enumerate([METERS["average"], METERS["other"]]):
            emulated, results = self.measure(number, meter, "compare", "--model", self.model, "--seq-len", 16, "--block-kernels", 1, "--time-limit", 1)
            timing = json.loads((results / "isolated_kernels_timing.json").read_text())
            self.check_kernels(f"compare, {meter}", emulated, results, timing)
            self.check_whole(f"compare, {meter}", emulated, results)
        self.covered("compare", 0.05)

    def test_layers(self):
        """Their joules are the power of the work that is repeated times its time, so the power has to be that of the work alone."""
        network = self.folder / "own.yaml"
        network.write_text("name: own\nsizes: {batch: 2}\nlayers:\n  - {name: long, kind: relu, shape: [batch, 1000000]}\n")
        for number, name in enumerate(["average", "other"]):
            _, results = self.measure(number, METERS[name], "layers", network, "--buffers", "same", "--unroll", "2", steady=True)
            layer, = json.loads((results / "layers.json").read_text())["layers"]
            self.assertAlmostEqual(layer["power_w"] / 160, 1, delta=0.02)
            self.assertAlmostEqual(layer["energy_j"] / (layer["power_w"] * layer["latency_ms"] * 1e-3), 1, 6)
