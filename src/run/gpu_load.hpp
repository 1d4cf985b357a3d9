#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace kjoule {

/// Who else has the GPU of that UUID, and what keeps it slower than others of its kind, while a program is
/// being measured there: `programs_on_gpu`, `mig`, `mps` (the folder of its pipes), `power_limit_w`,
/// `default_power_limit_w`, `slowed_by`, each where it is known, and `warnings`, a list, where something is
/// shared or capped. Null where NVML is not there.
nlohmann::json gpu_load_json(const std::string& uuid);

}  // namespace kjoule
