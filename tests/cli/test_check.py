"""The comparison of exported and eager model, which must be able to fail."""

import unittest

import torch

from kjoule_export.check import Checker, trial_sizes
from kjoule_export.errors import ExportError
from kjoule_export.inputs import InputSpec, random_inputs, token_ids

SPEC = token_ids(batch=2, seq_len=5, vocab=10)


def eager(inputs):
    return inputs[0].float().cumsum(1)


def checker(exported, run=eager, dtype="float32"):
    return Checker(run, exported, [SPEC], dtype, "cpu", seed=0)


class LargestDifference(unittest.TestCase):
    def test_equal_models_differ_by_nothing(self):
        self.assertEqual(checker(eager).largest_difference(), 0.0)

    def test_small_difference_is_reported(self):
        self.assertAlmostEqual(checker(lambda inputs: eager(inputs) + 5e-5).largest_difference(), 5e-5, delta=5e-6)

    def test_dtype_decides_what_is_too_much(self):
        def off(inputs):
            return eager(inputs) + 0.05

        self.assertGreater(checker(off, dtype="bfloat16").largest_difference(), 0.04)
        with self.assertRaisesRegex(ExportError, "differs"):
            checker(off).largest_difference()

    def test_nan_of_the_exported_model_fails(self):
        with self.assertRaisesRegex(ExportError, "nan"):
            checker(lambda inputs: eager(inputs) * float("nan")).largest_difference()

    def test_nan_of_the_eager_model_fails(self):
        def broken(inputs):
            return eager(inputs) * float("nan")

        with self.assertRaisesRegex(ExportError, "the eager model returns NaN"):
            checker(broken, broken).largest_difference()

    def test_another_shape_fails(self):
        with self.assertRaisesRegex(ExportError, "differs"):
            checker(lambda inputs: eager(inputs)[:1]).largest_difference()

    def test_random_operators_see_the_same_generator(self):
        def noisy(inputs):
            return eager(inputs) + torch.rand(2, 5)

        self.assertEqual(checker(noisy, noisy).largest_difference(), 0.0)


class BakedSizes(unittest.TestCase):
    def test_none(self):
        self.assertEqual(checker(eager).baked_sizes({}), [])

    def test_size_that_throws(self):
        self.assertEqual(checker(lambda inputs: eager(inputs).view(2, -1)).baked_sizes({}), ["batch"])

    def test_size_that_gives_other_values(self):
        def five_positions(inputs):
            return torch.cat([eager(inputs)[:, :5], eager(inputs)[:, 5:] * 0], 1)

        self.assertEqual(checker(five_positions).baked_sizes({}), ["seq_len"])

    def test_sizes_free_only_one_at_a_time(self):
        def either(inputs):
            assert inputs[0].shape[0] == 2 or inputs[0].shape[1] == 5
            return eager(inputs)

        self.assertEqual(checker(either).baked_sizes({}), ["batch", "seq_len"])

    def test_size_that_the_eager_model_cannot_change_counts_as_baked(self):
        def pair(inputs):
            return eager(inputs).view(2, -1)

        self.assertEqual(checker(pair, pair).baked_sizes({}), ["batch"])

    def test_trials_stay_below_the_limit(self):
        self.assertEqual(trial_sizes(5, None), [8, 10])
        self.assertEqual(trial_sizes(1024, 1024), [512, 1023])
        self.assertEqual(trial_sizes(1, 1), [])


class Inputs(unittest.TestCase):
    def test_integers_keep_their_bounds(self):
        tensor = random_inputs([token_ids(50, 50, 7)], 0, "cpu")[0]
        self.assertEqual((tensor.min().item(), tensor.max().item(), tensor.dtype), (0, 6, torch.int64))

    def test_seed_decides(self):
        specs = [InputSpec("x", "bfloat16", (3,), ("batch",))]
        first, again, other = (random_inputs(specs, seed, "cpu")[0] for seed in (1, 1, 2))
        self.assertTrue(torch.equal(first, again))
        self.assertFalse(torch.equal(first, other))
        self.assertEqual(first.dtype, torch.bfloat16)


if __name__ == "__main__":
    unittest.main()
