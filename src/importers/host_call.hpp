#pragma once
#include <string>
#include <string_view>

namespace kjoule {

/// Returns whether `name` is a function of the CUDA or HIP runtime or driver. Some tables list these calls of
/// the host among the kernels, or instead of them.
bool is_host_call(const std::string& name);

/// Returns whether `name` is a range that PyTorch's profiler lists among the kernels: a step of the profiler,
/// an annotation, a collective's record or the span of a compiled graph.
bool is_profiler_range(std::string_view name);

/// Returns whether `name` is an operator of PyTorch or a range of its profiler. In a table that also lists
/// kernels, their times contain those of the kernels.
bool is_operator_or_range(std::string_view name);

}  // namespace kjoule
