"""kjoule layers on a GPU: the driver, CUPTI and NVML are stand-ins, all else is the real thing."""
import csv
import json
import pathlib
import sysconfig
import unittest

from .driver import ENERGY_COUNTER, KJOULE, Driver

# A pipeline of the user's own, whose framework is the driver itself: setup() allocates, capture(state) launches.
OWN_KERNELS = """
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")

def check(code):
    assert code == 0, f"CUDA error {code}"

def kernel(name):
    context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    check(cuda.cuInit(0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(cuda.cuCtxSetCurrent(context))
    check(cuda.cuModuleLoadData(ctypes.byref(module), b"any"))
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, name))
    return function

class Scale:
    def __init__(self, count, launches=1):
        self.count, self.launches = count, launches

    def setup(self):
        print("setup of", self.count, flush=True)
        function, y = kernel(b"scale"), ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(y), ctypes.c_size_t(4 * self.count)))
        check(cuda.cuMemsetD32_v2(y, 0, ctypes.c_size_t(self.count)))
        return function, y

    def capture(self, state):
        function, y = state
        factor, count = ctypes.c_float(0.5), ctypes.c_uint(self.count)
        arguments = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in (y, factor, count)))
        for _ in range(self.launches):
            check(cuda.cuLaunchKernel(function, (self.count + 255) // 256, 1, 1, 256, 1, 1, 0, None, arguments, None))
        return y  # is ignored

def too_large():
    raise MemoryError("too large")

pipelines = [("three_N1", [("short", Scale(256)), ("long", Scale(65536)), ("twice", Scale(256, launches=2))]),
             ("one_N2", [("big", (too_large, lambda state: None)), ("short", Scale(512))])]
"""


# The package nvtx, as far as kjoule uses it. (torch would load CUPTI itself instead of its stand-in.)
NVTX_LIBRARY = next(pathlib.Path(sysconfig.get_path("purelib")).glob("nvidia/*/lib/libnvtx3interop.so.1"), None)
NVTX = """
import ctypes

library = ctypes.CDLL({path!r})

def push_range(name):
    library.nvtxRangePushA(name.encode())

def pop_range():
    library.nvtxRangePop()
"""


