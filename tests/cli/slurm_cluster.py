"""A private cluster of Slurm on this machine: munged, slurmctld and two slurmd on the loopback, with all state in one folder."""
import contextlib
import getpass
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "sinfo", "squeue"]
PATH = os.environ["PATH"] + ":/usr/sbin"
PATIENCE = 120  # s, only to find what never comes

CONFIGURATION = """ClusterName=t
SlurmctldHost=localhost(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/sock,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/ctld
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/log/ctld.log
SlurmdLogFile={folder}/log/%n.log
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
KillWait=20
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
MinJobAge=3600
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,nohold_on_prolog_fail,preempt_youngest_first
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName=n0 NodeHostname=localhost NodeAddr=127.0.0.1 Port={n0_port} CPUs=3 RealMemory=1000 Weight=1 Gres=gpu:2 State=UNKNOWN
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={n1_port} CPUs=1 RealMemory=1000 Weight=2 Gres=gpu:2 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES PriorityTier=1 GraceTime=0 PreemptMode=REQUEUE State=UP
PartitionName=hi Nodes=ALL PriorityTier=10 PreemptMode=OFF State=UP
"""


def reason_without_slurm():
    """Returns why no cluster can be started, or nothing if one can."""
    missing = [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]
    return f"Slurm is not installed ({', '.join(missing)}; Debian: slurmctld slurmd slurm-client munge)" if missing else ""


def wait_until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {PATIENCE} s")
        time.sleep(0.1)


def is_running(pid):
    """Whether the process has not ended; one that nobody has reaped yet has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class SlurmCluster:
    """A running cluster with the nodes n0 (3 CPUs, used first) and n1 (1 CPU), each with two GPUs that do not exist, and the partitions p and hi; jobs of hi preempt those of p."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        for name in ["ctld", "n0", "n1", "log", "munge"]:
            (self.folder / name).mkdir(parents=True)
        self.folder.chmod(0o755)
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        port = random.randrange(20000, 30000, 3)
        configuration = self.folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(user=getpass.getuser(), port=port, n0_port=port + 1, n1_port=port + 2, folder=self.folder))
        # Slurm only counts these GPUs, and passes their numbers on.
        (self.folder / "gres.conf").write_text("AutoDetect=off\nName=gpu File=/dev/null\nName=gpu File=/dev/zero\n")
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": str(configuration)}
        munge = self.folder / "munge"
        self.run("munged", f"--key-file={key}", f"--socket={munge}/sock", f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed", "--num-threads=2")
        self.run("slurmctld", "-f", configuration, "-c")
        for node in ["n0", "n1"]:
            self.start_node(node)
        wait_until(lambda: self.run("sinfo", "-h", "-p", "p", "-o", "%T %D", check=False).split() == ["idle", "2"], "the nodes are idle")

    def start_node(self, node):
        self.run("slurmd", "-f", self.environment["SLURM_CONF"], "-N", node)

    def lose_node(self, node):
        """Kills the daemon of the node, as if the network to this node had failed: its jobs go on, but Slurm cannot reach them."""
        os.kill(int((self.folder / f"{node}.pid").read_text()), signal.SIGKILL)
        self.run("scontrol", "update", f"node={node}", "state=down", "reason=lost")

    def run(self, *words, check=True):
        """Runs a program of Slurm and returns its output. The daemons keep running, so their output goes to a file."""
        with open(self.folder / "log/output.txt", "a+", encoding="utf-8") as file:
            begin = file.seek(0, os.SEEK_END)
            done = subprocess.run([str(word) for word in words], stdout=file, stderr=subprocess.STDOUT, env=self.environment, timeout=PATIENCE, check=False)
            file.seek(begin)
            text = file.read()
        if check and done.returncode != 0:
            raise AssertionError(f"{words}: {text}")
        return text

    def states(self, job):
        """Returns the state of each task of an array by its number."""
        return self.ask(job, "%T")

    def nodes(self, job):
        """Returns the node of each task of an array that runs, by its number."""
        return self.ask(job, "%N")

    def ask(self, job, field):
        lines = self.run("squeue", "-h", "-t", "all", "-r", "-j", job, "-o", f"%K {field}").splitlines()
        return {int(task): answer for task, _, answer in (line.partition(" ") for line in lines)}

    def stop(self):
        """Ends all jobs, then the daemons that this object started."""
        self.run("scancel", "-u", getpass.getuser(), check=False)
        with contextlib.suppress(AssertionError):
            wait_until(lambda: not self.run("squeue", "-h", check=False).strip(), "the end of all jobs")
        for name in ["n0.pid", "n1.pid", "ctld.pid", "munge/pid"]:
            with contextlib.suppress(OSError, ValueError):
                daemon = int((self.folder / name).read_text())
                os.kill(daemon, signal.SIGTERM)
                wait_until(lambda pid=daemon: not is_running(pid), f"the end of the process in {name}")
