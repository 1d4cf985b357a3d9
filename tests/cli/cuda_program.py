"""A program that uses CUDA, as far as kjoule can see: does one step after another, as its arguments say.

    init          cuInit: the driver loads the injected library     launch        a kernel launch
    print:TEXT    to stdout            error:TEXT  to stderr        echo          stdin to stdout
    pid:FILE      its pid into FILE    env:NAME    value to stdout  sleep:S
    exit:N        ends here            kill:N      signal to itself
    deaf          ignores SIGTERM      child:STEP+STEP              a process that does these steps; not waited for
    fork          a process that only holds what it inherited
"""
import ctypes
import os
import signal
import subprocess
import sys
import time


def cuda():
    return ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])


STEPS = {
    "init": lambda _: cuda().InitializeInjection(),
    "launch": lambda _: cuda().cuLaunch(),
    "print": lambda text: print(text, flush=True),
    "error": lambda text: print(text, file=sys.stderr, flush=True),
    "echo": lambda _: print(sys.stdin.read(), flush=True),
    "pid": lambda path: open(path, "w").write(str(os.getpid())),
    "env": lambda name: print(os.environ.get(name, "not set"), flush=True),
    "sleep": lambda seconds: time.sleep(float(seconds)),
    "exit": lambda code: sys.exit(int(code)),
    "kill": lambda number: os.kill(os.getpid(), int(number)),
    "deaf": lambda _: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "child": lambda steps: subprocess.Popen([sys.executable, __file__, *steps.split("+")], close_fds=True),
    "fork": lambda _: os.fork() or (time.sleep(100), os._exit(0)),
}

for step in sys.argv[1:]:
    name, _, argument = step.partition(":")
    STEPS[name](argument)
