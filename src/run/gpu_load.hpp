#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace kjoule {

/// Returns facts about the GPU with this UUID: `programs_on_gpu`, `mig`, `mps` (the folder of MPS's pipes),
/// `power_limit_w`, `default_power_limit_w` and `throttle_reasons`. Facts that are not known are omitted. If
/// other programs share the GPU, or its power is limited, the list `warnings` contains a sentence for each of
/// these conditions. Returns null if NVML is not available.
nlohmann::json gpu_load_json(const std::string& uuid);

}  // namespace kjoule
