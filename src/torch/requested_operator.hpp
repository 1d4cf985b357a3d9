#pragma once
#include "device/sample_protocol.hpp"
#include "torch/operator.hpp"

namespace kjoule::child {

/// The operator of a request at its shape, and at the shape of its warm-up, with their data. Throw
/// InvalidShape, Refused, Error, or what libtorch throws.
Directions requested_operator(const SampleRequest& request, c10::Device device);
Directions warmup_operator(const SampleRequest& request, c10::Device device);

}  // namespace kjoule::child
