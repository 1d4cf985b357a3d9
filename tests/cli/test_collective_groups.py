"""kjoule collectives as one of the ranks that torchrun or srun starts. NCCL and the CUDA driver are stand-ins, as in test_collectives.py."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from .driver import BUILD, KJOULE, PROGRAM, STAND_INS, TWO_ENERGY_COUNTERS
from .messages import errors_in
from .slurm_cluster import SlurmCluster, reason_without_slurm, wait_until

TORCHRUN = pathlib.Path(sys.executable).with_name("torchrun")
WITHOUT_SLURM = reason_without_slurm()
STAND_IN_VARIABLES = {"LD_LIBRARY_PATH": f"{STAND_INS}:{BUILD / 'tests/fakes/nccl'}", "FAKE_CUDA_DEVICES": "4", "FAKE_CUDA_SLOWNESS": "1000"}
LAUNCHERS = ("RANK", "WORLD_SIZE", "LOCAL_", "MASTER_", "GROUP_", "TORCHELASTIC_", "SLURM", "CUDA_VISIBLE_DEVICES")
HEAD = ["bytes", "elements", "time", "us", "+-", "us", "algbw", "GB/s", "busbw", "GB/s"]


def heads_in(output):
    """Returns the number of tables in an output."""
    return sum(line.split()[:len(HEAD)] == HEAD for line in output.splitlines())


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@unittest.skipIf(os.environ.get("KJOULE_TORCH") and not PROGRAM.exists(), "built without CUDA's headers")
class Group(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "results"
        self.port = free_port()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)} | STAND_IN_VARIABLES

    def words(self, *words):
        return [str(word) for word in [KJOULE, "collectives", *words, "-o", self.folder]]

    def rows(self):
        return [json.loads(line) for path in self.folder.glob("*.jsonl") for line in path.read_text().splitlines()]

    def check_times(self, rows):
        """A kernel of the stand-in takes 3.1 ms, and 36 us more for each 4 KiB; on a busy machine, the host adds some time."""
        for row in rows:
            self.assertGreater(row["time_us"], 3050 + 36 * row["bytes"] / 4096 - 100)
            self.assertLess(row["time_us"], 5 * 3100)


class Ranks(Group):
    """The variables are those of torchrun and srun, whose own start would take seconds more."""

    def of_torchrun(self, rank, ranks, **variables):
        return {"RANK": rank, "WORLD_SIZE": ranks, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": ranks, "MASTER_ADDR": "localhost", "MASTER_PORT": self.port - 1,
                "TORCHELASTIC_RUN_ID": "none", **variables}

    def of_srun(self, rank, ranks, machine, **variables):
        """A task of a step on two machines, each with one GPU."""
        return {"SLURM_PROCID": rank, "SLURM_STEP_NUM_TASKS": ranks, "SLURM_LOCALID": 0, "SLURM_STEP_ID": 0, "SLURM_JOB_ID": 7, "SLURM_STEP_NUM_NODES": 2,
                "SLURM_STEP_NODELIST": "n[0-1]", "SLURMD_NODENAME": machine, "MASTER_ADDR": "localhost", "MASTER_PORT": self.port - 1, **variables}

    def start(self, variables, *words):
        environment = self.environment | {name: str(value) for name, value in variables.items()}
        rank = subprocess.Popen(self.words(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(rank.communicate)
        self.addCleanup(rank.kill)
        return rank

    def start_ranks(self, ranks, *words, **variables):
        return [self.start(self.of_torchrun(rank, ranks, **variables), *words) for rank in range(ranks)]

    def end(self, rank, code):
        """Waits for the rank, and returns its output and its error line, of which there is one at most."""
        output, errors = rank.communicate(timeout=120)
        self.assertEqual(rank.returncode, code, output + errors)
        lines = errors_in(errors)
        self.assertEqual(len(lines), 0 if code == 0 else 1, errors)
        return output, "".join(lines)

    def test_rank_0_alone_prints_and_writes(self):
        first, second = (self.end(rank, 0) for rank in self.start_ranks(2, "all_gather", "--to", 8192))
        self.assertEqual(second, ("", ""))
        self.assertEqual(heads_in(first[0]), 1)
        self.assertIn("\n2 GPUs (Stand-in GPU), fp16, in place, NCCL 2.27.3; the rows are in\n", first[0])
        self.assertEqual([(row["bytes"], row["nodes"], row["gpus_per_node"]) for row in self.rows()], [(4096, 1, 2), (8192, 1, 2)])

    def test_ranks_on_two_machines(self):
        ranks = [self.start(self.of_srun(rank, 4, f"n{rank % 2}", SLURM_LOCALID=rank // 2), "all_reduce", "--to", 8192) for rank in range(4)]
        output, _ = self.end(ranks[0], 0)
        self.assertEqual([self.end(rank, 0) for rank in ranks[1:]], 3 * [("", "")])
        self.assertIn("\n4 GPUs of 2 machines (Stand-in GPU), fp16,", output)
        rows = self.rows()
        self.assertEqual([(row["bytes"], row["nodes"], row["gpus_per_node"]) for row in rows], [(4096, 2, 2), (8192, 2, 2)])
        self.check_times(rows)
        # The bus bandwidth is that of four ranks.
        self.assertAlmostEqual(rows[0]["bus_bytes_per_s"] / rows[0]["algorithm_bytes_per_s"], 2 * 3 / 4)
        table = "".join(f"{row['bytes'] // 2},2,2,{row['time_us']:.3f}\n" for row in rows)
        self.assertEqual((self.folder / "stand-in_Stand-inGPU_allreduce_fp16_2_2.csv").read_text(), "shape,nodes,GPUsPerNode,dur(us)\n" + table)

    def test_machines_with_different_numbers_of_ranks(self):
        ranks = [self.start(self.of_srun(rank, 3, machine), "all_reduce") for rank, machine in enumerate(["n0", "n0", "n1"])]
        self.assertIn("the machines have different numbers of ranks: n1 has 1, but n0 has 2; start as many", self.end(ranks[0], 1)[1])
        self.assertIn("rank 2 (GPU 0 of n1): rank 0 ended before the run was complete", self.end(ranks[2], 1)[1])

    def test_a_dead_process_is_named_and_earlier_rows_are_kept(self):
        first, second = self.start_ranks(2, "all_reduce", "--to", 16384, FAKE_NCCL_DIES="1:200")
        self.assertRegex(self.end(first, 1)[1], r"rank 1 \(GPU 1 of \S+\) ended before it could measure all_reduce of 8192 bytes: killed by signal 9 \(Killed\)")
        self.assertRegex(self.end(second, 1)[1], r"rank 1 \(GPU 1 of \S+\) ended before the run was complete: killed by signal 9 \(Killed\); NCCL_DEBUG=WARN")
        self.assertEqual([row["bytes"] for row in self.rows()], [4096])

    def test_a_dead_kjoule_is_named(self):
        for dead, text in [(1, r"rank 1 \(GPU 1 of \S+\) ended before it could measure all_reduce of 8192 bytes: the connection to it was lost; see what this rank printed"),
                           (0, r"rank 1 \(GPU 1 of \S+\): rank 0 ended before the run was complete; the error message of rank 0 states the reason")]:
            with self.subTest(dead=dead):
                self.folder = self.folder.with_name(f"dead_{dead}")
                ranks = self.start_ranks(2, "all_reduce", "--to", 16384, FAKE_NCCL_STALLS="1:200")
                wait_until(self.rows, "the first row")
                ranks[dead].send_signal(signal.SIGKILL)
                self.assertRegex(self.end(ranks[1 - dead], 1)[1], text)

    def test_a_silent_rank_0(self):
        ranks = self.start_ranks(2, "all_reduce", "--time-limit", 2, FAKE_NCCL_LATE="1:100000")
        wait_until(lambda: subprocess.run(["pgrep", "-P", str(ranks[1].pid), "kjoule-nccl"], capture_output=True, check=False).stdout, "rank 1 has connected")
        ranks[0].send_signal(signal.SIGSTOP)
        self.assertRegex(self.end(ranks[1], 1)[1], r"rank 1 \(GPU 1 of \S+\): rank 0 has sent nothing for 4 s; check that the machine of rank 0 can still be reached")

    def test_a_late_rank(self):
        first, second = self.start_ranks(2, "all_reduce", "--to", 8192, "--time-limit", 3, FAKE_NCCL_LATE="1:100000")
        self.assertRegex(self.end(first, 1)[1], r"rank 1 \(GPU 1 of \S+\) did not open its GPU and load NCCL within 3 s")
        self.assertIn("rank 0 ended before the run was complete", self.end(second, 1)[1])

    def test_another_version_of_nccl(self):
        first, second = self.start_ranks(2, "all_reduce", FAKE_NCCL_VERSION="1:22105")
        self.assertRegex(self.end(first, 1)[1], r"rank 0 \(GPU 0 of \S+\) loads NCCL 2.27.3 \(libnccl.so.2\), but rank 1 \(GPU 1 of \S+\) loads NCCL 2.21.5 ")
        self.assertIn("rank 0 ended before the run was complete", self.end(second, 1)[1])

    def test_energies_of_one_machine(self):
        # The two GPUs consume 300 and 310 W.
        self.environment |= TWO_ENERGY_COUNTERS
        for attempt in range(3):
            self.folder = self.folder.with_name(f"energies_{attempt}")
            first, second = self.start_ranks(2, "all_reduce", "--to", 4096, "--energy")
            self.assertEqual(self.end(second, 0), ("", ""))
            first.wait(120)
            row, = self.rows()
            if "gave no reading" not in row["energy_missing"]:  # as on a crowded machine
                break
        self.end(first, 0)
        self.assertEqual((row["meter"], row["energy_missing"]), ("nvml-counter", ""))
        self.assertAlmostEqual(1e6 * row["joules"] / row["energy_time_us"], 610, delta=0.02 * 610)

    def test_machines_have_no_energies_together(self):
        ranks = [self.start(self.of_srun(rank, 2, f"n{rank}"), "all_reduce", "--to", 4096, "--energy") for rank in range(2)]
        self.assertIn("the GPUs are on several machines", self.end(ranks[0], 1)[1])
        self.end(ranks[1], 0)
        row, = self.rows()
        self.assertEqual((row["joules"], row["energy_missing"]), (None, "the GPUs are on several machines, and kjoule reads the meters of one machine"))
        self.assertGreater(row["time_us"], 0)

    def test_ranks_on_the_same_gpu(self):
        first, _ = self.start_ranks(2, "all_reduce", CUDA_VISIBLE_DEVICES="3")
        self.assertRegex(self.end(first, 1)[1], r"rank 0 \(GPU 0 of (\S+)\) and rank 1 \(GPU 0 of \1\) use the same GPU; start one rank for each GPU")

    def test_more_ranks_than_gpus(self):
        first, _ = self.start_ranks(2, "all_reduce", FAKE_CUDA_DEVICES="1")
        self.assertRegex(self.end(first, 1)[1], r"rank 1 \(GPU 1 of \S+\): there is no GPU 1: CUDA finds 1; .* start no more ranks on a machine than it has GPUs")

    def test_a_missing_rank(self):
        first = self.start(self.of_torchrun(0, 3), "all_reduce", "--time-limit", 2)
        self.assertRegex(self.end(first, 1)[1], rf"ranks 1 to 2 did not connect to port {self.port} of \S+ within 2 s; check that all ranks have started")
        second = self.start(self.of_torchrun(1, 3), "all_reduce", "--time-limit", 0.5)
        self.assertRegex(self.end(second, 1)[1],
                         rf"rank 1 \(GPU 1 of \S+\) could not connect to rank 0 at 127.0.0.1, port {self.port}, within 0.5 s: Connection refused")

    def test_a_stranger_is_ignored(self):
        first = self.start(self.of_torchrun(0, 2), "all_reduce", "--to", 4096)

        def connect():
            with contextlib.suppress(ConnectionRefusedError):
                return socket.create_connection(("127.0.0.1", self.port))
        strangers = []
        wait_until(lambda: strangers.append(connect()) or strangers[-1], "rank 0 listens")
        strangers.append(connect())  # This one remains silent.
        strangers[-2].sendall(b"GET / HTTP/1.1\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            self.assertEqual(strangers[-2].recv(1), b"")
        other_run = self.start(self.of_torchrun(1, 2, TORCHELASTIC_RUN_ID="other"), "all_reduce", "--to", 4096, "--time-limit", 0.5)
        self.assertIn("within 0.5 s: the port is used by another program, or another run of kjoule", self.end(other_run, 1)[1])
        second = self.start(self.of_torchrun(1, 2), "all_reduce", "--to", 4096)
        self.end(first, 0)
        self.end(second, 0)
        self.assertEqual(len(self.rows()), 1)
        for stranger in filter(None, strangers):
            stranger.close()

    def test_a_port_in_use(self):
        with socket.create_server(("127.0.0.1", self.port)):
            rank = self.start(self.of_torchrun(0, 2), "all_reduce")
            self.assertIn(f"kjoule: port {self.port} cannot be used: Address already in use; choose another one with --port", self.end(rank, 1)[1])
            other = free_port()
            ranks = self.start_ranks(2, "all_reduce", "--to", 4096, "--port", other)
            self.end(ranks[0], 0)
            self.end(ranks[1], 0)

    def test_wrong_command_lines(self):
        for variables, words, text in [
                (self.of_torchrun(1, 2), ["--gpus", "0,1"], "--gpus has no effect in a process that torchrun or srun started as one of several ranks; omit it"),
                ({}, ["--port", 7], "--port has no effect without torchrun or srun; omit it"),
                (self.of_torchrun(1, 65), [], "the number of ranks is 65, but collectives need 2 to 64; start one rank for each GPU of several GPUs"),
                # Every rank finds this by itself, so that none waits for the others.
                (self.of_torchrun(1, 2), ["--from", 8, "--to", 4], "there is no size from 8 to 4 bytes that all_reduce can have")]:
            self.assertIn(text, self.end(self.start(variables, "all_reduce", *words), 2)[1])

    def test_an_unknown_first_machine(self):
        rank = self.start(self.of_srun(1, 2, "n1", MASTER_ADDR="", SLURM_STEP_NODELIST="a[1-2]b[3-4]"), "all_reduce")
        self.assertIn("the machine of rank 0 is not known from Slurm's list of nodes, 'a[1-2]b[3-4]'; set MASTER_ADDR to the name of the first node: "
                      'export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)', self.end(rank, 1)[1])


@unittest.skipIf(os.environ.get("KJOULE_TORCH") and not TORCHRUN.exists(), "a torch of the user's own without torchrun")
class Torchrun(Group):
    def run_torchrun(self, *words):
        return subprocess.run([TORCHRUN, "--no-python", *words], capture_output=True, text=True, timeout=300, env=self.environment, check=False)

    def test_starts_the_ranks(self):
        for ranks, options in [(2, ["--standalone"]), (4, ["--master-port", str(self.port)])]:
            with self.subTest(ranks=ranks):
                self.folder = self.folder.with_name(f"of_{ranks}")
                done = self.run_torchrun(*options, "--nproc-per-node", str(ranks), *self.words("all_reduce", "--precision", "bf16", "--to", 16384))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(heads_in(done.stdout), 1)
                rows = self.rows()
                self.assertEqual([(row["bytes"], row["nodes"], row["gpus_per_node"]) for row in rows], [(size, 1, ranks) for size in [4096, 8192, 16384]])
                self.check_times(rows)
                self.assertAlmostEqual(rows[0]["bus_bytes_per_s"] / rows[0]["algorithm_bytes_per_s"], 2 * (ranks - 1) / ranks)

    def test_one_rank_on_each_of_two_agents(self):
        """As on two machines, rank 0 listens on all interfaces."""
        words = [TORCHRUN, "--no-python", "--nnodes", "2", "--nproc-per-node", "1", "--master-addr", "localhost", "--master-port", str(free_port())]
        agents = [subprocess.Popen([*words, "--node-rank", str(node), *self.words("broadcast", "--to", 4096, "--port", self.port)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=self.environment | {"SLURMD_NODENAME": f"n{node}"}) for node in range(2)]
        outputs = [agent.communicate(timeout=300) for agent in agents]
        self.assertEqual([agent.returncode for agent in agents], [0, 0], outputs)
        self.assertEqual([heads_in(output) for output, _ in outputs], [1, 0])
        self.assertEqual([(row["bytes"], row["nodes"], row["gpus_per_node"]) for row in self.rows()], [(4096, 2, 1)])

    def test_ends_with_a_dead_rank(self):
        self.environment["FAKE_NCCL_DIES"] = "1:200"
        done = self.run_torchrun("--standalone", "--nproc-per-node", "2", *self.words("all_reduce", "--to", 16384))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"kjoule: rank 1 \(GPU 1 of \S+\) ended before it could measure all_reduce of 8192 bytes: killed by signal 9 \(Killed\)")
        self.assertEqual([row["bytes"] for row in self.rows()], [4096])


@unittest.skipIf(WITHOUT_SLURM, WITHOUT_SLURM)
class Slurm(Group):
    def start_cluster(self):
        # The paths of Slurm's sockets are short.
        folder = tempfile.TemporaryDirectory(prefix="slurm")
        self.addCleanup(folder.cleanup)
        cluster = SlurmCluster(folder.name)
        self.addCleanup(cluster.stop)
        cluster.environment |= STAND_IN_VARIABLES
        return cluster

    def check_two_nodes(self, output):
        self.assertEqual(heads_in(output), 1)
        self.assertIn("\n2 GPUs of 2 machines (Stand-in GPU), fp16, in place, NCCL 2.27.3;", output)
        rows = self.rows()
        self.assertEqual([(row["bytes"], row["nodes"], row["gpus_per_node"]) for row in rows], [(4096, 2, 1), (8192, 2, 1)])
        self.check_times(rows)

    def test_srun_and_sbatch_on_two_nodes(self):
        cluster = self.start_cluster()
        # Other clusters know their nodes by name, but this one's nodes are both this machine.
        self.assertIn("rank 1 (GPU 0 of n1) could not connect to rank 0 at n0, port ",
                      cluster.run("srun", "-N", 2, *self.words("all_reduce", "--time-limit", 2), check=False))
        cluster.environment["MASTER_ADDR"] = "localhost"
        self.check_two_nodes(cluster.run("srun", "-N", 2, *self.words("all_reduce", "--to", 8192)))
        self.folder = self.folder.with_name("of_script")
        script = self.folder.with_name("job.sh")
        subprocess.run(self.words("all_reduce", "--to", 8192, "--slurm-script", script, "--nodes", 2, "--gpus-per-node", 1), check=True, env=self.environment)
        cluster.run("sbatch", "--wait", script)
        output, = self.folder.glob("slurm_*.txt")
        self.check_two_nodes(output.read_text())


class Scripts(Group):
    def write_script(self, *words):
        return subprocess.run([*self.words("all_gather", "--precision", "bf16", "--slurm-script", self.folder.with_name("job.sh")), *words],
                              capture_output=True, text=True, check=False, env=self.environment)

    def test_a_script_starts_a_task_for_each_gpu(self):
        done = self.write_script("--nodes", "2", "--gpus-per-node", "4", "--time", "00:10:00", "--account", "a", "--partition", "p", "--sbatch=--qos=low")
        self.assertEqual(done.returncode, 0, done.stderr)
        script = self.folder.with_name("job.sh")
        self.assertEqual(done.stdout, f"{script} measures all_gather on 8 GPUs; submit it: sbatch {script}\n")
        text = script.read_text()
        for line in ["--nodes=2", "--ntasks-per-node=4", "--gpus-per-node=4", "--no-requeue", "--time=00:10:00", "--account=a", "--partition=p", "--qos=low",
                     f'--output="{self.folder}/slurm_%j.txt"']:
            self.assertIn(f"#SBATCH {line}\n", text)
        command = f"{KJOULE} collectives all_gather --precision bf16 --output-dir {self.folder}"
        self.assertTrue(text.endswith(f"\nexec srun --nodes=2 --ntasks=8 --ntasks-per-node=4 {command}\n"), text)
        self.assertTrue(self.folder.is_dir(), "Slurm does not make the folder of its output")

    def test_wrong_scripts(self):
        for words, text in [(["--nodes", "2"], "--slurm-script requires --gpus-per-node"), (["--gpus-per-node", "1"], "the number of ranks is 1, but collectives need 2 to 64"),
                            (["--nodes", "9", "--gpus-per-node", "8"], "the number of ranks is 72"), (["--gpus-per-node", "2", "--gpus", "0,1"], "--gpus"),
                            (["--gpus-per-node", "2", "--sbatch=--ntasks=3"], "--sbatch: the script of kjoule cannot have the option --ntasks; omit it; --nodes and --gpus-per-node shape"),
                            (["--gpus-per-node", "2", "--from", "8192", "--to", "4096"], "there is no size from 8192 to 4096 bytes")]:
            done = self.write_script(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)
        self.assertFalse(self.folder.exists())
