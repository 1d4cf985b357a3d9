#include "cuda/module_globals.hpp"

#include <algorithm>
#include <optional>

#include "cuda/cubin_variables.hpp"

namespace kjoule::cuda {

namespace {

constexpr uint64_t kUnit = 16;  ///< bytes; snapshots copy multiples of it

/// Returns the multiples of 16 bytes around a variable. What else they contain belongs to the same module.
Allocation around(CUdeviceptr address, size_t bytes, MemoryKind kind) {
  const uint64_t begin = address / kUnit * kUnit;
  return {begin, (address + bytes - begin + kUnit - 1) / kUnit * kUnit, kind};
}

std::optional<Allocation> find_variable(const Function& function, const std::string& name) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  if (function.library != nullptr) {
    if (cuLibraryGetManaged(&address, &bytes, function.library, name.c_str()) == CUDA_SUCCESS)
      return around(address, bytes, MemoryKind::managed);
    if (cuLibraryGetGlobal(&address, &bytes, function.library, name.c_str()) == CUDA_SUCCESS)
      return around(address, bytes, MemoryKind::global);
    return {};
  }
  if (cuModuleGetGlobal(&address, &bytes, function.module, name.c_str()) != CUDA_SUCCESS) return {};
  return around(address, bytes, MemoryKind::global);
}

}  // namespace

void ModuleGlobals::add_module(const void* cubin, size_t bytes) {
  const std::vector<CubinVariable> variables = cubin_variables(cubin, bytes);
  const std::lock_guard lock(mutex_);
  for (const CubinVariable& variable : variables) {
    const bool can_be_written = variable.section == ".nv.global" || variable.section == ".nv.global.init";
    if (can_be_written && variable.bytes > 0 && known_.insert(variable.name).second)
      names_.push_back(variable.name);
  }
}

std::vector<Allocation> ModuleGlobals::memory(const FunctionTable& functions) {
  std::vector<std::string> names;
  {
    const std::lock_guard lock(mutex_);
    names = names_;
  }
  std::vector<Allocation> found;
  for (const auto& [container, function] : functions.containers()) {
    Module& module = modules_[container];
    for (; module.looked_up < names.size(); ++module.looked_up)
      if (const auto variable = find_variable(*function, names[module.looked_up]))
        module.variables.push_back(*variable);
    found.insert(found.end(), module.variables.begin(), module.variables.end());
  }
  return merge_overlaps(std::move(found));
}

}  // namespace kjoule::cuda
