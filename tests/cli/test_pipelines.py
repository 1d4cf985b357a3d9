"""The Python side of kjoule layers FILE.py, without a GPU: what it reads, and what it says of layers that cannot run."""
import json
import subprocess
import sys
import unittest

from .test_commands import ROOT, InAFolder

KERNEL = """
class Kernel:
    def __init__(self, fails=""):
        self.fails = fails
    def setup(self):
        if self.fails == "setup": raise MemoryError("too large")
        return []
    def capture(self, state):
        if self.fails == "capture": raise ValueError("wrong shape")
        state.append(1)
"""


class OfPipelines(InAFolder):
    def pipelines(self, text):
        path = self.folder / "own.py"
        path.write_text(KERNEL + text)
        return path

    def run_side(self, *arguments):
        return subprocess.run([sys.executable, "-m", "kjoule_pipelines", *map(str, arguments)], capture_output=True, text=True,
                              check=False, cwd=ROOT / "python")

    def test_lists_pipelines_and_their_layers(self):
        path = self.pipelines("pipelines = [('a', [('one', Kernel()), ('two', (lambda: 1, lambda state: None))]), ('b', [])]")
        done = self.run_side(path, "--list")
        self.assertEqual([json.loads(line) for line in done.stdout.splitlines()],
                         [{"pipeline": "a", "layers": ["one", "two"]}, {"pipeline": "b", "layers": []}], done.stderr)

    def test_the_example_is_a_pipeline(self):
        done = self.run_side(ROOT / "examples/add_relu.py", "--list")
        self.assertEqual(json.loads(done.stdout.splitlines()[0])["layers"], ["up", "add_relu", "down"], done.stderr)

    def test_layers_that_cannot_run_are_told_with_their_line(self):
        program = ("import sys; sys.path.insert(0, sys.argv[1]); from kjoule_pipelines import __main__ as side; import json\n"
                   "layers = side.load_pipelines(sys.argv[2])[0][1]\n"
                   "able, failed = side.prepare(layers, lambda: None)\n"
                   "print(json.dumps([[one[0] for one in able], failed]))")
        path = self.pipelines("pipelines = [('a', [('big', Kernel('setup')), ('good', Kernel()), ('odd', Kernel('capture'))])]")
        done = subprocess.run([sys.executable, "-c", program, str(ROOT / "python"), str(path)], capture_output=True, text=True, check=False)
        able, failed = json.loads(done.stdout)
        self.assertEqual(able, ["good"])
        self.assertEqual([one["layer"] for one in failed], ["big", "odd"])
        self.assertEqual(failed[0]["error"], "MemoryError: too large (line 6 of own.py)")

    def test_what_is_wrong_is_one_line(self):
        self.fail_with("defines no pipelines", "layers", self.pipelines("pipelines = []"))
        self.fail_with("a kernel has setup() and capture(state)", "layers", self.pipelines("pipelines = [('a', [('one', 3)])]"))
        for kernel in ["(len,)", "{}", "[]"]:
            self.fail_with("a kernel has setup() and capture(state)", "layers", self.pipelines(f"pipelines = [('a', [('one', {kernel})])]"))
        self.fail_with("NameError: name 'nothing' is not defined (line 11 of own.py)", "layers", self.pipelines("pipelines = nothing"))
        self.fail_with("none of the layers of a can run; error of the first layer, one: MemoryError: too large", "layers", "-o", self.results,
                       self.pipelines("pipelines = [('a', [('one', Kernel('setup'))])]"))

    def test_what_ends_its_own_process(self):
        self.fail_with("own.py: SystemExit: 3 (line 11 of own.py)", "layers", self.pipelines("raise SystemExit(3)"))
        self.fail_with("none of the layers of a can run; error of the first layer, one: SystemExit: 3 (line 12 of own.py)", "layers", "-o", self.results,
                       self.pipelines("import sys\npipelines = [('a', [('one', (lambda: sys.exit(3), len))])]"))

    def test_an_error_within_torch_has_the_line_of_the_file(self):
        self.fail_with("(line 12 of own.py)", "layers", "-o", self.results,
                       self.pipelines("import torch\npipelines = [('a', [('one', (lambda: torch.nn.functional.layer_norm(torch.ones(3), [4]), len))])]"))

    def test_all_layers_of_one_name_fail(self):
        self.fail_with("none of the layers of a can run; error of the first layer, one: MemoryError: too large", "layers", "-o", self.results,
                       self.pipelines("pipelines = [('a', [('one', Kernel('setup')), ('one', Kernel('capture'))])]"))


if __name__ == "__main__":
    unittest.main()
