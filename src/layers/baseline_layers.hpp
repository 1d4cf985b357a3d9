#pragma once
#include <filesystem>
#include <vector>

#include "compare/baseline.hpp"

namespace kjoule {

/// Reads the layers of layers.json, which kjoule layers writes. Throws Error naming the file and the field if
/// it is damaged.
std::vector<BaselinePart> read_baseline_layers(const std::filesystem::path& file);

}  // namespace kjoule
