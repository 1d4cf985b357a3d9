#pragma once
#include <filesystem>
#include <vector>

#include "cli/findings.hpp"

namespace kjoule {

/// Examines driver, NVML, CUPTI and nvidia-smi. CUPTI may also be in the Python packages next to
/// `torch_folder`.
std::vector<Finding> examine_nvidia(const std::filesystem::path& torch_folder);

}  // namespace kjoule
