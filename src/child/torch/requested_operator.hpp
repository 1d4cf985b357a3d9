#pragma once
#include <string>
#include <vector>

#include "child/operators/operator.hpp"
#include "sample/sample_protocol.hpp"

namespace kjoule::child {

/// The operator of a request at its shape, and at the shape of its warm-up, with their data. Throw
/// InvalidShape, Refused, Error, or what libtorch throws.
Directions requested_operator(const SampleRequest& request, c10::Device device);
Directions warmup_operator(const SampleRequest& request, c10::Device device);

/// Of a file, a line each. Throws Error "FILE:LINE: .." for what is none.
std::vector<SampleRequest> read_requests(const std::string& file);

}  // namespace kjoule::child
