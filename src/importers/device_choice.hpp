#pragma once
#include <cstdint>
#include <set>
#include <string>

#include "importers/imported_table.hpp"

namespace kjoule {

/// Throws the Error for a file that has no kernels of the chosen device `gpu`, only of `devices`.
[[noreturn]] void fail_without_device(const std::set<int64_t>& devices, int64_t gpu, const std::string& file);

/// Throws Error if the table contains kernels of several GPUs. Call it before measurements on one GPU.
void require_one_gpu(const ImportedTable& table);

}  // namespace kjoule
