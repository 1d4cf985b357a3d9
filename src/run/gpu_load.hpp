#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace kjoule {

/// Returns how the GPU of that UUID is shared and limited while a program is measured on it:
/// `programs_on_gpu`, `mig`, `mps` (the folder of its pipes), `power_limit_w`, `default_power_limit_w` and
/// `throttle_reasons` (throttle reasons), each if it is known, and `warnings`, a list, if something is shared
/// or limited. Returns null if NVML is not available.
nlohmann::json gpu_load_json(const std::string& uuid);

}  // namespace kjoule
