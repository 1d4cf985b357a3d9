#include "torch/operator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torch/builders.hpp"

namespace kjoule::runner {

namespace {

const std::map<std::string, Builder>& builders() {
  static const std::map<std::string, Builder> all{
      {"embedding", embedding},
      {"layernorm", layer_norm},
      {"RMSlayernorm", rms_norm},
      {"linear1", linear_to_qkv},
      {"linear2", linear_after_attention},
      {"linear3", linear_up},
      {"linear4", linear_down},
      {"linear_final", linear_to_logits},
      {"linear", linear_of_any_size},
      {"flash_atten", flash_attention},
      {"flash_atten_causal", causal_flash_attention},
      {"grouped_query_atten", grouped_query_attention},
      {"gelu", gelu},
      {"swiglu", swiglu},
      {"RoPE", rotary_positions},
      {"res_add", residual_addition},
      {"parallel_cross_entropy_128", cross_entropy},
      {"softmax", softmax},
      {"fillmask", fill_mask},
      {"baddbmm", queries_by_keys},
      {"bmm", probabilities_by_values},
      {"ScaledUpperTriangMaskedSoftmax", fused_causal_softmax},
      {"moe", mixture_of_experts},
      {"firstStage_optimizer", first_stage_optimizer},
      {"middleStage_optimizer", middle_stage_optimizer},
      {"lastStage_optimizer", last_stage_optimizer},
  };
  return all;
}

}  // namespace

std::vector<std::string> order_of(const Directions& directions) {
  std::vector<std::string> order;
  for (const char* name : {"forward", "backward", "step"})
    if (directions.contains(name)) order.emplace_back(name);
  return order;
}

Directions build_operator(const std::string& name, const SampleShape& shape, const Placement& place) {
  const auto found = builders().find(name);
  if (found == builders().end()) throw Error(name + " is not a known operator");
  if (std::any_of(shape.begin(), shape.end(), [](int64_t number) { return number < 0; }))
    throw InvalidShape("a size of the shape is below 0");
  return found->second(shape, place);
}

void check_divisible(const char* name, int64_t number, const char* other, int64_t by) {
  if (by < 1 || number % by != 0)
    throw InvalidShape(fmt::format("{} {} is not divisible by {} {}", name, number, other, by));
}

int64_t vocabulary(int64_t mp) {
  constexpr int64_t kWords = 50257, kMultiple = 128;
  if (mp < 1) throw InvalidShape(fmt::format("mp is {}, but must be at least 1", mp));
  return kMultiple * ((kWords + kMultiple * mp - 1) / (kMultiple * mp));
}

double bytes_of(at::TensorList tensors) {
  double bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<double>(tensor.nbytes());
  return bytes;
}

}  // namespace kjoule::runner
