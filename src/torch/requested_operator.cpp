#include "torch/requested_operator.hpp"

#include "base/error.hpp"
#include "torch/called_operator.hpp"

namespace kjoule::runner {

namespace {

at::ScalarType type_of(const std::string& precision) {
  if (precision == "fp16") return at::kHalf;
  if (precision == "bf16") return at::kBFloat16;
  if (precision == "fp32") return at::kFloat;
  throw Error(precision + " is not a precision", "use fp16, bf16 or fp32");
}

Directions make_operator(const SampleRequest& request, const std::optional<OperatorCall>& call,
                         const SampleShape& shape, const CallableOperators& callable, c10::Device device) {
  if (call) return make_called_operator(*call, callable, device, request.wants_backward);
  return build_operator(request.operator_name, shape,
                        {at::TensorOptions().device(device).dtype(type_of(request.precision))});
}

}  // namespace

Directions make_requested_operator(const SampleRequest& request, const CallableOperators& callable,
                                   c10::Device device) {
  return make_operator(request, request.call, request.shape, callable, device);
}

Directions make_warmup_operator(const SampleRequest& request, const CallableOperators& callable,
                                c10::Device device) {
  return make_operator(request, request.warmup_call, request.warmup_shape, callable, device);
}

}  // namespace kjoule::runner
