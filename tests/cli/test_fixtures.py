"""The tiny models of kjoule's own tests: each must keep its trait, iteration after iteration."""

import tempfile
import unittest
from collections import Counter
from pathlib import Path

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from kjoule_export.fixtures import FIXTURES, main, make_model, write_fixture
from kjoule_export.inputs import random_inputs
from kjoule_export.tracing import patch_for_tracing

from .helpers import load_script


class Watch(TorchDispatchMode):
    """Keeps the operators that run, with their arguments."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        self.calls.append((function, arguments))
        return function(*arguments, **(keywords or {}))

    def counts(self):
        return Counter(str(function) for function, _ in self.calls)


class Fixtures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        for name in FIXTURES:
            write_fixture(name, cls.folder / f"{name}.pt")

    def model(self, name):
        return load_script(self.folder / f"{name}.pt")[0]

    def inputs(self, name, seed=3):
        return random_inputs([FIXTURES[name].inputs], seed, "cpu")

    def test_each_describes_itself(self):
        for name, fixture in FIXTURES.items():
            with self.subTest(name):
                metadata = load_script(self.folder / f"{name}.pt")[1]
                self.assertEqual((metadata["model"], metadata["training"]), (f"fixture:{name}", fixture.training))
                self.assertEqual(metadata["inputs"][0]["shape"], list(fixture.inputs.shape))
                self.assertLess(metadata["largest_difference"], 1e-5)

    def test_iterations_follow_the_eager_model(self):
        for name in FIXTURES:
            with self.subTest(name), patch_for_tracing(), torch.no_grad():
                eager, exported = make_model(FIXTURES[name]), self.model(name)
                for iteration in range(2 if name == "throws_later" else 4):
                    inputs = self.inputs(name, seed=iteration)
                    torch.manual_seed(iteration)
                    expected = eager(*[tensor.clone() for tensor in inputs])
                    torch.manual_seed(iteration)
                    torch.testing.assert_close(exported(*inputs), expected)

    def test_state_changes_from_pass_to_pass(self):
        for name in ("batchnorm_train", "inplace", "dropout"):
            with self.subTest(name):
                model, inputs = self.model(name), self.inputs(name)
                self.assertFalse(torch.equal(model(*inputs), model(*inputs)))

    def test_lookup_throws_if_replayed_on_what_is_left(self):
        model, watch = self.model("throws"), Watch()
        with watch:
            model(*self.inputs("throws"))
        function, arguments = next(call for call in watch.calls if "index_select" in str(call[0]))
        with self.assertRaises((IndexError, RuntimeError)):
            function(*arguments)

    def test_third_pass_throws(self):
        model, inputs = self.model("throws_later"), self.inputs("throws_later")
        model(*inputs)
        model(*inputs)
        with self.assertRaises((IndexError, RuntimeError)):
            model(*inputs)

    def test_iterations_vary(self):
        model, counts = self.model("varying"), []
        for _ in range(4):
            with Watch() as watch:
                model(*self.inputs("varying"))
            counts.append(watch.counts()["aten.mm.default"])
        self.assertEqual(counts, [1, 2, 3, 1])


class Command(unittest.TestCase):
    def test_wrong_usage(self):
        self.assertEqual(main([]), 2)


if __name__ == "__main__":
    unittest.main()