class OnAGpu(Driver):
    def report_of(self, folder):
        return json.loads((folder / "layers.json").read_text())

    def test_joules_of_layers_come_from_nvmls_counter(self):
        """The counter of NVML's stand-in shows 300 W, whatever runs."""
        options = ["--range", "step", "--power-source", "nvml-counter", "--energy-time-limit", "2"]
        done = self.run_kjoule("layers", "--ranges", "--range", "step", options=options, **ENERGY_COUNTER)
        self.assertEqual(done.returncode, 0, done.stderr)
        layers, comparison = self.report_of(self.results), self.report()
        energy = comparison["energy"]
        self.assertEqual([meter["source"] for meter in energy["meters"]], ["nvml-counter"])
        self.assertAlmostEqual(energy["whole_watts"] / 300, 1, delta=0.02)
        self.assertEqual([layer["name"] for layer in layers["layers"]], ["first", "second"])
        for layer in layers["layers"]:
            self.assertGreater(layer["energy_j"], 0, layer["name"])
        self.assertAlmostEqual(layers["pipeline_energy_j"] / sum(layer["count"] * layer["energy_j"] for layer in layers["layers"]), 1, delta=1e-6)
        self.assertAlmostEqual(layers["pipeline_energy_j"] / energy["sum_joules"], 1, delta=1e-6)
        self.assertAlmostEqual(layers["idle_w"] / 300, 1, delta=0.02)
        log, = self.results.glob("power_*.csv")
        watts = [float(row["power_w"]) for row in csv.DictReader(log.read_text().splitlines())]
        self.assertAlmostEqual(sum(watts) / len(watts) / 300, 1, delta=0.02)

    def test_an_iteration_of_chosen_launches(self):
        """An iteration has 22 launches in range "first" and 11 in "second", after 5 launches of the program."""
        done = self.run_kjoule("layers", "--ranges", options=["--iterations", "71..93", "--time-limit", "0.5", "--no-energy"])
        self.assertEqual(done.returncode, 0, done.stderr)
        layers = self.report_of(self.results)["layers"]
        self.assertEqual([(layer["name"], layer["count"] * layer["launches"]) for layer in layers], [("first", 22)])

    def test_a_board_without_a_counter_has_no_joules(self):
        options = ["--range", "step", "--power-source", "nvml-counter"]
        done = self.run_kjoule("layers", "--ranges", "--range", "step", options=options, **{**ENERGY_COUNTER, "FAKE_NVML_LACKS": "energy"})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no energy counter", done.stderr)

    @unittest.skipIf(NVTX_LIBRARY is None, "a torch of the user's own came without NVTX")
    def test_kernels_of_the_users_own(self):
        """setup() runs once for each layer; what capture() launches on its state is the layer, with time and count."""
        path = self.folder / "own.py"
        path.write_text(OWN_KERNELS)
        (self.folder / "nvtx.py").write_text(NVTX.format(path=str(NVTX_LIBRARY)))
        done = self.run_words([KJOULE, "layers", path, "-o", self.results])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("layer big was not measured and is missing from the sums: MemoryError: too large (line 38 of own.py)", done.stderr)
        three, one = self.report_of(self.results / "three_N1"), self.report_of(self.results / "one_N2")
        layers = {layer["name"]: layer for layer in three["layers"]}
        self.assertEqual({name: layer["count"] for name, layer in layers.items()}, {"short": 1, "long": 1, "twice": 2})
        self.assertEqual({name: layer["launches"] for name, layer in layers.items()}, {"short": 1, "long": 1, "twice": 1})
        self.assertGreater(layers["long"]["latency_ms"], layers["short"]["latency_ms"])
        self.assertAlmostEqual(layers["twice"]["latency_ms"] / layers["short"]["latency_ms"], 1, delta=0.05, msg="the same kernel")
        self.assertAlmostEqual(three["pipeline_latency_ms"], sum(layer["count"] * layer["latency_ms"] for layer in layers.values()))
        recording = [json.loads(line) for line in (self.results / "three_N1/recording.jsonl").read_text().splitlines()][1:]
        self.assertEqual([launch["name"].partition("(")[0] for launch in recording], ["scale"] * 4)
        self.assertFalse(one["complete"])
        self.assertEqual({layer["name"] for layer in one["layers"] if layer["latency_ms"]}, {"short"})
        rows = list(csv.DictReader((self.results / "summary.csv").read_text().splitlines()))
        self.assertEqual([row["pipeline"] for row in rows], ["three_N1", "one_N2"])

    @unittest.skipIf(NVTX_LIBRARY is None, "a torch of the user's own came without NVTX")
    def test_layers_of_one_name(self):
        """Each has a number, columns of its own and its own error."""
        path = self.folder / "own.py"
        equal = '[("same", (too_large, lambda state: None)), ("same", Scale(256)), ("other", Scale(512)), ("same", Scale(65536)), ("same", (None, None))]'
        path.write_text(f'{OWN_KERNELS.partition("pipelines =")[0]}pipelines = [("equal", {equal})]\n')
        (self.folder / "nvtx.py").write_text(NVTX.format(path=str(NVTX_LIBRARY)))
        done = self.run_words([KJOULE, "layers", path, "--no-energy", "--time-limit", "0.5", "-o", self.results])
        self.assertEqual(done.returncode, 1, done.stderr)
        layers = {layer["name"]: layer for layer in self.report_of(self.results)["layers"]}
        self.assertEqual(list(layers), ["same", "other", "same (2)", "same (3)", "same (4)"])
        self.assertGreater(layers["same (2)"]["latency_ms"], layers["same"]["latency_ms"])
        self.assertIn("MemoryError: too large", layers["same (3)"]["error"])
        self.assertIn("TypeError", layers["same (4)"]["error"])
        row, = csv.DictReader((self.results / "summary.csv").read_text().splitlines())
        self.assertTrue({f"layer_avg_latency_ms__{name}" for name in layers} <= set(row))


if __name__ == "__main__":
    unittest.main()
