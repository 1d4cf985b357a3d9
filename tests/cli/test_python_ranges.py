"""kjoule.ranges(): ranges around the modules of a torch model, in which the model does not change."""
import unittest
from unittest import mock

import torch

import kjoule
from kjoule import marking


class Block(torch.nn.Module):
    def __init__(self, fails=False):
        super().__init__()
        self.first, self.fails = torch.nn.Linear(4, 4), fails
        self.rest = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(4, 4))

    def forward(self, x):
        x = self.rest(self.first(x))
        if self.fails:
            raise ValueError("fails")
        return x


class Model(torch.nn.Module):
    def __init__(self, fails=False):
        super().__init__()
        self.block, self.head = Block(fails), torch.nn.Linear(4, 2)
        self.tied = self.head  # the same module under a second name

    def forward(self, x):
        return self.tied(self.head(self.block(x)) @ torch.ones(2, 4))


ORDER = ["Model", "Model/block", "Model/block/first", "Model/block/rest", "Model/block/rest/0", "Model/block/rest/1", "Model/head", "Model/head"]


class Recorder:
    """The ranges that were opened, each with the ranges that contain it."""

    def __init__(self):
        self.open, self.opened = [], []

    def push(self, name):
        self.open.append(name)
        self.opened.append("/".join(self.open))

    def pop(self):
        self.open.pop()


class Ranges(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.input = torch.randn(3, 4)
        self.recorder = Recorder()

    def recorded(self):
        """Records NVTX ranges of torch, whether it was built for CUDA or not."""
        stack = mock.patch.multiple(torch.cuda.nvtx, range_push=self.recorder.push, range_pop=self.recorder.pop)
        stack.start()
        self.addCleanup(stack.stop)
        has = mock.patch.object(marking, "_torch_has_nvtx", lambda _: True)
        has.start()
        self.addCleanup(has.stop)

    def test_each_module_has_a_range_within_that_of_its_parent(self):
        self.recorded()
        model = Model()
        expected = model(self.input)
        with kjoule.ranges(model):
            self.assertTrue(torch.equal(model(self.input), expected))
        self.assertEqual((self.recorder.opened, self.recorder.open), (ORDER, []))
        model(self.input)
        self.assertEqual(len(self.recorder.opened), len(ORDER), "the ranges are removed")
        self.assertEqual([(len(one._forward_hooks), len(one._forward_pre_hooks)) for one in model.modules()], [(0, 0)] * 7)

    def test_ranges_without_a_with_statement_and_with_another_name(self):
        self.recorded()
        model = Model()
        ranges = kjoule.ranges(model, name="net")
        for _ in range(2):
            model(self.input)
        self.assertEqual(self.recorder.opened, [path.replace("Model", "net") for path in ORDER] * 2)
        ranges.remove()
        ranges.remove()
        model(self.input)
        self.assertEqual(len(self.recorder.opened), 2 * len(ORDER))

    def test_a_module_that_fails_leaves_no_range_open(self):
        self.recorded()
        model = Model(fails=True)
        with kjoule.ranges(model), self.assertRaisesRegex(ValueError, "fails"):
            model(self.input)
        self.assertEqual((self.recorder.opened, self.recorder.open), (ORDER[:6], []))

    def test_hooks_of_the_user_are_within_the_range(self):
        self.recorded()
        model, seen = Model(), []
        model.head.register_forward_pre_hook(lambda *_: seen.append(("before", "/".join(self.recorder.open))))
        with kjoule.ranges(model):
            model(self.input)
        self.assertEqual(seen, [("before", "Model/head")] * 2)

    def test_scripted_modules_have_none(self):
        self.recorded()
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.jit.script(torch.nn.ReLU()))
        with kjoule.ranges(model):
            model(self.input)
        self.assertEqual(self.recorder.opened, ["Sequential", "Sequential/0"])

    def test_the_gradients_are_the_same(self):
        self.recorded()
        model = Model()
        model(self.input).sum().backward()
        expected = [parameter.grad.clone() for parameter in model.parameters()]
        model.zero_grad()
        with kjoule.ranges(model):
            model(self.input).sum().backward()
        self.assertTrue(all(torch.equal(one, parameter.grad) for one, parameter in zip(expected, model.parameters())))

    def test_without_nvtx_they_are_ranges_of_the_profiler(self):
        model = Model()
        with mock.patch.object(marking, "_torch_has_nvtx", lambda _: False), kjoule.ranges(model), \
                torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            model(self.input)
        events = {event.name: event for event in profile.events() if event.name in ("Model", "block", "rest", "1")}
        path, event = [], events["1"]
        while event:
            path.append(event.name)
            event = event.cpu_parent
        self.assertEqual(path, ["1", "rest", "block", "Model"])
        self.assertIn("aten::linear", {child.name for child in events["1"].cpu_children})


if __name__ == "__main__":
    unittest.main()
