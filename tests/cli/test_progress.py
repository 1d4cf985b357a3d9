"""Progress on stderr: one line on a terminal, which results replace; elsewhere one line at first, and then at most one every 10 s."""
import os
import pty
import subprocess
import unittest

from .test_commands import KJOULE, InAFolder

WIPE = "\r\033[K"

class Progress(InAFolder):
    def words(self, name):
        return [KJOULE, "compare", "--device", "simulated:seed=5", "--runs", "5", "--time-limit", "0.2", "-o", self.folder / name]

    def on_a_terminal(self, words):
        """Runs the command with stdout and stderr on one terminal; returns all that it wrote there."""
        terminal, end = pty.openpty()
        with subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=end, stderr=end, env={**os.environ, "TERM": "xterm"}) as process:
            os.close(end)
            written = b""
            try:
                while piece := os.read(terminal, 1 << 16):
                    written += piece
            except OSError:  # the other end is closed
                pass
        os.close(terminal)
        self.assertEqual(process.returncode, 0, written)
        return written.decode().replace("\r\n", "\n")

    def test_elsewhere_it_is_one_line_for_work_of_less_than_10_s(self):
        done = subprocess.run(list(map(str, self.words("r"))), capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.stderr, "timing the program's own iterations\n")

    def test_on_a_terminal_results_replace_it(self):
        plain = subprocess.run(list(map(str, self.words("plain"))), capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout
        written = self.on_a_terminal(self.words("shown"))
        self.assertIn(f"{WIPE}measuring the kernels in context", written)
        self.assertIn(f"{WIPE}measuring energy", written)
        shown = [line.rpartition(WIPE)[2] for line in written.split("\n")]
        self.assertEqual(shown, plain.replace("plain", "shown").split("\n"))

    def test_times_come_before_energy_is_measured(self):
        written = self.on_a_terminal(self.words("r"))
        self.assertLess(written.index("sum: kernels' times x counts"), written.index("measuring energy"))
        self.assertLess(written.index("measuring energy"), written.index("sum: kernels' energies"))
        self.assertLess(written.index("sum: kernels' energies"), written.index("measuring the kernels in isolation"))


if __name__ == "__main__":
    unittest.main()
