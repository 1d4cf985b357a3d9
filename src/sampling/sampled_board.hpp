#pragma once
#include <nlohmann/json.hpp>

#include "device/sample_protocol.hpp"

namespace kjoule {

/// Returns the facts of the GPU's board (power/meters/board_facts.hpp) for the line that begins a run of
/// samples; null on the CPU, and the text "unknown: REASON" if NVML does not report the board.
nlohmann::ordered_json describe_sampled_board(const SamplingDevice& device);

}  // namespace kjoule
