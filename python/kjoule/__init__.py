"""kjoule in Python: measures programs, models, layers and operators by the program kjoule, and returns its reports as dataclasses."""
from .errors import Error, UsageError
from .kernel_table import Kernel, KernelTable
from .layer_tests import UNROLL_FACTOR, KernelTest, test_conv_iter, test_kernel_iter, test_matmul_iter
from .marking import Ranges, iteration, ranges
from .measuring import (Comparison, compare, diff, energy, full, isolated, kernels, layers, layers_of_each, layers_of_program, predict, predict_step,
                        sample, train)
from .pipeline_tests import PipelineTest, pipeline_benchmark, profile_device_idle_power
from .predictor import Predictor
from .programs import find_program
from .report import Report

__all__ = ["UNROLL_FACTOR", "Comparison", "Error", "Kernel", "KernelTable", "KernelTest", "PipelineTest", "Predictor", "Ranges", "Report", "UsageError", "compare",
           "diff", "energy", "find_program", "full", "isolated", "iteration", "kernels", "layers", "layers_of_each", "layers_of_program",
           "pipeline_benchmark", "predict", "predict_step", "profile_device_idle_power", "ranges", "sample", "test_conv_iter", "test_kernel_iter",
           "test_matmul_iter", "train"]
