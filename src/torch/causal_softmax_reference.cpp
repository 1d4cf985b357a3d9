#include "torch/causal_softmax_reference.hpp"

#include <limits>

namespace kjoule::runner {

at::Tensor above_diagonal(const at::Tensor& scores) {
  const int64_t l = scores.size(-1);
  return at::ones({l, l}, scores.options().dtype(at::kBool)).triu_(1);
}

at::Tensor causal_softmax(const at::Tensor& scores, const at::Tensor& above) {
  return at::softmax(scores.masked_fill(above, -std::numeric_limits<double>::infinity()), -1);
}

at::Tensor causal_softmax_backward(const at::Tensor& gradient, const at::Tensor& softmax) {
  return at::_softmax_backward_data(gradient, softmax, -1, softmax.scalar_type());
}

}  // namespace kjoule::runner
