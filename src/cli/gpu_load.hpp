#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace kjoule {

/// How many programs have work on the GPU of that UUID, while one is being measured there: `programs_on_gpu`,
/// and `warning` where there are others. Null where NVML does not tell.
nlohmann::json gpu_load_json(const std::string& uuid);

}  // namespace kjoule
