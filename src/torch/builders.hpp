#pragma once
#include "torch/operator.hpp"

/// The operators that kjoule-torch samples, one family per file. device/operator_table.cpp contains the names
/// of the numbers in their shapes; docs/guide/sampling.md describes the work of each operator.
namespace kjoule::runner {

// linear.cpp
Directions embedding(const SampleShape& shape, const Placement& place);
Directions linear_to_qkv(const SampleShape& shape, const Placement& place);
Directions linear_after_attention(const SampleShape& shape, const Placement& place);
Directions linear_up(const SampleShape& shape, const Placement& place);
Directions linear_down(const SampleShape& shape, const Placement& place);
Directions linear_to_logits(const SampleShape& shape, const Placement& place);
Directions linear_of_any_size(const SampleShape& shape, const Placement& place);

// norm.cpp
Directions layer_norm(const SampleShape& shape, const Placement& place);
Directions rms_norm(const SampleShape& shape, const Placement& place);

// elementwise.cpp
Directions gelu(const SampleShape& shape, const Placement& place);
Directions swiglu(const SampleShape& shape, const Placement& place);
Directions rotary_positions(const SampleShape& shape, const Placement& place);
Directions residual_addition(const SampleShape& shape, const Placement& place);

// scores.cpp
Directions queries_by_keys(const SampleShape& shape, const Placement& place);
Directions probabilities_by_values(const SampleShape& shape, const Placement& place);
Directions softmax(const SampleShape& shape, const Placement& place);
Directions fill_mask(const SampleShape& shape, const Placement& place);

// causal_softmax.cpp
Directions fused_causal_softmax(const SampleShape& shape, const Placement& place);

// flash_attention.cpp
Directions flash_attention(const SampleShape& shape, const Placement& place);
Directions causal_flash_attention(const SampleShape& shape, const Placement& place);
Directions grouped_query_attention(const SampleShape& shape, const Placement& place);

// cross_entropy.cpp
Directions cross_entropy(const SampleShape& shape, const Placement& place);

// experts.cpp
Directions mixture_of_experts(const SampleShape& shape, const Placement& place);

// optimizer.cpp
Directions first_stage_optimizer(const SampleShape& shape, const Placement& place);
Directions middle_stage_optimizer(const SampleShape& shape, const Placement& place);
Directions last_stage_optimizer(const SampleShape& shape, const Placement& place);

}  // namespace kjoule::runner
