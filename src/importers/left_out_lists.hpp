#pragma once
#include "importers/imported_table.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

/// PyTorch's profiler writes a list of more than 30 tensors as an empty one, and so all lists of a fused
/// optimizer's step. Its parameters are the tensors whose gradients were accumulated since the same step
/// before, in time (torch::autograd::AccumulateGrad, one a parameter, the last parameter first): gives `by`,
/// which is that operator of the trace, their sizes and strides. Leaves any other operator as it is, one
/// without such gradients, and a step that is made by several calls. Types stay unknown, as in all lists.
void add_lists_left_out(const ProfilerTrace& trace, uint32_t which, LaunchingOperator& by);

}  // namespace kjoule
