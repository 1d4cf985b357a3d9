"""kjoule sample --gpus, without a GPU: the kjoule-torch of each GPU is a stand-in."""
import collections
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

from .driver import unwrapped
from .messages import errors_in
from .test_programs import PROGRAM, ROOT, STAND_IN, WithOwnKjoule, alive
from .test_sample import SWEEP

NVML = ROOT / "build/tests/fakes/nvml/libfake_nvml.so"
SAMPLES = 24
PATIENCE = 120  # s, only to find what never comes


class OfGpus(WithOwnKjoule):
    def setUp(self):
        super().setUp()
        runner = self.folder / "kjoule-torch"
        runner.write_text(f"#!{sys.executable}\n" + pathlib.Path(__file__).with_name("torch_stand_in.py").read_text())
        runner.chmod(0o755)
        (self.folder / "torch/lib").mkdir(parents=True)
        (self.folder / "torch/lib/libtorch_cpu.so").touch()
        self.environment = {**os.environ, "KJOULE_TORCH": str(self.folder / "torch"), "KJOULE_STAND_IN": str(self.folder), "KJOULE_STAND_IN_PROGRAM": PROGRAM[1],
                            "KJOULE_STAND_IN_MESSAGES": str(ROOT / "python/kjoule_operators"), "KJOULE_NVML": str(NVML), "FAKE_NVML_GPUS": "3",
                            **{f"FAKE_NVML_UUID_{number}": f"GPU-{name}" for number, name in enumerate("abc")},
                            "CUDA_VISIBLE_DEVICES": "GPU-a,GPU-b"}
        self.gpus({})
        self.sweep = self.folder / "sweep.yml"
        self.sweep.write_text("".join(f"{key}: {value}\n" for key, value in SWEEP.items()))

    def gpus(self, does):
        (self.folder / "gpus.json").write_text(json.dumps(does))

    def command(self, *options):
        return [str(word) for word in [self.kjoule, "sample", self.sweep, "--precision", "fp32", "-o", self.results, *options]]

    def sample(self, *options, gpus="all", **environment):
        return subprocess.run(self.command("--gpus", gpus, "--json", *options), capture_output=True, text=True, timeout=600, check=False,
                              env={**self.environment, **environment})

    def report(self, done, code):
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def lines(self):
        return [json.loads(line) for line in next(self.results.glob("sampling_data/*.jsonl")).read_text().splitlines()]

    def rows(self):
        return [line for line in self.lines() if "sample" in line]

    def assert_whole(self):
        """No row is lost or written twice."""
        numbers = collections.Counter(row["sample"] for row in self.rows())
        self.assertEqual(numbers, dict.fromkeys(range(1, SAMPLES + 1), 1))
        with open(next(self.results.glob("sampling_data/*.csv")), encoding="utf-8") as lines:
            shapes = [tuple(row[name] for name in ("mp", "b", "l", "dim")) for row in csv.DictReader(lines)]
        self.assertEqual((len(shapes), len(set(shapes))), (SAMPLES, SAMPLES))

    def by_gpu(self):
        return dict(collections.Counter(row["gpu"] for row in self.rows()))

    def answers(self, gpu):
        path = self.folder / f"log_{gpu}"
        return [line for line in map(json.loads, path.read_text().splitlines()) if "shape" in line] if path.exists() else []

    def errors(self, done):
        return errors_in(done.stderr)

    def kill_worker(self, process, gpu):
        """Kills the process of kjoule that measures on a GPU."""
        uses = f"CUDA_VISIBLE_DEVICES={gpu}".encode()
        for pid in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
            entry = pathlib.Path(f"/proc/{pid}")
            if b"--queue-socket" in (entry / "cmdline").read_bytes() and uses in (entry / "environ").read_bytes().split(b"\0"):
                return os.kill(int(pid), signal.SIGKILL)
        return self.fail(f"no process measures on {gpu}")


