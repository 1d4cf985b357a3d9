#pragma once
#include <filesystem>
#include <vector>

#include "cli/findings.hpp"

namespace kjoule {

/// Driver, NVML, CUPTI and nvidia-smi. The packages beside a torch folder may bring CUPTI.
std::vector<Finding> examine_nvidia(const std::filesystem::path& torch_folder);

}  // namespace kjoule
