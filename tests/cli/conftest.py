"""What every run of the tests needs: default signals, bytecode, one torch thread, and a summary that counts each test once."""
import collections
import os
import pathlib
import signal
import sys

import pytest

from .trained_models import folder_of_all_tests

SLOWEST = 5
OUTCOMES = ["passed", "skipped", "failed"]  # from best to worst

# A shell starts background jobs with these signals ignored, and every process that a test starts would inherit that.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)

# .venv has no bytecode of torch, and without it every process that imports torch would compile that anew, for many seconds.
sys.dont_write_bytecode = False
sys.pycache_prefix = str(pathlib.Path(__file__).resolve().parents[2] / "build/pycache")
os.environ.update(PYTHONDONTWRITEBYTECODE="", PYTHONPYCACHEPREFIX=sys.pycache_prefix)


@pytest.fixture(autouse=True, scope="session")
def one_torch_thread():
    """Limits torch to one thread in this process, if it is imported; most modules do without it, to start faster."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def pytest_configure(config):
    """Makes the folder of the models that all tests share, before workers start."""
    folder = folder_of_all_tests()
    folder.__enter__()
    config.add_cleanup(lambda: folder.__exit__(None, None, None))


def outcome(report):
    """Returns the outcome of a report; a failure that was expected is a pass."""
    return "passed" if hasattr(report, "wasxfail") and report.skipped else report.outcome


def pytest_terminal_summary(terminalreporter):
    """Prints the modules that took longest, the tests that failed, and how many tests had which outcome, for tools/test.

    pytest's own summary counts a test with failed subtests as passed and each of its subtests as failed. Here the worst
    report of a test, of its subtests, set-up and tear-down counts. A module that cannot be imported counts as one test.
    """
    worst, seconds = {}, collections.Counter()
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        if isinstance(report, (pytest.TestReport, pytest.CollectReport)):
            worst[report.nodeid] = max(worst.get(report.nodeid, "passed"), outcome(report), key=OUTCOMES.index)
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid.partition("::")[0].rpartition("/")[2]] += report.duration
    if len(seconds) > SLOWEST:
        slowest = [f"{module} {total:.0f} s" for module, total in seconds.most_common(SLOWEST)]
        terminalreporter.write_line(f"slowest modules: {', '.join(slowest)}")
    for test in sorted(test for test, result in worst.items() if result == "failed"):
        terminalreporter.write_line(f"failed: {test}")
    counts = collections.Counter(worst.values())
    if counts:
        terminalreporter.write_line(f"tests: {', '.join(f'{counts[name]} {name}' for name in OUTCOMES)}")
