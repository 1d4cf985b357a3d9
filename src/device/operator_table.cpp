#include "device/operator_table.hpp"

namespace kjoule {

namespace {

std::vector<SampledOperator> make_table() {
  const std::vector<std::string> rows{"b", "l", "dim"};
  const std::vector<std::string> sharded{"mp", "b", "l", "dim"};
  const std::vector<std::string> heads{"mp", "b", "h", "l", "dim"};
  const std::vector<std::string> scores{"mp", "b", "h", "l"};
  const std::vector<std::string> stage{"mp", "dim", "encoders"};
  return {
      {"embedding", sharded, true, "looks up rows of a table of Vp x dim"},
      {"layernorm", rows, true, "layer norm over dim"},
      {"RMSlayernorm", rows, true, "RMS norm over dim, scale in fp32, as six operations"},
      {"linear1", sharded, true, "dim -> 3 dim/mp with bias: queries, keys, values"},
      {"linear2", sharded, true, "dim/mp -> dim: projection after attention"},
      {"linear3", sharded, true, "dim -> 4 dim/mp: first product of the feed-forward block"},
      {"linear4", sharded, true, "4 dim/mp -> dim: second product of the feed-forward block"},
      {"linear_final", sharded, true, "dim -> Vp: logits"},
      {"linear", {"rows", "inputs", "outputs"}, true, "inputs -> outputs: matrix product of any sizes"},
      {"flash_atten", heads, true, "flash attention of each token to all tokens"},
      {"flash_atten_causal", heads, true, "flash attention of each token to itself and earlier ones"},
      {"grouped_query_atten",
       {"mp", "b", "h", "kv", "l", "dim"},
       true,
       "causal flash attention with h/kv query heads for each head of keys and values"},
      {"gelu", sharded, true, "GELU on 4 dim/mp"},
      {"swiglu", {"mp", "b", "l", "ffn"}, true, "SiLU of a gate times a value, both of width ffn/mp"},
      {"RoPE", heads, true, "rotary position embedding of queries and keys"},
      {"res_add", rows, true, "residual sum of two tensors; its backward pass sums two gradients"},
      {"parallel_cross_entropy_128", {"mp", "b", "l"}, true, "cross entropy over Vp logits, in place"},
      {"softmax", scores, true, "softmax of scores"},
      {"fillmask", heads, true, "scores above the diagonal set to 0 in place"},
      {"baddbmm", heads, true, "queries x keys"},
      {"bmm", heads, true, "probabilities x values"},
      {"ScaledUpperTriangMaskedSoftmax", scores, true, "causal softmax of scores in one kernel"},
      {"moe",
       {"mp", "b", "l", "dim", "moe_num_experts", "intermediate_size", "top_k"},
       true,
       "routing, permutation, two grouped products with GELU between them, weighted sum"},
      {"firstStage_optimizer", stage, false, "Adam on embedding and encoders"},
      {"middleStage_optimizer", stage, false, "Adam on encoders"},
      {"lastStage_optimizer", stage, false, "Adam on encoders, norm and logits"},
  };
}

}  // namespace

std::vector<std::string> SampledOperator::time_columns() const {
  if (has_backward) return {"F_dur(us)", "B_dur(us)"};
  return {"dur(us)"};
}

const std::vector<SampledOperator>& sampled_operators() {
  static const std::vector<SampledOperator> table = make_table();
  return table;
}

const SampledOperator* find_sampled_operator(const std::string& name) {
  for (const SampledOperator& one : sampled_operators())
    if (one.name == name) return &one;
  return nullptr;
}

}  // namespace kjoule
