#pragma once
#include <ATen/ATen.h>

namespace kjoule::runner {

/// Returns which elements of scores [.., l, l] are above the diagonal.
at::Tensor above_diagonal(const at::Tensor& scores);
/// Returns the causal softmax of scores [.., l, l] by operations of libtorch: columns 0 to r of row r receive
/// their softmax, and the later columns, which `above` marks, receive 0.
at::Tensor causal_softmax(const at::Tensor& scores, const at::Tensor& above);
/// Returns the gradient of the scores from the gradient of the softmax and the softmax itself.
at::Tensor causal_softmax_backward(const at::Tensor& gradient, const at::Tensor& softmax);

}  // namespace kjoule::runner
