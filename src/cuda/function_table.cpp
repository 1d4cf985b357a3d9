#include "cuda/function_table.hpp"

namespace kjoule::cuda {

const std::shared_ptr<const Function>& FunctionTable::get(CUfunction handle) {
  auto& function = known_[handle];
  if (!function) function = describe(handle);
  return function;
}

}  // namespace kjoule::cuda
