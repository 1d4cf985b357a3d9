#pragma once
#include <filesystem>
#include <vector>

#include "cli/doctor/machine_features.hpp"

namespace kjoule {

/// Examines driver, NVML, CUPTI and nvidia-smi. CUPTI may also be in the Python packages next to
/// `torch_folder`.
std::vector<MachineFeature> examine_nvidia(const std::filesystem::path& torch_folder);

}  // namespace kjoule
