#pragma once
#include <filesystem>
#include <vector>

#include "compare/changes/baseline.hpp"

namespace kjoule {

/// Reads the layers in layers.json, which kjoule layers writes. Throws Error, which names file and field, if
/// it is damaged.
std::vector<BaselinePart> read_baseline_layers(const std::filesystem::path& file);

}  // namespace kjoule