class Shared(OfGpus):
    def test_gpus_share_one_queue_and_the_slower_one_measures_fewer(self):
        self.gpus({"GPU-a": {"us": 20}, "GPU-b": {"us": 30, "waits_for": ["GPU-a", 20, 1]}})
        report = self.report(self.sample(), 0)
        self.assertEqual(report["counts"], {"measured": SAMPLES})
        self.assert_whole()
        shares = {gpu["uuid"]: gpu["samples"] for gpu in report["gpus"]}
        self.assertEqual(shares, self.by_gpu())
        self.assertGreaterEqual(shares["GPU-a"], 20)
        self.assertGreaterEqual(shares["GPU-b"], 1)
        self.assertEqual([gpu["not_used"] for gpu in report["gpus"]], [None, None])
        for row in self.rows():
            self.assertEqual(row["directions"]["forward"]["median_us"], {"GPU-a": 20, "GPU-b": 30}[row["gpu"]])
            self.assertGreater(row["gpu_s"], 0)
        run = self.lines()[0]["run"]
        self.assertEqual([board["uuid"] for board in run["boards"]], ["GPU-a", "GPU-b"])
        status = subprocess.run([self.kjoule, "sample", "status", self.results, "--json"], capture_output=True, text=True, check=True)
        gpus = {gpu["gpu"]: gpu for gpu in json.loads(status.stdout)[0]["gpus"]}
        self.assertEqual({name: gpu["measured"] for name, gpu in gpus.items()}, shares)
        for name, gpu in gpus.items():
            spent_s = sum(row["gpu_s"] for row in self.rows() if row["gpu"] == name)
            self.assertAlmostEqual(gpu["samples_per_s"], shares[name] / spent_s, places=6)

    def test_text_and_progress_name_all_gpus(self):
        done = subprocess.run(self.command("--gpus", "0,1"), capture_output=True, text=True, check=True, env=self.environment)
        self.assertIn("sampling gelu in fp32 on GPUs 0, 1", done.stderr)
        shares = self.by_gpu()
        for number, name in enumerate("ab"):
            self.assertIn(f"GPU {number}: {shares.get(f'GPU-{name}', 0)} sample", done.stdout)

    def test_text_says_which_gpu_was_not_used(self):
        self.gpus({"GPU-a": {"waits_for": ["GPU-b", 5, 1]}, "GPU-b": {"ends_after": 5, "starts": 1}, "GPU-c": {"cannot_start": "CUDA error: out of memory"}})
        done = subprocess.run(self.command("--gpus", "0,1,2"), capture_output=True, text=True, check=False, env={**self.environment, "CUDA_VISIBLE_DEVICES": "GPU-a,GPU-b,GPU-c"})
        self.assertEqual(done.returncode, 1)
        told = unwrapped(done.stdout)
        self.assertIn("GPU 1: 5 samples, then not used any more: CUDA error: the GPU has fallen off the bus", told)
        self.assertIn("GPU 2: not used: CUDA error: out of memory", told)

    def test_one_gpu_of_a_list(self):
        report = self.report(self.sample(gpus="1"), 0)
        self.assertEqual([(gpu["gpu"], gpu["uuid"]) for gpu in report["gpus"]], [(1, "GPU-b")])
        self.assertEqual(self.by_gpu(), {"GPU-b": SAMPLES})
        self.assertEqual(self.answers("GPU-a"), [])

    def test_gpus_are_counted_without_cuda_visible_devices(self):
        del self.environment["CUDA_VISIBLE_DEVICES"]
        self.gpus({str(number): {"uuid": f"GPU-{name}"} for number, name in enumerate("abc")})
        report = self.report(self.sample(), 0)
        self.assertEqual([(gpu["gpu"], gpu["uuid"]) for gpu in report["gpus"]], [(0, "GPU-a"), (1, "GPU-b"), (2, "GPU-c")])
        self.assert_whole()

    def test_parts_are_shared_too(self):
        for part in (1, 2):
            self.assertEqual(self.report(self.sample("--parts", 2, "--part", part), 0)["samples"], SAMPLES // 2)
        numbers = [json.loads(line)["sample"] for path in self.results.glob("sampling_data/*.jsonl") for line in path.read_text().splitlines() if "sample" in json.loads(line)]
        self.assertEqual(sorted(numbers), list(range(1, SAMPLES + 1)))


class Lost(OfGpus):
    def test_the_samples_of_a_gpu_that_is_lost_go_to_the_other(self):
        self.gpus({"GPU-a": {"waits_for": ["GPU-b", 5, 1]}, "GPU-b": {"ends_after": 5, "starts": 1}})
        done = self.sample()
        report = self.report(done, 1)
        self.assertEqual(report["counts"], {"measured": SAMPLES})
        self.assert_whole()
        self.assertEqual(self.by_gpu(), {"GPU-a": SAMPLES - 5, "GPU-b": 5})
        self.assertEqual(self.errors(done), ["kjoule: GPU 1 is not used any more: CUDA error: the GPU has fallen off the bus; restart the machine; the other GPUs measure its samples"])
        self.assertIn("CUDA error", report["gpus"][1]["not_used"])
        self.assertIn("is tried again: the process of kjoule-torch ended while it ran this", done.stderr)
        again = self.report(self.sample(), 1)
        self.assertEqual((again["before"], again["counts"]), (SAMPLES, {}))

    def test_a_gpu_that_cannot_start(self):
        self.gpus({"GPU-b": {"cannot_start": "CUDA error: out of memory"}})
        done = self.sample()
        report = self.report(done, 1)
        self.assert_whole()
        self.assertEqual(self.errors(done), ["kjoule: GPU 1 is not used: CUDA error: out of memory; the other GPUs measure its samples"])
        self.assertEqual(report["gpus"][1], {"gpu": 1, "uuid": None, "samples": 0, "not_used": "CUDA error: out of memory"})
        self.assertEqual(self.by_gpu(), {"GPU-a": SAMPLES})

    def test_a_process_that_ends_once_is_started_again(self):
        self.gpus({"GPU-a": {"ends_after": 3, "ends": 1}, "GPU-b": {"waits_for": ["GPU-a", 6, 2]}})
        done = self.sample()
        report = self.report(done, 0)
        self.assert_whole()
        self.assertGreaterEqual(report["gpus"][0]["samples"], 6)
        self.assertEqual(done.stderr.count("is tried again"), 1, done.stderr)

    def test_a_gpu_on_which_samples_end_that_others_can_measure(self):
        self.gpus({"GPU-a": {"ends_after": 3}, "GPU-b": {"waits_for": ["GPU-a", 3, 4]}})
        report = self.report(self.sample(), 1)
        self.assert_whole()
        self.assertEqual(report["gpus"][0]["not_used"], "3 samples ended its process, but not that of another GPU")
        self.assertEqual(self.by_gpu(), {"GPU-a": 3, "GPU-b": SAMPLES - 3})

    def test_the_killed_process_of_a_gpu(self):
        self.gpus({"GPU-a": {"waits_for": ["GPU-b", 5, 1]}, "GPU-b": {"waits_for": ["GPU-a", SAMPLES - 5, 1]}})
        with subprocess.Popen(self.command("--gpus", "all", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment) as process:
            # Both wait for each other, so no sample is complete when the worker is killed.
            deadline = time.monotonic() + PATIENCE
            while not next(self.results.glob("sampling_data/*.jsonl"), None) and time.monotonic() < deadline:
                time.sleep(0.01)
            self.gpus({})
            self.kill_worker(process, "GPU-b")
            with open(self.folder / "log_GPU-b", "a", encoding="utf-8") as log:
                log.write('{"shape": []}\n' * 5)
            output, told = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1, told)
        self.assert_whole()
        self.assertEqual(json.loads(output)["gpus"][1]["not_used"], "its process ended (killed by signal 9 (Killed))")
        self.assertEqual(self.by_gpu(), {"GPU-a": SAMPLES})

    def test_a_sample_that_ends_every_process_costs_itself(self):
        self.gpus({gpu: {"ends_at": [[1, 2, 16, 8]]} for gpu in ("GPU-a", "GPU-b")})
        done = self.sample()
        report = self.report(done, 1)
        self.assertEqual(report["counts"], {"error": 1, "measured": SAMPLES - 1})
        error = next(row for row in self.rows() if row["status"] == "error")
        self.assertEqual(error["shape"], {"mp": 1, "b": 2, "l": 16, "dim": 8})
        self.assertIn("killed by signal 6", error["why"])
        self.assertEqual([gpu["not_used"] for gpu in report["gpus"]], [None, None])
        self.gpus({})
        self.assertEqual(self.report(self.sample(), 0)["counts"], {"measured": 1}, "it is tried again")

    def test_all_are_lost_and_a_later_run_continues(self):
        self.gpus({gpu: {"ends_after": 4, "starts": 1, "ends_beside": other} for gpu, other in (("GPU-a", "GPU-b"), ("GPU-b", "GPU-a"))})
        done = self.sample()
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(self.errors(done)[-1], r"^kjoule: no GPU is left, and 16 of 24 samples have no row: GPU 0: CUDA error: .*; GPU 1: CUDA error: .*; repeat the same command to continue; all complete rows are kept$")
        self.assertEqual(len(self.rows()), 8)
        self.gpus({})
        report = self.report(self.sample(), 0)
        self.assertEqual((report["before"], report["counts"]), (8, {"measured": 16}))
        self.assert_whole()

    def test_none_can_start(self):
        self.gpus({gpu: {"cannot_start": "CUDA error: no device; check nvidia-smi"} for gpu in ("GPU-a", "GPU-b")})
        done = self.sample()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(self.errors(done)[-1], r"^kjoule: no GPU could be used: GPU 0: CUDA error: no device; check nvidia-smi; GPU 1: CUDA error: no device")
        self.assertFalse((self.results / "sampling_data").exists())

    def end_run(self, end):
        """Starts a run whose second GPU never answers, ends it by `end` once the first GPU has measured nearly all samples, and returns exit code and stderr."""
        self.gpus({"GPU-a": {}, "GPU-b": {"waits_for": ["GPU-a", SAMPLES + 1, 1]}})
        with subprocess.Popen(self.command("--gpus", "all"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment, preexec_fn=os.setpgrp) as process:
            deadline = time.monotonic() + PATIENCE
            while len(self.answers("GPU-a")) < SAMPLES - 1 and time.monotonic() < deadline:
                time.sleep(0.01)
            end(process.pid)
            _, told = process.communicate(timeout=PATIENCE)
        self.gpus({})
        return process.returncode, told

    def are_running(self):
        """Whether a process of kjoule-torch is running."""
        logs = [json.loads(line) for gpu in ("GPU-a", "GPU-b") for line in (self.folder / f"log_{gpu}").read_text().splitlines()]
        return any("started" in line and alive(line["started"]) for line in logs)

    def test_interrupted_and_continued(self):
        code, told = self.end_run(lambda pid: os.killpg(pid, signal.SIGINT))  # as Ctrl-C does
        self.assertEqual(code, -signal.SIGINT, told)
        self.assertRegex(told.splitlines()[-1], r"^kjoule: interrupted; 2[23] samples are in .*; repeat the same command to continue$")
        self.assertNotIn("is not used", told)
        self.assertFalse(self.are_running())
        self.assertGreaterEqual(self.report(self.sample(), 0)["before"], SAMPLES - 2)
        self.assert_whole()

    def test_killed_and_continued(self):
        code, told = self.end_run(lambda pid: os.kill(pid, signal.SIGKILL))
        self.assertEqual(code, -signal.SIGKILL, told)
        deadline = time.monotonic() + PATIENCE
        while self.are_running() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(self.are_running())
        self.assertGreaterEqual(self.report(self.sample(gpus="1"), 0)["before"], SAMPLES - 2)
        self.assert_whole()


class Refused(OfGpus):
    def refuse(self, text, *options, code=2, **environment):
        done = subprocess.run(self.command(*options), capture_output=True, text=True, timeout=600, check=False, env={**self.environment, **environment})
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (code, "", 1), done.stderr)
        self.assertIn(text, done.stderr)
        self.assertFalse(self.results.exists())

    def test_wrong_lists(self):
        self.refuse("--gpus 0,0: GPU 0 is named twice", "--gpus", "0,0")
        self.refuse("--gpus 9: there is no GPU 9, because CUDA_VISIBLE_DEVICES names 2 GPUs", "--gpus", "9")
        self.refuse("--gpus: its value is empty", "--gpus=")
        for wrong in ("x", "0,", "-1"):
            self.refuse("is neither all nor a list of numbers of GPUs; give for example --gpus 0,1", f"--gpus={wrong}")
        self.refuse("CUDA_VISIBLE_DEVICES hides all GPUs", "--gpus", "all", code=1, CUDA_VISIBLE_DEVICES="")

    def test_options_that_conflict(self):
        self.refuse("--gpus has no effect on the CPU", "--gpus", "all", "--device", "cpu")
        self.refuse("cannot be combined with", "--gpus", "all", "--device_num", "1", code=2)
        self.refuse("--gpus has no effect on one shape", "--gpus", "all", "--run", "get_one")
        self.refuse("cannot be combined with", "--gpus", "all", "--energy", "--power-source", "nvml")

    @unittest.skipIf(list(pathlib.Path("/dev").glob("nvidia[0-9]*")), "this machine has GPUs")
    def test_a_machine_without_gpus(self):
        del self.environment["CUDA_VISIBLE_DEVICES"]
        for gpus in ("all", "0,1"):
            self.refuse("no NVIDIA GPU was found; check that a GPU is assigned to this machine or container", "--gpus", gpus, code=1, KJOULE_NVML="/nonexistent.so")

    def test_gpus_of_two_kinds(self):
        self.gpus({"GPU-b": {"name": "Other GPU"}})
        self.refuse("GPUs 0 and 1 are of different kinds: Stand-in GPU and Other GPU; name GPUs of one kind with --gpus", "--gpus", "all", code=1)

    def test_one_gpu_under_two_numbers(self):
        self.gpus({"0": {"uuid": "GPU-a"}})
        self.environment["CUDA_VISIBLE_DEVICES"] = "GPU-a,0"
        done = self.sample()
        self.assertEqual(self.report(done, 1)["gpus"][1]["not_used"], "it is the same as GPU 0")
        self.assert_whole()


class Energy(OfGpus):
    def rows(self):
        """The complete rows. Each sample first has a row with its times."""
        return [row for row in super().rows() if "graph_us" in row["directions"]["forward"]]

    @unittest.skipUnless(STAND_IN.exists(), "the stand-in for the injected library was not built")
    def test_each_gpu_replays_the_kernels_of_its_samples(self):
        """The simulated device runs in virtual time, in which no meter has a reading."""
        shutil.copy(STAND_IN, self.folder)
        done = self.sample("--energy")
        report = self.report(done, 1)
        self.assertEqual((report["counts"], report["not_replayed"]), ({"measured": SAMPLES}, 0))
        self.assert_whole()
        self.assertEqual(len(super().rows()), 2 * SAMPLES)
        self.assertEqual(self.by_gpu(), {"GPU-a": SAMPLES // 2, "GPU-b": SAMPLES // 2}, "each takes its share at once")
        for row in self.rows():
            for direction in row["directions"].values():
                self.assertGreater(direction["graph_us"], 0)
        meters = [line["run"] for line in self.lines() if "meters" in line.get("run", {})]
        self.assertEqual({run["gpu"]: [meter["name"] for meter in run["meters"]] for run in meters}, {"GPU-a": ["gpu 0"], "GPU-b": ["gpu 1"]})

    @unittest.skipUnless(STAND_IN.exists(), "the stand-in for the injected library was not built")
    def test_times_of_a_lost_gpu_are_kept(self):
        """The other GPU replays the kernels of its samples and times none of them again."""
        shutil.copy(STAND_IN, self.folder)
        timed = lambda: sum('"sample"' in line and "GPU-b" in line for path in self.results.glob("sampling_data/*.jsonl") for line in path.read_text().splitlines())
        with subprocess.Popen(self.command("--gpus", "all", "--json", "--graph"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment) as process:
            deadline = time.monotonic() + PATIENCE
            while timed() < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            self.kill_worker(process, "GPU-b")
            told = process.communicate(timeout=PATIENCE)[1]
        self.assertEqual(process.returncode, 1, told)
        self.assert_whole()
        self.assertEqual(len(super().rows()), 2 * SAMPLES)
        self.assertGreaterEqual(sum("graph_us" not in row["directions"]["forward"] and row["gpu"] == "GPU-b" for row in super().rows()), 3)


if __name__ == "__main__":
    unittest.main()
