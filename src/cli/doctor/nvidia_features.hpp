#pragma once
#include <filesystem>
#include <vector>

#include "cli/doctor/machine_features.hpp"

namespace kjoule {

/// Examines the driver, NVML, CUPTI, cuBLAS and nvidia-smi. CUPTI and cuBLAS are also searched for in the
/// Python packages next to `torch_folder`.
std::vector<MachineFeature> examine_nvidia(const std::filesystem::path& torch_folder);

}  // namespace kjoule
