#pragma once
#include "importers/imported_table.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

/// Restores the tensor lists of a fused optimizer's step. `by` is the trace's operator with index `which`.
///
/// PyTorch's profiler writes a list of more than 30 tensors as an empty list, so that all lists of a step
/// with more than 30 parameters are empty. Their sizes and strides are those of the step's parameters: the
/// tensors whose gradients were accumulated since the previous step of the same operator (one call of
/// torch::autograd::AccumulateGrad for each parameter, in reverse order). Types stay unknown, as in all
/// lists. Other operators, steps without such gradients, and steps that consist of several calls are not
/// changed.
void restore_omitted_lists(const ProfilerTrace& trace, uint32_t which, LaunchingOperator& by);

}  // namespace kjoule
