#include "cuda/calls/function_table.hpp"

namespace kjoule::cuda {

namespace {

const void* container_of(const Function& function) {
  if (function.library != nullptr) return function.library;
  return function.module;
}

}  // namespace

const std::shared_ptr<const Function>& FunctionTable::get(CUfunction handle) {
  auto& function = known_[handle];
  if (!function) function = describe(handle);
  return function;
}

void FunctionTable::forget(const void* container) {
  std::erase_if(known_, [&](const auto& known) {
    return known.second == nullptr || container_of(*known.second) == container;
  });
}

Containers FunctionTable::containers() const {
  Containers all;
  for (const auto& [handle, function] : known_)
    if (function != nullptr && container_of(*function) != nullptr) all[container_of(*function)] = function;
  return all;
}

}  // namespace kjoule::cuda
