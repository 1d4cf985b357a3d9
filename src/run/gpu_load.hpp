#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace kjoule {

/// Returns facts about the GPU with this UUID: `programs_on_gpu`, `mig`, `mps` (the folder of MPS's pipes),
/// `power_limit_w`, `default_power_limit_w` and `throttle_reasons`, each if it is known. If the GPU is shared
/// or limited, a list `warnings` has a sentence for each condition. Returns null if NVML is not available.
nlohmann::json gpu_load_json(const std::string& uuid);

}  // namespace kjoule
