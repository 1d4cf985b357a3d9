#pragma once
#include "device/sample_protocol.hpp"
#include "torch/callable_operators.hpp"
#include "torch/operator.hpp"

namespace kjoule::runner {

/// Create the operator of a request with its data: make_requested_operator() for the shape of the request,
/// make_warmup_operator() for the shape of the warm-up. Both functions throw InvalidShape,
/// UnsupportedOperator, Error, or an exception of libtorch.
Directions make_requested_operator(const SampleRequest& request, const CallableOperators& callable,
                                   c10::Device device);
Directions make_warmup_operator(const SampleRequest& request, const CallableOperators& callable,
                                c10::Device device);

}  // namespace kjoule::runner
