#pragma once
#include <filesystem>

#include "layers/network_result.hpp"

namespace kjoule {

/// Reads layers.json, which kjoule layers writes. Throws Error, which names file and field, if it is damaged.
NetworkResult read_network_result(const std::filesystem::path& file);

}  // namespace kjoule
