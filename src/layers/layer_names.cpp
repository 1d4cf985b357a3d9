#include "layers/layer_names.hpp"

#include <fmt/format.h>

namespace kjoule {

std::string LayerNames::distinct(const std::string& name) {
  std::string found = name;
  for (int number = 2; !taken_.insert(found).second; ++number) found = fmt::format("{} ({})", name, number);
  return found;
}

}  // namespace kjoule
