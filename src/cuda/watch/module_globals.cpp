#include "cuda/watch/module_globals.hpp"

#include <algorithm>
#include <optional>

#include "cuda/driver/cubin_variables.hpp"

namespace kjoule::cuda {

namespace {

/// Returns the memory of a variable. Other data in its units of 16 bytes belong to the same module.
std::optional<Allocation> find_variable(const Function& function, const std::string& name) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  if (function.library != nullptr) {
    if (cuLibraryGetManaged(&address, &bytes, function.library, name.c_str()) == CUDA_SUCCESS)
      return round_up({address, bytes, MemoryKind::managed});
    if (cuLibraryGetGlobal(&address, &bytes, function.library, name.c_str()) == CUDA_SUCCESS)
      return round_up({address, bytes, MemoryKind::global});
    return {};
  }
  if (cuModuleGetGlobal(&address, &bytes, function.module, name.c_str()) != CUDA_SUCCESS) return {};
  return round_up({address, bytes, MemoryKind::global});
}

}  // namespace

void ModuleGlobals::add_module(const void* cubin, size_t bytes) {
  const std::vector<CubinVariable> variables = cubin_variables(cubin, bytes);
  const MutexLock lock(mutex_);
  for (const CubinVariable& variable : variables) {
    const bool can_be_written = variable.section == ".nv.global" || variable.section == ".nv.global.init";
    if (can_be_written && variable.bytes > 0 && known_.insert(variable.name).second)
      names_.push_back(variable.name);
  }
}

void ModuleGlobals::forget(const void* module) {
  const MutexLock lock(mutex_);
  modules_.erase(module);
}

void ModuleGlobals::expect(const Containers& modules) {
  const MutexLock lock(mutex_);
  for (const auto& [module, function] : modules) modules_.try_emplace(module);
}

std::vector<std::string> ModuleGlobals::new_names(const void* module) {
  const MutexLock lock(mutex_);
  const auto known = modules_.find(module);
  if (known == modules_.end()) return {};
  return {names_.begin() + static_cast<std::ptrdiff_t>(known->second.looked_up), names_.end()};
}

std::vector<Allocation> ModuleGlobals::add(const void* module, size_t names,
                                           const std::vector<Allocation>& variables) {
  const MutexLock lock(mutex_);
  const auto known = modules_.find(module);
  if (known == modules_.end()) return {};
  known->second.looked_up += names;
  std::vector<Allocation>& all = known->second.variables;
  all.insert(all.end(), variables.begin(), variables.end());
  return all;
}

std::vector<Allocation> ModuleGlobals::memory(const Containers& modules) {
  std::vector<Allocation> found;
  for (const auto& [module, function] : modules) {
    const std::vector<std::string> names = new_names(module);
    std::vector<Allocation> variables;
    for (const std::string& name : names)
      if (const auto variable = find_variable(*function, name)) variables.push_back(*variable);
    const std::vector<Allocation> all = add(module, names.size(), variables);
    found.insert(found.end(), all.begin(), all.end());
  }
  return merge_overlaps(std::move(found));
}

}  // namespace kjoule::cuda
