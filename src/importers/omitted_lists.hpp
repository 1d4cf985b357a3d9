#pragma once
#include "importers/imported_table.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

/// Restores the tensor lists of a fused optimizer's step in `by`, the trace's operator with index `which`.
/// PyTorch's profiler writes a list of more than 30 tensors as an empty list, which affects all lists of such
/// a step. The step's parameters are the tensors whose gradients were accumulated since the previous step of
/// the same operator (torch::autograd::AccumulateGrad, one call for each parameter, the last parameter
/// first); their sizes and strides are used. Types stay unknown, as in all lists. Other operators, steps
/// without such gradients, and steps that consist of several calls are not changed.
void restore_omitted_lists(const ProfilerTrace& trace, uint32_t which, LaunchingOperator& by);

}  // namespace kjoule
