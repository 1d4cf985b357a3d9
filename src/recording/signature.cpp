#include "recording/signature.hpp"

#include <fmt/format.h>

namespace kjoule {

std::string kernel_signature(const std::string& name, const std::array<unsigned, 3>& grid,
                             const std::array<unsigned, 3>& block, unsigned shared_bytes,
                             uint64_t argument_value_hash) {
  return fmt::format("{} <<<{}x{}x{}, {}x{}x{}, {}>>> {:08x}", name, grid[0], grid[1], grid[2], block[0],
                     block[1], block[2], shared_bytes, argument_value_hash & 0xffffffff);
}

std::string copy_signature(const std::string& name, size_t width_bytes, size_t height, size_t depth) {
  return fmt::format("{} {}x{}x{} B", name, width_bytes, height, depth);
}

std::string memset_signature(size_t width, size_t height, unsigned element_bytes) {
  return fmt::format("memset {}x{} of {} B", width, height, element_bytes);
}

std::string operator_signature(const std::string& name, const std::vector<std::string>& arguments) {
  std::string text = name;
  for (const std::string& argument : arguments) text += ' ' + argument;
  return text;
}

}  // namespace kjoule
