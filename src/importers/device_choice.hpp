#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "importers/import_choice.hpp"

namespace kjoule {

/// Returns the device whose launches are imported: the chosen one, or the only one; nothing if no launch
/// names its device. Throws Error if there are several devices and none is chosen. `file` is the file name in
/// errors.
std::optional<int64_t> choose_device(const std::set<int64_t>& devices, const ImportChoice& choice,
                                     const std::string& file);

/// Throws Error that the file has no kernels of the chosen device `gpu`, but only of `devices`.
[[noreturn]] void fail_without_device(const std::set<int64_t>& devices, int64_t gpu, const std::string& file);

}  // namespace kjoule
