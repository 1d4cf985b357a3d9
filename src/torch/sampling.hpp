#pragma once
#include <c10/core/Device.h>

#include "device/sample_protocol.hpp"
#include "torch/callable_operators.hpp"

namespace kjoule::runner {

/// Returns the device and the description of its times.
SamplingDevice sampling_device(c10::Device device);

/// Times an operator. If the operator cannot be timed, the answer contains the reason.
SampleAnswer sample_operator(const SampleRequest& request, const CallableOperators& callable,
                             c10::Device device);

/// Returns to the device the memory that libtorch's allocator keeps for later use.
void release_cached_memory(c10::Device device);

}  // namespace kjoule::runner
